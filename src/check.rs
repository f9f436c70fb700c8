//! `herald check`: whether a program keeps the rules of its protocol.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};
use std::{iter, thread};

use anyhow::{Context, Result, anyhow, ensure};
use clap::{Args, ValueEnum};
use platform::signals::{self, Signal};
use players::check::{Finding, Rule, Verdict, rules};
use players::{CommandLine, Log, Protocol, Spec, TextLog};

use crate::WrongInput;

/// Hold a program against the rules of its protocol, one by one
///
/// Each rule gets a process of its own and a line: pass, fail (with what was expected and what was seen) or not supported,
/// if it is about something that the program doesn't offer. Exit code 0: no rule is broken; 1: one is; 2: the
/// arguments are wrong, or the program can't be started.
#[derive(Args)]
#[command(after_help = "Example: herald check cecp -- gnuchess")]
pub(crate) struct Check {
    /// What the program speaks
    #[arg(value_enum)]
    protocol: Spoken,
    /// Check this rule only; may be given several times
    #[arg(long = "rule", value_name = "LABEL")]
    labels: Vec<String>,
    /// Show the rules, and check nothing
    #[arg(long)]
    rules: bool,
    /// Write a JSON object a rule, and one for the summary
    #[arg(long)]
    json: bool,
    /// Show on standard error all that is said
    #[arg(long)]
    log: bool,
    /// How long the program may take to get ready, and for a move on a short clock
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=600))]
    patience: u64,
    /// How many rules to check at the same time, each with a process of the program; times are measured best with one
    #[arg(long, value_name = "NUMBER", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=64))]
    concurrency: u16,
    /// The program and its arguments
    #[arg(last = true, value_name = "ENGINE", required_unless_present = "rules")]
    command: Vec<String>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Spoken {
    Cecp,
    Uci,
    Cego,
}

impl From<Spoken> for Protocol {
    fn from(spoken: Spoken) -> Protocol {
        match spoken {
            Spoken::Cecp => Protocol::Cecp,
            Spoken::Uci => Protocol::Uci,
            Spoken::Cego => Protocol::Cego,
        }
    }
}

/// How many rules came out how.
#[derive(Default, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
struct Summary {
    passed: usize,
    failed: usize,
    not_supported: usize,
}

impl Summary {
    fn count(&mut self, verdict: &Verdict) {
        *match verdict {
            Verdict::Pass => &mut self.passed,
            Verdict::Fail { .. } => &mut self.failed,
            Verdict::NotSupported { .. } => &mut self.not_supported,
        } += 1;
    }
}

impl Check {
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
        let mut summary = Summary::default();
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
        rules: &[Rule],
        spec: &Spec,
        mut show: impl FnMut(&Finding) -> Result<()>,
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
                early.insert(n, finding.map_err(|fault| anyhow!(WrongInput).context(fault))?);
                while let Some(finding) = early.remove(&shown) {
                    show(&finding)?;
                    shown += 1;
                }
            }
            Ok(())
        })
    }

    /// Those that were asked for; all if none was.
    fn chosen_rules(&self) -> Result<Vec<Rule>> {
        let all = rules(self.protocol.into());
        if self.labels.is_empty() {
            return Ok(all);
        }
        let known = |label: &String| {
            all.iter().find(|rule| rule.label == *label).copied().ok_or_else(|| {
                anyhow!(WrongInput)
                    .context(format!("there is no rule {label}; `--rules` shows those that there are"))
            })
        };
        self.labels.iter().map(known).collect()
    }

    fn spec(&self) -> Result<Spec> {
        let command = CommandLine::from_words(self.command.iter().cloned())
            .map_err(|error| anyhow!(WrongInput).context(error))?;
        let mut spec = Spec::new(command, self.protocol.into());
        spec.patience = Duration::from_secs(self.patience);
        Ok(spec)
    }

    fn log(&self, rule: &Rule) -> Option<Arc<dyn Log>> {
        self.log.then(|| Arc::new(TextLog::new(rule.label, Instant::now(), io::stderr())) as Arc<dyn Log>)
    }

    fn show(&self, finding: &Finding) -> Result<()> {
        let mut output = io::stdout().lock();
        if self.json {
            writeln!(output, "{}", serde_json::to_string(finding).context("no JSON")?)?;
        } else {
            let Finding { rule, duty, verdict } = finding;
            match verdict {
                Verdict::Pass => writeln!(output, "pass           {rule:16} {duty}")?,
                Verdict::Fail { expected, seen } => {
                    writeln!(output, "FAIL           {rule:16} {duty}; expected {expected}, seen {seen}")?;
                }
                Verdict::NotSupported { reason } => {
                    writeln!(output, "not supported  {rule:16} {duty}; without {reason}")?;
                }
            }
        }
        Ok(output.flush()?)
    }

    fn show_summary(&self, summary: &Summary) -> Result<()> {
        if self.json {
            writeln!(io::stdout(), "{}", serde_json::to_string(summary).context("no JSON")?)?;
        } else {
            let Summary { passed, failed, not_supported } = summary;
            writeln!(io::stdout(), "{passed} passed, {failed} failed, {not_supported} not supported")?;
        }
        Ok(())
    }
}
