//! The live view on a terminal: the contents of the live page as text.

use std::fmt::Write as _;
use std::io::{self, ErrorKind, Read, Write};
use std::time::Duration;

use game::diagram::{Diagram, DiagramStyle};
use game::{CastlingMode, Game, TextTable, clock_face};
use players::transport::{self, Security};
use serde_json::Value;
use shakmaty::{Color, Position as _, Square};

/// Time limit for the referee's response.
const PATIENCE: Duration = Duration::from_secs(5);
/// Maximum length of the response, in bytes.
const LONGEST: u64 = 16 << 20;
/// Width of a board: eight squares of at most three columns, the rank numbers, and the gap to the next board.
const BOARD_COLUMNS: usize = 30;
/// Number of lines of the log that are shown.
const LOG_LINES: usize = 8;

/// Requests the state of an event from its live page, at `HOST:PORT`.
///
/// # Errors
/// The page cannot be reached or authenticated, or it is no referee's page.
pub fn fetch(page: &str, security: &Security) -> io::Result<Value> {
    let mut line = transport::connect(page, security, PATIENCE)?;
    // With HTTP/1.0 the response is not chunked and ends with the connection.
    line.write_all(format!("GET /state.json HTTP/1.0\r\nHost: {page}\r\n\r\n").as_bytes())?;
    let mut answer = String::new();
    line.reader()?.with_timeout(Some(PATIENCE)).take(LONGEST).read_to_string(&mut answer)?;
    let senseless = || io::Error::new(ErrorKind::InvalidData, "that is no page of a referee");
    let (head, body) = answer.split_once("\r\n\r\n").ok_or_else(senseless)?;
    let status = head.lines().next().unwrap_or_default();
    if status.split(' ').nth(1) != Some("200") {
        let text = format!("it answers `{}`", game::excerpt(status));
        return Err(io::Error::new(ErrorKind::InvalidData, text));
    }
    serde_json::from_str(body).map_err(|_| senseless())
}

/// Formats the event as text.
pub fn text(state: &Value) -> String {
    lines(state).into_iter().flatten().fold(String::new(), |text, line| text + &line + "\n")
}

/// Formats the event for a terminal of the given size, with as many boards of the games in play as fit. No line is
/// longer than the terminal is wide, and the last row is left free.
pub fn frame(state: &Value, columns: usize, rows: usize, style: DiagramStyle) -> Vec<String> {
    let parts = lines(state).map(|part| -> Vec<String> {
        part.into_iter().map(|line| line.chars().take(columns).collect()).collect()
    });
    let mut room = (rows.saturating_sub(1)).saturating_sub(parts.iter().map(Vec::len).sum());
    let [mut frame, rest @ ..] = parts;
    for games in list(&state["running"]).chunks((columns / BOARD_COLUMNS).max(1)) {
        let drawn = boards(games, style);
        if columns < BOARD_COLUMNS || drawn.len() > room {
            break;
        }
        room -= drawn.len();
        frame.extend(drawn);
    }
    frame.extend(rest.into_iter().flatten());
    frame.truncate(rows.saturating_sub(1));
    frame
}

/// Returns the lines of the games in play, of the table and of the log.
fn lines(state: &Value) -> [Vec<String>; 3] {
    let title = format!("{}, time control {}", word(&state["event"]), word(&state["control"]));
    let running = list(&state["running"]).iter().map(running_line);
    let table = table(list(&state["table"]));
    let log = list(&state["log"]);
    let log = log[log.len().saturating_sub(LOG_LINES)..].iter().map(word);
    let apart = || [String::new()].into_iter();
    [
        [title].into_iter().chain(running).collect(),
        apart().chain(table.lines().map(str::to_owned)).collect(),
        apart().chain(log).collect(),
    ]
}

