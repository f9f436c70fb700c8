//! Rules of CECP: spec/cecp.txt, and behaviour that XBoard and other programs rely on.

mod analysis;
mod clocks;
mod control;
mod game;
mod handshake;
mod harness;
mod settings;
mod variants;

use super::ConformanceRule;

pub(super) use self::harness::{CecpHarness, CecpStart};

/// Returns the rules, in the order of the specification.
pub(super) const RULES: [&[ConformanceRule]; 7] = [
    handshake::RULES,
    game::RULES,
    control::RULES,
    clocks::RULES,
    analysis::RULES,
    settings::RULES,
    variants::RULES,
];
