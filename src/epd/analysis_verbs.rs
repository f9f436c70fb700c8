//! `herald epd analyze`, `mate` and `target`: the verbs that need an analyzer. They share the choice of analyzer, the limit and
//! the summary.

use std::num::NonZeroU32;
use std::sync::Arc;

use analysis::{AnalysisJob, Analyze, Counts, FindMates, Target, Verb};
use anyhow::{Result, anyhow, bail};
use clap::Args;
use game::counted;
use messages::epd::MoveReading;

use super::provenance::ProvenanceFile;
use super::work::{InputArgs, OutputArgs, Work};
use crate::WrongInput;
use crate::analyzer_args::{AnalyzerArgs, ChosenAnalyzer, today};

/// Arguments of all verbs that need an analyzer.
#[derive(Args)]
pub(crate) struct AnalysisArgs {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    output: OutputArgs,
    /// Continue the output of an interrupted run of the same command: files, program, settings and limit must be the same
    #[arg(long, requires = "output", conflicts_with_all = ["in_place", "no_provenance"])]
    resume: bool,
    #[command(flatten)]
    analyzer: AnalyzerArgs,
    /// Write no times and no date, so that the output under a limit of nodes or depth is reproducible
    #[arg(long)]
    no_times: bool,
    /// Write no operation `Analyzer`, which says by which program, with which settings and limit, and when
    #[arg(long)]
    no_provenance: bool,
}

impl AnalysisArgs {
    /// Runs the job on all records. `task`: the verb with its settings, if it is another than a plain analysis. `sum_up` summarises
    /// the results of records that did not fail, for standard error.
    fn run(
        &self,
        job: impl AnalysisJob + 'static,
        task: Option<String>,
        sum_up: fn(&Counts) -> String,
    ) -> Result<()> {
        let interrupt = Arc::default();
        let chosen = self.analyzer.choose(&interrupt).map_err(WrongInput::of)?;
        let ChosenAnalyzer { factory: new_analyzer, engine, limit, .. } = chosen;
        let condition = self.input.files.condition.as_ref().map(|filter| format!("where {filter}"));
        let parts = [Some(game::excerpt(&engine)), Some(limit.clone()), task, condition];
        let provenance = parts.into_iter().flatten().collect::<Vec<_>>().join(", ");
        let whole_provenance = provenance.clone();
        // As it stands in a record, with room for the date.
        let provenance = game::epd::operand_text(&provenance);
        let provenance = provenance[..provenance.len().min(LONGEST_PROVENANCE)].trim_end().to_owned();
        // A missing analyzer is reported before anything is written.
        new_analyzer()?;
        let provenance = Some(provenance).filter(|_| !self.no_provenance);
        let grace = self.analyzer.grace();
        let (input, output) = (&self.input, &self.output);
        let path = output.path().filter(|_| provenance.is_some());
        let provenance_file = path.and_then(|path| ProvenanceFile::beside(path, &whole_provenance));
        let work = if self.resume {
            Work::resume(input, output, provenance.as_deref(), provenance_file.as_ref())?
        } else {
            Work::new(input, output)?
        };
        provenance_file.as_ref().map_or(Ok(()), ProvenanceFile::write)?;
        let work = work.resumable(interrupt, grace);
        let earlier = match work.lines_done() {
            0 => String::new(),
            lines => format!("; {} done before", counted(lines, "line")),
        };
        let reader = self.input.reader(MoveReading::Repair);
        let provenance = provenance
            .map(|provenance| if self.no_times { provenance } else { format!("{provenance}, {}", today()) });
        let verb = Verb::analysis(reader, job, new_analyzer, provenance);
        let verb = self.input.restricted(verb, reader).with_line_ends(self.output.line_ends(false));
        let counts = work.run(&verb)?;
        provenance_file.iter().for_each(ProvenanceFile::remove);
        let Counts { found, missed, undecided, skipped, failed, nodes, time, .. } = counts;
        let records = found + missed + undecided + skipped + failed;
        let (came_of, seconds) = (sum_up(&counts), time.as_secs_f64());
        let (records, nodes) = (counted(records, "record"), counted(nodes, "node"));
        tell!("{records}: {came_of}, {failed} failed; {nodes}, {seconds:.1} s{earlier}");
        if failed > 0 {
            bail!("{} could not be analysed and left unchanged", counted(failed, "record"));
        }
        if counts.errors > 0 {
            bail!("{} in {}", counted(counts.errors, "error"), counted(counts.faulty, "record"));
        }
        Ok(())
    }
}

/// Maximum length of a provenance in bytes: a string of a record, less ", 2026-11-25".
const LONGEST_PROVENANCE: usize = 240;

/// Add an analysis to all EPD records (the standard's "pfga")
///
/// Writes `pv`, `ce`, `acd`, `acn` and `acs`, and `pm` if there is a legal move, in place of those of earlier analyses. What a
/// program does not tell is left out: of a move of its book there is no `ce`. Moves in any notation that can be read become SAN.
#[derive(Args)]
#[command(after_help = "Examples:
  herald epd analyze --nodes 1000000 suite.epd -o analysed.epd
  herald epd analyze --time 5 --engine \"cmd=stockfish option.Hash=64\" suite.epd -o analysed.epd --resume")]
