//! Clocks in comments: the commands `[%clk]` and `[%emt]`.

use game::{GameTree, MoveNode, TimeControl};

/// The clock of the mover.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ClockReading {
    /// Time left after the move, in seconds; `None` if the comments don't tell.
    pub(super) left: Option<f64>,
    /// Whether the player was short of time before the move.
    pub(super) was_short: bool,
}

/// The clock at each move of the mainline.
pub(super) fn readings(tree: &GameTree) -> Vec<ClockReading> {
    let shortage = shortage(tree.tag("TimeControl"));
    let mut before = [None, None];
    let moves = tree.mainline.moves.iter().enumerate();
    let reading = moves.map(|(ply, node)| {
        let (left, before) = (clock(node), &mut before[ply % 2]);
        let was_short = before.is_some_and(|left| left < shortage);
        *before = left.or(*before);
        ClockReading { left, was_short }
    });
    reading.collect()
}

/// The time left after a move, in seconds; `None` if its comments don't tell.
fn clock(node: &MoveNode) -> Option<f64> {
    node.comments().find_map(|comment| seconds(comment, "[%clk "))
}

/// The time after a command, `h:mm:ss` with decimals.
fn seconds(comment: &str, command: &str) -> Option<f64> {
    let rest = comment.split_once(command)?.1;
    let text = rest.split_once(']')?.0.trim();
    let parts: Option<Vec<f64>> = text.split(':').map(|part| part.trim().parse().ok()).collect();
    let total = parts?.into_iter().fold(0.0, |total, part| total * 60.0 + part);
    (total.is_finite() && total >= 0.0).then_some(total)
}

/// The time below which a player is short of it, in seconds: a tenth of that for the first phase of the game, 5 minutes at most;
/// a minute if the tag `TimeControl` does not tell.
fn shortage(time_control: Option<&str>) -> f64 {
    let control: Option<TimeControl> = time_control.and_then(|text| text.parse().ok());
    let time = control.as_ref().and_then(TimeControl::initial);
    time.map_or(60.0, |time| (time.as_secs_f64() / 10.0).min(300.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_are_read_in_every_usual_form() {
        let read = |comment: &str| seconds(comment, "[%clk ");
        assert_eq!(read("good [%eval 0.3] [%clk 0:04:59.070]"), Some(299.07));
        assert_eq!(read("[%clk 1:00:00]"), Some(3600.0));
        assert_eq!(read("[%clk 59]"), Some(59.0));
        assert_eq!(["[%clk x]", "[%clk 1:00", "[%emt 0:01]", "[%clk -1]"].map(read), [None; 4]);
    }

    #[test]
    fn a_tenth_of_the_time_is_short() {
        assert_eq!(
            ["180+2", "40/7200:3600", "10", "?"].map(|text| shortage(Some(text)) as i32),
            [18, 300, 1, 60]
        );
    }
}
