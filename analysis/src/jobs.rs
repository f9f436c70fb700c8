//! Jobs that need an analyzer: general analysis, mate search and target search (EPD specification, 7.2, 7.3 and 7.5: "pfga",
//! "pfms" and "pfts").

use std::num::NonZeroU32;
use std::sync::Arc;

use game::epd::{Fault, Rule};
use game::{Game, Score};
use messages::epd::{AnyOperand, Content, Operation, Record, RecordReader, TextLine};

use crate::process::{Interrupted, JobResult, LineHandler, Verb, is_malformed};
use crate::target_result::{self, Cost, KeyMoves, TargetResult};
use crate::{AnalysisError, AnalysisResult, Analyzer, Counts, MateSearch, MateVerdict, PositionAnalysis};

/// An operation on a record that needs an analyzer.
pub trait AnalysisJob: Send + Sync {
    /// Analyses the record and writes the result into it. Returns the counters to add up.
    ///
    /// # Errors
    /// The analysis failed. The record is then unchanged.
    fn run(&self, record: &mut Record, game: &Game, analyzer: &mut dyn Analyzer) -> AnalysisResult<Counts>;
}

/// Adds an analysis to each record: `pv`, `pm` if there is a legal move, `ce`, `acd` and `acn` if they are known, which they are
/// not for a move of a program's book. In a position without legal moves `pv` is empty, and `ce` distinguishes mate from stalemate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Analyze {
    /// Whether to write `acs`. Without it the output under a limit of nodes or depth is reproducible.
    pub times: bool,
    /// Whether to write the best move as `sm` (supplied move). An `sv` is removed, as it may begin with another move.
    pub supplies_move: bool,
}

impl AnalysisJob for Analyze {
    fn run(&self, record: &mut Record, game: &Game, analyzer: &mut dyn Analyzer) -> AnalysisResult<Counts> {
        let has_moves = !game.legal_moves().is_empty();
        let analysis = if has_moves {
            analyzer.analyze(game, &mut |_| true)?
        } else {
            PositionAnalysis { score: Some(final_score(game)), ..PositionAnalysis::default() }
        };
        analysis.write_to(record, game, self.times && has_moves);
        if self.supplies_move {
            record.remove("sv");
            match record.pm().cloned() {
                Some(best) => record.set(Operation::Sm(best)),
                None => drop(record.remove("sm")),
            }
        }
        let unscored = u64::from(analysis.score.is_none());
        Ok(Counts { found: 1, unscored, ..analysis.effort() })
    }
}

/// The score of a position without legal moves.
pub(crate) fn final_score(game: &Game) -> Score {
    let is_mate = matches!(game.outcome(), Some(game::Outcome::Win { .. }));
    if is_mate { Score::MatedIn(0) } else { Score::DRAW }
}

/// Opcode of a private operation: `Dm "at most";` says that `dm` is proven, but perhaps not the shortest mate.
const BOUND: &str = "Dm";

/// Searches for mates by the side to move in records that have no `dm`, a longer one, or one that is an upper bound. If a mate is
/// found, writes `dm`, `pm`, `pv`, `ce`, `acn` and `acs`, and `Dm "at most";` unless the mate is proven to be the shortest; other
/// records are not changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FindMates {
    /// Longest mate to search for, in moves.
    pub moves: NonZeroU32,
    /// Whether to search for a mate in one first, then in two, and so on, each with the whole limit. This equals several runs
    /// over the file.
    pub passes: bool,
    /// Whether `dm` is the length that was searched for, to the letter of the specification, instead of the length that was
    /// proven.
    pub strict: bool,
    /// Whether to write `acs`.
    pub times: bool,
}

impl AnalysisJob for FindMates {
    fn run(&self, record: &mut Record, game: &Game, analyzer: &mut dyn Analyzer) -> AnalysisResult<Counts> {
        let is_bound = record.get(BOUND).is_some();
        let known = record.dm().map_or(u32::MAX, |moves| moves.get());
        let longest = if is_bound { self.moves.get().min(known) } else { self.moves.get() };
        let open = known.saturating_add(u32::from(is_bound));
        let is_ended = game.legal_moves().is_empty();
        let first = if self.passes { 1 } else { longest };
        let mut counts = Counts { skipped: 1, ..Counts::default() };
        for moves in (first..=longest).take_while(|moves| *moves < open && !is_ended) {
            let MateSearch { analysis, verdict } = analyzer.find_mate(game, moves)?;
            let effort = analysis.effort();
            let (nodes, time) = (counts.nodes + effort.nodes, counts.time + effort.time);
            counts = Counts { nodes, time, ..Counts::default() };
            match (verdict, analysis.mate()) {
                (MateVerdict::Shortest | MateVerdict::AtMost, Some(mate)) => {
                    counts.found = 1;
                    counts.bounds = u64::from(verdict == MateVerdict::AtMost);
                    self.write(record, game, moves, mate, (analysis, verdict));
                    break;
                }
                (MateVerdict::NoMate, _) => counts.missed = 1,
                (verdict, _) => {
                    counts.undecided = 1;
                    counts.unproven = u64::from(verdict == MateVerdict::Unproven);
                    counts.refuted = u64::from(verdict == MateVerdict::Refuted);
                }
            }
        }
        Ok(counts)
    }
}

