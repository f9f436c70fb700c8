//! `herald epd`: files of positions in EPD, checked, changed and thought about.

mod analyze;
mod check;
mod mate;
mod normalize;
mod purge;
mod report;
mod target;
mod thinking;
mod work;

use anyhow::Result;
use clap::{Args, Subcommand, ValueEnum};
use messages::epd::Escapes;

/// Work on files of positions in EPD (Edwards' Extended Position Description)
#[derive(Args)]
#[command(after_help = "Example: herald epd normalize suite.epd -o normal.epd")]
pub(crate) struct Epd {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    Check(check::Check),
    Normalize(normalize::Normalize),
    Purge(purge::Purge),
    Analyze(analyze::Analyze),
    Mate(mate::Mate),
    Target(target::Target),
    Report(report::Report),
}

impl Epd {
    pub(crate) fn run(&self) -> Result<()> {
        match &self.verb {
            Verb::Check(check) => check.run(),
            Verb::Normalize(normalize) => normalize.run(),
            Verb::Purge(purge) => purge.run(),
            Verb::Analyze(analyze) => analyze.run(),
            Verb::Mate(mate) => mate.run(),
            Verb::Target(target) => target.run(),
            Verb::Report(report) => report.run(),
        }
    }
}

/// How strings write quotation marks and semicolons.
#[derive(Clone, Copy, ValueEnum)]
enum Notation {
    /// As the standard has it: a backslash is a backslash
    Standard,
    /// `\"` and `\\`, as python-chess writes them
    PythonChess,
    /// `\s` for a semicolon
    #[value(name = "chessdb")]
    ChessDb,
}

impl From<Notation> for Escapes {
    fn from(notation: Notation) -> Escapes {
        match notation {
            Notation::Standard => Escapes::None,
            Notation::PythonChess => Escapes::Backslash,
            Notation::ChessDb => Escapes::ChessDb,
        }
    }
}
