//! The levels of a game in a terminal: time controls, some of which have names.

use game::TimeControl;

/// The named levels, weakest first, and what they mean.
const NAMED: [(&str, &str); 3] = [("easy", "depth=2"), ("normal", "1/move"), ("hard", "5/move")];

/// Reads a level. An error says what levels there are.
pub(super) fn parse(text: &str) -> Result<TimeControl, String> {
    let text = text.trim().to_ascii_lowercase();
    let named = NAMED.iter().find(|(name, _)| *name == text);
    let control = match text.split_once(char::is_whitespace) {
        Some(("depth", plies)) => format!("depth={}", plies.trim()),
        Some(("time", seconds)) => format!("{}/move", seconds.trim()),
        _ => named.map_or(text.as_str(), |(_, control)| control).to_owned(),
    };
    match control.parse() {
        // Without any limit Herald would never move.
        Ok(TimeControl::Unlimited) | Err(_) => Err(format!(
            "`{text}` is no level. Try `level easy`, `normal`, `hard`, `depth 6`, `time 2.5` (seconds a move), `300+2` \
             (seconds and increment) or `40/300` (moves/seconds)."
        )),
        Ok(control) => Ok(control),
    }
}

/// A level as the user sees it.
pub(super) fn describe(control: &TimeControl) -> String {
    let text = match control {
        TimeControl::Depth(plies) => format!("depth {plies}"),
        TimeControl::PerMove(time) => format!("{} seconds a move", time.as_secs_f64()),
        control => control.to_string(),
    };
    let notation = control.to_string();
    match NAMED.iter().find(|(_, named)| *named == notation) {
        Some((name, _)) => format!("{text} ({name})"),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level(text: &str) -> String {
        parse(text).map_or_else(|error| error, |level| describe(&level))
    }

    #[test]
    fn by_name_depth_time_and_clock() {
        assert_eq!(level("EASY"), "depth 2 (easy)");
        assert_eq!(level("depth  6"), "depth 6");
        assert_eq!(level("time 2.5"), "2.5 seconds a move");
        assert_eq!(level("time 1"), "1 seconds a move (normal)");
        assert_eq!(level("300+2"), "300+2");
        assert_eq!(level("40/300"), "40/300");
    }

    #[test]
    fn what_cannot_be_played_is_refused() {
        for text in ["", "depth 0", "depth x", "time -1", "time nan", "time 1e300", "-", "strong"] {
            assert!(level(text).contains("is no level"), "{text}");
        }
    }
}
