//! The annotation of one game, and of many at once.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use game::book::Book;
use game::{
    Color, Game, GameTree, JudgingRules, ParsedGame, PgnFault, Replay, ResultMarker, SyzygyTables, Variant,
};
use shakmaty::{ByColor, Position as _, Role};

use super::clocks;
use super::examine::{Examination, examine, is_agreed, note, theory};
use super::judge::{MoveToJudge, MoveVerdict};
use super::puzzles::PuzzleVerifier;
use super::record::{AnnotatedGame, AnnotatedMove, GamePhase, OpeningNote, Provenance};
use super::summary::SideSummary;
use crate::process::WorkerPool;
use crate::{AnalysisError, AnalysisResult, Analyzer, AnalyzerFactory, ProcessError};

/// What is annotated, and how.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "switches that have nothing to do with each other")]
pub struct AnnotationSettings {
    /// How moves are judged.
    pub rules: JudgingRules,
    /// First move to analyse.
    pub from_move: usize,
    /// Part of the name of the player whose moves are judged; upper and lower case are equal. All players by default.
    pub player: Option<String>,
    /// Whether moves of theory are analysed, too.
    pub analyzes_theory: bool,
    /// Whether comments have words besides the evaluation.
    pub has_words: bool,
    /// Whether evaluations are written.
    pub has_evaluations: bool,
    /// Maximum number of plies of a better line in the text; 0 for no such lines.
    pub line_plies: usize,
    /// Whether evaluations and judgements that are there already are replaced. If not, they stay, and those of the same kind are
    /// not added.
    pub replaces: bool,
    /// Whether games are only read and written, with the name of the opening.
    pub is_dry: bool,
    /// Who analyses, how and when.
    pub provenance: Provenance,
    /// A book, whose moves are theory.
    pub book: Option<PathBuf>,
    /// Endgame tables.
    pub tables: Option<Arc<SyzygyTables>>,
    /// How puzzles are made; `None` for no puzzles.
    pub puzzles: Option<PuzzleSettings>,
}

/// How puzzles are verified.
#[derive(Clone, Debug)]
pub struct PuzzleSettings {
    /// Herald with its settings and the limit, as the verified records name it.
    pub verifier: String,
    /// Whether the depth of the analysis is that of Herald, which the verification has to exceed.
    pub compares_depth: bool,
    /// Limit of Herald's search that verifies a puzzle.
    pub limit: game::TimeControl,
    /// Least difference between the right move and the second best, in points of winning chance.
    pub margin: f64,
    /// Hash table, in MiB.
    pub mebibytes: usize,
}

/// A game to annotate.
#[derive(Clone, Debug)]
pub struct AnnotationJob {
    /// Name of the file for messages.
    pub file: Arc<str>,
    /// Number of the game in its file, from 1.
    pub number: u64,
    /// The game.
    pub parsed: ParsedGame,
}

/// An annotated game.
#[derive(Clone, Debug, Default)]
pub struct AnnotationResult {
    /// The game with its annotations, in PGN.
    pub text: String,
    /// The annotations as data; `None` for a game that was not analysed.
    pub game: Option<AnnotatedGame>,
    /// What is wrong with the game, one message each, with file and line.
    pub messages: Vec<String>,
    /// Whether the analysis failed or could not be made.
    pub has_failed: bool,
    /// Whether the game was left as it is because none of its players was asked for.
    pub is_skipped: bool,
    /// Whether the game was left as it is because it has an analysis already.
    pub is_known: bool,
}

/// Annotates games on the threads of a pool. The first of the `analyzers` is that of [`Provenance::engine`], then come those of
/// [`Provenance::further`]. `progress` is called after each position that one of them has analysed; `take` receives the results in
/// the order of the games, each as soon as it is available.
///
/// # Errors
/// The games can't be read, threads can't be started, the work was interrupted, or `take` failed.
pub fn annotate_games(
    pool: &WorkerPool,
    games: impl Iterator<Item = io::Result<AnnotationJob>> + Send + 'static,
    settings: Arc<AnnotationSettings>,
    analyzers: Vec<AnalyzerFactory>,
    progress: ProgressListener,
    take: impl FnMut(AnnotationResult) -> io::Result<()>,
) -> Result<(), ProcessError> {
    let new_worker = move || {
        let mut worker = GameAnnotator::new(Arc::clone(&settings), &analyzers, Arc::clone(&progress));
        move |job| worker.annotate(job).ok()
    };
    pool.run(games, new_worker, take)
}

