//! The state machine of an event: programs, connections, games and rounds. Inputs come with the moment of their
//! arrival; outputs are facts to be stored and messages to be sent. Nothing here waits, reads or writes.
//!
//! The state machine has no socket, file or clock, so tests can play hours of event time in milliseconds and inject a
//! fault at every step. Every change of the event is a [`Fact`], and `apply` is the only function that changes the
//! event. A restart, an observer and a game on the page therefore use the same mechanism: they apply facts in order.
//! What a client says is not a fact; the referee's decision about it is.
//!
//! The cost of a move must not depend on the number of programs or games, so the schedule is searched only when a game
//! may be able to begin. A record that may not be sent in a quiet period waits in the mailbox of its program. If it is
//! a call for a move, the clock does not start before it is sent.

mod games;
mod history;
mod output;
mod presence;

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::time::{Duration, Instant, SystemTime};

use game::{Color, Game, Outcome, TimeControl};
use messages::epd::{Position, RefereeCommand};
use messages::referee::{ClientRecord, Directive, Request, Secret, SignOn};
use shakmaty::{ByColor, Chess};

use super::lease::Term;
use super::live_game::LiveGame;
use super::{EventSettings, Fact, RefusedGuess, Side};
use crate::schedule::{Fixture, Schedule};
use crate::{GameRecord, MatchOpenings, Standings};

/// Identifier of a connection; never reused.
pub type ConnectionId = u64;

/// An input from outside.
#[derive(Clone, Debug)]
pub enum ConnectionEvent {
    /// A connection was opened.
    Opened(ConnectionId),
    /// A serial line was attached; a program will sign on over it.
    SerialLine(ConnectionId),
    /// A line was received. Carries the line without its terminator.
    Line(ConnectionId, String),
    /// The connection exceeded a limit and is closed. Carries the name of the limit.
    LimitExceeded(ConnectionId, &'static str),
    /// The connection was closed.
    Closed(ConnectionId),
    /// The secret of a sign-on was checked (see [`Effects::proofs`]).
    Proved(ConnectionId, Result<(), RefusedGuess>),
}

impl ConnectionEvent {
    /// The connection from which the input comes.
    pub(super) fn connection(&self) -> ConnectionId {
        match *self {
            ConnectionEvent::Opened(connection)
            | ConnectionEvent::SerialLine(connection)
            | ConnectionEvent::Line(connection, _)
            | ConnectionEvent::LimitExceeded(connection, _)
            | ConnectionEvent::Closed(connection)
            | ConnectionEvent::Proved(connection, _) => connection,
        }
    }
}

/// A secret to be checked. That takes time, so it is not done here.
#[derive(Debug)]
pub struct Proof {
    /// The connection that waits for the result, as [`ConnectionEvent::Proved`].
    pub connection: ConnectionId,
    /// The program that it wants to be.
    pub program: usize,
    /// The secret that it told.
    pub secret: Secret,
}

/// Outputs of the event. The facts must be stored before the messages are sent.
#[derive(Debug, Default)]
pub struct Effects {
    /// Facts to be stored.
    pub facts: Vec<Fact>,
    /// Messages to be sent, in order.
    pub messages: Vec<OutgoingMessage>,
    /// Connections to be closed after the messages have been sent.
    pub disconnects: Vec<ConnectionId>,
    /// Notices for the director.
    pub news: Vec<Notice>,
    /// Games that have ended.
    pub finished: Vec<FinishedGame>,
    /// Finished games with another result, or without one any more (`None`), by their numbers.
    pub amended: Vec<(u64, Option<FinishedGame>)>,
    /// Secrets to be checked.
    pub proofs: Vec<Proof>,
}

/// A record to be sent.
#[derive(Debug)]
pub struct OutgoingMessage {
    /// Recipient.
    pub to: ConnectionId,
    /// The record, without a line terminator. Empty for a heartbeat.
    pub line: String,
    /// The game whose clock starts when this message has been sent (see [`EventState::told`]).
    pub starts: Option<u64>,
}

/// A notice for the director.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// Whether the director has to act.
    pub urgent: bool,
    /// Text of the notice. It may quote clients, but contains no control characters.
    pub text: String,
}

