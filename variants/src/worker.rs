//! One search: its state.

use std::time::Duration;

use search::parts::{Aspiration, Bounds, Budget, Deepening, Progress, Stopped, Variations, WORTH_TELLING};
use search::{Bound, Clock, Control, Limits, MAX_PLY, Observer, Report, Score, Table};
use shakmaty::zobrist::Zobrist64;
use shakmaty::{EnPassantMode, Move};

use crate::history::{Arrival, Histories};
use crate::moves::short;
use crate::parameters::ASPIRATION;
use crate::rules::Rules;

/// Nodes between two looks at the clock.
const POLL_INTERVAL: u64 = 512;

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
    pub(crate) moved: Option<Arrival>,
}

/// What the search was asked, and whom it tells.
pub(crate) struct Orders<'a> {
    pub(crate) table: &'a Table,
    pub(crate) limits: &'a Limits,
    pub(crate) budget: Option<Budget>,
    pub(crate) control: &'a Control,
    pub(crate) clock: &'a dyn Clock,
}

pub(crate) struct Worker<'a, P> {
    pub(crate) orders: Orders<'a>,
    pub(crate) histories: &'a mut Histories,
    pub(crate) root: &'a P,
    pub(crate) progress: Progress,
    pub(crate) nodes: u64,
    pub(crate) variations: Variations,
    /// Keys of all earlier positions, of the game and then of the path to the current node.
    keys: Vec<u64>,
    /// Length of `keys` at the last null move, beyond which no repetition is real.
    repetition_floor: usize,
    frames: Box<[Frame]>,
    next_poll: u64,
}

/// The key of a position for the rules of repetition.
pub(crate) fn key_of<P: Rules>(position: &P) -> u64 {
    position.zobrist_hash::<Zobrist64>(EnPassantMode::Legal).0
}

/// A position on the path, with its key.
pub(crate) struct Node<P> {
    pub(crate) position: P,
    pub(crate) key: u64,
}

impl<P: Rules> Node<P> {
    /// The node of a position.
    pub(crate) fn new(position: P) -> Node<P> {
        let key = key_of(&position);
        Node { position, key }
    }

    /// The node after a legal move.
    fn after(&self, m: Move) -> Node<P> {
        let mut position = self.position.clone();
        let key = self.position.update_zobrist_hash(Zobrist64(self.key), m, EnPassantMode::Legal);
        position.play_unchecked(m);
        let key = key.map_or_else(|| key_of(&position), |key| key.0);
        Node { position, key }
    }

    /// The key of the position in the hash table, where positions of several variants may meet.
    pub(crate) fn table_key(&self) -> u64 {
        self.key ^ (P::VARIANT as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15)
    }
}

