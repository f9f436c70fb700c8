//! The connections: their greeting, what is heard and written, and what is told of them.

use std::time::{Duration, Instant};

use messages::autoplayer::{Hello, LinkMessage, LinkRole};

use super::{LinkSession, text};
use crate::link::handshake::{Greeting, Handshake, random_text};
use crate::link::line::{LineEvent, LineId, LineWriter};
use crate::link::numbered::{Heard, NumberedStream};
use crate::log::Speaker;

/// Silence after which a connection counts as broken. The other end says something every two seconds.
const SILENCE: Duration = Duration::from_secs(12);
/// The same for a connection that was not greeted: it may wait behind others.
const UNGREETED: Duration = Duration::from_mins(1);
/// Why a match ends whose messages are kept without end.
const UNACKNOWLEDGED: &str = "too many messages were not acknowledged by the other end";
/// What is logged of those who are not known: lines, in each minute, and characters of each.
pub(super) const STRANGER_LINES: u32 = 120;
const STRANGER_CHARACTERS: usize = 500;
/// Number of troubles with the line in a minute that are told.
pub(super) const TROUBLES: u32 = 6;

/// A connection, and how far its greeting is.
pub(super) struct Connection {
    pub(super) id: LineId,
    pub(super) writer: LineWriter,
    pub(super) handshake: Handshake,
}

