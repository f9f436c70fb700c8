//! `herald epd select` and `set`: records chosen by a condition, operations set by expressions.

use analysis::expressions::{Assignment, ExpressionError};
use analysis::{Select, SetOperations, Verb};
use anyhow::{Result, bail};
use clap::Args;
use game::counted;
use messages::epd::MoveReading;

use super::work::{InputArgs, OutputArgs, Work};

/// Select EPD records for which a condition holds
///
/// Records are copied byte for byte; blank lines and comments are left out. Without --where all records that can be read are
/// selected. Those that can't are reported and left out; then the exit status is 1.
#[derive(Args)]
#[command(after_help = "Examples:
  herald epd select --where 'acd > 20 and ce < -300' analysed.epd -o losing.epd
  herald epd select --where 'id ~ \"^WAC\" and bm = Qh5 and not check' suite.epd
  herald epd select --where 'pieces <= 5 and turn = w' endings.epd")]
pub(crate) struct SelectArgs {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    output: OutputArgs,
}

impl SelectArgs {
    pub(super) fn run(&self) -> Result<()> {
        let reader = self.input.reader(MoveReading::Syntax);
        let verb = Verb::quick(Select::new(self.input.files.condition.clone(), reader));
        let verb = verb.with_whole_ends().with_line_ends(self.output.line_ends(false));
        let work = Work::moving(&self.input.files, self.input.threads, &self.output)?.leaving_out();
        let counts = work.run(&verb)?;
        tell!("{} of {} selected", counts.found, counted(counts.records, "record"));
        if counts.failed > 0 {
            bail!("{} could not be read", counted(counts.failed, "record"));
        }
        Ok(())
    }
}

/// Set operations of EPD records to the values of expressions
///
/// ASSIGNMENTS are an opcode, `=` and a value, with semicolons between them: `v0 = acd * 2; c0 = "{id}"`. All values are made of the
/// record as it was. Numbers, moves and strings are written as the opcode needs them. An operation for whose value a record lacks
/// something stays as it is. A value that is no operand of its opcode is reported, and the record stays as it is; then the exit
/// status is 1. All other bytes are kept.
#[derive(Args)]
#[command(after_help = "Examples:
  herald epd set 'v0 = acd * 2; c0 = \"{id}: {bm}\"' suite.epd -o marked.epd
  herald epd set 'eco = opening; v0 = opening_name' --where 'not has eco' lines.epd --in-place
  herald epd set 'id = \"new.{line}\"' suite.epd")]
pub(crate) struct SetArgs {
    /// The operations with their new values
    #[arg(value_parser = read_assignments)]
    assignments: Assignments,
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// A list of assignments; the type keeps clap from taking several arguments.
#[derive(Clone)]
struct Assignments(Vec<Assignment>);

fn read_assignments(text: &str) -> Result<Assignments, ExpressionError> {
    Assignment::parse_all(text).map(Assignments)
}

impl SetArgs {
    pub(super) fn run(&self) -> Result<()> {
        let reader = self.input.reader(MoveReading::Syntax);
        let verb = Verb::quick(SetOperations { assignments: self.assignments.0.clone(), reader });
        let verb = self.input.restricted(verb, reader).with_line_ends(self.output.line_ends(false));
        let counts = Work::new(&self.input, &self.output)?.run(&verb)?;
        let lacking = match counts.missed {
            0 => String::new(),
            count => format!("; {} had no value for all operations", counted(count, "record")),
        };
        tell!("{} of {} changed{lacking}", counts.found, counted(counts.records, "record"));
        if counts.failed > 0 {
            bail!("{} left as it was, because of its errors", counted(counts.failed, "record"));
        }
        Ok(())
    }
}
