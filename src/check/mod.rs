//! `herald check`: checks the conformance of a program to its protocol.

use std::io::{self, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, ensure};
use clap::Args;
use game::counted;
use platform::signals::{self, Signal};
use players::check::{ConformanceRule, Level, RuleReport, RuleVerdict, rules};
use players::{CommandLine, Log, Protocol, Spec, TextLog};
use serde::Serialize;

use crate::WrongInput;

/// Check a program against the rules of its protocol, one by one
///
/// Each rule is checked with a process of its own and reported in one line: pass, FAIL (with the expected and the seen
/// behaviour), not supported, if the program lacks the feature, or not seen, if its effect could not be observed. Exit code 0: no
/// rule is broken that the specification demands; 1: such a rule is broken; 2: the arguments are wrong, or the program can't be
/// started.
#[derive(Args)]
#[command(after_help = "Example: herald check cecp -- gnuchess --xboard")]
pub(crate) struct CheckArgs {
    /// Protocol of the program: cecp, uci or cego
    protocol: Protocol,
    /// Check only this rule; may be given several times
    #[arg(long = "rule", value_name = "LABEL")]
    labels: Vec<String>,
    /// List the rules without checking a program
    #[arg(long)]
    rules: bool,
    /// Count broken rules of the levels should and usual for the exit code, too
    #[arg(long)]
    strict: bool,
    /// Write a JSON object for each rule and one for the summary
    #[arg(long)]
    json: bool,
    /// Show all messages on standard error
    #[arg(long)]
    log: bool,
    /// Time limit for the program to get ready, and to move on a short clock
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=600))]
    patience: u64,
    /// Number of rules to check at the same time; times are most accurate with 1
    #[arg(long, value_name = "NUMBER", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=64))]
    concurrency: u16,
    /// Program and its arguments
    #[arg(last = true, value_name = "ENGINE", required_unless_present = "rules")]
    command: Vec<String>,
}

/// Number of rules by verdict.
#[derive(Default, Serialize)]
#[serde(rename_all = "kebab-case")]
struct RuleCounts {
    passed: usize,
    failed: usize,
    not_supported: usize,
    not_seen: usize,
}

impl CheckArgs {
    pub(crate) fn run(&self) -> Result<()> {
        let rules = self.chosen_rules()?;
        if self.rules {
            return Ok(rules
                .iter()
                .try_for_each(|rule| writeln!(io::stdout(), "{:16} {}", rule.label, rule.duty))?);
        }
        let spec = self.spec()?;
        // A caught signal has its default effect in programs started from here. Background jobs of a shell ignore SIGINT;
        // programs that inherit that would pass the rule about SIGINT.
        signals::exit_at(&[Signal::Interrupt], || Signal::Interrupt.exit_code())?;
        let mut counts = RuleCounts::default();
        let mut broken = 0;
        self.check_all(&rules, &spec, |finding| {
            match finding.verdict {
                RuleVerdict::Pass => counts.passed += 1,
                RuleVerdict::Fail { .. } => {
                    counts.failed += 1;
                    broken += usize::from(self.strict || finding.level == Level::Must);
                }
                RuleVerdict::NotSupported { .. } => counts.not_supported += 1,
                RuleVerdict::NotSeen { .. } => counts.not_seen += 1,
            }
            self.show(finding, described(finding))
        })?;
        let RuleCounts { passed, failed, not_supported, not_seen } = counts;
        let summary =
            format!("{passed} passed, {failed} failed, {not_supported} not supported, {not_seen} not seen");
        self.show(&counts, summary)?;
        ensure!(broken == 0, "{broken} of {} broken", counted(rules.len() as u64, "rule"));
        Ok(())
    }

    /// Checks the rules and shows the reports in the order of the rules, each as soon as possible.
    fn check_all(
        &self,
        rules: &[ConformanceRule],
        spec: &Spec,
        mut show: impl FnMut(&RuleReport) -> Result<()>,
    ) -> Result<()> {
        let next = AtomicUsize::new(0);
        let (senders, findings): (Vec<_>, Vec<_>) = rules.iter().map(|_| mpsc::channel()).unzip();
        thread::scope(|scope| {
            for _ in 0..self.concurrency {
                scope.spawn(|| {
                    loop {
                        let n = next.fetch_add(1, Ordering::Relaxed);
                        let Some(rule) = rules.get(n) else { return };
                        if senders[n].send(rule.check(spec, self.log(rule))).is_err() {
                            // The receiver is gone after an error.
                            return;
                        }
                    }
                });
            }
            findings.into_iter().try_for_each(|finding| show(&finding.recv()?.map_err(WrongInput::of)?))
        })
    }

    /// Rules named by --rule; all rules without it.
    fn chosen_rules(&self) -> Result<Vec<ConformanceRule>> {
        let all = rules(self.protocol);
        if all.is_empty() {
            let reason = anyhow!("there are no rules for this protocol: expected cecp, uci or cego");
            return Err(WrongInput::of(reason));
        }
        if self.labels.is_empty() {
            return Ok(all);
        }
        let known = |label: &String| {
            let unknown = || WrongInput::of(anyhow!("there is no rule {label}; `--rules` lists the rules"));
            all.iter().find(|rule| rule.label == *label).copied().ok_or_else(unknown)
        };
        self.labels.iter().map(known).collect()
    }

    fn spec(&self) -> Result<Spec> {
        let command = CommandLine::from_words(self.command.iter().cloned()).map_err(WrongInput::of)?;
        let mut spec = Spec::new(command, self.protocol);
        spec.patience = Duration::from_secs(self.patience);
        Ok(spec)
    }

    fn log(&self, rule: &ConformanceRule) -> Option<Arc<dyn Log>> {
        self.log.then(|| Arc::new(TextLog::new(rule.label, Instant::now(), io::stderr())) as Arc<dyn Log>)
    }

    /// Prints a line of the report: the value as JSON, or the text.
    fn show(&self, value: &impl Serialize, text: String) -> Result<()> {
        let line = if self.json { serde_json::to_string(value).context("no JSON")? } else { text };
        let mut output = io::stdout().lock();
        writeln!(output, "{line}")?;
        Ok(output.flush()?)
    }
}

fn described(RuleReport { rule, duty, verdict, level, .. }: &RuleReport) -> String {
    match verdict {
        RuleVerdict::Pass => format!("pass           {rule:16} {duty}"),
        RuleVerdict::Fail { expected, seen } => {
            let level = match level {
                Level::Must => "",
                Level::Should => " (recommended)",
                Level::Usual => " (usual)",
            };
            format!("FAIL           {rule:16} {duty}{level}; expected {expected}, seen {seen}")
        }
        RuleVerdict::NotSupported { reason } => {
            format!("not supported  {rule:16} {duty}; without {reason}")
        }
        RuleVerdict::NotSeen { reason } => format!("not seen       {rule:16} {duty}; {reason}"),
    }
}