/// A finished game, to be written to the PGN file.
#[derive(Debug)]
pub struct FinishedGame {
    /// Fixture of the game.
    pub fixture: Fixture,
    /// Record of the game.
    pub record: GameRecord,
}

/// Summary of a finished game, for tables and reports.
#[derive(Clone, Debug)]
pub struct GameSummary {
    /// Fixture of the game.
    pub fixture: Fixture,
    /// Outcome of the game.
    pub outcome: Outcome,
    /// Details that the outcome does not contain.
    pub detail: String,
    /// Number of plies played.
    pub plies: u32,
    /// Time used by each side.
    pub used: ByColor<Duration>,
    /// When it began.
    pub began: SystemTime,
    /// From its beginning to its end.
    pub lasted: Duration,
}

/// An order that the director has given.
#[derive(Clone, Debug)]
pub(super) struct GivenOrder {
    pub(super) by: String,
    pub(super) order: String,
    /// When, in milliseconds since 1970, UTC.
    pub(super) at: u64,
}

/// The state of an event.
pub struct EventState {
    /// Settings of the event.
    pub(super) settings: EventSettings,
    openings: MatchOpenings,
    /// The schedule as far as it is known.
    pub(super) schedule: Schedule,
    /// Games that may begin, in the order of the schedule.
    pub(super) queue: VecDeque<Fixture>,
    /// Games of programs that have withdrawn. In a schedule whose rounds rest on results they will be lost without being
    /// played; otherwise they wait for the program to be readmitted.
    pub(super) left_out: Vec<Fixture>,
    pub(super) standings: Standings,
    /// Finished games, in the order in which they ended.
    pub(super) results: Vec<GameSummary>,
    pub(super) programs: Vec<ProgramState>,
    peers: HashMap<ConnectionId, Peer>,
    pub(super) live_games: BTreeMap<u64, LiveGame>,
    /// Games that the director has released before their round.
    released: BTreeSet<u64>,
    /// The last round that may be played, if the director starts rounds by hand.
    pub(super) open_round: u32,
    /// The round for which the director was asked last.
    pub(super) asked_round: u32,
    /// The latest round of which a game has begun; 0 before the first.
    pub(super) begun_round: u32,
    /// Time controls that the director has set, each with the first round that has it.
    pub(super) controls: Vec<(u32, TimeControl)>,
    /// The director's orders.
    pub(super) orders: Vec<GivenOrder>,
    /// The number of the latest referee's term, and that referee.
    pub(super) epoch: u64,
    pub(super) referee: u64,
    /// The first referee of the event, by which the event is known; 0 before it has begun.
    pub(super) founder: u64,
    /// The referee that may take over.
    pub(super) observer: Option<u64>,
    /// Whether a game may be able to begin that could not when games were last begun, because a program has become free
    /// or a game has been released.
    may_begin: bool,
    /// Until then a lost connection costs a program nothing, because the referee itself was away.
    amnesty: Option<Instant>,
    /// Whether the timer of the heartbeats is set.
    beats: bool,
    timers: Timers,
    pub(super) out: Effects,
}

/// Time after an outage of the referee in which connections may still break because of it.
const AMNESTY: Duration = Duration::from_secs(10);

/// Number of scheduled games that are examined in advance. Bounds the memory for schedules of any length.
const LOOKAHEAD: usize = 10_000;

/// Delay between the fall of a flag and its check, so that a move which arrived in time has been processed.
const FLAG_DELAY: Duration = Duration::from_millis(1);

