//! The rules by which a game is judged, and adjudication.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::{Duration, Instant};

use game::{
    Chess, Clock, Color, DrawReason, Game, Outcome, Score, SyzygyTables, SyzygyValue, TablebaseError,
    WinReason,
};
use serde::{Deserialize, Serialize};
use shakmaty::{ByColor, Position as _};

/// Rules of a match.
#[derive(Clone, Debug)]
pub struct Rules {
    /// Rule for repetitions and moves without progress.
    pub draws: DrawRule,
    /// Maximum time for a move of a side without a clock.
    pub patience: Duration,
    /// Is told in a sentence that a player without a clock has reported nothing for a minute, or that this process did not run.
    pub tell: Option<fn(&str)>,
    /// Rules of adjudication.
    pub adjudication: Adjudication,
}

/// The numbers of repetitions, and of moves without capture or pawn move, that end a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DrawRule {
    /// Threefold repetition and fifty moves: the official claims every draw that a player could claim. Usual in engine
    /// matches, since most programs rely on it and few claim.
    #[default]
    Claimed,
    /// Fivefold repetition and seventy-five moves; earlier draws must be claimed (FIDE Laws 9.2, 9.3, 9.6).
    Automatic,
}

impl Default for Rules {
    /// The official claims draws, nothing is adjudicated, and a side without a clock has ten minutes for a move.
    fn default() -> Rules {
        Rules {
            draws: DrawRule::default(),
            patience: Duration::from_mins(10),
            tell: None,
            adjudication: Adjudication::default(),
        }
    }
}

impl Rules {
    /// Returns the outcome if the position on the board ends the game.
    pub(crate) fn judge(&self, game: &Game) -> Option<Outcome> {
        game.outcome().or_else(|| {
            let draw = match self.draws {
                DrawRule::Claimed => game.claim(),
                DrawRule::Automatic => game.automatic_draw(),
            };
            draw.map(Outcome::Draw)
        })
    }
}

/// Returns the outcome, and a text with the overdrawn time, if the flag of the side to move has fallen by now.
pub(crate) fn check_flag(game: &Game, clock: &Clock, at: Instant) -> Option<(Outcome, String)> {
    if at <= clock.flag_falls()? {
        return None;
    }
    let mover = game.turn();
    Some((
        game.flag_fall(mover),
        format!("time overdrawn by {}", game::millis_text(clock.overrun(mover, at))),
    ))
}

/// Rules of adjudication. By default no game is adjudicated.
#[derive(Clone, Debug, Default)]
pub struct Adjudication {
    /// Adjudication by endgame tables.
    pub tablebases: Option<TablebaseRule>,
    /// Adjudication of draws by score.
    pub draw: Option<DrawByScore>,
    /// Adjudication of wins by score.
    pub resign: Option<ResignByScore>,
    /// Number of moves by each side, those of the opening included, after which a game is drawn.
    pub longest: Option<NonZeroU32>,
}

/// Adjudication of positions by their values in endgame tables.
#[derive(Clone, Debug)]
pub struct TablebaseRule {
    /// The tables.
    pub tables: Arc<SyzygyTables>,
    /// Maximum number of pieces, kings included; `None`: as many as the tables have.
    pub men: Option<usize>,
    /// Whether wins that the fifty-move rule makes draws are draws.
    pub fifty_moves: bool,
    /// The values that end a game.
    pub ends: TablebaseEnds,
}

/// The values of endgame tables that end a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TablebaseEnds {
    /// Wins and draws.
    #[default]
    Both,
    /// Wins; draws are played on.
    Wins,
    /// Draws; wins are played on.
    Draws,
}

impl TablebaseRule {
    /// Returns the value for the side to move if it ends the game.
    fn probe(&self, chess: &Chess) -> Result<Option<SyzygyValue>, TablebaseError> {
        let men = self.men.map_or(self.tables.max_pieces(), |men| men.min(self.tables.max_pieces()));
        if chess.board().occupied().count() > men {
            return Ok(None);
        }
        let value = if self.fifty_moves {
            self.tables.probe(chess)?
        } else {
            self.tables.probe_without_fifty_moves(chess)?
        };
        Ok(value.filter(|value| match self.ends {
            TablebaseEnds::Both => true,
            TablebaseEnds::Wins => *value != SyzygyValue::Draw,
            TablebaseEnds::Draws => *value == SyzygyValue::Draw,
        }))
    }
}

/// Adjudication of a draw because both players report an even score. Captures and pawn moves begin the count anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DrawByScore {
    /// First move number at which it applies; moves of the opening count.
    #[serde(rename = "movenumber")]
    pub from_move: u32,
    /// Number of consecutive moves for which each player must have reported an even score.
    #[serde(rename = "movecount")]
    pub moves: NonZeroU32,
    /// Maximum absolute value of an even score, in centipawns.
    #[serde(rename = "score")]
    pub within: u32,
}

impl Default for DrawByScore {
    fn default() -> DrawByScore {
        DrawByScore { from_move: 1, moves: NonZeroU32::MIN, within: 0 }
    }
}