/// Called after each position that was analysed, on the thread that did.
pub type ProgressListener = Arc<dyn Fn() + Send + Sync>;

/// A worker.
struct GameAnnotator {
    settings: Arc<AnnotationSettings>,
    analyzers: Vec<AnalysisResult<Box<dyn Analyzer>>>,
    book: Option<Book>,
    verifier: Option<PuzzleVerifier>,
    progress: ProgressListener,
}

impl GameAnnotator {
    fn new(
        settings: Arc<AnnotationSettings>,
        analyzers: &[AnalyzerFactory],
        progress: ProgressListener,
    ) -> GameAnnotator {
        // The book was opened once before, to report faults.
        let book = settings.book.as_deref().and_then(|path| Book::open(path).ok());
        let verifier = settings.puzzles.clone().map(PuzzleVerifier::new);
        let analyzers = analyzers.iter().filter(|_| !settings.is_dry).map(|new| new()).collect();
        GameAnnotator { settings, analyzers, book, verifier, progress }
    }

    /// Annotates a game.
    ///
    /// # Errors
    /// The work was interrupted.
    fn annotate(&mut self, job: AnnotationJob) -> AnalysisResult<AnnotationResult> {
        let AnnotationJob { file, number, parsed } = job;
        let message = |line: u64, text: &str| format!("{file}:{line}: {text}");
        let mut messages: Vec<String> =
            faults(&parsed).into_iter().map(|(line, text)| message(line, &text)).collect();
        // What is too long is the only thing that is lost.
        let is_cut = parsed.faults.iter().any(|(_, fault)| *fault == PgnFault::TooLong);
        let mut tree = parsed.tree;
        let Replay { game, fault } = match replay(&tree) {
            Ok(replay) => replay,
            Err(why) => {
                messages.push(message(parsed.setup_line.max(parsed.line), &why));
                return Ok(AnnotationResult::unchanged(&tree, messages, true));
            }
        };
        if let Some(fault) = &fault {
            let line = parsed.move_lines.get(game.ply()).copied().unwrap_or(parsed.line);
            messages.push(message(line, &format!("{fault}; the game is annotated up to here")));
        }
        let start = first_position(&game);
        let in_variations = super::variations::faults(&tree, start, &parsed.variation_lines);
        messages.extend(in_variations.iter().map(|(line, text)| message(*line, text)));
        let opening = game.opening().map(OpeningNote::from);
        let judged = self.judged_sides(&tree);
        if self.settings.is_dry {
            super::write::name_opening(&mut tree, opening.as_ref());
            return Ok(AnnotationResult::unchanged(&tree, messages, is_cut));
        }
        if !(judged.white || judged.black) {
            let unchanged = AnnotationResult::unchanged(&tree, messages, is_cut);
            return Ok(AnnotationResult { is_skipped: true, ..unchanged });
        }
        if let Some(engine) = tree.tag("AnalysisEngine").filter(|_| !self.settings.replaces) {
            let text =
                format!("the game has an analysis by {engine} and stays as it is; --replace makes it anew");
            messages.push(message(parsed.line, &text));
            let unchanged = AnnotationResult::unchanged(&tree, messages, is_cut);
            return Ok(AnnotationResult { is_known: true, ..unchanged });
        }
        let theory = theory(&game, opening.as_ref().map_or(0, |opening| opening.theory), self.book.as_mut());
        let examinations = self.examine(&game, theory)?;
        messages.extend(self.unfinished(&examinations).iter().map(|text| message(parsed.line, text)));
        let has_failure = examinations.iter().any(|examination| examination.failure.is_some());
        let has_failed = fault.is_some() || has_failure || is_cut;
        // A mate on the board needs no program.
        if examinations[0].positions.iter().flatten().all(|position| position.choices == 0) {
            return Ok(AnnotationResult::unchanged(&tree, messages, has_failed));
        }
        let annotated = AnnotatedGame {
            number,
            file: file.to_string(),
            line: parsed.line,
            opening,
            faults: messages.clone(),
            ..self.judge(&tree, &game, &examinations, judged, theory)?
        };
        super::write::write_into(&mut tree, &annotated, &self.settings);
        Ok(AnnotationResult {
            game: Some(annotated),
            has_failed,
            ..AnnotationResult::unchanged(&tree, messages, false)
        })
    }

