//! One thread of the search: what it keeps, and what it shares with the others.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use crate::control::Control;
use crate::deepening::{Aspiration, Bounds, Deepening, Progress, Stopped, WORTH_TELLING};
use crate::history::{CONTINUATIONS, Histories, PieceTo, Previous};
use crate::limits::{Clock, Limits, Root};
use crate::moves::{Move, MoveList};
use crate::network::Network;
use crate::observer::{Bound, Observer, Report};
use crate::parameters as p;
use crate::position::Position;
use crate::reductions::Reductions;
use crate::score::{MAX_PLY, Score};
use crate::static_evaluation::StaticEvaluator;
use crate::style::Style;
use crate::table::Table;
use crate::time::Budget;
use crate::variation::Variations;
use crate::vote::Found;

/// What the threads of one search share.
pub(crate) struct Shared<'a> {
    pub(crate) table: &'a Table,
    pub(crate) reductions: &'a Reductions,
    pub(crate) root: &'a Root,
    pub(crate) limits: &'a Limits,
    pub(crate) style: &'a Style,
    pub(crate) budget: Option<Budget>,
    pub(crate) control: &'a Control,
    pub(crate) clock: &'a dyn Clock,
    /// Set when the first thread has finished.
    pub(crate) finished: AtomicBool,
    /// Moves made by all threads, up to their last poll.
    pub(crate) nodes: AtomicU64,
    /// Successful probes of endgame tables, by all threads.
    pub(crate) tablebase_hits: AtomicU64,
}

impl Shared<'_> {
    fn elapsed(&self) -> Duration {
        self.clock.elapsed(self.nodes.load(Ordering::Relaxed))
    }

    /// Tells the observer of one of the best lines, counted from 1.
    pub(crate) fn report(&self, found: &Found, line: usize, bound: Bound, observer: &mut dyn Observer) {
        observer.report(&Report {
            depth: found.depth as u32,
            selective_depth: found.selective_depth as u32,
            line,
            score: found.best.score,
            bound,
            nodes: self.nodes.load(Ordering::Relaxed),
            elapsed: self.elapsed(),
            hash_full: self.table.permille_full(),
            tablebase_hits: self.tablebase_hits.load(Ordering::Relaxed),
            principal_variation: &found.best.line,
        });
    }
}

/// What a thread keeps from one search to the next.
#[derive(Clone)]
pub(crate) struct Memory {
    pub(crate) histories: Histories,
    pub(crate) evaluator: StaticEvaluator,
}

impl Memory {
    pub(crate) fn new(network: &Arc<Network>) -> Memory {
        Memory { histories: Histories::new(), evaluator: StaticEvaluator::new(network) }
    }
}

/// What a node leaves for those below it.
#[derive(Clone, Copy, Default)]
pub(crate) struct Frame {
    /// The static evaluation; `None` in check.
    pub(crate) evaluation: Option<Score>,
    /// The piece that moved here and where it went; `None` for a null move.
    pub(crate) moved: Option<PieceTo>,
    /// A quiet move that refuted a sibling.
    pub(crate) killer: Option<Move>,
    /// The move that is left out of the node for the time being.
    pub(crate) excluded: Option<Move>,
    /// Plies by which the move that led here was reduced.
    pub(crate) reduction: i32,
    /// Nodes at this ply, since two plies above, in which a move reached beta.
    pub(crate) cutoffs: u32,
}

/// Nodes between two looks at the clock.
const POLL_INTERVAL: u64 = 1024;

/// Frames before the root, so that looking back needs no test.
const BEFORE_ROOT: usize = 4;

pub(crate) struct Worker<'a> {
    pub(crate) shared: &'a Shared<'a>,
    pub(crate) histories: &'a mut Histories,
    pub(crate) evaluator: &'a mut StaticEvaluator,
    /// Only the first thread looks at limits and reports.
    pub(crate) is_first: bool,
    pub(crate) nodes: u64,
    pub(crate) progress: Progress,
    pub(crate) variations: Variations,
    /// Keys of all earlier positions, of the game and then of the path to the current node.
    keys: Vec<u64>,
    /// Length of `keys` at the last null move, beyond which no repetition is real.
    repetition_floor: usize,
    /// Plies before this one don't pass: a null move is being verified.
    pub(crate) null_move_floor: usize,
    frames: Box<[Frame]>,
    /// Where the pickers generate moves.
    pub(crate) scratch: MoveList,
    next_poll: u64,
    counted_nodes: u64,
}

