//! One end at work: the line, the engine and the match on one thread.

mod engine;

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use messages::autoplayer::{Hello, LINK_VERSION, LinkMessage, LinkRole};

use super::handshake::{Greeting, Handshake, random_text};
use super::line::{LineEvent, LineWriter, LinkLine};
use super::link_match::{LinkMatch, STOPPED};
use super::live::LinkSeat;
use super::numbered::{Heard, NumberedStream};
use super::{LinkConfig, LinkEngine, LinkError, LinkReport};
use crate::log::{Recorder, Speaker};

/// Silence after which a connection counts as broken. The other end says something every two seconds.
const SILENCE: Duration = Duration::from_secs(12);
/// How often `leaving` is polled.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// Time that is given to the last message.
const PARTING: Duration = Duration::from_secs(8);
/// Time for which the slave on a serial line repeats that it has got the last message.
const LINGERING: Duration = Duration::from_secs(3);
/// Pauses between two reports of thinking, over a network and over a serial line.
const THINKING_PAUSE: Duration = Duration::from_millis(500);
const SERIAL_THINKING_PAUSE: Duration = Duration::from_secs(2);

/// Why a match ends whose messages are kept without end.
const UNACKNOWLEDGED: &str = "too many messages were not acknowledged by the other end";

/// One end of a link.
pub(super) struct LinkSession<'a> {
    engine: LinkEngine,
    contest: LinkMatch,
    stream: NumberedStream,
    line: LinkLine,
    writer: Option<LineWriter>,
    handshake: Option<Handshake>,
    hello: Hello,
    secret: Option<String>,
    /// The session of the other end.
    other: Option<String>,
    is_serial: bool,
    patience: Duration,
    first_patience: Option<Duration>,
    /// When the other end was last heard, and since when there is no connection.
    heard: Instant,
    down_since: Instant,
    /// Why there was no line, since there was one last.
    troubles: Vec<String>,
    /// Why the last connection was refused.
    refusal: String,
    log: Recorder,
    report: &'a mut dyn FnMut(LinkReport),
    parting: Option<Parting>,
}

/// Number of events of the line that are taken before the engine is heard again.
const LINE_EVENTS: usize = 16;

/// The end of the match.
struct Parting {
    reason: Option<String>,
    earliest: Instant,
    latest: Instant,
}

