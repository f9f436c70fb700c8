//! The tables and the final report of an event, as text and as HTML.

use std::fmt::Write as _;

use std::time::{Duration, SystemTime};

use game::{Color, Outcome, TextTable, clock_face, escaped};

use super::event::{EventState, GameSummary, GivenOrder};
use crate::standings::Figures;

/// Returns the rows, best first: by the rounds of a knockout that were survived, then by points, Sonneborn-Berger, Buchholz and wins.
pub(super) fn rows(event: &EventState) -> Vec<Figures> {
    let figures = |program| event.standings.figures(program, &event.schedule);
    let mut rows: Vec<Figures> = (0..event.settings.programs.len()).map(figures).collect();
    rows.sort_by(|a, b| {
        let survived = |row: &Figures| event.schedule.survived(row.program);
        let by_points = survived(b).cmp(&survived(a)).then(b.points.total_cmp(&a.points));
        let by_strength = by_points.then(b.sonneborn_berger.total_cmp(&a.sonneborn_berger));
        by_strength
            .then(b.buchholz.total_cmp(&a.buchholz))
            .then(b.games.wins.cmp(&a.games.wins))
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
    event.results.iter().map(of).sum()
}

/// Returns the standings, best first.
pub(super) fn standings_table(event: &EventState) -> TextTable {
    let numbers = ["Points", "Games", "Won", "Drawn", "Lost", "SB", "Buchholz", "Time"];
    let mut table = TextTable::default().numbers([""]).texts(["Program"]).numbers(numbers);
    for (rank, row) in (1..).zip(rows(event)) {
        table.push([
            format!("{rank}"),
            event.name(row.program).to_owned(),
            format!("{:.1}", row.points),
            row.games.games().to_string(),
            row.games.wins.to_string(),
            row.games.draws.to_string(),
            row.games.losses.to_string(),
            format!("{:.2}", row.sonneborn_berger),
            format!("{:.1}", row.buchholz),
            clock_face(used(event, row.program)),
        ]);
    }
    table
}

/// Returns the results in the order of the schedule.
pub(super) fn results(event: &EventState) -> Vec<&GameSummary> {
    let mut results: Vec<&GameSummary> = event.results.iter().collect();
    results.sort_by_key(|result| result.fixture.number);
    results
}

/// Why a game ended so.
pub(super) fn reason(outcome: Outcome, detail: &str) -> String {
    if detail.is_empty() { outcome.to_string() } else { format!("{outcome}: {detail}") }
}

/// Returns the table of finished games.
fn results_table(event: &EventState) -> TextTable {
    let table = TextTable::default().numbers(["Game", "Round"]).texts(["White", "Black"]);
    let mut table = table.numbers(["Result", "Plies", "White's time", "Black's time"]).texts(["Reason"]);
    for result in results(event) {
        let fixture = result.fixture;
        table.push([
            (fixture.number + 1).to_string(),
            fixture.round.to_string(),
            event.name(fixture.white).to_owned(),
            event.name(fixture.black).to_owned(),
            result.outcome.result().to_owned(),
            result.plies.to_string(),
            clock_face(result.used.white),
            clock_face(result.used.black),
            reason(result.outcome, &result.detail),
        ]);
    }
    table
}

/// Returns the table of the director's orders; `None` if there were none.
fn orders_table(event: &EventState) -> Option<TextTable> {
    let mut table = TextTable::default().texts(["UTC", "By", "Order"]);
    for GivenOrder { by, order, at } in &event.orders {
        let moment = SystemTime::UNIX_EPOCH + Duration::from_millis(*at);
        let moment = time::OffsetDateTime::from(moment);
        let (date, (hour, minute, second)) = (moment.date(), moment.time().as_hms());
        let moment = format!("{date} {hour:02}:{minute:02}:{second:02}");
        table.push([moment, by.clone(), order.clone()]);
    }
    (!event.orders.is_empty()).then_some(table)
}

/// Names the programs that have points without a game.
fn byes(event: &EventState) -> String {
    let granted =
        (0..event.settings.programs.len()).map(|program| (program, event.schedule.granted(program)));
    let named = granted.filter(|&(_, halves)| halves > 0);
    let named = named.map(|(program, halves)| format!("{} {:.1}", event.name(program), halves as f64 / 2.0));
    let named: Vec<String> = named.collect();
    if named.is_empty() { String::new() } else { format!("; points of byes: {}", named.join(", ")) }
}

/// Returns the title, the conditions and the tables of an event. The crosstable is left out if it would be too wide.
fn parts(event: &EventState) -> (&str, String, Vec<TextTable>) {
    let settings = &event.settings;
    let mut tables = vec![standings_table(event)];
    let ranking: Vec<usize> = rows(event).iter().map(|row| row.program).collect();
    tables.extend(event.standings.crosstable(&ranking, |program| event.name(program)));
    tables.push(results_table(event));
    tables.extend(orders_table(event));
    let winner = event.schedule.champion().map(|winner| format!("; winner: {}", event.name(winner)));
    let mut control = settings.control.to_string();
    for (round, changed) in &event.controls {
        // Writing to a string cannot fail.
        let _ = write!(control, " ({changed} from round {round} on)");
    }
    let standing = if event.has_ended() { "" } else { "; the event was not over when this was written" };
    let conditions = format!(
        "{}, time control {control}{}{}{standing}",
        settings.site,
        winner.unwrap_or_default(),
        byes(event)
    );
    (&settings.name, conditions, tables)
}

/// Returns the final report as text.
pub fn text(event: &EventState) -> String {
    let (title, conditions, tables) = parts(event);
    let tables: Vec<String> = tables.iter().map(TextTable::to_string).collect();
    format!("{title}\n{}\n{conditions}\n\n{}", "=".repeat(title.chars().count()), tables.join("\n"))
}

/// Returns the final report as a self-contained HTML page.
pub fn page(event: &EventState) -> String {
    let (title, conditions, tables) = parts(event);
    let (title, conditions) = (escaped(title), escaped(&conditions));
    let tables: String = tables.iter().map(TextTable::html).collect();
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title>\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<style>{STYLE}</style></head><body>\n<h1>{title}</h1>\n\
         <p>{conditions}</p>\n{tables}</body></html>\n"
    )
}

const STYLE: &str = "body{font:16px/1.4 system-ui,sans-serif;max-width:70em;margin:2em auto;padding:0 1em}\
table{border-collapse:collapse;margin:1.5em 0;display:block;overflow-x:auto}\
td,th{padding:.2em .7em;text-align:right;border-bottom:1px solid #8884}td:nth-child(2),th:nth-child(2){text-align:left}";
