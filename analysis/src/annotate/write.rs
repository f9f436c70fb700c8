//! Annotations in the text of a game.

use game::{Annotation, GameTree, MoveLine, MoveNode, comment_commands, eval_command, without_commands};

use super::games::AnnotationSettings;
use super::record::{AnnotatedGame, OpeningNote, PositionNote};

/// Writes the annotations of a game into its text. What is there stays, but for evaluations and judgements if they are to be
/// replaced.
pub(super) fn write_into(tree: &mut GameTree, game: &AnnotatedGame, settings: &AnnotationSettings) {
    write_tags(tree, game);
    for (ply, (node, mv)) in tree.mainline.moves.iter_mut().zip(&game.moves).enumerate() {
        if settings.replaces {
            remove_judgements(node);
        }
        let glyph = mv.grade.map(super::MoveGrade::glyph).or(mv.merit.map(super::MoveMerit::glyph));
        let given = node.glyphs().find(|glyph| is_judgement(*glyph));
        let is_evaluated = node.comments().flat_map(comment_commands).any(|(name, _)| name == EVAL);
        let mut new: Vec<Annotation> =
            glyph.filter(|_| given.is_none()).map(Annotation::Glyph).into_iter().collect();
        let eval = eval_of(&mv.after).filter(|_| settings.has_evaluations && !is_evaluated);
        // Words must not contradict a glyph that stays.
        let is_agreed = given.is_none() || given == glyph;
        let words = settings.has_words.then(|| words(game, ply, is_agreed)).flatten();
        let comment: Vec<String> = eval.into_iter().chain(words).collect();
        new.extend(Annotation::comment(&comment.join(" ")));
        let keeps =
            node.after.iter().take_while(|annotation| matches!(annotation, Annotation::Glyph(_))).count();
        node.after.splice(keeps..keeps, new);
        if mv.grade.is_some() && settings.line_plies > 0 {
            node.after.extend(better_line(game, ply, settings));
        }
    }
}

/// Name of the command with an evaluation.
const EVAL: &str = "eval";

/// The words on a move: where theory ends, those of its judgement, with its grade or merit only where it `is_agreed`.
fn words(game: &AnnotatedGame, ply: usize, is_agreed: bool) -> Option<String> {
    let mv = &game.moves[ply];
    let ends = game.opening.as_ref().filter(|opening| opening.theory == ply + 1);
    let ends = ends.map(|opening| format!("End of theory: {} {}.", opening.eco, opening.name));
    let grade = mv.grade.map(|grade| format!("{}.", grade.name()));
    let verdict = grade.or_else(|| mv.merit.map(|merit| merit.sentence().to_owned())).filter(|_| is_agreed);
    let words: Vec<String> = ends.into_iter().chain(verdict).chain(mv.words.clone()).collect();
    (!words.is_empty()).then(|| words.join(" "))
}

/// The command with the evaluation of a position.
fn eval_of(note: &PositionNote) -> Option<String> {
    note.score.map(|score| eval_command(score, note.depth))
}

/// The better line instead of a move, with its score at its first move.
fn better_line(game: &AnnotatedGame, ply: usize, settings: &AnnotationSettings) -> Option<Annotation> {
    let note = game.note(ply);
    if note.line.first()? == &game.moves[ply].san {
        return None;
    }
    let mut moves: Vec<MoveNode> = note.line.iter().take(settings.line_plies).map(MoveNode::new).collect();
    moves[0].after.extend(eval_of(note).as_deref().and_then(Annotation::comment));
    Some(Annotation::Variation(MoveLine { before: Vec::new(), moves }))
}

/// Glyphs of good and bad moves (PGN standard, 10).
fn is_judgement(glyph: u8) -> bool {
    (1..=6).contains(&glyph)
}

/// Removes evaluations and judgements. Other text of the comments stays.
fn remove_judgements(node: &mut MoveNode) {
    node.after = std::mem::take(&mut node.after)
        .into_iter()
        .filter_map(|annotation| match annotation {
            Annotation::Glyph(number) if is_judgement(number) => None,
            Annotation::Comment(text) => without_eval(&text),
            other => Some(other),
        })
        .collect();
}

fn without_eval(text: &str) -> Option<Annotation> {
    let rest = without_commands(text, |name| name == EVAL);
    (rest == text || !rest.trim().is_empty()).then_some(Annotation::Comment(rest))
}

/// Names the opening in the tags, unless they name another one.
pub(super) fn name_opening(tree: &mut GameTree, opening: Option<&OpeningNote>) {
    let Some(OpeningNote { eco, name, .. }) = opening else { return };
    let given = |tag: &str| {
        // Some programs write `Eco`.
        let known =
            tree.tags.iter().find(|(name, value)| name.eq_ignore_ascii_case(tag) && !is_unknown(value));
        known.map(|(_, value)| value.trim().to_owned())
    };
    let (given_eco, given_name) = (given("ECO"), given("Opening"));
    // Some programs write more than the code, such as `C20/03`.
    let is_same = given_eco.as_ref().is_none_or(|given| given.starts_with(&**eco))
        && given_name.as_ref().is_none_or(|given| given == name);
    if is_same && given_eco.is_none() {
        tree.set_tag("ECO", eco.as_str());
    }
    if is_same && given_name.is_none() {
        tree.set_tag("Opening", name.as_str());
    }
}

/// Whether the value of a tag says nothing.
fn is_unknown(value: &str) -> bool {
    matches!(value.trim(), "" | "?" | "-")
}

fn write_tags(tree: &mut GameTree, game: &AnnotatedGame) {
    name_opening(tree, game.opening.as_ref());
    let by = &game.provenance.annotator;
    let before = tree.tag("Annotator").map(str::trim).filter(|known| !is_unknown(known));
    let annotator = match before {
        Some(before) if before.split("; ").any(|one| one == by) => before.to_owned(),
        Some(before) => format!("{before}; {by}"),
        None => by.clone(),
    };
    tree.set_tag("Annotator", annotator);
    tree.set_tag("AnalysisEngine", game.provenance.engine.as_str());
    tree.set_tag("AnalysisLimit", game.provenance.limit.as_str());
    tree.tags.retain(|(name, _)| name != "AnalysisSettings");
    if !game.provenance.settings.is_empty() {
        tree.set_tag("AnalysisSettings", game.provenance.settings.as_str());
    }
    if let Some(date) = &game.provenance.date {
        tree.set_tag("AnalysisDate", date.as_str());
    }
    for (name, side) in [("WhiteAccuracy", &game.white), ("BlackAccuracy", &game.black)] {
        if let Some(accuracy) = side.all.accuracy {
            tree.set_tag(name, format!("{:.1}", accuracy.mean));
        }
    }
}
