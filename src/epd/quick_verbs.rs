//! `herald epd check`, `normalize` and `purge`: the quick verbs. They report faults of records, write records in canonical form,
//! and remove an operation.

use std::io::{self, Write as _};

use analysis::{CheckRecords, Counts, LineEnds, Normalize, NormalizeOutput, Purge, Unmatched, Verb};
use anyhow::{Result, bail};
use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Args, ValueEnum};
use game::counted;
use messages::epd::{Escapes, MoveReading, PieceLetters, RecordReader, Repair, RepairSet, Rule, Severity};
use serde_json::json;

use super::work::{InputArgs, OutputArgs, Work};
use crate::{WrongInput, one_of};

/// Report faults of EPD records: form, operands, opcodes that contradict each other, illegal positions and moves
///
/// An error means that the meaning is unknown, impossible or contradictory. Most warnings can be repaired by `herald epd
/// normalize`. A note is allowed but unusual. The exit status is 0 without errors, 1 with errors, and 2 if a file can't be read.
#[derive(Args)]
#[command(after_help = "Example: herald epd check --level warning suites/*.epd")]
pub(crate) struct EpdCheckArgs {
    #[command(flatten)]
    input: InputArgs,
    /// Count warnings as errors for the exit status
    #[arg(long)]
    strict: bool,
    /// Report only faults of at least this severity
    #[arg(long, value_parser = one_of::<Severity>(["note", "warning", "error"]), default_value = "note")]
    level: Severity,
    /// Write faults as JSON, one per line, and the totals in the last line
    #[arg(long)]
    json: bool,
    /// Explain the labels of rules and check nothing
    #[arg(long, conflicts_with = "files")]
    rules: bool,
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
            reader: self.input.reader(MoveReading::Legal),
            level: self.level,
            json: self.json,
        };
        let work = Work::new(&self.input, &OutputArgs::default())?;
        let reader = check.reader;
        let verb = self.input.restricted_to(Verb::quick(check), reader, Unmatched::LeftOut);
        let counts = work.run(&verb)?;
        let Counts { records, faulty, errors, warnings, notes, .. } = counts;
        if self.json {
            let totals = json!({
                "records": records, "faulty": faulty, "errors": errors, "warnings": warnings, "notes": notes,
            });
            writeln!(io::stdout(), "{totals}")?;
        } else {
            let faults = [(errors, "error"), (warnings, "warning"), (notes, "note")];
            let faults = faults.map(|(count, noun)| counted(count, noun)).join(", ");
            writeln!(io::stdout(), "{}: {faults}", counted(records, "record"))?;
        }
        match (errors, warnings) {
            (0, 1..) if self.strict => {
                bail!("{}; --strict counts them as errors", counted(warnings, "warning"))
            }
            (0, _) => Ok(()),
            _ => bail!("{} in {}", counted(errors, "error"), counted(faulty, "record")),
        }
    }
}

/// Write EPD records in canonical form, so that files can be compared line by line (the standard's "pfdn")
///
/// Repairs blanks and semicolons, the order of operations and of moves without an order of their own, SAN with too much or too
/// little in it, counters of a FEN (they become `hmvc` and `fmvn`), strings without quotation marks, commas between moves. A
/// record with errors is reported and stays as it is; then the exit status is 1.
#[derive(Args)]
#[command(after_help = "Example: herald epd normalize --repair moves,mates suite.epd -o normal.epd")]
pub(crate) struct NormalizeArgs {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    output: OutputArgs,
    /// Repair these faults as well
    #[arg(long, value_enum, value_delimiter = ',', value_name = "KINDS")]
    repair: Vec<RepairArg>,
    /// Letters of the pieces in moves to be repaired
    #[arg(long, value_parser = languages(), default_value = "english", value_name = "LANGUAGE")]
    piece_letters: PieceLetters,
    /// Show each line that would change, before and after, with the kind of each repair, and write nothing else
    #[arg(long, conflicts_with_all = ["output", "in_place"])]
    diff: bool,
    /// Write the changes as JSON objects, one per line, each repair with its kind, and nothing else
    #[arg(long, conflicts_with_all = ["output", "in_place", "diff"])]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum RepairArg {
    /// Everything below
    All,
    /// CR LF and CR become LF
    LineEnds,
    /// NUL bytes at the ends of lines are left out
    Nul,
    /// An escaped quotation mark before the end of a string, which EPD does not have, becomes an apostrophe, and `\\` there `\`
    Escapes,
    /// Convert moves in coordinates, with figurines, move numbers, `0-0`, `e.p.` or any other readable notation to SAN
    Moves,
    /// Convert `bm #3` to `dm 3`, and `bm #-3` to the `ce` of that mate
    Mates,
    /// A known opcode among operands begins the next operation; `c0` to `v9`, which may be squares, only before a string
    Semicolons,
    /// Of operations with one opcode the moves of `am` and `bm` are joined; of others the last one is kept, but not of two mates
    Duplicates,
    /// A string that is not closed ends with the line
    Quotes,
    /// Numbers in quotation marks, with commas between thousands, with zeros as decimals, or in pawns in `ce`
    Numbers,
}

