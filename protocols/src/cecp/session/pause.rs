//! `pause` and `resume`: everything stands still, the clock too, and then goes on as if nothing had happened.

use super::Session;

impl Session<'_> {
    /// `pause`
    pub(super) fn pause(&self) {
        if let Some(work) = &self.work {
            work.suspend();
            self.host.engine.suspend();
        }
    }

    /// `resume`
    pub(super) fn resume(&mut self) {
        if let Some(work) = &self.work {
            work.resume();
            self.host.engine.resume();
        }
        self.paused_thoughts.drain(..).rev().for_each(|thought| self.host.unread(thought));
    }
}
