//! `herald annotate`: games in, annotated games out.

mod games;
mod outputs;
mod resume;

use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;

use analysis::annotate::{
    AnnotationResult, AnnotationSettings, FurtherProgram, JudgingRules, Provenance, PuzzleSettings,
    annotate_games,
};
use analysis::{InputFile, ProcessError, WorkerPool, refuse_overwriting};
use anyhow::{Context, Result, anyhow, bail, ensure};
use clap::Args;
use game::book::Book;
use game::{SyzygyTables, TimeControl, counted};
use indicatif::ProgressBar;
use platform::signals;

use self::games::Games;
use self::outputs::{OutputPaths, Outputs};
use crate::analyzer_args::{AnalyzerArgs, ChosenAnalyzer, today};
use crate::epd::explain;
use crate::{FAILED, WrongInput, read_threads};

/// Annotate games: evaluations, bad moves and better ones, turning points, accuracy of the players
///
/// Each game is analysed from its last move to its first with the same limit for each move, by Herald or by any UCI or CECP program.
/// What is in the file stays: tags, comments, variations, glyphs, clocks. docs/ANNOTATE.md has the formulas and rules.
#[derive(Args)]
#[command(after_help = "Examples:
  herald annotate games.pgn -o annotated.pgn
  herald annotate games.pgn -o annotated.pgn --time 1 --engine \"cmd=stockfish\" --html games.html
  herald annotate games.pgn -o annotated.pgn --engine herald --engine \"cmd=stockfish\"
  herald annotate games.pgn -o annotated.pgn --nodes 500000 --player Carlsen --tables tables.csv --puzzles suite.epd

With several --engine, the first one judges, and the others' lines are written where they disagree.")]
#[expect(clippy::struct_excessive_bools, reason = "flags of the command line")]
pub(crate) struct AnnotateArgs {
    /// Files of games in PGN; `-` for standard input
    #[arg(id = "files", required = true, value_name = "GAMES.pgn")]
    paths: Vec<PathBuf>,
    /// Write the annotated games to this file; by default, to standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Continue the output of an interrupted run of the same command, whose exit code is about the games that were left. With other
    /// outputs than --output, --json is needed, too
    #[arg(long, requires = "output")]
    resume: bool,
    #[command(flatten)]
    analyzer: AnalyzerArgs,
    /// Number of best lines to search. Only moves and puzzles need two; CECP programs tell one
    #[arg(long, value_name = "COUNT", default_value = "2", value_parser = clap::value_parser!(u8).range(1..))]
    multipv: u8,
    /// Number of games at once; by default, one for each processor
    #[arg(long, value_name = "COUNT", value_parser = read_threads)]
    threads: Option<NonZeroUsize>,
    /// First move to analyse
    #[arg(long, value_name = "NUMBER", default_value = "1")]
    from_move: usize,
    /// Judge only the moves of the player whose name contains this. Games of others are only copied
    #[arg(long, value_name = "NAME")]
    player: Option<String>,
    /// Analyse and judge moves of theory, too
    #[arg(long)]
    analyze_theory: bool,
    /// Moves of this book are theory: Polyglot (`.bin`) or EPD
    #[arg(long, value_name = "BOOK")]
    book: Option<PathBuf>,
    /// Folders of Syzygy tables, whose values judge endgames
    #[arg(long, value_name = "FOLDERS")]
    syzygy: Option<String>,
    /// Write no words, only evaluations, glyphs and better lines
    #[arg(long)]
    no_words: bool,
    /// Write no evaluations
    #[arg(long)]
    no_evaluations: bool,
    /// Maximum length of a better line; 0 for none
    #[arg(long, value_name = "PLIES", default_value = "10")]
    line_plies: usize,
    /// Replace evaluations and the glyphs `!`, `?` and their like that are in the file, and the words and lines of an earlier run.
    /// By default they stay, and games with an analysis are copied
    #[arg(long)]
    replace: bool,
    /// Analyse nothing: read the games, name their openings, write them
    #[arg(long)]
    dry: bool,
    /// Write no date, so that the output under a limit of nodes or depth is reproducible
    #[arg(long)]
    no_times: bool,
    #[command(flatten)]
    judging: JudgingArgs,
    #[command(flatten)]
    outputs: OutputPaths,
    /// Least difference between the solution of a puzzle and the second best move, in points of winning chance
    #[arg(long, value_name = "POINTS", default_value = "20")]
    puzzle_margin: f64,
    /// Nodes of Herald's search that verifies a puzzle, at least four times --nodes; by default ten times, and 2000000 at least
    #[arg(long, value_name = "COUNT")]
    puzzle_nodes: Option<NonZeroU64>,
}

/// How moves are judged.
#[derive(Args)]
struct JudgingArgs {
    /// Centipawns for a winning chance of 73 %
    #[arg(long, value_name = "CENTIPAWNS", default_value = "250")]
    scale: f64,
    /// Least loss of winning chance of an inaccuracy (`?!`), in points of percent
    #[arg(long, value_name = "POINTS", default_value = "6")]
    inaccuracy: f64,
    /// Least loss of a mistake (`?`)
    #[arg(long, value_name = "POINTS", default_value = "12")]
    mistake: f64,
    /// Least loss of a blunder (`??`)
    #[arg(long, value_name = "POINTS", default_value = "20")]
    blunder: f64,
}

