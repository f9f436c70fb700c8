//! Decides when to resign, and when to offer or accept a draw.

use engine::{NumberSetting, Settings, SwitchSetting};
use game::Score;

/// State kept from one move of the engine to the next.
#[derive(Debug, Default)]
pub(crate) struct Agreements {
    /// Whether the opponent has offered a draw since the engine's last move.
    pub(crate) draw_offered: bool,
    /// Number of the engine's latest consecutive moves with a score at or below the resign score.
    hopeless: u32,
    /// Number of the engine's latest consecutive moves with a score within the draw score.
    even: u32,
}

/// Consecutive moves with a hopeless score before the engine resigns.
const HOPELESS_MOVES: u32 = 3;
/// Consecutive moves with an even score before a draw is offered, and before it is offered again.
const EVEN_MOVES: u32 = 5;
/// First move number at which a draw is offered.
const FIRST_OFFER: u32 = 30;

impl Agreements {
    /// Records the engine's score of a position in which it is to move.
    pub(crate) fn note(&mut self, score: Score, settings: &Settings) {
        let (value, resign) = (score.value(), settings.get(NumberSetting::ResignScore));
        let is_hopeless = resign > 0 && value <= -resign;
        self.hopeless = if is_hopeless { self.hopeless + 1 } else { 0 };
        let is_even = value.abs() <= settings.get(NumberSetting::DrawScore);
        self.even = if is_even { self.even + 1 } else { 0 };
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

/// Returns whether the score is low enough to accept an offered draw.
pub(crate) fn takes_a_draw(score: Score, settings: &Settings) -> bool {
    score.value() <= settings.get(NumberSetting::DrawScore)
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
