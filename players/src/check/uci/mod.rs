//! Rules of UCI, by S. Meyer-Kahlen's specification of April 2006.

mod harness;
mod search;
mod start;

use super::ConformanceRule;

pub(super) use self::harness::{UciHarness, UciStart};

/// Returns the rules.
pub(super) const RULES: [&[ConformanceRule]; 3] = [start::RULES, search::RULES, search::LIMITS];
