//! The event: programs, connections, games and rounds. Everything that happens comes in with its moment, and what is to be
//! stored and sent goes out; nothing here waits, reads or writes.
//!
//! It has no socket, no file and no clock of its own, so that tests play hours in no time and every fault at every step. The
//! facts are the event: whatever changes it is a [`Fact`], and `apply` is the only place where it changes. So a restart, an
//! observer and a game on the page are the same thing: facts, read in order. What a client said is no fact; what came of it is.
//!
//! What costs the same for each move must not look at all programs or games: games are looked for only when one may begin.
//! What may not be sent in a quiet period waits in the mailbox of its program, a call for a move with its clock too.

mod games;
mod history;
mod output;
mod presence;
mod questions;

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::time::{Duration, Instant};

use game::{Color, Game, Outcome};
use messages::epd::{Position, RefereeCommand};
use messages::referee::{ClientRecord, Directive, Request};
use shakmaty::{ByColor, Chess};

use super::fact::Fact;
use super::live_game::LiveGame;
use super::settings::EventSettings;
use super::timers::{Timer, Timers};
use crate::openings::MatchOpenings;
use crate::schedule::{Fixture, Schedule, ScheduleError};
use crate::standings::Standings;
use crate::table::GameRecord;

/// A connection, by a number that is never used twice.
pub type ConnectionId = u64;

/// What comes from outside.
#[derive(Debug)]
pub enum ConnectionEvent {
    /// Somebody has connected.
    Opened(ConnectionId),
    /// There is a serial line, over which somebody will sign on.
    SerialLine(ConnectionId),
    /// A line without its end.
    Line(ConnectionId, String),
    /// The connection broke a limit; carries which. It is closed.
    LimitExceeded(ConnectionId, &'static str),
    /// The connection is gone.
    Closed(ConnectionId),
}

/// What goes out. Facts are to be stored before messages are sent.
#[derive(Debug, Default)]
pub struct Effects {
    /// What happened.
    pub facts: Vec<Fact>,
    /// What is to be sent, in order.
    pub messages: Vec<OutgoingMessage>,
    /// Connections to be closed, once the messages are sent.
    pub disconnects: Vec<ConnectionId>,
    /// What the director should know.
    pub news: Vec<Notice>,
    /// Games that have ended.
    pub finished: Vec<FinishedGame>,
}

/// A record to be sent.
#[derive(Debug)]
pub struct OutgoingMessage {
    /// To whom.
    pub to: ConnectionId,
    /// The record, without the end of the line.
    pub line: String,
    /// The game in which a clock starts when this has been sent (see [`EventState::told`]).
    pub starts: Option<u64>,
}

/// Something that the director should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// Whether somebody has to do something.
    pub urgent: bool,
    /// What it is. May contain what clients have said, but no control characters.
    pub text: String,
}

/// A game that has ended, to be written down.
#[derive(Debug)]
pub struct FinishedGame {
    /// The game of the schedule.
    pub fixture: Fixture,
    /// How it went.
    pub record: GameRecord,
}

/// A result, for tables and reports.
#[derive(Clone, Debug)]
pub struct GameSummary {
    /// The game of the schedule.
    pub fixture: Fixture,
    /// How it ended.
    pub outcome: Outcome,
    /// What the outcome does not say.
    pub detail: String,
    /// Plies played.
    pub plies: u32,
    /// What both sides used of their time.
    pub used: ByColor<Duration>,
}

/// An event under way.
pub struct EventState {
    /// What is agreed.
    pub(super) settings: EventSettings,
    openings: MatchOpenings,
    /// The schedule as far as it is known.
    pub(super) schedule: Schedule,
    /// Games that may begin, in their order.
    pub(super) queue: VecDeque<Fixture>,
    pub(super) standings: Standings,
    /// The games that have ended, in that order.
    pub(super) results: Vec<GameSummary>,
    pub(super) programs: Vec<ProgramState>,
    peers: HashMap<ConnectionId, Peer>,
    pub(super) live_games: BTreeMap<u64, LiveGame>,
    /// Games that the director lets begin before their round.
    released: BTreeSet<u64>,
    /// The rounds up to this one may be played, if they are begun by hand.
    pub(super) open_round: u32,
    /// The number of this referee among those of the event.
    pub(super) epoch: u64,
    /// Whether a game may be able to begin that was not when games were last begun: a program has become free, or a game open.
    may_begin: bool,
    /// Whether another referee has taken over.
    pub(super) outdated: bool,
    timers: Timers,
    out: Effects,
}

/// Games of the schedule that are looked at in advance: so many fit into memory, whatever the schedule.
const LOOKAHEAD: usize = 10_000;

