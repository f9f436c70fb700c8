//! Directives to the clients of a game.

use std::num::NonZeroU32;
use std::time::{Duration, Instant};

use game::{Color, Game, PgnTags};
use messages::epd::{ClockTime, EpdMove, Position, RefereeCommand};
use messages::referee::{Directive, ExactClock, Moves};
use shakmaty::ByColor;

use super::LiveGame;
use crate::table::{pgn_date, replay_move};

/// Number of plies in one history record. Readers need to accept only 4095 characters; this leaves room to spare.
const PLIES_IN_A_RECORD: usize = 400;

impl LiveGame {
    /// Number of the game in the records, from 1.
    fn tcgs(&self) -> Option<NonZeroU32> {
        u32::try_from(self.fixture.number).ok().and_then(|number| NonZeroU32::new(number.saturating_add(1)))
    }

    fn directive(&self, command: RefereeCommand) -> Directive {
        Directive { game: self.tcgs(), ..Directive::about(command, &self.record.game) }
    }

    /// Returns the directive to prepare for this game.
    pub(in crate::referee) fn reset(&self) -> Directive {
        let start = Position::of(&Game::default());
        Directive { game: self.tcgs(), ..Directive::new(RefereeCommand::Reset, start) }
    }

    /// Returns the directive with the PGN tags of the game: the roster and the time control.
    pub(in crate::referee) fn inform(&self, tags: &PgnTags, result: &str) -> Directive {
        let ByColor { white, black } = self.record.seats.as_ref();
        let mut told: Vec<(String, String)> = [
            ("Event", &tags["Event"]),
            ("Site", &tags["Site"]),
            ("Date", &pgn_date(self.record.started)),
            ("Round", &self.fixture.round.to_string()),
            ("White", &white.name),
            ("Black", &black.name),
            ("Result", result),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into();
        if white.control == black.control {
            told.push(("TimeControl".to_owned(), white.control.to_string()));
        }
        Directive { tags: told, ..self.directive(RefereeCommand::Inform) }
    }

    /// Returns the directive with the result.
    pub(in crate::referee) fn inform_result(&self, result: &str) -> Directive {
        let tags = vec![("Result".to_owned(), result.to_owned())];
        Directive { tags, ..self.directive(RefereeCommand::Inform) }
    }

    pub(in crate::referee) fn conclude(&self, at: Instant) -> Directive {
        self.with_clocks(self.directive(RefereeCommand::Conclude), at)
    }

    /// Returns the directives with the moves so far; none if there are no moves and the game has the usual start
    /// position. The opponent's last move is left out unless `with_last` is set, because `respond` brings it.
    pub(in crate::referee) fn history(&self, with_last: bool) -> Vec<Directive> {
        let tcgs = self.tcgs();
        let end = self.record.game.ply() - usize::from(!with_last && self.last.is_some());
        let is_set_up = !self.record.game.has_standard_start();
        let mut board = self.record.before_first_move();
        let mut records = Vec::new();
        for moves in self.record.game.moves()[..end].chunks(PLIES_IN_A_RECORD) {
            let line = board.chess().map(|chess| EpdMove::line(chess, moves)).unwrap_or_default();
            let about = Directive::about(RefereeCommand::Execute, &board);
            records.push(Directive { moves: Moves::History(line), game: tcgs, ..about });
            for &mv in moves {
                replay_move(&mut board, mv);
            }
        }
        if records.is_empty() && is_set_up {
            records.push(Directive { game: tcgs, ..Directive::about(RefereeCommand::Execute, &board) });
        }
        records
    }

    /// Returns the directive that asks for a move.
    pub(in crate::referee) fn respond(&self, at: Instant) -> Directive {
        let record = match &self.last {
            None => self.directive(RefereeCommand::Respond),
            Some(last) => Directive {
                game: self.tcgs(),
                counters: last.counters,
                moves: Moves::Supplied(last.mv.clone()),
                offers_draw: last.offers_draw,
                rejects_draw: last.rejects_draw,
                ..Directive::new(RefereeCommand::Respond, last.position.clone())
            },
        };
        // A client that is asked what it has answered before repeats its answer, unless there is a reason to think.
        let reason = self.asks_anew.map(str::to_owned);
        self.with_clocks(Directive { reason, ..record }, at)
    }

    /// Adds the clock times to a record.
    fn with_clocks(&self, record: Directive, at: Instant) -> Directive {
        let remaining = ByColor::new_with(|color| self.clock.remaining(color, at));
        let used = ByColor::new_with(|color| self.consumed(color, *remaining.get(color)));
        let clocks = ByColor::new_with(|color| ExactClock {
            remaining: *remaining.get(color),
            increment: self.clock.increment(color),
            moves_to_go: self.clock.moves_to_go(color),
        });
        Directive { used: Some(used), clocks: Some(clocks), ..record }
    }

    /// Returns the value of `cc`: the difference between all time that the time control has given and the remaining
    /// time. A client that knows the time control can compute the remaining time from it, also after the director has
    /// added time.
    fn consumed(&self, color: Color, remaining: Option<Duration>) -> ClockTime {
        let by_control = self.clock.control(color).granted(self.clock.moves_made(color)).zip(remaining);
        let used = match by_control {
            Some((granted, remaining)) => granted.saturating_sub(remaining),
            None => self.used_by(color),
        };
        ClockTime::from_duration(used)
    }

    /// Returns the time used by each side.
    pub(in crate::referee) fn used_by_both(&self) -> ByColor<Duration> {
        ByColor::new_with(|color| self.used_by(color))
    }

    fn used_by(&self, color: Color) -> Duration {
        let first = usize::from(self.opening_turn() != color);
        self.record.moves.iter().skip(first).step_by(2).map(|record| record.used).sum()
    }

    /// Returns the side that makes the first move after the opening.
    fn opening_turn(&self) -> Color {
        if self.record.moves.len().is_multiple_of(2) { self.to_move() } else { !self.to_move() }
    }
}
