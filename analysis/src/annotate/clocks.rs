//! Clocks in comments: the command `[%clk]`.

use game::{GameTree, MoveNode, TimeControl, comment_commands, read_clock};

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
    let mut clocks = node.comments().flat_map(comment_commands).filter(|(name, _)| *name == "clk");
    clocks.find_map(|(_, value)| read_clock(value))
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
    fn a_tenth_of_the_time_is_short() {
        assert_eq!(
            ["180+2", "40/7200:3600", "10", "?"].map(|text| shortage(Some(text)) as i32),
            [18, 300, 1, 60]
        );
    }
}
