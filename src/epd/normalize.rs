//! `herald epd normalize`: records in canonical form.

use analysis::{Counts, Normalize, Verb};
use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use messages::epd::{MoveReading, RecordReader};

use super::EscapesArg;
use super::work::{InputArgs, OutputArgs, Work};

/// Write EPD records in canonical form, so that files can be compared line by line (the standard's "pfdn")
///
/// Repairs blanks and semicolons, the order of operations and of moves without an order of their own, SAN with too much or too
/// little in it, counters of a FEN (they become `hmvc` and `fmvn`), strings without quotation marks, commas between moves. What
/// can't be repaired is reported and stays as it is; then the exit status is 1.
#[derive(Args)]
#[command(after_help = "Example: herald epd normalize --repair moves,mates suite.epd -o normal.epd")]
pub(crate) struct NormalizeArgs {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    output: OutputArgs,
    /// Repair what is no EPD as well
    #[arg(long, value_enum, value_delimiter = ',', value_name = "WHAT")]
    repair: Vec<Repair>,
    /// How strings write quotation marks and semicolons
    #[arg(long, value_enum, default_value = "standard")]
    escapes: EscapesArg,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Repair {
    /// Moves in coordinates or any other notation that can be read become SAN
    Moves,
    /// `bm #3` becomes `dm 3`, and `bm #-3` the `ce` of that mate
    Mates,
}

impl NormalizeArgs {
    pub(super) fn run(&self) -> Result<()> {
        let repairs = |what| self.repair.contains(&what);
        let moves = if repairs(Repair::Moves) { MoveReading::Repair } else { MoveReading::Legal };
        let reader = RecordReader { mates: repairs(Repair::Mates), ..self.escapes.reader(moves) };
        let verb = Verb::quick(Normalize { reader });
        match Work::new(&self.input, &self.output)?.run(&verb)? {
            Counts { errors: 0, .. } => Ok(()),
            Counts { errors, faulty, records, .. } => {
                bail!("{errors} errors in {faulty} of {records} records could not be put right")
            }
        }
    }
}
