//! Settings, and who plays.

use messages::cecp::{Message, OptionKind, Switch};

use super::bench::{Bench, QUIET, is_refusal};
use crate::check::conversation::{none, some};
use crate::check::options::greatest;
use crate::check::{Candidate, Miss, Rule};

pub(super) const RULES: &[Rule] = &[
    Rule { label: "options", duty: "takes the ends of the ranges of its options", check: options },
    Rule {
        label: "option-unknown",
        duty: "answers an unknown option with `Error`, and goes on",
        check: option_unknown,
    },
    Rule { label: "memory", duty: "takes `memory`", check: memory },
    Rule { label: "cores", duty: "takes `cores`", check: cores },
    Rule {
        label: "egtpath",
        duty: "takes `egtpath` with blanks in the path, though nothing is there",
        check: egtpath,
    },
    Rule { label: "frills", duty: "takes `random`, `computer`, `rating`, `name` and `ics`", check: frills },
    Rule { label: "highlight", duty: "answers `lift` with `highlight`", check: highlight },
];

fn options(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::start(candidate)?;
    let mut settings = Vec::new();
    for option in bench.features.options() {
        let name = &option.name;
        match &option.kind {
            OptionKind::Spin { value, min, max } | OptionKind::Slider { value, min, max } => {
                let values = [*min, greatest(name, *value, *max), *value];
                settings.extend(values.map(|value| format!("{name}={value}")));
            }
            OptionKind::Check(value) => {
                settings.extend([!value, *value].map(|value| format!("{name}={}", u8::from(value))));
            }
            OptionKind::Combo { choices, current } => {
                settings.extend(
                    choices.iter().chain([&choices[*current]]).map(|value| format!("{name}={value}")),
                );
            }
            _ => {}
        }
    }
    if settings.is_empty() {
        return Err(Miss::NotSupported("options".into()));
    }
    bench.tell(&["new", "force"])?;
    for setting in settings {
        bench.tell(&[&format!("option {setting}")])?;
        none(&bench.settle()?, &format!("`option {setting}` taken"), is_refusal)?;
    }
    bench.still_plays()
}

fn option_unknown(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::forced(candidate)?;
    if bench.features.options().is_empty() {
        return Err(Miss::NotSupported("options".into()));
    }
    bench.settle()?;
    bench.tell(&["option No Such Option=3"])?;
    some(&bench.settle()?, "`Error (unknown option): ...`", |message| {
        matches!(message, Message::Error { .. })
    })?;
    bench.still_plays()
}

/// Takes a setting in silence before a game, and plays with it.
fn takes(mut bench: Bench, setting: &str) -> Result<(), Miss> {
    bench.settle()?;
    bench.tell(&[setting])?;
    none(&bench.settle()?, &format!("`{setting}` taken"), is_refusal)?;
    bench.still_plays()
}

fn memory(candidate: &Candidate) -> Result<(), Miss> {
    takes(Bench::with(candidate, Switch::Memory)?, "memory 68")
}

fn cores(candidate: &Candidate) -> Result<(), Miss> {
    takes(Bench::with(candidate, Switch::Smp)?, "cores 2")
}

fn egtpath(candidate: &Candidate) -> Result<(), Miss> {
    let bench = Bench::start(candidate)?;
    let Some(flavor) = bench.features.endgame_tables().first() else {
        return Err(Miss::NotSupported("egt".into()));
    };
    let setting = format!("egtpath {flavor} /no such folder");
    takes(bench, &setting)
}

fn frills(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::forced(candidate)?;
    bench.settle()?;
    let mut frills = vec!["random", "random", "computer", "rating 2000 0"];
    if bench.features.has(Switch::Name) {
        frills.push("name Somebody with a long name");
    }
    if bench.features.has(Switch::Ics) {
        frills.push("ics -");
    }
    bench.takes(&frills)
}

fn highlight(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::with(candidate, Switch::Highlight)?;
    bench.tell(&["new", "force", "lift g1"])?;
    let heard = bench.talk.hear_for(QUIET)?;
    some(&heard, "`highlight ...`", |message| matches!(message, Message::Highlight(_)))?;
    bench.tell(&["put g1"])?;
    none(&bench.settle()?, "`put g1` taken", is_refusal)
}