impl<'a> LinkSession<'a> {
    pub(super) fn open(
        engine: LinkEngine,
        config: LinkConfig,
        report: &'a mut dyn FnMut(LinkReport),
    ) -> io::Result<LinkSession<'a>> {
        let LinkConfig { place, name, rating, ponder, secret, plan, patience, first_patience, log } = config;
        let now = Instant::now();
        let role = if plan.is_some() { LinkRole::Master } else { LinkRole::Slave };
        let is_serial = place.is_serial();
        let hello = Hello {
            version: LINK_VERSION,
            role,
            session: random_text(),
            nonce: String::new(),
            answer: None,
            proof: None,
            satisfied: false,
            name: name.clone(),
            rating,
            capabilities: vec![Hello::CHESS960.to_owned()],
        };
        let pause = if is_serial { SERIAL_THINKING_PAUSE } else { THINKING_PAUSE };
        Ok(LinkSession {
            engine,
            contest: LinkMatch::new(LinkSeat { name, rating }, ponder, plan, pause),
            stream: NumberedStream::new(now),
            line: LinkLine::keep(place)?,
            writer: None,
            handshake: None,
            hello,
            secret,
            other: None,
            is_serial,
            patience,
            first_patience,
            heard: now,
            down_since: now,
            troubles: Vec::new(),
            refusal: String::new(),
            log: Recorder(log),
            report,
            parting: None,
        })
    }

    pub(super) fn run(mut self, leaving: &AtomicBool) -> Result<(), LinkError> {
        let result = loop {
            self.wait();
            if leaving.load(Ordering::Relaxed) {
                self.stop_for_operator();
            }
            // First the engine: however much the other end writes, it costs our engine no time.
            self.take_engine_events();
            self.act();
            for event in std::iter::from_fn(|| self.line.take()).take(LINE_EVENTS).collect::<Vec<_>>() {
                self.take_line_event(event);
                // What is to be done belongs to the game of this message; the next one may begin another game.
                self.act();
            }
            self.keep_time(Instant::now());
            self.act();
            self.write(Instant::now());
            if let Some(parting) = self.parted(Instant::now()) {
                break parting.reason;
            }
        };
        let until = Instant::now() + POLL_INTERVAL * 5;
        while self.writer.as_ref().is_some_and(LineWriter::is_busy) && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(5));
        }
        self.engine.quit();
        let (damaged, repeated) = (self.stream.damaged, self.stream.repeated);
        if damaged + repeated > 0 {
            let [damaged, repeated] = [(damaged, "damaged line"), (repeated, "repeated message")]
                .map(|(count, noun)| game::counted(count, noun));
            (self.report)(LinkReport::Event(format!("the line: {damaged}, {repeated}")));
        }
        result.map_or(Ok(()), |reason| Err(LinkError::Unfinished(reason)))
    }

    fn stop_for_operator(&mut self) {
        self.contest.stop(STOPPED, Instant::now());
        let is_open = self.is_open();
        // The match is complete, and the line is waited for.
        if let Some(parting) = self.parting.as_mut().filter(|_| !is_open) {
            parting.reason.get_or_insert_with(|| STOPPED.to_owned());
        }
    }

    fn wait(&self) {
        let dues = [
            Some(self.stream.due()),
            self.handshake.as_ref().and_then(Handshake::due),
            self.contest.due(),
            self.parting.as_ref().map(|parting| parting.earliest),
        ];
        let now = Instant::now();
        let glance = now + POLL_INTERVAL;
        let until = dues.into_iter().flatten().filter(|&due| due > now).min().unwrap_or(glance).min(glance);
        let player = self.engine.player.as_ref().and_then(|player| player.source());
        let sources: Vec<_> = player.into_iter().chain([self.line.source()]).collect();
        platform::wait(&sources, until);
    }

    /// Takes the end of the match, once the other end knows it.
    fn parted(&mut self, now: Instant) -> Option<Parting> {
        let (is_open, is_quiet) = (self.is_open(), self.stream.is_quiet());
        let is_lost = now.saturating_duration_since(self.down_since) > self.patience;
        // The result of the last game, and not only the last message.
        let lacks_result = self.stream.unacknowledged() > 1;
        self.parting.take_if(|parting| match &parting.reason {
            _ if is_open => (is_quiet && now >= parting.earliest) || now >= parting.latest,
            // An incomplete match does not wait for a line.
            Some(_) => true,
            None if lacks_result => {
                if is_lost {
                    parting.reason = Some("the other end did not get the last result".to_owned());
                }
                is_lost
            }
            None => now >= parting.latest,
        })
    }

    fn alert(&mut self, text: impl Into<String>) {
        (self.report)(LinkReport::Alert(text.into()));
    }
}

