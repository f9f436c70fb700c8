//! Settings, and who plays.

use messages::cecp::{Message, Switch};

use super::harness::{CecpHarness, is_refusal};
use crate::check::harness::{QUIET, require, trial_values};
use crate::check::{Candidate, ConformanceRule, Failure, rule};

pub(super) const RULES: &[ConformanceRule] = &[
    rule("options", "takes the ends of the ranges of its options", options),
    rule("option-unknown", "answers an unknown option with `Error`, and goes on", option_unknown),
    rule("memory", "takes `memory`", |program| {
        accepts(CecpHarness::with_feature(program, Switch::Memory)?, "memory 68")
    }),
    rule("cores", "takes `cores`", |program| {
        accepts(CecpHarness::with_feature(program, Switch::Smp)?, "cores 2")
    }),
    rule("egtpath", "takes `egtpath` with blanks in the path, though nothing is there", egtpath),
    rule("frills", "takes `random`, `computer`, `rating`, `name` and `ics`", frills),
    rule("highlight", "answers `lift` with `highlight`", highlight),
];

fn options(candidate: &Candidate) -> Result<(), Failure> {
    let mut harness = CecpHarness::start(candidate)?;
    let mut settings = Vec::new();
    for option in harness.announced.options() {
        let name = &option.name;
        let values = trial_values(name, &option.kind, ["0", "1"]);
        settings.extend(values.iter().map(|value| format!("option {name}={value}")));
    }
    require(!settings.is_empty(), "options")?;
    harness.tell(&["new", "force"])?;
    for setting in settings {
        harness.tell(&[&setting])?;
        harness.settle_without(&format!("`{setting}` taken"), is_refusal)?;
    }
    harness.still_plays()
}

fn option_unknown(candidate: &Candidate) -> Result<(), Failure> {
    let mut harness = CecpHarness::forced(candidate)?;
    require(!harness.announced.options().is_empty(), "options")?;
    harness.settle()?;
    harness.tell(&["option No Such Option=3"])?;
    let is_error = |message: &Message| matches!(message, Message::Error { .. });
    harness.settle()?.has("`Error (unknown option): ...`", is_error)?;
    harness.still_plays()
}

/// Accepts a setting in silence before a game, and plays with it.
fn accepts(mut harness: CecpHarness, setting: &str) -> Result<(), Failure> {
    harness.settle()?;
    harness.tell(&[setting])?;
    harness.settle_without(&format!("`{setting}` taken"), is_refusal)?;
    harness.still_plays()
}

fn egtpath(candidate: &Candidate) -> Result<(), Failure> {
    let harness = CecpHarness::start(candidate)?;
    let Some(flavor) = harness.announced.endgame_tables().first() else {
        return Err(Failure::NotSupported("egt".into()));
    };
    let setting = format!("egtpath {flavor} /no such folder");
    accepts(harness, &setting)
}

fn frills(candidate: &Candidate) -> Result<(), Failure> {
    let mut harness = CecpHarness::forced(candidate)?;
    harness.settle()?;
    let mut frills = vec!["random", "random", "computer", "rating 2000 0"];
    for (feature, frill) in [(Switch::Name, "name Somebody with a long name"), (Switch::Ics, "ics -")] {
        frills.extend(harness.announced.has(feature).then_some(frill));
    }
    harness.takes(&frills)
}

fn highlight(candidate: &Candidate) -> Result<(), Failure> {
    let mut harness = CecpHarness::with_feature(candidate, Switch::Highlight)?;
    harness.tell(&["new", "force", "lift g1"])?;
    let is_highlight = |message: &Message| matches!(message, Message::Highlight(_));
    harness.hear_for(QUIET)?.has("`highlight ...`", is_highlight)?;
    harness.tell(&["put g1"])?;
    harness.settle_without("`put g1` taken", is_refusal)
}
