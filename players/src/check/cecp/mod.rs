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
    pub(super) use super::sections::*;
    pub(super) use crate::cecp::Cecp;
    pub(super) use crate::check::prelude::*;
}

/// Sections of the specification, by their headings.
mod sections {
    pub(super) const HANDSHAKE: &str = "Initial Handshake";
    pub(super) const GAME: &str = "Conducting a game";
    pub(super) const CONTROL: &str = "General control";
    pub(super) const INTERACTIVE: &str = "Interactive play and analysis";
    pub(super) const ENGINE: &str = "Controlling the engine";
    pub(super) const TIME: &str = "Time and depth";
    pub(super) const FRILLS: &str = "Frills";
    pub(super) const VARIANTS: &str = "Chess variants";
    pub(super) const BUGHOUSE: &str = "Bughouse";
    pub(super) const HIGHLIGHT: &str = "Highlight protocol";
    pub(super) const ERRORS: &str = "Error messages";
    pub(super) const OUTPUT: &str = "Thinking Output";
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
