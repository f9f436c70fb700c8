//! Annotations in the text of a game.

use game::{
    Annotation, CastlingMode, Color, Game, GameTree, JudgingRules, MoveLine, MoveNode, WhiteScore,
    comment_commands, eval_command, without_commands,
};

use super::earlier::EarlierAnalysis;
use super::games::AnnotationSettings;
use super::record::{AnnotatedGame, FurtherNote, OpeningNote, PositionNote};

/// Writes the annotations of a game into its text. What is there stays, but for evaluations and judgements if they are to be
/// replaced.
pub(super) fn write_into(tree: &mut GameTree, game: &AnnotatedGame, settings: &AnnotationSettings) {
    let earlier = EarlierAnalysis::of(tree);
    write_tags(tree, game);
    for (ply, (node, mv)) in tree.mainline.moves.iter_mut().zip(&game.moves).enumerate() {
        if settings.replaces {
            remove_judgements(node, earlier.as_ref());
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
            let line = better_line(game, ply, settings).filter(|_| !shows_best(node, game, ply));
            node.after.extend(line);
        }
        if mv.loss.is_some() && settings.line_plies > 0 {
            node.after.extend(other_lines(game, ply, settings));
        }
    }
}

/// Name of the command with an evaluation.
pub(super) const EVAL: &str = "eval";

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
    variation(note, eval_of(note).as_deref(), settings)
}

/// Whether a variation of the file begins with the best move instead of a move. It stays as it is: an evaluation would make it look
/// like a line of ours, which `--replace` removes.
fn shows_best(node: &MoveNode, game: &AnnotatedGame, ply: usize) -> bool {
    let before = ply.checked_sub(1).map_or(&game.start, |before| &game.moves[before].fen);
    let mode = CastlingMode::from_chess960(game.is_chess960);
    let Ok(here) = Game::from_fen(before, mode) else { return false };
    let Some(best) = game.note(ply).line.first().and_then(|best| here.parse_move(best).ok()) else {
        return false;
    };
    let is_best = |first: &MoveNode| here.parse_move(&first.text) == Ok(best);
    let is_shown = |line: &MoveLine| line.moves.first().is_some_and(is_best);
    node.after.iter().any(|annotation| matches!(annotation, Annotation::Variation(line) if is_shown(line)))
}

/// The lines of further programs that disagree with the first one, each with name and score at its first move.
fn other_lines(game: &AnnotatedGame, ply: usize, settings: &AnnotationSettings) -> Vec<Annotation> {
    let (note, played) = (game.note(ply), &game.moves[ply].san);
    let others =
        note.further.iter().filter(|further| disagrees(&further.note, note, played, &settings.rules));
    let lines = others.filter_map(|FurtherNote { program, note }| {
        let score = note.score?;
        let sign = if matches!(score, WhiteScore::Centipawns(1..)) { "+" } else { "" };
        variation(note, Some(&format!("{program}: {sign}{score}")), settings)
    });
    lines.collect()
}

/// Whether a program's best move is neither the one that was `played` nor that of the first program, whose analysis is `first`, or
/// the winning chances by their evaluations differ by as much as a mistake loses.
fn disagrees(note: &PositionNote, first: &PositionNote, played: &String, rules: &JudgingRules) -> bool {
    let best = note.line.first();
    let chance = |note: &PositionNote| Some(rules.chance(note.score?.score_for(Color::White)));
    let gap = chance(note).zip(chance(first)).map_or(0.0, |(one, other)| (one - other).abs());
    best != Some(played) && best != first.line.first() || gap >= rules.mistake
}

/// The line of an analysis with a comment at its first move; `None` if there is no line.
fn variation(
    note: &PositionNote,
    comment: Option<&str>,
    settings: &AnnotationSettings,
) -> Option<Annotation> {
    let mut moves: Vec<MoveNode> = note.line.iter().take(settings.line_plies).map(MoveNode::new).collect();
    moves.first_mut()?.after.extend(comment.and_then(Annotation::comment));
    Some(Annotation::Variation(MoveLine { before: Vec::new(), moves }))
}

/// Glyphs of good and bad moves (PGN standard, 10).
fn is_judgement(glyph: u8) -> bool {
    (1..=6).contains(&glyph)
}

/// Removes evaluations and judgements, and the words and lines of an earlier analysis. Other text of the comments stays.
fn remove_judgements(node: &mut MoveNode, earlier: Option<&EarlierAnalysis>) {
    node.after = std::mem::take(&mut node.after)
        .into_iter()
        .filter_map(|annotation| match annotation {
            Annotation::Glyph(number) if is_judgement(number) => None,
            Annotation::Comment(text) => without_eval(&text, earlier),
            Annotation::Variation(line) if earlier.is_some_and(|earlier| earlier.has_line(&line)) => None,
            other => Some(other),
        })
        .collect();
}

fn without_eval(text: &str, earlier: Option<&EarlierAnalysis>) -> Option<Annotation> {
    let rest = without_commands(text, |name| name == EVAL);
    if earlier.is_some_and(|earlier| earlier.has_words(&rest)) {
        return None;
    }
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
    let before = tree.tag("Annotator").map(str::trim).filter(|known| !is_unknown(known));
    let mut annotators: Vec<&str> = before.map(|before| before.split("; ").collect()).unwrap_or_default();
    for by in game.provenance.annotators() {
        if !annotators.contains(&by) {
            annotators.push(by);
        }
    }
    let annotators = annotators.join("; ");
    tree.set_tag("Annotator", annotators);
    tree.set_tag("AnalysisEngine", game.provenance.engines());
    tree.set_tag("AnalysisLimit", game.provenance.limit.as_str());
    tree.tags.retain(|(name, _)| name != "AnalysisSettings");
    if !game.provenance.settings.is_empty() {
        tree.set_tag("AnalysisSettings", game.provenance.settings.as_str());
    }
    match &game.provenance.date {
        Some(date) => tree.set_tag("AnalysisDate", date.as_str()),
        None => tree.tags.retain(|(name, _)| name != "AnalysisDate"),
    }
    for (name, side) in [("WhiteAccuracy", &game.white), ("BlackAccuracy", &game.black)] {
        match side.all.accuracy {
            Some(accuracy) => tree.set_tag(name, format!("{:.1}", accuracy.mean)),
            None => tree.tags.retain(|(known, _)| known != name),
        }
    }
}
