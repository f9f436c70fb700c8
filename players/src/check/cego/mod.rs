//! Rules of CEGO, revision 1: spec/cego-revision-1.txt.

mod game;
mod harness;

use super::ConformanceRule;

pub(super) use self::harness::{CegoHarness, CegoStart};

/// Returns the rules.
pub(super) const RULES: [&[ConformanceRule]; 2] = [game::RULES, game::BREACHES];
