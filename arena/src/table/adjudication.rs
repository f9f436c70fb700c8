//! Games that an official ends because their outcome is no longer in doubt.

use std::num::NonZeroU32;
use std::sync::Arc;

use game::Score;
use game::{Color, DrawReason, Game, Outcome, SyzygyTables, SyzygyValue, TablebaseError, WinReason};
use serde::Deserialize;
use shakmaty::{ByColor, Position as _};

/// When an official ends a game by its own judgement. By default never.
#[derive(Clone, Debug, Default)]
pub struct Adjudication {
    /// Positions that these tables know end as best play would end them, the fifty-move rule included.
    pub tablebases: Option<Arc<SyzygyTables>>,
    /// Draws by score.
    pub draw: Option<DrawByScore>,
    /// Wins by score.
    pub resign: Option<ResignByScore>,
    /// A game of so many moves by each side, those of the opening included, is drawn.
    pub longest: Option<NonZeroU32>,
}

/// A draw because both players see an even game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DrawByScore {
    /// The first move of the game, those of the opening included, after which this may happen.
    #[serde(rename = "movenumber")]
    pub from_move: u32,
    /// For how many moves in a row each player must have seen an even game.
    #[serde(rename = "movecount")]
    pub moves: NonZeroU32,
    /// How far from zero a score may be, in centipawns.
    #[serde(rename = "score")]
    pub within: u32,
}

impl Default for DrawByScore {
    fn default() -> DrawByScore {
        DrawByScore { from_move: 1, moves: NonZeroU32::MIN, within: 0 }
    }
}

/// A win because the loser sees its game lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ResignByScore {
    /// For how many of its moves in a row.
    #[serde(rename = "movecount")]
    pub moves: NonZeroU32,
    /// How far below zero the loser's score must be, in centipawns.
    #[serde(rename = "score")]
    pub beyond: u32,
    /// Whether the winner has to see it, too, for as many of its own moves.
    #[serde(rename = "twosided")]
    pub both: bool,
}

impl Default for ResignByScore {
    fn default() -> ResignByScore {
        ResignByScore { moves: NonZeroU32::MIN, beyond: 1000, both: false }
    }
}

/// The memory of an official over one game.
#[derive(Debug, Default)]
pub(crate) struct Adjudicator {
    /// What is wrong with the tables: they are not asked any more.
    pub(super) faulty: Option<TablebaseError>,
    even_plies: u32,
    seen_lost: ByColor<u32>,
    seen_won: ByColor<u32>,
}

impl Adjudicator {
    /// The outcome, and on what ground, after `mover` has made the last move of the game with this score.
    pub(crate) fn judge(
        &mut self,
        rules: &Adjudication,
        game: &Game,
        mover: Color,
        score: Option<Score>,
    ) -> Option<(Outcome, &'static str)> {
        if let Some(outcome) = rules.tablebases.as_ref().and_then(|tables| self.look_up(tables, game)) {
            return Some((outcome, "endgame tables"));
        }
        let number = (game.ply() as u32).div_ceil(2);
        let draw = Outcome::Draw(DrawReason::Adjudication);
        if let Some(draw_rule) = rules.draw
            && self.is_even(draw_rule, number, score)
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

    fn look_up(&mut self, tables: &SyzygyTables, game: &Game) -> Option<Outcome> {
        let chess = game.chess()?;
        if self.faulty.is_some() || chess.board().occupied().count() > tables.max_pieces() {
            return None;
        }
        let value = tables.probe(chess).unwrap_or_else(|error| {
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

/// One more in a row, or the end of the row.
fn count(row: &mut u32, goes_on: bool) {
    *row = if goes_on { row.saturating_add(1) } else { 0 };
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first ply, from 1, after which a game with these scores is ended, and how.
    fn ended(rules: &Adjudication, scores: &[Option<i32>]) -> Option<(usize, Outcome)> {
        let mut game = Game::default();
        let mut adjudicator = Adjudicator::default();
        for (ply, score) in (1..).zip(scores) {
            let mover = game.turn();
            game.play(game.legal_moves()[0]).unwrap();
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
