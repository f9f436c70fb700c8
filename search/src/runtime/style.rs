//! How the search is to play where that is not simply as well as it can.

use shakmaty::Color;

use crate::position::scramble;
use crate::score::Score;

/// What the search adds to what it knows of positions; by default nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// What a draw is worth to White, in centipawns (contempt: a side that thinks little of draws has less of them than
    /// 0). It goes by colour so that what the hash table holds is true for a whole game.
    pub draw_for_white: i32,
    /// By how many centipawns evaluations are off, at most and at random.
    pub noise: u32,
    /// Decides which evaluations are off by how much.
    pub seed: u64,
}

impl Style {
    /// What a draw is worth to a side.
    #[inline]
    pub(super) fn draw_for(&self, color: Color) -> Score {
        Score::centipawns(color.fold_wb(self.draw_for_white, -self.draw_for_white))
    }

    /// An evaluation as it is seen through the noise: the same position, by its key, always in the same way. Small errors
    /// are more frequent than large ones.
    #[cold]
    pub(super) fn blur(&self, evaluation: Score, key: u64) -> Score {
        let bits = scramble(key ^ self.seed);
        // Two even numbers at random make a triangle.
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
