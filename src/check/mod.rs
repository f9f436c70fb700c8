//! `herald check`: checks the conformance of a program to its protocol.

mod dialogue;
mod junit;
mod report;

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, mpsc};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context, Result, anyhow, ensure};
use clap::Args;
use game::counted;
use indicatif::ProgressBar;
use platform::FileId;
use platform::signals::{self, Signal};
use players::check::{ConformanceRule, Logs, Misfit, RuleReport, RuleVerdict, misfit, rules};
use players::{CommandLine, Log, PlayerFault, Protocol, Recipe, Spec, TextLog};
use serde::Serialize;

use self::dialogue::{ProcessWitness, Witness};
use self::report::{CheckReport, Finding, ShownDialogue};
use crate::WrongInput;
use crate::analyzer_args::today;
use crate::book::write_whole;

/// Check a program against the rules of its protocol, one by one
///
/// Each rule is checked with a process of its own. A verdict is pass, FAIL (with the expected and the seen behaviour), not
/// supported, if the program lacks the feature, or not seen, if the effect could not be observed; only the first counts as kept.
/// The report has the faults first, those against what the specification demands before those against what it recommends and
/// what is usual; then what could not be checked, and why; then a table of the specification's sections.
///
/// Exit code 0: no rule is broken that the specification demands (with --strict: no rule at all); 1: such a rule is broken;
/// 2: the arguments are wrong, output can't be written, or the program can't be started or doesn't answer.
#[derive(Args)]
#[expect(clippy::struct_excessive_bools, reason = "a flag for each way to report")]
#[command(after_help = "Example: herald check cecp -- gnuchess --xboard")]
pub(crate) struct CheckArgs {
    /// Protocol of the program: cecp, uci or cego
    #[arg(value_parser = checked_protocol)]
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
    /// Show each rule with its verdict as it is checked, those that are kept included
    #[arg(long, conflicts_with = "json")]
    verbose: bool,
    /// Show what was said to the program and what it said, with times, and a shell script that says it again: for each broken rule,
    /// or for those of --rule
    #[arg(long)]
    show_dialogue: bool,
    /// Write the verdicts to this file as `JUnit` XML
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Write to this file, in TOML, which repairs `herald mend` makes for this program
    #[arg(long, value_name = "FILE")]
    recipe: Option<PathBuf>,
    /// Write a badge such as "CECP 71/79" to this file, as JSON for shields.io
    #[arg(long, value_name = "FILE")]
    badge: Option<PathBuf>,
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

/// Parses a protocol that has rules. The autoplayer's proposal has none that a program could be held to without an interface's help.
fn checked_protocol(text: &str) -> Result<Protocol, &'static str> {
    let protocol = text.parse().ok().filter(|protocol| *protocol != Protocol::Autoplayer);
    protocol.ok_or("expected cecp, uci or cego")
}

impl CheckArgs {
    pub(crate) fn run(&self) -> Result<()> {
        let rules = self.chosen_rules()?;
        if self.rules {
            return rules.iter().try_for_each(|rule| {
                print(&format!("{:20} {:7} {}\n", rule.label, rule.level.name(), rule.duty))
            });
        }
        let spec = self.spec()?;
        self.prepare_files()?;
        // A caught signal has its default effect in programs started from here. Background jobs of a shell ignore SIGINT;
        // programs that inherit that would pass the rule about SIGINT.
        let (lines, is_shown, count) =
            (Arc::<Mutex<Vec<String>>>::default(), self.json || self.verbose, rules.len());
        let checked = Arc::clone(&lines);
        signals::exit_at(&[Signal::Interrupt], move || {
            let lines = checked.lock().map(|lines| lines.clone()).unwrap_or_default();
            if !is_shown {
                // A closed pipe does not matter any more.
                let _ = print(&lines.concat());
            }
            tell!("herald: interrupted after {} of {count} rules; no report was written", lines.len());
            Signal::Interrupt.exit_code()
        })?;
        if let Some(misfit) = misfit(&spec).map_err(WrongInput::of)? {
            return Err(WrongInput::of(self.explain(&misfit)));
        }
        let name = Arc::default();
        let findings = self.check_all(&rules, &spec, &name, &lines)?;
        let program = name.get().cloned().unwrap_or_else(|| game::excerpt(spec.command.file_name()));
        let report = CheckReport::new(program, spec.command.to_string(), self.protocol, today(), findings);
        if self.json {
            print_json(&report.summary())?;
        } else {
            print(&report.text())?;
        }
        self.write_files(&report)?;
        let broken = report.broken(self.strict);
        ensure!(broken == 0, "{broken} of {} broken", counted(rules.len() as u64, "rule"));
        Ok(())
    }

