//! The checklist of UCI, S. Meyer-Kahlen's text of April 2006.

mod harness;
mod limits;
mod search;
mod start;

use super::ConformanceRule;

pub(super) use self::harness::{UciHarness, UciStart};

/// The rules.
pub(super) const RULES: [&[ConformanceRule]; 3] = [start::RULES, search::RULES, limits::RULES];
