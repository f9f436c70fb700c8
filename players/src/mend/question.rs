//! A question to the program: a position, and the limits of its answer.

use std::time::{Duration, Instant};

use game::{Clock, Color, Game, Move, MoveTime, TimeControl};
use shakmaty::ByColor;

use super::player::Abilities;

/// What is left on a clock when a program is told to move at once: this, or a twenty-fifth.
pub(super) const LAST_WORD: Duration = Duration::from_millis(60);

/// What is left when a move is made in its place: this, or a fiftieth; no more than half of what there was.
const RESERVE: Duration = Duration::from_millis(30);

/// Time on the way through this process that the program is not told of.
const ON_THE_WAY: Duration = Duration::from_millis(1);

/// Delay of the front by less than this leaves a fixed time for each move as it is.
const UNNOTICED: Duration = Duration::from_millis(20);

/// A question to the program.
#[derive(Clone, Debug)]
pub(super) struct Question {
    /// The game; the side to move is the program's.
    pub(super) game: Game,
    /// The clock when it was asked. It does not run.
    pub(super) clock: Clock,
    /// When it was asked.
    pub(super) heard: Instant,
    /// Whether it is asked for lines instead of a move. Then an answer comes only when it is hurried, and by a limit.
    pub(super) is_analysis: bool,
    /// Greatest depth in plies.
    pub(super) depth: Option<u32>,
    /// Greatest number of nodes.
    pub(super) nodes: Option<u64>,
    /// The only moves, if any; only for analyses.
    pub(super) roots: Vec<Move>,
    /// Whether it may think in the opponent's time.
    pub(super) ponder: bool,
    /// Name of the opponent.
    pub(super) opponent: String,
    /// Ratings of both sides.
    pub(super) ratings: ByColor<Option<u32>>,
}

impl Question {
    pub(super) fn color(&self) -> Color {
        self.game.turn()
    }

    /// The time control that the program is told: its protocol has one limit only, the others are kept here.
    pub(super) fn control(&self, abilities: &Abilities) -> TimeControl {
        if let Some(depth) = self.depth.and_then(|depth| depth.try_into().ok()) {
            TimeControl::Depth(depth)
        } else if let Some(nodes) = self.nodes.and_then(|nodes| nodes.try_into().ok()) {
            if abilities.counts_nodes { TimeControl::Nodes(nodes) } else { TimeControl::Unlimited }
        } else {
            match self.clock.control(self.color()) {
                TimeControl::PerMove(time) => TimeControl::PerMove(told_time(*time, abilities)),
                control => control.clone(),
            }
        }
    }

    /// Whether a limit is looked after here, of which the program does not know.
    pub(super) fn has_own_limit(&self) -> bool {
        self.depth.is_some() || self.nodes.is_some() || !self.roots.is_empty()
    }

    /// When a move is made in the program's place, so that its flag does not fall.
    pub(super) fn last_moment(&self) -> Option<Instant> {
        let left = self.clock.remaining(self.color(), self.heard)?;
        self.heard.checked_add(left.saturating_sub(RESERVE.max(left / 50)).max(left / 2))
    }

    /// When the program has to be told to move.
    pub(super) fn due(&self) -> Option<Instant> {
        let left = self.clock.remaining(self.color(), self.heard)?;
        let time = match self.clock.move_time(self.color(), self.heard) {
            // Nobody else looks at the clock.
            time @ MoveTime::Clock { .. } if self.has_own_limit() => share(time)?,
            _ => left.saturating_sub(LAST_WORD.max(left / 25)),
        };
        self.heard.checked_add(time)
    }

    /// The clock without the time that was used on the way to the program.
    pub(super) fn told_clock(&self, abilities: &Abilities, at: Instant) -> Clock {
        let color = self.color();
        let lost = at.saturating_duration_since(self.heard);
        let control = self.control(abilities);
        if control != *self.clock.control(color) {
            return Clock::new(control);
        }
        if let TimeControl::PerMove(time) = control {
            let left = if lost < UNNOTICED { time } else { time.saturating_sub(lost).max(time / 4) };
            return Clock::new(TimeControl::PerMove(told_time(left, abilities)));
        }
        let mut clock = self.clock.clone();
        if let Some(left) = clock.remaining(color, at) {
            clock.set_remaining(color, left.saturating_sub(lost + ON_THE_WAY).max(ON_THE_WAY), at);
        }
        clock
    }
}

/// The time for a move as a program is told it. Many programs read `st 0.3` as `st 0`, and move at once from then on.
fn told_time(time: Duration, abilities: &Abilities) -> Duration {
    let is_whole = time.subsec_nanos() == 0;
    if abilities.rounds_up && !is_whole { Duration::from_secs(time.as_secs() + 1) } else { time }
}

/// The part of the time that one move may take.
pub(super) fn share(time: MoveTime) -> Option<Duration> {
    match time {
        MoveTime::Clock { remaining, increment, moves_to_go } => {
            let moves = moves_to_go.unwrap_or(25).clamp(1, 25);
            Some((remaining / moves + increment / 2).min(remaining / 2))
        }
        MoveTime::Fixed(time) => Some(time),
        MoveTime::Unlimited => None,
    }
}
