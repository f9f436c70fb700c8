//! Conformance check of a program: the rules of its protocol, one by one.
//!
//! Each protocol has a table of rules. An entry has a label, the duty, the initial state of the program, and a function that
//! exchanges messages with it (`harness::Harness`) and returns the expected and the seen behaviour if they differ.
//!
//! - Each rule has a process of its own, so that a failure affects no other rule, and a rule can be checked alone.
//! - Each rule has a test in which it is broken: `examples/distorting/`, between Herald and the check, removes, adds or changes
//!   lines. The faults are a table in `tests/whole_program/check.rs`.
//! - There are four verdicts. *Pass*: the effect was observed. *Fail*: the program did something else, made an illegal move or
//!   ended unasked. *Not supported*: it lacks an optional feature. *Not seen*: its effect could not be observed, as by a program
//!   that moves at once; this never counts as kept.
//! - Each rule names the section of the specification and its level: *must*, *should* if the specification recommends it,
//!   *usual* if it leaves open what GUIs rely on. A fault is graded by the rule that is about it. Other rules that can't be
//!   checked because of it say *not supported*. Only a broken *must* decides about the exit code, unless `--strict` is given.
//! - One fault should break one rule. So games use clocks of `level`, which all programs support, and `edit` sets up positions in
//!   programs without `setboard`.
//! - Time limits allow for a busy machine. If a program seems to move because of a message, it is observed again without it.

mod cecp;
mod cego;
mod harness;
mod positions;
mod uci;

use std::sync::Arc;
use std::time::{Duration, Instant};

use messages::{cecp as cecp_messages, uci as uci_messages};
use serde::Serialize;

use self::cecp::{CecpHarness, CecpStart};
use self::cego::{CegoHarness, CegoStart};
use self::uci::{UciHarness, UciStart};
use crate::cecp::Cecp;
use crate::uci::Uci;
use crate::{Log, PlayerFault, Protocol, Spec, Stream, Vocabulary};

/// What the tables of rules use.
mod prelude {
    pub(super) use std::time::{Duration, Instant};

    pub(super) use super::harness::{
        AT_ONCE, CheckedProtocol as _, QUIET, Transcript, WORKING, demand, differ, in_time, observe, require,
        trial_values, untold,
    };
    pub(super) use super::positions::*;
    pub(super) use super::{Checked, ConformanceRule, Failure, rule};
}

/// A rule of a protocol, with its check.
#[derive(Clone, Copy)]
pub struct ConformanceRule {
    /// Name of the rule.
    pub label: &'static str,
    /// Required behaviour.
    pub duty: &'static str,
    /// Section of the specification that the rule is about.
    pub section: &'static str,
    /// How far the specification demands it.
    pub level: Level,
    check: RuleCheck,
}

/// How far a specification demands a behaviour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// The specification demands it.
    Must,
    /// The specification recommends it.
    Should,
    /// The specification leaves it open, and GUIs rely on it.
    Usual,
}

impl Level {
    /// Name in reports: `must`, `should` or `usual`.
    pub const fn name(self) -> &'static str {
        match self {
            Level::Must => "must",
            Level::Should => "should",
            Level::Usual => "usual",
        }
    }
}

/// Initial state of the program, and the exchange of messages that follows.
#[derive(Clone, Copy)]
enum RuleCheck {
    Cecp(CecpStart, fn(&mut CecpHarness) -> Checked),
    Uci(UciStart, fn(&mut UciHarness) -> Checked),
    Cego(CegoStart, fn(&mut CegoHarness) -> Checked),
}

/// The first part of an entry in a table of rules.
#[derive(Clone, Copy)]
struct RuleText<Start> {
    label: &'static str,
    duty: &'static str,
    start: Start,
}

/// A rule that lacks only its check.
#[derive(Clone, Copy)]
struct GradedText<Start> {
    text: RuleText<Start>,
    section: &'static str,
    level: Level,
}

const fn rule<Start>(label: &'static str, duty: &'static str, start: Start) -> RuleText<Start> {
    RuleText { label, duty, start }
}

impl<Start: Copy> RuleText<Start> {
    const fn must(self, section: &'static str) -> GradedText<Start> {
        GradedText { text: self, section, level: Level::Must }
    }

    const fn should(self, section: &'static str) -> GradedText<Start> {
        GradedText { text: self, section, level: Level::Should }
    }

    const fn usual(self, section: &'static str) -> GradedText<Start> {
        GradedText { text: self, section, level: Level::Usual }
    }
}

impl<Start: Copy> GradedText<Start> {
    const fn with(self, check: RuleCheck) -> ConformanceRule {
        let GradedText { text: RuleText { label, duty, .. }, section, level } = self;
        ConformanceRule { label, duty, section, level, check }
    }
}

impl GradedText<CecpStart> {
    const fn check(self, check: fn(&mut CecpHarness) -> Checked) -> ConformanceRule {
        self.with(RuleCheck::Cecp(self.text.start, check))
    }
}

impl GradedText<UciStart> {
    const fn check(self, check: fn(&mut UciHarness) -> Checked) -> ConformanceRule {
        self.with(RuleCheck::Uci(self.text.start, check))
    }
}

impl GradedText<CegoStart> {
    const fn check(self, check: fn(&mut CegoHarness) -> Checked) -> ConformanceRule {
        self.with(RuleCheck::Cego(self.text.start, check))
    }
}

/// The program under test.
#[derive(Clone)]
struct Candidate {
    spec: Spec,
    log: Option<Arc<dyn Log>>,
}

/// Result of a check or of a step of it.
type Checked<T = ()> = Result<T, Failure>;