impl FindMates {
    /// Writes a mate that was searched for in so many moves.
    fn write(
        self,
        record: &mut Record,
        game: &Game,
        moves: u32,
        mate: NonZeroU32,
        (analysis, verdict): (PositionAnalysis, MateVerdict),
    ) {
        // A `ce` with the proven length would contradict a preset `dm`.
        let score = analysis.score.filter(|_| !self.strict);
        PositionAnalysis { score, ..analysis }.write_to(record, game, self.times);
        let preset = NonZeroU32::new(moves).filter(|_| self.strict);
        record.set(Operation::Dm(preset.unwrap_or(mate)));
        if verdict == MateVerdict::AtMost {
            record.set(private(BOUND, "at most"));
        } else {
            record.remove(BOUND);
        }
    }
}

/// A private operation with one string, the form that every reader takes.
pub(crate) fn private(opcode: &'static str, text: &str) -> Operation<'static> {
    let operands = vec![AnyOperand::String(text.to_owned().into())];
    Operation::Other { opcode: opcode.into(), operands }
}

/// Tests an analyzer with each record: it must play one of the moves of `bm`, if there are any, and none of `am`.
///
/// Writes `pm`, `pv`, `ce`, `acd`, `acn` and `acs` as for an analysis, and the [`TargetResult`], which is removed from records
/// without a known solution and from positions without legal moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// Whether to write times. Without them the output under a limit of nodes or depth is reproducible.
    pub times: bool,
    /// Number of plies of further depth after which the search ends if a right move has stayed the best.
    pub early_stop: Option<u32>,
}

impl AnalysisJob for Target {
    fn run(&self, record: &mut Record, game: &Game, analyzer: &mut dyn Analyzer) -> AnalysisResult<Counts> {
        let Some(key_moves) = KeyMoves::of(record).filter(|_| !game.legal_moves().is_empty()) else {
            record.remove(target_result::OPCODE);
            return Ok(Counts { skipped: 1, ..Counts::default() });
        };
        let is_right = |analysis: &PositionAnalysis| analysis.best().is_some_and(|mv| key_moves.is_right(mv));
        let mut solved_at: Option<PositionAnalysis> = None;
        let analysis = analyzer.analyze(game, &mut |analysis| {
            if is_right(analysis) {
                solved_at.get_or_insert_with(|| analysis.clone());
            } else {
                solved_at = None;
            }
            !self.has_held(solved_at.as_ref(), analysis)
        })?;
        analysis.write_to(record, game, self.times);
        let effort = analysis.effort();
        if is_right(&analysis) {
            // The final move may differ from the first move of the last line.
            let cost = self.cost(&solved_at.unwrap_or(analysis));
            TargetResult::Solved(cost).write_to(record);
            Ok(Counts { found: 1, ..effort })
        } else {
            TargetResult::Missed.write_to(record);
            Ok(Counts { missed: 1, ..effort })
        }
    }
}

impl Target {
    fn cost(&self, analysis: &PositionAnalysis) -> Cost {
        Cost {
            depth: analysis.depth.map(u64::from),
            nodes: analysis.nodes,
            millis: self.times.then_some(analysis.time.as_millis() as u64),
        }
    }

    /// Whether a right move has been the best for long enough.
    fn has_held(&self, solved_at: Option<&PositionAnalysis>, now: &PositionAnalysis) -> bool {
        let plies = || Some((self.early_stop?, solved_at?.depth?, now.depth?));
        plies().is_some_and(|(wanted, first, last)| last >= first.saturating_add(wanted))
    }
}

/// Creates the analyzer of a worker thread; called on that thread.
pub type AnalyzerFactory = Arc<dyn Fn() -> AnalysisResult<Box<dyn Analyzer>> + Send + Sync>;

