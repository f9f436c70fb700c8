//! The first words, and what is agreed on.

use std::collections::HashSet;

use messages::cecp::{Command, Feature, Message, Switch};

use super::bench::{AT_ONCE, Bench, QUIET, is_refusal, moved};
use crate::cecp::Cecp;
use crate::check::conversation::{Conversation, none};
use crate::check::{Candidate, Miss, Rule};

pub(super) const RULES: &[Rule] = &[
    Rule {
        label: "one-read",
        duty: "ends its features with `done=1`, at once, when `xboard` and `protover 2` come in one read",
        check: one_read,
    },
    Rule { label: "version-1", duty: "plays under a GUI that sends no `protover`", check: version_1 },
    Rule { label: "accepted", duty: "takes it when its features are rejected", check: accepted_and_rejected },
    Rule { label: "option-names", duty: "gives its options different names", check: option_names },
    Rule { label: "xboard-again", duty: "takes `xboard` again later", check: xboard_again },
    Rule { label: "sigint", duty: "goes on when SIGINT comes, unless it said `sigint=0`", check: sigint },
];

fn is_done(message: &Message) -> bool {
    let done = Feature::Switch(Switch::Done, true);
    matches!(message, Message::Features(features) if features.contains(&done))
}

fn one_read(candidate: &Candidate) -> Result<(), Miss> {
    // It is recommended, not demanded, that features end so.
    if Bench::start(candidate)?.features.done() != Some(true) {
        return Err(Miss::NotSupported("done=1".into()));
    }
    let mut talk = Conversation::<Cecp>::start(candidate)?;
    talk.tell_at_once(&[Command::Xboard, Command::Protover(2)])?;
    talk.hear_until("`feature ... done=1` within 2 s", AT_ONCE, is_done).map(drop)
}

fn version_1(candidate: &Candidate) -> Result<(), Miss> {
    let mut talk = Conversation::<Cecp>::start(candidate)?;
    talk.tell(&["xboard"])?;
    talk.hear_for(QUIET)?;
    talk.tell(&["new", "level 0 1 0", "time 500", "otim 500", "e2e4"])?;
    let patience = candidate.spec.patience;
    talk.hear_until("a move in answer to `e2e4`", patience, |message| moved(message).is_some()).map(drop)
}

fn accepted_and_rejected(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::start(candidate)?;
    bench.settle()?;
    // Without `ping` and the form of moves there would be nothing to go by.
    let is_needed = |name: &str| ["ping", "usermove", "san"].contains(&name);
    let names = bench.features.asked_for().into_iter().filter(|name| !is_needed(name));
    let rejected: Vec<String> = names.map(|name| format!("rejected {name}")).collect();
    if rejected.is_empty() {
        return Err(Miss::NotSupported("features".into()));
    }
    bench.tell(&rejected.iter().map(String::as_str).collect::<Vec<_>>())?;
    none(&bench.settle()?, "the rejections taken", is_refusal)?;
    bench.still_plays()
}

fn option_names(candidate: &Candidate) -> Result<(), Miss> {
    let features = Bench::start(candidate)?.features;
    if features.options().is_empty() || features.done() != Some(true) {
        return Err(Miss::NotSupported("options".into()));
    }
    let mut talk = Conversation::<Cecp>::start(candidate)?;
    talk.tell(&["xboard"])?;
    talk.hear_for(QUIET)?;
    talk.tell(&["protover 2"])?;
    let heard = talk.hear_until("`feature ... done=1`", candidate.spec.patience, is_done)?;
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
    Ok(())
}

fn xboard_again(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::start(candidate)?;
    bench.settle()?;
    bench.takes(&["xboard"])
}

fn sigint(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::start(candidate)?;
    bench.settle()?;
    bench.talk.interrupt();
    match bench.talk.hear_for(QUIET) {
        Ok(_) => bench.still_plays(),
        Err(_) if !bench.features.has(Switch::Sigint) => Err(Miss::NotSupported("sigint=1".into())),
        Err(_) => Err(Miss::failed("that it goes on after SIGINT", "it ended")),
    }
}
