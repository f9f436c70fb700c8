//! The handle by which others steer a running search.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

/// The search was told to end. Leaving it is an ordinary return path.
#[derive(Debug)]
pub struct Stopped;

/// Shared between a search and those who may stop it. Made new for each search.
#[derive(Debug, Default)]
pub struct Control {
    stop: AtomicBool,
    pondering: AtomicBool,
    suspended: AtomicBool,
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

    /// Makes the search stand still, without use of the processor, at its next look at the clock. The clock itself is
    /// for its owner to hold.
    pub fn suspend(&self) {
        self.suspended.store(true, Ordering::Relaxed);
    }

    /// Lets a suspended search go on as if nothing had happened.
    pub fn resume(&self) {
        self.release(|| self.suspended.store(false, Ordering::Release));
    }

    /// Blocks while the search is suspended, unless it was stopped.
    #[inline]
    pub fn wait_while_suspended(&self) {
        if self.suspended.load(Ordering::Relaxed) {
            self.wait_while(|| self.suspended.load(Ordering::Acquire));
        }
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
        self.wait_while(|| self.pondering.load(Ordering::Acquire));
    }

    /// Blocks until `is_closed` no longer holds, or until [`Control::stop`].
    #[cold]
    fn wait_while(&self, is_closed: impl Fn() -> bool) {
        let gate = self.gate.lock().unwrap_or_else(PoisonError::into_inner);
        let _gate = self.released.wait_while(gate, |()| is_closed() && !self.stop.load(Ordering::Acquire));
    }
}