/// Adjudication of a win because the loser reports a lost score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ResignByScore {
    /// Number of consecutive moves of the loser.
    #[serde(rename = "movecount")]
    pub moves: NonZeroU32,
    /// Minimum absolute value of the loser's negative score, in centipawns.
    #[serde(rename = "score")]
    pub beyond: u32,
    /// Whether the winner must report a won score, too, for as many of its own moves.
    #[serde(rename = "twosided")]
    pub both: bool,
}

impl Default for ResignByScore {
    fn default() -> ResignByScore {
        ResignByScore { moves: NonZeroU32::MIN, beyond: 1000, both: false }
    }
}

/// State of adjudication during one game.
#[derive(Debug, Default)]
pub(crate) struct Adjudicator {
    /// The first error of the tablebases. They are not probed any more after it.
    pub(super) faulty: Option<TablebaseError>,
    even_plies: u32,
    seen_lost: ByColor<u32>,
    seen_won: ByColor<u32>,
}

impl Adjudicator {
    /// Returns the outcome and its reason after `mover` has made the last move of the game and reported this score;
    /// `None` if the game continues.
    pub(crate) fn judge(
        &mut self,
        rules: &Adjudication,
        game: &Game,
        mover: Color,
        score: Option<Score>,
    ) -> Option<(Outcome, &'static str)> {
        if let Some(outcome) = rules.tablebases.as_ref().and_then(|rule| self.look_up(rule, game)) {
            return Some((outcome, "endgame tables"));
        }
        let number = (game.ply() as u32).div_ceil(2);
        let draw = Outcome::Draw(DrawReason::Adjudication);
        if let Some(draw_rule) = rules.draw
            && self.is_even(draw_rule, number, score.filter(|_| game.halfmoves() > 0))
        {
            return Some((draw, "draw by score"));
        }
        if let Some(winner) = rules.resign.and_then(|rule| self.winner(rule, mover, score)) {
            return Some((Outcome::Win { winner, reason: WinReason::Adjudication }, "win by score"));
        }
        rules
            .longest
            .is_some_and(|longest| game.ply() as u64 >= 2 * u64::from(longest.get()))
            .then_some((draw, "maximum length"))
    }

    fn look_up(&mut self, rule: &TablebaseRule, game: &Game) -> Option<Outcome> {
        let chess = game.chess().filter(|_| self.faulty.is_none())?;
        let value = rule.probe(chess).unwrap_or_else(|error| {
            self.faulty = Some(error);
            None
        });
        let win = |winner| Outcome::Win { winner, reason: WinReason::Adjudication };
        value.map(|value| match value {
            SyzygyValue::Win => win(chess.turn()),
            SyzygyValue::Draw => Outcome::Draw(DrawReason::Adjudication),
            SyzygyValue::Loss => win(!chess.turn()),
        })
    }

    fn is_even(&mut self, rule: DrawByScore, number: u32, score: Option<Score>) -> bool {
        let even = score.is_some_and(|score| score.value().unsigned_abs() <= rule.within.into());
        self.even_plies = if even { self.even_plies.saturating_add(1) } else { 0 };
        number >= rule.from_move && u64::from(self.even_plies) >= 2 * u64::from(rule.moves.get())
    }

    fn winner(&mut self, rule: ResignByScore, mover: Color, score: Option<Score>) -> Option<Color> {
        let value = score.map_or(0, Score::value);
        let beyond = i64::from(rule.beyond);
        count(self.seen_lost.get_mut(mover), score.is_some() && value <= -beyond);
        count(self.seen_won.get_mut(mover), score.is_some() && value >= beyond);
        let needed = rule.moves.get();
        Color::ALL.into_iter().find(|&winner| {
            *self.seen_lost.get(!winner) >= needed && (!rule.both || *self.seen_won.get(winner) >= needed)
        })
    }
}

/// Increments or resets a count of consecutive moves.
fn count(row: &mut u32, goes_on: bool) {
    *row = if goes_on { row.saturating_add(1) } else { 0 };
}

#[cfg(test)]
mod tests {
    use game::CastlingMode;

    use super::*;

    fn game(fen: &str, moves: &str) -> Game {
        let mut game = Game::from_fen(fen, CastlingMode::Standard).unwrap();
        game.play_line(moves.split_whitespace()).unwrap();
        game
    }

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    const SHUFFLE: &str = "Nf3 Nf6 Ng1 Ng8 ";

    #[test]
    fn officials_claim_at_three_or_wait_for_five() {
        let (claimed, automatic) =
            (Rules::default(), Rules { draws: DrawRule::Automatic, ..Rules::default() });
        let three = game(START, &SHUFFLE.repeat(2));
        assert_eq!(claimed.judge(&three), Some(Outcome::Draw(DrawReason::Repetition)));
        assert_eq!(automatic.judge(&three), None);
        let five = game(START, &SHUFFLE.repeat(4));
        assert_eq!(automatic.judge(&five), Some(Outcome::Draw(DrawReason::FivefoldRepetition)));
        assert_eq!(claimed.judge(&game(START, SHUFFLE)), None);
    }

