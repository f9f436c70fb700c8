//! The event: programs, connections, games and rounds. Everything that happens comes in with its moment, and what is to be
//! stored and sent goes out; nothing here waits, reads or writes.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::time::{Duration, Instant};

use engine::{Color, Game, Outcome, PgnTags, WinReason};
use protocols::epd::{Position, RefereeCommand};
use protocols::referee::{ClientRecord, Directive, Reply, Request, SignOn};
use shakmaty::ByColor;

use super::bout::{Bout, Judgement};
use super::fact::Fact;
use super::settings::{EventSettings, MOST_REFUSALS};
use super::timers::{Timer, Timers, patience};
use crate::openings::Openings;
use crate::schedule::{Fixture, Next, Schedule, ScheduleError};
use crate::standings::Standings;
use crate::statistics::Points;
use crate::table::{GameRecord, Seat};

/// A connection, by a number that is never used twice.
pub type Connection = u64;

/// What comes from outside.
#[derive(Debug)]
pub enum Input {
    /// Somebody has connected.
    Opened(Connection),
    /// A line without its end.
    Line(Connection, String),
    /// The connection broke a limit; carries which. It is closed.
    Unbearable(Connection, &'static str),
    /// The connection is gone.
    Closed(Connection),
}

/// What goes out. Facts are to be stored before letters are sent.
#[derive(Debug, Default)]
pub struct Outbox {
    /// What happened.
    pub facts: Vec<Fact>,
    /// What is to be sent, in order.
    pub letters: Vec<Letter>,
    /// Connections to be closed, once the letters are sent.
    pub closings: Vec<Connection>,
    /// What the director should know.
    pub news: Vec<News>,
    /// Games that have ended.
    pub records: Vec<Ending>,
}

/// A record to be sent.
#[derive(Debug)]
pub struct Letter {
    /// To whom.
    pub to: Connection,
    /// The record, without the end of the line.
    pub line: String,
    /// The game in which a clock starts when this has been sent (see [`Event::told`]).
    pub starts: Option<u64>,
}

/// Something that the director should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct News {
    /// Whether somebody has to do something.
    pub urgent: bool,
    /// What it is. May contain what clients have said, but no control characters.
    pub text: String,
}

/// A game that has ended, to be written down.
#[derive(Debug)]
pub struct Ending {
    /// The game of the schedule.
    pub fixture: Fixture,
    /// How it went.
    pub record: GameRecord,
}

/// A result, for tables and reports.
#[derive(Clone, Debug)]
pub struct GameResult {
    /// The game of the schedule.
    pub fixture: Fixture,
    /// How it ended.
    pub outcome: Outcome,
    /// What the outcome does not say.
    pub detail: String,
    /// Plies played.
    pub plies: u32,
    /// How long it took.
    pub lasted: Duration,
    /// What both sides used of their time.
    pub used: ByColor<Duration>,
}

/// An event under way.
pub struct Event {
    settings: EventSettings,
    openings: Openings,
    schedule: Schedule,
    /// Games that may begin, in their order.
    queue: VecDeque<Fixture>,
    standings: Standings,
    results: Vec<GameResult>,
    programs: Vec<Program>,
    guests: HashMap<Connection, Guest>,
    bouts: BTreeMap<u64, Bout>,
    /// Games that the director lets begin before their round.
    released: BTreeSet<u64>,
    /// The rounds up to this one may be played, if they are begun by hand.
    open_round: u32,
    epoch: u64,
    /// Whether another referee has taken over.
    outdated: bool,
    timers: Timers,
    out: Outbox,
}

/// Games of the schedule that are looked at in advance: so many fit into memory, whatever the schedule.
const LOOKAHEAD: usize = 10_000;

/// A flag is looked at a little after it fell, so that a move which arrived in time has been heard.
const FLAG_DELAY: Duration = Duration::from_millis(1);