impl RepairArg {
    /// `None` for all kinds.
    fn kind(self) -> Option<Repair> {
        Some(match self {
            RepairArg::All => return None,
            RepairArg::LineEnds => Repair::LineEnds,
            RepairArg::Nul => Repair::Nul,
            RepairArg::Escapes => Repair::Escapes,
            RepairArg::Moves => Repair::Moves,
            RepairArg::Mates => Repair::Mates,
            RepairArg::Semicolons => Repair::Semicolons,
            RepairArg::Duplicates => Repair::Duplicates,
            RepairArg::Quotes => Repair::Quotes,
            RepairArg::Numbers => Repair::Numbers,
        })
    }
}

/// Parses the language of the letters of the pieces.
fn languages() -> impl TypedValueParser<Value = PieceLetters> {
    let names = "english german french spanish italian portuguese dutch polish hungarian russian".split(' ');
    one_of::<PieceLetters>(names.map(|name| match name {
        "german" => PossibleValue::new(name).help("K, D, T, L, S: also Danish, Norwegian and Swedish"),
        _ => PossibleValue::new(name),
    }))
}

impl NormalizeArgs {
    /// What is to be repaired.
    fn repairs(&self) -> RepairSet {
        let kinds = Repair::ALL
            .into_iter()
            .filter(|kind| self.repair.iter().any(|given| given.kind().is_none_or(|given| given == *kind)));
        kinds.fold(RepairSet::NONE, RepairSet::with)
    }

    fn reader(&self) -> RecordReader {
        let repairs = self.repairs();
        let moves = if repairs.contains(Repair::Moves) { MoveReading::Repair } else { MoveReading::Legal };
        let mut reader = self.input.reader(moves);
        if reader.escapes == Escapes::None && repairs.contains(Repair::Escapes) {
            reader.escapes = Escapes::Perhaps;
        }
        let letters = self.piece_letters;
        RecordReader { mates: repairs.contains(Repair::Mates), repairs, letters, ..reader }
    }

    pub(super) fn run(&self) -> Result<()> {
        let (reader, repairs) = (self.reader(), self.repairs());
        let output = match (self.diff, self.json) {
            (true, _) => NormalizeOutput::Differences,
            (_, true) => NormalizeOutput::Json,
            _ => NormalizeOutput::Records,
        };
        let escapes = if repairs.contains(Repair::Escapes) { Escapes::None } else { reader.escapes };
        let line_ends = match self.output.line_ends(repairs.contains(Repair::Nul)) {
            LineEnds::Keep | LineEnds::WithoutNul if repairs.contains(Repair::LineEnds) => LineEnds::Lf,
            line_ends => line_ends,
        };
        let unmatched = if output == NormalizeOutput::Records { Unmatched::Kept } else { Unmatched::LeftOut };
        let verb = Verb::quick(Normalize { reader, escapes, output });
        let verb = self.input.restricted_to(verb, reader, unmatched).with_line_ends(line_ends);
        match Work::new(&self.input, &self.output)?.run(&verb)? {
            Counts { errors: 0, .. } => Ok(()),
            Counts { errors, faulty, records, .. } => {
                let (errors, records) = (counted(errors, "error"), counted(records, "record"));
                bail!("{errors} in {faulty} of {records} could not be repaired")
            }
        }
    }
}

/// Remove an operation from all EPD records (the standard's "pfop")
///
/// All other bytes stay as they are. A record in which the end of an operation is in doubt (a string that is not closed, text behind
/// a string) is reported and stays as it is; then the exit status is 1.
#[derive(Args)]
#[command(after_help = "Example: herald epd purge pv analysed.epd -o suite.epd")]
pub(crate) struct PurgeArgs {
    /// The operation to remove
    opcode: String,
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    output: OutputArgs,
}

impl PurgeArgs {
    pub(super) fn run(&self) -> Result<()> {
        let reader = self.input.reader(MoveReading::Syntax);
        let purge = Purge::new(&self.opcode, reader.escapes).map_err(WrongInput::of)?;
        let verb = self.input.restricted(Verb::quick(purge), reader);
        let verb = verb.with_line_ends(self.output.line_ends(false));
        let counts = Work::new(&self.input, &self.output)?.run(&verb)?;
        if counts.errors > 0 {
            bail!("{} left as it was, because of its errors", counted(counts.faulty, "record"));
        }
        Ok(())
    }
}
