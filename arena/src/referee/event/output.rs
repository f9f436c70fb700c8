//! Outgoing messages of an event.

use std::time::Instant;

use messages::epd::RefereeCommand;
use messages::referee::Directive;

use super::{ConnectionId, EventState, Notice, OutgoingMessage, Timer};
use crate::referee::settings::MOST_REFUSALS;

impl EventState {
    /// Sends records to a program, or queues them until its quiet period is over. Records for an absent program are
    /// dropped; when it returns it is told the state of its game.
    pub(in crate::referee) fn send(
        &mut self,
        program: usize,
        directives: impl IntoIterator<Item = Directive>,
        starts: Option<u64>,
        at: Instant,
    ) {
        let state = &mut self.programs[program];
        if state.connection.is_some() {
            state.mailbox.extend(directives.into_iter().map(|directive| (directive, starts)));
            self.deliver(program, at);
        }
    }

    /// Sends the queued records of a program, as far as its quiet period allows.
    pub(super) fn deliver(&mut self, program: usize, at: Instant) {
        loop {
            let state = &mut self.programs[program];
            let Some(connection) = state.connection.filter(|_| !state.is_quiet(at)) else { return };
            let Some((directive, starts)) = state.mailbox.pop_front() else { return };
            let is_followed_by_quiet =
                matches!(directive.command, RefereeCommand::Reset | RefereeCommand::Conclude);
            if is_followed_by_quiet && !self.settings.quiet.is_zero() {
                let until = at + self.settings.quiet;
                state.quiet_until = Some(until);
                self.timers.insert((until, Timer::Quiet(program)));
            }
            let extended = state.extended;
            self.write(connection, directive, extended, starts);
        }
    }

    /// Adds a record to the messages to be sent. Extensions of the specification are included only for clients that
    /// support them.
    pub(super) fn write(
        &mut self,
        to: ConnectionId,
        mut directive: Directive,
        extended: bool,
        starts: Option<u64>,
    ) {
        directive.epoch = Some(self.epoch).filter(|_| extended);
        directive.clocks = directive.clocks.filter(|_| extended);
        self.out.messages.push(OutgoingMessage { to, line: directive.to_string(), starts });
    }

    pub(super) fn fault(&mut self, connection: ConnectionId, reason: &str) {
        self.write(connection, Directive::fault(reason), false, None);
    }

    /// Refuses a record. The connection is closed after too many refusals.
    pub(super) fn refuse(&mut self, connection: ConnectionId, reason: &str, at: Instant) {
        let Some(peer) = self.peers.get(&connection) else { return };
        if let Some(program) = peer.program {
            self.tell(false, format!("a record of {} is refused: {reason}", self.name(program)));
        }
        self.fault(connection, reason);
        self.strain(connection, at);
    }

    /// Counts a record that has no effect. After too many without a reply that counts, the connection is closed.
    pub(super) fn strain(&mut self, connection: ConnectionId, at: Instant) {
        let Some(peer) = self.peers.get_mut(&connection) else { return };
        peer.refusals += 1;
        if peer.refusals > MOST_REFUSALS && !peer.is_line {
            self.fault(connection, "too many records without effect");
            self.close(connection, at);
        }
    }

    pub(in crate::referee) fn tell(&mut self, urgent: bool, text: String) {
        self.out.news.push(Notice { urgent, text });
    }
}
