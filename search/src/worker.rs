//! One thread of the search: what it keeps, and the loop of ever deeper iterations.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use crate::control::Control;
use crate::history::{CONTINUATIONS, Histories, PieceTo, Previous};
use crate::limits::{Clock, Limits, Root, TimeLimit};
use crate::moves::{Move, MoveList};
use crate::observer::{Bound, Observer, Report};
use crate::parameters::{ASPIRATION_DEPTH, ASPIRATION_MARGIN};
use crate::position::Position;
use crate::reductions::Reductions;
use crate::score::{MAX_PLY, Score, Verdict};
use crate::static_evaluation::{Evaluation, StaticEvaluator};
use crate::style::Style;
use crate::table::Table;
use crate::time::Budget;
use crate::variation::Variations;
use crate::vote::Found;

/// The search was told to end. Leaving it is an ordinary return path.
#[derive(Debug)]
pub struct Stopped;

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
    pub(crate) fn new(evaluation: &Evaluation) -> Memory {
        Memory { histories: Histories::new(), evaluator: StaticEvaluator::new(evaluation) }
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

/// A move at the root and what is known of it.
#[derive(Clone, Debug)]
pub struct RootMove {
    /// The move.
    pub mv: Move,
    /// What the move was last found to be worth.
    pub score: Score,
    /// The same in the search under way; `-INFINITE` while it has not been found better than the moves before it.
    pub rank: Score,
    /// The line that it begins, itself included.
    pub line: Vec<Move>,
    /// Moves made below this one in the whole search.
    pub nodes: u64,
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
    pub(crate) selective_depth: usize,
    /// The iteration under way.
    pub(crate) depth: i32,
    pub(crate) root_moves: Vec<RootMove>,
    /// Which of several lines is being searched, from 0: the root moves before it are settled.
    pub(crate) line: usize,
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
        let root_moves = position
            .legal_moves()
            .iter()
            .filter(|m| allowed.is_none_or(|allowed| allowed.contains(m)))
            .map(|&mv| RootMove { mv, score: Score::DRAW, rank: -Score::INFINITE, line: vec![mv], nodes: 0 })
            .collect();
        let mut keys = shared.root.earlier_keys.clone();
        keys.reserve(MAX_PLY + 1);
        let first_poll = shared.limits.nodes.map_or(POLL_INTERVAL, |nodes| nodes.clamp(1, POLL_INTERVAL));
        Worker {
            shared,
            histories,
            evaluator,
            is_first,
            nodes: 0,
            selective_depth: 0,
            depth: 0,
            root_moves,
            line: 0,
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
    pub(crate) fn deepen(mut self, observer: &mut dyn Observer) -> Option<Found> {
        let depth = if self.root_moves.is_empty() { 0 } else { self.iterate(observer) };
        self.count_nodes();
        let best = self.root_moves.into_iter().next()?;
        Some(Found { depth, selective_depth: self.selective_depth, best })
    }

    /// Returns the last completed iteration.
    fn iterate(&mut self, observer: &mut dyn Observer) -> i32 {
        let lines = self.shared.limits.lines.clamp(1, self.root_moves.len().max(1));
        let deepest = self.shared.limits.depth.unwrap_or(u32::MAX).min(MAX_PLY as u32 - 1) as i32;
        let mut stability = Stability::default();
        let mut completed = 0;
        for depth in 1..=deepest {
            self.depth = depth;
            let previous: Vec<Score> = self.root_moves.iter().take(lines).map(|root| root.score).collect();
            for (line, score) in previous.into_iter().enumerate() {
                self.line = line;
                self.selective_depth = 0;
                if self.aspire(score, observer).is_err() {
                    self.rank_lines(line);
                    return completed;
                }
            }
            self.rank_lines(lines);
            for line in 0..lines {
                self.line = line;
                self.report(Bound::Exact, observer);
            }
            completed = depth;
            stability.note(&self.root_moves[0]);
            if self.is_first && self.is_enough(&stability) {
                break;
            }
        }
        completed
    }

    /// Puts the first lines in the order of their scores: a later one may have turned out better, since it was searched
    /// with what the earlier ones left in the hash table.
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
            // The sort is stable, so that moves which were not better keep the order of earlier iterations. If the
            // search was stopped before it found anything, the old order stands.
            self.root_moves[line..].sort_by_key(|root| std::cmp::Reverse(root.rank));
            let score = result?;
            if score <= alpha {
                self.report(Bound::Upper, observer);
                beta = Score::from_value(i32::midpoint(alpha.value(), beta.value()));
                alpha = (score - margin).max(-Score::INFINITE);
            } else if score >= beta {
                self.report(Bound::Lower, observer);
                beta = (score + margin).min(Score::INFINITE);
            } else {
                return Ok(());
            }
            margin *= 2;
            if margin > 500 || score.is_mate() {
                (alpha, beta) = (-Score::INFINITE, Score::INFINITE);
            }
        }
    }

    /// Tells the observer about the current line. Failing searches are only worth telling when they take long.
    fn report(&mut self, bound: Bound, observer: &mut dyn Observer) {
        const LONG: Duration = Duration::from_secs(3);
        if !self.is_first {
            return;
        }
        self.count_nodes();
        if bound != Bound::Exact && self.shared.elapsed() < LONG {
            return;
        }
        let best = self.root_moves[self.line].clone();
        let found = Found { depth: self.depth, selective_depth: self.selective_depth, best };
        self.shared.report(&found, self.line + 1, bound, observer);
    }

    /// Whether another iteration is not worth beginning.
    fn is_enough(&mut self, stability: &Stability) -> bool {
        let verdict = self.root_moves[0].score.verdict();
        let mates_within = |moves| matches!(verdict, Verdict::MateIn(found) if found <= moves);
        if self.shared.limits.mate.is_some_and(mates_within) {
            return true;
        }
        self.count_nodes();
        let total = self.shared.nodes.load(Ordering::Relaxed);
        if self.shared.limits.soft_nodes.is_some_and(|limit| total >= limit) {
            return true;
        }
        let Some(budget) = self.shared.budget.filter(|_| !self.shared.control.is_pondering()) else {
            return false;
        };
        let elapsed = self.shared.elapsed();
        if !matches!(self.shared.limits.time, TimeLimit::Clock { .. }) {
            return elapsed >= budget.soft;
        }
        // An only move needs no thought, nor does a mate much shorter than the search is deep.
        let is_clear = self.root_moves.len() == 1 || mates_within(self.depth as u32 / 3);
        is_clear || elapsed >= budget.stretched(stability.factor(self.share_of_best()))
    }

    /// How much of this thread's work went into its best move, in percent.
    fn share_of_best(&self) -> u32 {
        (100 * self.root_moves[0].nodes / self.nodes.max(1)) as u32
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
        if !self.is_first || self.depth <= 1 {
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

impl Worker<'_> {
    /// Whether the side to move can repeat a position of the path below the root.
    pub(crate) fn can_repeat(&self, position: &Position, ply: usize) -> bool {
        let reach = (self.keys.len() - self.repetition_floor).min(position.halfmoves().into()).min(ply);
        (3..=reach).step_by(2).any(|back| position.reaches(self.keys[self.keys.len() - back]))
    }
}

/// How settled the search is on its best move, over the iterations.
#[derive(Default)]
pub struct Stability {
    best: Option<Move>,
    unchanged: u32,
    score: Option<Score>,
    falling: i32,
}

impl Stability {
    /// Notes what an iteration found best.
    pub fn note(&mut self, root: &RootMove) {
        self.unchanged = if self.best == Some(root.mv) { self.unchanged + 1 } else { 0 };
        self.falling = self.score.map_or(0, |before| before.value() - root.score.value());
        (self.best, self.score) = (Some(root.mv), Some(root.score));
    }

    /// What to make of the soft limit, in percent: less for a best move that stays and that most of the work went into
    /// (`share`, in percent), as its rivals are refuted quickly; more for a score that falls.
    pub fn factor(&self, share: u32) -> u32 {
        let by_move = [140, 118, 104, 97, 92, 88, 85][self.unchanged.min(6) as usize];
        let by_share = 210 - 140 * share.min(100) / 100;
        let by_score = (100 + self.falling.clamp(-10, 50)) as u32;
        by_move * by_share * by_score / 10_000
    }
}
