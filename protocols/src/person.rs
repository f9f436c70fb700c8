//! A person's game against Herald, whoever shows it: the clock, moves taken back, and the draws that Herald claims.

use std::time::{Duration, Instant};

use game::{Clock, Color, Game, Outcome, Score, TimeControl};

/// What belongs to a person's game beside the moves. Both sides have the same time control.
pub(crate) struct PersonGame {
    pub(crate) person: Color,
    pub(crate) clock: Clock,
    /// Herald's score of the position at its last move.
    pub(crate) last_score: Option<Score>,
    /// Clock and score as they stood when each move was to be made, the next one included.
    turns: Vec<(Clock, Option<Score>)>,
}

impl PersonGame {
    pub(crate) fn new(person: Color, control: TimeControl) -> PersonGame {
        let clock = Clock::new(control);
        PersonGame { person, turns: vec![(clock.clone(), None)], clock, last_score: None }
    }

    /// Returns the time control of both sides.
    pub(crate) fn control(&self) -> &TimeControl {
        self.clock.control(self.person)
    }

    /// Sets both clocks to another time control, also for moves that will be taken back.
    pub(crate) fn set_control(&mut self, control: TimeControl) {
        self.clock = Clock::new(control);
        for (clock, _) in &mut self.turns {
            clock.clone_from(&self.clock);
        }
    }

    /// Whether a clock can run out. A time per move is only a limit for Herald's thinking.
    pub(crate) fn has_clock(&self) -> bool {
        matches!(self.control(), TimeControl::Clock(_))
    }

    pub(crate) fn is_heralds_turn(&self, game: &Game) -> bool {
        game.outcome().is_none() && game.turn() != self.person
    }

    /// Books the move that `mover` has just made in `game`, which ends it if the flag had fallen, and starts the opponent's turn. Returns
    /// the time that is left on the mover's clock; `None` without a clock.
    pub(crate) fn end_turn(&mut self, game: &mut Game, mover: Color, now: Instant) -> Option<Duration> {
        // The clock does not run before the first move, but the move is counted.
        let turn = self.clock.end_turn(now);
        let turn = turn.unwrap_or_else(|| self.clock.book_turn(mover, Duration::ZERO));
        self.turns.push((self.clock.clone(), self.last_score));
        if self.has_clock() && !turn.overrun.is_zero() {
            game.declare(game.flag_fall(mover));
        }
        if game.outcome().is_none() {
            self.clock.start_turn(game.turn(), now);
        }
        turn.remaining.filter(|_| self.has_clock())
    }

    /// Ends the game if it is a draw, or if Herald is to move and claims one: it does unless its last score was better.
    pub(crate) fn settle(&self, game: &mut Game) {
        let claims = self.is_heralds_turn(game) && self.last_score.is_none_or(|score| score <= Score::DRAW);
        let claim = game.claim().filter(|_| claims);
        if let Some(reason) = game.automatic_draw().or(claim) {
            game.declare(Outcome::Draw(reason));
        }
    }

    /// Goes back to the previous position in which it was the person's turn, and to clock and score as they stood there: the time used
    /// since then and what was added go with the moves. Returns the number of moves taken back; `None` if the person has made none.
    pub(crate) fn take_back(&mut self, game: &mut Game, now: Instant) -> Option<usize> {
        let plies = if game.turn() == self.person { 2 } else { 1 };
        if game.ply() < plies {
            return None;
        }
        for _ in 0..plies {
            game.undo();
            self.turns.pop();
        }
        if let Some((clock, score)) = self.turns.last() {
            self.clock.clone_from(clock);
            self.last_score = *score;
        }
        // As at the beginning of the game, the clock does not run before the first move.
        if game.ply() > 0 {
            self.clock.start_turn(self.person, now);
        }
        Some(plies)
    }
}