    /// Tells which programs did not analyse all positions, and why.
    fn unfinished(&self, examinations: &[Examination]) -> Vec<String> {
        let by = &self.settings.provenance;
        let engines = std::iter::once(&by.engine).chain(by.further.iter().map(|further| &further.engine));
        let failures = engines.zip(examinations).filter_map(|(engine, examination)| {
            let failure = examination.failure.as_ref()?;
            Some(format!("not all positions are analysed by {engine}: {failure}"))
        });
        failures.collect()
    }

    /// The sides whose moves are judged.
    fn judged_sides(&self, tree: &GameTree) -> ByColor<bool> {
        let Some(player) = &self.settings.player else { return ByColor { white: true, black: true } };
        let player = player.to_lowercase();
        let is_wanted = |name| tree.tag(name).is_some_and(|name| name.to_lowercase().contains(&player));
        ByColor { white: is_wanted("White"), black: is_wanted("Black") }
    }

    /// Examines a game with each program.
    fn examine(&mut self, game: &Game, theory: usize) -> AnalysisResult<Vec<Examination>> {
        let number = game.start().fullmoves().get() as usize;
        let skipped = 2 * self.settings.from_move.saturating_sub(number);
        let skipped = skipped.saturating_sub(usize::from(game.start().turn().is_black() && skipped > 0));
        let known = if self.settings.analyzes_theory { 0 } else { theory };
        let first = skipped.max(known).min(game.ply());
        let tables = self.settings.tables.as_deref();
        let examinations = self.analyzers.iter_mut().map(|analyzer| match analyzer {
            Ok(analyzer) => examine(game, first, &mut **analyzer, tables, &*self.progress),
            Err(failure) => {
                // Told once; of the games after it nothing is expected any more.
                let failure = Some(std::mem::replace(failure, AnalysisError::Interrupted));
                Ok(Examination { positions: vec![None; game.ply() + 1], failure })
            }
        });
        examinations.collect()
    }

    /// Makes an annotated game of the examined positions.
    fn judge(
        &mut self,
        tree: &GameTree,
        game: &Game,
        examinations: &[Examination],
        judged: ByColor<bool>,
        theory: usize,
    ) -> AnalysisResult<AnnotatedGame> {
        let (mut here, positions) = (first_position(game), &examinations[0].positions);
        let mut annotated = blank(tree, &here, &self.settings.provenance);
        let further = &self.settings.provenance.further;
        annotated.start_note = note(&here, examinations, further);
        let clocks = clocks::readings(tree);
        let names = ByColor { white: "White", black: "Black" };
        let names = names.map(|side| annotated.tag(side).unwrap_or(side).to_owned());
        let mut drifts = Vec::new();
        for (ply, &mv) in game.moves().iter().enumerate() {
            let mover = here.turn();
            let (before, after) = (positions[ply].as_ref(), positions[ply + 1].as_ref());
            let is_judged = *judged.get(mover) && (ply >= theory || self.settings.analyzes_theory);
            let verdict = before.zip(after).filter(|_| is_judged).and_then(|(before, after)| {
                MoveToJudge { game: &here, mv, before, after, player: names.get(mover) }
                    .judge(&self.settings.rules)
            });
            let verdict = verdict.unwrap_or_default();
            drifts.extend(verdict.drift);
            if let (Some(verifier), Some(before), Some(_)) = (&mut self.verifier, before, verdict.grade) {
                let puzzle = verifier.puzzle(&here, ply, mv, before, &self.settings.rules)?;
                // A mate is proven, whatever other programs say.
                let is_right = puzzle.filter(|puzzle| puzzle.mate.is_some() || is_agreed(examinations, ply));
                annotated.puzzles.extend(is_right);
            }
            let (san, coordinates) = (here.san(mv), here.coordinate(mv));
            let _ = here.play(mv); // the game's moves are legal
            let MoveVerdict { loss, grade, merit, mut words, turning_point, .. } = verdict;
            if let Some(turning_point) = turning_point {
                annotated.story.push(story(&annotated, ply, &san, &turning_point));
                words.push(turning_point);
            }
            words.extend(repetition(&here));
            annotated.moves.push(AnnotatedMove {
                san,
                coordinates,
                fen: here.fen(),
                after: note(&here, examinations, further),
                clock: clocks[ply].left,
                phase: phase(&here, ply < theory),
                is_theory: ply < theory,
                in_time_trouble: clocks[ply].was_short,
                loss,
                grade,
                merit,
                words: (!words.is_empty()).then(|| words.join(" ")),
            });
        }
        sum_up(&mut annotated, &names, &drifts);
        Ok(annotated)
    }
}

