//! The settings of an event.

use std::time::Duration;

use game::{PgnTags, TimeControl};
use messages::referee::Secret;
use subtle::ConstantTimeEq as _;

use crate::{Rules, schedule};

/// Settings of an event.
#[derive(Clone, Debug)]
pub struct EventSettings {
    /// Name of the event.
    pub name: String,
    /// Site of the event.
    pub site: String,
    /// Programs that may take part. Their indices are their numbers in the schedule.
    pub programs: Vec<ProgramSettings>,
    /// Settings of the schedule.
    pub schedule: schedule::ScheduleSettings,
    /// Time control of all programs.
    pub control: TimeControl,
    /// Margin by which a clock may be overdrawn without loss. The overdrawn time is deducted all the same.
    pub margin: Duration,
    /// Adjudication rules.
    pub rules: Rules,
    /// Quiet period after `conclude` and `reset`, in which nothing is sent to a client (EPD specification, 8.1.1 and
    /// 8.1.6).
    pub quiet: Duration,
    /// Time that a program may be absent from a running game before it loses the game.
    pub patience: Duration,
    /// Number of times that a program may return to the same game.
    pub returns: u32,
    /// Whether each round waits for the director's command.
    pub rounds_by_hand: bool,
    /// Time added to the opponent's clock for a false draw claim.
    pub penalty: Duration,
    /// Time that a connection may last without a sign-on.
    pub sign_on_time: Duration,
}

impl EventSettings {
    /// Returns the PGN tags shared by all games.
    pub(super) fn tags(&self) -> PgnTags {
        let mut tags = PgnTags::default();
        tags.set("Event", &self.name);
        tags.set("Site", &self.site);
        tags
    }
}

/// Settings of a program that may take part.
#[derive(Clone, Debug)]
pub struct ProgramSettings {
    /// Name under which the program signs on.
    pub name: String,
    /// Secret that proves the name; without one, anybody may sign on under the name.
    pub secret: Option<Secret>,
}

/// Number of records of a connection that are refused; the connection is closed at the next one.
pub(super) const MOST_REFUSALS: u32 = 20;

impl ProgramSettings {
    /// Whether a secret proves the name. Takes the same time for any secret.
    pub(super) fn admits(&self, told: Option<&Secret>) -> bool {
        let Some(secret) = &self.secret else { return true };
        told.is_some_and(|told| is_same(secret.reveal(), told.reveal()))
    }
}

/// Compares two texts of at most 255 bytes in constant time.
pub(super) fn is_same(one: &str, other: &str) -> bool {
    let padded = |text: &str| {
        let mut bytes = [0_u8; 256];
        let length = text.len().min(255);
        bytes[..length].copy_from_slice(&text.as_bytes()[..length]);
        // The length distinguishes a text from the same text followed by zeros.
        bytes[255] = length as u8;
        bytes
    };
    bool::from(padded(one).ct_eq(&padded(other)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_needed_only_if_there_is_one() {
        let program =
            |secret: Option<&str>| ProgramSettings { name: "A".to_owned(), secret: secret.map(Secret::new) };
        let told = |text: &str| Some(Secret::new(text));
        assert!(program(None).admits(None) && program(None).admits(told("x").as_ref()));
        assert!(program(Some("abc")).admits(told("abc").as_ref()));
        for wrong in ["", "ab", "abcd", "abd", "abc\0"] {
            assert!(!program(Some("abc")).admits(told(wrong).as_ref()), "{wrong}");
        }
        assert!(!program(Some("abc")).admits(None) && !is_same("a", "a\0"));
    }
}