/// A program that may take part.
#[derive(Default)]
struct Program {
    connection: Option<Connection>,
    extended: bool,
    /// The game in which it plays.
    game: Option<u64>,
    /// Since when it has been gone; matters only in a game.
    gone_since: Option<Instant>,
    /// How often it has come back to this game.
    returns: u32,
    /// Whether it was reset and has not played since.
    is_fresh: bool,
    /// Nothing is sent before.
    quiet_until: Option<Instant>,
    mailbox: VecDeque<(Directive, Option<u64>)>,
}

/// Somebody at the other end of a connection.
#[derive(Default)]
struct Guest {
    program: Option<usize>,
    refusals: u32,
}

/// The beginning.
impl Event {
    /// An event before its first fact.
    ///
    /// # Errors
    /// There is no such schedule.
    pub fn new(settings: EventSettings, openings: Openings) -> Result<Event, ScheduleError> {
        let schedule = Schedule::new(settings.schedule)?;
        let mut event = Event {
            standings: Standings::new(settings.programs.len()),
            programs: settings.programs.iter().map(|_| Program::default()).collect(),
            settings,
            openings,
            schedule,
            queue: VecDeque::new(),
            results: Vec::new(),
            guests: HashMap::new(),
            bouts: BTreeMap::new(),
            released: BTreeSet::new(),
            open_round: 0,
            epoch: 0,
            outdated: false,
            timers: Timers::default(),
            out: Outbox::default(),
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
            self.bouts.keys().flat_map(|game| Color::ALL.map(|color| (*game, color))).collect();
        for (game, color) in absent {
            self.is_gone(game, color, at);
        }
    }

    /// What is agreed.
    pub fn settings(&self) -> &EventSettings {
        &self.settings
    }
}

/// What comes in.
impl Event {
    /// Takes something that came from outside at a moment.
    pub fn handle(&mut self, input: Input, at: Instant) {
        match input {
            Input::Opened(connection) => {
                self.guests.insert(connection, Guest::default());
                self.timers.set(at + self.settings.sign_on_time, Timer::SignOn(connection));
            }
            Input::Line(connection, line) => self.hear(connection, &line, at),
            Input::Unbearable(connection, limit) => {
                if self.guests.contains_key(&connection) {
                    self.fault(connection, limit);
                    self.close(connection, at);
                }
            }
            Input::Closed(connection) => self.lose(connection, at),
        }
        self.begin_games(at);
    }

    /// Does what the time demands.
    pub fn tick(&mut self, at: Instant) {
        while let Some(timer) = self.timers.take(at) {
            match timer {
                Timer::Flag(game) => self.look_at_flag(game, at),
                Timer::Quiet(program) => self.deliver(program, at),
                Timer::Patience(game, is_white) => {
                    self.look_for(game, Color::from_white(is_white), at);
                }
                Timer::SignOn(connection) => {
                    if self.guests.get(&connection).is_some_and(|guest| guest.program.is_none()) {
                        self.fault(connection, "nobody has signed on in time");
                        self.close(connection, at);
                    }
                }
            }
        }
        self.begin_games(at);
    }

    /// The next moment at which [`Event::tick`] has something to do.
    pub fn next_deadline(&self) -> Option<Instant> {
        self.timers.next()
    }

    /// The call for a move was sent at that moment: a clock starts.
    pub fn told(&mut self, game: u64, at: Instant) {
        if let Some(bout) = self.bouts.get_mut(&game) {
            bout.told(at);
            self.watch_flag(game);
        }
    }

    /// What is to be stored and sent.
    pub fn take_outbox(&mut self) -> Outbox {
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
        let connections: Vec<Connection> = self.guests.drain().map(|(connection, _)| connection).collect();
        self.out.closings.extend(connections);
    }

    fn hear(&mut self, connection: Connection, line: &str, at: Instant) {
        let Some(guest) = self.guests.get(&connection) else { return };
        let program = guest.program;
        match (line.parse::<ClientRecord>(), program) {
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
                Request::Fault(reason) => self.hear_fault(program, reason.as_deref()),
                Request::SignOn(_) => {}
            },
        }
    }

    fn hear_fault(&mut self, program: usize, reason: Option<&str>) {
        let reason = engine::excerpt(reason.unwrap_or("it tells no reason"));
        self.tell(true, format!("{} needs help: {reason}", self.name(program)));
        if let Some(bout) = self.programs[program].game.and_then(|game| self.bouts.get(&game)) {
            let noted = bout.noted(bout.color_of(program), &format!("reports a fault: {reason}"));
            self.record(noted);
        }
    }
}