/// The state of a program that may take part.
#[derive(Default)]
pub(super) struct ProgramState {
    connection: Option<ConnectionId>,
    extended: bool,
    /// The game that it plays.
    pub(super) game: Option<u64>,
    /// Start of its absence; used only during a game.
    gone_since: Option<Instant>,
    /// Number of times that it has returned to its game.
    returns: u32,
    /// Whether it plays no further games.
    pub(super) is_withdrawn: bool,
    /// Whether it has been reset and has not played since.
    is_fresh: bool,
    /// End of the quiet period.
    quiet_until: Option<Instant>,
    mailbox: VecDeque<(Directive, Option<u64>)>,
    /// Positions of the games that were taken from the program while it was thinking; replies to them may still arrive.
    owed: VecDeque<Chess>,
}

/// The remote end of a connection.
#[derive(Default)]
struct Peer {
    program: Option<usize>,
    /// A sign-on whose secret is being checked, the program that it is for, and the moment at which it came.
    pending: Option<(usize, SignOn, Instant)>,
    /// The moment of the latest line, if the client sends heartbeats.
    heard: Option<Instant>,
    refusals: u32,
    /// Whether the connection is a serial line, which cannot be closed and may carry noise.
    is_line: bool,
}

/// Construction and restoring.
impl EventState {
    /// Makes an event without facts.
    ///
    /// # Errors
    /// The schedule settings are invalid.
    pub fn new(settings: EventSettings, openings: MatchOpenings) -> Result<EventState, String> {
        let schedule = Schedule::new(settings.schedule)?;
        let mut event = EventState {
            standings: Standings::new(settings.programs.len()),
            programs: settings.programs.iter().map(|_| ProgramState::default()).collect(),
            settings,
            openings,
            schedule,
            queue: VecDeque::new(),
            left_out: Vec::new(),
            results: Vec::new(),
            peers: HashMap::new(),
            live_games: BTreeMap::new(),
            released: BTreeSet::new(),
            open_round: 0,
            asked_round: 0,
            begun_round: 0,
            controls: Vec::new(),
            orders: Vec::new(),
            epoch: 0,
            referee: 0,
            founder: 0,
            observer: None,
            may_begin: true,
            amnesty: None,
            beats: false,
            timers: Timers::default(),
            out: Effects::default(),
        };
        event.fill_queue();
        Ok(event)
    }

    /// Applies a fact of an earlier referee. It has no effects: what was told and written then is not told again.
    ///
    /// # Errors
    /// The fact contradicts earlier facts or the settings; the text says how.
    pub fn restore(&mut self, fact: &Fact) -> Result<(), String> {
        self.apply(fact)?;
        self.out.news.clear();
        self.out.finished.clear();
        Ok(())
    }

    /// Forgets everything, so that the facts can be applied anew.
    pub(super) fn start_over(&mut self) {
        let openings = std::mem::replace(&mut self.openings, MatchOpenings::none());
        let mut settings = self.settings.clone();
        // The others have entered later.
        settings.programs.truncate(settings.schedule.programs);
        if let Ok(event) = EventState::new(settings, openings) {
            *self = event;
        }
    }

    /// Notes that nobody may take over from now on. A term without the observer begins with this, still in the term before: an
    /// observer that gets the first of the two facts and not the second must not think that it may take over from the new term.
    pub(super) fn dismiss_observer(&mut self) {
        self.record(Fact::Observer { by: None });
    }

    /// Starts refereeing as the referee of that number, in a new epoch. Games in play wait for their programs.
    pub fn open(&mut self, by: u64, at: Instant) {
        // The epoch comes first, so that all facts behind it are of this referee.
        self.record(Fact::Epoch { epoch: self.epoch + 1, by });
        if self.observer == Some(by) {
            // It takes over, and nobody can take over from it yet.
            self.record(Fact::Observer { by: None });
        }
        // Clients may still be with the referee before, or may have left this one when it did not answer yet.
        self.amnesty = Some(at + AMNESTY);
        let absent: Vec<(u64, Color)> =
            self.live_games.keys().flat_map(|game| Color::ALL.map(|color| (*game, color))).collect();
        for (game, color) in absent {
            self.is_gone(game, color, at);
        }
    }
}

