//! The principal variations of all nodes on the path from the root.

use arrayvec::ArrayVec;

use crate::{MAX_PLY, Move};

/// The best line found from each ply.
pub struct Variations(Box<[ArrayVec<Move, MAX_PLY>]>);

impl Variations {
    /// Creates empty lines.
    pub(super) fn new() -> Variations {
        Variations(vec![ArrayVec::new(); MAX_PLY + 1].into())
    }

    /// Clears the line of a node.
    pub fn clear(&mut self, ply: usize) {
        self.0[ply].clear();
    }

    /// Sets the node's line to this move and the line of the next ply, cut at [`MAX_PLY`].
    pub fn extend(&mut self, ply: usize, m: Move) {
        let (above, below) = self.0.split_at_mut(ply + 1);
        let (line, rest) = (&mut above[ply], &below[0]);
        line.clear();
        line.push(m);
        let _ = line.try_extend_from_slice(&rest[..rest.len().min(MAX_PLY - 1)]);
    }

    /// Returns the line of a node.
    pub(super) fn get(&self, ply: usize) -> &[Move] {
        &self.0[ply]
    }
}
