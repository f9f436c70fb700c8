//! `herald epd check`: what is wrong with the records of a file.

use std::io::{self, Write as _};

use analysis::{Check as CheckVerb, Format, Tally};
use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use messages::epd::{RecordReader, Rule, Severity};
use serde_json::json;

use super::Notation;
use super::work::{Destination, Files, Work};

/// Tell what is wrong with EPD records: form, operands, opcodes that contradict each other, positions and moves that are
/// illegal
///
/// An error is something whose meaning is lost, unknown or impossible; a warning something that `herald epd normalize` puts
/// right; a note something that is allowed, but not as it should be. The exit status is 0 if there is no error, 1 if there
/// is one, and 2 if a file can't be read.
#[derive(Args)]
#[command(after_help = "Example: herald epd check --level warning suites/*.epd")]
pub(super) struct Check {
    #[command(flatten)]
    files: Files,
    /// Warnings are errors for the exit status
    #[arg(long)]
    strict: bool,
    /// Tell only faults that are at least so severe
    #[arg(long, value_enum, default_value = "note")]
    level: Level,
    /// How strings write quotation marks and semicolons
    #[arg(long, value_enum, default_value = "standard")]
    escapes: Notation,
    /// Write faults as JSON, one a line, and the totals as the last one
    #[arg(long)]
    json: bool,
    /// Explain the labels of rules, and check nothing
    #[arg(long, conflicts_with = "files")]
    rules: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Level {
    Note,
    Warning,
    Error,
}

impl Check {
    pub(super) fn run(&self) -> Result<()> {
        if self.rules {
            return explain_rules();
        }
        let verb = |name: &str| {
            Ok(CheckVerb {
                name: name.to_owned(),
                reader: RecordReader { escapes: self.escapes.into(), ..RecordReader::default() },
                level: match self.level {
                    Level::Note => Severity::Note,
                    Level::Warning => Severity::Warning,
                    Level::Error => Severity::Error,
                },
                format: if self.json { Format::Json } else { Format::Text },
            })
        };
        let tally = Work::new(&self.files, &Destination::default())?.run(verb)?;
        self.sum_up(&tally)?;
        match tally {
            Tally { errors: 0, warnings, .. } if warnings == 0 || !self.strict => Ok(()),
            Tally { errors: 0, warnings, .. } => bail!("{warnings} warnings, which are errors by --strict"),
            Tally { errors, faulty, .. } => bail!("{errors} errors in {faulty} records"),
        }
    }

    fn sum_up(&self, tally: &Tally) -> io::Result<()> {
        let Tally { records, faulty, errors, warnings, notes } = tally;
        if self.json {
            let totals = json!({
                "records": records, "faulty": faulty, "errors": errors, "warnings": warnings, "notes": notes,
            });
            writeln!(io::stdout(), "{totals}")
        } else {
            writeln!(io::stdout(), "{records} records: {errors} errors, {warnings} warnings, {notes} notes")
        }
    }
}

fn explain_rules() -> Result<()> {
    let mut out = io::stdout().lock();
    for rule in Rule::ALL {
        writeln!(out, "{:<4} {}", rule.label(), rule.statement())?;
    }
    Ok(())
}
