//! The search that is under way.

use std::sync::Arc;
use std::time::Duration;

use engine::{Limits, SearchClock as _, SearchLine, StopWatch};
use game::Game;
use shakmaty::Move;

use super::output::{centiseconds, move_text};
use super::state::Occupation;
use messages::cecp::Status;

/// A search: what it is for and how far it is.
pub(super) struct Search {
    /// What it is for.
    pub(super) occupation: Occupation,
    /// While pondering, the reply that it is about; `None` if it is about the position itself.
    pub(super) reply: Option<Move>,
    /// What it was given.
    pub(super) limits: Limits,
    pub(super) clock: Arc<StopWatch>,
    /// What the clock showed when the time began to be our own.
    pub(super) own_since: Duration,
    /// The best line so far; of several best ones the first.
    pub(super) latest: Option<SearchLine>,
    /// The root move that is searched, its number and that of all root moves.
    pub(super) current: Option<(Move, usize, usize)>,
}

impl Search {
    /// The expected reply was played: the time is our own from now on.
    pub(super) fn hit(&mut self) {
        self.occupation = Occupation::Think;
        self.reply = None;
        self.own_since = self.elapsed();
    }

    /// How much of our own time it has used.
    pub(super) fn used(&self) -> Duration {
        match self.occupation {
            Occupation::Think => self.elapsed().saturating_sub(self.own_since),
            _ => Duration::ZERO,
        }
    }

    fn elapsed(&self) -> Duration {
        self.clock.elapsed(self.nodes())
    }

    fn nodes(&self) -> u64 {
        self.latest.as_ref().map_or(0, |line| line.nodes)
    }

    /// The move for the side to move that it would recommend now.
    pub(super) fn hint(&self) -> Option<Move> {
        self.reply.or_else(|| self.latest.as_ref()?.moves.first().copied())
    }

    /// The answer to `.`; `game` is the one that is analysed.
    pub(super) fn status(&self, game: &Game) -> Status {
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Status {
            centiseconds: centiseconds(self.elapsed()),
            nodes: self.nodes(),
            depth: self.latest.as_ref().map_or(0, |line| line.depth),
            moves_left: self.current.map_or(0, |(_, number, total)| count(total.saturating_sub(number))),
            moves_total: count(self.current.map_or_else(|| game.legal_moves().len(), |(.., total)| total)),
            current: self.current.map(|(mv, ..)| move_text(game, mv)),
        }
    }
}
