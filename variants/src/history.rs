//! Move histories: statistics of which moves have caused cutoffs, kept from node to node.

use search::{HistoryEntry, PieceTo};
use shakmaty::{Color, Move, Role, Square};

/// Returns the piece and target square of a move.
pub(crate) fn arrival(turn: Color, m: Move) -> PieceTo {
    PieceTo::new(turn, m.role(), m.to())
}

/// Number of origins: 64 squares, and one per role for drops.
const ORIGINS: usize = 64 + 8;

/// All histories of one thread.
pub(crate) struct Histories {
    /// Quiet moves by side, origin and target.
    butterfly: Vec<HistoryEntry>,
    /// Quiet moves for each previous move.
    continuation: Vec<[HistoryEntry; PieceTo::COUNT]>,
    /// Captures by piece, target and captured piece.
    capture: Vec<[HistoryEntry; 8]>,
}

impl Histories {
    pub(crate) fn new() -> Histories {
        Histories {
            butterfly: vec![HistoryEntry::default(); 2 * ORIGINS * 64],
            continuation: vec![[HistoryEntry::default(); PieceTo::COUNT]; PieceTo::COUNT],
            capture: vec![[HistoryEntry::default(); 8]; PieceTo::COUNT],
        }
    }

    /// Returns the sum of the histories of a quiet move.
    pub(crate) fn quiet(&self, turn: Color, m: Move, previous: Option<PieceTo>) -> i32 {
        let given = previous.map_or(0, |p| self.continuation[p.index()][arrival(turn, m).index()].value());
        self.butterfly[butterfly_index(turn, m)].value() + given
    }

    /// Returns the history of a capture.
    pub(crate) fn capture(&self, turn: Color, m: Move) -> i32 {
        self.capture[arrival(turn, m).index()][captured_index(m)].value()
    }

    pub(crate) fn update_quiet(&mut self, turn: Color, m: Move, previous: Option<PieceTo>, bonus: i32) {
        self.butterfly[butterfly_index(turn, m)].update(bonus);
        if let Some(previous) = previous {
            self.continuation[previous.index()][arrival(turn, m).index()].update(bonus);
        }
    }

    pub(crate) fn update_capture(&mut self, turn: Color, m: Move, bonus: i32) {
        self.capture[arrival(turn, m).index()][captured_index(m)].update(bonus);
    }
}

fn butterfly_index(turn: Color, m: Move) -> usize {
    let origin = m.from().map_or(64 + m.role() as usize, Square::to_usize);
    (turn as usize * ORIGINS + origin) * 64 + m.to().to_usize()
}

fn captured_index(m: Move) -> usize {
    m.capture().map_or(0, |role: Role| role as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_learnt_of_a_drop_is_not_learnt_of_a_move() {
        let mut histories = Histories::new();
        let (role, to) = (Role::Knight, Square::F7);
        let drop = Move::Put { role, to };
        let m = Move::Normal { role, from: Square::E5, capture: None, to, promotion: None };
        histories.update_quiet(Color::White, drop, None, 1_000);
        assert!(histories.quiet(Color::White, drop, None) > 900);
        assert_eq!(histories.quiet(Color::White, m, None), 0);
        assert_eq!(histories.quiet(Color::Black, drop, None), 0);
        // As previous moves, a drop and a move to the same square are the same.
        let previous = Some(arrival(Color::Black, m));
        histories.update_quiet(Color::White, m, previous, 1_000);
        assert!(histories.quiet(Color::White, drop, previous) > 1_800);
    }
}
