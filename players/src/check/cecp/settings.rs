//! Settings, and names of the players.

use super::prelude::*;

pub(super) const RULES: &[ConformanceRule] = &[
    rule("options", "takes the ends of the ranges of its options", Forced).must(ENGINE).check(|program| {
        let mut settings = Vec::new();
        for option in &program.announced.options {
            let name = &option.name;
            let values = trial_values(name, &option.kind, ["0", "1"]);
            settings.extend(values.iter().map(|value| format!("option {name}={value}")));
        }
        program.take_each(&settings, is_refusal)?;
        program.still_plays()
    }),
    rule("option-unknown", "answers an unknown option with `Error`, and goes on", Forced)
        .usual(ENGINE)
        .check(|program| {
            require(!program.announced.options.is_empty(), "options")?;
            program.deal(["option No Such Option=3"])?.has("`Error (unknown option): ...`", is_error)?;
            program.still_plays()
        }),
    rule("memory", "takes `memory`", Greeted).must(ENGINE).check(|program| {
        program.needs(Switch::Memory)?;
        accepts(program, "memory 68")
    }),
    rule("cores", "takes `cores`", Greeted).must(ENGINE).check(|program| {
        program.needs(Switch::Smp)?;
        accepts(program, "cores 2")
    }),
    rule("egtpath", "takes `egtpath` with blanks in the path, though nothing is there", Greeted)
        .usual(ENGINE)
        .check(|program| match program.announced.endgame_tables.first() {
            Some(flavor) => {
                let setting = format!("egtpath {flavor} /no such folder");
                accepts(program, &setting)
            }
            None => Err(Failure::NotSupported("egt".into())),
        }),
    rule("frills", "takes `random`, `computer`, `rating`, `name` and `ics`", Forced).must(FRILLS).check(
        |program| {
            let mut frills = vec!["random", "random", "computer", "rating 2000 0"];
            for (feature, frill) in [(Switch::Name, "name Somebody with a long name"), (Switch::Ics, "ics -")]
            {
                frills.extend(program.announced.has(feature).then_some(frill));
            }
            program.takes(&frills)
        },
    ),
    rule("highlight", "answers `lift` with `highlight`", Forced).must(HIGHLIGHT).check(|program| {
        program.needs(Switch::Highlight)?;
        program.tell(["lift g1"])?;
        let is_highlight = |message: &Message| matches!(message, Message::Highlight(_));
        program.hear_for(QUIET)?.has("`highlight ...`", is_highlight)?;
        program.deal(["put g1"])?.has_taken("`put g1`")
    }),
];

/// Fails unless the program accepts a setting before a game, and plays with it.
fn accepts(program: &mut CecpHarness, setting: &str) -> Checked {
    program.deal([setting])?.has_taken(&format!("`{setting}`"))?;
    program.still_plays()
}
