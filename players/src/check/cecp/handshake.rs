//! The first words, and what is agreed on.

use std::collections::HashSet;

use protocols::cecp::{Command, Feature, Message, Switch};

use super::bench::{AT_ONCE, Bench, PATIENCE, QUIET, moved};
use crate::cecp::Cecp;
use crate::check::conversation::{Conversation, none};
use crate::check::{Candidate, Miss, Rule};

pub(super) const RULES: &[Rule] = &[
    Rule {
        label: "one-read",
        duty: "answers `xboard` and `protover 2` that come in one read, at once",
        check: one_read,
    },
    Rule { label: "done", duty: "ends its features with `done=1`", check: done },
    Rule { label: "version-1", duty: "plays under a GUI that sends no `protover`", check: version_1 },
    Rule {
        label: "accepted",
        duty: "says nothing to `accepted` and `rejected`, whatever follows",
        check: accepted_and_rejected,
    },
    Rule { label: "option-names", duty: "gives its options different names", check: option_names },
    Rule { label: "xboard-again", duty: "takes `xboard` again later, in silence", check: xboard_again },
    Rule { label: "sigint", duty: "after `sigint=0`, goes on when SIGINT comes", check: sigint },
    Rule { label: "sigterm", duty: "after `sigterm=0`, goes on when SIGTERM comes", check: sigterm },
];

fn is_done(message: &Message) -> bool {
    let done = Feature::Switch(Switch::Done, true);
    matches!(message, Message::Features(features) if features.contains(&done))
}

fn one_read(candidate: &Candidate) -> Result<(), Miss> {
    let mut talk = Conversation::<Cecp>::start(candidate)?;
    talk.tell_at_once(&[Command::Xboard, Command::Protover(2)])?;
    talk.hear_until("`feature ... done=1` within 2 s", AT_ONCE, is_done).map(drop)
}

fn done(candidate: &Candidate) -> Result<(), Miss> {
    let bench = Bench::start(candidate)?;
    if bench.features.done() == Some(true) {
        Ok(())
    } else {
        Err(Miss::failed("`feature done=1`", "no end of the features"))
    }
}

fn version_1(candidate: &Candidate) -> Result<(), Miss> {
    let mut talk = Conversation::<Cecp>::start(candidate)?;
    talk.tell(&["xboard", "new", "level 40 0:10 0", "e2e4"])?;
    talk.hear_until("a move in answer to `e2e4`", PATIENCE, |message| moved(message).is_some()).map(drop)
}

fn accepted_and_rejected(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::start(candidate)?;
    bench.settle()?;
    bench.tell(&[
        "accepted ping",
        "rejected nonsense",
        "rejected option Nonsense -spin 1 0 2",
        "rejected san",
    ])?;
    bench.settle_silently()
}

fn option_names(candidate: &Candidate) -> Result<(), Miss> {
    let mut talk = Conversation::<Cecp>::start(candidate)?;
    talk.tell(&["xboard"])?;
    talk.hear_for(QUIET)?;
    talk.tell(&["protover 2"])?;
    let heard = talk.hear_until("`feature ... done=1`", PATIENCE, is_done)?;
    let mut names = HashSet::new();
    for said in &heard {
        let Message::Features(features) = &said.message else { continue };
        for feature in features {
            let Feature::Option(option) = feature else { continue };
            if !names.insert(option.name.clone()) {
                return Err(Miss::failed("one option of a name", format!("a second `{}`", option.name)));
            }
        }
    }
    if names.is_empty() { Err(Miss::NotSupported("options".into())) } else { Ok(()) }
}

fn xboard_again(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::start(candidate)?;
    bench.settle()?;
    bench.tell(&["xboard"])?;
    let heard = bench.settle()?;
    none(&heard, "no answer", |message| {
        matches!(message, Message::Error { .. } | Message::IllegalMove { .. })
    })
}

fn sigint(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::start(candidate)?;
    if bench.features.has(Switch::Sigint) {
        return Err(Miss::NotSupported("sigint=0".into()));
    }
    bench.talk.interrupt();
    alive(&mut bench, "SIGINT")
}

fn sigterm(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::start(candidate)?;
    if bench.features.has(Switch::Sigterm) {
        return Err(Miss::NotSupported("sigterm=0".into()));
    }
    bench.talk.terminate();
    alive(&mut bench, "SIGTERM")
}

fn alive(bench: &mut Bench, signal: &str) -> Result<(), Miss> {
    match bench.talk.hear_for(QUIET) {
        Ok(_) => bench.still_plays(),
        Err(_) => Err(Miss::failed(format!("that it goes on after {signal}"), "it ended")),
    }
}
