//! `herald epd check`: what is wrong with the records of a file.

use std::io::{self, Write as _};

use analysis::{CheckRecords, Counts, Verb};
use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use messages::epd::{MoveReading, Rule, Severity};
use serde_json::json;

use super::EscapesArg;
use super::work::{InputArgs, OutputArgs, Work};

/// Report faults of EPD records: form, operands, opcodes that contradict each other, illegal positions and moves
///
/// An error has a meaning that is lost, unknown or impossible. A warning can be repaired by `herald epd normalize`. A note is
/// allowed but unusual. The exit status is 0 without errors, 1 with errors, and 2 if a file can't be read.
#[derive(Args)]
#[command(after_help = "Example: herald epd check --level warning suites/*.epd")]
pub(crate) struct EpdCheckArgs {
    #[command(flatten)]
    input: InputArgs,
    /// Count warnings as errors for the exit status
    #[arg(long)]
    strict: bool,
    /// Report only faults of at least this severity
    #[arg(long, value_enum, default_value = "note")]
    level: LevelArg,
    /// How strings write quotation marks and semicolons
    #[arg(long, value_enum, default_value = "standard")]
    escapes: EscapesArg,
    /// Write faults as JSON, one per line, and the totals in the last line
    #[arg(long)]
    json: bool,
    /// Explain the labels of rules and check nothing
    #[arg(long, conflicts_with = "files")]
    rules: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum LevelArg {
    Note,
    Warning,
    Error,
}

impl EpdCheckArgs {
    pub(super) fn run(&self) -> Result<()> {
        if self.rules {
            let mut out = io::stdout().lock();
            for rule in Rule::ALL {
                writeln!(out, "{:<4} {}", rule.label(), rule.statement())?;
            }
            return Ok(());
        }
        let check = CheckRecords {
            reader: self.escapes.reader(MoveReading::Legal),
            level: match self.level {
                LevelArg::Note => Severity::Note,
                LevelArg::Warning => Severity::Warning,
                LevelArg::Error => Severity::Error,
            },
            json: self.json,
        };
        let work = Work::new(&self.input, &OutputArgs::default())?;
        let counts = work.run(&Verb::quick(check))?;
        let Counts { records, faulty, errors, warnings, notes, .. } = counts;
        if self.json {
            let totals = json!({
                "records": records, "faulty": faulty, "errors": errors, "warnings": warnings, "notes": notes,
            });
            writeln!(io::stdout(), "{totals}")?;
        } else {
            writeln!(io::stdout(), "{records} records: {errors} errors, {warnings} warnings, {notes} notes")?;
        }
        match (errors, warnings) {
            (0, 1..) if self.strict => bail!("{warnings} warnings, which are errors by --strict"),
            (0, _) => Ok(()),
            _ => bail!("{errors} errors in {faulty} records"),
        }
    }
}