impl JudgingArgs {
    fn rules(&self) -> Result<JudgingRules> {
        let JudgingArgs { scale, inaccuracy, mistake, blunder } = *self;
        ensure!(scale > 0.0 && scale.is_finite(), "--scale {scale}: expected centipawns, more than 0");
        let is_ordered = 0.0 < inaccuracy && inaccuracy <= mistake && mistake <= blunder && blunder <= 100.0;
        ensure!(is_ordered, "expected 0 < --inaccuracy <= --mistake <= --blunder <= 100");
        Ok(JudgingRules { scale, inaccuracy, mistake, blunder })
    }
}

/// Default limit of nodes for each move.
const DEFAULT_NODES: NonZeroU64 = NonZeroU64::new(200_000).unwrap();

/// Least default limit of nodes for the verification of puzzles.
const LEAST_VERIFICATION: NonZeroU64 = NonZeroU64::new(2_000_000).unwrap();

/// What came of the games.
#[derive(Clone, Copy, Debug, Default)]
struct Outcomes {
    games: u64,
    annotated: u64,
    skipped: u64,
    known: u64,
    failed: u64,
    faulty: u64,
}

impl AnnotateArgs {
    pub(crate) fn run(&self) -> Result<()> {
        let interrupt: Arc<AtomicBool> = Arc::default();
        let lines = usize::from(self.multipv);
        let chosen =
            self.analyzer.choose_all(&interrupt, lines, Some(DEFAULT_NODES)).map_err(WrongInput::of)?;
        let settings = Arc::new(self.settings(&chosen).map_err(WrongInput::of)?);
        if !self.dry {
            // A missing analyzer is reported before anything is written.
            for analyzer in &chosen {
                (analyzer.factory)()?;
            }
        }
        let games = Games::new(self.paths.clone());
        let inputs = games.open()?;
        self.refuse_overwriting_book()?;
        let mut outputs = if self.resume {
            Outputs::resume(self.output.as_deref(), &self.outputs, &games, &settings)?
        } else {
            Outputs::create(self.output.as_deref(), &self.outputs, &inputs)?
        };
        let bar = games.progress_bar(&inputs, if self.dry { 0 } else { chosen.len() as u64 });
        let ticking = bar.clone();
        let progress = Arc::new(move || ticking.inc(1));
        let threads = self.threads.or_else(|| thread::available_parallelism().ok());
        let pool = WorkerPool {
            threads: threads.unwrap_or(NonZeroUsize::MIN),
            interrupt,
            grace: self.analyzer.grace(),
        };
        signals::set_flag_then_exit(&pool.interrupt, FAILED.into())?;
        let mut outcomes = Outcomes::default();
        let done_before = outputs.done;
        let jobs = Games::jobs(inputs).skip(usize::try_from(done_before).unwrap_or(usize::MAX));
        let factories = chosen.into_iter().map(|chosen| chosen.factory).collect();
        let done = annotate_games(&pool, jobs, settings, factories, progress, |result| {
            outcomes.add(&result, &bar);
            outputs.write(&result)
        });
        bar.finish_and_clear();
        if let Err(error) = done {
            return Err(failed(error, outputs, done_before + outcomes.games));
        }
        outputs.finish()?;
        outcomes.tell(done_before)
    }

    /// Refuses an output in the place of the book.
    fn refuse_overwriting_book(&self) -> Result<()> {
        let Some(book) = &self.book else { return Ok(()) };
        let book = [InputFile::open(book).map_err(explain)?];
        let mut outputs = self.outputs.all().chain(&self.output);
        outputs.try_for_each(|path| refuse_overwriting(path, &book)).map_err(explain)
    }

    fn settings(&self, chosen: &[ChosenAnalyzer]) -> Result<AnnotationSettings> {
        if let Some(path) = &self.book {
            Book::open(path).map_err(|error| anyhow!("can't use `{}`: {error}", path.display()))?;
        }
        let tables = self.syzygy.as_deref().map(SyzygyTables::open).transpose().context("--syzygy")?;
        ensure!((0.0..=100.0).contains(&self.puzzle_margin), "--puzzle-margin: expected 0 to 100 points");
        let puzzles = self.outputs.needs_puzzles().then(|| self.puzzles(&chosen[0])).transpose()?;
        Ok(AnnotationSettings {
            rules: self.judging.rules()?,
            from_move: self.from_move,
            player: self.player.clone(),
            analyzes_theory: self.analyze_theory,
            has_words: !self.no_words,
            has_evaluations: !self.no_evaluations,
            line_plies: self.line_plies,
            replaces: self.replace,
            is_dry: self.dry,
            provenance: self.provenance(chosen),
            book: self.book.clone(),
            tables: tables.map(Arc::new),
            puzzles,
        })
    }