/// Inputs and outputs.
impl EventState {
    /// Handles an input that arrived at the given moment.
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
            ConnectionEvent::Proved(connection, proof) => self.proved(connection, proof, at),
        }
        self.begin_games(at);
    }

    /// Gives back the time in which the referee was stopped or asleep, up to the given moment. No clock is charged for
    /// it, and nobody is taken for absent or dead because of it.
    pub fn outage(&mut self, time: Duration, at: Instant) {
        self.amnesty = Some(at + AMNESTY);
        let later = |moment: &mut Instant| *moment = (*moment + time).min(at);
        self.programs.iter_mut().filter_map(|program| program.gone_since.as_mut()).for_each(later);
        self.peers.values_mut().filter_map(|peer| peer.heard.as_mut()).for_each(later);
        let text =
            format!("the referee did not run for {:.1} s; no clock is charged for that", time.as_secs_f64());
        let running = |live: &&mut LiveGame| live.clock.is_running();
        let games: Vec<u64> = self
            .live_games
            .values_mut()
            .filter(running)
            .map(|live| {
                live.clock.give_back(time, at);
                live.fixture.number
            })
            .collect();
        for game in games {
            self.record(Fact::Noted { game, side: None, text: text.clone() });
            self.watch_flag(game);
        }
        self.tell(true, text);
    }

    /// Handles all timers that are due.
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
                Timer::Heartbeat => self.show_life(at),
                Timer::SignOn(connection) => {
                    let is_idle = |peer: &Peer| peer.program.is_none() && peer.pending.is_none();
                    if self.peers.get(&connection).is_some_and(is_idle) {
                        self.fault(connection, "nobody has signed on in time");
                        self.close(connection, at);
                    }
                }
            }
        }
        self.begin_games(at);
    }

    /// Returns the next moment at which [`EventState::tick`] has something to do.
    pub fn next_deadline(&self) -> Option<Instant> {
        self.timers.first().map(|(at, _)| *at)
    }

    /// Starts the clock of the side to move: its call for a move was sent at the given moment.
    pub fn told(&mut self, game: u64, at: Instant) {
        if let Some(live) = self.live_games.get_mut(&game) {
            live.told(at);
            self.watch_flag(game);
        }
    }

    /// Takes the pending outputs.
    pub fn take_effects(&mut self) -> Effects {
        std::mem::take(&mut self.out)
    }

    /// The latest term.
    pub(super) fn term(&self) -> Term {
        (self.epoch, self.referee)
    }

    /// Number of facts that have not been taken yet.
    pub(super) fn unstored(&self) -> u64 {
        self.out.facts.len() as u64
    }

    /// Sends the programs home, because all games have been played.
    pub(super) fn send_home(&mut self, at: Instant) {
        for program in 0..self.programs.len() {
            if let Some(connection) = self.programs[program].connection {
                let position = Position::of(&Game::default());
                let directive = Directive::new(RefereeCommand::Disconnect, position);
                self.write(connection, directive, self.programs[program].extended, None);
                self.close(connection, at);
            }
        }
    }

    /// Ends the service: asks all clients to close their connections. In a pause their connections are only closed, so that
    /// they look for a referee.
    pub fn close_down(&mut self, is_pause: bool) {
        for program in 0..self.programs.len() {
            if let Some(connection) = self.programs[program].connection.take().filter(|_| !is_pause) {
                let position = Position::of(&Game::default());
                let directive = Directive::new(RefereeCommand::Disconnect, position);
                self.write(connection, directive, self.programs[program].extended, None);
            }
        }
        let connections: Vec<ConnectionId> = self.peers.drain().map(|(connection, _)| connection).collect();
        self.out.disconnects.extend(connections);
    }

    fn hear(&mut self, connection: ConnectionId, line: &str, at: Instant) {
        let Some(peer) = self.peers.get_mut(&connection) else { return };
        if let Some(heard) = &mut peer.heard {
            *heard = at.max(*heard);
        }
        // A heartbeat, or nothing.
        if line.is_empty() && !peer.is_line {
            return;
        }
        if peer.pending.is_some() {
            return self.refuse(connection, "the secret is being checked", at);
        }
        let (program, is_line) = (peer.program, peer.is_line);
        if is_line && !line.is_ascii() {
            return self.hear_noise(program, "characters that nobody sends", at);
        }
        match (line.parse::<ClientRecord>(), program) {
            (Err(error), _) if is_line => self.hear_noise(program, &error.to_string(), at),
            (Ok(ClientRecord { request: Request::SignOn(sign_on), .. }), Some(_)) if is_line => {
                // A second sign-on over a line means that the program there was restarted.
                self.lose(connection, at);
                self.sign_on(connection, sign_on, at);
            }
            (Ok(ClientRecord { request: Request::SignOn(sign_on), .. }), None) => {
                self.sign_on(connection, sign_on, at);
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
                    } else {
                        self.strain(connection, at);
                    }
                }
                Request::SignOn(_) => {}
            },
        }
    }

    /// Handles unintelligible input from a serial line. It may have been a damaged reply.
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
    /// Whether a program can begin a game: it is present, has no game and is not in a quiet period.
    fn is_free(&self, at: Instant) -> bool {
        self.connection.is_some() && self.game.is_none() && !self.is_quiet(at) && self.mailbox.is_empty()
    }

    /// Whether a reply with this position belongs to a game that was taken from the program. `is_here` says that the
    /// position is also the one of its present game.
    fn is_late(&mut self, position: &Position, is_here: bool) -> bool {
        // The usual case: the position need not be parsed again.
        if self.owed.is_empty() {
            return false;
        }
        let place =
            position.legal().ok().and_then(|(chess, _)| self.owed.iter().position(|owed| *owed == chess));
        // Replies come in order, so older ones will not arrive any more.
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

/// A reason to look at something. Timers are never cancelled: when one fires, the handler checks whether there is
/// anything to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Timer {
    /// The flag of the side to move may have fallen. Carries the game.
    Flag(u64),
    /// The quiet period of a program may be over. Carries the program.
    Quiet(usize),
    /// A program may have been absent from its game for too long. Carries the game and the side.
    Patience(u64, Side),
    /// Heartbeats are due.
    Heartbeat,
    /// A connection may have passed its time limit for signing on. Carries the connection.
    SignOn(u64),
}

