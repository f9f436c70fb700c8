//! Herald: a chess engine and match official. This crate contains only the command line.

/// Tells the user something on standard error. What can't be written (to a full disk, or where nobody reads any more) is no reason
/// to stop, as `eprintln!` does.
macro_rules! tell {
    ($($message:tt)*) => {{
        let message = format_args!($($message)*);
        let _ = std::io::Write::write_fmt(&mut std::io::stderr(), format_args!("{message}\n"));
    }};
}

mod analyzer_args;
mod annotate;
mod bench;
mod board;
mod book;
mod bridge;
mod check;
mod completions;
mod epd;
mod link;
mod man;
mod match_command;
mod mend;
mod play;
mod position;
mod ratings;
mod referee_command;
mod session;
mod settings;

use std::env;
use std::ffi::OsString;
use std::io::{self, Write as _};
use std::num::NonZeroUsize;
use std::panic;
use std::process::{self, ExitCode};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{CommandFactory as _, Parser, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};
use messages::autoplayer::MoveNotation;
use protocols::cecp::Dialect;
use serde::de::DeserializeOwned;
use serde::de::value::StringDeserializer;

/// A chess engine and match official.
///
/// Without a subcommand: on a terminal, play against it; on a pipe, wait for `xboard` or `uci`.
#[derive(Parser)]
#[command(version, after_help = "Example: herald perft 6")]
struct HeraldArgs {
    #[command(subcommand)]
    subcommand: Option<HeraldCommand>,
}

#[derive(Subcommand)]
enum HeraldCommand {
    /// Speak the Chess Engine Communication Protocol of `XBoard` on standard input and output
    #[command(after_help = "Example: xboard -fcp \"herald xboard\"")]
    Xboard {
        /// Speak the dialect of R. Hyatt's autoplayer standard (1998): moves in SAN, `draw`, `decline`, `time` and
        /// `* {reason}`; show the thinking unasked
        #[arg(long)]
        autoplayer: bool,
        /// Write moves in coordinates (`g1f3`) instead of SAN, in the dialect of the autoplayer
        #[arg(long, requires = "autoplayer")]
        coordinates: bool,
    },
    /// Speak the Universal Chess Interface on standard input and output
    #[command(after_help = "Example: xboard -fUCI -fcp \"herald uci\"")]
    Uci,
    Match(Box<match_command::MatchArgs>),
    Cego(session::CegoArgs),
    Referee(Box<referee_command::RefereeArgs>),
    Play(play::PlayArgs),
    Bridge(bridge::BridgeArgs),
    Link(Box<link::LinkArgs>),
    Check(check::CheckArgs),
    Mend(mend::MendArgs),
    Board(board::BoardArgs),
    Bench(bench::BenchArgs),
    Perft(position::PerftArgs),
    Eval(position::Eval),
    Annotate(Box<annotate::AnnotateArgs>),
    Ratings(ratings::RatingsArgs),
    Openings(book::OpeningsArgs),
    /// Make opening books and show their moves
    #[command(
        subcommand,
        arg_required_else_help = false,
        after_help = "Example: herald book make games.pgn -o book.bin"
    )]
    Book(book::BookCommand),
    /// Work on files of positions in EPD (Edwards' Extended Position Description)
    #[command(
        subcommand,
        arg_required_else_help = false,
        after_help = "Example: herald epd normalize suite.epd -o normal.epd"
    )]
    Epd(epd::EpdVerb),
    Completions(completions::CompletionsArgs),
    Man(man::ManArgs),
}

/// The arguments or the input were wrong, as opposed to work that failed.
#[derive(Debug, thiserror::Error)]
#[error("{0:#}")]
struct WrongInput(anyhow::Error);

impl WrongInput {
    /// Converts an error to one of this kind, with all its reasons.
    fn of(error: impl Into<anyhow::Error>) -> anyhow::Error {
        WrongInput(error.into()).into()
    }
}

/// Parses a number of threads, at most 1024.
fn read_threads(text: &str) -> Result<NonZeroUsize, &'static str> {
    let threads = text.parse().ok().filter(|threads: &NonZeroUsize| threads.get() <= 1024);
    threads.ok_or("expected a number from 1 to 1024")
}

/// Parses one of these names, which are those that serde knows.
fn one_of<T: DeserializeOwned + Clone + Send + Sync + 'static>(
    names: impl Into<PossibleValuesParser>,
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(names)
        .try_map(|name| T::deserialize(StringDeserializer::<serde::de::value::Error>::new(name)))
}

/// The work failed.
const FAILED: u8 = 1;
/// The arguments or the input were wrong.
const WRONG: u8 = 2;

