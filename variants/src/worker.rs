//! One search: its state, and the loop of ever deeper iterations.

use std::time::Duration;

use search::parts::{Budget, RootMove, Stability, Stopped, Variations};
use search::{Bound, Clock, Control, Limits, MAX_PLY, Observer, Report, Score, Table, TimeLimit, Verdict};
use shakmaty::zobrist::Zobrist64;
use shakmaty::{EnPassantMode, Move};

use crate::history::{Arrival, Histories};
use crate::moves::short;
use crate::parameters::{ASPIRATION_DEPTH, ASPIRATION_LIMIT, ASPIRATION_MARGIN};
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
    pub(crate) root_moves: Vec<RootMove>,
    /// Which of several lines is being searched, from 0: the root moves before it are settled.
    pub(crate) line: usize,
    pub(crate) nodes: u64,
    pub(crate) selective_depth: usize,
    /// The iteration under way.
    pub(crate) depth: i32,
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
        let root_moves = root
            .legal_moves()
            .into_iter()
            .map(short)
            .filter(|m| !is_over && allowed.is_none_or(|allowed| allowed.contains(m)))
            .map(|mv| RootMove { mv, score: Score::DRAW, rank: -Score::INFINITE, line: vec![mv], nodes: 0 })
            .collect();
        let mut keys = earlier_keys.to_vec();
        keys.reserve(MAX_PLY + 1);
        let next_poll = orders.limits.nodes.map_or(POLL_INTERVAL, |nodes| nodes.clamp(1, POLL_INTERVAL));
        Worker {
            orders,
            histories,
            root,
            root_moves,
            line: 0,
            nodes: 0,
            selective_depth: 0,
            depth: 0,
            variations: Variations::new(),
            keys,
            repetition_floor: 0,
            frames: vec![Frame::default(); MAX_PLY + BEFORE_ROOT + 2].into_boxed_slice(),
            next_poll,
        }
    }

    /// Searches ever deeper until a limit is reached or someone says stop. Returns the last completed iteration.
    pub(crate) fn deepen(&mut self, observer: &mut dyn Observer) -> i32 {
        if self.root_moves.is_empty() {
            return 0;
        }
        let lines = self.orders.limits.lines.clamp(1, self.root_moves.len());
        let deepest = self.orders.limits.depth.unwrap_or(u32::MAX).min(MAX_PLY as u32 - 1) as i32;
        let mut stability = Stability::default();
        let mut completed = 0;
        for depth in 1..=deepest {
            self.depth = depth;
            let expected: Vec<Score> = self.root_moves.iter().take(lines).map(|root| root.score).collect();
            for (line, score) in expected.into_iter().enumerate() {
                self.line = line;
                self.selective_depth = 0;
                if self.aspire(score, observer).is_err() {
                    self.rank_lines(line);
                    return completed;
                }
            }
            self.rank_lines(lines);
            for line in 0..lines {
                self.report(line, Bound::Exact, observer);
            }
            completed = depth;
            stability.note(&self.root_moves[0]);
            if self.is_enough(&stability) {
                break;
            }
        }
        completed
    }

    /// Puts the first lines in the order of their scores.
    fn rank_lines(&mut self, lines: usize) {
        self.root_moves[..lines].sort_by_key(|root| std::cmp::Reverse(root.score));
    }

    /// One iteration for one line, with a window around the expected score that widens where it fails.
    fn aspire(&mut self, expected: Score, observer: &mut dyn Observer) -> Result<(), Stopped> {
        let mut margin = ASPIRATION_MARGIN;
        let narrow = self.depth >= ASPIRATION_DEPTH && !expected.is_mate();
        let (mut alpha, mut beta) =
            if narrow { (expected - margin, expected + margin) } else { (-Score::INFINITE, Score::INFINITE) };
        loop {
            let line = self.line;
            self.root_moves[line..].iter_mut().for_each(|root| root.rank = -Score::INFINITE);
            let result = self.search_root(alpha, beta, observer);
            // The sort is stable, so that moves which were not better keep the order of earlier iterations.
            self.root_moves[line..].sort_by_key(|root| std::cmp::Reverse(root.rank));
            let score = result?;
            if score <= alpha {
                self.report(line, Bound::Upper, observer);
                alpha = (score - margin).max(-Score::INFINITE);
            } else if score >= beta {
                self.report(line, Bound::Lower, observer);
                beta = (score + margin).min(Score::INFINITE);
            } else {
                return Ok(());
            }
            margin *= 2;
            if margin > ASPIRATION_LIMIT || score.is_mate() {
                (alpha, beta) = (-Score::INFINITE, Score::INFINITE);
            }
        }
    }

    fn elapsed(&self) -> Duration {
        self.orders.clock.elapsed(self.nodes)
    }

    /// Tells the observer about a line. Failing searches are only worth telling when they take long.
    fn report(&self, line: usize, bound: Bound, observer: &mut dyn Observer) {
        const LONG: Duration = Duration::from_secs(3);
        let elapsed = self.elapsed();
        if bound != Bound::Exact && elapsed < LONG {
            return;
        }
        observer.report(&Report {
            depth: self.depth as u32,
            selective_depth: self.selective_depth as u32,
            line: line + 1,
            score: self.root_moves[line].score,
            bound,
            nodes: self.nodes,
            elapsed,
            hash_full: self.orders.table.permille_full(),
            tablebase_hits: 0,
            principal_variation: &self.root_moves[line].line,
        });
    }

    /// Whether another iteration is not worth beginning.
    fn is_enough(&self, stability: &Stability) -> bool {
        let verdict = self.root_moves[0].score.verdict();
        let mates_within = |moves| matches!(verdict, Verdict::MateIn(found) if found <= moves);
        if self.orders.limits.mate.is_some_and(mates_within) {
            return true;
        }
        let Some(budget) = self.orders.budget.filter(|_| !self.orders.control.is_pondering()) else {
            return false;
        };
        if !matches!(self.orders.limits.time, TimeLimit::Clock { .. }) {
            return self.elapsed() >= budget.soft;
        }
        // An only move needs no thought, nor does a mate much shorter than the search is deep.
        let is_clear = self.root_moves.len() == 1 || mates_within(self.depth as u32 / 3);
        let share = (100 * self.root_moves[0].nodes / self.nodes.max(1)) as u32;
        is_clear || self.elapsed() >= budget.stretched(stability.factor(share))
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
        if self.depth <= 1 {
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