/// Programs come and go.
impl Event {
    fn sign_on(&mut self, connection: Connection, sign_on: &SignOn, at: Instant) {
        if sign_on.epoch.is_some_and(|epoch| epoch > self.epoch) {
            self.outdated = true;
            self.tell(true, "another referee has taken over: this one leaves the event to it".to_owned());
            self.fault(connection, "another referee has taken over");
            return self.close(connection, at);
        }
        let program = match self.admit(sign_on) {
            Ok(program) => program,
            Err(reason) => {
                let name = engine::excerpt(sign_on.name.as_deref().unwrap_or("somebody without a name"));
                self.tell(false, format!("{name} may not sign on: {reason}"));
                self.fault(connection, reason);
                return self.close(connection, at);
            }
        };
        if let Some(old) = self.programs[program].connection {
            // A connection that is dead without knowing it. The secret proves that it is the same program.
            self.fault(old, "signed on over another connection");
            self.close(old, at);
        }
        if let Some(guest) = self.guests.get_mut(&connection) {
            guest.program = Some(program);
        }
        let state = &mut self.programs[program];
        state.connection = Some(connection);
        state.extended = sign_on.extended;
        state.quiet_until = None;
        state.mailbox.clear();
        state.is_fresh = true;
        self.tell(false, format!("{} signs on", self.name(program)));
        match self.programs[program].game {
            None => {
                let start = Position::of(&Game::default());
                self.send(program, Directive::new(RefereeCommand::Reset, start), None, at);
            }
            Some(game) => self.welcome_back(program, game, at),
        }
    }

    /// Which program it is that wants to sign on.
    fn admit(&self, sign_on: &SignOn) -> Result<usize, &'static str> {
        let programs = &self.settings.programs;
        let program = match &sign_on.name {
            Some(name) => programs.iter().position(|program| program.name == *name),
            // Clients of 1995 have no name; they get one in the order in which they come.
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

    /// A program is back in its game: it is told how the game went so far.
    fn welcome_back(&mut self, program: usize, game: u64, at: Instant) {
        let state = &mut self.programs[program];
        state.gone_since = None;
        state.returns += 1;
        let returns = state.returns;
        let Some(bout) = self.bouts.get_mut(&game) else { return };
        let color = bout.color_of(program);
        let is_to_move = bout.to_move() == color;
        if is_to_move {
            bout.unask(at);
        }
        let mut records = vec![bout.reset(), bout.inform(&tags(&self.settings), "*")];
        records.extend(bout.history(!is_to_move));
        let noted = bout.noted(color, "is back");
        self.record(noted);
        for record in records {
            self.send(program, record, None, at);
        }
        self.programs[program].is_fresh = false;
        if returns > self.settings.returns {
            let text = format!("came back more than {} times", self.settings.returns);
            return self.end(game, abandoned(color), text, at);
        }
        if is_to_move {
            self.ask(game, at);
        }
        // The opponent may be gone, too, and nobody has counted meanwhile.
        if self.programs[self.bouts[&game].program(!color)].connection.is_none() {
            self.is_gone(game, !color, at);
        }
    }

    /// A connection is closed by us.
    fn close(&mut self, connection: Connection, at: Instant) {
        self.out.closings.push(connection);
        self.lose(connection, at);
    }

    /// A connection is no more.
    fn lose(&mut self, connection: Connection, at: Instant) {
        let Some(guest) = self.guests.remove(&connection) else { return };
        let Some(program) = guest.program.filter(|&p| self.programs[p].connection == Some(connection)) else {
            return;
        };
        let state = &mut self.programs[program];
        state.connection = None;
        state.mailbox.clear();
        let game = state.game;
        self.tell(game.is_some(), format!("{} is gone", self.name(program)));
        if let Some((game, color)) = game.and_then(|game| Some((game, self.bouts.get(&game)?.color_of(program))))
        {
            let noted = self.bouts[&game].noted(color, "is gone");
            self.record(noted);
            self.is_gone(game, color, at);
        }
    }

    /// Counts the time that a program is gone from its game.
    pub(super) fn is_gone(&mut self, game: u64, color: Color, at: Instant) {
        let Some(bout) = self.bouts.get(&game) else { return };
        let program = bout.program(color);
        self.programs[program].gone_since = Some(at);
        self.timers.set(at + self.settings.patience, patience(game, color));
    }

    /// Ends a game if a program has been gone from it for too long. If both are gone, there is nobody to win.
    fn look_for(&mut self, game: u64, color: Color, at: Instant) {
        let Some(bout) = self.bouts.get(&game) else { return };
        let state = &self.programs[bout.program(color)];
        let is_over = state.gone_since.is_some_and(|since| since + self.settings.patience <= at);
        let is_opponent_there = self.programs[bout.program(!color)].connection.is_some();
        if state.connection.is_none() && is_over && is_opponent_there && !bout.is_paused() {
            self.end(game, abandoned(color), format!("gone for {:?}", self.settings.patience), at);
        }
    }
}

/// Games.
impl Event {
    /// Begins all games that can begin.
    pub(super) fn begin_games(&mut self, at: Instant) {
        if self.outdated {
            return;
        }
        let mut place = 0;
        while place < self.queue.len() {
            if self.programs.iter().filter(|program| program.is_free(at)).take(2).count() < 2 {
                return;
            }
            let fixture = self.queue[place];
            let is_free = |program: usize| self.programs[program].is_free(at);
            if self.is_open(&fixture) && is_free(fixture.white) && is_free(fixture.black) {
                if !self.begin(fixture, at) {
                    return;
                }
            } else {
                place += 1;
            }
        }
    }