/// Timers in the order in which they fire.
pub(super) type Timers = BTreeSet<(Instant, Timer)>;

impl EventState {
    /// Returns the name of a program.
    pub fn name(&self, program: usize) -> &str {
        &self.settings.programs[program].name
    }

    /// Returns the number of a program.
    pub fn program(&self, name: &str) -> Option<usize> {
        self.settings.programs.iter().position(|program| program.name == name)
    }

    /// Returns a game's number and programs, for notices.
    pub(super) fn title(&self, fixture: &Fixture) -> String {
        let (white, black) = (self.name(fixture.white), self.name(fixture.black));
        format!("game {}: {white} - {black}", fixture.number + 1)
    }

    /// Whether a program has signed on over a connection.
    pub(super) fn is_signed_on(&self, connection: ConnectionId) -> bool {
        self.peers.get(&connection).is_some_and(|peer| peer.program.is_some() || peer.is_line)
    }

    /// Whether a program is connected.
    pub fn is_present(&self, program: usize) -> bool {
        self.programs[program].connection.is_some()
    }

    /// Whether all games have been played, all programs have been told, and the quiet periods are over.
    pub fn is_over(&self, at: Instant) -> bool {
        self.has_ended()
            && self.programs.iter().all(|program| program.mailbox.is_empty() && !program.is_quiet(at))
    }

    /// Whether all games have been played.
    pub fn has_ended(&self) -> bool {
        self.live_games.is_empty()
            && self.queue.is_empty()
            && (self.left_out.is_empty() || self.schedule.is_fixed())
    }

    /// Makes a game from the fact of its beginning, without its moves.
    pub(in crate::referee) fn recall(&self, began: &Fact) -> Option<LiveGame> {
        let seats = self.seats(&began.fixture()?);
        LiveGame::begin(began, seats, &self.settings.rules)
    }
}
