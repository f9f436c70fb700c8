//! The levels of a game in a terminal.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use game::TimeControl;

/// A level: in the end, a time control for both sides.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Level(pub(super) TimeControl);

/// A text is no level.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no level. Try `level easy`, `normal`, `hard`, `depth 6`, `time 2.5` (seconds a move), `300+2` (seconds \
     and increment) or `40/300` (moves/seconds)."
)]
pub(super) struct LevelError(String);

/// The named levels, weakest first, and what they mean.
const NAMED: [(&str, &str); 3] = [("easy", "depth=2"), ("normal", "1/move"), ("hard", "5/move")];

impl Default for Level {
    fn default() -> Level {
        Level(TimeControl::PerMove(Duration::from_secs(1)))
    }
}

impl FromStr for Level {
    type Err = LevelError;

    fn from_str(text: &str) -> Result<Level, LevelError> {
        let text = text.trim().to_ascii_lowercase();
        let control = match text.split_once(char::is_whitespace) {
            Some(("depth", plies)) => format!("depth={}", plies.trim()),
            Some(("time", seconds)) => format!("{}/move", seconds.trim()),
            _ => NAMED
                .iter()
                .find(|(name, _)| *name == text)
                .map_or(text.as_str(), |(_, control)| control)
                .to_owned(),
        };
        match control.parse() {
            // Without any limit Herald would never move.
            Ok(TimeControl::Unlimited) | Err(_) => Err(LevelError(text)),
            Ok(control) => Ok(Level(control)),
        }
    }
}

/// As the user sees it.
impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            TimeControl::Depth(plies) => write!(f, "depth {plies}")?,
            TimeControl::PerMove(time) => write!(f, "{} seconds a move", time.as_secs_f64())?,
            control => write!(f, "{control}")?,
        }
        let control = self.0.to_string();
        match NAMED.iter().find(|(_, named)| *named == control) {
            Some((name, _)) => write!(f, " ({name})"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level(text: &str) -> String {
        text.parse::<Level>().map_or_else(|error| error.to_string(), |level| level.to_string())
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
