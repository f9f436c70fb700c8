//! Proof of a mate along a line that a search or another program tells.

use super::prover::{Node, Numbers, Prover};
use super::{Known, MAX_MOVES, Mate, Problem};
use crate::runtime::Stopped;
use crate::{Move, Root};

impl Prover<'_> {
    /// Proves a mate in the moves of the problem along a told line. The line is followed from its end: when a move of it is looked
    /// at, the positions behind it are decided already, and only the defender's other replies remain. `None` if the line does
    /// not prove it.
    pub(super) fn prove_told(
        &mut self,
        root: &Root,
        problem: Problem,
        line: &[Move],
    ) -> Result<Option<Mate>, Stopped> {
        let moves = problem.moves.min(MAX_MOVES);
        let mut positions = vec![root.position.clone()];
        for &told in line.iter().take(2 * moves as usize) {
            let last = positions[positions.len() - 1].clone();
            if !last.legal_moves().contains(&told) {
                break;
            }
            positions.push(self.make(&last, told)?);
        }
        let begins = usize::from(root.position.turn() != problem.attacker);
        for ply in (0..positions.len() - 1).rev().filter(|ply| ply % 2 == begins) {
            let attacks_before = (ply - begins) / 2 + begins.min(ply);
            let Some(left) = (moves as usize).checked_sub(attacks_before).filter(|left| *left > 0) else {
                continue;
            };
            let next = Node { position: &positions[ply + 1], moves: left as u8 - 1, ply: ply + 1 };
            if let Known::Mate(length, _) = self.search(&next, Numbers::UNLIMITED)? {
                let node = Node { position: &positions[ply], moves: left as u8, ply };
                self.store(&node, Known::Mate(length + 1, Some(line[ply])), 0);
            }
        }
        self.prove(root, moves)
    }
}
