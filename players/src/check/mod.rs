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
//!   that moves at once; this never counts as kept. A rule that demands no more than that a program bears a command asks for some
//!   sign that it reads it, too: whoever never gets the command would bear it as well. `tests/whole_program/check.rs` swallows the
//!   commands of each rule, or changes their arguments, and none may be kept then. A legal move proves no more than that: who has to
//!   show that it has read a position gets one in which only that makes the move legal, or mate.
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

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use messages::cecp::{Feature, Switch};
use messages::cego::EngineMessage;
use messages::input::MAX_LINE;
use messages::{cecp as cecp_messages, uci as uci_messages};
use serde::Serialize;

use self::cecp::{CecpHarness, CecpStart};
use self::cego::{CegoHarness, CegoStart};
use self::uci::{UciHarness, UciStart};
use crate::cecp::{Cecp, former_move, handshake};
use crate::cego::Cego;
use crate::uci::Uci;
use crate::{Log, PlayerFault, Protocol, Spec, Stream, Vocabulary};

/// What the tables of rules use.
mod prelude {
    pub(super) use std::time::{Duration, Instant};

    pub(super) use super::harness::{
        AT_ONCE, CheckedProtocol as _, QUIET, Transcript, WORKING, demand, differ, in_time, longer, observe,
        plausible_speed, require, trial_values, untold,
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

/// Makes the log of each process of the program, by its number in the check of a rule, from 0.
pub type Logs = Arc<dyn Fn(usize) -> Option<Arc<dyn Log>> + Send + Sync>;

/// The program under test.
#[derive(Clone)]
struct Candidate {
    spec: Spec,
    logs: Logs,
    /// Number of processes that were started.
    started: Arc<AtomicUsize>,
}

impl Candidate {
    /// The log of the next process.
    fn next_log(&self) -> Option<Arc<dyn Log>> {
        (self.logs)(self.started.fetch_add(1, Ordering::Relaxed))
    }
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

    /// The same where the behaviour only proves that another one was observed.
    fn unseen(self) -> Failure {
        match self {
            Failure::Broken { expected, seen } => {
                Failure::NotSeen(format!("expected {expected}, seen {seen}"))
            }
            other => other,
        }
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

/// Time for a program to answer a greeting, and for one that didn't answer in either protocol.
const GREETING: Duration = Duration::from_secs(2);
const LAST_CHANCE: Duration = Duration::from_secs(5);

/// Time at least for a program that asks with `done=0` to be waited for.
const LONGEST_FEATURES: Duration = Duration::from_mins(1);

/// Time for a program to read a line of it.
const READING: Duration = Duration::from_millis(500);

/// Number of lines without an answer after which no more are read: a program may write without end.
const MOST_LINES: usize = 10_000;

/// Time to wait for answers that come before the question.
const UNASKED: Duration = Duration::from_millis(300);

/// Why a program can't be held against the rules of its protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Misfit {
    /// It speaks this other protocol.
    Speaks(Protocol),
    /// It answers in no protocol. Carries what it does instead, as in `says nothing`.
    Mute(String),
}

/// Asks a program whether it speaks its protocol, within seconds; `None` if it does.
///
/// # Errors
/// [`PlayerFault::Start`]: the program cannot be started.
pub fn misfit(spec: &Spec) -> Result<Option<Misfit>, PlayerFault> {
    let long = spec.patience.min(LAST_CHANCE);
    let asks_to_wait = Cell::new(false);
    let (answer, other) = match spec.protocol {
        Protocol::Cecp if answers_cecp(spec, &asks_to_wait)? == Answer::Yes => {
            (if asks_to_wait.get() { ends_features(spec)? } else { Answer::Yes }, None)
        }
        Protocol::Uci if answers_uci(spec, GREETING)? == Answer::Yes => return Ok(None),
        Protocol::Cecp if answers_uci(spec, GREETING)? == Answer::Yes => (Answer::Yes, Some(Protocol::Uci)),
        Protocol::Uci if answers_cecp(spec, &asks_to_wait)? == Answer::Yes => {
            (Answer::Yes, Some(Protocol::Cecp))
        }
        Protocol::Cecp => (plays_cecp(spec, long)?, None),
        Protocol::Uci => (answers_uci(spec, long)?, None),
        Protocol::Cego => (answers::<Cego>(spec, &[], long, |line| *line == Ok(EngineMessage::Ready))?, None),
        Protocol::Autoplayer => (Answer::Yes, None),
    };
    Ok(match answer {
        Answer::Yes => other.map(Misfit::Speaks),
        Answer::No(instead) => Some(Misfit::Mute(instead)),
    })
}

/// Whether a program answers a greeting; if not, what it does instead.
#[derive(PartialEq, Eq)]
enum Answer {
    Yes,
    No(String),
}

/// Time for a program that asks with `done=0` to be waited for.
fn longest_start(spec: &Spec) -> Duration {
    LONGEST_FEATURES.max(spec.patience)
}

/// Whether a program that asks with `done=0` to be waited for gets ready.
fn ends_features(spec: &Spec) -> Result<Answer, PlayerFault> {
    let longest = longest_start(spec);
    match handshake::start(spec, None, longest) {
        Ok((_, features)) if features.done() == Some(false) => {
            let seconds = longest.as_secs();
            Ok(Answer::No(format!("asks with `done=0` to be waited for, and isn't ready after {seconds} s")))
        }
        Err(fault @ PlayerFault::Start(_)) => Err(fault),
        // The rules say what is wrong with it.
        _ => Ok(Answer::Yes),
    }
}

fn answers_cecp(spec: &Spec, asks_to_wait: &Cell<bool>) -> Result<Answer, PlayerFault> {
    let asks = Feature::Switch(Switch::Done, false);
    answers::<Cecp>(spec, &["xboard", "protover 2"], GREETING, |message| {
        let cecp_messages::Message::Features(features) = message else { return false };
        asks_to_wait.set(features.contains(&asks));
        true
    })
}

/// The same for a program that is slow, or speaks version 1, without features: it moves, or complains in the words of the protocol.
fn plays_cecp(spec: &Spec, patience: Duration) -> Result<Answer, PlayerFault> {
    let spec = &Spec { patience, ..spec.clone() };
    let (mut stream, features) = match handshake::start(spec, None, longest_start(spec)) {
        Ok(started) => started,
        Err(fault @ PlayerFault::Start(_)) => return Err(fault),
        Err(fault) => return Ok(Answer::No(fault.to_string())),
    };
    if features.done().is_some() || !features.asked_for().is_empty() {
        return Ok(Answer::Yes);
    }
    Ok(is_answered(&mut stream, &["new", "level 0 1 0", "e2e4"], GREETING, |message| {
        use cecp_messages::Message::{Error, IllegalMove, Move, Other, TellUserError, Thinking};
        match message {
            Other(line) => former_move(line).is_some(),
            Move(_) | Thinking(_) | IllegalMove { .. } | Error { .. } | TellUserError(_) => true,
            _ => false,
        }
    }))
}

fn answers_uci(spec: &Spec, patience: Duration) -> Result<Answer, PlayerFault> {
    let is_answer = |line: &<Uci as Vocabulary>::Message| matches!(line, Ok(uci_messages::Message::UciOk));
    let mut stream = Stream::<Uci>::start(spec, None)?;
    let until = Instant::now() + UNASKED;
    while Instant::now() < until
        && let Ok(Some(said)) = stream.wait(until)
    {
        if is_answer(&said.message) {
            return Ok(Answer::No("says `uciok` unasked".to_owned()));
        }
    }
    Ok(is_answered(&mut stream, &["uci"], patience, is_answer))
}

fn answers<V: Vocabulary>(
    spec: &Spec,
    greeting: &[&str],
    patience: Duration,
    is_answer: impl Fn(&V::Message) -> bool,
) -> Result<Answer, PlayerFault> {
    Ok(is_answered(&mut Stream::<V>::start(spec, None)?, greeting, patience, is_answer))
}

fn is_answered<V: Vocabulary>(
    stream: &mut Stream<V>,
    greeting: &[&str],
    patience: Duration,
    is_answer: impl Fn(&V::Message) -> bool,
) -> Answer {
    let until = Instant::now() + patience;
    for line in greeting {
        if let Err(fault) = stream.tell(line) {
            return Answer::No(fault.to_string());
        }
        stream.wait_until_read(until.min(Instant::now() + READING));
    }
    let mut first = None;
    for _ in 0..MOST_LINES {
        match stream.wait(until) {
            Ok(Some(said)) if is_answer(&said.message) => return Answer::Yes,
            Ok(Some(said)) if said.line.trim().is_empty() => {}
            Ok(Some(said)) => drop(first.get_or_insert(said.line)),
            Ok(None) => break,
            Err(fault) => return Answer::No(fault.to_string()),
        }
    }
    if let Some((_, begin)) = &stream.cut {
        return Answer::No(format!(
            "writes a line of more than {MAX_LINE} bytes, `{}`",
            game::excerpt(begin)
        ));
    }
    Answer::No(match (first, stream.unfinished()) {
        (Some(line), _) => format!("says `{}`, and nothing of the protocol", game::excerpt(&line)),
        (None, 0) => match stream.tell("") {
            // It has closed its input meanwhile.
            Err(fault) => fault.to_string(),
            Ok(()) => "says nothing".to_owned(),
        },
        (None, bytes) => format!("writes {} without a line end", game::counted(bytes, "byte")),
    })
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
    pub fn check(&self, spec: &Spec, logs: Logs) -> Result<RuleReport, PlayerFault> {
        let candidate = Candidate { spec: spec.clone(), logs, started: Arc::default() };
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
