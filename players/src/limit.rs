//! How often something is told of which the other end decides how often it happens.

use std::time::{Duration, Instant};

/// A number of things in each span of time. The rest is not told.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RateLimit {
    most: u32,
    span: Duration,
    since: Option<Instant>,
    count: u32,
}

impl RateLimit {
    /// At most so many in each span.
    pub(crate) fn new(most: u32, span: Duration) -> RateLimit {
        RateLimit { most, span, since: None, count: 0 }
    }

    /// Counts one more. Returns whether it may be told.
    pub(crate) fn allows(&mut self, at: Instant) -> bool {
        if self.since.is_none_or(|since| at.saturating_duration_since(since) >= self.span) {
            (self.since, self.count) = (Some(at), 0);
        }
        self.count = self.count.saturating_add(1);
        self.count <= self.most
    }
}
