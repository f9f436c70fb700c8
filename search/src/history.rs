//! Move histories: statistics of which moves have caused cutoffs, kept from node to node.

use bytemuck::{Pod, Zeroable};
use shakmaty::{Bitboard, Color, Role, Square};

use crate::correction::Corrections;
use crate::moves::Move;
use crate::parameters::{self as p, step};
use crate::position::{Position, Threats};

/// A running average of bonuses and penalties. Each update pulls the value towards zero in proportion to its size
/// ("gravity"), which keeps it within the limit and lets old results fade.
#[derive(Clone, Copy, Default, Pod, Zeroable)]
#[repr(transparent)]
pub struct HistoryEntry(i16);

impl HistoryEntry {
    /// Returns the average.
    #[inline]
    pub fn value(self) -> i32 {
        self.0.into()
    }

    /// Adds a bonus, or a penalty if `bonus` is negative.
    #[inline]
    pub fn update(&mut self, bonus: i32) {
        let (limit, value) = (p::history_limit(), self.value());
        let bonus = bonus.clamp(-limit, limit);
        self.0 = (value + bonus - value * bonus.abs() / limit) as i16;
    }
}

/// A piece of either colour and its target square: one of 768 pairs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PieceTo(u16);

impl PieceTo {
    /// Number of pairs.
    pub const COUNT: usize = 2 * 6 * 64;

    /// Returns the pair for `m`, a move of the side to move.
    #[inline]
    pub(crate) fn of(position: &Position, m: Move) -> PieceTo {
        let role = position.role_at(m.from()).unwrap_or(Role::Pawn);
        PieceTo::new(position.turn(), role, m.to())
    }

    /// Creates a pair from colour, kind of piece and target square.
    #[inline]
    pub fn new(color: Color, role: Role, to: Square) -> PieceTo {
        PieceTo((color as u16 * 6 + role as u16 - 1) * 64 + to as u16)
    }

    /// Returns the index of the pair, below [`PieceTo::COUNT`].
    #[inline]
    pub fn index(self) -> usize {
        let index = usize::from(self.0);
        // SAFETY: `new` makes no other pairs, and colours, kinds and squares are all in their ranges.
        #[expect(unsafe_code, reason = "a division for each of a hundred look-ups a node")]
        unsafe {
            std::hint::assert_unchecked(index < PieceTo::COUNT);
        }
        index
    }
}

/// Butterfly history for one side and one combination of threats ([`attacked`]): quiet moves by origin and target.
type Butterfly = [HistoryEntry; 64 * 64];
type ByPieceTo = [HistoryEntry; PieceTo::COUNT];

/// Number of pawn structures that the pawn history distinguishes, a power of two.
const PAWN_STRUCTURES: usize = 512;

/// Distances in plies of the earlier moves that the continuation history uses: the opponent's last move and our last
/// two.
pub(crate) const CONTINUATIONS: [usize; 3] = [1, 2, 4];

/// The earlier moves that the continuation history uses, latest first.
pub(crate) type Previous = [Option<PieceTo>; CONTINUATIONS.len()];

/// What the histories of a quiet move depend on besides position and move.
#[derive(Clone, Copy, Default)]
pub(crate) struct MoveContext {
    pub(crate) previous: Previous,
    pub(crate) threats: Threats,
}

/// All histories of one thread: 3.4 MB, never on the stack.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Histories {
    /// By side to move and threats.
    butterfly: [[Butterfly; 4]; 2],
    /// The capture history: captures and promotions by piece, target square and captured piece (0 for none).
    capture: [[HistoryEntry; 7]; PieceTo::COUNT],
    /// The continuation history: quiet moves by piece and target, for each earlier move.
    continuation: [ByPieceTo; PieceTo::COUNT],
    /// The pawn history: quiet moves by piece and target, for each pawn structure.
    pawn: [ByPieceTo; PAWN_STRUCTURES],
    /// The correction histories.
    pub(crate) corrections: Corrections,
}

