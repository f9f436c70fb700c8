//! The first words, and what is agreed on.

use messages::cecp::{Feature, Message, Switch};

use super::harness::{CecpHarness, is_refusal};
use crate::cecp::Cecp;
use crate::check::harness::{AT_ONCE, CheckedProtocol as _, QUIET, differ, require};
use crate::check::{Candidate, ConformanceRule, Failure, rule};

pub(super) const RULES: &[ConformanceRule] = &[
    rule(
        "one-read",
        "ends its features with `done=1`, at once, when `xboard` and `protover 2` come in one read",
        one_read,
    ),
    rule("version-1", "plays under a GUI that sends no `protover`", version_1),
    rule("accepted", "takes it when its features are rejected", accepted_and_rejected),
    rule("option-names", "gives its options different names", option_names),
    rule("xboard-again", "takes `xboard` again later", |candidate| {
        let mut harness = CecpHarness::start(candidate)?;
        harness.settle()?;
        harness.takes(&["xboard"])
    }),
    rule("sigint", "goes on when SIGINT comes, unless it said `sigint=0`", sigint),
];

fn is_done(message: &Message) -> bool {
    let done = Feature::Switch(Switch::Done, true);
    matches!(message, Message::Features(features) if features.contains(&done))
}

fn one_read(candidate: &Candidate) -> Result<(), Failure> {
    // It is recommended, not demanded, that features end so.
    require(CecpHarness::start(candidate)?.announced.done() == Some(true), "done=1")?;
    let mut harness = CecpHarness::launch(candidate)?;
    harness.tell_together(&["xboard", "protover 2"])?;
    harness.hear_until("`feature ... done=1` within 2 s", AT_ONCE, is_done).map(drop)
}

fn version_1(candidate: &Candidate) -> Result<(), Failure> {
    let mut harness = CecpHarness::launch(candidate)?;
    harness.tell(&["xboard"])?;
    harness.hear_for(QUIET)?;
    harness.tell(&["new", "level 0 1 0", "time 500", "otim 500", "e2e4"])?;
    harness.hear_until("a move in answer to `e2e4`", harness.patience, Cecp::is_move).map(drop)
}

fn accepted_and_rejected(candidate: &Candidate) -> Result<(), Failure> {
    let mut harness = CecpHarness::start(candidate)?;
    harness.settle()?;
    // Without `ping` and the form of moves there would be nothing to go by.
    let is_needed = |name: &str| ["ping", "usermove", "san"].contains(&name);
    let names = harness.announced.asked_for().into_iter().filter(|name| !is_needed(name));
    let rejected: Vec<String> = names.map(|name| format!("rejected {name}")).collect();
    require(!rejected.is_empty(), "features")?;
    harness.tell(&rejected.iter().map(String::as_str).collect::<Vec<_>>())?;
    harness.settle_without("the rejections taken", is_refusal)?;
    harness.still_plays()
}

fn option_names(candidate: &Candidate) -> Result<(), Failure> {
    // These know no two options of one name any more.
    let features = CecpHarness::start(candidate)?.announced;
    require(!features.options().is_empty() && features.done() == Some(true), "options")?;
    let mut harness = CecpHarness::launch(candidate)?;
    harness.tell(&["xboard"])?;
    harness.hear_for(QUIET)?;
    harness.tell(&["protover 2"])?;
    let heard = harness.hear_until("`feature ... done=1`", harness.patience, is_done)?;
    let features = heard.messages().filter_map(|message| match message {
        Message::Features(features) => Some(features),
        _ => None,
    });
    differ(features.flatten().filter_map(|feature| match feature {
        Feature::Option(option) => Some(option.name.clone()),
        _ => None,
    }))
}

fn sigint(candidate: &Candidate) -> Result<(), Failure> {
    let mut harness = CecpHarness::start(candidate)?;
    harness.settle()?;
    harness.interrupt();
    match harness.hear_for(QUIET) {
        Ok(_) => harness.still_plays(),
        Err(_) if !harness.announced.has(Switch::Sigint) => Err(Failure::NotSupported("sigint=1".into())),
        Err(_) => Err(Failure::new("that it goes on after SIGINT", "it ended")),
    }
}
