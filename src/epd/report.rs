//! `herald epd report`: reports on solved test suites.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use analysis::expressions::Filter;
use analysis::report::{self, Listed, ReportError, RunSummary, SuiteReport, SuiteRuns, ThemeRule};
use analysis::{InputFile, SelectedRecords, refuse_overwriting};
use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use messages::epd::MoveReading;
use platform::find_named_twice;

use super::EscapesArg;
use super::work::explain;
use crate::WrongInput;

/// Report the results of suites that were solved with `herald epd target`: solved and missed problems, themes, effort, and a
/// comparison of several programs or versions
///
/// Each file is a run. Where a record has no `Target`, the move of `pv`, `pm`, `sv` or `sm` is compared with `bm` and `am`.
/// Moves graded as in the Strategic Test Suite (`c7` to `c9`, or `c0`) get their points. McNemar's exact test tells whether a difference
/// is significant; its p is corrected for the number of runs and themes (Holm). docs/REPORTS.md describes all columns.
#[derive(Args)]
#[command(after_help = "Examples:
  herald epd report new.epd old=last-month.epd --html report.html
  herald epd report sts.epd --theme id --csv sts.csv
  herald epd report wac.epd --at-least 290

Themes:
  auto         the part of `id` that divides the suite best; one theme if none does
  none         one theme
  id           the `id` without the number of the problem
  opcodes      which of `am`, `bm` and `dm` a record has
  c3           the operands of any operation, here `c3`
  /REGEX/      the first group of a regular expression in `id`, or what it matches
  c3/REGEX/    the same in another operation")]
pub(crate) struct ReportArgs {
    /// Runs: files of EPD records, `-` for standard input; NAME=FILE names a run. The first one is compared with the others
    #[arg(required = true, value_name = "[NAME=]FILE")]
    runs: Vec<PathBuf>,
    /// Also write an HTML page with charts, a board for each problem, and diagrams of those that the first run has missed
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Heading of the page
    #[arg(long, default_value = "EPD report", requires = "html")]
    title: String,
    /// Also write CSV: a row for each problem and run
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Write the problems that the first run has missed as training data, with the right moves and the wrong one
    #[arg(long, value_name = "FILE")]
    feedback: Option<PathBuf>,
    /// From what the theme of a problem is read; see below
    #[arg(long, value_name = "RULE", default_value = "auto")]
    theme: ThemeRule,
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
        let listed = if self.all { Listed::All } else { Listed::NotSolvedByAll };
        // Files are written first, so that their errors come before any output.
        if let Some(path) = &self.html {
            let page = report::page(&report, &self.title, listed)?;
            write(path, |out| Ok(out.write_all(page.as_bytes())?))?;
        }
        if let Some(path) = &self.csv {
            write(path, |out| report::csv(&report, out))?;
        }
        if let Some(path) = &self.feedback {
            write(path, |out| report::feedback(&report, 0, out))?;
        }
        let mut out = BufWriter::new(io::stdout().lock());
        let written =
            if self.json { report::json(&report, &mut out) } else { report::text(&report, listed, &mut out) };
        match written {
            // As such it is known to be no error if the reader of a pipe has left.
            Err(ReportError::File(error)) => return Err(error.into()),
            written => written?,
        }
        out.flush()?;
        let run = &report.runs[0];
        match &self.at_least {
            Some(threshold) if is_reached(threshold, run) == Some(false) => {
                let (solved, tried) = (run.tally.solved, run.tally.tried);
                bail!("{} has solved {solved} of {tried}, not {threshold}", run.name)
            }
            _ => Ok(()),
        }
    }

    fn read(&self) -> Result<SuiteReport> {
        let reader = self.escapes.reader(MoveReading::Repair);
        let inputs = self.runs.iter().map(|run| InputFile::open_records(split(run).1).map_err(explain));
        let inputs = inputs.collect::<Result<Vec<_>>>()?;
        self.check_outputs(&inputs)?;
        let mut runs = SuiteRuns::new(reader, self.theme.clone())?;
        for (run, input) in self.runs.iter().zip(inputs) {
            let (name, _) = split(run);
            let shown = input.name.clone();
            let added = match &self.condition {
                Some(filter) => runs.add(&name, SelectedRecords::new(input, &shown, filter.clone(), reader)),
                None => runs.add(&name, input),
            };
            let tried = match added {
                Err(ReportError::File(error)) => {
                    return Err(WrongInput::of(anyhow!("can't read `{shown}`: {error}")));
                }
                tried => tried?,
            };
            if tried == 0 {
                return Err(WrongInput::of(anyhow!(
                    "`{shown}` has no solved or missed problems; expected records with `bm` or `am` and the move \
                     played, as `herald epd target` writes them"
                )));
            }
        }
        Ok(runs.report()?)
    }

    /// Refuses to overwrite an input, and to write two outputs to one file.
    fn check_outputs(&self, inputs: &[InputFile]) -> Result<()> {
        let outputs = [("--html", &self.html), ("--csv", &self.csv), ("--feedback", &self.feedback)];
        let outputs = outputs.into_iter().filter_map(|(option, path)| Some((option, path.as_deref()?)));
        for (_, output) in outputs.clone() {
            refuse_overwriting(output, inputs).map_err(WrongInput::of)?;
        }
        if let Some((one, other)) = find_named_twice(outputs) {
            return Err(WrongInput::of(anyhow!("{one} and {other} name the same file")));
        }
        Ok(())
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

fn write(path: &Path, write: impl FnOnce(&mut BufWriter<File>) -> Result<(), ReportError>) -> Result<()> {
    let refusal = || format!("can't write `{}`", path.display());
    let mut out = BufWriter::new(File::create(path).with_context(refusal)?);
    write(&mut out).with_context(refusal)?;
    out.flush().with_context(refusal)
}

/// Whether a run reaches a threshold: a number of problems or a percentage. `None` if the text is neither.
fn is_reached(threshold: &str, run: &RunSummary) -> Option<bool> {
    match threshold.strip_suffix('%') {
        Some(percent) => {
            let percent = percent.parse().ok().filter(|percent| (0.0..=100.0).contains(percent))?;
            Some(run.share().percent() >= percent)
        }
        None => Some(run.tally.solved >= threshold.parse().ok()?),
    }
}

fn read_threshold(text: &str) -> Result<String, &'static str> {
    let read = is_reached(text, &RunSummary::default()).map(|_| text.to_owned());
    read.ok_or("expected a number of problems, or a percentage such as 95%")
}