/// A flag is looked at a little after it fell, so that a move which arrived in time has been heard.
const FLAG_DELAY: Duration = Duration::from_millis(1);

/// A program that may take part.
#[derive(Default)]
pub(super) struct ProgramState {
    connection: Option<ConnectionId>,
    extended: bool,
    /// The game in which it plays.
    pub(super) game: Option<u64>,
    /// Since when it has been gone; matters only in a game.
    gone_since: Option<Instant>,
    /// How often it has come back to this game.
    returns: u32,
    /// Whether it was reset and has not played since.
    is_fresh: bool,
    /// Nothing is sent before.
    quiet_until: Option<Instant>,
    mailbox: VecDeque<(Directive, Option<u64>)>,
    /// Positions about which it was thinking when their games were taken from it.
    owed: VecDeque<Chess>,
}

/// Somebody at the other end of a connection.
#[derive(Default)]
struct Peer {
    program: Option<usize>,
    refusals: u32,
    /// Whether it is a serial line: nobody can close it, and there may be noise on it.
    is_line: bool,
}

/// The beginning.
impl EventState {
    /// An event before its first fact.
    ///
    /// # Errors
    /// There is no such schedule.
    pub fn new(settings: EventSettings, openings: MatchOpenings) -> Result<EventState, ScheduleError> {
        let schedule = Schedule::new(settings.schedule)?;
        let mut event = EventState {
            standings: Standings::new(settings.programs.len()),
            programs: settings.programs.iter().map(|_| ProgramState::default()).collect(),
            settings,
            openings,
            schedule,
            queue: VecDeque::new(),
            results: Vec::new(),
            peers: HashMap::new(),
            live_games: BTreeMap::new(),
            released: BTreeSet::new(),
            open_round: 0,
            epoch: 0,
            may_begin: true,
            outdated: false,
            timers: Timers::default(),
            out: Effects::default(),
        };
        event.fill_queue();
        Ok(event)
    }

    /// Takes note of something that happened under an earlier referee. Games that ended then are in the outbox once more.
    ///
    /// # Errors
    /// It does not fit what happened before, or the settings. Carries what is wrong.
    pub fn restore(&mut self, fact: &Fact) -> Result<(), String> {
        self.apply(fact)?;
        // Nobody has to be told of it. What was to be written down then may not have been.
        self.out.news.clear();
        Ok(())
    }

    /// Begins to referee, in a new epoch. Games that are under way wait for their programs.
    pub fn open(&mut self, at: Instant) {
        self.record(Fact::Epoch { epoch: self.epoch + 1 });
        let absent: Vec<(u64, Color)> =
            self.live_games.keys().flat_map(|game| Color::ALL.map(|color| (*game, color))).collect();
        for (game, color) in absent {
            self.is_gone(game, color, at);
        }
    }
}

/// What comes in.
impl EventState {
    /// Takes something that came from outside at a moment.
    pub fn handle(&mut self, input: ConnectionEvent, at: Instant) {
        match input {
            ConnectionEvent::Opened(connection) => {
                self.peers.insert(connection, Peer::default());
                self.timers.insert((at + self.settings.sign_on_time, Timer::SignOn(connection)));
            }
            ConnectionEvent::SerialLine(connection) => {
                self.peers.insert(connection, Peer { is_line: true, ..Peer::default() });
            }
            ConnectionEvent::Line(connection, line) => self.hear(connection, &line, at),
            ConnectionEvent::LimitExceeded(connection, limit) => {
                if self.peers.contains_key(&connection) {
                    self.fault(connection, limit);
                    self.close(connection, at);
                }
            }
            ConnectionEvent::Closed(connection) => self.lose(connection, at),
        }
        self.begin_games(at);
    }

    /// Does what the time demands.
    pub fn tick(&mut self, at: Instant) {
        while let Some((_, timer)) = self.timers.first().filter(|(due, _)| *due <= at).copied() {
            self.timers.pop_first();
            match timer {
                Timer::Flag(game) => self.look_at_flag(game, at),
                Timer::Quiet(program) => {
                    self.deliver(program, at);
                    self.may_begin = true;
                }
                Timer::Patience(game, side) => self.look_for(game, side.into(), at),
                Timer::SignOn(connection) => {
                    if self.peers.get(&connection).is_some_and(|peer| peer.program.is_none()) {
                        self.fault(connection, "nobody has signed on in time");
                        self.close(connection, at);
                    }
                }
            }
        }
        self.begin_games(at);
    }

    /// The next moment at which [`EventState::tick`] has something to do.
    pub fn next_deadline(&self) -> Option<Instant> {
        self.timers.first().map(|(at, _)| *at)
    }

