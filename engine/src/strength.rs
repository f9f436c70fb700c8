//! Limited strength: fewer nodes, and noise on evaluations.
//!
//! The noise is a hash of the position and a seed, so that a position is evaluated the same throughout a game.

/// Elo of the weakest level.
pub(crate) const WEAKEST: i64 = 1000;
/// Elo of the strongest limited level; without a limit Herald is stronger.
pub(crate) const STRONGEST: i64 = 2800;

/// The restrictions of a weaker level: few nodes, and noise on evaluations.
///
/// Both are used together. With few nodes alone a player overlooks much but evaluates exactly; with noise alone it
/// sees all tactics but evaluates badly. The scale is a rough one; the games behind it are in docs/EXPERIMENTS.md.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strength {
    /// Maximal number of nodes of a search.
    pub nodes: u64,
    /// Maximal error of an evaluation, in centipawns.
    pub noise: u32,
}

/// Nodes at the weakest level: about as many as the first iteration takes, which is always completed.
const NODES: f64 = 100.0;
/// Elo per doubling of the nodes.
const ELO_PER_DOUBLING: f64 = 250.0;
/// Elo between two entries of [`NOISE`].
const STEP: i64 = 300;
/// Noise in centipawns, from the weakest level to the strongest. It grows quickly at the weak end, where fewer nodes
/// would make no difference.
const NOISE: [i64; 7] = [350, 140, 45, 30, 20, 10, 0];

impl Strength {
    /// Returns the strength for an Elo rating.
    ///
    /// The range is that of [`crate::NumberSetting::Elo`]; ratings outside are clamped to it.
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
