//! The handle through which other threads control a running search.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

/// The search has been stopped. The recursion unwinds by returning this as an error.
#[derive(Debug)]
pub struct Stopped;

/// Flags that a search shares with the threads that may stop, suspend or release it. Created anew for each search.
#[derive(Debug, Default)]
pub struct Control {
    stop: AtomicBool,
    pondering: AtomicBool,
    suspended: AtomicBool,
    gate: Mutex<()>,
    released: Condvar,
}

impl Control {
    /// The control of a search whose time limits hold from the start.
    pub fn new() -> Control {
        Control::default()
    }

    /// The control of a search that must not move yet (pondering or analysis). Its time limits hold only after
    /// [`Control::ponder_hit`].
    pub fn pondering() -> Control {
        Control { pondering: AtomicBool::new(true), ..Control::default() }
    }

    /// Ends the search as soon as possible. It still returns its best move.
    pub fn stop(&self) {
        self.release(|| self.stop.store(true, Ordering::Release));
    }

    /// Reports that the expected move was played. From now on the search uses its own time.
    pub fn ponder_hit(&self) {
        self.release(|| self.pondering.store(false, Ordering::Release));
    }

    /// Blocks the search at its next poll, without using processor time. The caller has to stop the clock itself.
    pub fn suspend(&self) {
        self.suspended.store(true, Ordering::Relaxed);
    }

    /// Resumes a suspended search.
    pub fn resume(&self) {
        self.release(|| self.suspended.store(false, Ordering::Release));
    }

    /// Blocks while the search is suspended, unless it was stopped.
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
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Whether the search must not move yet.
    pub fn is_pondering(&self) -> bool {
        self.pondering.load(Ordering::Relaxed)
    }

    /// Blocks until the search may move, that is until [`Control::stop`] or [`Control::ponder_hit`].
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