/// Sums up the sides. `drifts` are the changes of the winning chance with best moves.
fn sum_up(annotated: &mut AnnotatedGame, names: &ByColor<String>, drifts: &[f64]) {
    let first = annotated.mover(0);
    let side = |color| SideSummary::of(names.get(color).clone(), color, first, &annotated.moves);
    (annotated.white, annotated.black) = (side(Color::White), side(Color::Black));
    let mean = drifts.iter().map(|drift| drift * drift).sum::<f64>() / drifts.len() as f64;
    annotated.noise = (drifts.len() > 1).then(|| mean.sqrt());
}

impl AnnotationResult {
    fn unchanged(tree: &GameTree, messages: Vec<String>, has_failed: bool) -> AnnotationResult {
        AnnotationResult { text: tree.write(), messages, has_failed, ..AnnotationResult::default() }
    }
}

/// What is wrong with the text of a game, with lines.
fn faults(parsed: &ParsedGame) -> Vec<(u64, String)> {
    let (tag, end) = (parsed.tree.tag("Result").and_then(ResultMarker::of), parsed.tree.result);
    let about_end = match tag {
        _ if !parsed.is_ended => Some(format!("the game breaks off without a result; `{end}` is written")),
        Some(tag) if tag != end => {
            Some(format!("the tag Result says `{tag}`, the moves end with `{end}`; both are kept"))
        }
        _ => None,
    };
    let faults = parsed.faults.iter().map(|(line, fault)| (*line, fault.to_string()));
    faults.chain(about_end.map(|text| (parsed.line, text))).collect()
}

/// Plays the moves of a game of chess.
fn replay(tree: &GameTree) -> Result<Replay, String> {
    let replay = tree.replay().map_err(|fault| fault.to_string())?;
    match replay.game.variant() {
        Variant::Chess => Ok(replay),
        variant => Err(format!("games of {variant} are not analysed")),
    }
}

fn first_position(game: &Game) -> Game {
    let mut start = game.clone();
    while start.undo().is_some() {}
    start
}

/// The game without moves.
fn blank(tree: &GameTree, start: &Game, provenance: &Provenance) -> AnnotatedGame {
    AnnotatedGame {
        tags: tree.tags.clone(),
        result: tree.result.to_string(),
        start: start.fen(),
        is_chess960: start.mode() == game::CastlingMode::Chess960,
        provenance: provenance.clone(),
        ..AnnotatedGame::default()
    }
}

/// A turning point with the move that it is about.
fn story(game: &AnnotatedGame, ply: usize, san: &str, what: &str) -> String {
    let dots = if game.mover(ply).is_white() { "." } else { "..." };
    format!("{}{dots} {san}: {what}", game.move_number(ply))
}

/// A sentence about the third and each later occurrence of a position.
fn repetition(game: &Game) -> Option<String> {
    let times = game.repetitions();
    (times >= 3).then(|| format!("The position is there {times} times; a draw may be claimed."))
}

/// The phase of the game with this position.
fn phase(game: &Game, is_theory: bool) -> GamePhase {
    /// Number of moves of each side that belong to the opening.
    const OPENING_MOVES: usize = 10;
    /// Number of pieces but kings and pawns in an endgame, at most.
    const FEW: usize = 6;
    let board = game.position().board();
    let pieces = board.occupied() & !board.by_role(Role::Pawn) & !board.by_role(Role::King);
    if pieces.count() <= FEW {
        GamePhase::Endgame
    } else if is_theory || game.ply() <= 2 * OPENING_MOVES {
        GamePhase::Opening
    } else {
        GamePhase::Middlegame
    }
}
