//! The tables of an event and its final report, as text and as a page.

use std::fmt::Write as _;
use std::time::Duration;

use game::{Color, escaped};

use super::event::{EventState, GameSummary};

/// More programs than these have no crosstable that anybody could read.
const WIDEST_CROSSTABLE: usize = 24;

/// A row of the table.
pub(super) struct StandingRow {
    pub(super) program: usize,
    pub(super) points: f64,
    pub(super) games: u64,
    pub(super) wins: u64,
    pub(super) draws: u64,
    pub(super) losses: u64,
    /// The points of the opponents, weighted by what was won against them (Sonneborn-Berger).
    pub(super) sonneborn_berger: f64,
    /// The points of the opponents (Buchholz), each counted for every game.
    pub(super) buchholz: f64,
    /// What it used of its time in all games.
    used: Duration,
}

/// The rows, best first: by points, then Sonneborn-Berger, Buchholz and wins.
pub(super) fn rows(event: &EventState) -> Vec<StandingRow> {
    let standings = event.standings();
    let programs = event.settings().programs.len();
    let points = |program: usize| {
        let halves = standings.of(program).games.halves() + event.schedule().granted(program);
        halves as f64 / 2.0
    };
    let mut rows: Vec<StandingRow> = (0..programs)
        .map(|program| {
            let games = standings.of(program).games;
            let met = |opponent: usize| standings.between(program, opponent);
            let opponents = || (0..programs).filter(move |&opponent| opponent != program);
            StandingRow {
                program,
                points: points(program),
                games: games.games(),
                wins: games.wins,
                draws: games.draws,
                losses: games.losses,
                sonneborn_berger: opponents().map(|o| met(o).halves() as f64 / 2.0 * points(o)).sum(),
                buchholz: opponents().map(|o| met(o).games() as f64 * points(o)).sum(),
                used: used(event, program),
            }
        })
        .collect();
    rows.sort_by(|a, b| {
        let by_points = b.points.total_cmp(&a.points);
        let by_strength = by_points.then(b.sonneborn_berger.total_cmp(&a.sonneborn_berger));
        by_strength
            .then(b.buchholz.total_cmp(&a.buchholz))
            .then(b.wins.cmp(&a.wins))
            .then(a.program.cmp(&b.program))
    });
    rows
}

fn used(event: &EventState, program: usize) -> Duration {
    let of = |result: &GameSummary| {
        let color = Color::from_white(result.fixture.white == program);
        let plays = result.fixture.white == program || result.fixture.black == program;
        if plays { *result.used.get(color) } else { Duration::ZERO }
    };
    event.results().iter().map(of).sum()
}

fn width(event: &EventState) -> usize {
    let names = event.settings().programs.iter().map(|program| program.name.chars().count());
    names.max().unwrap_or_default().clamp(7, 40)
}

/// The table, best first.
pub(super) fn table(event: &EventState) -> String {
    let width = width(event);
    let mut text = format!(
        "{:>4} {:width$} {:>7} {:>6} {:>5} {:>5} {:>5} {:>8} {:>8} {:>10}\n",
        "", "Program", "Points", "Games", "Won", "Drawn", "Lost", "SB", "Buchholz", "Time"
    );
    for (rank, row) in (1..).zip(rows(event)) {
        let _ = writeln!(
            text,
            "{rank:>4} {:width$} {:>7.1} {:>6} {:>5} {:>5} {:>5} {:>8.2} {:>8.1} {:>10}",
            event.name(row.program),
            row.points,
            row.games,
            row.wins,
            row.draws,
            row.losses,
            row.sonneborn_berger,
            row.buchholz,
            hours(row.used),
        );
    }
    text
}

