//! `herald epd report`: reports on solved test suites.

use std::fs;
use std::io::{self, Write as _};
use std::path::{self, Path, PathBuf};

use analysis::expressions::Filter;
use analysis::report::{self, Run, RunSummary, SuiteReport};
use analysis::{InputFile, SelectedRecords, refuse_overwriting};
use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use messages::epd::MoveReading;
use platform::FileId;

use super::EscapesArg;
use super::work::explain;
use crate::WrongInput;

/// Report the results of suites that were solved with `herald epd target`: solved and missed problems, themes, effort, and a
/// comparison of several programs or versions
///
/// Each file is a run. Where a record has no `Target`, the move of `pv`, `pm`, `sv` or `sm` is compared with `bm` and `am`.
/// The theme of a record is its `id` without the number. Moves graded as in the Strategic Test Suite (`c7` to `c9`, or `c0`) get
/// their points. McNemar's test tells whether a difference is significant.
#[derive(Args)]
#[command(after_help = "Examples:
  herald epd report new.epd old=last-month.epd --html report.html
  herald epd report wac.epd --at-least 290")]
pub(crate) struct ReportArgs {
    /// Runs: files of EPD records, `-` for standard input; NAME=FILE names a run. The first one is compared with the others
    #[arg(required = true, value_name = "[NAME=]FILE")]
    runs: Vec<PathBuf>,
    /// Also write an HTML page with charts and diagrams of the problems that the first run has missed
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Heading of the page
    #[arg(long, default_value = "EPD report", requires = "html")]
    title: String,
    /// Write the problems that the first run has missed as training data, with the right moves and the wrong one
    #[arg(long, value_name = "FILE")]
    feedback: Option<PathBuf>,
    /// List all problems, including those that every run has solved
    #[arg(long)]
    all: bool,
    /// Write the report as JSON
    #[arg(long, conflicts_with = "all")]
    json: bool,
    /// Exit status 1 unless the first run has solved this number or percentage of problems: 290, 95%
    #[arg(long, value_name = "COUNT", value_parser = read_threshold)]
    at_least: Option<String>,
    /// Report those records only for which this condition holds: `acd > 20 and not has dm` (docs/EPD-FILTERS.md)
    #[arg(long = "where", value_name = "CONDITION", value_parser = Filter::parse)]
    condition: Option<Filter>,
    /// How strings write quotation marks and semicolons
    #[arg(long, value_enum, default_value = "standard")]
    escapes: EscapesArg,
}

impl ReportArgs {
    pub(super) fn run(&self) -> Result<()> {
        let report = self.read()?;
        // Files are written first, so that their errors come before any output.
        if let Some(path) = &self.html {
            write(path, &report::page(&report, &self.title, self.all))?;
        }
        if let Some(path) = &self.feedback {
            write(path, &report::feedback(&report, 0))?;
        }
        let text =
            if self.json { format!("{}\n", report::json(&report)) } else { report::text(&report, self.all) };
        io::stdout().write_all(text.as_bytes())?;
        let run = &report.runs[0];
        match &self.at_least {
            Some(threshold) if is_reached(threshold, run) == Some(false) => {
                bail!("{} has solved {} of {}, not {threshold}", run.name, run.solved, run.tried)
            }
            _ => Ok(()),
        }
    }

    fn read(&self) -> Result<SuiteReport> {
        let reader = self.escapes.reader(MoveReading::Repair);
        let mut report = SuiteReport::default();
        let inputs = self.runs.iter().map(|run| InputFile::open_records(split(run).1).map_err(explain));
        let inputs = inputs.collect::<Result<Vec<_>>>()?;
        for output in self.html.iter().chain(&self.feedback) {
            refuse_overwriting(output, &inputs).map_err(WrongInput::of)?;
        }
        if self.html.as_deref().zip(self.feedback.as_deref()).is_some_and(|(one, other)| is_same(one, other))
        {
            return Err(WrongInput::of(anyhow!("--html and --feedback name the same file")));
        }
        for (run, input) in self.runs.iter().zip(inputs) {
            let (name, _) = split(run);
            let shown = input.name.clone();
            let run = match &self.condition {
                Some(filter) => {
                    let selected = SelectedRecords::new(input, &shown, filter.clone(), reader);
                    Run::read(&name, selected, reader)
                }
                None => Run::read(&name, input, reader),
            };
            let run = run.map_err(|error| WrongInput::of(anyhow!("can't read `{shown}`: {error}")))?;
            if run.tried() == 0 {
                return Err(WrongInput::of(anyhow!(
                    "`{shown}` has no solved or missed problems; expected records with `bm` or `am` and the move \
                     played, as `herald epd target` writes them"
                )));
            }
            report.add(run);
        }
        Ok(report)
    }
}

/// Splits an argument into the name of a run and its file. An argument that is the name of an existing file is not split.
fn split(run: &Path) -> (String, &Path) {
    let text = run.to_str().filter(|_| !run.exists());
    if let Some((name, file)) = text.and_then(|text| text.split_once('=')) {
        return (name.to_owned(), Path::new(file));
    }
    let name = run.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    (name, run)
}

/// Whether two paths refer to the same file, which need not exist.
fn is_same(one: &Path, other: &Path) -> bool {
    let place = |path: &Path| {
        let path = path::absolute(path).ok()?;
        Some(path.parent()?.canonicalize().ok()?.join(path.file_name()?))
    };
    match (FileId::at(one), FileId::at(other)) {
        (None, None) => !one.exists() && place(one).is_some_and(|one| Some(one) == place(other)),
        (one, other) => one == other,
    }
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).with_context(|| format!("can't write `{}`", path.display()))
}

/// Whether a run reaches a threshold: a number of problems or a percentage. `None` if the text is neither.
fn is_reached(threshold: &str, run: &RunSummary) -> Option<bool> {
    match threshold.strip_suffix('%') {
        Some(percent) => {
            let percent = percent.parse().ok().filter(|percent| (0.0..=100.0).contains(percent))?;
            Some(run.share().percent() >= percent)
        }
        None => Some(run.solved >= threshold.parse().ok()?),
    }
}

fn read_threshold(text: &str) -> Result<String, &'static str> {
    let read = is_reached(text, &RunSummary::default()).map(|_| text.to_owned());
    read.ok_or("expected a number of problems, or a percentage such as 95%")
}
