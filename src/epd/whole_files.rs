//! `herald epd sort`, `sample`, `unique`, `join`, `diff` and `split`: the verbs that look at whole files.

use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;

use analysis::Counts;
use analysis::expressions::{Formula, OrderKey};
use analysis::whole_files::{
    DiffFiles, JoinFiles, Precedence, RecordVerb as _, SampleRecords, SortRecords, SplitFiles, SplitInto,
    UniquePositions,
};
use anyhow::{Result, anyhow, bail};
use clap::{ArgGroup, Args};
use game::counted;
use messages::epd::MoveReading;

use super::work::{FileArgs, OutputArgs, Work};
use crate::{WrongInput, one_of};

/// Fails if records could not be read, which were reported.
fn refuse_unread(counts: &Counts) -> Result<()> {
    if counts.failed > 0 {
        bail!("{} could not be read", counted(counts.failed, "record"));
    }
    Ok(())
}

/// Put EPD records in order
///
/// Records with equal values stay in their order; those that lack a value come last. Numbers are in order of their size, other texts
/// in that of their characters. Comments, blank lines, records that can't be read (then the exit status is 1) and those for which the
/// condition of --where does not hold come first, in their order. Several files become one, unless they are sorted --in-place. Each
/// line keeps its end; a last line without one gets that of the first line. A file with a line of more than 16 MiB is refused (exit
/// status 2). All records and other lines are kept in memory.
#[derive(Args)]
#[command(after_help = "Examples:
  herald epd sort --by 'ce desc' --by id analysed.epd -o sorted.epd
  herald epd sort --by 'number(match(id, \"\\d+$\"))' wac.epd --in-place")]
pub(crate) struct SortArgs {
    /// Value by which records are sorted (docs/EPD-FILTERS.md), perhaps with `desc` behind it; the first matters most
    #[arg(long, required = true, value_name = "VALUE", value_parser = OrderKey::parse)]
    by: Vec<OrderKey>,
    #[command(flatten)]
    input: FileArgs,
    #[command(flatten)]
    output: OutputArgs,
}

impl SortArgs {
    pub(super) fn run(&self) -> Result<()> {
        let reader = self.input.reader(MoveReading::Syntax);
        let new_verb = || SortRecords::new(self.by.clone(), reader);
        let (counts, _) = Work::whole(&self.input, &self.output, new_verb)?;
        tell!("{} sorted", counted(counts.found, "record"));
        refuse_unread(&counts)
    }
}

/// Draw EPD records at random
///
/// Each record has the same chance. The sample is written in the order of the files; comments and blank lines are left out, and so are
/// records that can't be read (they are reported; then the exit status is 1). The same seed draws the same records. Only the sample is
/// kept in memory.
#[derive(Args)]
#[command(
    after_help = "Example: herald epd sample 1000 --seed 7 --where 'pieces > 10' book.epd -o openings.epd"
)]
pub(crate) struct SampleArgs {
    /// Number of records
    count: NonZeroUsize,
    /// Number that decides the draw; by default one that is chosen anew and told
    #[arg(long)]
    seed: Option<u64>,
    #[command(flatten)]
    input: FileArgs,
    #[command(flatten)]
    output: OutputArgs,
}

impl SampleArgs {
    pub(super) fn run(&self) -> Result<()> {
        let seed = match self.seed {
            Some(seed) => seed,
            None => getrandom::u32().map_err(|error| anyhow!("there are no random numbers: {error}"))?.into(),
        };
        let reader = self.input.reader(MoveReading::Syntax);
        let new_verb = || SampleRecords::new(self.count.get(), seed, reader);
        let work = Work::moving(&self.input, None, &self.output)?.leaving_out();
        let (counts, _) = work.run_whole(&self.input, &self.output, new_verb)?;
        let of = counted(counts.records - counts.failed - counts.skipped, "record");
        tell!("{} of {of} drawn with --seed {seed}", counts.found);
        refuse_unread(&counts)
    }
}

/// Keep the first EPD record of each position and leave out the others
///
/// Positions are the same if their four fields are; an en passant square counts where a pawn can capture. All other lines are kept.
/// Records that can't be read are reported; then the exit status is 1. Left out records with other operations than the one that is
/// kept are counted: `herald epd join` merges them. 24 bytes of each position are kept in memory.
#[derive(Args)]
#[command(after_help = "Example: herald epd unique one.epd two.epd -o all.epd")]
pub(crate) struct UniqueArgs {
    /// Positions with different `hmvc` or `fmvn` are different
    #[arg(long)]
    counters: bool,
    #[command(flatten)]
    input: FileArgs,
    #[command(flatten)]
    output: OutputArgs,
}

impl UniqueArgs {
    pub(super) fn run(&self) -> Result<()> {
        let reader = self.input.reader(MoveReading::Legal);
        let new_verb = || UniquePositions::new(self.counters, reader);
        let (counts, _) = Work::whole(&self.input, &self.output, new_verb)?;
        let dropped = counts.records - counts.failed - counts.skipped - counts.found;
        let with_others = match counts.missed {
            0 => String::new(),
            count => format!(", {count} of them with other operations"),
        };
        tell!("{}; {dropped} left out{with_others}", counted(counts.found, "position"));
        refuse_unread(&counts)
    }
}