    fn provenance(&self, chosen: &[ChosenAnalyzer]) -> Provenance {
        let further = chosen[1..].iter().map(|chosen| {
            let ChosenAnalyzer { name, engine, .. } = chosen;
            FurtherProgram { name: name.clone(), engine: engine.clone() }
        });
        Provenance {
            annotator: concat!("Herald ", env!("CARGO_PKG_VERSION")).to_owned(),
            name: chosen[0].name.clone(),
            engine: chosen[0].engine.clone(),
            further: further.collect(),
            limit: chosen[0].limit.clone(),
            settings: self.deviations(),
            date: (!self.no_times).then(|| today().replace('-', ".")),
        }
    }

    /// How puzzles are verified: deeper than they are found.
    fn puzzles(&self, chosen: &ChosenAnalyzer) -> Result<PuzzleSettings> {
        let nodes = chosen.nodes.map_or(0, NonZeroU64::get);
        let default = NonZeroU64::new(nodes.saturating_mul(10)).unwrap_or(LEAST_VERIFICATION);
        let verification = self.puzzle_nodes.unwrap_or(default.max(LEAST_VERIFICATION));
        ensure!(
            verification.get() / 4 >= nodes,
            "--puzzle-nodes {verification}: expected at least four times the {nodes} nodes of the analysis"
        );
        let mebibytes = self.analyzer.mebibytes();
        let herald = concat!("Herald ", env!("CARGO_PKG_VERSION"));
        Ok(PuzzleSettings {
            verifier: format!("{herald}, hash {mebibytes} MiB, threads 1, multipv 2, nodes={verification}"),
            compares_depth: chosen.is_herald,
            limit: TimeControl::Nodes(verification),
            margin: self.puzzle_margin,
            mebibytes,
        })
    }
}

impl AnnotateArgs {
    /// The arguments that change annotations and are not at their defaults, so that another run can't continue this one.
    fn deviations(&self) -> String {
        let JudgingArgs { scale, inaccuracy, mistake, blunder } = self.judging;
        let numbers = [
            ("scale", scale, 250.0),
            ("inaccuracy", inaccuracy, 6.0),
            ("mistake", mistake, 12.0),
            ("blunder", blunder, 20.0),
            ("from-move", self.from_move as f64, 1.0),
            ("line-plies", self.line_plies as f64, 10.0),
            ("multipv", self.multipv.into(), 2.0),
        ];
        let numbers = numbers.into_iter().filter(|(_, value, default)| value.total_cmp(default).is_ne());
        let flags = [
            ("analyze-theory", self.analyze_theory),
            ("no-words", self.no_words),
            ("no-evaluations", self.no_evaluations),
            ("replace", self.replace),
        ];
        let flags = flags.into_iter().filter(|(_, is_set)| *is_set).map(|(name, _)| format!("--{name}"));
        let book = self.book.as_ref().map(|path| path.display().to_string());
        let texts = [("player", &self.player), ("book", &book), ("syzygy", &self.syzygy)];
        let texts = texts.into_iter().filter_map(|(name, text)| Some(format!("--{name} {}", text.as_ref()?)));
        let all = numbers.map(|(name, value, _)| format!("--{name} {value}")).chain(flags).chain(texts);
        all.collect::<Vec<_>>().join(" ")
    }
}

impl Outcomes {
    /// Counts a game and tells what is wrong with it.
    fn add(&mut self, result: &AnnotationResult, bar: &ProgressBar) {
        self.games += 1;
        self.annotated += u64::from(result.game.is_some());
        self.skipped += u64::from(result.is_skipped);
        self.failed += u64::from(result.has_failed);
        self.known += u64::from(result.is_known);
        self.faulty += u64::from(result.messages.len() > usize::from(result.is_known));
        bar.suspend(|| result.messages.iter().for_each(|message| tell!("{message}")));
        bar.set_message(counted(self.games, "game"));
    }

    /// Sums up for standard error.
    fn tell(self, done_before: u64) -> Result<()> {
        let Outcomes { games, annotated, skipped, known, failed, faulty } = self;
        let before = if known > 0 { format!(", {known} with an analysis already") } else { String::new() };
        let earlier = if done_before > 0 { format!("; {done_before} done before") } else { String::new() };
        let games = counted(games, "game");
        tell!(
            "{games}: {annotated} annotated, {skipped} of other players{before}, {faulty} with faults{earlier}"
        );
        if failed > 0 {
            bail!("{} could not be annotated as a whole", counted(failed, "game"));
        }
        Ok(())
    }
}

/// Composes the error message: the reason, the number of finished games, and the state of the output.
fn failed(error: ProcessError, outputs: Outputs, games: u64) -> anyhow::Error {
    let is_resumable = outputs.games.is_resumable();
    let (reason, advice) = match error {
        ProcessError::Write(error) if error.kind() == std::io::ErrorKind::BrokenPipe => return error.into(),
        error @ ProcessError::Interrupted if is_resumable => (error.to_string(), "; continue with --resume"),
        error => (error.to_string(), ""),
    };
    anyhow!("{reason} after {}; {}{advice}", counted(games, "game"), outputs.games.abandon())
}
