//! `herald check`: conformance of a program to its protocol.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};
use std::{iter, thread};

use anyhow::{Context, Result, anyhow, ensure};
use clap::Args;
use platform::signals::{self, Signal};
use players::check::{ConformanceRule, RuleReport, RuleVerdict, rules};
use players::{CommandLine, Log, Protocol, Spec, TextLog};

use crate::WrongInput;

/// Check a program against the rules of its protocol, one by one
///
/// Each rule is checked with a process of its own and gives one line: pass, fail (with what was expected and what was seen)
/// or not supported, if the rule is about something that the program doesn't offer. Exit code 0: no rule is broken; 1: a rule
/// is broken; 2: the arguments are wrong, or the program can't be started.
#[derive(Args)]
#[command(after_help = "Example: herald check cecp -- gnuchess")]
pub(crate) struct CheckArgs {
    /// Protocol of the program: cecp, uci or cego
    protocol: Protocol,
    /// Check only this rule; may be given several times
    #[arg(long = "rule", value_name = "LABEL")]
    labels: Vec<String>,
    /// List the rules, and check nothing
    #[arg(long)]
    rules: bool,
    /// Write a JSON object for each rule, and one for the summary
    #[arg(long)]
    json: bool,
    /// Show all messages on standard error
    #[arg(long)]
    log: bool,
    /// Time for the program to get ready, and to move on a short clock
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=600))]
    patience: u64,
    /// Number of rules to check at the same time, each with a process of its own; times are measured best with 1
    #[arg(long, value_name = "NUMBER", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=64))]
    concurrency: u16,
    /// Program and its arguments
    #[arg(last = true, value_name = "ENGINE", required_unless_present = "rules")]
    command: Vec<String>,
}

/// How many rules came out how.
#[derive(Default, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
struct RuleCounts {
    passed: usize,
    failed: usize,
    not_supported: usize,
}

impl RuleCounts {
    fn count(&mut self, verdict: &RuleVerdict) {
        *match verdict {
            RuleVerdict::Pass => &mut self.passed,
            RuleVerdict::Fail { .. } => &mut self.failed,
            RuleVerdict::NotSupported { .. } => &mut self.not_supported,
        } += 1;
    }
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
        // What is caught here is back to its default in the programs. A shell's jobs in the background ignore SIGINT; inherited, that would
        // hide which programs end at it.
        signals::exit_at(&[Signal::Interrupt], || Signal::Interrupt.exit_code())?;
        let mut summary = RuleCounts::default();
        self.check_all(&rules, &spec, |finding| {
            summary.count(&finding.verdict);
            self.show(finding)
        })?;
        self.show_summary(&summary)?;
        ensure!(summary.failed == 0, "{} of {} rules broken", summary.failed, rules.len());
        Ok(())
    }

    /// Holds the program against rules. What was found is shown in their order, as soon as it is known.
    fn check_all(
        &self,
        rules: &[ConformanceRule],
        spec: &Spec,
        mut show: impl FnMut(&RuleReport) -> Result<()>,
    ) -> Result<()> {
        let next = AtomicUsize::new(0);
        thread::scope(|scope| {
            let (sender, found) = mpsc::channel();
            for _ in 0..self.concurrency {
                let (sender, next) = (sender.clone(), &next);
                scope.spawn(move || {
                    let take = || next.fetch_add(1, Ordering::Relaxed);
                    let mut numbered = iter::repeat_with(take).map_while(|n| Some((n, rules.get(n)?)));
                    // Nobody listens after an error.
                    let _ =
                        numbered.try_for_each(|(n, rule)| sender.send((n, rule.check(spec, self.log(rule)))));
                });
            }
            drop(sender);
            let mut early = BTreeMap::new();
            let mut shown = 0;
            for (n, finding) in found {
                early.insert(n, finding.map_err(WrongInput::of)?);
                while let Some(finding) = early.remove(&shown) {
                    show(&finding)?;
                    shown += 1;
                }
            }
            Ok(())
        })
    }

    /// Those that were asked for; all if none was.
    fn chosen_rules(&self) -> Result<Vec<ConformanceRule>> {
        let all = rules(self.protocol);
        if self.labels.is_empty() {
            return Ok(all);
        }
        let known = |label: &String| {
            let known = all.iter().find(|rule| rule.label == *label).copied();
            known
                .ok_or_else(|| WrongInput::of(anyhow!("there is no rule {label}; `--rules` lists the rules")))
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

    fn show(&self, finding: &RuleReport) -> Result<()> {
        let mut output = io::stdout().lock();
        if self.json {
            writeln!(output, "{}", serde_json::to_string(finding).context("no JSON")?)?;
        } else {
            let RuleReport { rule, duty, verdict } = finding;
            match verdict {
                RuleVerdict::Pass => writeln!(output, "pass           {rule:16} {duty}")?,
                RuleVerdict::Fail { expected, seen } => {
                    writeln!(output, "FAIL           {rule:16} {duty}; expected {expected}, seen {seen}")?;
                }
                RuleVerdict::NotSupported { reason } => {
                    writeln!(output, "not supported  {rule:16} {duty}; without {reason}")?;
                }
            }
        }
        Ok(output.flush()?)
    }

    fn show_summary(&self, summary: &RuleCounts) -> Result<()> {
        if self.json {
            writeln!(io::stdout(), "{}", serde_json::to_string(summary).context("no JSON")?)?;
        } else {
            let RuleCounts { passed, failed, not_supported } = summary;
            writeln!(io::stdout(), "{passed} passed, {failed} failed, {not_supported} not supported")?;
        }
        Ok(())
    }
}
