//! What the other end does too late, or tells otherwise than it is here.

use std::time::{Duration, Instant};

use game::millis_text;
use messages::autoplayer::LinkRole;

use super::LinkMatch;
use crate::link::live::{ClockGap, GapKind, LinkStage};

/// Differences between two readings of a clock: their sum, and the one that was told last.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct GapSum {
    sum: Duration,
    told: Duration,
}

/// Sum of small differences from which on they are told.
const MOST_UNEXPLAINED: Duration = Duration::from_mins(1);

impl LinkMatch {
    /// Tells both operators that two readings of a clock differ: the first time, and when the difference has doubled. Those of
    /// the other end's moves add up.
    pub(super) fn tell_gap(&mut self, gap: &ClockGap) {
        let GapSum { sum, told } = &mut self.gaps[gap.kind as usize];
        let adds_up = matches!(gap.kind, GapKind::Left | GapKind::Used);
        *sum = if adds_up { sum.saturating_add(gap.size) } else { gap.size };
        let is_due = if told.is_zero() {
            gap.is_plain || *sum >= MOST_UNEXPLAINED
        } else {
            *sum >= told.saturating_mul(2)
        };
        if is_due {
            let all = if *sum > gap.size { format!("; {} in all", millis_text(*sum)) } else { String::new() };
            *told = *sum;
            self.alert(format!("{}{all}", gap.text));
        }
    }

    /// Tells when the other engine is beyond its time, and ends the match when the other end keeps us waiting for a message.
    pub(super) fn check_other(&mut self, now: Instant) {
        let name = self.other.as_ref().map(|other| other.name.clone()).unwrap_or_default();
        if let Some(gap) = self.game.as_ref().and_then(|game| game.overdue(now)).filter(|gap| gap.is_plain) {
            self.tell_gap(&ClockGap { text: format!("{name} {}", gap.text), ..gap });
        }
        let due = self.due_message();
        match (due, self.awaited) {
            (Some(due), Some((word, since))) if due == word => {
                if now.saturating_duration_since(since) > self.patience {
                    let seconds = self.patience.as_secs();
                    self.stop_at_once(&format!("no `{word}` from the other end for {seconds} s"), now);
                }
            }
            _ => self.awaited = due.map(|word| (word, now)),
        }
    }

    /// The message without which the match does not go on.
    fn due_message(&self) -> Option<&'static str> {
        if self.is_over || !self.is_linked {
            return None;
        }
        match (self.role, self.game.as_ref().map(|game| game.stage)) {
            (LinkRole::Slave, None) if self.terms.is_none() => Some("match"),
            (LinkRole::Slave, None) => Some("game"),
            (LinkRole::Slave, Some(LinkStage::Claimed)) => Some("end"),
            (LinkRole::Slave, Some(LinkStage::Setting { own: true, .. })) => Some("start"),
            (LinkRole::Master, Some(LinkStage::Setting { own: true, .. })) => Some("ready"),
            _ => None,
        }
    }
}