impl Verb {
    /// A verb that runs `job` on each record. Each worker thread has its own analyzer.
    pub fn analysis(
        reader: RecordReader,
        job: impl AnalysisJob + 'static,
        analyzers: AnalyzerFactory,
        provenance: Option<String>,
    ) -> Verb {
        let job: Arc<dyn AnalysisJob> = Arc::new(job);
        let new_handler = move || {
            let (job, provenance) = (Arc::clone(&job), provenance.clone());
            Box::new(RecordAnalysis { reader, job, analyzer: analyzers(), provenance }) as Box<_>
        };
        Verb::new(Arc::new(new_handler), 1)
    }
}

struct RecordAnalysis {
    reader: RecordReader,
    job: Arc<dyn AnalysisJob>,
    analyzer: AnalysisResult<Box<dyn Analyzer>>,
    /// Program, settings and date, written into each record that is changed.
    provenance: Option<String>,
}

/// Opcode of the private operation that says who made the analysis of a record, how and when.
pub(crate) const PROVENANCE: &str = "Analyzer";

/// Who made the analysis of a record, how and when, as the record says.
pub(crate) fn author_of<'a>(record: &'a Record<'_>) -> Option<&'a str> {
    match record.get(PROVENANCE)? {
        Operation::Other { operands, .. } => match &operands[..] {
            [AnyOperand::String(text)] => Some(text),
            _ => None,
        },
        _ => None,
    }
}

/// Splits off the date, such as `2026-11-24`, behind the last comma.
pub(crate) fn split_date(author: &str) -> (&str, Option<&str>) {
    let is_date = |text: &&str| {
        text.len() == 10
            && text.bytes().enumerate().all(|(at, byte)| match at {
                4 | 7 => byte == b'-',
                _ => byte.is_ascii_digit(),
            })
    };
    match author.rsplit_once(", ") {
        Some((rest, date)) if is_date(&date) => (rest, Some(date)),
        _ => (author, None),
    }
}

impl LineHandler for RecordAnalysis {
    fn line(&mut self, line: &TextLine<'_>, result: &mut JobResult) -> Result<(), Interrupted> {
        let written = match line.content() {
            Content::Record => self.record(line, result)?,
            Content::Blank | Content::Comment => None,
        };
        match written {
            Some(record) => result.replace(line, &record),
            None => result.keep(line),
        }
        Ok(())
    }

    fn too_long(&mut self, fault: &Fault, result: &mut JobResult) {
        result.counts.failed += 1;
        result.report(fault);
    }
}

impl RecordAnalysis {
    /// Analyses a record and returns its new text; `None` if the record can't be read or has an error of syntax.
    fn record(&mut self, line: &TextLine<'_>, result: &mut JobResult) -> Result<Option<String>, Interrupted> {
        let reading = self.reader.read(&line.text, line.number);
        result.counts.add_record(&reading.faults);
        result.report_errors(&reading.faults);
        let is_whole = !is_malformed(&reading.faults);
        let Some(mut record) = reading.record.filter(|_| is_whole) else {
            result.counts.failed += 1;
            return Ok(None);
        };
        let before = record.clone();
        let outcome = match (record.game(), &mut self.analyzer) {
            (Err(error), _) => Err(error.to_string()),
            (Ok(_), Err(error)) => Err(error.to_string()),
            (Ok(game), Ok(analyzer)) => match self.job.run(&mut record, &game, &mut **analyzer) {
                Err(AnalysisError::Interrupted) => return Err(Interrupted),
                done => done.map_err(|error| error.to_string()),
            },
        };
        // An author belongs to an analysis, and not to another one.
        let is_analysed = outcome.as_ref().is_ok_and(|counts| counts.skipped == 0) && record != before;
        match &self.provenance {
            _ if !is_analysed => {}
            Some(provenance) => record.set(private(PROVENANCE, provenance)),
            None => drop(record.remove(PROVENANCE)),
        }
        match outcome {
            Ok(counts) => result.counts += counts,
            Err(reason) => {
                result.counts.failed += 1;
                let is_reported = reading.faults.iter().any(|fault| fault.rule == Rule::V1);
                if !is_reported {
                    let reason = reason.replace(char::is_control, "?");
                    let message = format!("{}:{}: error: {reason}\n", result.file, line.number);
                    result.messages.extend_from_slice(message.as_bytes());
                }
            }
        }
        let mut text = String::new();
        record.write(&mut text, self.reader.escapes);
        Ok(Some(text))
    }
}
