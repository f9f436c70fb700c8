//! The report of a match, as text and as JSON, and its progress.

use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use arena::schedule::Fixture;
use arena::statistics::{Estimate, Interval, StoppedEstimate};
use arena::{GameEntry, Grid, Match, MatchEnd};
use game::counted;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};

use super::options::MatchPlan;

/// Returns the whole report.
pub(super) fn text(plan: &MatchPlan, game: &Match, end: MatchEnd) -> String {
    let mut text = table(plan, game);
    let standings = &game.standings;
    let crosstable = Grid::crosstable(standings, &standings.ranking(), |program| plan.name(program));
    if let Some(crosstable) = crosstable.filter(|_| plan.schedule.programs > 2) {
        let _ = write!(text, "\n{}", crosstable.text());
    }
    text.push_str(&faults(plan, game));
    if let Some(draws) = standings.draw_ratio() {
        let _ = writeln!(text, "\n{}, {:.1} % drawn", counted(standings.games, "game"), 100.0 * draws);
    }
    if let Some(winner) = game.schedule.champion() {
        let _ = writeln!(text, "Winner: {}", plan.name(winner));
    }
    text.push_str(&sprt_line(game));
    text.push_str(&repeated_openings(game));
    text.push_str(&usage(plan, game));
    if end == MatchEnd::Interrupted {
        text.push_str("Interrupted: there are games to play\n");
    }
    text
}

/// Returns the table of the programs, best first.
pub(super) fn table(plan: &MatchPlan, game: &Match) -> String {
    let headings =
        ["", "Program", "Elo", "nElo", "Games", "Points", "%", "Draw %", "LOS %", "Pairs (0 to 2)"];
    let mut grid = Grid::new(&headings, &[1, 9]);
    let percent =
        |ratio: Option<f64>| ratio.map_or_else(|| "-".to_owned(), |ratio| format!("{:.1}", 100.0 * ratio));
    for (rank, program) in (1..).zip(game.standings.ranking()) {
        let standing = &game.standings.programs[program];
        let (games, sample) = (&standing.games, standing.sample());
        let points = games.halves() as f64 / 2.0;
        grid.push([
            format!("{rank}"),
            plan.name(program).to_owned(),
            estimate(sample.map(|sample| sample.elo())),
            estimate(sample.and_then(|sample| sample.normalised_elo())),
            games.games().to_string(),
            format!("{points:.1}"),
            percent((games.games() > 0).then(|| points / games.games() as f64)),
            percent(games.draw_ratio()),
            percent(sample.map(|sample| sample.likelihood_of_superiority())),
            standing.pairs.0.map(|count| count.to_string()).join(" "),
        ]);
    }
    grid.text()
}

fn estimate(estimate: Option<Estimate>) -> String {
    match estimate {
        None => "-".to_owned(),
        Some(Estimate { value, error }) if error.is_finite() => format!("{value:+.1} ± {error:.1}"),
        Some(Estimate { value, .. }) if value.is_finite() => format!("{value:+.1} ± ?"),
        Some(Estimate { value, .. }) => if value > 0.0 { "all won" } else { "all lost" }.to_owned(),
    }
}

/// Reports the faults of the programs; empty if there are none.
fn faults(plan: &MatchPlan, game: &Match) -> String {
    let mut text = String::new();
    for program in 0..plan.schedule.programs {
        let faults = &game.standings.programs[program].faults;
        let counts: Vec<String> = faults
            .iter()
            .filter(|(_, count)| **count > 0)
            .map(|(name, count)| format!("{name} {count}"))
            .collect();
        if !counts.is_empty() {
            let _ = writeln!(text, "{}: {}", plan.name(program), counts.join(", "));
        }
    }
    if text.is_empty() { text } else { format!("\n{text}") }
}

/// Reports the state of the SPRT; empty if there is none.
pub(super) fn sprt_line(game: &Match) -> String {
    let Some(test) = &game.test else { return String::new() };
    let (sprt, bounds) = (test.sprt(), test.sprt().bounds());
    let verdict = game.decision().map_or("undecided".to_owned(), |accepted| format!("{accepted:?} accepted"));
    let llr = test.llr();
    let mut text = format!(
        "SPRT {sprt}: LLR {llr:.2} ({:.2} to {:.2}) after {}, {verdict}\n",
        bounds.lower,
        bounds.upper,
        counted(test.games(), "game")
    );
    if let Some(StoppedEstimate { elo, normalised_elo }) = test.estimate() {
        let _ = writeln!(
            text,
            "Estimate with the stopping taken into account: Elo {}, normalised Elo {} (95 %)",
            interval(elo),
            interval(normalised_elo)
        );
    }
    text
}