    /// Checks the rules. Shows each as soon as it and those before it are checked, if that is wanted, and adds its line to `lines`.
    fn check_all(
        &self,
        rules: &[ConformanceRule],
        spec: &Spec,
        name: &Arc<OnceLock<String>>,
        lines: &Mutex<Vec<String>>,
    ) -> Result<Vec<Finding>> {
        let next = AtomicUsize::new(0);
        let (senders, checked): (Vec<_>, Vec<_>) = rules.iter().map(|_| mpsc::channel()).unzip();
        let progress = crate::progress_bar(Some(rules.len() as u64), "{pos}/{len} {wide_msg}");
        thread::scope(|scope| {
            for _ in 0..self.concurrency {
                scope.spawn(|| {
                    loop {
                        let n = next.fetch_add(1, Ordering::Relaxed);
                        let Some(rule) = rules.get(n) else { return };
                        if senders[n].send(self.check(rule, spec, name)).is_err() {
                            // The receiver is gone after an error.
                            return;
                        }
                    }
                });
            }
            let mut findings = Vec::new();
            for (rule, finding) in rules.iter().zip(checked) {
                progress.set_message(progress_text(rule, &findings));
                let finding = finding.recv()?.map_err(WrongInput::of)?;
                self.show(&finding, &progress)?;
                if let Ok(mut lines) = lines.lock() {
                    lines.push(report::line(&finding.report) + "\n");
                }
                findings.push(finding);
                progress.inc(1);
            }
            progress.finish_and_clear();
            Ok(findings)
        })
    }

    fn check(
        &self,
        rule: &ConformanceRule,
        spec: &Spec,
        name: &Arc<OnceLock<String>>,
    ) -> Result<Finding, PlayerFault> {
        let (began, since) = (SystemTime::now(), Instant::now());
        let witness = Arc::new(Witness::new(self.protocol, Arc::clone(name), self.show_dialogue));
        let (of, label, logs) = (Arc::clone(&witness), rule.label, self.log);
        let logs: Logs = Arc::new(move |process| {
            let next = logs.then(|| log(label, process));
            Some(Arc::new(ProcessWitness { of: Arc::clone(&of), process, next }))
        });
        let report = rule.check(spec, logs)?;
        let seconds = since.elapsed().as_millis() as f64 / 1000.0;
        let is_shown = !self.labels.is_empty() || matches!(report.verdict, RuleVerdict::Fail { .. });
        let dialogue = witness.take_dialogue().filter(|_| is_shown).map(|dialogue| ShownDialogue {
            script: dialogue::script(rule.label, &spec.command, &dialogue),
            dialogue,
        });
        Ok(Finding { report, began, seconds, dialogue })
    }

    /// Shows a finding during the check.
    fn show(&self, finding: &Finding, progress: &ProgressBar) -> Result<()> {
        progress.suspend(|| {
            if self.json {
                print_json(finding)
            } else if self.verbose {
                print(&format!("{}\n", report::line(&finding.report)))
            } else {
                Ok(())
            }
        })
    }

    fn write_files(&self, report: &CheckReport) -> Result<()> {
        let write = |path: &Option<PathBuf>, text: String| {
            let Some(path) = path else { return Ok(()) };
            write_whole(path, text.as_bytes()).with_context(|| cannot_write(path)).map_err(WrongInput::of)
        };
        write(&self.junit, junit::junit(report, self.strict))?;
        write(&self.badge, serde_json::to_string(&report.badge())? + "\n")?;
        let verdicts: Vec<&RuleReport> = report.findings.iter().map(|finding| &finding.report).collect();
        let recipe = Recipe::of_verdicts(self.protocol, &report.program, &verdicts);
        write(
            &self.recipe,
            format!("# Made by herald check on {}.\n{}", report.date, toml::to_string(&recipe)?),
        )
    }

