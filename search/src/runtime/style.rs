//! The style of play: contempt and weakening by noise.

use shakmaty::Color;

use crate::position::scramble;
use crate::score::Score;

/// Modifications of the scores. By default there are none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// Score of a draw for White, in centipawns (contempt: negative for a side that avoids draws). It is bound to a colour
    /// so that hash entries stay valid for a whole game.
    pub draw_for_white: i32,
    /// Largest random error of an evaluation, in centipawns.
    pub noise: u32,
    /// Seed of the random errors.
    pub seed: u64,
}

impl Style {
    /// Returns the score of a draw for a side.
    pub(super) fn draw_for(&self, color: Color) -> Score {
        Score::centipawns(color.fold_wb(self.draw_for_white, -self.draw_for_white))
    }

    /// Adds noise to an evaluation. The error depends only on key and seed. Small errors are more frequent than large ones.
    #[cold]
    pub(super) fn blur(&self, evaluation: Score, key: u64) -> Score {
        let bits = scramble(key ^ self.seed);
        // The difference of two uniform random numbers has a triangular distribution.
        let unit = |bits: u64| (bits & 0xFFFF) as i32;
        let (sum, full) = (unit(bits) - unit(bits >> 32), 0xFFFF);
        let error = i64::from(sum) * i64::from(self.noise) / full;
        Score::centipawns(evaluation.value() + error as i32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_is_bounded_and_fair_and_the_seed_decides() {
        let style = Style { noise: 100, seed: 7, ..Style::default() };
        let errors = |style: &Style| -> Vec<i32> {
            (0..1000)
                .map(|seed| {
                    let style = Style { seed: style.seed + (seed << 8), ..style.clone() };
                    style.blur(Score::DRAW, 0x1234_5678).value()
                })
                .collect()
        };
        let found = errors(&style);
        assert!(found.iter().all(|error| error.abs() <= 100));
        let mean = found.iter().sum::<i32>() / 1000;
        assert!(mean.abs() < 10, "{mean}");
        let usual = found.iter().filter(|error| error.abs() <= 50).count();
        assert!((650..850).contains(&usual), "{usual} of 1000 within half of it");
        assert_ne!(found, errors(&Style { seed: 8, ..style }));
    }

    #[test]
    fn who_despises_draws_is_the_one_who_plays() {
        let style = Style { draw_for_white: -20, ..Style::default() };
        assert_eq!(style.draw_for(Color::White).value(), -20);
        assert_eq!(style.draw_for(Color::Black).value(), 20);
    }
}