fn interval(Interval { lower, value, upper }: Interval) -> String {
    let elo = |value: f64| if value.is_finite() { format!("{value:+.1}") } else { "?".to_owned() };
    format!("{} ({} to {})", elo(value), elo(lower), elo(upper))
}

/// Warns of repeated openings; empty if none were repeated. With fixed nodes their games are repeated too, and error
/// bounds that count them are too narrow.
fn repeated_openings(game: &Match) -> String {
    match game.openings.count() {
        Some(count) if game.openings_drawn > count as u64 => format!(
            "The openings ({count}) came again: programs that always answer alike repeat their games\n"
        ),
        _ => String::new(),
    }
}

/// Reports the time and resources used in this run.
fn usage(plan: &MatchPlan, game: &Match) -> String {
    let usage = &game.usage;
    let mut text = String::new();
    if let Some(median) = usage.overheads.median() {
        let micros = |time: Duration| time.as_secs_f64() * 1e6;
        let longest = micros(usage.overheads.longest);
        let _ = writeln!(text, "Overhead per move: median {:.1} µs, longest {longest:.0} µs", micros(median));
    }
    for (program, used) in usage.resources.iter().enumerate().filter(|(_, used)| used.peak_memory > 0) {
        let mebibytes = used.peak_memory as f64 / f64::from(1 << 20);
        let seconds = used.cpu.as_secs_f64();
        let _ = writeln!(
            text,
            "{}: {seconds:.1} s of processor time, at most {mebibytes:.0} MiB",
            plan.name(program)
        );
    }
    text
}

/// Returns the event for the end of a match.
pub(super) fn json_end(plan: &MatchPlan, game: &Match, end: MatchEnd) -> Value {
    let usage = &game.usage;
    let end = match end {
        MatchEnd::Complete => "complete",
        MatchEnd::Decided(_) => "decided",
        MatchEnd::Interrupted => "interrupted",
    };
    let resources: Vec<Value> = usage
        .resources
        .iter()
        .map(|used| json!({ "cpu_seconds": used.cpu.as_secs_f64(), "peak_memory": used.peak_memory }))
        .collect();
    json!({
        "event": "end", "end": end, "winner": game.schedule.champion().map(|winner| plan.name(winner)),
        "standings": json_standings(plan, game), "crosstable": json_crosstable(plan, game), "sprt": json_sprt(game),
        "openings": game.openings.count(), "openings_drawn": game.openings_drawn,
        "overhead_micros": usage.overheads.median().map(|median| median.as_secs_f64() * 1e6), "resources": resources,
    })
}

/// Returns the event for the beginning of a match.
pub(super) fn json_begin(plan: &MatchPlan, game: &Match) -> Value {
    let programs: Vec<Value> = plan
        .config
        .participants
        .iter()
        .map(
            |e| json!({ "name": e.seat.name, "tc": e.seat.control.to_string(), "protocol": e.spec.protocol }),
        )
        .collect();
    json!({
        "event": "begin", "format": plan.options.format.unwrap_or_default(), "programs": programs, "games": game.schedule.games(),
        "played": game.standings.games,
    })
}

/// Returns the event for a finished game.
pub(super) fn json_game(plan: &MatchPlan, game: &Match, entry: &GameEntry) -> Value {
    let fixture = &entry.fixture;
    json!({
        "event": "game", "game": fixture.number + 1, "round": fixture.round,
        "white": plan.name(fixture.white), "black": plan.name(fixture.black), "opening": fixture.opening + 1,
        "result": entry.outcome.0.result(), "reason": entry.outcome.0.to_string(), "detail": entry.detail,
        "plies": entry.plies, "seconds": entry.seconds, "sprt": json_sprt(game),
    })
}

fn json_standings(plan: &MatchPlan, game: &Match) -> Vec<Value> {
    let ranking = game.standings.ranking().into_iter();
    let line = |program: usize| {
        let standing = &game.standings.programs[program];
        let sample = standing.sample();
        // JSON cannot represent infinity; it is written as null.
        let estimate = |estimate: Estimate| json!({ "value": estimate.value, "error": estimate.error });
        json!({
            "name": plan.name(program), "wins": standing.games.wins, "draws": standing.games.draws,
            "losses": standing.games.losses, "points": standing.games.halves() as f64 / 2.0,
            "pairs": standing.pairs.0, "elo": sample.map(|sample| estimate(sample.elo())),
            "normalised_elo": sample.and_then(|sample| sample.normalised_elo()).map(estimate),
            "los": sample.map(|sample| sample.likelihood_of_superiority()),
            "faults": standing.faults,
        })
    };
    ranking.map(line).collect()
}