pub(crate) struct AnalyzeArgs {
    #[command(flatten)]
    analysis: AnalysisArgs,
    /// Write the best move as `sm` as well: the move to be played
    #[arg(long)]
    sm: bool,
}

impl AnalyzeArgs {
    pub(super) fn run(&self) -> Result<()> {
        let job = Analyze { times: !self.analysis.no_times, supplies_move: self.sm };
        self.analysis.run(job, self.sm.then(|| "sm".to_owned()), |Counts { found, unscored, .. }| {
            let unscored = among(&[(*unscored, "without a score")]);
            format!("{found} analysed{unscored}")
        })
    }
}

/// Find forced mates by the side to move in EPD records that have no `dm`, or a longer one (the standard's "pfms")
///
/// Writes `dm`, `pm`, `pv`, `ce`, `acn` and `acs`. Herald searches with half of the limit by its mate solver and, if that does not
/// decide, with the whole limit as for an analysis, and may take another half for the proof. All mates are proven, also those that
/// another program reports. `dm` is the shortest mate; if the limit was reached before a shorter one could be ruled out, the private operation `Dm "at
/// most";` says so, and a later run takes the record up again.
#[derive(Args)]
#[command(after_help = "Example: herald epd mate --moves 5 --passes --nodes 1000000 suite.epd -o mates.epd")]
pub(crate) struct MateArgs {
    /// Longest mate to search for, in moves of the side that mates
    #[arg(long, value_name = "COUNT")]
    moves: NonZeroU32,
    #[command(flatten)]
    analysis: AnalysisArgs,
    /// Search for a mate in one first, then in two and so on, each with the whole limit
    #[arg(long)]
    passes: bool,
    /// Write the length that was searched for as `dm`, as the standard says
    #[arg(long)]
    strict: bool,
}

impl MateArgs {
    pub(super) fn run(&self) -> Result<()> {
        if self.analysis.analyzer.is_herald_limited_by_depth() {
            let message = "the mate solver has no limit of depth but --moves; use --nodes or --time";
            return Err(WrongInput::of(anyhow!(message)));
        }
        let job = FindMates {
            moves: self.moves,
            passes: self.passes,
            strict: self.strict,
            times: !self.analysis.no_times,
        };
        let flags = [(self.passes, " passes"), (self.strict, " strict")];
        let flags: String = flags.into_iter().filter(|(is_set, _)| *is_set).map(|(_, flag)| flag).collect();
        self.analysis.run(job, Some(format!("mate in {}{flags}", self.moves)), |counts| {
            let Counts { found, bounds, missed, undecided, unproven, refuted, skipped, .. } = counts;
            let bounds = among(&[(*bounds, "perhaps not the shortest")]);
            let told = among(&[(*unproven, "told, but not proven"), (*refuted, "told, but refuted")]);
            let mates = counted(*found, "mate");
            format!("{mates}{bounds}, {missed} without, {undecided} undecided{told}, {skipped} skipped")
        })
    }
}

/// Says in parentheses how many of the records just counted are special; nothing if none is.
fn among(special: &[(u64, &str)]) -> String {
    let some = special.iter().filter(|(count, _)| *count > 0);
    let some: Vec<String> = some.map(|(count, what)| format!("{count} {what}")).collect();
    if some.is_empty() { String::new() } else { format!(" ({})", some.join(", ")) }
}

/// Test whether Herald, or another program, finds the moves of `bm` and avoids those of `am` (the standard's "pfts")
///
/// Writes `pm`, `pv`, `ce`, `acd`, `acn` and `acs`, and the private operation `Target`: `Target "missed";` or `Target "solved
/// DEPTH NODES MILLISECONDS";`, the point from which on the right move stayed the best. Records without `bm` and `am`
/// are skipped. Missed records don't change the exit status.
#[derive(Args)]
#[command(after_help = "Examples:
  herald epd target --nodes 100000 wac.epd -o solved.epd
  herald epd target --time 1 --early-stop 3 --engine \"cmd='gnuchess --xboard' protocol=cecp\" wac.epd -o solved.epd")]
pub(crate) struct TargetArgs {
    #[command(flatten)]
    analysis: AnalysisArgs,
    /// End the search when a right move has stayed the best over this many plies of further depth
    #[arg(long, value_name = "PLIES")]
    early_stop: Option<NonZeroU32>,
}

impl TargetArgs {
    pub(super) fn run(&self) -> Result<()> {
        let early_stop = self.early_stop.map(NonZeroU32::get);
        let job = Target { times: !self.analysis.no_times, early_stop };
        let stop = early_stop.map(|plies| format!(" early-stop={plies}")).unwrap_or_default();
        self.analysis.run(job, Some(format!("target{stop}")), |Counts { found, missed, skipped, .. }| {
            let percent = 100.0 * *found as f64 / (found + missed).max(1) as f64;
            format!("{found} solved ({percent:.1} %), {missed} missed, {skipped} without a target")
        })
    }
}