impl<'a, P: Rules> Worker<'a, P> {
    pub(crate) fn new(
        orders: Orders<'a>,
        histories: &'a mut Histories,
        root: &'a P,
        earlier_keys: &[u64],
        allowed: Option<&[search::Move]>,
    ) -> Worker<'a, P> {
        let is_over = root.is_variant_end();
        let is_allowed = |m: &search::Move| !is_over && allowed.is_none_or(|allowed| allowed.contains(m));
        let progress = Progress::new(root.legal_moves().into_iter().map(short).filter(is_allowed));
        let mut keys = earlier_keys.to_vec();
        keys.reserve(MAX_PLY + 1);
        let next_poll = orders.limits.nodes.map_or(POLL_INTERVAL, |nodes| nodes.clamp(1, POLL_INTERVAL));
        Worker {
            orders,
            histories,
            root,
            progress,
            nodes: 0,
            variations: Variations::new(),
            keys,
            repetition_floor: 0,
            frames: vec![Frame::default(); MAX_PLY + BEFORE_ROOT + 2].into_boxed_slice(),
            next_poll,
        }
    }

    fn elapsed(&self) -> Duration {
        self.orders.clock.elapsed(self.nodes)
    }

    /// Looks at clock, limits and orders every so often.
    pub(crate) fn poll(&mut self) -> Result<(), Stopped> {
        if self.nodes < self.next_poll { Ok(()) } else { self.poll_now() }
    }

    #[cold]
    fn poll_now(&mut self) -> Result<(), Stopped> {
        let Orders { control, limits, budget, .. } = &self.orders;
        if control.is_stopped() {
            return Err(Stopped);
        }
        let nodes_left = limits.nodes.map_or(POLL_INTERVAL, |limit| limit.saturating_sub(self.nodes));
        self.next_poll = self.nodes + nodes_left.min(POLL_INTERVAL);
        // Something must have been found before the search may end.
        if self.progress.depth <= 1 {
            self.next_poll = self.nodes + POLL_INTERVAL;
            return Ok(());
        }
        let is_late = || budget.is_some_and(|budget| self.elapsed() >= budget.hard);
        let must_end = nodes_left == 0 || !control.is_pondering() && is_late();
        if must_end { Err(Stopped) } else { Ok(()) }
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
    pub(crate) fn with_move<T>(
        &mut self,
        node: &Node<P>,
        m: Move,
        ply: usize,
        search: impl FnOnce(&mut Self, &Node<P>) -> T,
    ) -> T {
        let next = node.after(m);
        self.orders.table.prefetch(next.table_key());
        self.nodes += 1;
        self.keys.push(node.key);
        self.frame(ply + 1).moved = Some(Arrival::of(node.position.turn(), m));
        let result = search(self, &next);
        self.keys.pop();
        result
    }

    /// Passes, does `search` with the node after it, and takes the pass back; `None` where nobody can pass.
    pub(crate) fn with_null_move<T>(
        &mut self,
        node: &Node<P>,
        ply: usize,
        search: impl FnOnce(&mut Self, &Node<P>) -> T,
    ) -> Option<T> {
        let next = Node::new(node.position.clone().pass()?);
        self.nodes += 1;
        self.keys.push(node.key);
        self.frame(ply + 1).moved = None;
        let floor = std::mem::replace(&mut self.repetition_floor, self.keys.len());
        let result = search(self, &next);
        self.repetition_floor = floor;
        self.keys.pop();
        Some(result)
    }

    /// Whether the position is a draw by the rules, or would be if the line went on as before: a position that comes
    /// back within the search is taken for a draw at once, one from the game on its third time.
    pub(crate) fn is_draw(&self, node: &Node<P>, ply: usize) -> bool {
        if node.position.halfmoves() >= 100 {
            // Mate on the hundredth ply comes first.
            return !node.position.is_check() || !node.position.legal_moves().is_empty();
        }
        let reach = self.keys.len() - self.repetition_floor;
        let reach = if P::CAPTURES_COME_BACK { reach } else { reach.min(node.position.halfmoves() as usize) };
        let mut seen = 0;
        for back in (4..=reach).step_by(2) {
            if self.keys[self.keys.len() - back] == node.key {
                seen += 1;
                if back <= ply || seen == 2 {
                    return true;
                }
            }
        }
        false
    }
}

impl<P: Rules> Deepening for Worker<'_, P> {
    fn aspiration(&self) -> Aspiration {
        ASPIRATION
    }

    fn progress(&self) -> &Progress {
        &self.progress
    }

    fn progress_mut(&mut self) -> &mut Progress {
        &mut self.progress
    }

    fn bounds(&self) -> Bounds<'_> {
        let Orders { limits, budget, control, .. } = self.orders;
        Bounds { limits, budget, control }
    }

    fn own_nodes(&self) -> u64 {
        self.nodes
    }

    fn spent(&mut self) -> (u64, Duration) {
        (self.nodes, self.elapsed())
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
        if !observer.is_listening() {
            return;
        }
        let elapsed = self.elapsed();
        if bound != Bound::Exact && elapsed < WORTH_TELLING {
            return;
        }
        let Progress { root_moves, line, depth, selective_depth } = &self.progress;
        let root = &root_moves[*line];
        observer.report(&Report {
            depth: *depth as u32,
            selective_depth: *selective_depth as u32,
            line: line + 1,
            score: root.score,
            bound,
            nodes: self.nodes,
            elapsed,
            hash_full: self.orders.table.permille_full(),
            tablebase_hits: 0,
            principal_variation: &root.line,
        });
    }
}
