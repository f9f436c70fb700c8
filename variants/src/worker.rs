//! One thread of the search of a variant: the runtime's part of it, and what it knows of moves.

use search::runtime::{SearchPosition as _, SearchThread, Stopped};
use search::{MAX_PLY, PieceTo, Reductions, Score};
use shakmaty::Move;

use crate::history::{Histories, arrival};
use crate::keyed_position::KeyedPosition;
use crate::rules::{Rules, decision};

/// Frames before the root, so that looking back needs no test.
const BEFORE_ROOT: usize = 2;

/// What a node leaves for those below it.
#[derive(Clone, Copy, Default)]
pub(crate) struct Frame {
    /// The static evaluation; `None` in check.
    pub(crate) evaluation: Option<Score>,
    /// Quiet moves that refuted siblings, latest first.
    pub(crate) killers: [Option<search::Move>; 2],
    /// The move that led here; `None` if it was a pass.
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

    /// A node is looked at. Its score, if none of its moves need be tried: the end of the game by the variant's own rules,
    /// draws, told values, the end of the stack.
    #[inline]
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

    /// The frame of a node.
    pub(crate) fn frame(&mut self, ply: usize) -> &mut Frame {
        &mut self.frames[ply + BEFORE_ROOT]
    }

    /// The static evaluation two plies before a node, also before the root.
    pub(crate) fn earlier_evaluation(&self, ply: usize) -> Option<Score> {
        self.frames[ply + BEFORE_ROOT - 2].evaluation
    }

    /// Makes a move, does `search` with the node after it, and takes the move back.
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

    /// Passes, does `search` with the node after it, and takes the pass back; `None` where nobody can pass.
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

    /// What a position is worth at first sight.
    #[inline]
    pub(crate) fn evaluate(&self, keyed: &KeyedPosition<P>) -> Score {
        self.thread.in_style(Score::centipawns(keyed.position.evaluate()), keyed)
    }

    /// What a game that is over is worth.
    pub(crate) fn score_of_ending(&self, keyed: &KeyedPosition<P>, ply: usize) -> Score {
        decision(&keyed.position, ply).unwrap_or_else(|| self.thread.draw(keyed))
    }
}
