//! Whether a program keeps the rules of its protocol, rule by rule.
//!
//! Each protocol has a table of rules that reads like its checklist. A rule is a function that starts the program, brings
//! it into a state, and says what it expected and what it saw instead. Every rule has a process of its own, so that what
//! goes wrong with one spoils no other.

mod cecp;
mod cego;
mod conversation;
mod options;
mod positions;
mod uci;

use std::sync::Arc;

use serde::Serialize;

use crate::log::Log;
use crate::{Fault, Protocol, Spec};

/// A rule of a protocol, and how a program is held against it.
#[derive(Clone, Copy)]
pub struct Rule {
    /// The word by which it is known.
    pub label: &'static str,
    /// What a program has to do.
    pub duty: &'static str,
    check: fn(&Candidate) -> Result<(), Miss>,
}

/// The program that is held against the rules.
struct Candidate<'a> {
    spec: &'a Spec,
    log: Option<Arc<dyn Log>>,
}

/// Why a program did not pass a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Miss {
    /// It broke the rule.
    Failed { expected: String, seen: String },
    /// The rule is about something that it doesn't offer.
    NotSupported(String),
    /// It could not even be started.
    NotStarted(Fault),
}

impl Miss {
    fn failed(expected: impl Into<String>, seen: impl Into<String>) -> Miss {
        Miss::Failed { expected: expected.into(), seen: seen.into() }
    }
}

impl From<Fault> for Miss {
    fn from(fault: Fault) -> Miss {
        match fault {
            Fault::Start(_) => Miss::NotStarted(fault),
            fault => Miss::failed("that it goes on", fault.to_string()),
        }
    }
}

/// What came of holding a program against a rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The label of the rule.
    pub rule: &'static str,
    /// What the rule asks for.
    pub duty: &'static str,
    /// Whether the program does it.
    #[serde(flatten)]
    pub verdict: Verdict,
}

/// Whether a program keeps a rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "verdict", rename_all = "kebab-case")]
pub enum Verdict {
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
pub fn rules(protocol: Protocol) -> Vec<Rule> {
    match protocol {
        Protocol::Cecp => cecp::rules(),
        Protocol::Uci => uci::rules(),
        Protocol::Cego => cego::rules(),
    }
}

impl Rule {
    /// Holds a program against the rule. Takes as long as the program lets it, up to half a minute or so.
    ///
    /// # Errors
    /// [`Fault::Start`]: the program cannot be started.
    pub fn check(&self, spec: &Spec, log: Option<Arc<dyn Log>>) -> Result<Finding, Fault> {
        let verdict = match (self.check)(&Candidate { spec, log }) {
            Ok(()) => Verdict::Pass,
            Err(Miss::Failed { expected, seen }) => Verdict::Fail { expected, seen },
            Err(Miss::NotSupported(reason)) => Verdict::NotSupported { reason },
            Err(Miss::NotStarted(fault)) => return Err(fault),
        };
        Ok(Finding { rule: self.label, duty: self.duty, verdict })
    }
}
