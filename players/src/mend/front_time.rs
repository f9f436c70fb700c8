//! Time as CECP tells it: `level`, `st`, `sd`, `nps`, `time`.

use std::time::{Duration, Instant};

use game::{Clock, Color, Phase, Phases, TimeControl};
use messages::cecp::TimeSession;

use super::question;

/// The program's clock and that of the opponent are those of these sides, whatever they play.
pub(super) const OWN: Color = Color::White;
pub(super) const OTHER: Color = Color::Black;

/// Time for a move under `st 0`, which GUIs send when they round down, and without any time.
pub(super) const LITTLE: Duration = Duration::from_millis(500);

/// Time as CECP tells it.
pub(super) struct FrontTime {
    pub(super) clock: Clock,
    /// Ply at which the time control began.
    pub(super) start: usize,
    pub(super) depth: Option<u32>,
    /// Nodes that count as a second.
    pub(super) node_rate: Option<u64>,
    /// When the side to move began to think.
    pub(super) since: Instant,
    /// Time of the move before `pause`.
    pub(super) used: Duration,
}

/// The control of one or two sessions; without any time, a little for each move.
pub(super) fn control(sessions: &[TimeSession], increment: Duration) -> TimeControl {
    let phase = |&TimeSession { moves, time }| Phase { moves: (moves > 0).then_some(moves), time, increment };
    let phases = Phases::new(sessions.iter().map(phase).collect());
    phases.map_or(TimeControl::PerMove(LITTLE), TimeControl::Clock)
}

impl FrontTime {
    pub(super) fn begin(&mut self, control: TimeControl, ply: usize) {
        self.clock = Clock::new(control);
        self.start = ply;
    }

    pub(super) fn new_game(&mut self) {
        self.depth = None;
        self.node_rate = None;
        self.begin(self.clock.control(OWN).clone(), 0);
    }

    /// Handles `time` and `otim`, which tell nothing about a time for each move.
    pub(super) fn set(&mut self, side: Color, centiseconds: i64) {
        if !matches!(self.clock.control(side), TimeControl::PerMove(_)) {
            let left = Duration::from_millis(u64::try_from(centiseconds).unwrap_or(0).saturating_mul(10));
            self.clock.set_remaining(side, left, Instant::now());
        }
    }

    /// Charges the program's move. Where nodes count, that is the time for which it got nodes.
    pub(super) fn moved(&mut self) {
        let used = self.since.elapsed() + std::mem::take(&mut self.used);
        let used = self.share().filter(|_| self.node_rate.is_some()).unwrap_or(used);
        let left = self.clock.remaining(OWN, Instant::now()).unwrap_or(used);
        self.clock.book_turn(OWN, used.min(left));
        self.since = Instant::now();
    }

    /// Nodes for a move under `nps`.
    pub(super) fn nodes(&self) -> Option<u64> {
        let nodes = self.share()?.as_millis().saturating_mul(u128::from(self.node_rate?)) / 1000;
        Some(u64::try_from(nodes).unwrap_or(u64::MAX).max(1))
    }

    /// The time of the next move if a program does not divide it.
    fn share(&self) -> Option<Duration> {
        question::share(self.clock.move_time(OWN, Instant::now()))
    }

    /// The clock with the program on the side of `color`.
    pub(super) fn clock_of(&self, color: Color, ply: usize) -> Clock {
        let now = Instant::now();
        let made = u32::try_from(ply.saturating_sub(self.start) / 2).unwrap_or(u32::MAX);
        if let TimeControl::PerMove(time) = self.clock.control(OWN) {
            return Clock::new(TimeControl::PerMove(time.saturating_sub(self.used).max(*time / 10)));
        }
        let mut clock = Clock::new(self.clock.control(OWN).clone());
        for (side, of) in [(OWN, color), (OTHER, !color)] {
            clock.set_moves_made(of, made);
            if let Some(left) = self.clock.remaining(side, now) {
                let left = if side == OWN { left.saturating_sub(self.used) } else { left };
                clock.set_remaining(of, left, now);
            }
        }
        clock
    }
}
