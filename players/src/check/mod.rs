//! Conformance check of a program: the rules of its protocol, one by one.
//!
//! Each protocol has a table of rules. An entry has a label, the duty, the initial state of the program, and a function that
//! exchanges messages with it (`harness::Harness`) and returns the expected and the seen behaviour if they differ.
//!
//! - Each rule has a process of its own, so that a failure affects no other rule, and a rule can be checked alone.
//! - Each rule has a test in which it is broken: `examples/distorting/`, between Herald and the check, removes, adds or changes
//!   lines. The faults are a table in `tests/whole_program/check.rs`.
//! - A program fails if it breaks the specification, makes an illegal move or ends unasked. *Not supported* is the verdict for
//!   optional features that it lacks, and where a specification leaves open what GUIs expect: reading while it thinks, decimals,
//!   mate scores.
//! - One fault should break one rule. So games use clocks of `level`, which all programs support, and `edit` sets up positions in
//!   programs without `setboard`.
//! - Time limits allow for a busy machine. If a program seems to move because of a message, it is observed again without it.

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
use crate::{Log, PlayerFault, Protocol, Spec};

/// What the tables of rules use.
mod prelude {
    pub(super) use std::time::{Duration, Instant};

    pub(super) use super::harness::{
        AT_ONCE, CheckedProtocol as _, QUIET, Transcript, demand, differ, require, trial_values, within,
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
    check: RuleCheck,
}

/// Initial state of the program, and the exchange of messages that follows.
#[derive(Clone, Copy)]
enum RuleCheck {
    Cecp(CecpStart, fn(&mut CecpHarness) -> Checked),
    Uci(UciStart, fn(&mut UciHarness) -> Checked),
    Cego(CegoStart, fn(&mut CegoHarness) -> Checked),
}

/// A rule without its check: the first part of an entry in a table of rules.
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

/// Result of a check or of a step of it.
type Checked<T = ()> = Result<T, Failure>;

/// Reason why a program did not pass a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Failure {
    /// The program broke the rule.
    Broken { expected: String, seen: String },
    /// The program lacks the feature of the rule. Carries the feature.
    NotSupported(String),
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
            Err(Failure::NotStarted(fault)) => return Err(fault),
        };
        Ok(RuleReport { rule: self.label, duty: self.duty, verdict })
    }
}
