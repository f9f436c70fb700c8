//! Herald's trainer: generates self-play games and trains networks on them. Not part of the playing program.

mod assess;
mod files;
mod generate;
mod inspect;
mod pack;
mod random;
mod record;
mod scale;
mod train;

use std::fmt::Display;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;
use std::str::FromStr;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use clap::{Parser, Subcommand};
use search::network::Network;

/// Generate self-play games and train Herald's networks on them
#[derive(Parser)]
#[command(version, after_help = "Example: herald-trainer generate data/selfplay --games 100000 --nodes 500")]
struct Arguments {
    #[command(subcommand)]
    subcommand: Subcommands,
}

#[derive(Subcommand)]
enum Subcommands {
    Assess(assess::Assess),
    Average(train::Average),
    Generate(generate::Generate),
    Inspect(inspect::Inspect),
    Pack(pack::Pack),
    Train(Box<train::Train>),
}

/// Context of errors that are caused by the arguments or the input files.
#[derive(Debug, thiserror::Error)]
#[error("wrong input")]
struct InputError;

/// Reads a network file; an empty path means the embedded network.
fn read_network(path: &Path) -> Result<Arc<Network>> {
    let context = || format!("{} can't be used", path.display());
    engine::open_network(path).with_context(context).context(InputError)
}

/// Returns a parser of numbers within these bounds.
fn within<T>(least: T, most: T) -> impl Fn(&str) -> Result<T, String> + Clone
where
    T: Copy + FromStr + PartialOrd + Display,
{
    move |text| {
        let number = text.parse().ok().filter(|number| (least..=most).contains(number));
        number.ok_or_else(|| format!("expected a number from {least} to {most}"))
    }
}

/// Most threads that a run can have.
const MOST_THREADS: usize = 1024;

/// Most minutes that a run can be limited to: two years.
const MOST_MINUTES: f64 = 1e6;

/// Prints progress. Errors are ignored, so that the work continues if standard output is closed.
fn say(text: impl Display) {
    let _ = writeln!(io::stdout(), "{text}");
}

/// Exit status if the work failed.
const FAILED: u8 = 1;
/// Exit status if the arguments or the input were wrong.
const WRONG: u8 = 2;

fn main() -> ExitCode {
    let done = match Arguments::parse().subcommand {
        Subcommands::Assess(assess) => assess.run(),
        Subcommands::Average(average) => average.run(),
        Subcommands::Generate(generate) => generate.run(),
        Subcommands::Inspect(inspect) => inspect.run(),
        Subcommands::Pack(pack) => pack.run(),
        Subcommands::Train(train) => train.run(),
    };
    let Err(error) = done else { return ExitCode::SUCCESS };
    if error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe) {
        // A reader that closes the pipe has read what it wanted.
        return ExitCode::SUCCESS;
    }
    let wrong = error.downcast_ref::<InputError>().is_some();
    let reasons: Vec<String> =
        error.chain().map(ToString::to_string).filter(|reason| *reason != InputError.to_string()).collect();
    // Nobody can be told that this can't be written.
    let _ = writeln!(io::stderr(), "herald-trainer: {}", reasons.join(": "));
    ExitCode::from(if wrong { WRONG } else { FAILED })
}