/// The line.
impl LinkSession<'_> {
    fn take_line_event(&mut self, event: LineEvent) {
        match event {
            LineEvent::Up(writer) => {
                self.writer = Some(writer);
                self.heard = Instant::now();
                self.greet();
            }
            LineEvent::Text(at, text) => {
                self.log.record(at, Speaker::Program, &text);
                self.hear(&text, at);
                // Who talks but does not greet us is as good as nobody.
                if self.is_open() {
                    self.heard = at;
                }
            }
            LineEvent::Down(reason) => {
                let (was_open, was_greeted) = (self.is_open(), self.handshake.is_some());
                (self.writer, self.handshake) = (None, None);
                self.contest.line_disturbed();
                self.log.note(&format!("the line is broken: {reason}"));
                if was_open {
                    self.down_since = Instant::now();
                    if self.parting.is_none() || self.stream.unacknowledged() > 1 {
                        self.alert(format!("the line is broken: {reason}"));
                    }
                } else if was_greeted {
                    self.no_line(reason);
                }
            }
            LineEvent::Trouble(reason) => self.no_line(reason),
        }
    }

    /// Tells once why there is no line.
    fn no_line(&mut self, reason: String) {
        if self.parting.is_none() && !self.troubles.contains(&reason) {
            let since = if self.other.is_some() { "still no line" } else { "no line yet" };
            self.alert(format!("{since}: {reason}"));
            self.troubles.push(reason);
        }
    }

    /// Begins the handshake of a connection.
    fn greet(&mut self) {
        let hello = Hello { nonce: random_text(), ..self.hello.clone() };
        self.handshake = Some(Handshake::new(hello, self.secret.clone()));
        self.stream.connect(Instant::now());
    }

    /// Whether the other end is known and its messages count.
    fn is_open(&self) -> bool {
        self.handshake.as_ref().is_some_and(|handshake| handshake.peer().is_some())
    }

    fn hear(&mut self, text: &str, at: Instant) {
        let damaged = self.stream.damaged;
        let heard =
            if self.is_open() { self.stream.hear(text, at) } else { NumberedStream::hear_stranger(text) };
        if self.stream.damaged > damaged {
            self.contest.line_disturbed();
        }
        let is_message = matches!(heard, Heard::Message(_));
        let (Heard::Message(text) | Heard::Aside(text)) = heard else { return };
        match serde_json::from_str(&text) {
            Ok(LinkMessage::Hello(hello)) => self.hear_hello(&hello, at),
            Ok(LinkMessage::Bye { reason }) if !self.is_open() => self.refused(reason),
            Ok(message) if self.is_open() => self.contest.hear(message, at),
            Ok(_) => {}
            Err(error) if is_message => {
                self.contest.not_understood(&format!("{}: {error}", game::excerpt(&text)), at);
            }
            // What may be lost may be dropped.
            Err(error) => self.log.note(&format!("not understood: {error}")),
        }
    }

    fn hear_hello(&mut self, hello: &Hello, at: Instant) {
        let Some(handshake) = &mut self.handshake else { return };
        match handshake.hear(hello.clone(), at) {
            Greeting::Nothing => {}
            Greeting::Established => {
                let is_new = self.other.as_ref() != Some(&hello.session);
                if is_new {
                    self.stream.forget();
                }
                self.other = Some(hello.session.clone());
                self.refusal.clear();
                self.troubles.clear();
                if let Some(writer) = &self.writer {
                    writer.note_known();
                }
                self.contest.connected(hello, is_new, at);
            }
            Greeting::Refused(reason) => {
                let bye = LinkMessage::Bye { reason: Some(reason.clone()) };
                self.say(&bye);
                self.write(at);
                self.refused(Some(reason));
            }
        }
    }

    /// The two ends do not talk to each other. A master on a network waits for a better one, and who was linked before tries
    /// again: this end has not proved who it is.
    fn refused(&mut self, reason: Option<String>) {
        let reason =
            reason.map_or_else(|| "the other end does not play".to_owned(), |text| game::excerpt(&text));
        let tries_again = self.hello.role == LinkRole::Master || self.other.is_some();
        if tries_again && !self.is_serial {
            if self.refusal != reason {
                self.alert(format!("a connection was refused: {reason}"));
                self.refusal = reason;
            }
            // Ends as soon as the last line is written.
            (self.writer, self.handshake) = (None, None);
        } else if self.other.is_some() {
            self.contest.stop(&reason, Instant::now());
        } else if self.parting.is_none() {
            self.part(Some(reason));
        }
    }

    fn say(&mut self, message: &LinkMessage) {
        self.stream.say(text(message));
    }

    fn write(&mut self, now: Instant) {
        let is_open = self.is_open();
        let Some(writer) = &self.writer else { return };
        // On a slow line, or to somebody who does not listen, one hello at a time is enough.
        let greeting = self.handshake.as_mut().filter(|_| !writer.is_busy());
        if let Some(hello) = greeting.and_then(|handshake| handshake.output(now)) {
            self.stream.say(text(&LinkMessage::Hello(hello)));
        }
        let repeated = self.stream.repeated;
        let output = self.stream.output(now, is_open, writer.is_busy());
        if !output.is_empty() {
            output.lines().for_each(|line| self.log.record(now, Speaker::Us, line));
            // An empty line ends what noise may have begun.
            writer.write(if self.is_serial { format!("\n{output}") } else { output });
        }
        if self.stream.repeated > repeated {
            self.contest.line_disturbed();
        }
    }

    fn keep_time(&mut self, now: Instant) {
        self.contest.tick(now);
        let is_silent = now.saturating_duration_since(self.heard) > SILENCE;
        if let Some(writer) = self.writer.as_ref().filter(|_| is_silent) {
            self.heard = now;
            if self.is_serial {
                if self.is_open() {
                    self.down_since = now;
                    self.contest.line_disturbed();
                    self.alert("the line is broken: nothing was heard");
                }
                self.greet();
            } else {
                writer.cut();
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

fn text(message: &LinkMessage) -> String {
    // Only maps with keys that are no text, and types of other crates, can fail.
    serde_json::to_string(message).unwrap_or_default()
}
