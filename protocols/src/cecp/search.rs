//! The search in progress.

use std::sync::Arc;
use std::time::Duration;

use engine::{Decision, Limits, SearchLine, StopWatch, TimeLimit};
use game::Game;
use shakmaty::Move;

use messages::cecp::Occupation;
use messages::cecp::Status;
use messages::cecp::{centiseconds, move_text};

/// The purpose and the progress of a search.
pub(super) struct Search {
    /// The purpose of the search.
    pub(super) occupation: Occupation,
    /// While pondering, the expected reply; `None` if the position itself is searched.
    pub(super) reply: Option<Move>,
    /// The limits that were given to the search.
    pub(super) limits: Limits,
    /// What the GUI has granted for the move, of which the limits leave a reserve.
    pub(super) granted: TimeLimit,
    pub(super) clock: Arc<StopWatch>,
    /// Reading of the stop-watch when the engine's own time began.
    pub(super) own_since: Duration,
    /// The best line so far; with `MultiPV` the first one.
    pub(super) latest: Option<SearchLine>,
    /// The root move being searched, its number and the number of root moves.
    pub(super) current: Option<(Move, usize, usize)>,
}

impl Search {
    /// Handles a ponder hit: the search uses the engine's own time from now on. `granted` is what the clock has now.
    pub(super) fn hit(&mut self, granted: TimeLimit) {
        self.granted = granted;
        self.occupation = Occupation::Think;
        self.reply = None;
        self.own_since = self.elapsed();
        // While it pondered, it did not look.
        self.clock.forget_stalls();
    }

    /// Returns how much of the engine's own time the search has used.
    pub(super) fn used(&self) -> Duration {
        match self.occupation {
            Occupation::Think => self.elapsed().saturating_sub(self.own_since),
            _ => Duration::ZERO,
        }
    }

    fn elapsed(&self) -> Duration {
        self.clock.peek(self.nodes())
    }

    fn nodes(&self) -> u64 {
        self.latest.as_ref().map_or(0, |line| line.nodes)
    }

    /// Returns the move that the search currently recommends to the side to move.
    pub(super) fn hint(&self) -> Option<Move> {
        self.reply.or_else(|| self.latest.as_ref()?.moves.first().copied())
    }

    /// Returns the decision that the search would make now; `None` before its first line.
    pub(super) fn decision(&self) -> Option<Decision> {
        let line = self.latest.as_ref()?;
        let mut moves = line.moves.iter().copied();
        Some(Decision {
            best: Some(moves.next()?),
            ponder: moves.next(),
            score: line.score,
            depth: line.depth,
        })
    }

    /// Returns the answer to `.` for the analysed game.
    pub(super) fn status(&self, game: &Game) -> Status {
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Status {
            centiseconds: centiseconds(self.elapsed()),
            nodes: self.nodes(),
            depth: self.latest.as_ref().map_or(0, |line| line.depth),
            moves_left: self.current.map_or(0, |(_, number, total)| count(total.saturating_sub(number))),
            moves_total: count(self.current.map_or_else(|| game.legal_moves().len(), |(.., total)| total)),
            current: self.current.map(|(mv, ..)| move_text(mv, game.mode())),
        }
    }
}