/// Merge the EPD records of one position from several files
///
/// The first record of a position stays where it is and gets the operations that the others have and it lacks. Where they have one
/// operation with different operands, --prefer says which wins; the other is reported. An analysis wins or gives way as a whole,
/// unless one has all of the other. Several records of one position in a file are
/// not merged with one another: the second is merged with the second of the other files. Other lines come first. All records are kept
/// in memory.
#[derive(Args)]
#[command(after_help = "Example: herald epd join suite.epd analysed.epd mates.epd -o all.epd")]
pub(crate) struct JoinArgs {
    /// Which operation wins where two differ: that of the file which is named first, or last
    #[arg(long, value_parser = one_of::<Precedence>(["first", "last"]), default_value = "first")]
    prefer: Precedence,
    #[command(flatten)]
    input: FileArgs,
    /// Write to this file
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl JoinArgs {
    pub(super) fn run(&self) -> Result<()> {
        let reader = self.input.reader(MoveReading::Legal);
        let output = OutputArgs::to(self.output.as_deref());
        let new_verb = || JoinFiles::new(self.prefer, reader);
        let (counts, _) = Work::whole(&self.input, &output, new_verb)?;
        let conflicts = counted(counts.missed, "operation");
        tell!("{} merged; {conflicts} gave way", counted(counts.found, "record"));
        refuse_unread(&counts)
    }
}

/// Compare two EPD files by their positions
///
/// Writes `-` before records that are only in the first file, `+` before those only in the second, and `=` before positions whose
/// operations differ, with these below. The order of records and operations does not matter, nor does white space. The exit status is 0
/// if there is no difference, 1 if there is one or a record can't be read. The first file is kept in memory.
#[derive(Args)]
#[command(after_help = "Example: herald epd diff --ignore acn,acs,Analyzer old.epd new.epd")]
pub(crate) struct DiffArgs {
    /// Operations that are not compared
    #[arg(long, value_delimiter = ',', value_name = "OPCODES")]
    ignore: Vec<String>,
    #[command(flatten)]
    input: FileArgs,
}

impl DiffArgs {
    pub(super) fn run(&self) -> Result<()> {
        if self.input.count() != 2 {
            return Err(WrongInput::of(anyhow!("expected two files to compare")));
        }
        let reader = self.input.reader(MoveReading::Legal);
        let output = OutputArgs::default();
        let new_verb = || DiffFiles::new(self.ignore.clone(), reader);
        let (counts, _) = Work::whole(&self.input, &output, new_verb)?;
        refuse_unread(&counts)?;
        let Counts { found, missed, undecided, .. } = counts;
        if missed + undecided > 0 {
            bail!(
                "{} equal, {missed} with other operations, {undecided} in one file only",
                counted(found, "record")
            );
        }
        Ok(())
    }
}

/// Split EPD records into several new files
///
/// Files that exist are never overwritten, and at most 10,000 are made; the error of one more says how many were written. Comments and
/// blank lines are left out, and so are records that can't be read, which are reported; then the exit status is 1. A line of more than
/// 16 MiB is refused. No record is kept in memory.
#[derive(Args)]
#[command(
    group = ArgGroup::new("into").required(true).args(["records", "by"]),
    after_help = "Examples:
  herald epd split --records 10000 big.epd -o 'part-{}.epd'
  herald epd split --by 'match(id, \"^[^.]+\")' sts.epd -o 'theme-{}.epd'"
)]
pub(crate) struct SplitArgs {
    /// Files of this number of records
    #[arg(long, value_name = "COUNT")]
    records: Option<NonZeroU64>,
    /// Files of records with the same value (docs/EPD-FILTERS.md)
    #[arg(long, value_name = "VALUE", value_parser = Formula::parse)]
    by: Option<Formula>,
    /// Name of the files; `{}` stands for the number (001) or the value, in which characters that are not fit for a name become `_`;
    /// further values with the same name get `-2`, `-3` and so on behind it
    #[arg(short, long, value_name = "PATTERN")]
    output: String,
    #[command(flatten)]
    input: FileArgs,
}

impl SplitArgs {
    pub(super) fn run(&self) -> Result<()> {
        let reader = self.input.reader(MoveReading::Syntax);
        let into = match (&self.by, self.records) {
            (Some(value), _) => SplitInto::Value(value.clone()),
            (None, Some(count)) => SplitInto::Records(count.get()),
            (None, None) => return Err(WrongInput::of(anyhow!("expected --records or --by"))),
        };
        if self.output.matches("{}").count() != 1 {
            let message = "expected one `{}` in the name of the files, for their number or value";
            return Err(WrongInput::of(anyhow!(message)));
        }
        let new_verb = || SplitFiles::new(into.clone(), &self.output, reader);
        // Standard output gets nothing.
        let output = OutputArgs::default();
        let (counts, verb) = Work::whole(&self.input, &output, new_verb)?;
        let files = counted(verb.files().unwrap_or(0) as u64, "file");
        tell!("{} in {files}", counted(counts.found, "record"));
        refuse_unread(&counts)
    }
}
