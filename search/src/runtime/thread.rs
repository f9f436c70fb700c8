//! The state of one search thread that does not depend on the variant.

use std::sync::atomic::Ordering;
use std::time::Duration;

use super::time_manager::TimeManager;
use super::{Progress, SearchPosition, Shared, Stopped, Variations};
use crate::{Bound, MAX_PLY, Move, Observer, Score};

/// Largest number of nodes between two polls of the clock.
const POLL_INTERVAL: u64 = 512;

/// Bounds (fail high, fail low) are reported only after this time.
const WORTH_TELLING: Duration = Duration::from_secs(3);

/// The state of a search thread. The recursion notifies it of every move made and unmade; it checks the limits and detects
/// repetitions.
pub struct SearchThread<'a, P> {
    /// The state that all threads share.
    pub shared: &'a Shared<'a, P>,
    /// Set for the first thread only, which alone checks the time and reports.
    pub(super) observer: Option<&'a mut dyn Observer>,
    /// Nodes (moves made) of this thread.
    pub nodes: u64,
    /// The root moves and the current iteration.
    pub progress: Progress,
    /// The principal variation of each node on the path.
    pub variations: Variations,
    time: TimeManager,
    /// Repetition keys of all earlier positions: those of the game, then those of the path to the current node.
    keys: Vec<u64>,
    /// Length of `keys` at the last null move. Repetitions across a null move do not count.
    repetition_floor: usize,
    next_poll: u64,
    counted_nodes: u64,
}