    fn is_open(&self, fixture: &Fixture) -> bool {
        let by_round = !self.settings.rounds_by_hand || fixture.round <= self.open_round;
        by_round || self.released.contains(&fixture.number)
    }

    /// Begins a game, and tells whether it could.
    fn begin(&mut self, fixture: Fixture, at: Instant) -> bool {
        let begins = self.begin_silently(fixture);
        if begins {
            self.present(fixture.number, at);
        }
        begins
    }

    /// Begins a game of which nobody is told.
    pub(super) fn begin_silently(&mut self, fixture: Fixture) -> bool {
        let Fixture { number, round, white, black, opening } = fixture;
        let game = match self.openings.get(opening) {
            Ok(game) => game,
            Err(error) => {
                self.tell(true, format!("game {} cannot begin: {error}", number + 1));
                return false;
            }
        };
        let mut coordinates = Vec::with_capacity(game.ply());
        coordinates.extend(game.moves().iter().map(|&mv| game.coordinate(mv)));
        self.record(Fact::Began {
            game: number,
            round,
            white,
            black,
            opening,
            start: game.start_fen(),
            moves: coordinates,
            at: now_in_millis(),
        });
        true
    }

    /// Tells both programs that their game begins anew.
    pub(super) fn present_anew(&mut self, game: u64, at: Instant) {
        for color in Color::ALL {
            let program = self.bouts[&game].program(color);
            self.programs[program].is_fresh = false;
            self.programs[program].mailbox.clear();
        }
        self.present(game, at);
    }

    /// Tells both programs of a game that begins.
    fn present(&mut self, game: u64, at: Instant) {
        for color in Color::ALL {
            let bout = &self.bouts[&game];
            let program = bout.program(color);
            let mut records = vec![bout.inform(&tags(&self.settings), "*")];
            records.extend(bout.history(true));
            if !self.programs[program].is_fresh {
                records.insert(0, bout.reset());
            }
            self.programs[program].is_fresh = false;
            for record in records {
                self.send(program, record, None, at);
            }
        }
        match self.bouts[&game].judge_board() {
            Some((outcome, detail)) => self.end(game, outcome, detail, at),
            None => self.ask(game, at),
        }
    }

