//! The handle by which others steer a running search.

use std::sync::atomic::{AtomicBool, Ordering};

/// Shared between a search and those who may stop it. Made new for each search.
#[derive(Debug, Default)]
pub struct Control {
    stop: AtomicBool,
    pondering: AtomicBool,
}

impl Control {
    /// The control of a search that plays at once.
    pub const fn new() -> Control {
        Control { stop: AtomicBool::new(false), pondering: AtomicBool::new(false) }
    }

    /// The control of a search on the opponent's time: its time limit counts from [`Control::ponder_hit`] on.
    pub const fn pondering() -> Control {
        Control { stop: AtomicBool::new(false), pondering: AtomicBool::new(true) }
    }

    /// Ends the search as soon as possible; it still answers with its best move.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// The expected move was played: from now on the search is on its own time.
    pub fn ponder_hit(&self) {
        self.pondering.store(false, Ordering::Relaxed);
    }

    /// Whether [`Control::stop`] was called.
    #[inline]
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Whether the search is still on the opponent's time.
    #[inline]
    pub fn is_pondering(&self) -> bool {
        self.pondering.load(Ordering::Relaxed)
    }
}