    /// The call for a move was sent at that moment: a clock starts.
    pub fn told(&mut self, game: u64, at: Instant) {
        if let Some(live) = self.live_games.get_mut(&game) {
            live.told(at);
            self.watch_flag(game);
        }
    }

    /// What is to be stored and sent.
    pub fn take_effects(&mut self) -> Effects {
        std::mem::take(&mut self.out)
    }

    /// Ends the service: everybody is told to close the connection.
    pub fn close_down(&mut self) {
        for program in 0..self.programs.len() {
            if let Some(connection) = self.programs[program].connection.take() {
                let position = Position::of(&Game::default());
                let directive = Directive::new(RefereeCommand::Disconnect, position);
                self.write(connection, directive, self.programs[program].extended, None);
            }
        }
        let connections: Vec<ConnectionId> = self.peers.drain().map(|(connection, _)| connection).collect();
        self.out.disconnects.extend(connections);
    }

    fn hear(&mut self, connection: ConnectionId, line: &str, at: Instant) {
        let Some(peer) = self.peers.get(&connection) else { return };
        let (program, is_line) = (peer.program, peer.is_line);
        if is_line && !line.is_ascii() {
            return self.hear_noise(program, "characters that nobody sends", at);
        }
        match (line.parse::<ClientRecord>(), program) {
            (Err(error), _) if is_line => self.hear_noise(program, &error.to_string(), at),
            (Ok(ClientRecord { request: Request::SignOn(sign_on), .. }), Some(_)) if is_line => {
                // Whoever was there has been started anew.
                self.lose(connection, at);
                self.sign_on(connection, &sign_on, at);
            }
            (Ok(ClientRecord { request: Request::SignOn(sign_on), .. }), None) => {
                self.sign_on(connection, &sign_on, at);
            }
            (Ok(ClientRecord { request: Request::SignOn(_), .. }), Some(_)) => {
                self.refuse(connection, "signed on already", at);
            }
            (Ok(_), None) => {
                self.fault(connection, "the first request is sign_on");
                self.close(connection, at);
            }
            (Err(error), None) => {
                self.fault(connection, &error.to_string());
                self.close(connection, at);
            }
            (Err(error), Some(_)) => self.refuse(connection, &error.to_string(), at),
            (Ok(record), Some(program)) => match record.request {
                Request::Reply(reply) => self.reply(connection, program, &record.position, &reply, at),
                Request::SignOff => {
                    self.tell(false, format!("{} signs off", self.name(program)));
                    self.close(connection, at);
                }
                Request::Fault(reason) => {
                    self.hear_fault(program, reason.as_deref());
                    if is_line {
                        self.tell_again(program, at);
                    }
                }
                Request::SignOn(_) => {}
            },
        }
    }

    /// Something came over a serial line that makes no sense. Perhaps it was an answer.
    fn hear_noise(&mut self, program: Option<usize>, reason: &str, at: Instant) {
        if let Some(program) = program {
            self.tell(false, format!("noise on the line of {}: {reason}", self.name(program)));
            self.ask_again(program, reason, at);
        }
    }

    fn hear_fault(&mut self, program: usize, reason: Option<&str>) {
        let reason = game::excerpt(reason.unwrap_or("it tells no reason"));
        self.tell(true, format!("{} needs help: {reason}", self.name(program)));
        if let Some(live) = self.programs[program].game.and_then(|game| self.live_games.get(&game)) {
            let noted = live.noted(live.color_of(program), &format!("reports a fault: {reason}"));
            self.record(noted);
        }
    }
}

impl ProgramState {
    /// Whether it can begin a game: it is there, has none, and may be written to.
    fn is_free(&self, at: Instant) -> bool {
        self.connection.is_some() && self.game.is_none() && !self.is_quiet(at) && self.mailbox.is_empty()
    }

    /// Whether a reply with this position belongs to a game that was taken from it; `is_here` if it fits its present game.
    fn is_late(&mut self, position: &Position, is_here: bool) -> bool {
        // As nearly always: then the position need not be read once more.
        if self.owed.is_empty() {
            return false;
        }
        let place =
            position.legal().ok().and_then(|(chess, _)| self.owed.iter().position(|owed| *owed == chess));
        // Replies come in order: those before this one won't come any more.
        match place {
            Some(place) if !is_here => drop(self.owed.drain(..=place)),
            None if is_here => self.owed.clear(),
            _ => {}
        }
        place.is_some() && !is_here
    }

    fn is_quiet(&self, at: Instant) -> bool {
        self.quiet_until.is_some_and(|until| at < until)
    }
}
