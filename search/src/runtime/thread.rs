//! One thread of a search: what the runtime keeps of it, whatever the rules.

use std::sync::atomic::Ordering;
use std::time::Duration;

use super::SearchPosition;
use super::control::Stopped;
use super::observer::{Bound, Observer};
use super::progress::Progress;
use super::shared::Shared;
use super::time_manager::TimeManager;
use super::variation::Variations;
use crate::moves::Move;
use crate::score::{MAX_PLY, Score};

/// Nodes between two looks at the clock.
const POLL_INTERVAL: u64 = 512;

/// Searches that fail are only worth telling when they take so long.
const WORTH_TELLING: Duration = Duration::from_secs(3);

/// The state of a thread that a search by any rules needs: it is told of every move that is made and taken back, looks at
/// the clock, and knows repetitions.
pub struct SearchThread<'a, P> {
    /// What all threads share.
    pub shared: &'a Shared<'a, P>,
    /// Who hears of the first thread, which alone looks at limits and reports.
    pub(super) observer: Option<&'a mut dyn Observer>,
    /// Moves made.
    pub nodes: u64,
    /// How far it has come.
    pub progress: Progress,
    /// The best line of each node on the path.
    pub variations: Variations,
    time: TimeManager,
    /// Keys of all earlier positions, of the game and then of the path to the current node.
    keys: Vec<u64>,
    /// Length of `keys` at the last null move, beyond which no repetition is real.
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
            time: TimeManager::new(shared.limits),
            keys,
            repetition_floor: 0,
            next_poll: poll_interval(shared.limits.nodes),
            counted_nodes: 0,
        }
    }

    pub(super) fn is_first(&self) -> bool {
        self.observer.is_some()
    }

    /// A node at a ply is looked at. Its score, if it is a draw or its value was told.
    ///
    /// # Errors
    /// The search is to end.
    #[inline]
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

    /// Looks at clock, limits and orders.
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

    /// Moves made by all threads, up to their last poll.
    pub(super) fn all_nodes(&mut self) -> u64 {
        let new = self.nodes - std::mem::replace(&mut self.counted_nodes, self.nodes);
        self.shared.nodes.fetch_add(new, Ordering::Relaxed) + new
    }

    /// Notes the end of an iteration; whether there is time for another.
    pub(super) fn has_time_for_iteration(&mut self) -> bool {
        self.all_nodes();
        let best = self.progress.best();
        self.time.note_iteration(best.mv, best.score);
        self.shared.control.is_pondering()
            || self.time.allows_iteration(self.shared.elapsed(), &self.progress, self.nodes)
    }

    /// A move is made, or a pass, in this position. Pairs with [`SearchThread::take_back`].
    #[inline]
    pub fn note_move(&mut self, position: &P) {
        self.nodes += 1;
        self.keys.push(position.repetition_key());
    }

    /// The last move is taken back.
    #[inline]
    pub fn take_back(&mut self) {
        self.keys.pop();
    }

    /// The side to move passes in this position, which no repetition reaches across. Returns what
    /// [`SearchThread::take_back_null_move`] wants.
    #[inline]
    pub fn note_null_move(&mut self, position: &P) -> usize {
        self.note_move(position);
        std::mem::replace(&mut self.repetition_floor, self.keys.len())
    }

    /// The last pass is taken back.
    #[inline]
    pub fn take_back_null_move(&mut self, floor: usize) {
        self.repetition_floor = floor;
        self.take_back();
    }

    /// Whether the position is a draw by the rules, or would be if the line went on as before: a position that comes
    /// back within the search is taken for a draw at once, one from the game on its third time.
    #[inline]
    fn is_draw(&self, position: &P, ply: usize) -> bool {
        if position.halfmoves() >= 100 {
            // Mate on the hundredth ply comes first.
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

    /// How many plies back the position may have been on the board.
    #[inline]
    fn reach(&self, position: &P) -> usize {
        let reach = self.keys.len() - self.repetition_floor;
        if P::CAPTURES_COME_BACK { reach } else { reach.min(position.halfmoves() as usize) }
    }

    /// The keys of the positions of the path, below the root, that one move of the side to move might bring back.
    #[inline]
    pub fn keys_within_a_move(&self, position: &P, ply: usize) -> impl Iterator<Item = u64> {
        (3..=self.reach(position).min(ply)).step_by(2).map(|back| self.keys[self.keys.len() - back])
    }

    /// What a draw is worth to the side to move.
    #[inline]
    pub fn draw(&self, position: &P) -> Score {
        self.shared.root.style.draw_for(position.turn())
    }

    /// What a position is worth at first sight, in the style of play, if `evaluation` is the truth.
    #[inline]
    pub fn in_style(&self, evaluation: Score, position: &P) -> Score {
        let style = &self.shared.root.style;
        if style.noise == 0 { evaluation } else { style.blur(evaluation, position.repetition_key()) }
    }

    /// Tells the observer about the current line.
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