/// Reason why a program did not pass a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Failure {
    /// The program broke the rule.
    Broken { expected: String, seen: String },
    /// The program lacks the feature of the rule. Carries the feature.
    NotSupported(String),
    /// The effect of the rule could not be observed. Carries the reason.
    NotSeen(String),
    /// The program could not be started.
    NotStarted(PlayerFault),
}

impl Failure {
    fn new(expected: impl Into<String>, seen: impl Into<String>) -> Failure {
        Failure::Broken { expected: expected.into(), seen: seen.into() }
    }
}

impl From<PlayerFault> for Failure {
    fn from(fault: PlayerFault) -> Failure {
        match fault {
            PlayerFault::Start(_) => Failure::NotStarted(fault),
            fault => Failure::new("that it goes on", fault.to_string()),
        }
    }
}

/// Report on a rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RuleReport {
    /// Label of the rule.
    pub rule: &'static str,
    /// Required behaviour.
    pub duty: &'static str,
    /// Section of the specification.
    pub section: &'static str,
    /// How far the specification demands it.
    pub level: Level,
    /// Verdict on the program.
    #[serde(flatten)]
    pub verdict: RuleVerdict,
}

/// Verdict on a rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "verdict", rename_all = "kebab-case")]
pub enum RuleVerdict {
    /// The program keeps the rule.
    Pass,
    /// The program breaks the rule.
    Fail {
        /// Expected behaviour.
        expected: String,
        /// Seen behaviour.
        seen: String,
    },
    /// The program lacks the feature of the rule.
    NotSupported {
        /// The missing feature.
        reason: String,
    },
    /// The effect could not be observed. This never counts as kept.
    NotSeen {
        /// Why it could not be observed.
        reason: String,
    },
}

/// Time for a program to answer a greeting.
const GREETING: Duration = Duration::from_secs(2);

/// Returns the other protocol, CECP or UCI, that a program speaks if it doesn't answer in its own within two seconds; `None` if it
/// answers, or neither is seen.
///
/// # Errors
/// [`PlayerFault::Start`]: the program cannot be started.
pub fn spoken_instead(spec: &Spec) -> Result<Option<Protocol>, PlayerFault> {
    let other = match spec.protocol {
        Protocol::Cecp if !answers_cecp(spec)? => {
            Some(Protocol::Uci).filter(|_| answers_uci(spec) == Ok(true))
        }
        Protocol::Uci if !answers_uci(spec)? => {
            Some(Protocol::Cecp).filter(|_| answers_cecp(spec) == Ok(true))
        }
        _ => None,
    };
    Ok(other)
}

fn answers_cecp(spec: &Spec) -> Result<bool, PlayerFault> {
    answers::<Cecp>(spec, &["xboard", "protover 2"], |message| {
        matches!(message, cecp_messages::Message::Features(_))
    })
}

fn answers_uci(spec: &Spec) -> Result<bool, PlayerFault> {
    answers::<Uci>(spec, &["uci"], |line| matches!(line, Ok(uci_messages::Message::UciOk)))
}

/// Whether a program answers a greeting. One that ends at it doesn't.
fn answers<V: Vocabulary>(
    spec: &Spec,
    greeting: &[&str],
    is_answer: impl Fn(&V::Message) -> bool,
) -> Result<bool, PlayerFault> {
    let mut stream = Stream::<V>::start(spec, None)?;
    let until = Instant::now() + GREETING;
    for line in greeting {
        if stream.tell(line).is_err() {
            return Ok(false);
        }
        stream.wait_until_read(until);
    }
    while Instant::now() < until {
        match stream.wait(until) {
            Ok(Some(said)) if is_answer(&said.message) => return Ok(true),
            Ok(Some(_)) => {}
            Ok(None) | Err(_) => return Ok(false),
        }
    }
    Ok(false)
}

/// Returns the rules of a protocol, in the order in which they are checked.
pub fn rules(protocol: Protocol) -> Vec<ConformanceRule> {
    match protocol {
        Protocol::Cecp => cecp::RULES.concat(),
        Protocol::Uci => uci::RULES.concat(),
        Protocol::Cego => cego::RULES.concat(),
        // The proposal has no rule that a program could be held to without an interface's help.
        Protocol::Autoplayer => Vec::new(),
    }
}

impl ConformanceRule {
    /// Checks a program. Takes up to about half a minute, depending on the program.
    ///
    /// # Errors
    /// [`PlayerFault::Start`]: the program cannot be started.
    pub fn check(&self, spec: &Spec, log: Option<Arc<dyn Log>>) -> Result<RuleReport, PlayerFault> {
        let candidate = Candidate { spec: spec.clone(), log };
        let checked = match self.check {
            RuleCheck::Cecp(start, check) => {
                start.reach(&candidate).and_then(|mut program| check(&mut program))
            }
            RuleCheck::Uci(start, check) => {
                start.reach(&candidate).and_then(|mut program| check(&mut program))
            }
            RuleCheck::Cego(start, check) => {
                start.reach(&candidate).and_then(|mut program| check(&mut program))
            }
        };
        let verdict = match checked {
            Ok(()) => RuleVerdict::Pass,
            Err(Failure::Broken { expected, seen }) => RuleVerdict::Fail { expected, seen },
            Err(Failure::NotSupported(reason)) => RuleVerdict::NotSupported { reason },
            Err(Failure::NotSeen(reason)) => RuleVerdict::NotSeen { reason },
            Err(Failure::NotStarted(fault)) => return Err(fault),
        };
        let ConformanceRule { label: rule, duty, section, level, .. } = *self;
        Ok(RuleReport { rule, duty, section, level, verdict })
    }
}