    #[test]
    fn mate_on_the_hundredth_ply_stands() {
        let mate = game("7k/8/5K2/8/8/8/8/6Q1 w - - 99 80", "Qg7");
        let won = Outcome::Win { winner: Color::White, reason: WinReason::Checkmate };
        assert_eq!(Rules::default().judge(&mate), Some(won));
    }

    #[test]
    fn time_runs_out_against_a_side_that_cannot_mate() {
        let draw = Outcome::Draw(DrawReason::TimeoutVsInsufficient);
        let lone_king = game("4k3/8/8/8/8/8/8/Q3K3 w - - 0 1", "");
        assert_eq!(lone_king.flag_fall(Color::White), draw);
        assert_eq!(lone_king.flag_fall(Color::Black).winner(), Some(Color::White));
        let knight_against_queen = game("4k1n1/8/8/8/8/8/8/Q3K3 w - - 0 1", "");
        assert_eq!(knight_against_queen.flag_fall(Color::White), draw);
        let knight_against_rook = game("4k1n1/8/8/8/8/8/8/R3K3 w - - 0 1", "");
        assert_eq!(
            knight_against_rook.flag_fall(Color::White).winner(),
            Some(Color::Black),
            "a helpmate exists"
        );
    }

    /// Returns the first ply, from 1, after which a game with these scores is adjudicated, and its outcome.
    fn ended(rules: &Adjudication, scores: &[Option<i32>]) -> Option<(usize, Outcome)> {
        let mut game = Game::default();
        let mut adjudicator = Adjudicator::default();
        for (ply, score) in (1..).zip(scores) {
            let mover = game.turn();
            let shuffled = SHUFFLE.split_whitespace().cycle().nth(ply - 1).unwrap();
            game.play(game.parse_move(shuffled).unwrap()).unwrap();
            let score = score.map(Score::Centipawns);
            if let Some((outcome, _)) = adjudicator.judge(rules, &game, mover, score) {
                return Some((ply, outcome));
            }
        }
        None
    }

    fn times(n: u32) -> NonZeroU32 {
        NonZeroU32::new(n).unwrap()
    }

    #[test]
    fn an_even_game_is_drawn_once_both_have_seen_it_for_long_enough() {
        let draw = DrawByScore { from_move: 3, moves: times(2), within: 10 };
        let rules = Adjudication { draw: Some(draw), ..Adjudication::default() };
        let drawn = |ply| Some((ply, Outcome::Draw(DrawReason::Adjudication)));
        assert_eq!(ended(&rules, &[Some(0); 9]), drawn(5), "not before the third move");
        let even = Some(-10);
        let scores = [even, even, even, Some(11), even, even, even, even];
        assert_eq!(ended(&rules, &scores), drawn(8), "a single doubt begins a new row");
        assert_eq!(ended(&rules, &[even, even, even, None, even, even, even]), None, "as silence does");
    }

    #[test]
    fn a_pawn_move_begins_the_count_of_even_moves_anew() {
        let draw = DrawByScore { from_move: 1, moves: times(2), within: 10 };
        let rules = Adjudication { draw: Some(draw), ..Adjudication::default() };
        let last = |moves: &str| {
            let mut adjudicator = Adjudicator::default();
            let words: Vec<&str> = moves.split(' ').collect();
            let mut judged = (1..=words.len()).map(|ply| {
                let game = game(START, &words[..ply].join(" "));
                adjudicator.judge(&rules, &game, !game.turn(), Some(Score::DRAW))
            });
            judged.position(|outcome| outcome.is_some())
        };
        assert_eq!(last("Nf3 Nf6 Ng1 Ng8"), Some(3));
        assert_eq!(last("Nf3 Nf6 e4 Ng8 Ng1 Nf6"), None);
        assert_eq!(last("Nf3 Nf6 e4 Ng8 Ng1 Nf6 Nf3"), Some(6));
    }

    #[test]
    fn a_lost_game_is_given_up() {
        let resign = ResignByScore { moves: times(2), beyond: 500, both: false };
        let one_sided = Adjudication { resign: Some(resign), ..Adjudication::default() };
        let two_sided =
            Adjudication { resign: Some(ResignByScore { both: true, ..resign }), ..Adjudication::default() };
        let won = |ply, winner| Some((ply, Outcome::Win { winner, reason: WinReason::Adjudication }));
        let scores = [Some(100), Some(-500), Some(600), Some(-700), Some(500)];
        assert_eq!(ended(&one_sided, &scores), won(4, Color::White));
        assert_eq!(ended(&two_sided, &scores), won(5, Color::White), "White has to see it twice, too");
        let interrupted = [Some(-500), None, Some(-499), None, Some(-500), None, Some(-500)];
        assert_eq!(ended(&one_sided, &interrupted), won(7, Color::Black));
    }

    #[test]
    fn a_game_has_a_longest_length() {
        let rules = Adjudication { longest: Some(times(3)), ..Adjudication::default() };
        assert_eq!(ended(&rules, &[None; 9]), Some((6, Outcome::Draw(DrawReason::Adjudication))));
    }
}