    /// Rules named by --rule; all rules without it.
    fn chosen_rules(&self) -> Result<Vec<ConformanceRule>> {
        let all = rules(self.protocol);
        if self.labels.is_empty() {
            return Ok(all);
        }
        let known = |label: &String| {
            let unknown = || WrongInput::of(anyhow!("there is no rule {label}; `--rules` lists the rules"));
            all.iter().find(|rule| rule.label == *label).copied().ok_or_else(unknown)
        };
        let mut chosen: Vec<ConformanceRule> = Vec::new();
        for label in &self.labels {
            let rule = known(label)?;
            if chosen.iter().all(|other| other.label != rule.label) {
                chosen.push(rule);
            }
        }
        Ok(chosen)
    }

    fn spec(&self) -> Result<Spec> {
        let command = CommandLine::from_words(self.command.iter().cloned()).map_err(WrongInput::of)?;
        let mut spec = Spec::new(command, self.protocol);
        spec.patience = Duration::from_secs(self.patience);
        Ok(spec)
    }

    /// Why a program can't be checked, in a sentence.
    fn explain(&self, misfit: &Misfit) -> anyhow::Error {
        let command = shell_words::join(&self.command);
        match misfit {
            Misfit::Speaks(other) => {
                let name = report::usual_name(*other);
                anyhow!("this program speaks {name}: herald check {} -- {command}", name.to_lowercase())
            }
            Misfit::Mute(instead) => {
                let name = report::usual_name(self.protocol);
                anyhow!("it doesn't answer as a {name} program: `{command}` {instead}")
            }
        }
    }

    /// Fails if a file can't be written, or two are the same, before the check has taken its time. What is in a file stays, and a new
    /// one is there only when the check is over: an interrupted one leaves none.
    fn prepare_files(&self) -> Result<()> {
        let paths = || [&self.junit, &self.recipe, &self.badge].into_iter().flatten();
        let new: Vec<_> = paths().filter(|path| path.symlink_metadata().is_err()).collect();
        let opened = open_files(paths());
        for path in new {
            // It can't be there if it could not be opened.
            let _ = fs::remove_file(path);
        }
        opened
    }
}

/// Fails if a file can't be written, or two are the same.
fn open_files<'a>(paths: impl Iterator<Item = &'a PathBuf>) -> Result<()> {
    let mut known: Vec<FileId> = Vec::new();
    for path in paths {
        let opened = File::options().append(true).create(true).open(path);
        let file = opened.with_context(|| cannot_write(path)).map_err(WrongInput::of)?;
        let Some(id) = FileId::of(&file) else { continue };
        if known.contains(&id) {
            return Err(WrongInput::of(anyhow!(
                "`{}` would be overwritten: --junit, --badge and --recipe need a file each",
                path.display()
            )));
        }
        known.push(id);
    }
    Ok(())
}

/// The log of a process of a rule on standard error.
fn log(label: &str, process: usize) -> Arc<dyn Log> {
    let name = if process == 0 { label.to_owned() } else { format!("{label}.{}", process + 1) };
    Arc::new(TextLog::new(name, Instant::now(), io::stderr()))
}

/// The rule in work, and the faults so far.
fn progress_text(rule: &ConformanceRule, findings: &[Finding]) -> String {
    let faults: Vec<_> = findings
        .iter()
        .filter(|finding| matches!(finding.report.verdict, RuleVerdict::Fail { .. }))
        .map(|finding| finding.report.rule)
        .collect();
    match faults.len() {
        0 => rule.label.to_owned(),
        count => format!("{}, {}: {}", rule.label, counted(count as u64, "fault"), faults.join(", ")),
    }
}

fn cannot_write(path: &Path) -> String {
    format!("can't write `{}`", path.display())
}

fn print_json(value: &impl Serialize) -> Result<()> {
    print(&(serde_json::to_string(value).context("no JSON")? + "\n"))
}

/// Writes to standard output. A reader that has gone is an error, too: it has not got the verdicts.
fn print(text: &str) -> Result<()> {
    let mut output = io::stdout().lock();
    let written = output.write_all(text.as_bytes()).and_then(|()| output.flush());
    written.context("can't write to standard output").map_err(WrongInput::of)
}
