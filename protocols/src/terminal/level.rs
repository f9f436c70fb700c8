//! The levels of a game in a terminal: time controls, some of them named.

use std::time::Duration;

use game::{Phase, TimeControl, counted};

/// The named levels and their time controls, weakest first.
const NAMED: [(&str, &str); 3] = [("easy", "depth=2"), ("normal", "1/move"), ("hard", "5/move")];

/// Parses a level. The error lists the possible levels.
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
            "`{text}` is not a level. Try `level easy`, `normal`, `hard`, `depth 6`, `time 2.5` (seconds a move), \
             `300+2` (seconds and increment) or `40/300` (moves/seconds)."
        )),
        Ok(control) => Ok(control),
    }
}

/// Describes a level for the user.
pub(super) fn describe(control: &TimeControl) -> String {
    let text = match control {
        TimeControl::Unlimited => "without limit".to_owned(),
        TimeControl::Depth(plies) => format!("depth {plies}"),
        TimeControl::Nodes(nodes) => format!("{} a move", counted(nodes.get(), "node")),
        TimeControl::PerMove(time) => format!("{} a move", seconds(*time)),
        TimeControl::Clock(phases) => {
            let phases = phases.as_slice().iter().enumerate();
            phases.map(|(index, phase)| describe_phase(phase, index > 0)).collect::<Vec<_>>().join(", then ")
        }
    };
    let notation = control.to_string();
    match NAMED.iter().find(|(_, named)| *named == notation) {
        Some((name, _)) => format!("{text} ({name})"),
        None => text,
    }
}

fn describe_phase(phase: &Phase, is_later: bool) -> String {
    let time = seconds(phase.time);
    let time = match phase.moves {
        Some(moves) => format!("{} in {time}", counted(moves.into(), "move")),
        None => format!("{time} for the {}", if is_later { "rest" } else { "game" }),
    };
    let has_increment = !phase.increment.is_zero();
    if has_increment { format!("{time} and {} a move", seconds(phase.increment)) } else { time }
}

fn seconds(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    format!("{seconds} second{}", if time == Duration::from_secs(1) { "" } else { "s" })
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
        assert_eq!(level("time 1"), "1 second a move (normal)");
        assert_eq!(level("5+0"), "5 seconds for the game");
        assert_eq!(level("300+2"), "300 seconds for the game and 2 seconds a move");
        assert_eq!(
            level("40/300:1+1"),
            "40 moves in 300 seconds, then 1 second for the rest and 1 second a move"
        );
    }

    #[test]
    fn what_cannot_be_played_is_refused() {
        for text in ["", "depth 0", "depth x", "time -1", "time nan", "time 1e300", "-", "strong"] {
            assert!(level(text).contains("is not a level"), "{text}");
        }
    }
}
