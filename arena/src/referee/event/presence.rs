//! Sign-on, disconnection and return of programs.

use std::time::Instant;

use game::{Color, Game, Outcome, WinReason, counted};
use messages::epd::{Position, RefereeCommand};
use messages::referee::{Directive, SignOn};

use super::{ConnectionId, EventState, Peer, Timer};

impl EventState {
    pub(super) fn sign_on(&mut self, connection: ConnectionId, sign_on: &SignOn, at: Instant) {
        let program = match self.admit(sign_on) {
            Ok(program) => program,
            Err(reason) => {
                let name = game::excerpt(sign_on.name.as_deref().unwrap_or("somebody without a name"));
                self.tell(false, format!("{name} may not sign on: {reason}"));
                self.fault(connection, reason);
                return self.close(connection, at);
            }
        };
        if let Some(old) = self.programs[program].connection {
            // The old connection is dead without having noticed. The secret proves that this is the same program.
            self.fault(old, "signed on over another connection");
            self.close(old, at);
        }
        if let Some(peer) = self.peers.get_mut(&connection) {
            peer.program = Some(program);
        }
        let state = &mut self.programs[program];
        state.connection = Some(connection);
        state.extended = sign_on.extended;
        state.quiet_until = None;
        state.mailbox.clear();
        state.owed.clear();
        state.is_fresh = true;
        self.may_begin = true;
        self.tell(false, format!("{} signs on", self.name(program)));
        match self.programs[program].game {
            None => {
                let start = Position::of(&Game::default());
                self.send(program, [Directive::new(RefereeCommand::Reset, start)], None, at);
            }
            Some(game) => self.welcome_back(program, game, at),
        }
    }

    /// Returns the program to which a sign-on belongs.
    pub(super) fn admit(&self, sign_on: &SignOn) -> Result<usize, &'static str> {
        let programs = &self.settings.programs;
        let program = match &sign_on.name {
            Some(name) => programs.iter().position(|program| program.name == *name),
            // Clients of 1995 send no name; they get the names in the order in which they sign on.
            None => (0..programs.len()).find(|&program| {
                programs[program].secret.is_none() && self.programs[program].connection.is_none()
            }),
        };
        let program = program.ok_or("no program of that name is expected")?;
        if !programs[program].admits(sign_on.secret.as_ref()) {
            return Err("wrong secret");
        }
        let is_taken = self.programs[program].connection.is_some() && programs[program].secret.is_none();
        if is_taken { Err("the name is taken") } else { Ok(program) }
    }

    /// Tells a program that has returned to its game the moves so far.
    pub(super) fn welcome_back(&mut self, program: usize, game: u64, at: Instant) {
        let state = &mut self.programs[program];
        state.gone_since = None;
        state.returns += 1;
        let returns = state.returns;
        let Some(live) = self.live_games.get_mut(&game) else { return };
        let color = live.color_of(program);
        let is_to_move = live.to_move() == color;
        if is_to_move {
            live.unask(at);
        }
        let mut records = vec![live.reset(), live.inform(&self.settings.tags(), "*")];
        records.extend(live.history(!is_to_move));
        let noted = live.noted(color, "is back");
        self.record(noted);
        self.send(program, records, None, at);
        self.programs[program].is_fresh = false;
        if returns > self.settings.returns {
            let text = format!("came back more than {}", counted(self.settings.returns.into(), "time"));
            return self.end(game, abandoned(color), text, at);
        }
        if is_to_move {
            self.ask(game, at);
        }
        // The opponent may be absent, too, and its absence was not counted meanwhile.
        if self.programs[self.live_games[&game].program(!color)].connection.is_none() {
            self.is_gone(game, !color, at);
        }
    }

    /// Closes a connection.
    pub(super) fn close(&mut self, connection: ConnectionId, at: Instant) {
        if !self.peers.get(&connection).is_some_and(|peer| peer.is_line) {
            self.out.disconnects.push(connection);
        }
        self.lose(connection, at);
    }

    /// Handles the loss of a connection.
    pub(super) fn lose(&mut self, connection: ConnectionId, at: Instant) {
        let Some(peer) = self.peers.remove(&connection) else { return };
        if peer.is_line {
            // A serial line stays open for the next sign-on.
            self.peers.insert(connection, Peer { is_line: true, ..Peer::default() });
        }
        let Some(program) = peer.program.filter(|&p| self.programs[p].connection == Some(connection)) else {
            return;
        };
        let state = &mut self.programs[program];
        state.connection = None;
        state.mailbox.clear();
        let game = state.game;
        self.tell(game.is_some(), format!("{} is gone", self.name(program)));
        if let Some((game, color)) =
            game.and_then(|game| Some((game, self.live_games.get(&game)?.color_of(program))))
        {
            let noted = self.live_games[&game].noted(color, "is gone");
            self.record(noted);
            self.is_gone(game, color, at);
        }
    }

    /// Starts to count the absence of a program from its game.
    pub(in crate::referee) fn is_gone(&mut self, game: u64, color: Color, at: Instant) {
        let Some(live) = self.live_games.get(&game) else { return };
        let program = live.program(color);
        self.programs[program].gone_since = Some(at);
        self.timers.insert((at + self.settings.patience, Timer::Patience(game, color.into())));
    }

    /// Ends a game if a program has been absent from it for too long. If both are absent, nobody wins.
    pub(super) fn look_for(&mut self, game: u64, color: Color, at: Instant) {
        let Some(live) = self.live_games.get(&game) else { return };
        let state = &self.programs[live.program(color)];
        let is_over = state.gone_since.is_some_and(|since| since + self.settings.patience <= at);
        let is_opponent_there = self.programs[live.program(!color)].connection.is_some();
        if state.connection.is_none() && is_over && is_opponent_there && !live.paused {
            self.end(game, abandoned(color), format!("gone for {:?}", self.settings.patience), at);
        }
    }
}

fn abandoned(loser: Color) -> Outcome {
    Outcome::Win { winner: !loser, reason: WinReason::Abandoned }
}
