//! The principal variations of all nodes on the path from the root.

use crate::moves::Move;
use crate::score::MAX_PLY;

/// For each ply the best line found from there on.
pub struct Variations {
    lines: Box<[Line]>,
}

#[derive(Clone, Copy)]
struct Line {
    moves: [Option<Move>; MAX_PLY],
    len: usize,
}

impl Variations {
    /// Without any line.
    pub(super) fn new() -> Variations {
        Variations { lines: vec![Line { moves: [None; MAX_PLY], len: 0 }; MAX_PLY + 1].into_boxed_slice() }
    }

    /// A node begins without a line.
    #[inline]
    pub fn clear(&mut self, ply: usize) {
        self.lines[ply].len = 0;
    }

    /// The node's line is now this move and the line of the node below.
    pub fn extend(&mut self, ply: usize, m: Move) {
        let (above, below) = self.lines.split_at_mut(ply + 1);
        let (line, rest) = (&mut above[ply], &below[0]);
        let len = rest.len.min(MAX_PLY - 1);
        line.moves[0] = Some(m);
        line.moves[1..=len].copy_from_slice(&rest.moves[..len]);
        line.len = len + 1;
    }

    /// The line of a node.
    pub fn get(&self, ply: usize) -> impl Iterator<Item = Move> + '_ {
        let line = &self.lines[ply];
        line.moves[..line.len].iter().flatten().copied()
    }
}