    /// Asks the side to move for its move, unless the game is held.
    pub(super) fn ask(&mut self, game: u64, at: Instant) {
        let bout = &self.bouts[&game];
        if bout.is_paused() {
            return;
        }
        let (program, respond) = (bout.program(bout.to_move()), bout.respond(at));
        self.send(program, respond, Some(game), at);
    }

    fn reply(&mut self, connection: Connection, program: usize, position: &Position, reply: &Reply, at: Instant) {
        let playing = self.programs[program].game.and_then(|game| self.bouts.get_mut(&game));
        let Some(bout) = playing else {
            // It crossed the end of the game on its way.
            return self.tell(false, format!("{} replied too late", self.name(program)));
        };
        let (game, color) = (bout.number(), bout.color_of(program));
        match bout.hear(color, position, reply, at, self.settings.penalty) {
            Judgement::OutOfTurn => self.refuse(connection, "it is not the turn of this client", at),
            Judgement::AskAgain(why, facts) => {
                bout.ask_again();
                let mut records = bout.history(false);
                let mut respond = bout.respond(at);
                respond.reason = Some(why);
                records.push(respond);
                facts.into_iter().for_each(|fact| self.record(fact));
                for record in records {
                    self.send(program, record, None, at);
                }
                self.watch_flag(game);
            }
            Judgement::Happened(facts) => {
                for fact in facts {
                    self.happen(game, fact, at);
                }
                if let Some(bout) = self.bouts.get(&game).filter(|bout| !bout.is_asked()) {
                    match bout.judge_board() {
                        Some((outcome, detail)) => self.end(game, outcome, detail, at),
                        None => self.ask(game, at),
                    }
                }
            }
        }
    }

    fn happen(&mut self, game: u64, fact: Fact, at: Instant) {
        match fact {
            Fact::Ended { outcome, detail, .. } => self.end(game, outcome.0, detail, at),
            fact => self.record(fact),
        }
    }

    pub(super) fn watch_flag(&mut self, game: u64) {
        if let Some(falls) = self.bouts.get(&game).and_then(Bout::flag_falls) {
            self.timers.set(falls + FLAG_DELAY, Timer::Flag(game));
        }
    }

    fn look_at_flag(&mut self, game: u64, at: Instant) {
        let Some(bout) = self.bouts.get(&game) else { return };
        // Of a turn that is over, or of a clock that got more time; then another timer is set.
        if let Some((outcome, detail)) = bout.check_time(at) {
            self.end(game, outcome, detail, at);
        }
    }

    /// Ends a game and tells its programs.
    pub(super) fn end(&mut self, game: u64, outcome: Outcome, detail: String, at: Instant) {
        let Some(bout) = self.bouts.get(&game) else { return };
        let ended = bout.ended(outcome, detail);
        let records = [bout.inform_result(outcome.result()), bout.conclude(at)];
        let programs = Color::ALL.map(|color| bout.program(color));
        self.record(ended);
        for program in programs {
            self.programs[program].mailbox.retain(|(_, starts)| starts.is_none());
            for record in &records {
                self.send(program, record.clone(), None, at);
            }
        }
    }
}

impl Program {
    /// Whether it can begin a game: it is there, has none, and may be written to.
    fn is_free(&self, at: Instant) -> bool {
        self.connection.is_some() && self.game.is_none() && !self.is_quiet(at) && self.mailbox.is_empty()
    }

    fn is_quiet(&self, at: Instant) -> bool {
        self.quiet_until.is_some_and(|until| at < until)
    }
}

/// What happened.
impl Event {
    /// Takes note of something that happened, for us and for the store.
    pub(super) fn record(&mut self, fact: Fact) {
        if let Err(error) = self.apply(&fact) {
            // Not reached: what we find out ourselves fits.
            self.tell(true, format!("the referee is at odds with itself: {error}"));
        }
        self.out.facts.push(fact);
    }