impl<'a> Worker<'a> {
    pub(crate) fn new(shared: &'a Shared<'a>, memory: &'a mut Memory, is_first: bool) -> Worker<'a> {
        let Memory { histories, evaluator } = memory;
        evaluator.begin();
        let position = &shared.root.position;
        let allowed = shared.root.allowed.as_deref();
        let is_allowed = |m: &Move| allowed.is_none_or(|allowed| allowed.contains(m));
        let progress = Progress::new(position.legal_moves().iter().copied().filter(is_allowed));
        let mut keys = shared.root.earlier_keys.clone();
        keys.reserve(MAX_PLY + 1);
        let first_poll = shared.limits.nodes.map_or(POLL_INTERVAL, |nodes| nodes.clamp(1, POLL_INTERVAL));
        Worker {
            shared,
            histories,
            evaluator,
            is_first,
            nodes: 0,
            progress,
            variations: Variations::new(),
            keys,
            repetition_floor: 0,
            null_move_floor: 0,
            frames: vec![Frame::default(); MAX_PLY + BEFORE_ROOT + 2].into_boxed_slice(),
            scratch: MoveList::new(),
            next_poll: first_poll,
            counted_nodes: 0,
        }
    }

    /// Searches ever deeper until a limit is reached or someone says stop. `None` if no move is allowed.
    pub(crate) fn find(mut self, observer: &mut dyn Observer) -> Option<Found> {
        let depth = self.deepen(observer);
        self.count_nodes();
        let Progress { root_moves, selective_depth, .. } = self.progress;
        Some(Found { depth, selective_depth, best: root_moves.into_iter().next()? })
    }

    /// Looks at clock, limits and orders every so often.
    #[inline]
    pub(crate) fn poll(&mut self) -> Result<(), Stopped> {
        if self.nodes < self.next_poll { Ok(()) } else { self.poll_now() }
    }

    #[cold]
    fn poll_now(&mut self) -> Result<(), Stopped> {
        self.count_nodes();
        let shared = self.shared;
        shared.control.wait_while_suspended();
        let total = shared.nodes.load(Ordering::Relaxed);
        if shared.control.is_stopped() || shared.finished.load(Ordering::Relaxed) {
            return Err(Stopped);
        }
        let nodes_left = shared.limits.nodes.map_or(POLL_INTERVAL, |limit| limit.saturating_sub(total));
        self.next_poll = self.nodes + nodes_left.min(POLL_INTERVAL);
        // Something must have been found before the search may end.
        if !self.is_first || self.progress.depth <= 1 {
            self.next_poll = self.nodes + POLL_INTERVAL;
            return Ok(());
        }
        let is_late = || shared.budget.is_some_and(|budget| shared.elapsed() >= budget.hard);
        if nodes_left == 0 || !shared.control.is_pondering() && is_late() {
            return Err(Stopped);
        }
        Ok(())
    }

    /// Adds the nodes of this thread to the common count.
    pub(crate) fn count_nodes(&mut self) {
        let new = self.nodes - std::mem::replace(&mut self.counted_nodes, self.nodes);
        self.shared.nodes.fetch_add(new, Ordering::Relaxed);
    }

    /// The frame of a node.
    #[inline]
    pub(crate) fn frame(&mut self, ply: usize) -> &mut Frame {
        &mut self.frames[ply + BEFORE_ROOT]
    }

    /// The frame `back` plies before a node, also before the root.
    #[inline]
    pub(crate) fn frame_before(&self, ply: usize, back: usize) -> &Frame {
        &self.frames[ply + BEFORE_ROOT - back]
    }

    /// The moves that led to a node.
    #[inline]
    pub(crate) fn previous(&self, ply: usize) -> Previous {
        CONTINUATIONS.map(|back| self.frame_before(ply, back - 1).moved)
    }

    /// Makes a move: the position after it, while the node's key goes to the earlier ones. Pairs with [`Worker::unmake`].
    #[inline]
    pub(crate) fn make(&mut self, position: &Position, m: Move, ply: usize) -> Position {
        self.shared.table.prefetch(position.approximate_table_key_after(m));
        self.nodes += 1;
        self.keys.push(position.keys().full);
        self.evaluator.note_move(position, m, ply);
        let moved = Some(PieceTo::of(position, m));
        *self.frame(ply + 1) = Frame { moved, reduction: 0, ..*self.frame(ply + 1) };
        position.make(m)
    }

    #[inline]
    pub(crate) fn unmake(&mut self) {
        self.keys.pop();
    }

    /// Passes, does `search` with the position after it, and takes the pass back.
    pub(crate) fn with_null_move<T>(
        &mut self,
        position: &Position,
        ply: usize,
        search: impl FnOnce(&mut Self, &Position) -> T,
    ) -> T {
        self.nodes += 1;
        self.keys.push(position.keys().full);
        self.evaluator.note_null_move(ply);
        *self.frame(ply + 1) = Frame { moved: None, reduction: 0, ..*self.frame(ply + 1) };
        let floor = std::mem::replace(&mut self.repetition_floor, self.keys.len());
        let result = search(self, &position.make_null());
        self.repetition_floor = floor;
        self.keys.pop();
        result
    }

    /// Whether the position is a draw by the rules, or would be if the line went on as before: a position that comes
    /// back within the search is taken for a draw at once, one from the game on its third time.
    pub(crate) fn is_draw(&self, position: &Position, ply: usize) -> bool {
        if position.halfmoves() >= 100 {
            // Mate on the hundredth ply comes first.
            return !position.is_check() || !position.legal_moves().is_empty();
        }
        if position.is_bare() {
            return true;
        }
        let reach = (self.keys.len() - self.repetition_floor).min(position.halfmoves().into());
        let mut seen = 0;
        for back in (4..=reach).step_by(2) {
            if self.keys[self.keys.len() - back] == position.keys().full {
                seen += 1;
                if back <= ply || seen == 2 {
                    return true;
                }
            }
        }
        false
    }
}

impl Deepening for Worker<'_> {
    fn aspiration(&self) -> Aspiration {
        Aspiration {
            depth: p::aspiration_depth(),
            margin: p::aspiration_margin(),
            limit: p::aspiration_limit(),
        }
    }

