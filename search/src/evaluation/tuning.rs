//! What a tuner of the weights needs: the features of a position, as the evaluation itself finds them.

use shakmaty::{ByColor, Color};

pub use super::features::{GROUPS, Group};

use super::features::{COUNT, Feature};
use super::weights::WEIGHTS;
use super::{Sink, Term, book_pieces, endings, pawns, phase};
use crate::position::Position;

/// The phase with all pieces on the board.
pub const FULL_PHASE: i32 = super::FULL_PHASE;
/// The scale of an endgame whose lead counts in full.
pub const FULL_SCALE: i32 = endings::FULL_SCALE;
/// Danger, if positive, is worth its square divided by this in the middlegame.
pub const DANGER_DIVISOR_MIDDLEGAME: i32 = super::DANGER_DIVISOR_MIDDLEGAME;
/// Danger, if positive, is worth so much less in the endgame.
pub const DANGER_DIVISOR_ENDGAME: i32 = super::DANGER_DIVISOR_ENDGAME;

/// A feature, by its place in the table of weights, and how often it occurs.
pub type Count = (u16, i16);

/// All that the evaluation knows of a position.
///
/// With a weight (middlegame, endgame) for each feature, the value for White is: the weighted sum of `features`, plus
/// the value of White's weighted `danger` less that of Black's, each side of it tapered by `phase`, and the endgame's
/// scaled by the `scale` of the side that it favours; plus `drive`.
#[derive(Clone, Debug)]
pub struct Trace {
    /// Features whose weights are added up: White's less Black's.
    pub features: Vec<Count>,
    /// Features of the danger that each side is to the other's king.
    pub danger: ByColor<Vec<Count>>,
    /// In 0 ..= [`FULL_PHASE`].
    pub phase: i32,
    /// In 0 ..= [`FULL_SCALE`], should this side be ahead in the endgame.
    pub scale: ByColor<i32>,
    /// Centipawns for White that no weight changes.
    pub drive: i32,
}

/// Counts features.
struct Counts([i16; COUNT]);

impl Default for Counts {
    fn default() -> Counts {
        Counts([0; COUNT])
    }
}

impl Sink for Counts {
    fn add(&mut self, feature: Feature, count: i32) {
        self.0[feature.index] += count as i16;
    }
}

/// Finds the features of a position.
pub fn trace(position: &Position) -> Trace {
    let mut counts = ByColor::<Counts>::default();
    let pawns = pawns::book(position, &mut counts);
    book_pieces(position, &pawns, &mut counts);
    let danger = || GROUPS.iter().filter(|group| group.term == Term::KingDanger).flat_map(Group::range);
    let linear = || GROUPS.iter().filter(|group| group.term != Term::KingDanger).flat_map(Group::range);
    let (white, black) = (&counts.white.0, &counts.black.0);
    let found = |(index, count): (usize, i16)| (count != 0).then_some((index as u16, count));
    Trace {
        features: linear().filter_map(|index| found((index, white[index] - black[index]))).collect(),
        danger: counts
            .as_ref()
            .map(|side| danger().filter_map(|index| found((index, side.0[index]))).collect()),
        phase: phase(position),
        scale: ByColor::new_with(|color| endings::scale(position, color)),
        drive: endings::drive(position, Color::White) - endings::drive(position, Color::Black),
    }
}

/// The weights in force, as (middlegame, endgame), in the order of [`GROUPS`].
pub fn weights() -> Vec<(i32, i32)> {
    WEIGHTS.iter().map(|weight| (weight.middlegame(), weight.endgame())).collect()
}
