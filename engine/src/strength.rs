//! Limited strength: fewer nodes, and evaluations with noise.
//!
//! The noise is a hash of the position and a seed, so that a position looks the same whenever it comes up in a game.

/// The weakest player, in Elo.
pub(crate) const WEAKEST: i64 = 1000;
/// The strongest player with a limit, in Elo; without a limit Herald is stronger.
pub(crate) const STRONGEST: i64 = 2800;

/// The limits of a weaker player: few nodes, and noise on its evaluations.
///
/// Both together, because few nodes alone make a player that overlooks much but judges exactly, and noise alone one that sees all
/// tactics and judges badly. docs/EXPERIMENTS.md has the games on which the scale rests; it is a rough one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strength {
    /// The most nodes of a search.
    pub nodes: u64,
    /// The most by which an evaluation is off, in centipawns.
    pub noise: u32,
}

/// Nodes of the weakest player: about as many as the first iteration takes, which is always completed.
const NODES: f64 = 100.0;
/// By how much Elo the nodes double.
const ELO_PER_DOUBLING: f64 = 250.0;
/// Elo between two entries of [`NOISE`].
const STEP: i64 = 300;
/// Noise in centipawns, from the weakest player up to the strongest. It grows quickly where fewer nodes would make no
/// difference any more.
const NOISE: [i64; 7] = [350, 140, 45, 30, 20, 10, 0];

impl Strength {
    /// What a player of so much Elo can do.
    ///
    /// The range is that of [`crate::NumberSetting::Elo`]; beyond it the nearest player answers.
    pub fn of_elo(elo: i64) -> Strength {
        let above = elo.clamp(WEAKEST, STRONGEST) - WEAKEST;
        let doublings = above as f64 / ELO_PER_DOUBLING;
        let (entry, rest) = ((above / STEP) as usize, above % STEP);
        let (lower, upper) = (NOISE[entry], NOISE.get(entry + 1).copied().unwrap_or(0));
        let noise = lower - (lower - upper) * rest / STEP;
        Strength { nodes: (NODES * doublings.exp2()).round() as u64, noise: noise as u32 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stronger_player_sees_more_and_better() {
        let all: Vec<Strength> = (WEAKEST..=STRONGEST).step_by(50).map(Strength::of_elo).collect();
        assert!(all.is_sorted_by(|a, b| a.nodes < b.nodes && a.noise >= b.noise));
        assert_eq!(NOISE.len() as i64, (STRONGEST - WEAKEST) / STEP + 1);
        assert_eq!(Strength::of_elo(STRONGEST).noise, 0);
        assert_eq!(Strength::of_elo(1450).noise, 93);
        assert_eq!(Strength::of_elo(0), Strength::of_elo(WEAKEST));
        assert_eq!(Strength::of_elo(9999), Strength::of_elo(STRONGEST));
    }
}