    fn progress(&self) -> &Progress {
        &self.progress
    }

    fn progress_mut(&mut self) -> &mut Progress {
        &mut self.progress
    }

    fn bounds(&self) -> Bounds<'_> {
        let Shared { limits, budget, control, .. } = *self.shared;
        Bounds { limits, budget, control }
    }

    fn own_nodes(&self) -> u64 {
        self.nodes
    }

    fn spent(&mut self) -> (u64, Duration) {
        self.count_nodes();
        (self.shared.nodes.load(Ordering::Relaxed), self.shared.elapsed())
    }

    fn search_root(
        &mut self,
        alpha: Score,
        beta: Score,
        observer: &mut dyn Observer,
    ) -> Result<Score, Stopped> {
        self.search_root_moves(alpha, beta, observer)
    }

    fn report(&mut self, bound: Bound, observer: &mut dyn Observer) {
        if !self.is_first || !observer.is_listening() {
            return;
        }
        self.count_nodes();
        if bound != Bound::Exact && self.shared.elapsed() < WORTH_TELLING {
            return;
        }
        let Progress { root_moves, line, depth, selective_depth } = &self.progress;
        let found =
            Found { depth: *depth, selective_depth: *selective_depth, best: root_moves[*line].clone() };
        self.shared.report(&found, line + 1, bound, observer);
    }

    fn decides(&self) -> bool {
        self.is_first
    }
}

impl Worker<'_> {
    /// Whether the side to move can repeat a position of the path below the root.
    pub(crate) fn can_repeat(&self, position: &Position, ply: usize) -> bool {
        let reach = (self.keys.len() - self.repetition_floor).min(position.halfmoves().into()).min(ply);
        (3..=reach).step_by(2).any(|back| position.reaches(self.keys[self.keys.len() - back]))
    }
}