/// Makes a text of the referee safe for a terminal.
fn word(value: &Value) -> String {
    match value {
        Value::String(text) => game::excerpt(text),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn running_line(game: &Value) -> String {
    let side = |color: &str| {
        let time = game["clocks"][color].as_u64().map(Duration::from_millis);
        let clock = time.map_or_else(|| "-".to_owned(), clock_face);
        let runs = if game["running"] == color { "*" } else { "" };
        let gone = if list(&game["gone"]).iter().any(|gone| gone == color) { " (gone)" } else { "" };
        format!("{}{gone} {clock}{runs}", word(&game[color]))
    };
    let held = if game["paused"] == true { ", held" } else { "" };
    let (number, round) = (word(&game["number"]), word(&game["round"]));
    format!("game {number}, round {round}: {} - {}{held}", side("white"), side("black"))
}

/// Draws boards side by side, with the numbers of their games above.
fn boards(games: &[Value], style: DiagramStyle) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for (place, game) in games.iter().enumerate() {
        let Ok(position) = Game::from_fen(&word(&game["fen"]), CastlingMode::Standard) else { continue };
        let marked = list(&game["last"]).iter().filter_map(|square| square.as_str()?.parse::<Square>().ok());
        let board = position.position().board();
        let drawing = Diagram { board, viewpoint: Color::White, marked: marked.collect(), style };
        let drawn = format!("game {}\n{drawing}", word(&game["number"]));
        for (number, line) in drawn.lines().enumerate() {
            if lines.len() <= number {
                lines.push(String::new());
            }
            // Colour codes take no columns, so the width cannot be computed from the length of a line. All columns but
            // the first have the same width.
            let width = if number == 0 { BOARD_COLUMNS } else { 0 };
            let gap = if place == 0 { "" } else { "   " };
            let _ = write!(lines[number], "{gap}{line:width$}");
        }
    }
    lines.insert(0, String::new());
    lines
}

fn table(rows: &[Value]) -> String {
    let numbers = ["Points", "Games", "Won", "Drawn", "Lost", "SB", "Buchholz"];
    let mut table = TextTable::default().numbers([""]).texts(["Program"]).numbers(numbers).texts([""]);
    for (rank, row) in (1..).zip(rows) {
        let number =
            |key: &str, decimals: usize| format!("{:.decimals$}", row[key].as_f64().unwrap_or_default());
        let counts = ["games", "won", "drawn", "lost"].map(|key| number(key, 0));
        let absent = if row["present"] == false { "not here" } else { "" };
        let first = [format!("{rank}"), word(&row["name"]), number("points", 1)];
        let last = [number("sb", 2), number("buchholz", 1), absent.to_owned()];
        table.push(first.into_iter().chain(counts).chain(last));
    }
    table.to_string()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_frame_shows_what_the_page_shows_and_no_control_characters() {
        let state = json!({
            "event": "Op\u{1b}[2Jen", "control": "60+1", "log": ["12:00:00 \u{7}Ann signs on"],
            "table": [{"name": "Ann", "points": 1.5, "games": 2, "won": 1, "drawn": 1, "lost": 0, "sb": 0.75,
                "buchholz": 1.0, "present": false}],
            "running": [{"number": 3, "round": 2, "white": "Ann", "black": "Bob", "paused": true, "gone": ["black"],
                "fen": "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1", "last": ["e2", "e4"],
                "clocks": {"white": 61_500, "black": null}, "running": "white"}],
        });
        let text = frame(&state, 80, 40, DiagramStyle::Ascii).join("\n");
        for expected in [
            "Op?[2Jen, time control 60+1",
            "game 3, round 2: Ann 0:01:01* - Bob (gone) -, held",
            "8  r  n  b  q  k  b  n  r",
            "1.5",
            "not here",
            "12:00:00 ?Ann signs on",
        ] {
            assert!(text.contains(expected), "{expected}: {text}");
        }
        assert!(!text.contains(|c: char| c.is_control() && c != '\n'));
        // Any other JSON must not cause a panic.
        for other in [json!(null), json!([]), json!({"running": [1], "table": [null], "log": {}, "event": 3})]
        {
            frame(&other, 0, 0, DiagramStyle::Coloured);
            super::text(&other);
        }
    }

    #[test]
    fn what_does_not_fit_is_left_out() {
        let fen = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
        let game = json!({"number": 1, "round": 1, "white": "Ann", "black": "Bob", "fen": fen});
        let games = json!([game, game, game]);
        let state =
            json!({"event": "Open", "running": games, "table": [{"name": "Ann"}], "log": ["one", "two"]});
        let boards = |columns, rows| {
            let frame = frame(&state, columns, rows, DiagramStyle::Ascii);
            assert!(frame.len() < rows.max(1), "{columns}x{rows}: {frame:?}");
            assert!(frame.iter().all(|line| line.chars().count() <= columns), "{columns}x{rows}: {frame:?}");
            frame.join("\n").matches("a  b  c").count()
        };
        // Ten lines are without boards, and each row of boards takes eleven. Two boards fit side by side into 80
        // columns.
        let counts = [(80, 40), (80, 32), (80, 21), (200, 22), (200, 21), (29, 100), (20, 5), (0, 0)];
        assert_eq!(counts.map(|(columns, rows)| boards(columns, rows)), [3, 2, 0, 3, 0, 0, 0, 0]);
        assert!(super::text(&state).ends_with("\n\none\ntwo\n"));
    }
}
