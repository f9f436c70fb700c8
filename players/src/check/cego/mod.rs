//! Rules of CEGO, revision 1: spec/cego-revision-1.txt.

mod game;
mod harness;

use super::ConformanceRule;

pub(super) use self::harness::{CegoHarness, CegoStart};

/// Sections of the specification.
mod sections {
    pub(super) const INITIALIZATION: &str = "Initialization";
    pub(super) const FIRST_MOVE: &str = "First move";
    pub(super) const LATER_MOVES: &str = "Subsequent moves";
    pub(super) const TERMINATION: &str = "Termination of the game";
    pub(super) const MALFORMED: &str = "Communication";
}

/// Returns the rules.
pub(super) const RULES: [&[ConformanceRule]; 2] = [game::RULES, game::BREACHES];