    fn apply(&mut self, fact: &Fact) -> Result<(), String> {
        let unknown = |game: u64| format!("game {} is not being played", game + 1);
        match fact {
            Fact::Epoch { epoch } => self.epoch = *epoch,
            Fact::Round { round } => self.open_round = self.open_round.max(*round),
            Fact::Released { game } => {
                self.released.insert(*game);
            }
            Fact::Began { game, .. } => {
                let fixture = fact.fixture();
                let place = self.queue.iter().position(|queued| Some(*queued) == fixture);
                let place =
                    place.ok_or_else(|| format!("game {} is not in the schedule", game + 1))?;
                let seats = self.seats(&self.queue[place]);
                let bout = Bout::begin(fact, seats, &self.settings.rules)
                    .ok_or_else(|| format!("the opening of game {} cannot be played", game + 1))?;
                for color in Color::ALL {
                    let state = &mut self.programs[bout.program(color)];
                    state.game = Some(*game);
                    state.returns = 0;
                }
                self.queue.remove(place);
                self.bouts.insert(*game, bout);
            }
            Fact::Restarted { game } => {
                let bout = self.bouts.get(game).and_then(Bout::anew).ok_or_else(|| unknown(*game))?;
                self.bouts.insert(*game, bout);
            }
            Fact::Ended { game, outcome, detail, millis } => {
                let bout = self.bouts.remove(game).ok_or_else(|| unknown(*game))?;
                let lasted = Duration::from_millis(*millis);
                self.count(&bout, outcome.0, detail, lasted).map_err(|error| error.clone())?;
                let record = bout.record(Some(outcome.0), detail, lasted);
                self.out.records.push(Ending { fixture: bout.fixture, record });
            }
            Fact::Moved { game, .. } | Fact::TimeAdded { game, .. } | Fact::Noted { game, .. } => {
                let bout = self.bouts.get_mut(game).ok_or_else(|| unknown(*game))?;
                bout.apply(fact).map_err(|error| format!("game {}: {error}", game + 1))?;
            }
        }
        Ok(())
    }

    /// Counts a game that has ended.
    fn count(&mut self, bout: &Bout, outcome: Outcome, detail: &str, lasted: Duration) -> Result<(), String> {
        let fixture = bout.fixture;
        let points = Points::of(outcome, Color::White);
        self.schedule.record(fixture.number, points).map_err(|error| error.to_string())?;
        self.standings.add(&fixture, outcome, bout.plies_played());
        for color in Color::ALL {
            self.programs[bout.program(color)].game = None;
        }
        let used = bout.used_by_both();
        let (detail, plies) = (detail.to_owned(), bout.plies_played());
        self.results.push(GameResult { fixture, outcome, detail, plies, lasted, used });
        let names = [fixture.white, fixture.black].map(|program| self.name(program).to_owned());
        let text = format!("game {}: {} - {} {} ({outcome})", fixture.number + 1, names[0], names[1], outcome.result());
        self.tell(false, text);
        self.fill_queue();
        Ok(())
    }

    fn fill_queue(&mut self) {
        while self.queue.len() < LOOKAHEAD {
            match self.schedule.take() {
                Next::Games(games) => self.queue.extend(games),
                Next::Wait | Next::Finished => return,
            }
        }
    }

    fn seats(&self, fixture: &Fixture) -> ByColor<Seat> {
        ByColor { white: fixture.white, black: fixture.black }.map(|program| Seat {
            name: self.name(program).to_owned(),
            protocol: None,
            control: self.settings.control.clone(),
            margin: self.settings.margin,
            ponder: true,
        })
    }
}

/// What goes out.
impl Event {
    /// Sends a program a record, or keeps it until the quiet period is over. Who is not there gets nothing: what it needs it is
    /// told when it comes back.
    pub(super) fn send(&mut self, program: usize, directive: Directive, starts: Option<u64>, at: Instant) {
        let state = &mut self.programs[program];
        if state.connection.is_some() {
            state.mailbox.push_back((directive, starts));
            self.deliver(program, at);
        }
    }

    /// Sends what waits for a program, as far as it may be sent.
    fn deliver(&mut self, program: usize, at: Instant) {
        loop {
            let state = &mut self.programs[program];
            let Some(connection) = state.connection.filter(|_| !state.is_quiet(at)) else { return };
            let Some((directive, starts)) = state.mailbox.pop_front() else { return };
            let is_followed_by_quiet =
                matches!(directive.command, RefereeCommand::Reset | RefereeCommand::Conclude);
            if is_followed_by_quiet && !self.settings.quiet.is_zero() {
                let until = at + self.settings.quiet;
                state.quiet_until = Some(until);
                self.timers.set(until, Timer::Quiet(program));
            }
            let extended = state.extended;
            self.write(connection, directive, extended, starts);
        }
    }