/// The line.
impl LinkSession<'_> {
    pub(super) fn take_line_event(&mut self, event: LineEvent) {
        match event {
            // Somebody else is known meanwhile.
            LineEvent::Up(..) if self.is_open() => {}
            LineEvent::Up(id, writer) => {
                self.heard = Instant::now();
                let handshake = self.greeting();
                self.connections.push(Connection { id, writer, handshake });
            }
            LineEvent::Text(id, at, text) => {
                if !self.connections.iter().any(|connection| connection.id == id) {
                    return;
                }
                self.record(at, Speaker::Program, &text);
                self.hear(id, &text, at);
                // Who talks but does not greet us is as good as nobody.
                if self.is_open() {
                    self.heard = at;
                }
            }
            LineEvent::Down(id, reason) => {
                let was_open = self.is_open();
                let Some(index) = self.connections.iter().position(|connection| connection.id == id) else {
                    return;
                };
                self.record(Instant::now(), Speaker::Note, &format!("the line is broken: {reason}"));
                self.connections.remove(index);
                if was_open {
                    self.contest.line_broken();
                    self.down_since = Instant::now();
                    if self.parting.is_none() || self.stream.unacknowledged() > 1 {
                        self.alert(format!("the line is broken: {reason}"));
                    }
                } else {
                    self.no_line(&reason);
                }
            }
            LineEvent::Trouble(reason) => {
                self.no_line(&reason);
                if let Some(parting) = &mut self.parting {
                    parting.earliest = Instant::now();
                }
            }
        }
    }

    /// Records a line; of those who are not known only so much that they cannot fill a disk.
    fn record(&mut self, at: Instant, speaker: Speaker, text: &str) {
        if self.is_open() {
            self.log.record(at, speaker, text);
        } else if self.stranger_limit.allows(at) {
            let end = text.char_indices().nth(STRANGER_CHARACTERS).map_or(text.len(), |(end, _)| end);
            self.log.record(at, speaker, &text[..end]);
        }
    }

    /// Tells once why there is no line.
    fn no_line(&mut self, reason: &str) {
        let since = if self.other.is_some() { "still no line" } else { "no line yet" };
        self.tell_once(format!("{since}: {reason}"));
    }

    /// Tells something of the line for the first time since there was one, and not too much in a minute.
    fn tell_once(&mut self, text: String) {
        let is_news = self.parting.is_none() && !self.troubles.contains(&text);
        if is_news && self.trouble_limit.allows(Instant::now()) {
            self.alert(text.clone());
            self.troubles.push(text);
        }
    }

    /// A handshake that begins.
    fn greeting(&self) -> Handshake {
        let hello = Hello { nonce: random_text(), ..self.hello.clone() };
        Handshake::new(hello, self.secret.clone())
    }

    /// Whether the other end is known and its messages count. Then its connection is the only one.
    pub(super) fn is_open(&self) -> bool {
        self.connections.first().is_some_and(|connection| connection.handshake.peer().is_some())
    }

    fn hear(&mut self, id: LineId, text: &str, at: Instant) {
        let damaged = self.stream.damaged;
        let heard =
            if self.is_open() { self.stream.hear(text, at) } else { NumberedStream::hear_stranger(text) };
        // Over a network nothing is damaged, unless the other end wants it so.
        if self.stream.damaged > damaged && self.is_serial {
            self.contest.line_disturbed();
        }
        let is_message = matches!(heard, Heard::Message(_));
        let (Heard::Message(text) | Heard::Aside(text)) = heard else { return };
        match serde_json::from_str(&text) {
            Ok(LinkMessage::Hello(hello)) => self.hear_hello(id, &hello, at),
            Ok(LinkMessage::Bye { reason }) if !self.is_open() => self.refused(id, reason),
            Ok(message) if self.is_open() => self.contest.hear(message, at),
            Ok(_) => {}
            Err(error) if is_message => {
                self.contest.not_understood(&format!("{}: {error}", game::excerpt(&text)), at);
            }
            // What may be lost may be dropped.
            Err(error) => self.record(at, Speaker::Note, &format!("not understood: {error}")),
        }
    }

    fn hear_hello(&mut self, id: LineId, hello: &Hello, at: Instant) {
        let is_other = self.other.as_ref().is_some_and(|other| *other != hello.session);
        if let Some(parting) = self.parting.as_mut().filter(|_| is_other) {
            // What is still to be acknowledged is not for another program, and its match is not for this one.
            parting.earliest = at;
            if !self.is_serial {
                self.connections.retain(|connection| connection.id != id);
            }
            return;
        }
        let connection = self.connections.iter_mut().find(|connection| connection.id == id);
        let Some(connection) = connection else { return };
        match connection.handshake.hear(hello.clone(), at) {
            Greeting::Nothing => {}
            Greeting::Established => {
                let is_new = self.other.as_ref() != Some(&hello.session);
                if is_new {
                    self.stream.forget();
                }
                self.other = Some(hello.session.clone());
                self.troubles.clear();
                connection.writer.note_known();
                self.connections.retain(|connection| connection.id == id);
                self.stream.connect(at);
                self.contest.connected(hello, is_new, at);
            }
            Greeting::Refused(reason) => {
                let bye = text(&LinkMessage::Bye { reason: Some(reason.clone()) });
                self.write_aside(id, bye, at);
                self.refused(id, Some(reason));
            }
        }
    }

    /// The two ends do not talk to each other. A master on a network waits for a better one, and who was linked before tries
    /// again: this end has not proved who it is.
    fn refused(&mut self, id: LineId, reason: Option<String>) {
        let reason =
            reason.map_or_else(|| "the other end does not play".to_owned(), |text| game::excerpt(&text));
        let tries_again = self.hello.role == LinkRole::Master || self.other.is_some();
        if tries_again && !self.is_serial {
            self.tell_once(format!("a connection was refused: {reason}"));
            // Ends as soon as the last line is written.
            self.connections.retain(|connection| connection.id != id);
        } else if self.other.is_some() {
            self.contest.stop(&reason, Instant::now());
        } else if self.parting.is_none() {
            self.part(Some(reason));
        }
    }

    pub(super) fn say(&mut self, message: &LinkMessage) {
        self.stream.say(text(message));
    }

    pub(super) fn write(&mut self, now: Instant) {
        let is_open = self.is_open();
        self.line.set_taken(is_open);
        let is_busy = self.connections.first().is_some_and(|connection| connection.writer.is_busy());
        // On a slow line, or to somebody who does not listen, one hello at a time is enough.
        let greeted = self.connections.iter_mut().filter(|connection| !connection.writer.is_busy());
        let hellos: Vec<_> = greeted
            .filter_map(|connection| Some((connection.id, connection.handshake.output(now)?)))
            .collect();
        for (id, hello) in hellos {
            self.write_aside(id, text(&LinkMessage::Hello(hello)), now);
        }
        if !is_open {
            return;
        }
        let Some(connection) = self.connections.first() else { return };
        let repeated = self.stream.repeated;
        let output = self.stream.output(now, is_open, is_busy);
        if !output.is_empty() {
            output.lines().for_each(|line| self.log.record(now, Speaker::Us, line));
            // An empty line ends what noise may have begun.
            connection.writer.write(if self.is_serial { format!("\n{output}") } else { output });
        }
        if self.stream.repeated > repeated && self.is_serial {
            self.contest.line_disturbed();
        }
    }

    /// Writes a line without a number, also to somebody who is not known.
    fn write_aside(&mut self, id: LineId, text: String, now: Instant) {
        let line = self.stream.aside(text);
        self.record(now, Speaker::Us, line.trim_end());
        if let Some(connection) = self.connections.iter().find(|connection| connection.id == id) {
            connection.writer.write(if self.is_serial { format!("\n{line}") } else { line });
        }
    }

    /// The silence of a serial line: there is no connection that could end.
    fn greet_again(&mut self, now: Instant) {
        if self.is_open() {
            self.down_since = now;
            self.contest.line_broken();
            self.alert("the line is broken: nothing was heard");
        }
        let handshake = self.greeting();
        if let Some(connection) = self.connections.first_mut() {
            connection.handshake = handshake;
        }
    }

    pub(super) fn keep_time(&mut self, now: Instant) {
        self.contest.tick(now);
        let longest = if self.is_open() || self.is_serial { SILENCE } else { UNGREETED };
        let is_silent = now.saturating_duration_since(self.heard) > longest;
        if is_silent && !self.connections.is_empty() {
            self.heard = now;
            if self.is_serial {
                self.greet_again(now);
            } else {
                self.connections.iter().for_each(|connection| connection.writer.cut());
            }
        }
        let patience = if self.other.is_some() { Some(self.patience) } else { self.first_patience };
        let down = now.saturating_duration_since(self.down_since);
        if let Some(patience) = patience.filter(|&patience| down > patience && !self.is_open())
            && self.parting.is_none()
        {
            self.contest.stop(&format!("no line for {} s", patience.as_secs()), now);
        }
        if self.stream.is_overfull() && self.parting.is_none() {
            self.contest.stop(UNACKNOWLEDGED, now);
        }
    }
}