/// Returns the arguments as lines of UCI if the first one is a whole command with its words. OpenBench starts engines in
/// this way: `herald "genfens 8 seed 1 book None" quit`.
fn uci_lines() -> Option<String> {
    let arguments: Vec<String> =
        env::args_os().skip(1).map(OsString::into_string).collect::<Result<_, _>>().ok()?;
    let first = arguments.first()?;
    let is_command = first.contains(' ') && first.parse::<messages::uci::Command>().is_ok();
    is_command.then(|| arguments.join("\n"))
}

/// Lets a panic of any thread end the program, also where it was built to unwind, as tests are.
fn abort_on_panic() {
    let report = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        report(panic);
        process::abort()
    }));
}

fn main() -> ExitCode {
    abort_on_panic();
    if let Some(lines) = uci_lines() {
        return end(session::uci_lines(lines));
    }
    let arguments = match HeraldArgs::read() {
        Ok(arguments) => arguments,
        Err(error) => return explain(&error),
    };
    let done = match arguments.subcommand {
        None => session::play_or_detect(),
        Some(HeraldCommand::Xboard { autoplayer, coordinates }) => {
            let notation = if coordinates { MoveNotation::Coordinates } else { MoveNotation::San };
            let dialect = if autoplayer { Dialect::Autoplayer(notation) } else { Dialect::XBoard };
            session::xboard(session::host, dialect)
        }
        Some(HeraldCommand::Uci) => session::uci(session::host),
        Some(HeraldCommand::Match(command)) => command.run(),
        Some(HeraldCommand::Cego(cego)) => cego.run(),
        Some(HeraldCommand::Referee(referee)) => referee.run(),
        Some(HeraldCommand::Play(play)) => play.run(),
        Some(HeraldCommand::Bridge(bridge)) => bridge.run(),
        Some(HeraldCommand::Link(link)) => link.run(),
        Some(HeraldCommand::Check(check)) => check.run(),
        Some(HeraldCommand::Mend(mend)) => mend.run(),
        Some(HeraldCommand::Board(board)) => board.run(),
        Some(HeraldCommand::Bench(bench)) => bench.run(),
        Some(HeraldCommand::Perft(perft)) => perft.run(),
        Some(HeraldCommand::Eval(eval)) => eval.run(),
        Some(HeraldCommand::Annotate(annotate)) => annotate.run(),
        Some(HeraldCommand::Ratings(ratings)) => ratings.run(),
        Some(HeraldCommand::Openings(openings)) => openings.run(),
        Some(HeraldCommand::Book(book)) => book.run(),
        Some(HeraldCommand::Epd(epd)) => epd.run(),
        Some(HeraldCommand::Completions(completions)) => completions.run(),
        Some(HeraldCommand::Man(man)) => man.run(),
    };
    end(done)
}

/// Returns the exit code, and prints the error if there is one.
fn end(done: anyhow::Result<()>) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        // The reader has closed the pipe, as `head` does.
        Err(error) if error.downcast_ref().is_some_and(is_broken_pipe) => ExitCode::SUCCESS,
        Err(error) => {
            // A terminal that has gone is no reason to end otherwise.
            let _ = writeln!(io::stderr(), "herald: {error:#}");
            ExitCode::from(if error.is::<WrongInput>() { WRONG } else { FAILED })
        }
    }
}

/// Prints help and version as clap formats them, and errors in one line, with the names that may have been meant.
fn explain(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        // A failure to print cannot be reported.
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    let text = error.to_string();
    // The first paragraph: the error, then the arguments that it is about.
    let lines: Vec<&str> = text.lines().take_while(|line| !line.is_empty()).map(str::trim).collect();
    let reason = lines.join(" ");
    let reason = reason.trim_start_matches("error: ");
    let mut tips = text.lines().filter_map(|line| line.trim().strip_prefix("tip: "));
    let tip = tips.find(|tip| tip.contains("similar ")).map_or_else(String::new, |tip| format!("; {tip}"));
    tell!("herald: {reason}{tip} (see {} --help)", subcommand_path(env::args_os().skip(1)));
    ExitCode::from(WRONG)
}

/// Returns the program's name with the subcommands at the beginning of the arguments.
fn subcommand_path(arguments: impl Iterator<Item = OsString>) -> String {
    let root = HeraldArgs::command();
    let (mut command, mut path) = (&root, root.get_name().to_owned());
    for argument in arguments {
        let Some(subcommand) = command.find_subcommand(&argument) else { break };
        command = subcommand;
        path = format!("{path} {}", command.get_name());
    }
    path
}

fn is_broken_pipe(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::BrokenPipe
}

/// A progress bar, which shows itself on a terminal; a spinner where the length is not known.
fn progress_bar(length: Option<u64>, template: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    length.map_or_else(ProgressBar::no_length, ProgressBar::new).with_style(style)
}
