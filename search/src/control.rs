//! The handle by which others steer a running search.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

/// Shared between a search and those who may stop it. Made new for each search.
#[derive(Debug, Default)]
pub struct Control {
    stop: AtomicBool,
    pondering: AtomicBool,
    gate: Mutex<()>,
    released: Condvar,
}

impl Control {
    /// The control of a search that plays at once.
    pub fn new() -> Control {
        Control::default()
    }

    /// The control of a search that must not play yet (the opponent is to move, or it is an analysis): time limits
    /// hold only after [`Control::ponder_hit`].
    pub fn pondering() -> Control {
        Control { pondering: AtomicBool::new(true), ..Control::default() }
    }

    /// Ends the search as soon as possible; it still answers with its best move.
    pub fn stop(&self) {
        self.release(|| self.stop.store(true, Ordering::Release));
    }

    /// The expected move was played: from now on the search is on its own time.
    pub fn ponder_hit(&self) {
        self.release(|| self.pondering.store(false, Ordering::Release));
    }

    fn release(&self, change: impl FnOnce()) {
        let _gate = self.gate.lock().unwrap_or_else(PoisonError::into_inner);
        change();
        self.released.notify_all();
    }

    /// Whether [`Control::stop`] was called.
    #[inline]
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Whether the search must not play yet.
    #[inline]
    pub fn is_pondering(&self) -> bool {
        self.pondering.load(Ordering::Relaxed)
    }

    /// Blocks until the search may play: after [`Control::stop`] or [`Control::ponder_hit`].
    pub fn wait_until_released(&self) {
        let gate = self.gate.lock().unwrap_or_else(PoisonError::into_inner);
        let _gate = self.released.wait_while(gate, |()| {
            self.pondering.load(Ordering::Acquire) && !self.stop.load(Ordering::Acquire)
        });
    }
}