/// Returns wins, draws and losses of each program against each other, in the order of the participants.
fn json_crosstable(plan: &MatchPlan, game: &Match) -> Vec<Vec<[u64; 3]>> {
    let programs = 0..plan.schedule.programs;
    let cell = |program, opponent| {
        let tally = game.standings.between(program, opponent);
        [tally.wins, tally.draws, tally.losses]
    };
    programs
        .clone()
        .map(|program| programs.clone().map(|opponent| cell(program, opponent)).collect())
        .collect()
}

fn json_sprt(game: &Match) -> Option<Value> {
    let test = game.test.as_ref()?;
    let decision = game.decision().map(|accepted| format!("{accepted:?}"));
    let bounds = test.sprt().bounds();
    // JSON cannot represent infinity; it is written as null.
    let interval =
        |Interval { lower, value, upper }| json!({ "value": value, "lower": lower, "upper": upper });
    let estimate = test.estimate();
    Some(json!({
        "llr": test.llr(), "lower": bounds.lower, "upper": bounds.upper, "accepted": decision, "games": test.games(),
        "elo": estimate.map(|estimate| interval(estimate.elo)),
        "normalised_elo": estimate.map(|estimate| interval(estimate.normalised_elo)),
    }))
}

/// Shows the progress of a match.
pub(super) struct MatchProgress<'a> {
    plan: &'a MatchPlan,
    bar: ProgressBar,
    json: bool,
    /// Error of writing events; no further events are written.
    failed: Option<io::Error>,
    interrupted: Arc<AtomicBool>,
}

/// Maximum number of programs shown in the table.
const SHOWN: usize = 12;

impl<'a> MatchProgress<'a> {
    /// Makes the display. It sets `interrupted` when events can no longer be written.
    pub(super) fn new(
        plan: &'a MatchPlan,
        game: &Match,
        json: bool,
        interrupted: Arc<AtomicBool>,
    ) -> MatchProgress<'a> {
        let bar = if !json && io::stderr().is_terminal() {
            let style = "{wide_bar} {pos}/{len} games, {elapsed} of about {duration}\n{msg}";
            ProgressBar::new(game.schedule.games())
                .with_style(
                    ProgressStyle::with_template(style).unwrap_or_else(|_| ProgressStyle::default_bar()),
                )
                .with_position(game.standings.games)
        } else {
            ProgressBar::hidden()
        };
        // The remaining time must be estimated from the games of this run only.
        bar.reset_eta();
        let mut live = MatchProgress { plan, bar, json, failed: None, interrupted };
        live.write(|| json_begin(plan, game));
        live
    }

    pub(super) fn started(&mut self, fixture: &Fixture) {
        let plan = self.plan;
        self.write(|| {
            json!({
                "event": "start", "game": fixture.number + 1, "round": fixture.round,
                "white": plan.name(fixture.white), "black": plan.name(fixture.black), "opening": fixture.opening + 1,
            })
        });
    }

    pub(super) fn finished(&mut self, game: &Match, entry: &GameEntry) {
        let plan = self.plan;
        self.write(|| json_game(plan, game, entry));
        if !self.bar.is_hidden() {
            let table = table(plan, game);
            let rows: Vec<&str> = table.lines().take(1 + SHOWN).collect();
            self.bar.set_message(format!("{}\n{}", rows.join("\n"), sprt_line(game)));
            // Tie-breaks of a knockout are added to the planned games.
            self.bar.set_length(game.schedule.games().max(game.standings.games));
            self.bar.set_position(game.standings.games);
        }
    }

    /// Clears the display.
    ///
    /// # Errors
    /// The events could not be written.
    pub(super) fn finish(self) -> io::Result<()> {
        self.bar.finish_and_clear();
        self.failed.map_or(Ok(()), Err)
    }

    fn write(&mut self, event: impl FnOnce() -> Value) {
        if !self.json || self.failed.is_some() {
            return;
        }
        if let Err(error) = write_event(&event()) {
            self.failed = Some(error);
            self.interrupted.store(true, Ordering::Relaxed);
        }
    }
}

/// Writes an event as a line of JSON and flushes it.
pub(super) fn write_event(event: &Value) -> io::Result<()> {
    let mut output = io::stdout().lock();
    writeln!(output, "{event}")?;
    output.flush()
}
