//! `herald epd`: checks, changes and analyses files of EPD records.

mod analysis_verbs;
mod games;
mod provenance;
mod quick_verbs;
mod report;
mod selection_verbs;
mod whole_files;
mod work;

pub(crate) use self::work::explain;
use anyhow::Result;
use clap::{Subcommand, ValueEnum};
use messages::epd::{Escapes, MoveReading, RecordReader};

#[derive(Subcommand)]
pub(crate) enum EpdVerb {
    Check(quick_verbs::EpdCheckArgs),
    #[command(visible_alias = "pfdn")]
    Normalize(quick_verbs::NormalizeArgs),
    #[command(visible_alias = "pfop")]
    Purge(quick_verbs::PurgeArgs),
    #[command(visible_alias = "pfga")]
    Analyze(analysis_verbs::AnalyzeArgs),
    #[command(visible_alias = "pfms")]
    Mate(analysis_verbs::MateArgs),
    #[command(visible_alias = "pfts")]
    Target(analysis_verbs::TargetArgs),
    Report(report::ReportArgs),
    Select(selection_verbs::SelectArgs),
    Set(selection_verbs::SetArgs),
    Sort(whole_files::SortArgs),
    Sample(whole_files::SampleArgs),
    Unique(whole_files::UniqueArgs),
    Join(whole_files::JoinArgs),
    Diff(whole_files::DiffArgs),
    Split(whole_files::SplitArgs),
    FromGames(games::FromGamesArgs),
    ToGames(games::ToGamesArgs),
}

impl EpdVerb {
    pub(crate) fn run(&self) -> Result<()> {
        match self {
            EpdVerb::Check(args) => args.run(),
            EpdVerb::Normalize(args) => args.run(),
            EpdVerb::Purge(args) => args.run(),
            EpdVerb::Analyze(args) => args.run(),
            EpdVerb::Mate(args) => args.run(),
            EpdVerb::Target(args) => args.run(),
            EpdVerb::Report(args) => args.run(),
            EpdVerb::Select(args) => args.run(),
            EpdVerb::Set(args) => args.run(),
            EpdVerb::Sort(args) => args.run(),
            EpdVerb::Sample(args) => args.run(),
            EpdVerb::Unique(args) => args.run(),
            EpdVerb::Join(args) => args.run(),
            EpdVerb::Diff(args) => args.run(),
            EpdVerb::Split(args) => args.run(),
            EpdVerb::FromGames(args) => args.run(),
            EpdVerb::ToGames(args) => args.run(),
        }
    }
}

/// How strings write quotation marks and semicolons.
#[derive(Clone, Copy, ValueEnum)]
enum EscapesArg {
    /// As in the standard: no escapes
    Standard,
    /// A backslash before quotation marks and backslashes, as python-chess writes it
    PythonChess,
    /// `\s` for a semicolon
    #[value(name = "chessdb")]
    ChessDb,
}

impl EscapesArg {
    /// A lenient reader for this notation.
    fn reader(self, moves: MoveReading) -> RecordReader {
        let escapes = match self {
            EscapesArg::Standard => Escapes::None,
            EscapesArg::PythonChess => Escapes::Backslash,
            EscapesArg::ChessDb => Escapes::ChessDb,
        };
        RecordReader { moves, escapes, ..RecordReader::default() }
    }
}
