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

/// What the rules use.
mod prelude {
    pub(super) use messages::cecp::{Message, Switch};

    pub(super) use super::harness::CecpStart::*;
    pub(super) use super::harness::{CecpHarness, LONG_THINK, is_error, is_refusal, is_thinking, thoughts};
    pub(super) use crate::cecp::Cecp;
    pub(super) use crate::check::prelude::*;
}

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
