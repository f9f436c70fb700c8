//! The live view on a terminal: what the page of a referee shows, as text.

use std::fmt::Write as _;
use std::io::{self, ErrorKind, Read, Write};
use std::time::Duration;

use engine::{CastlingMode, Game};
use players::network::{self, Security};
use protocols::board::{Drawing, Style};
use serde_json::Value;
use shakmaty::{Color, Position as _, Square};

/// How long a referee may take to answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// The longest answer, in bytes.
const LONGEST: u64 = 16 << 20;
/// What a board takes: eight squares of at most three columns, the numbers of the ranks, and room to the next board.
const BOARD_COLUMNS: usize = 30;
/// So many lines of the log are shown.
const LOG_LINES: usize = 8;

/// Asks the page of a referee, at `HOST:PORT`, how the event stands.
///
/// # Errors
/// It can't be reached, can't prove what it should, or what is there is no referee's page.
pub fn fetch(page: &str, security: &Security) -> io::Result<Value> {
    let mut line = network::connect(page, security, PATIENCE)?;
    line.set_read_timeout(Some(PATIENCE))?;
    // HTTP/1.0: the answer comes in one piece and ends with the connection.
    line.write_all(format!("GET /state.json HTTP/1.0\r\nHost: {page}\r\n\r\n").as_bytes())?;
    let mut answer = String::new();
    line.reader()?.take(LONGEST).read_to_string(&mut answer)?;
    let senseless = || io::Error::new(ErrorKind::InvalidData, "that is no page of a referee");
    let (head, body) = answer.split_once("\r\n\r\n").ok_or_else(senseless)?;
    let status = head.lines().next().unwrap_or_default();
    if status.split(' ').nth(1) != Some("200") {
        let text = format!("it answers `{}`", engine::excerpt(status));
        return Err(io::Error::new(ErrorKind::InvalidData, text));
    }
    serde_json::from_str(body).map_err(|_| senseless())
}

/// The event as text, for a terminal of so many columns. Running games have boards if there is a style for them.
pub fn frame(state: &Value, columns: usize, style: Option<Style>) -> String {
    let mut text = format!("{}, time control {}\n", word(&state["event"]), word(&state["control"]));
    let running = list(&state["running"]);
    for game in running {
        let _ = writeln!(text, "{}", running_line(game));
    }
    if let Some(style) = style {
        for row in running.chunks((columns / BOARD_COLUMNS).max(1)) {
            text.push_str(&boards(row, style));
        }
    }
    text.push('\n');
    text.push_str(&table(list(&state["table"])));
    text.push('\n');
    let log = list(&state["log"]);
    for line in &log[log.len().saturating_sub(LOG_LINES)..] {
        let _ = writeln!(text, "{}", word(line));
    }
    text
}

/// Text of a referee, fit for a terminal.
fn word(value: &Value) -> String {
    match value {
        Value::String(text) => engine::excerpt(text),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn running_line(game: &Value) -> String {
    let side = |color: &str| {
        let seconds = game["clocks"][color].as_u64().map(|millis| millis / 1000);
        let clock = seconds.map_or_else(
            || "-".to_owned(),
            |seconds| format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60),
        );
        let runs = if game["running"] == color { "*" } else { "" };
        let gone = if list(&game["gone"]).iter().any(|gone| gone == color) { " (gone)" } else { "" };
        format!("{}{gone} {clock}{runs}", word(&game[color]))
    };
    let held = if game["paused"] == true { ", held" } else { "" };
    let (number, round) = (word(&game["number"]), word(&game["round"]));
    format!("game {number}, round {round}: {} - {}{held}", side("white"), side("black"))
}

/// Boards side by side, with the numbers of their games above.
fn boards(games: &[Value], style: Style) -> String {
    let mut lines: Vec<String> = Vec::new();
    for (place, game) in games.iter().enumerate() {
        let Ok(position) = Game::from_fen(&word(&game["fen"]), CastlingMode::Standard) else { continue };
        let marked = list(&game["last"]).iter().filter_map(|square| square.as_str()?.parse::<Square>().ok());
        let board = position.position().board();
        let drawing = Drawing { board, viewpoint: Color::White, marked: marked.collect(), style };
        let drawn = format!("game {}\n{drawing}", word(&game["number"]));
        for (number, line) in drawn.lines().enumerate() {
            if lines.len() <= number {
                lines.push(String::new());
            }
            // Colours take no room, so that the width of a line can't be counted; all but the first are equally wide.
            let width = if number == 0 { BOARD_COLUMNS } else { 0 };
            let gap = if place == 0 { "" } else { "   " };
            let _ = write!(lines[number], "{gap}{line:width$}");
        }
    }
    lines.iter().fold(String::from("\n"), |text, line| text + line + "\n")
}

fn table(rows: &[Value]) -> String {
    let names: Vec<String> = rows.iter().map(|row| word(&row["name"])).collect();
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).max(7);
    let mut text = format!(
        "{:>4} {:width$} {:>7} {:>6} {:>5} {:>5} {:>5} {:>8} {:>9}\n",
        "", "Program", "Points", "Games", "Won", "Drawn", "Lost", "SB", "Buchholz"
    );
    for (rank, (row, name)) in (1..).zip(rows.iter().zip(&names)) {
        let number = |key: &str| row[key].as_f64().unwrap_or_default();
        let _ = writeln!(
            text,
            "{rank:>4} {name:width$} {:>7.1} {:>6} {:>5} {:>5} {:>5} {:>8.2} {:>9.1}{}",
            number("points"),
            number("games"),
            number("won"),
            number("drawn"),
            number("lost"),
            number("sb"),
            number("buchholz"),
            if row["present"] == false { "  not here" } else { "" },
        );
    }
    text
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
        let text = frame(&state, 80, Some(Style::Ascii));
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
        // Whatever else there is.
        for other in [json!(null), json!([]), json!({"running": [1], "table": [null], "log": {}, "event": 3})]
        {
            frame(&other, 0, Some(Style::Coloured));
        }
    }
}