    /// Puts a record into the outbox; what goes beyond the specification only for those who want it.
    fn write(&mut self, to: Connection, mut directive: Directive, extended: bool, starts: Option<u64>) {
        directive.epoch = Some(self.epoch).filter(|_| extended);
        directive.clocks = directive.clocks.filter(|_| extended);
        self.out.letters.push(Letter { to, line: directive.to_string(), starts });
    }

    fn fault(&mut self, connection: Connection, reason: &str) {
        let start = Position::of(&Game::default());
        let directive = Directive {
            reason: Some(reason.to_owned()),
            ..Directive::new(RefereeCommand::Fault, start)
        };
        self.write(connection, directive, false, None);
    }

    /// Refuses a record. Who goes on like that is sent away.
    fn refuse(&mut self, connection: Connection, reason: &str, at: Instant) {
        let Some(guest) = self.guests.get_mut(&connection) else { return };
        guest.refusals += 1;
        let (is_too_much, program) = (guest.refusals > MOST_REFUSALS, guest.program);
        if let Some(program) = program {
            self.tell(false, format!("a record of {} is refused: {reason}", self.name(program)));
        }
        self.fault(connection, reason);
        if is_too_much {
            self.close(connection, at);
        }
    }

    fn tell(&mut self, urgent: bool, text: String) {
        self.out.news.push(News { urgent, text });
    }
}

/// What can be asked.
impl Event {
    /// The name of a program.
    pub fn name(&self, program: usize) -> &str {
        &self.settings.programs[program].name
    }

    /// The number of a program.
    pub fn program(&self, name: &str) -> Option<usize> {
        self.settings.programs.iter().position(|program| program.name == name)
    }

    /// Whether a program is there.
    pub fn is_present(&self, program: usize) -> bool {
        self.programs[program].connection.is_some()
    }

    /// The results so far.
    pub fn standings(&self) -> &Standings {
        &self.standings
    }

    /// The games that have ended, in that order.
    pub fn results(&self) -> &[GameResult] {
        &self.results
    }

    /// The schedule as far as it is known.
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// The number of this referee among those of the event.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Whether another referee has taken over, so that this one has to go.
    pub fn is_outdated(&self) -> bool {
        self.outdated
    }

    /// Whether all games have been played, and everybody has been told and left in peace after that.
    pub fn is_over(&self, at: Instant) -> bool {
        self.bouts.is_empty()
            && self.queue.is_empty()
            && self.programs.iter().all(|program| program.mailbox.is_empty() && !program.is_quiet(at))
    }

    pub(super) fn bouts(&self) -> impl Iterator<Item = &Bout> {
        self.bouts.values()
    }

    pub(super) fn bout(&self, game: u64) -> Option<&Bout> {
        self.bouts.get(&game)
    }

    pub(super) fn bout_mut(&mut self, game: u64) -> Option<&mut Bout> {
        self.bouts.get_mut(&game)
    }

    /// The game in which a program plays.
    pub(super) fn game_of(&self, program: usize) -> Option<u64> {
        self.programs[program].game
    }

    /// The last round that may be played, if rounds are begun by hand.
    pub(super) fn open_round(&self) -> u32 {
        self.open_round
    }

    pub(super) fn queue(&self) -> impl Iterator<Item = &Fixture> {
        self.queue.iter()
    }

    /// The tags that all games have.
    pub fn tags(&self) -> PgnTags {
        tags(&self.settings)
    }
}

fn tags(settings: &EventSettings) -> PgnTags {
    let mut tags = PgnTags::default();
    tags.event.clone_from(&settings.name);
    tags.site.clone_from(&settings.site);
    tags
}

fn abandoned(loser: Color) -> Outcome {
    Outcome::Win { winner: !loser, reason: WinReason::Abandoned }
}

fn now_in_millis() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
