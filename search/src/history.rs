//! What the search has learnt about moves: which of them tend to be good, whatever the position.

use shakmaty::{Color, Role, Square};

use crate::correction::Corrections;
use crate::moves::Move;
use crate::parameters::{self as p, step};
use crate::position::{Position, Threats};

/// A running average of rewards and penalties. Each update pulls towards zero in proportion to the value, so that it
/// stays within the limit and old news fades ("gravity").
#[derive(Clone, Copy, Default)]
pub struct HistoryEntry(i16);

impl HistoryEntry {
    /// The average.
    #[inline]
    pub fn value(self) -> i32 {
        self.0.into()
    }

    /// Adds a reward, or a penalty below zero.
    #[inline]
    pub fn update(&mut self, bonus: i32) {
        let (limit, value) = (p::history_limit(), self.value());
        let bonus = bonus.clamp(-limit, limit);
        self.0 = (value + bonus - value * bonus.abs() / limit) as i16;
    }
}

/// A piece of either colour arriving on a square, from wherever: one of 768.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PieceTo(u16);

impl PieceTo {
    /// How many there are.
    pub const COUNT: usize = 2 * 6 * 64;

    /// The piece of the side to move that makes `m`, and where it goes.
    #[inline]
    pub(crate) fn of(position: &Position, m: Move) -> PieceTo {
        let role = position.role_at(m.from()).unwrap_or(Role::Pawn);
        PieceTo::new(position.turn(), role, m.to())
    }

    /// A piece of this colour and kind, going to a square.
    #[inline]
    pub fn new(color: Color, role: Role, to: Square) -> PieceTo {
        PieceTo((color as u16 * 6 + (role as u16 - 1)) * 64 + to as u16)
    }

    /// Its number, below [`PieceTo::COUNT`].
    #[inline]
    pub fn index(self) -> usize {
        usize::from(self.0) % PieceTo::COUNT
    }
}

/// Quiet moves by from and to, of one side under one kind of threat ([`butterfly_of`]): the butterfly history, aware of
/// threats.
type Butterfly = [HistoryEntry; 64 * 64];
type ByPieceTo = [HistoryEntry; PieceTo::COUNT];

/// Pawn structures that the histories tell apart: a power of two.
const PAWN_STRUCTURES: usize = 512;

/// How many plies back the continuation history looks: the opponent's last move and our own two before it.
pub(crate) const CONTINUATIONS: [usize; 3] = [1, 2, 4];

/// The moves that led to a node, latest first, as far as the continuation history looks.
pub(crate) type Previous = [Option<PieceTo>; CONTINUATIONS.len()];

/// What the histories of a quiet move depend on, apart from position and move.
#[derive(Clone, Copy, Default)]
pub(crate) struct MoveContext {
    pub(crate) previous: Previous,
    pub(crate) threats: Threats,
}

/// All histories of one thread.
pub(crate) struct Histories {
    butterfly: Vec<Butterfly>,
    /// The capture history: captures and promotions by piece, target square and captured piece (0 for none).
    capture: Box<[[HistoryEntry; 7]; PieceTo::COUNT]>,
    /// The continuation history: quiet moves by piece and target, given an earlier move.
    continuation: Vec<ByPieceTo>,
    /// The pawn history: quiet moves by piece and target, given the pawns.
    pawn: Vec<ByPieceTo>,
    /// What was learnt about positions.
    pub(crate) corrections: Corrections,
}

impl Histories {
    pub(crate) fn new() -> Histories {
        Histories {
            butterfly: vec![[HistoryEntry::default(); 64 * 64]; 2 * 2 * 2],
            capture: Box::new([[HistoryEntry::default(); 7]; PieceTo::COUNT]),
            continuation: vec![[HistoryEntry::default(); PieceTo::COUNT]; PieceTo::COUNT],
            pawn: vec![[HistoryEntry::default(); PieceTo::COUNT]; PAWN_STRUCTURES],
            corrections: Corrections::new(),
        }
    }

    /// How well a quiet move did: the sum of its histories.
    #[inline]
    pub(crate) fn quiet(&self, position: &Position, m: Move, given: &MoveContext) -> i32 {
        let piece = PieceTo::of(position, m).index();
        step!(butterfly_history, self.butterfly[butterfly_of(position, m, given)][from_to(m)].value())
            + step!(pawn_history, self.pawn[structure(position)][piece].value())
            + self.continuation(position, m, &given.previous)
    }

    /// How well a quiet move did as an answer to the moves before it.
    #[inline]
    pub(crate) fn continuation(&self, position: &Position, m: Move, previous: &Previous) -> i32 {
        let piece = PieceTo::of(position, m).index();
        let after = previous.iter().flatten().map(|before| self.continuation[before.index()][piece].value());
        step!(continuation_history, after.sum())
    }

    /// How well a capture or promotion did.
    #[inline]
    pub(crate) fn capture(&self, position: &Position, m: Move) -> i32 {
        let piece = PieceTo::of(position, m).index();
        step!(capture_history, self.capture[piece][captured_index(position, m)].value())
    }

    /// Rewards or penalises a quiet move.
    pub(crate) fn update_quiet(&mut self, position: &Position, m: Move, given: &MoveContext, bonus: i32) {
        let piece = PieceTo::of(position, m).index();
        self.butterfly[butterfly_of(position, m, given)][from_to(m)].update(bonus);
        self.pawn[structure(position)][piece].update(bonus);
        for before in given.previous.iter().flatten() {
            self.continuation[before.index()][piece].update(bonus);
        }
    }

    /// Rewards or penalises a capture or promotion.
    pub(crate) fn update_capture(&mut self, position: &Position, m: Move, bonus: i32) {
        self.capture[PieceTo::of(position, m).index()][captured_index(position, m)].update(bonus);
    }
}

/// By side, whether the piece is attacked where it stands, and whether it will be where it goes.
#[inline]
fn butterfly_of(position: &Position, m: Move, given: &MoveContext) -> usize {
    let is_attacked =
        |square| usize::from(step!(threats_in_butterfly_history, given.threats.any.contains(square)));
    position.turn() as usize * 4 + is_attacked(m.from()) * 2 + is_attacked(m.to())
}

#[inline]
fn structure(position: &Position) -> usize {
    position.keys().pawn as usize % PAWN_STRUCTURES
}

#[inline]
fn from_to(m: Move) -> usize {
    m.from() as usize * 64 + m.to() as usize
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
