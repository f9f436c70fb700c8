//! The analysis of a game's positions, from the last to the first.

use game::book::Book;
use game::{Color, Game, Move, Score, SyzygyTables, SyzygyValue, WhiteScore};
use shakmaty::Position as _;

use super::record::{FurtherNote, FurtherProgram, PositionNote, san_words};
use crate::jobs::final_score;
use crate::{AnalysisError, AnalysisResult, Analyzer, PositionAnalysis};

/// What is known of a position.
#[derive(Clone, Debug, Default)]
pub(super) struct Examined {
    /// The analysis; without a score if the analyzer tells none.
    pub(super) analysis: PositionAnalysis,
    /// The value by the endgame tables for the side to move.
    pub(super) table: Option<SyzygyValue>,
    /// Number of legal moves.
    pub(super) choices: usize,
    /// Whether the best line ends in a draw by the rules.
    pub(super) is_forced_draw: bool,
}

/// The examined positions of a game.
pub(super) struct Examination {
    /// `positions[i]` is the one after `i` plies; `None` if it was not analysed.
    pub(super) positions: Vec<Option<Examined>>,
    /// Why the analysis ended early.
    pub(super) failure: Option<AnalysisError>,
}

/// Analyses the positions of a game after `first` plies and later, the last one first, so that the analysis of a position knows
/// what comes of the move played. Calls `progress` after each.
///
/// A program that fails is asked a second time. If it fails again, the earlier positions are left out. Positions for which it tells
/// no score, as some programs do where there is one move or a move of their book, are left out.
///
/// # Errors
/// The work was interrupted.
pub(super) fn examine(
    game: &Game,
    first: usize,
    analyzer: &mut dyn Analyzer,
    tables: Option<&SyzygyTables>,
    progress: &dyn Fn(),
) -> AnalysisResult<Examination> {
    let mut positions = vec![None; game.ply() + 1];
    let (mut here, mut has_gaps) = (game.clone(), false);
    analyzer.begin_game();
    loop {
        let ply = here.ply();
        let analysis = analyze(&here, analyzer).or_else(|error| match error {
            AnalysisError::Interrupted => Err(error),
            _ => analyze(&here, analyzer),
        });
        match analysis {
            Ok(analysis) if analysis.score.is_some_and(|score| is_plausible(&here, score)) => {
                positions[ply] = Some(examined(&here, analysis, tables));
            }
            Ok(_) => has_gaps = true,
            Err(AnalysisError::Interrupted) => return Err(AnalysisError::Interrupted),
            Err(error) => return Ok(Examination { positions, failure: Some(error) }),
        }
        progress();
        if ply <= first || here.undo().is_none() {
            let knows_none = positions.iter().flatten().all(|position| position.choices == 0);
            let failure = (has_gaps && knows_none).then_some(AnalysisError::NoScore);
            return Ok(Examination { positions, failure });
        }
    }
}

/// Whether a program can mean this score: at most 200 pawns, and no mate on the board where there is none.
fn is_plausible(game: &Game, score: Score) -> bool {
    match score {
        Score::Centipawns(centipawns) => centipawns.unsigned_abs() <= 20_000,
        Score::MateIn(moves) | Score::MatedIn(moves) => moves > 0 || game.outcome().is_some(),
    }
}

fn analyze(game: &Game, analyzer: &mut dyn Analyzer) -> AnalysisResult<PositionAnalysis> {
    if game.legal_moves().is_empty() {
        return Ok(PositionAnalysis { score: Some(final_score(game)), ..PositionAnalysis::default() });
    }
    analyzer.analyze(game, &mut |_| true)
}

fn examined(game: &Game, analysis: PositionAnalysis, tables: Option<&SyzygyTables>) -> Examined {
    let known = tables.zip(game.chess()).and_then(|(tables, chess)| {
        let has_few = chess.board().occupied().count() <= tables.max_pieces();
        has_few.then(|| tables.noting_faults(tables.probe(chess))).flatten()
    });
    let is_forced_draw = ends_in_draw(game, &analysis.line);
    Examined { table: known, choices: game.legal_moves().len(), is_forced_draw, analysis }
}

/// Whether a line ends the game in a draw: by stalemate, dead position, repetition or the fifty-move rule.
fn ends_in_draw(game: &Game, line: &[Move]) -> bool {
    let mut end = game.clone();
    let is_legal = line.iter().all(|mv| end.play(*mv).is_ok());
    let is_draw = matches!(end.outcome(), Some(game::Outcome::Draw(_)));
    is_legal && !line.is_empty() && (is_draw || end.repetitions() >= 2 || end.claim().is_some())
}

/// Number of plies after which a game has left theory: the known lines of the opening, and the book as long as it has the move
/// that was played. Faults of the book end it.
pub(super) fn theory(game: &Game, known: usize, book: Option<&mut Book>) -> usize {
    let Some(book) = book else { return known };
    let positions = game.positions().zip(game.moves());
    let in_book = positions.take_while(|(position, mv)| match position {
        game::VariantPosition::Chess(chess) => {
            book.moves(chess).is_ok_and(|moves| moves.iter().any(|known| known.mv == **mv))
        }
        _ => false,
    });
    known.max(in_book.count())
}

/// Maximum number of moves of a line that are kept.
const LONGEST_LINE: usize = 32;

/// The note on the position that `game` has reached, of the examinations by the first program and the `further` ones.
pub(super) fn note(game: &Game, examinations: &[Examination], further: &[FurtherProgram]) -> PositionNote {
    let mut notes = examinations.iter().map(|examination| {
        examination.positions[game.ply()]
            .as_ref()
            .map_or_else(PositionNote::default, |known| known.note(game))
    });
    let first = notes.next().unwrap_or_default();
    let further = further.iter().zip(notes).filter(|(_, note)| note.score.is_some());
    let further = further.map(|(by, note)| FurtherNote { program: by.name.clone(), note }).collect();
    PositionNote { further, ..first }
}

/// Whether all programs that know the position after so many plies have the same best move.
pub(super) fn is_agreed(examinations: &[Examination], ply: usize) -> bool {
    let mut best = examinations.iter().filter_map(|examination| examination.positions[ply].as_ref()?.best());
    let first = best.next();
    best.all(|best| Some(best) == first)
}

impl Examined {
    /// The best move.
    pub(super) fn best(&self) -> Option<Move> {
        self.analysis.best()
    }

    /// The note on the position, for White.
    fn note(&self, game: &Game) -> PositionNote {
        let turn = game.turn();
        let value = |value| match value {
            SyzygyValue::Win => 1,
            SyzygyValue::Draw => 0,
            SyzygyValue::Loss => -1,
        };
        PositionNote {
            score: self.analysis.score.and_then(|score| WhiteScore::of(score, turn)),
            depth: self.analysis.depth,
            nodes: self.analysis.nodes,
            line: san_words(game, &self.analysis.line, LONGEST_LINE),
            table: self.table.map(|known| if turn == Color::White { value(known) } else { -value(known) }),
            further: Vec::new(),
        }
    }
}
