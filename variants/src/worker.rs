//! One thread of a variant's search: the runtime's thread with histories and the stack of frames.

use search::runtime::{SearchPosition as _, SearchThread, Stopped};
use search::{MAX_PLY, PieceTo, Reductions, Score};
use shakmaty::Move;

use crate::history::{Histories, arrival};
use crate::keyed_position::KeyedPosition;
use crate::rules::{Rules, decision};

/// Frames before the root, so that looking back needs no bounds check.
const BEFORE_ROOT: usize = 2;

/// Data of a node on the path that other nodes read.
#[derive(Clone, Copy, Default)]
pub(crate) struct Frame {
    /// The static evaluation; `None` in check.
    pub(crate) evaluation: Option<Score>,
    /// Killer moves: quiet moves that caused cutoffs in siblings, latest first.
    pub(crate) killers: [Option<search::Move>; 2],
    /// The piece that moved here and where it went; `None` for a null move.
    pub(crate) moved: Option<PieceTo>,
}

pub(crate) struct VariantWorker<'a, P> {
    pub(crate) thread: SearchThread<'a, KeyedPosition<P>>,
    pub(crate) histories: &'a mut Histories,
    pub(crate) reductions: &'a Reductions,
    frames: Box<[Frame]>,
}

impl<'a, P: Rules> VariantWorker<'a, P> {
    pub(crate) fn new(
        thread: SearchThread<'a, KeyedPosition<P>>,
        histories: &'a mut Histories,
        reductions: &'a Reductions,
    ) -> VariantWorker<'a, P> {
        let frames = vec![Frame::default(); MAX_PLY + BEFORE_ROOT + 2].into_boxed_slice();
        VariantWorker { thread, histories, reductions, frames }
    }

    /// Enters a node. Returns its score if its moves need not be searched: end of the game by the variant's rules,
    /// draw, fixed value, or maximum ply.
    pub(crate) fn enter(&mut self, keyed: &KeyedPosition<P>, ply: usize) -> Result<Option<Score>, Stopped> {
        let settled = self.thread.enter(keyed, ply)?;
        if keyed.position.is_variant_end() {
            return Ok(Some(self.score_of_ending(keyed, ply)));
        }
        if settled.is_some() || ply < MAX_PLY - 1 {
            return Ok(settled);
        }
        Ok(Some(if keyed.position.is_check() { Score::DRAW } else { self.evaluate(keyed) }))
    }

    /// Returns the frame of a node.
    pub(crate) fn frame(&mut self, ply: usize) -> &mut Frame {
        &mut self.frames[ply + BEFORE_ROOT]
    }

    /// Returns the static evaluation two plies before a node, also before the root.
    pub(crate) fn earlier_evaluation(&self, ply: usize) -> Option<Score> {
        self.frames[ply + BEFORE_ROOT - 2].evaluation
    }

    /// Makes a move, calls `search` with the position after it, and unmakes the move.
    pub(crate) fn with_move(
        &mut self,
        keyed: &KeyedPosition<P>,
        m: Move,
        ply: usize,
        search: impl FnOnce(&mut Self, &KeyedPosition<P>) -> Result<Score, Stopped>,
    ) -> Result<Score, Stopped> {
        let next = keyed.after_move(m);
        self.thread.shared.table.prefetch(next.table_key());
        self.thread.note_move(keyed);
        self.frame(ply + 1).moved = Some(arrival(keyed.position.turn(), m));
        let result = search(self, &next);
        self.thread.take_back();
        result
    }

    /// Makes a null move, calls `search` with the position after it, and unmakes it; `None` if no null move is
    /// possible.
    pub(crate) fn with_null_move<T>(
        &mut self,
        keyed: &KeyedPosition<P>,
        ply: usize,
        search: impl FnOnce(&mut Self, &KeyedPosition<P>) -> T,
    ) -> Option<T> {
        let next = KeyedPosition::new(keyed.position.clone().pass()?);
        self.frame(ply + 1).moved = None;
        let floor = self.thread.note_null_move(keyed);
        let result = search(self, &next);
        self.thread.take_back_null_move(floor);
        Some(result)
    }

    /// Returns the static evaluation, with the style of play applied.
    pub(crate) fn evaluate(&self, keyed: &KeyedPosition<P>) -> Score {
        self.thread.in_style(Score::centipawns(keyed.position.evaluate()), keyed)
    }

    /// Returns the score of a finished game.
    pub(crate) fn score_of_ending(&self, keyed: &KeyedPosition<P>, ply: usize) -> Score {
        decision(&keyed.position, ply).unwrap_or_else(|| self.thread.draw(keyed))
    }
}
