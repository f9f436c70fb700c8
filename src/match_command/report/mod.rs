//! The report of a match, as text and as JSON, and what is shown while it is played.

mod json;
mod progress;

use std::fmt::Write as _;
use std::time::Duration;

use arena::statistics::{Estimate, Interval, StoppedEstimate};
use arena::{Grid, Match, MatchEnd, Overheads};
use game::counted;

use super::plan::MatchPlan;

pub(super) use json::{json_end, write_event};
pub(super) use progress::MatchProgress;

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
fn table(plan: &MatchPlan, game: &Match) -> String {
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
            percent(sample.and_then(|sample| sample.likelihood_of_superiority())),
            standing.pairs.0.map(|count| count.to_string()).join(" "),
        ]);
    }
    grid.text()
}

/// Replaces control characters other than line feeds by `?`: names are what engines tell, and a terminal obeys them.
pub(super) fn visible(text: &str) -> String {
    text.replace(|c: char| c.is_control() && c != '\n', "?")
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
        let overruns = game.usage.overruns[program];
        if overruns > 0 {
            let (name, moves) = (plan.name(program), counted(overruns, "move"));
            let _ =
                writeln!(text, "{name}: does not keep to its limit of depth, was told to move for {moves}");
        }
        let faults = &game.standings.programs[program].faults;
        let counts: Vec<String> = faults
            .iter()
            .filter(|(_, count)| **count > 0)
            .map(|(name, count)| match game.late_losses[program] {
                late if late > 0 && *name == "time forfeits" => {
                    format!("{name} {count} ({late} of them within the lag of this program)")
                }
                _ => format!("{name} {count}"),
            })
            .collect();
        if !counts.is_empty() {
            let _ = writeln!(text, "{}: {}", plan.name(program), counts.join(", "));
        }
    }
    if text.is_empty() { text } else { format!("\n{text}") }
}

/// Reports the state of the SPRT; empty if there is none.
fn sprt_line(game: &Match) -> String {
    let Some(test) = &game.test else { return String::new() };
    let (sprt, bounds) = (test.sprt(), test.sprt().bounds());
    let verdict = verdict(game);
    let llr = test.llr();
    let mut lines = format!(
        "SPRT {sprt}: LLR {llr:.2} ({:.2} to {:.2}) after {}, {verdict}\n",
        bounds.lower,
        bounds.upper,
        counted(test.games(), "game")
    );
    let others = game.standings.games.saturating_sub(test.games());
    if others > 0 {
        let _ = writeln!(
            lines,
            "The test counts games in their order; it has not counted {}",
            counted(others, "other")
        );
    }
    if let Some(StoppedEstimate { elo, normalised_elo }) = test.estimate() {
        let _ = writeln!(
            lines,
            "Estimate with the stopping taken into account: Elo {}, normalised Elo {} (95 %)",
            interval(elo),
            interval(normalised_elo)
        );
    }
    lines
}

/// Says what the test has decided.
fn verdict(game: &Match) -> String {
    game.decision().map_or("undecided".to_owned(), |accepted| format!("{accepted:?} accepted"))
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
    if let Some(overhead) = spread(&usage.overheads) {
        let _ = writeln!(text, "Overhead per move, on nobody's clock: {overhead}");
    }
    if let Some(lag) = spread(&usage.lags) {
        let _ = writeln!(text, "Lag of this program per move, on the mover's clock: {lag}");
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

/// Formats the median and the longest of some times; `None` without any.
fn spread(times: &Overheads) -> Option<String> {
    let micros = |time: Duration| time.as_secs_f64() * 1e6;
    let (median, longest) = (micros(times.median()?), micros(times.longest));
    Some(format!("median {median:.1} µs, longest {longest:.0} µs"))
}
