//! Whether a program keeps the rules of its protocol, rule by rule.
//!
//! Each protocol has a table of rules that reads like its checklist. An entry is a label, the duty, the state into which
//! the program is brought, and a function that talks with it ([`harness::Harness`]) and says what it expected and what it saw
//! instead. It needs no referee.
//!
//! - Every rule has a process of its own, so that what goes wrong with one spoils no other, and one can be checked alone.
//! - Each rule is seen broken: `examples/distorting.rs` stands between Herald and the check, and leaves lines out, adds some or
//!   changes them. A fault is then a line in a table (`tests/whole_program/check.rs`), which has one for every rule.
//! - A program fails if it breaks what is written, moves illegally or ends unasked. What it doesn't offer is *not supported*,
//!   and so is what a specification leaves open, if it does otherwise than GUIs like it: reading while it thinks, decimals,
//!   mate scores.
//! - One fault should break one rule. So games are on clocks of `level`, which everybody knows, and positions go by `edit` to
//!   programs without `setboard`.
//! - Time limits are generous to a busy machine. A program that seems to move because of what it was told is watched once
//!   more, left alone.

mod cecp;
mod cego;
mod harness;
mod positions;
mod uci;

use std::sync::Arc;

use serde::Serialize;

use self::cecp::{CecpHarness, CecpStart};
use self::cego::{CegoHarness, CegoStart};
use self::uci::{UciHarness, UciStart};
use crate::log::Log;
use crate::{PlayerFault, Protocol, Spec};

/// A rule of a protocol, and how it is checked.
#[derive(Clone, Copy)]
pub struct ConformanceRule {
    /// Its name.
    pub label: &'static str,
    /// What a program has to do.
    pub duty: &'static str,
    check: RuleCheck,
}

/// The state into which a program is brought, and what is then told and heard.
#[derive(Clone, Copy)]
enum RuleCheck {
    Cecp(CecpStart, fn(&mut CecpHarness) -> Checked),
    Uci(UciStart, fn(&mut UciHarness) -> Checked),
    Cego(CegoStart, fn(&mut CegoHarness) -> Checked),
}

/// A rule without its check: the beginning of an entry in the table of rules.
#[derive(Clone, Copy)]
struct RuleText<Start> {
    label: &'static str,
    duty: &'static str,
    start: Start,
}

const fn rule<Start>(label: &'static str, duty: &'static str, start: Start) -> RuleText<Start> {
    RuleText { label, duty, start }
}

impl RuleText<CecpStart> {
    const fn check(self, check: fn(&mut CecpHarness) -> Checked) -> ConformanceRule {
        ConformanceRule { label: self.label, duty: self.duty, check: RuleCheck::Cecp(self.start, check) }
    }
}

impl RuleText<UciStart> {
    const fn check(self, check: fn(&mut UciHarness) -> Checked) -> ConformanceRule {
        ConformanceRule { label: self.label, duty: self.duty, check: RuleCheck::Uci(self.start, check) }
    }
}

impl RuleText<CegoStart> {
    const fn check(self, check: fn(&mut CegoHarness) -> Checked) -> ConformanceRule {
        ConformanceRule { label: self.label, duty: self.duty, check: RuleCheck::Cego(self.start, check) }
    }
}

/// The program under test.
#[derive(Clone)]
struct Candidate {
    spec: Spec,
    log: Option<Arc<dyn Log>>,
}

/// What comes of a check or a step of it.
type Checked<T = ()> = Result<T, Failure>;

/// Why a program did not pass a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Failure {
    /// It broke the rule.
    Broken { expected: String, seen: String },
    /// The rule is about something that it doesn't offer.
    NotSupported(String),
    /// It could not even be started.
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

/// The result of a rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RuleReport {
    /// The label of the rule.
    pub rule: &'static str,
    /// What the rule asks for.
    pub duty: &'static str,
    /// Whether the program does it.
    #[serde(flatten)]
    pub verdict: RuleVerdict,
}

/// Whether a program keeps a rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "verdict", rename_all = "kebab-case")]
pub enum RuleVerdict {
    /// It does.
    Pass,
    /// It doesn't.
    Fail {
        /// What it should have done.
        expected: String,
        /// What it did.
        seen: String,
    },
    /// The rule is about something that it doesn't offer.
    NotSupported {
        /// What it doesn't offer.
        reason: String,
    },
}

/// The rules of a protocol, in the order in which they are checked.
pub fn rules(protocol: Protocol) -> Vec<ConformanceRule> {
    match protocol {
        Protocol::Cecp => cecp::RULES.concat(),
        Protocol::Uci => uci::RULES.concat(),
        Protocol::Cego => cego::RULES.concat(),
    }
}

impl ConformanceRule {
    /// Checks a program. Takes as long as the program needs, up to about half a minute.
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
            Err(Failure::NotStarted(fault)) => return Err(fault),
        };
        Ok(RuleReport { rule: self.label, duty: self.duty, verdict })
    }
}
