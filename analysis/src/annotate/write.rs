//! Annotations in the text of a game.

use game::{Annotation, GameOpening, GameTree, MoveLine, MoveNode};

use super::games::AnnotationSettings;
use super::record::{AnnotatedGame, PositionNote, eval_text};

/// Writes the annotations of a game into its text. What is there stays, but for evaluations and judgements if they are to be
/// replaced.
pub(super) fn write_into(tree: &mut GameTree, game: &AnnotatedGame, settings: &AnnotationSettings) {
    write_tags(tree, game);
    for (ply, (node, mv)) in tree.mainline.moves.iter_mut().zip(&game.moves).enumerate() {
        if settings.replaces {
            remove_judgements(node);
        }
        let glyph = mv.grade.map(super::MoveGrade::glyph).or(mv.merit.map(super::MoveMerit::glyph));
        let is_judged = node.glyphs().any(is_judgement);
        let is_evaluated = node.comments().any(|comment| comment.contains(EVAL));
        let mut new: Vec<Annotation> =
            glyph.filter(|_| !is_judged).map(Annotation::Glyph).into_iter().collect();
        let eval = eval_command(&mv.after).filter(|_| settings.has_evaluations && !is_evaluated);
        let words = settings.has_words.then(|| words(game, ply)).flatten();
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

/// Beginning of the command with an evaluation.
const EVAL: &str = "[%eval ";

/// The words on a move: those of its judgement, and where theory ends.
fn words(game: &AnnotatedGame, ply: usize) -> Option<String> {
    let ends = game.opening.as_ref().filter(|opening| opening.theory == ply + 1);
    let ends = ends.map(|opening| format!("End of theory: {} {}.", opening.eco, opening.name));
    let words: Vec<String> = ends.into_iter().chain(game.moves[ply].words.clone()).collect();
    (!words.is_empty()).then(|| words.join(" "))
}

/// The command with the evaluation of a position.
fn eval_command(note: &PositionNote) -> Option<String> {
    let depth = note.depth.map_or_else(String::new, |depth| format!(",{depth}"));
    note.score.map(|score| format!("{EVAL}{}{depth}]", eval_text(score)))
}

/// The better line instead of a move, with its score at its first move.
fn better_line(game: &AnnotatedGame, ply: usize, settings: &AnnotationSettings) -> Option<Annotation> {
    let note = game.note(ply);
    if note.line.first()? == &game.moves[ply].san {
        return None;
    }
    let mut moves: Vec<MoveNode> = note.line.iter().take(settings.line_plies).map(MoveNode::new).collect();
    moves[0].after.extend(eval_command(note).as_deref().and_then(Annotation::comment));
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
    let mut rest = text.to_owned();
    while let Some(from) = rest.find(EVAL) {
        let Some(length) = rest[from..].find(']') else { break };
        rest.replace_range(from..=from + length, "");
    }
    let words: Vec<&str> = rest.split_whitespace().collect();
    (!words.is_empty()).then(|| Annotation::Comment(words.join(" ")))
}

/// Names the opening in the tags, unless it is named there.
pub(super) fn name_opening(tree: &mut GameTree, opening: Option<&GameOpening>) {
    let Some(GameOpening { opening, .. }) = opening else { return };
    set_unknown(tree, "ECO", opening.eco);
    set_unknown(tree, "Opening", opening.name);
}

/// Sets a tag that is missing or unknown. Some programs write `Eco`.
fn set_unknown(tree: &mut GameTree, name: &str, value: &str) {
    let is_known = |(tag, value): &(String, String)| {
        tag.eq_ignore_ascii_case(name) && !matches!(value.trim(), "" | "?" | "-")
    };
    if !tree.tags.iter().any(is_known) {
        tree.set_tag(name, value);
    }
}

fn write_tags(tree: &mut GameTree, game: &AnnotatedGame) {
    if let Some(opening) = &game.opening {
        set_unknown(tree, "ECO", &opening.eco);
        set_unknown(tree, "Opening", &opening.name);
    }
    let by = &game.provenance.annotator;
    let before = tree.tag("Annotator").map(str::trim).filter(|known| !matches!(*known, "" | "?" | "-"));
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
