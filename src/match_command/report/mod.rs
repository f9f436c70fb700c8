//! The report of a match, as text and as JSON, and what is shown while it is played.

mod json;
mod progress;

use std::fmt::Write as _;
use std::ops::RangeInclusive;
use std::time::Duration;

use arena::statistics::{Estimate, Interval, StoppedEstimate};
use arena::{Match, MatchEnd, Overheads};
use game::{TextTable, counted};

use super::plan::MatchPlan;

pub(super) use json::{json_end, write_event};
pub(super) use progress::MatchProgress;

/// Returns the whole report.
pub(super) fn text(plan: &MatchPlan, game: &Match, end: MatchEnd) -> String {
    let mut text = table(plan, game);
    let standings = &game.standings;
    let crosstable = standings.crosstable(&standings.ranking(), |program| plan.name(program));
    if let Some(crosstable) = crosstable.filter(|_| plan.schedule.programs > 2) {
        let _ = write!(text, "\n{crosstable}");
    }
    text.push_str(&faults(plan, game));
    if let Some(draws) = standings.draw_ratio() {
        let _ = writeln!(text, "\n{}, {:.1} % drawn", counted(standings.games, "game"), 100.0 * draws);
    }
    text.push_str(&without_games(plan, game));
    text.push_str(&sprt_line(game));
    text.push_str(&repeated_openings(game));
    text.push_str(&usage(plan, game));
    if end == MatchEnd::Interrupted {
        text.push_str("Interrupted: there are games to play\n");
    }
    text
}

/// Tells what the table does not show: points of byes, tie-breaks, and the winner of a knockout.
fn without_games(plan: &MatchPlan, game: &Match) -> String {
    let mut text = String::new();
    let granted = (0..).zip(&game.standings.granted).filter(|(_, halves)| **halves > 0);
    let byes: Vec<String> = granted
        .map(|(program, &halves)| format!("{} {:.1}", plan.name(program), halves as f64 / 2.0))
        .collect();
    if !byes.is_empty() {
        let _ = writeln!(text, "Points of byes, which count in the order: {}", byes.join(", "));
    }
    let schedule = &game.schedule;
    if schedule.tie_break_games() > 0 {
        let tied = match schedule.decided_by_seed() {
            0 => String::new(),
            count => {
                format!("; the better seed advanced from {} tied to the end", counted(count, "encounter"))
            }
        };
        let _ = writeln!(text, "Tie-breaks: {}{tied}", counted(schedule.tie_break_games(), "game"));
    }
    if let Some(winner) = schedule.champion() {
        let _ = writeln!(text, "Winner: {}", plan.name(winner));
    }
    text
}

/// Columns of the report beside the names, and the number of those that every terminal shows: rank, name, Elo, nElo, games,
/// points.
const BESIDE_NAMES: usize = 75;
const ALWAYS_SHOWN: usize = 6;

/// Returns the table of the programs, best first, as wide as the terminal on standard output.
fn table(plan: &MatchPlan, game: &Match) -> String {
    let width = platform::terminal::size().map_or(usize::MAX, |(columns, _)| columns);
    table_within(width, BESIDE_NAMES, ALWAYS_SHOWN, |longest| full_table(plan, game, longest))
}

/// Shortest name in the table of a terminal, and the longest one that costs other columns.
const NAME_LIMITS: RangeInclusive<usize> = 10..=22;

/// Formats a table with names that are at most so wide that the table fits: first the columns `beside` them have their
/// place, then the names have what is left. A narrow terminal has fewer columns, the first `kept` ones.
fn table_within(width: usize, beside: usize, kept: usize, table: impl Fn(usize) -> TextTable) -> String {
    let longest = width.saturating_sub(beside).clamp(*NAME_LIMITS.start(), *NAME_LIMITS.end());
    let text = table(longest).within(width, kept).to_string();
    let used = text.lines().map(|line| line.chars().count()).max().unwrap_or(0);
    let longest = longest.saturating_add(width.saturating_sub(used));
    table(longest).within(width, kept).to_string()
}

