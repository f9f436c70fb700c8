//! The checklist of UCI, S. Meyer-Kahlen's text of April 2006.

mod bench;
mod limits;
mod search;
mod start;

use super::Rule;

/// The rules.
pub(super) fn rules() -> Vec<Rule> {
    [start::RULES, search::RULES, limits::RULES].concat()
}
