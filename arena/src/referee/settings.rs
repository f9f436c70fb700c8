//! What is agreed before an event.

use std::time::Duration;

use game::{PgnTags, TimeControl};
use messages::referee::Secret;
use subtle::ConstantTimeEq as _;

use crate::schedule;
use crate::table::Rules;

/// An event, as its director wants it.
#[derive(Clone, Debug)]
pub struct EventSettings {
    /// Its name.
    pub name: String,
    /// Where it takes place.
    pub site: String,
    /// Who may take part. Their places here are their numbers in the schedule.
    pub programs: Vec<ProgramSettings>,
    /// Who meets whom.
    pub schedule: schedule::ScheduleSettings,
    /// The time that everybody has.
    pub control: TimeControl,
    /// How far a clock may be overdrawn with a move without losing; what is overdrawn is gone all the same.
    pub margin: Duration,
    /// By which rules games are judged.
    pub rules: Rules,
    /// How long nothing is sent to a client after `conclude` and `reset` (EPD specification, 8.1.1 and 8.1.6).
    pub quiet: Duration,
    /// How long a program may be gone in the middle of a game before it has lost it.
    pub patience: Duration,
    /// How often a program may come back to the same game.
    pub returns: u32,
    /// Whether each round waits for the director's word.
    pub rounds_by_hand: bool,
    /// What the opponent gets for a draw claim that is false.
    pub penalty: Duration,
    /// How long a connection may last before somebody signs on.
    pub sign_on_time: Duration,
}

impl EventSettings {
    /// The tags that all games have.
    pub(super) fn tags(&self) -> PgnTags {
        let mut tags = PgnTags::default();
        tags.set("Event", &self.name);
        tags.set("Site", &self.site);
        tags
    }
}

/// Somebody who may take part.
#[derive(Clone, Debug)]
pub struct ProgramSettings {
    /// The name under which it signs on.
    pub name: String,
    /// What proves it; without one, whoever knows the name may have it.
    pub secret: Option<Secret>,
}

/// So many records of a connection are refused; with the next one it is closed.
pub(super) const MOST_REFUSALS: u32 = 20;

impl ProgramSettings {
    /// Whether what somebody tells proves the name. Takes the same time whatever is told.
    pub(super) fn admits(&self, told: Option<&Secret>) -> bool {
        let Some(secret) = &self.secret else { return true };
        told.is_some_and(|told| is_same(secret.reveal(), told.reveal()))
    }
}

/// Compares two texts of at most 255 bytes in a time that depends on neither.
pub(super) fn is_same(one: &str, other: &str) -> bool {
    let padded = |text: &str| {
        let mut bytes = [0_u8; 256];
        let length = text.len().min(255);
        bytes[..length].copy_from_slice(&text.as_bytes()[..length]);
        // So that a text is not the same as one with zeros behind it.
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
