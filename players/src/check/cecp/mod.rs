//! The checklist of CECP: spec/cecp.txt, and what XBoard and other programs rely on.

mod analysis;
mod bench;
mod clocks;
mod control;
mod game;
mod handshake;
mod settings;
mod variants;

use super::Rule;

/// The rules, in the order of the specification.
pub(super) fn rules() -> Vec<Rule> {
    [
        handshake::RULES,
        game::RULES,
        control::RULES,
        clocks::RULES,
        analysis::RULES,
        settings::RULES,
        variants::RULES,
    ]
    .concat()
}