impl Histories {
    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        bytemuck::bytes_of_mut(self).fill(0);
    }

    /// Returns the histories that the quiet moves of a node have.
    #[inline]
    pub(crate) fn quiet<'h>(&'h self, position: &Position, given: &MoveContext) -> QuietHistories<'h> {
        QuietHistories {
            butterfly: &self.butterfly[position.turn() as usize],
            threats: given.threats.any,
            pawn: &self.pawn[structure(position)],
            continuation: self.after(&given.previous),
        }
    }

    #[inline]
    fn after(&self, previous: &Previous) -> [&ByPieceTo; CONTINUATIONS.len()] {
        previous.map(|before| before.map_or(&NONE, |before| &self.continuation[before.index()]))
    }

    /// Returns the sum of the continuation histories of a quiet move.
    #[inline]
    pub(crate) fn continuation(&self, position: &Position, m: Move, previous: &Previous) -> i32 {
        let piece = PieceTo::of(position, m).index();
        let [first, second, fourth] = self.after(previous).map(|after| after[piece].value());
        (16 * first + p::second_continuation_weight() * second + p::fourth_continuation_weight() * fourth)
            >> 4
    }

    /// Returns the history of a capture or promotion.
    #[inline]
    pub(crate) fn capture(&self, position: &Position, m: Move) -> i32 {
        let piece = PieceTo::of(position, m).index();
        step!(capture_history, self.capture[piece][captured_index(position, m)].value())
    }

    /// Adds a bonus or penalty to all histories of a quiet move.
    pub(crate) fn update_quiet(&mut self, position: &Position, m: Move, given: &MoveContext, bonus: i32) {
        let piece = PieceTo::of(position, m).index();
        let butterfly = &mut self.butterfly[position.turn() as usize][attacked(m, given.threats.any)];
        butterfly[m.squares()].update(bonus);
        self.pawn[structure(position)][piece].update(bonus);
        for before in given.previous.iter().flatten() {
            self.continuation[before.index()][piece].update(bonus);
        }
    }

    /// Adds a bonus or penalty to the continuation histories of a quiet move, made after other ones.
    pub(crate) fn update_continuation(&mut self, moved: PieceTo, previous: &Previous, bonus: i32) {
        for before in previous.iter().flatten() {
            self.continuation[before.index()][moved.index()].update(bonus);
        }
    }

    /// Adds a bonus or penalty to the history of a capture or promotion.
    pub(crate) fn update_capture(&mut self, position: &Position, m: Move, bonus: i32) {
        self.capture[PieceTo::of(position, m).index()][captured_index(position, m)].update(bonus);
    }
}

/// The histories of the quiet moves of a node.
pub(crate) struct QuietHistories<'h> {
    butterfly: &'h [Butterfly; 4],
    /// The squares that the opponent attacks.
    threats: Bitboard,
    pawn: &'h ByPieceTo,
    continuation: [&'h ByPieceTo; CONTINUATIONS.len()],
}

impl QuietHistories<'_> {
    /// Returns the sum of all histories of a move of this piece to a square.
    #[inline]
    pub(crate) fn of(&self, m: Move, piece: PieceTo) -> i32 {
        let index = piece.index();
        let [first, second, fourth] = self.continuation.map(|after| after[index].value());
        (p::butterfly_weight()
            * step!(butterfly_history, self.butterfly[attacked(m, self.threats)][m.squares()].value())
            + p::pawn_history_weight() * step!(pawn_history, self.pawn[index].value())
            + 16 * first
            + p::second_continuation_weight() * second
            + p::fourth_continuation_weight() * fourth)
            >> 4
    }
}

/// Continuation history where there is no earlier move.
static NONE: ByPieceTo = [HistoryEntry(0); PieceTo::COUNT];

/// Returns twice whether the origin square is attacked, plus whether the target square is.
#[inline]
fn attacked(m: Move, threats: Bitboard) -> usize {
    let is_attacked = |square| usize::from(step!(threats_in_butterfly_history, threats.contains(square)));
    is_attacked(m.from()) * 2 + is_attacked(m.to())
}

#[inline]
fn structure(position: &Position) -> usize {
    position.keys().pawn as usize % PAWN_STRUCTURES
}

#[inline]
fn captured_index(position: &Position, m: Move) -> usize {
    position.captured(m).map_or(0, |role| role as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn averages_stay_within_the_limit_and_fade() {
        let mut average = HistoryEntry::default();
        for _ in 0..1000 {
            average.update(5_000);
        }
        assert!((p::history_limit() * 9 / 10..=p::history_limit()).contains(&average.value()));
        let before = average.value();
        average.update(-100);
        assert!(before - average.value() > 100);
    }
}
