//! The checklist of CEGO, revision 1: spec/cego-revision-1.txt.

mod bench;
mod breaches;
mod game;

use super::Rule;

/// The rules.
pub(super) fn rules() -> Vec<Rule> {
    [game::RULES, breaches::RULES].concat()
}
