//! One end at work: the line, the engine and the match on one thread.

mod connection;
mod engine;

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use messages::autoplayer::{Hello, LINK_VERSION, LinkMessage, LinkRole};

use self::connection::{Connection, STRANGER_LINES, TROUBLES};
use super::handshake::random_text;
use super::line::LinkLine;
use super::link_match::{LinkMatch, STOPPED};
use super::live::LinkSeat;
use super::numbered::NumberedStream;
use super::{LinkConfig, LinkError, LinkReport};
use crate::KeptPlayer;
use crate::limit::RateLimit;
use crate::log::Recorder;

/// How often `leaving` is polled.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// Time that is given to the last message.
const PARTING: Duration = Duration::from_secs(8);
/// Time for which the slave repeats that it has got the last message, unless the master has gone.
const LINGERING: Duration = Duration::from_secs(3);
/// Pauses between two reports of thinking, over a network and over a serial line.
const THINKING_PAUSE: Duration = Duration::from_millis(500);
const SERIAL_THINKING_PAUSE: Duration = Duration::from_secs(2);

/// One end of a link.
pub(super) struct LinkSession<'a> {
    engine: KeptPlayer,
    contest: LinkMatch,
    stream: NumberedStream,
    line: LinkLine,
    /// Those that are greeted; or only the one whose other end is known.
    connections: Vec<Connection>,
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
    /// What was told of the line since there was one last. It is told once.
    troubles: Vec<String>,
    trouble_limit: RateLimit,
    log: Recorder,
    /// Lines of the log about those who are not known.
    stranger_limit: RateLimit,
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
        engine: KeptPlayer,
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
            contest: LinkMatch::new(LinkSeat { name, rating }, ponder, plan, pause, patience),
            stream: NumberedStream::new(now),
            line: LinkLine::keep(place)?,
            connections: Vec::new(),
            hello,
            secret,
            other: None,
            is_serial,
            patience,
            first_patience,
            heard: now,
            down_since: now,
            troubles: Vec::new(),
            trouble_limit: RateLimit::new(TROUBLES, Duration::from_mins(1)),
            log: Recorder(log),
            stranger_limit: RateLimit::new(STRANGER_LINES, Duration::from_mins(1)),
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
        let is_busy = |connection: &Connection| connection.writer.is_busy();
        while self.connections.iter().any(is_busy) && Instant::now() < until {
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
            self.connections.iter().filter_map(|connection| connection.handshake.due()).min(),
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
        let is_slave = self.hello.role == LinkRole::Slave;
        self.parting.take_if(|parting| match &parting.reason {
            _ if is_open => (is_quiet && now >= parting.earliest) || now >= parting.latest,
            // An incomplete match does not wait for a line.
            Some(_) => true,
            // The master has got everything, or connects once more.
            None if is_slave => now >= parting.earliest,
            None if lacks_result => {
                if is_lost {
                    parting.reason = Some("the other end has not acknowledged the last result".to_owned());
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

fn text(message: &LinkMessage) -> String {
    // Only maps with keys that are no text, and types of other crates, can fail.
    serde_json::to_string(message).unwrap_or_default()
}
