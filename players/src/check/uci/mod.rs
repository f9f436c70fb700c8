//! Rules of UCI, by S. Meyer-Kahlen's specification of April 2006.

mod answers;
mod harness;
mod options;
mod search;
mod start;

use super::ConformanceRule;

pub(super) use self::harness::{UciHarness, UciStart};

/// Subjects of the specification, which has hardly any headings.
mod sections {
    pub(super) const GENERAL: &str = "General";
    pub(super) const OPTIONS: &str = "Start and options";
    pub(super) const POSITION: &str = "Position";
    pub(super) const GO: &str = "Search and its end";
    pub(super) const ANSWERS: &str = "Engine to GUI";
}

/// Returns the rules.
pub(super) const RULES: [&[ConformanceRule]; 5] =
    [start::RULES, options::RULES, search::RULES, search::LIMITS, answers::RULES];
