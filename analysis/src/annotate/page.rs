//! The page of an annotated game.

use game::{Game, GameTree, MoveLine, MoveNode, comment_words};
use pages::{GamePage, PageLine, PageMove, PageStep, PlayerSummary};

use super::record::{AnnotatedGame, GamePhase, PositionNote};
use super::summary::{MovesSummary, SideSummary};

/// What the page of an annotated game shows. `tree` is the text of the game with its annotations.
pub fn page_of(game: &AnnotatedGame, tree: &GameTree) -> GamePage {
    let Some(mut here) = game.first_position() else { return GamePage::default() };
    let mut page = GamePage {
        tags: tree.tags.clone(),
        start: game.start.clone(),
        start_score: game.start_note.score,
        result: game.result.clone(),
        opening: game.opening.as_ref().map(|opening| format!("{} {}", opening.eco, opening.name)),
        comment: comment_words(&tree.mainline.before),
        white: Some(player(&game.white)),
        black: Some(player(&game.black)),
        story: game.story.clone(),
        analysed_by: Some(analysed_by(game)),
        ..GamePage::default()
    };
    let theory = game.opening.as_ref().map_or(0, |opening| opening.theory);
    for (ply, (node, mv)) in tree.mainline.moves.iter().zip(&game.moves).enumerate() {
        let mut shown = page_move(&here, node).unwrap_or_default();
        shown.score = mv.after.score;
        shown.depth = mv.after.depth;
        shown.clock = mv.clock;
        shown.best = mv.grade.and_then(|_| best(&here, game.note(ply)));
        shown.opening = page.opening.clone().filter(|_| theory == ply + 1);
        page.moves.push(shown);
        if play(&mut here, &node.text).is_none() {
            break;
        }
    }
    page.termination = here.outcome().map(|outcome| outcome.to_string());
    page
}

fn analysed_by(game: &AnnotatedGame) -> String {
    let by = &game.provenance;
    let date = by.date.as_deref().map(|date| date.replace('.', "-"));
    [Some(by.engines()), Some(by.limit.clone()), date].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// Plays a move and returns its step; `None` if it is illegal.
fn play(game: &mut Game, text: &str) -> Option<PageStep> {
    let mv = game.parse_move(text).ok()?;
    PageStep::play(game, mv)
}

/// A move with its glyphs, comments and variations.
fn page_move(game: &Game, node: &MoveNode) -> Option<PageMove> {
    let step = play(&mut game.clone(), &node.text)?;
    Some(PageMove {
        step,
        nags: node.glyphs().collect(),
        comment: comment_words(&node.after),
        variations: node
            .variations()
            .map(|line| variation(game, line))
            .filter(|line| !line.is_empty())
            .collect(),
        ..PageMove::default()
    })
}

/// The legal beginning of a variation. Null moves end it.
fn variation(game: &Game, line: &MoveLine) -> Vec<PageMove> {
    let (mut here, mut before) = (game.clone(), comment_words(&line.before));
    let moves = line.moves.iter().map_while(|node| {
        let shown = page_move(&here, node)?;
        play(&mut here, &node.text)?;
        Some(PageMove { comment_before: before.take(), ..shown })
    });
    moves.collect()
}

/// The best line of a position.
fn best(game: &Game, note: &PositionNote) -> Option<PageLine> {
    let mut here = game.clone();
    let moves: Vec<PageStep> = note.line.iter().map_while(|san| play(&mut here, san)).collect();
    (!moves.is_empty()).then_some(PageLine { score: note.score, moves, ..PageLine::default() })
}

fn player(side: &SideSummary) -> PlayerSummary {
    let mut facts = Vec::new();
    for phase in GamePhase::ALL {
        if let Some((_, summary)) = side.phases.iter().find(|(known, _)| *known == phase) {
            facts.push((format!("Accuracy in the {}", phase.name()), shown(summary)));
        }
    }
    if let Some(trouble) = side.time_trouble.filter(|trouble| trouble.moves > 0) {
        facts.push(("Accuracy in time trouble".to_owned(), shown(&trouble)));
    }
    facts.push(("Only moves found".to_owned(), side.only_moves.to_string()));
    let MovesSummary { accuracy, average_loss, inaccuracies, mistakes, blunders, .. } = side.all;
    PlayerSummary {
        accuracy: accuracy.map(|mean| mean.mean),
        average_loss: average_loss.map(|mean| mean.mean),
        inaccuracies,
        mistakes,
        blunders,
        facts,
    }
}

fn shown(summary: &MovesSummary) -> String {
    let accuracy = summary
        .accuracy
        .map_or_else(|| "–".to_owned(), |mean| format!("{:.1} % ± {:.1}", mean.mean, mean.error));
    format!("{accuracy}, {}", game::counted(u64::from(summary.moves), "move"))
}
