//! Sign-on, disconnection and return of programs.

use std::time::Instant;

use game::{Color, Game, Outcome, WinReason, counted};
use messages::epd::{Position, RefereeCommand};
use messages::referee::{Directive, HEARTBEAT, SILENCE, SignOn};

use super::{ConnectionId, EventState, OutgoingMessage, Peer, Proof, Timer};
use crate::referee::RefusedGuess;

/// Seconds after which a client should try again to take a name that seems to be taken.
const RETRY: u32 = 3;

/// Why somebody may not sign on.
struct Refusal {
    reason: String,
    /// Seconds after which it may be different.
    retry: Option<u32>,
}

impl Refusal {
    fn final_one(reason: &str) -> Refusal {
        Refusal { reason: reason.to_owned(), retry: None }
    }
}

impl EventState {
    pub(super) fn sign_on(&mut self, connection: ConnectionId, sign_on: SignOn, at: Instant) {
        let refusal = match self.seat(&sign_on) {
            Err(refusal) => refusal,
            Ok(program) if self.settings.programs[program].secret.is_none() => {
                return self.enter(connection, program, &sign_on, at);
            }
            Ok(program) => match (&sign_on.secret, self.peers.get_mut(&connection)) {
                (Some(secret), Some(peer)) => {
                    self.out.proofs.push(Proof { connection, program, secret: secret.clone() });
                    peer.pending = Some((program, sign_on, at));
                    return;
                }
                _ => Refusal::final_one("wrong secret"),
            },
        };
        self.turn_away(connection, &sign_on, &refusal, at);
    }

    /// Returns the program to which a sign-on belongs.
    fn seat(&self, sign_on: &SignOn) -> Result<usize, Refusal> {
        let programs = &self.settings.programs;
        let program = match &sign_on.name {
            Some(name) => programs.iter().position(|program| program.name == *name),
            // Clients of 1995 send no name; they get the names in the order in which they sign on.
            None => (0..programs.len()).find(|&program| {
                programs[program].secret.is_none() && self.programs[program].connection.is_none()
            }),
        };
        let program = program.ok_or(Refusal::final_one("no program of that name is expected"))?;
        if self.programs[program].connection.is_some() && programs[program].secret.is_none() {
            // The old connection may be dead without having been noticed yet.
            return Err(Refusal { reason: "the name is taken".to_owned(), retry: Some(RETRY) });
        }
        Ok(program)
    }

    /// Handles the result of the check of a secret.
    pub(super) fn proved(&mut self, connection: ConnectionId, proof: Result<(), RefusedGuess>, at: Instant) {
        let pending = self.peers.get_mut(&connection).and_then(|peer| peer.pending.take());
        let Some((program, sign_on, asked)) = pending else { return };
        let refusal = match proof {
            // The time that the check took is nobody's.
            Ok(()) => return self.enter(connection, program, &sign_on, asked),
            Err(RefusedGuess::Wrong) => Refusal::final_one("wrong secret"),
            Err(RefusedGuess::Wait(time)) => {
                let seconds = u32::try_from(time.as_secs()).unwrap_or(u32::MAX).saturating_add(1);
                let reason = format!("wrong secrets before; wait {}", counted(seconds.into(), "second"));
                Refusal { reason, retry: Some(seconds) }
            }
        };
        self.turn_away(connection, &sign_on, &refusal, at);
    }

    /// Refuses a sign-on.
    fn turn_away(&mut self, connection: ConnectionId, sign_on: &SignOn, refusal: &Refusal, at: Instant) {
        let name = game::excerpt(sign_on.name.as_deref().unwrap_or("somebody without a name"));
        self.tell(false, format!("{name} may not sign on: {}", refusal.reason));
        let retry = refusal.retry.filter(|_| sign_on.extended);
        let fault = Directive { retry, ..Directive::fault(&refusal.reason) };
        self.write(connection, fault, false, None);
        self.close(connection, at);
    }

    /// Lets a program take its seat.
    fn enter(&mut self, connection: ConnectionId, program: usize, sign_on: &SignOn, at: Instant) {
        if let Some(old) = self.programs[program].connection {
            // The old connection is dead without having noticed. The secret proves that this is the same program.
            self.fault(old, "signed on over another connection");
            self.close(old, at);
        }
        if let Some(peer) = self.peers.get_mut(&connection) {
            peer.program = Some(program);
            peer.heard = (sign_on.heartbeat && !peer.is_line).then_some(at);
            if peer.heard.is_some() {
                self.out.messages.push(OutgoingMessage { to: connection, line: String::new(), starts: None });
                if !std::mem::replace(&mut self.beats, true) {
                    self.timers.insert((at + HEARTBEAT, Timer::Heartbeat));
                }
            }
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

    /// Sends heartbeats, and closes the connections of clients that do not send any more.
    pub(super) fn show_life(&mut self, at: Instant) {
        let beating = self
            .peers
            .iter()
            .filter_map(|(connection, peer)| Some((*connection, peer.heard?, peer.program?)));
        let beating: Vec<(ConnectionId, Instant, usize)> = beating.collect();
        self.beats = !beating.is_empty();
        if self.beats {
            self.timers.insert((at + HEARTBEAT, Timer::Heartbeat));
        }
        for (connection, heard, program) in beating {
            if at.saturating_duration_since(heard) > SILENCE {
                self.tell(false, format!("nothing is heard from {} any more", self.name(program)));
                self.close(connection, at);
            } else {
                self.out.messages.push(OutgoingMessage { to: connection, line: String::new(), starts: None });
            }
        }
    }

    /// Tells a program that has returned to its game the moves so far.
    pub(super) fn welcome_back(&mut self, program: usize, game: u64, at: Instant) {
        let state = &mut self.programs[program];
        state.gone_since = None;
        if self.amnesty.is_none_or(|until| at > until) {
            state.returns += 1;
        }
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

    /// Closes the connection of a program by the director's word. A client that asked for the extensions comes back by itself.
    pub(in crate::referee) fn send_away(&mut self, program: usize, why: &str, at: Instant) {
        let Some(connection) = self.programs[program].connection else { return };
        let retry = Some(RETRY).filter(|_| self.programs[program].extended);
        self.write(connection, Directive { retry, ..Directive::fault(why) }, false, None);
        self.close(connection, at);
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
            // A connection that breaks because the referee was away costs no time, either.
            let is_pardoned = self.amnesty.is_some_and(|until| at <= until);
            if let Some(live) =
                self.live_games.get_mut(&game).filter(|live| is_pardoned && live.to_move() == color)
            {
                live.unask(at);
            }
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
        if state.connection.is_none()
            && !is_over
            && let Some(since) = state.gone_since
        {
            // It has been absent for less time than was thought, because the referee was away as well.
            self.timers.insert((since + self.settings.patience, Timer::Patience(game, color.into())));
        } else if state.connection.is_none() && is_over && is_opponent_there && !live.paused {
            self.end(game, abandoned(color), format!("gone for {:?}", self.settings.patience), at);
        }
    }
}

fn abandoned(loser: Color) -> Outcome {
    Outcome::Win { winner: !loser, reason: WinReason::Abandoned }
}