/// `h:mm:ss`.
fn hours(time: Duration) -> String {
    let seconds = time.as_secs();
    format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

pub(super) fn cell(event: &EventState, program: usize, opponent: usize) -> String {
    let tally = event.standings().between(program, opponent);
    match tally.games() {
        0 => if opponent == program { "x" } else { "-" }.to_owned(),
        games => format!("{:.1}/{games}", tally.halves() as f64 / 2.0),
    }
}

fn crosstable(event: &EventState) -> String {
    let (rows, width) = (rows(event), width(event));
    let mut text = format!("{:>4} {:width$}", "", "");
    for rank in 1..=rows.len() {
        let _ = write!(text, " {rank:>7}");
    }
    text.push('\n');
    for (rank, row) in (1..).zip(&rows) {
        let _ = write!(text, "{rank:>4} {:width$}", event.name(row.program));
        for other in &rows {
            let _ = write!(text, " {:>7}", cell(event, row.program, other.program));
        }
        text.push('\n');
    }
    text
}

/// The results in the order of the schedule.
pub(super) fn results(event: &EventState) -> Vec<&GameSummary> {
    let mut results: Vec<&GameSummary> = event.results().iter().collect();
    results.sort_by_key(|result| result.fixture.number);
    results
}

pub(super) fn reason(result: &GameSummary) -> String {
    let outcome = result.outcome.to_string();
    if result.detail.is_empty() { outcome } else { format!("{outcome}: {}", result.detail) }
}

/// The final report as text.
pub fn text(event: &EventState) -> String {
    let settings = event.settings();
    let mut text = format!("{}\n{}\n", settings.name, "=".repeat(settings.name.chars().count()));
    let _ = writeln!(text, "{}, time control {}\n", settings.site, settings.control);
    text.push_str(&table(event));
    if settings.programs.len() <= WIDEST_CROSSTABLE {
        text.push('\n');
        text.push_str(&crosstable(event));
    }
    if let Some(winner) = event.schedule().champion() {
        let _ = writeln!(text, "\nWinner: {}", event.name(winner));
    }
    let width = width(event);
    let _ = writeln!(
        text,
        "\n{:>5} {:>5} {:width$} {:width$} {:>7} {:>5} {:>9} {:>9}  Reason",
        "Game", "Round", "White", "Black", "Result", "Plies", "White", "Black"
    );
    for result in results(event) {
        let fixture = result.fixture;
        let _ = writeln!(
            text,
            "{:>5} {:>5} {:width$} {:width$} {:>7} {:>5} {:>9} {:>9}  {}",
            fixture.number + 1,
            fixture.round,
            event.name(fixture.white),
            event.name(fixture.black),
            result.outcome.result(),
            result.plies,
            hours(result.used.white),
            hours(result.used.black),
            reason(result),
        );
    }
    text
}

/// The final report as a page that needs nothing else.
pub fn page(event: &EventState) -> String {
    let settings = event.settings();
    let title = escaped(&settings.name);
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title>\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<style>{STYLE}</style></head><body>\n<h1>{title}</h1>\n\
         <p>{}, time control {}</p>\n",
        escaped(&settings.site),
        settings.control
    );
    table_of(
        &mut page,
        &["", "Program", "Points", "Games", "Won", "Drawn", "Lost", "SB", "Buchholz", "Time"],
        (1..).zip(rows(event)).map(|(rank, row)| {
            vec![
                rank.to_string(),
                event.name(row.program).to_owned(),
                format!("{:.1}", row.points),
                row.games.to_string(),
                row.wins.to_string(),
                row.draws.to_string(),
                row.losses.to_string(),
                format!("{:.2}", row.sonneborn_berger),
                format!("{:.1}", row.buchholz),
                hours(row.used),
            ]
        }),
    );
    let rows = rows(event);
    if rows.len() <= WIDEST_CROSSTABLE {
        let numbers: Vec<String> = (1..=rows.len()).map(|rank| rank.to_string()).collect();
        let heads: Vec<&str> =
            ["", "Program"].into_iter().chain(numbers.iter().map(String::as_str)).collect();
        table_of(
            &mut page,
            &heads,
            (1..).zip(&rows).map(|(rank, row)| {
                let first = [rank.to_string(), event.name(row.program).to_owned()];
                first
                    .into_iter()
                    .chain(rows.iter().map(|other| cell(event, row.program, other.program)))
                    .collect()
            }),
        );
    }
    if let Some(winner) = event.schedule().champion() {
        let _ = writeln!(page, "<p>Winner: {}</p>", escaped(event.name(winner)));
    }
    let heads = ["Game", "Round", "White", "Black", "Result", "Plies", "Time of White", "of Black", "Reason"];
    table_of(
        &mut page,
        &heads,
        results(event).into_iter().map(|result| {
            let fixture = result.fixture;
            vec![
                (fixture.number + 1).to_string(),
                fixture.round.to_string(),
                event.name(fixture.white).to_owned(),
                event.name(fixture.black).to_owned(),
                result.outcome.result().to_owned(),
                result.plies.to_string(),
                hours(result.used.white),
                hours(result.used.black),
                reason(result),
            ]
        }),
    );
    page.push_str("</body></html>\n");
    page
}

const STYLE: &str = "body{font:16px/1.4 system-ui,sans-serif;max-width:70em;margin:2em auto;padding:0 1em}\
table{border-collapse:collapse;margin:1.5em 0;display:block;overflow-x:auto}\
td,th{padding:.2em .7em;text-align:right;border-bottom:1px solid #8884}td:nth-child(2),th:nth-child(2){text-align:left}";

fn table_of(page: &mut String, heads: &[&str], rows: impl Iterator<Item = Vec<String>>) {
    page.push_str("<table><tr>");
    for head in heads {
        let _ = write!(page, "<th>{}</th>", escaped(head));
    }
    page.push_str("</tr>\n");
    for row in rows {
        page.push_str("<tr>");
        for cell in row {
            let _ = write!(page, "<td>{}</td>", escaped(&cell));
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</table>\n");
}
