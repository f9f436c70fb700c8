//! Decides when to resign, and when to offer or accept a draw.

use engine::{NumberSetting, Settings, SwitchSetting};
use game::{Game, Score};
use shakmaty::Position as _;

/// State kept from one move of the engine to the next.
#[derive(Debug, Default)]
pub(crate) struct Agreements {
    /// Whether the opponent has offered a draw since the engine's last move.
    pub(crate) draw_offered: bool,
    /// Number of the engine's latest consecutive moves with a score at or below the resign score.
    hopeless: u32,
    /// Number of the engine's latest consecutive moves with a score within the draw score.
    even: u32,
    /// Number of the engine's latest consecutive moves with a score of at most the draw score.
    content: u32,
}

/// Consecutive moves with a hopeless score before the engine resigns.
const HOPELESS_MOVES: u32 = 3;
/// Consecutive moves with an even score before a draw is offered, and before it is offered again.
const EVEN_MOVES: u32 = 5;
/// First move number at which a draw is offered, or accepted in an even position.
const FIRST_OFFER: u32 = 30;
/// Number of men with which a draw is accepted before that.
const FEW_MEN: usize = 10;
/// Consecutive moves with a score of at most the draw score before a draw is accepted.
const CONTENT_MOVES: u32 = 3;
/// A draw is accepted at any time by a side that is worse than the draw score by so many centipawns.
const WORSE: i64 = 100;

impl Agreements {
    /// Records the engine's score of a position in which it is to move.
    pub(crate) fn note(&mut self, score: Score, settings: &Settings) {
        let (value, resign) = (score.value(), settings.get(NumberSetting::ResignScore));
        let is_hopeless = resign > 0 && value <= -resign;
        self.hopeless = if is_hopeless { self.hopeless + 1 } else { 0 };
        let is_even = value.abs() <= settings.get(NumberSetting::DrawScore);
        self.even = if is_even { self.even + 1 } else { 0 };
        let is_content = value <= settings.get(NumberSetting::DrawScore);
        self.content = if is_content { self.content + 1 } else { 0 };
    }

    /// Returns whether the engine accepts an offered draw in a position in which it is to move and whose score was noted: at once if
    /// it is worse, otherwise in a game that has been played and has been even for some moves.
    pub(crate) fn takes_a_draw(&self, game: &Game, score: Score, settings: &Settings) -> bool {
        let position = game.position();
        let is_played =
            position.fullmoves().get() >= FIRST_OFFER || position.board().occupied().count() <= FEW_MEN;
        let is_worse = score.value() <= settings.get(NumberSetting::DrawScore) - WORSE;
        is_worse || is_played && self.content >= CONTENT_MOVES
    }

    /// Returns whether the engine resigns. It does not while a draw is offered, which it accepts instead.
    pub(crate) fn is_time_to_resign(&self, settings: &Settings) -> bool {
        settings.get(NumberSetting::ResignScore) > 0 && self.hopeless >= HOPELESS_MOVES && !self.draw_offered
    }

    /// Returns whether the engine offers a draw with this move, the game's move `number`.
    pub(crate) fn is_time_to_offer(&mut self, number: u32, settings: &Settings) -> bool {
        let is_time =
            settings.is_on(SwitchSetting::OfferDraws) && self.even >= EVEN_MOVES && number >= FIRST_OFFER;
        if is_time {
            self.even = 0;
        }
        is_time
    }
}

/// Returns whether the score is no better than a draw, so that a draw by the rules is claimed.
pub(crate) fn is_content_with_a_draw(score: Score, settings: &Settings) -> bool {
    score.value() <= (-settings.get(NumberSetting::Contempt)).max(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(resign: i64, draw: i64, offers: bool) -> Settings {
        let mut settings = Settings::default();
        settings.set(NumberSetting::ResignScore, resign).unwrap();
        settings.set(NumberSetting::DrawScore, draw).unwrap();
        settings.switch(SwitchSetting::OfferDraws, offers);
        settings
    }

    #[test]
    fn three_bad_moves_in_a_row_are_enough() {
        let settings = settings(500, 0, false);
        let mut agreements = Agreements::default();
        let mut resigns_after = |values: &[i32]| {
            for &value in values {
                agreements.note(Score::Centipawns(value), &settings);
            }
            agreements.is_time_to_resign(&settings)
        };
        assert!(!resigns_after(&[-600, -600]));
        assert!(!resigns_after(&[-400, -500, -31_990]));
        assert!(resigns_after(&[-500]));
        agreements.draw_offered = true;
        assert!(!agreements.is_time_to_resign(&settings));
    }

    #[test]
    fn it_never_resigns_unless_it_is_told_to() {
        let settings = Settings::default();
        let mut agreements = Agreements::default();
        (0..9).for_each(|_| agreements.note(Score::MatedIn(1), &settings));
        assert!(!agreements.is_time_to_resign(&settings));
    }

    #[test]
    fn an_even_draw_is_accepted_late_and_a_better_one_at_once() {
        let settings = settings(0, 0, false);
        let taken = |fen: &str, values: &[i32]| {
            let (game, mut agreements) = (
                Game::from_fen(fen, game::CastlingMode::Standard).expect("a position"),
                Agreements::default(),
            );
            for value in values {
                agreements.note(Score::Centipawns(*value), &settings);
            }
            agreements.takes_a_draw(&game, Score::Centipawns(values[values.len() - 1]), &settings)
        };
        let at = |number: u32| format!("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 {number}");
        assert!(!taken(&at(2), &[-20, -20, -20]), "the game has just begun");
        assert!(taken(&at(2), &[-150]) && !taken(&at(2), &[-50]), "half a pawn down is no reason");
        assert!(taken(&at(30), &[0, -5, 0]) && !taken(&at(30), &[5, -5, 0]) && !taken(&at(30), &[0, 0, 1]));
        let ending = "4k3/8/8/8/8/8/P7/4K3 b - - 0 1";
        assert!(taken(ending, &[0, 0, 0]) && !taken(ending, &[0, 0]));
    }

    #[test]
    fn draws_are_offered_late_and_not_again_and_again() {
        let settings = settings(0, 10, true);
        let mut agreements = Agreements::default();
        let mut offers = Vec::new();
        for number in 20..45 {
            agreements.note(Score::Centipawns(if number == 37 { 11 } else { -10 }), &settings);
            if agreements.is_time_to_offer(number, &settings) {
                offers.push(number);
            }
        }
        assert_eq!(offers, [30, 35, 42]);
        let mut silent = Agreements { even: 100, ..Agreements::default() };
        assert!(!silent.is_time_to_offer(60, &Settings::default()));
    }
}