/// Shortens a name in its middle: names of versions often differ at their ends.
fn shortened(name: &str, longest: usize) -> String {
    let length = name.chars().count();
    if length <= longest {
        return name.to_owned();
    }
    let (begin, end) = (longest / 2, longest.div_ceil(2).saturating_sub(1));
    let begin = name.chars().take(begin);
    begin.chain(['…']).chain(name.chars().skip(length - end)).collect()
}

fn full_table(plan: &MatchPlan, game: &Match, longest_name: usize) -> TextTable {
    let numbers = ["Elo", "nElo", "Games", "Points", "%", "Draw %", "LOS %"];
    let table = TextTable::default().numbers([""]).texts(["Program"]).numbers(numbers);
    let mut table = table.texts(["Pairs (0 to 2)"]);
    let percent =
        |ratio: Option<f64>| ratio.map_or_else(|| "-".to_owned(), |ratio| format!("{:.1}", 100.0 * ratio));
    for (rank, program) in (1..).zip(game.standings.ranking()) {
        let standing = &game.standings.programs[program];
        let (games, sample) = (&standing.games, standing.sample());
        let points = games.halves() as f64 / 2.0;
        table.push([
            format!("{rank}"),
            shortened(plan.name(program), longest_name),
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
    table
}

/// Replaces control characters other than line feeds by `?`: names are what engines tell, and a terminal obeys them.
pub(super) fn visible(text: &str) -> String {
    text.replace(|c: char| c.is_control() && c != '\n', "?")
}

/// Shows what the referee of a game tells, on standard error.
pub(super) fn tell_note(text: &str) {
    tell!("{}", visible(text));
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

fn overrun_line(name: &str, moves: u64) -> String {
    format!("{name}: does not keep to its limit, was told to move for {}", counted(moves, "move"))
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
    for (program, &overruns) in usage.overruns.iter().enumerate().filter(|(_, overruns)| **overruns > 0) {
        let _ = writeln!(text, "{}", overrun_line(plan.name(program), overruns));
    }
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
    if text.is_empty() || usage.games >= game.standings.games {
        return text;
    }
    format!("Of the {} of this run:\n{text}", counted(usage.games, "game"))
}

/// Formats the median and the longest of some times; `None` without any.
fn spread(times: &Overheads) -> Option<String> {
    let micros = |time: Duration| time.as_secs_f64() * 1e6;
    let (median, longest) = (micros(times.median()?), micros(times.longest));
    Some(format!("median {median:.1} µs, longest {longest:.0} µs"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names_table(names: &[&str], longest: usize) -> TextTable {
        let mut table =
            TextTable::default().numbers([""]).texts(["Program"]).numbers(["Points", "Elo", "LOS"]);
        for name in names {
            let cells = ["1", &shortened(name, longest), "10.0/20", "+100.0 ± 20.0", "99.9"];
            table.push(cells.map(str::to_owned));
        }
        table
    }

    #[test]
    fn names_use_the_width_and_keep_their_ends() {
        let names = ["stockfish-dev-20250101-commit-aaaa", "stockfish-dev-20250101-commit-bbbb"];
        for width in [20, 40, 50, 80, 120, usize::MAX] {
            let text = table_within(width, 32, 2, |longest| names_table(&names, longest));
            assert!(text.lines().all(|line| line.chars().count() <= width), "{width}\n{text}");
            assert!(text.contains("aaaa") && text.contains("bbbb"), "{width}\n{text}");
            assert_eq!(names.iter().all(|name| text.contains(name)), width >= 80, "{width}\n{text}");
        }
        assert_eq!((shortened("abcdefghij", 5).as_str(), shortened("äbc", 3).as_str()), ("ab…ij", "äbc"));
    }
}
