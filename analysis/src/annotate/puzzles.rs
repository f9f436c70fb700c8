//! Positions in which a player went wrong and one move was right.

use game::{Game, JudgingRules, Move, Score, WhiteScore};

use super::chance::LOST;
use super::examine::Examined;
use super::games::PuzzleSettings;
use super::record::{PuzzleNote, san_words};
use crate::{AnalysisResult, Analyzer, Herald};

/// Longest mate that is proven, in moves.
const LONGEST_MATE: u32 = 8;
/// Maximum number of moves of a solution's line.
const LONGEST_LINE: usize = 16;

/// Verifies puzzles with Herald's own search, which is created when it is first needed.
pub(super) struct PuzzleVerifier {
    settings: PuzzleSettings,
    herald: Option<Herald>,
}

impl PuzzleVerifier {
    pub(super) fn new(settings: PuzzleSettings) -> PuzzleVerifier {
        PuzzleVerifier { settings, herald: None }
    }

    /// The puzzle of a position in which `played` was wrong; `None` if the deeper search disagrees with the first one or is not
    /// deeper, if the second best move is nearly as good, or if the position is lost anyway.
    ///
    /// # Errors
    /// There is not enough memory.
    pub(super) fn puzzle(
        &mut self,
        game: &Game,
        ply: usize,
        played: Move,
        before: &Examined,
        rules: &JudgingRules,
    ) -> AnalysisResult<Option<PuzzleNote>> {
        let Some(best) = before.best().filter(|best| *best != played) else { return Ok(None) };
        let herald = match &mut self.herald {
            Some(herald) => herald,
            none => none.insert(Herald::new(&self.settings.limit, self.settings.mebibytes)?.with_lines(2)),
        };
        let found = herald.analyze(game, &mut |_| true)?;
        let Some(score) = found.score.filter(|_| found.best() == Some(best)) else { return Ok(None) };
        if rules.chance(score) < LOST {
            return Ok(None);
        }
        let second = found.others.first().map(|other| other.score);
        // A second best move that is not known may be as good.
        let gap = second.map_or(0.0, |second| rules.chance(score) - rules.chance(second));
        let is_deeper = !self.settings.compares_depth || found.depth > before.analysis.depth;
        let is_unique = gap >= self.settings.margin && (is_deeper || score.is_mate());
        let mate = match score {
            Score::MateIn(moves) if moves <= LONGEST_MATE => {
                let search = herald.find_mate(game, moves)?;
                search.analysis.mate().map(std::num::NonZeroU32::get)
            }
            _ => None,
        };
        let Some(white) = WhiteScore::of(score, game.turn()).filter(|_| is_unique || mate.is_some()) else {
            return Ok(None);
        };
        let line = san_words(game, &found.line, LONGEST_LINE);
        Ok(Some(PuzzleNote {
            ply,
            solution: game.san(best),
            line,
            score: white,
            second: second.and_then(|second| WhiteScore::of(second, game.turn())),
            depth: found.depth,
            mate,
            is_unique,
            verifier: self.settings.verifier.clone(),
        }))
    }
}
