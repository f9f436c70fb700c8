//! The pulse: notices that this process did not run for a while, as after SIGSTOP or while the machine slept.
//!
//! A task of the network's runtime feels it twenty times a second. Whoever takes the moment of an input feels it, too, before
//! anything else: the first who runs after a pause notes it, so that no reply is judged and no flag falls before the deciding
//! thread has given the time back. A network that is alive while only the deciding thread waits, for a disk say, is no pause:
//! the moments of the replies are right then.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Interval at which the pulse is felt.
const INTERVAL: Duration = Duration::from_millis(50);
/// A longer time without it means that nothing ran. If a busy machine delays the network's thread by as much, the moments of
/// replies are as late, and giving the time back is right, too.
const LONGEST: Duration = Duration::from_millis(250);

/// The pulse of this process.
#[derive(Clone)]
pub(super) struct Pulse(Arc<Mutex<Felt>>);

struct Felt {
    last: Instant,
    /// Time in which nothing ran, and which nobody has asked for yet.
    lost: Duration,
}

impl Pulse {
    /// Starts the task that feels it. Must be called inside the network's runtime.
    pub(super) fn start() -> Pulse {
        let pulse = Pulse::new(Instant::now());
        let task = pulse.clone();
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(INTERVAL).await;
                task.feel(Instant::now());
            }
        });
        pulse
    }

    fn new(now: Instant) -> Pulse {
        Pulse(Arc::new(Mutex::new(Felt { last: now, lost: Duration::ZERO })))
    }

    /// Notes that the process runs.
    pub(super) fn feel(&self, now: Instant) {
        self.felt(now, |_| {});
    }

    /// Returns the time in which nothing ran since the last call, if there was any.
    pub(super) fn outage(&self, now: Instant) -> Option<Duration> {
        let mut lost = Duration::ZERO;
        self.felt(now, |felt| lost = std::mem::take(&mut felt.lost));
        (!lost.is_zero()).then_some(lost)
    }

    fn felt(&self, now: Instant, then: impl FnOnce(&mut Felt)) {
        let mut felt = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let gap = now.saturating_duration_since(felt.last);
        if gap > LONGEST {
            felt.lost += gap.saturating_sub(INTERVAL);
        }
        felt.last = now.max(felt.last);
        then(&mut felt);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_runs_first_after_a_pause_notes_it() {
        let begin = Instant::now();
        let (pulse, later) = (Pulse::new(begin), |millis| begin + Duration::from_millis(millis));
        for tenth in 1..20 {
            pulse.feel(later(100 * tenth));
        }
        assert_eq!(pulse.outage(later(2000)), None);
        pulse.feel(later(32_000));
        pulse.feel(later(32_001));
        assert_eq!(pulse.outage(later(32_002)), Some(Duration::from_millis(29_950)));
        assert_eq!(pulse.outage(later(32_003)), None, "once");
        pulse.feel(later(32_253));
        assert_eq!(pulse.outage(later(32_254)), None, "too short");
        pulse.feel(later(32_553));
        assert_eq!(pulse.outage(later(32_554)), Some(Duration::from_millis(249)), "nearly all of 0.3 s");
        assert_eq!(pulse.outage(later(42_504)), Some(Duration::from_millis(9900)));
    }
}