impl<'a, P: SearchPosition> SearchThread<'a, P> {
    pub(super) fn new(
        shared: &'a Shared<'a, P>,
        observer: Option<&'a mut dyn Observer>,
    ) -> SearchThread<'a, P> {
        let root = shared.root;
        let is_allowed = |m: &Move| root.allowed.as_ref().is_none_or(|allowed| allowed.contains(m));
        let mut keys = root.earlier_keys.clone();
        keys.reserve(MAX_PLY + 1);
        SearchThread {
            shared,
            observer,
            nodes: 0,
            progress: Progress::new(root.position.moves().into_iter().filter(is_allowed)),
            variations: Variations::new(),
            time: TimeManager::new(shared.limits, root.move_number),
            keys,
            repetition_floor: 0,
            next_poll: poll_interval(shared.limits.nodes),
            counted_nodes: 0,
        }
    }

    pub(super) fn is_first(&self) -> bool {
        self.observer.is_some()
    }

    /// Enters a node. Returns its score if it is a draw or has a fixed value ([`super::Root::told_values`]).
    ///
    /// # Errors
    /// The search was stopped.
    pub fn enter(&mut self, position: &P, ply: usize) -> Result<Option<Score>, Stopped> {
        if self.nodes >= self.next_poll {
            self.poll()?;
        }
        self.progress.selective_depth = self.progress.selective_depth.max(ply);
        self.variations.clear(ply);
        if self.is_draw(position, ply) {
            return Ok(Some(self.draw(position)));
        }
        Ok(self.shared.root.told_value(position))
    }

    /// Checks clock, limits and control.
    #[cold]
    fn poll(&mut self) -> Result<(), Stopped> {
        let shared = self.shared;
        let total = self.all_nodes();
        shared.control.wait_while_suspended();
        if shared.control.is_stopped() || shared.is_finished() {
            return Err(Stopped);
        }
        let nodes_left = shared.limits.nodes.map(|limit| limit.saturating_sub(total));
        self.next_poll = self.nodes + poll_interval(nodes_left);
        // The first thread completes an iteration in any case, so that there is a best move.
        if self.is_first() && self.progress.depth <= 1 {
            return Ok(());
        }
        let checks_time = self.is_first() && !shared.control.is_pondering();
        if nodes_left == Some(0) || checks_time && self.time.is_over(shared.elapsed()) {
            return Err(Stopped);
        }
        Ok(())
    }

    /// Adds the nodes of this thread to the shared count. Returns the nodes of all threads, as of their last polls.
    pub(super) fn all_nodes(&mut self) -> u64 {
        let new = self.nodes - std::mem::replace(&mut self.counted_nodes, self.nodes);
        self.shared.nodes.fetch_add(new, Ordering::Relaxed) + new
    }

    /// Records the end of an iteration. Returns whether there is time for another.
    pub(super) fn has_time_for_iteration(&mut self) -> bool {
        self.all_nodes();
        let best = self.progress.best();
        self.time.note_iteration(best.mv, best.score);
        self.shared.control.is_pondering()
            || self.time.allows_iteration(self.shared.elapsed(), &self.progress, self.nodes)
    }

    /// Records that a move is made in this position. Pairs with [`SearchThread::take_back`].
    pub fn note_move(&mut self, position: &P) {
        self.nodes += 1;
        self.keys.push(position.repetition_key());
    }

    /// Records that the last move is unmade.
    pub fn take_back(&mut self) {
        self.keys.pop();
    }

    /// Records a null move in this position. Returns the argument for [`SearchThread::take_back_null_move`].
    pub fn note_null_move(&mut self, position: &P) -> usize {
        self.note_move(position);
        std::mem::replace(&mut self.repetition_floor, self.keys.len())
    }

    /// Records that the last null move is unmade.
    pub fn take_back_null_move(&mut self, floor: usize) {
        self.repetition_floor = floor;
        self.take_back();
    }

    /// Whether the position counts as a draw. A position that repeats one of the search counts at once, one of the game at
    /// its third occurrence.
    fn is_draw(&self, position: &P, ply: usize) -> bool {
        if position.halfmoves() >= 100 {
            // Checkmate on the hundredth ply has priority.
            return !position.is_check() || !position.moves().is_empty();
        }
        if position.has_insufficient_material() {
            return true;
        }
        let mut seen = 0;
        for back in (4..=self.reach(position)).step_by(2) {
            if self.keys[self.keys.len() - back] == position.repetition_key() {
                seen += 1;
                if back <= ply || seen == 2 {
                    return true;
                }
            }
        }
        false
    }

    /// Returns how many plies back an equal position is possible.
    fn reach(&self, position: &P) -> usize {
        let reach = self.keys.len() - self.repetition_floor;
        if P::CAPTURES_COME_BACK { reach } else { reach.min(position.halfmoves() as usize) }
    }

    /// Returns the keys of the positions below the root that the side to move might repeat with its next move.
    pub fn keys_within_a_move(&self, position: &P, ply: usize) -> impl Iterator<Item = u64> {
        (3..=self.reach(position).min(ply)).step_by(2).map(|back| self.keys[self.keys.len() - back])
    }

    /// Returns the score of a draw for the side to move.
    pub fn draw(&self, position: &P) -> Score {
        self.shared.root.style.draw_for(position.turn())
    }

    /// Applies the style of play to a static evaluation.
    pub fn in_style(&self, evaluation: Score, position: &P) -> Score {
        let style = &self.shared.root.style;
        if style.noise == 0 { evaluation } else { style.blur(evaluation, position.repetition_key()) }
    }

    /// Reports the current line to the observer.
    pub(super) fn report(&mut self, bound: Bound) {
        self.all_nodes();
        let shared = self.shared;
        if let Some(observer) = self.observer.as_deref_mut().filter(|observer| observer.is_listening())
            && (bound == Bound::Exact || shared.elapsed() >= WORTH_TELLING)
        {
            shared.report(&self.progress, bound, observer);
        }
    }
}

/// Returns the nodes until the next poll. It is a fraction of the nodes left, so that several threads hardly exceed a limit.
fn poll_interval(nodes_left: Option<u64>) -> u64 {
    nodes_left.map_or(POLL_INTERVAL, |nodes| (nodes / 4).clamp(1, POLL_INTERVAL))
}
