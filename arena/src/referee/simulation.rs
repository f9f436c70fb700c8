//! A simulation of two referees and their clients: every message, clock, crash, freeze, broken and damaged line is drawn from a
//! seed, and time passes as the schedule wants it. It uses the real event, lease and clients; only sockets and files are
//! played.
//!
//! `HERALD_SCHEDULES=100000` sets the number of schedules and `HERALD_FIRST=100000` the first of them, `HERALD_SCHEDULE=17` runs one.

use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant};

use game::Outcome;
use messages::referee::{
    Analysis, ClientRecord, ClientState, ClientTask, Directive, Moves, Remark, Request, Response, answer_with,
};

use super::intake::{Intake, NotTaken, restore_anew};
use super::lease::{Comparison, Lease, LeaseStep, Term, Watch, compare, yields};
use super::peer_line::{PeerLine, checksum};
use super::tests::{seconds, settings};
use super::*;
use crate::MatchOpenings;

/// Longest delay of a message, in milliseconds.
const DELAY: u64 = 30;
/// Time between two looks of a referee at its timers.
const TICK: u64 = 100;
/// What a clock may show beyond the time for which the client thought: messages on their way, and ticks.
const SLACK: Duration = Duration::from_millis(4 * DELAY + 3 * TICK);
/// After this time nobody is disturbed any more, and the event has to come to its end.
const CALM: u64 = 15_000;

/// Time for which a referee waits at the end for an observer that most likely knows it.
const GRACE: u64 = 5000;

/// Time for which it waits for another one that can't go home without it: longer than a schedule.
const END_PATIENCE: u64 = 600_000;

/// Number of a connection; never reused.
type Link = u64;

#[derive(Debug, Clone)]
enum Happening {
    Tick,
    Restart,
    Crash,
    /// The store is copied.
    Copy,
    /// It crashes, and its store is replaced by the copy.
    Restore,
    Freeze(u64),
    Client(ConnectionEvent),
    /// A line of the other referee, as it arrives.
    Peer(Link, Vec<u8>),
    PeerClosed(Link),
}

#[derive(Debug, Clone)]
enum Event {
    /// Something at a referee, in one of its lives.
    Node(usize, Option<u32>, Happening),
    /// A line from a referee to a client, or the end of the connection.
    ToClient(usize, Link, Option<String>),
    Think(usize, Link, String),
    Connect(usize),
    Watch(usize),
    Cut(u64),
}

/// A referee. `durable` survives a crash.
#[expect(clippy::struct_excessive_bools, reason = "they say different things")]
struct Node {
    id: u64,
    durable: Vec<Fact>,
    observes: bool,
    life: u32,
    is_up: bool,
    frozen_until: u64,
    ran: u64,
    rate: f64,
    event: EventState,
    lease: Lease<Effects>,
    is_acting: bool,
    clients: Vec<Link>,
    /// Since when nothing has come from the observed referee, and since when the connection exists.
    watch: Option<Watch>,
    tried: Option<Watch>,
    link: Option<Link>,
    /// Facts that it has applied as an observer and not stored yet.
    intake: Intake,
    /// What it tells the referee from which it has taken over: its term, and the first fact that is not shared.
    fence: Option<(Term, u64)>,
    /// The connection over which it has told the end, and the number of the last fact.
    telling: Option<(Link, u64)>,
    /// The connection over which it is told the end, and the number of the last fact.
    successor: Option<(Link, u64)>,
    /// Whether it has the end of the event, and has gone home.
    is_done: bool,
    /// Whether it has died for good.
    is_dead: bool,
    /// Whether it went on without its observer, as the witness let it.
    has_left: bool,
    /// The number of facts with which the event was over and everybody was told.
    over: Option<u64>,
    /// The connection over which the observer was told the end, and until when it is waited for.
    told_over: Option<Link>,
    home_at: Option<u64>,
    /// Whether it has acted in this life: its store is the one with which it acted.
    has_acted: bool,
    /// Whether it has had, in this life, all facts of the referee that it observes.
    is_current: bool,
    /// Whether it may store facts of the other only together with all of them.
    needs_all: bool,
    /// A copy of the store, as in a backup.
    copy: Option<Vec<Fact>>,
    /// Whether the store was replaced by the copy since the process ended.
    is_old: bool,
}

struct Client {
    state: ClientState,
    link: Option<(usize, Link)>,
    next: usize,
    heard: u64,
}

/// A connection between the referees. A dead one carries nothing and nobody is told.
struct PeerLink {
    lives: [u32; 2],
    is_dead: bool,
    busy_until: [u64; 2],
}

/// What was told to anybody.
#[derive(Default)]
struct Told {
    moves: BTreeMap<(u32, usize), String>,
    results: BTreeMap<u32, String>,
    epochs: BTreeMap<u64, usize>,
}

struct Simulation {
    random: fastrand::Rng,
    base: Instant,
    now: u64,
    queue: BTreeMap<(u64, u64), Event>,
    count: u64,
    /// Number of the present event in the queue.
    order: u64,
    nodes: [Node; 2],
    clients: Vec<Client>,
    client_links: HashMap<Link, (usize, usize)>,
    busy: HashMap<(Link, bool), u64>,
    peers: HashMap<Link, PeerLink>,
    cut_until: u64,
    told: Told,
    /// For how long each client has thought about its present question.
    thought: [Duration; 2],
    bug: Bug,
    /// Number of times that a former referee has gone back to what its successor has.
    backs: usize,
    /// What a witness has granted, if there is one.
    witness: Option<Term>,
    /// Of so many lines between the referees one is damaged, lost or comes twice; 0 if none is.
    damage: u32,
    /// Whether a referee that did not act has died for good.
    has_died: bool,
    /// Whether a store is replaced by an older copy.
    restores: bool,
    /// Number of times that it was.
    restored: usize,
}

/// A bug that is put in, to see that the simulation finds it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bug {
    None,
    /// What rests on a fact is told before the observer has it.
    TellsAtOnce,
    /// The observer takes over although it was never named.
    TakesOverUnnamed,
    /// A stopped referee does not notice that it was.
    ChargesOutages,
    /// A witness grants a term to two referees.
    GrantsTwice,
    /// After a damaged line an observer forgets to store what it has applied.
    ForgetsToStore,
    /// A damaged acknowledgement is believed.
    BelievesAll,
    /// A referee that has taken over goes home without telling its predecessor the end.
    GoesHome,
    /// An observer sets aside what the other one has told, because that one has an older copy of its store.
    GoesBackWithTheOther,
    /// An observer takes over with an older copy of its store.
    TakesOverWithOldStore,
    /// A referee that was the last to act, as far as it knows, stores the facts of another one in parts.
    StoresInParts,
    /// A referee claims the next term alone, though its observer may not know the one before.
    ClaimsLastOnly,
    /// A referee that was started anew claims a term from the witness, though its store may be an older copy.
    ClaimsWithOldStore,
}

impl Bug {
    /// Reads a line of an observer.
    fn parse(self, line: &[u8]) -> Option<PeerLine> {
        let read = PeerLine::parse(line);
        if read.is_some() || self != Bug::BelievesAll {
            return read;
        }
        let (_, words) = str::from_utf8(line).ok()?.split_once(' ')?;
        PeerLine::parse(format!("{:08x} {words}", checksum(words)).as_bytes())
    }
}

/// The token that the referees share.
const TOKEN: &str = "open-sesame";

fn empty_event() -> EventState {
    let mut short = settings(&["A", "B"]);
    short.quiet = Duration::ZERO;
    (short.returns, short.patience) = (50, seconds(600));
    short.rules.adjudication.longest = std::num::NonZeroU32::new(4);
    EventState::new(short, MatchOpenings::none()).expect("a schedule")
}

/// The author of the last term in a store, and who may take over.
fn last_words(facts: &[Fact]) -> (u64, Option<u64>) {
    facts.iter().fold((0, None), |(author, named), fact| match fact {
        Fact::Epoch { by, .. } => (*by, named),
        Fact::Observer { by } => (author, *by),
        _ => (author, named),
    })
}

impl Node {
    fn new(id: u64, observes: bool, rate: f64) -> Node {
        Node {
            id,
            durable: Vec::new(),
            observes,
            life: 0,
            is_up: true,
            frozen_until: 0,
            ran: 0,
            rate,
            event: empty_event(),
            lease: Lease::default(),
            is_acting: false,
            clients: Vec::new(),
            watch: None,
            tried: None,
            link: None,
            intake: Intake::default(),
            fence: None,
            telling: None,
            successor: None,
            is_done: false,
            is_dead: false,
            has_left: false,
            over: None,
            told_over: None,
            home_at: None,
            has_acted: false,
            is_current: false,
            needs_all: false,
            copy: None,
            is_old: false,
        }
    }

    /// The process begins, with what is stored.
    fn start(&mut self, now: u64) {
        let mut event = empty_event();
        for fact in &self.durable {
            event.restore(fact).expect("what is stored fits");
        }
        event.take_effects();
        (self.event, self.lease) = (event, Lease::default());
        (self.is_up, self.is_acting, self.watch, self.link) = (true, false, None, None);
        (self.telling, self.successor) = (None, None);
        (self.has_acted, self.is_current) = (false, false);
        self.intake = Intake::default();
        self.clients.clear();
        self.fence = self.taken_over().filter(|_| self.event.referee == self.id);
        let patience = if self.fence.is_some() || self.has_left { END_PATIENCE } else { GRACE };
        self.home_at = (self.over == Some(self.stored())).then_some(now + patience);
        self.told_over = None;
        self.ran = now;
    }

    fn observer(&self) -> Option<u64> {
        self.event.observer.filter(|&observer| observer != self.id)
    }

    fn stored(&self) -> u64 {
        self.durable.len() as u64
    }

    /// How the store of an observer compares with this one.
    fn compare(&self, first: u64, term: Term) -> Comparison {
        compare(self.id, self.stored(), self.end_of(term), first, term)
    }

    /// The number of the last fact of a term; see `EventStore::end_of`.
    fn end_of(&self, term: Term) -> Option<u64> {
        let mut is_within = term == (0, 0);
        for (fact, number) in self.durable.iter().zip(0..) {
            let Fact::Epoch { epoch, by } = fact else { continue };
            if is_within {
                return Some(number);
            }
            is_within = (*epoch, *by) == term;
        }
        is_within.then(|| self.stored())
    }

    /// Where it took over, or does now: the term and the first fact. See `StandbyReferee::take_over`.
    fn taken_over(&self) -> Option<(Term, u64)> {
        let epochs = self.durable.iter().zip(1..).filter_map(|(fact, number)| match fact {
            Fact::Epoch { by, epoch } => Some(((*epoch, *by), number)),
            _ => None,
        });
        let epochs: Vec<(Term, u64)> = epochs.collect();
        let other = epochs.iter().rposition(|((_, by), _)| *by != self.id)?;
        Some(epochs.get(other + 1).copied().unwrap_or((self.event.term(), self.stored() + 1)))
    }

    /// Whether it acts, and all games have been played and told.
    fn is_over(&self, at: Instant) -> bool {
        self.is_acting && self.event.is_over(at) && !self.lease.holds()
    }

    /// Whether it will never act, now that the other has gone home: it only observes, and may not take over.
    fn is_idle(&self, witness: Option<Term>) -> bool {
        let is_denied = witness.is_some_and(|(epoch, by)| epoch > self.event.epoch && by != self.id);
        let may_take_over = self.watch.is_some() && self.event.observer == Some(self.id) && !is_denied;
        self.is_up && self.observes && self.event.referee != self.id && !may_take_over
    }

    /// Takes the facts from a number on out, as the other referee doesn't have them, and starts anew.
    fn go_back(&mut self, number: u64, now: u64) {
        let is_told = |fact: &Fact| matches!(fact, Fact::Observer { .. } | Fact::Epoch { .. });
        let own = self.durable.split_off(number as usize - 1);
        assert!(!own.is_empty() && !own.iter().any(is_told), "facts of a term without a right to it");
        self.start(now);
    }

    /// It was to observe, but nobody acts there.
    fn acts_alone(&mut self) {
        if self.event.referee == self.id && self.watch.is_none() {
            self.observes = false;
        }
    }
}

impl Simulation {
    fn new(seed: u64, bug: Bug) -> Simulation {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut rate = || 0.96 + 0.08 * random.f64();
        let nodes = [Node::new(1, false, rate()), Node::new(2, true, rate())];
        let state = || ClientState::new("-".parse().expect("a time control"));
        let clients = (0..2).map(|_| Client { state: state(), link: None, next: 0, heard: 0 }).collect();
        let mut simulation = Simulation {
            random,
            base: Instant::now(),
            now: 0,
            queue: BTreeMap::new(),
            count: 0,
            order: 0,
            nodes,
            clients,
            client_links: HashMap::new(),
            busy: HashMap::new(),
            peers: HashMap::new(),
            cut_until: 0,
            told: Told::default(),
            thought: [Duration::ZERO; 2],
            bug,
            backs: 0,
            witness: seed.is_multiple_of(2).then_some((0, 0)),
            damage: [0, 8, 40][seed as usize / 2 % 3],
            has_died: false,
            restores: seed / 6 % 2 == 1,
            restored: 0,
        };
        simulation.draw_faults();
        simulation
    }

    /// Draws everything that goes wrong.
    fn draw_faults(&mut self) {
        for node in 0..2 {
            self.nodes[node].start(0);
            self.at(0, Event::Node(node, Some(0), Happening::Tick));
            let begin = self.random.u64(0..1000);
            self.at(begin, Event::Connect(node));
            self.at(begin + 2000, Event::Watch(node));
        }
        for _ in 0..self.random.u32(0..6) {
            let (at, node) = (self.random.u64(0..CALM), self.random.usize(0..2));
            let fault = match self.random.u32(0..3) {
                0 => Event::Node(node, None, Happening::Crash),
                1 => Event::Node(node, None, Happening::Freeze(self.random.u64(1000..9000))),
                _ => Event::Cut(self.random.u64(100..6000)),
            };
            self.at(at, fault);
        }
        if self.restores {
            let (node, copied) = (self.random.usize(0..2), self.random.u64(500..CALM));
            self.at(copied, Event::Node(node, None, Happening::Copy));
            let restored = self.random.u64(copied..CALM + 2000);
            self.at(restored, Event::Node(node, None, Happening::Restore));
        }
    }

    fn at(&mut self, time: u64, event: Event) {
        self.count += 1;
        self.queue.insert((time, self.count), event);
    }

    /// The clock of a referee, which runs at its own rate.
    fn clock(&self, node: usize) -> Instant {
        self.base + Duration::from_secs_f64(self.now as f64 / 1000.0 * self.nodes[node].rate)
    }

    /// Runs the schedule; whether the event came to its end.
    fn run(&mut self) -> bool {
        while let Some(((time, order), event)) = self.queue.pop_first() {
            (self.now, self.order) = (time, order);
            if time > CALM + 60_000 {
                return false;
            }
            self.handle(event);
            if self.is_settled() {
                return true;
            }
        }
        false
    }

    /// Whether the event has come to its end, and everybody who can know it does.
    fn is_settled(&self) -> bool {
        let at = self.late();
        let ends = |one: &Node, other: &Node| {
            let is_left_alone = other.is_dead || (other.is_idle(self.witness) && !one.has_left);
            (one.is_done && (other.is_done || is_left_alone)) || (one.is_over(at) && other.is_dead)
        };
        ends(&self.nodes[0], &self.nodes[1]) || ends(&self.nodes[1], &self.nodes[0])
    }

    /// A moment after all quiet periods.
    fn late(&self) -> Instant {
        self.base + Duration::from_hours(1)
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::Node(node, life, happening) => self.handle_node(node, life, happening),
            Event::Cut(time) => {
                self.cut_until = self.cut_until.max(self.now + time);
                if self.random.bool() {
                    self.peers.values_mut().for_each(|link| link.is_dead = true);
                }
            }
            Event::Connect(client) => self.connect(client),
            Event::ToClient(client, link, text) => self.hear(client, link, text),
            Event::Think(client, link, text) => self.say(client, link, text),
            Event::Watch(client) => {
                self.at(self.now + 2000, Event::Watch(client));
                let Some((node, link)) = self.clients[client].link else { return };
                if self.now > self.clients[client].heard + 7000 {
                    self.leave(client, node, link);
                } else {
                    self.say(client, link, String::new());
                }
            }
        }
    }
}

/// The referees.
impl Simulation {
    fn handle_node(&mut self, number: usize, life: Option<u32>, happening: Happening) {
        let (now, node) = (self.now, &mut self.nodes[number]);
        match happening {
            Happening::Restart if node.is_done => (),
            Happening::Restart => {
                let may_observe = self.random.bool() && self.acts(1 - number);
                let node = &mut self.nodes[number];
                node.observes |= may_observe;
                node.start(now);
                let life = Some(node.life);
                self.at(now, Event::Node(number, life, Happening::Tick));
                if std::mem::take(&mut self.nodes[number].is_old) && self.random.bool() {
                    let at = now + self.random.u64(0..4 * DELAY);
                    self.at(at, Event::Node(1 - number, None, Happening::Crash));
                }
            }
            _ if !node.is_up || life.is_some_and(|life| life != node.life) => (),
            Happening::Freeze(time) => node.frozen_until = node.frozen_until.max(now + time),
            Happening::Copy => node.copy = Some(node.durable.clone()),
            Happening::Restore => self.restore(number),
            Happening::Crash => self.crash(number),
            // What comes to a stopped process waits.
            happening if node.frozen_until > now => {
                let (until, life) = (node.frozen_until, Some(node.life));
                self.queue.insert((until, self.order), Event::Node(number, life, happening));
            }
            happening => self.work(number, happening),
        }
    }

    /// Whether a referee can be observed.
    fn acts(&self, number: usize) -> bool {
        self.now >= self.cut_until && self.nodes[number].is_up && !self.nodes[number].observes
    }

    /// A referee crashes, and its store is replaced by the copy: one with which it waits for the other, or observes it. That one has
    /// all that was told, and does not go home.
    fn restore(&mut self, number: usize) {
        let (node, other) = (&self.nodes[number], &self.nodes[1 - number]);
        let Some(copy) = node.copy.as_ref().filter(|copy| **copy != node.durable) else { return };
        let ((author, named), (author_now, named_now)) = (last_words(copy), last_words(&node.durable));
        let is_needed =
            (author == node.id && named == Some(other.id)) || (node.observes && author == other.id);
        let has_claimed = self.witness.is_some_and(|(epoch, by)| epoch > other.event.epoch && by == node.id);
        let has_all = (named_now, last_words(&other.durable).1) == (Some(other.id), Some(other.id))
            || author_now == other.id;
        let is_in_play = !node.event.has_ended();
        if is_in_play && is_needed && has_all && !has_claimed && !other.is_dead && !other.is_done {
            let durable = copy.clone();
            (self.nodes[number].durable, self.nodes[number].is_old) = (durable, true);
            self.restored += 1;
            self.crash(number);
        }
    }

    fn crash(&mut self, number: usize) {
        let (now, node) = (self.now, &mut self.nodes[number]);
        (node.is_up, node.frozen_until) = (false, 0);
        node.life += 1;
        let clients = std::mem::take(&mut node.clients);
        let other = &self.nodes[1 - number];
        let has_all =
            (other.is_acting || other.is_done) && other.event.epoch >= self.nodes[number].event.epoch;
        // Who has claimed a term and dies before it begins has to come back, or the director decides.
        let has_claimed = self.witness.is_some_and(|(epoch, _)| epoch > other.event.epoch);
        let is_there = other.is_up || other.is_done;
        let is_needed = self.witness.is_none() || self.has_died || has_claimed || !(is_there && has_all);
        let restart = now + self.random.u64(100..4000);
        if is_needed || self.random.bool() {
            self.at(restart, Event::Node(number, None, Happening::Restart));
        } else {
            (self.has_died, self.nodes[number].is_dead) = (true, true);
        }
        self.hang_up(number, clients);
    }

    /// Closes all connections of a referee.
    fn hang_up(&mut self, number: usize, clients: Vec<Link>) {
        for link in clients {
            self.close_client(link);
        }
        let links: Vec<Link> = self.peers.keys().copied().collect();
        for link in links {
            self.close_peer(number, link);
        }
    }

    /// A running process handles an input; first of all it looks at its lease.
    fn work(&mut self, number: usize, happening: Happening) {
        let at = self.clock(number);
        let lost = self.now.saturating_sub(self.nodes[number].ran);
        self.nodes[number].ran = self.now;
        if self.nodes[number].observes {
            self.observe(number, happening, at);
            return;
        }
        if self.nodes[number].successor.is_none() {
            self.keep_lease(number, Duration::from_millis(lost).mul_f64(self.nodes[number].rate), at);
        }
        let node = &mut self.nodes[number];
        match happening {
            Happening::Tick => {
                self.at(self.now + TICK, Event::Node(number, Some(self.nodes[number].life), Happening::Tick));
                self.beat(number, at);
            }
            Happening::Client(ConnectionEvent::Opened(link)) if node.is_acting => {
                node.clients.push(link);
                node.event.handle(ConnectionEvent::Opened(link), at);
            }
            Happening::Client(ConnectionEvent::Opened(link)) => self.close_client(link),
            Happening::Client(ConnectionEvent::Line(link, text)) if node.clients.contains(&link) => {
                node.event.handle(ConnectionEvent::Line(link, text), at);
            }
            Happening::Client(ConnectionEvent::Closed(link)) if node.clients.contains(&link) => {
                node.clients.retain(|&client| client != link);
                node.event.handle(ConnectionEvent::Closed(link), at);
            }
            Happening::Peer(link, text) => self.hear_peer(number, link, &text, at),
            Happening::PeerClosed(link) => node.lease.disconnect(link),
            _ => {}
        }
        if self.nodes[number].is_acting {
            self.nodes[number].event.tick(at);
        }
        if !self.nodes[number].observes {
            self.deliver(number, at);
            self.end(number);
        }
    }

    /// Ends a referee at the event's end, when the other one knows it, too, or was waited for. See `Service::may_go_home`.
    fn end(&mut self, number: usize) {
        let (now, is_other_done) = (self.now, self.nodes[1 - number].is_done);
        let is_over = self.nodes[number].is_over(self.late());
        let node = &mut self.nodes[number];
        if is_over {
            node.over = Some(node.stored());
            let owes = (node.fence.is_some() || node.has_left) && !is_other_done;
            let is_watched = node.observer().is_some() || node.lease.connection().is_some();
            let patience = if owes { END_PATIENCE } else { u64::from(is_watched) * GRACE };
            node.home_at.get_or_insert(now + patience);
            let link = node.lease.connection().filter(|_| node.lease.stored() == node.stored());
            if let Some(link) = link.filter(|_| link != node.told_over) {
                node.told_over = Some(link);
                node.home_at = node.home_at.map(|at| at.min(now + GRACE));
                self.send_peer(number, link, &PeerLine::End);
            }
        }
        let node = &mut self.nodes[number];
        if is_other_done {
            // Its answer was lost, and it is waited for in vain.
            node.home_at = node.home_at.map(|at| at.min(now + GRACE));
        }
        let was_waited_for = node.home_at.is_some_and(|at| now >= at) && node.event.has_ended();
        if (was_waited_for && node.successor.is_none()) || (is_over && self.bug == Bug::GoesHome) {
            self.go_home(number);
        }
    }

    fn go_home(&mut self, number: usize) {
        let node = &mut self.nodes[number];
        (node.is_done, node.is_up) = (true, false);
        node.life += 1;
        let clients = std::mem::take(&mut node.clients);
        self.hang_up(number, clients);
    }

    fn keep_lease(&mut self, number: usize, lost: Duration, at: Instant) {
        let bug = self.bug;
        let node = &mut self.nodes[number];
        match node.lease.step(node.is_acting, node.observer(), node.stored(), at) {
            LeaseStep::Begin => {
                node.event.take_effects();
                (node.is_acting, node.has_acted) = (true, true);
                node.event.open(node.id, at);
                node.fence = node.taken_over();
            }
            LeaseStep::StandDown => {
                node.is_acting = false;
                node.lease.forget();
                let clients = std::mem::take(&mut node.clients);
                restore_anew(&mut node.event, &node.durable);
                for link in clients {
                    self.close_client(link);
                }
            }
            LeaseStep::Act if lost > Duration::from_millis(250) && bug != Bug::ChargesOutages => {
                node.event.outage(lost, at);
            }
            LeaseStep::Wait if self.may_go_on(number) => {
                let node = &mut self.nodes[number];
                node.event.take_effects();
                (node.is_acting, node.has_left) = (true, true);
                node.event.dismiss_observer();
                node.event.open(node.id, at);
            }
            LeaseStep::Act | LeaseStep::Wait => {}
        }
    }

    /// Whether a referee goes on without its observer: the witness lets it, or the director, who knows that the other is lost.
    fn may_go_on(&mut self, number: usize) -> bool {
        let node = &self.nodes[number];
        let has_acted = (node.has_acted && node.home_at.is_none()) || self.bug == Bug::ClaimsWithOldStore;
        let confirmed = &node.durable[..node.lease.stored() as usize];
        let known = confirmed.iter().rev().find_map(|fact| match fact {
            Fact::Epoch { epoch, .. } => Some(*epoch),
            _ => None,
        });
        let first = known.filter(|_| self.bug != Bug::ClaimsLastOnly).unwrap_or(node.event.epoch) + 1;
        (has_acted && self.is_granted(number, first)) || self.nodes[1 - number].is_dead
    }

    /// Claims the terms from a number up to the next one from the witness, which can't always be reached.
    fn is_granted(&mut self, number: usize, first: u64) -> bool {
        let (last, by) = (self.nodes[number].event.epoch + 1, self.nodes[number].id);
        let Some(mut held) = self.witness.filter(|_| self.random.u32(0..4) > 0) else { return false };
        for term in (first..=last).map(|epoch| (epoch, by)) {
            if held != term && term.0 <= held.0 && self.bug != Bug::GrantsTwice {
                return false;
            }
            held = term;
            self.witness = Some(held);
        }
        true
    }

    /// Whether the witness, if there is one, lets a referee take over.
    fn is_let(&mut self, number: usize) -> bool {
        self.witness.is_none() || self.is_granted(number, self.nodes[number].event.epoch + 1)
    }

    fn beat(&mut self, number: usize, at: Instant) {
        let node = &mut self.nodes[number];
        let count = node.stored();
        if let (Some(beat), Some(link)) = (node.lease.beat(at), node.lease.connection()) {
            self.send_peer(number, link, &PeerLine::Alive { beat, count });
        }
        let other = 1 - number;
        if let Some((term, first)) = self.nodes[number].fence
            && (self.now / TICK).is_multiple_of(20)
            && self.now >= self.cut_until
            && self.nodes[other].is_up
        {
            let node = &self.nodes[number];
            // Its own first fact is stored a moment after its term begins.
            let last = if node.is_over(self.late()) && node.stored() >= first { node.stored() } else { 0 };
            self.count += 1;
            let link = self.count;
            self.nodes[number].telling = (last > 0).then_some((link, last));
            self.send_apart(other, link, &PeerLine::Fence { token: TOKEN.to_owned(), term, first, last });
        }
    }

    /// Sends a line over a connection of its own that tells the end.
    fn send_apart(&mut self, to: usize, link: Link, told: &PeerLine) {
        let life = self.nodes[to].life;
        for text in self.on_its_way(told) {
            self.at(self.now + DELAY, Event::Node(to, Some(life), Happening::Peer(link, text)));
        }
    }

    /// A referee that has taken over hears how many facts its predecessor has, and sends it the others up to the last one.
    fn tell_end(&mut self, number: usize, link: Link, last: u64, text: &[u8]) {
        let Some(PeerLine::Stored(count)) = PeerLine::parse(text) else { return };
        if count == last {
            return self.go_home(number);
        }
        let facts = self.nodes[number].durable.get(count as usize..).unwrap_or_default().to_vec();
        for (fact, count) in facts.into_iter().zip(count + 1..) {
            let json = serde_json::to_string(&fact).expect("JSON");
            self.send_apart(1 - number, link, &PeerLine::Fact(count, json));
        }
    }

    /// A referee hears the end from the one that has taken over from it; see `Service::hear_successor`.
    fn hear_successor(&mut self, number: usize, link: Link, last: u64, text: &[u8]) {
        let node = &mut self.nodes[number];
        let stored = node.stored();
        let is_taken = match PeerLine::parse(text) {
            Some(PeerLine::Fact(count, json)) => {
                node.intake.take(&mut node.event, stored, count, &json).is_ok()
            }
            _ => false,
        };
        if is_taken && node.intake.last(stored) < last {
            return;
        }
        if is_taken && node.event.has_ended() {
            self.settle(number);
            assert_eq!(self.nodes[number].stored(), last, "all was told");
            self.send_apart(1 - number, link, &PeerLine::Stored(last));
            self.go_home(number);
        } else {
            self.leave_to_successor(number);
        }
    }

    /// The process ends, and the director starts it again: by its own command, or to observe its successor.
    fn leave_to_successor(&mut self, number: usize) {
        let observes = self.random.bool();
        let node = &mut self.nodes[number];
        let clients = std::mem::take(&mut node.clients);
        node.observes = observes;
        node.life += 1;
        node.start(self.now);
        let life = node.life;
        for link in clients {
            self.close_client(link);
        }
        self.at(self.now + TICK, Event::Node(number, Some(life), Happening::Tick));
    }

    fn hear_peer(&mut self, number: usize, link: Link, text: &[u8], at: Instant) {
        match self.nodes[number].successor {
            Some((known, last)) if known == link => return self.hear_successor(number, link, last, text),
            // The connection before was lost.
            Some(_) => return self.leave_to_successor(number),
            None => {}
        }
        if let Some((_, last)) = self.nodes[number].telling.filter(|(known, _)| *known == link) {
            return self.tell_end(number, link, last, text);
        }
        let node = &mut self.nodes[number];
        let stored = node.stored();
        match self.bug.parse(text) {
            Some(PeerLine::Observe { by, first, term, .. }) => {
                let compared = node.compare(first, term);
                if compared == Comparison::Foreign || node.observer().is_some_and(|observer| observer != by) {
                    let (acts, reason) = (node.is_acting, "its store is of another event".to_owned());
                    self.send_peer(number, link, &PeerLine::Refused { acts, reason });
                    return self.close_peer(number, link);
                }
                if let Comparison::Back(from) | Comparison::Ahead(from) = compared {
                    self.send_peer(number, link, &PeerLine::Back(from));
                    return self.close_peer(number, link);
                }
                node.has_left &= node.event.has_ended();
                node.lease.connect(link, by, first - 1, at);
                let facts: Vec<Fact> = node.durable[first as usize - 1..].to_vec();
                self.send_facts(number, first, facts);
            }
            Some(PeerLine::Stored(count)) if count <= stored => node.lease.confirm(link, count),
            Some(PeerLine::Alive { beat, count }) if count <= stored => {
                node.lease.renew(link, beat);
                node.lease.confirm(link, count);
            }
            Some(PeerLine::Leave) if node.told_over == Some(link) => return self.go_home(number),
            Some(PeerLine::Fence { term, first, last, .. }) if yields(node.event.term(), term) => {
                node.durable.truncate(first as usize - 1);
                if last == 0 {
                    return self.leave_to_successor(number);
                }
                node.start(self.now);
                node.successor = Some((link, last));
                let stored = node.stored();
                self.send_apart(1 - number, link, &PeerLine::Stored(stored));
                return;
            }
            // It was damaged on its way.
            _ => return self.close_peer(number, link),
        }
        let node = &mut self.nodes[number];
        let stored = node.stored() + node.event.unstored();
        if node.lease.appoints(node.is_acting, node.observer(), stored) {
            node.event.record(Fact::Observer { by: node.lease.observer() });
            node.lease.begin(at);
        }
    }

    fn send_facts(&mut self, number: usize, first: u64, facts: Vec<Fact>) {
        let Some(link) = self.nodes[number].lease.connection() else { return };
        for (fact, count) in facts.into_iter().zip(first..) {
            let json = serde_json::to_string(&fact).expect("JSON");
            self.send_peer(number, link, &PeerLine::Fact(count, json));
        }
    }

    /// Stores facts, sends them to the observer, and tells what may be told.
    fn deliver(&mut self, number: usize, at: Instant) {
        let node = &mut self.nodes[number];
        let effects = node.event.take_effects();
        let first = node.stored() + 1;
        for fact in &effects.facts {
            node.durable.push(fact.clone());
        }
        let moved: Vec<(u64, u64)> = effects
            .facts
            .iter()
            .filter_map(
                |fact| if let Fact::Moved { game, used, .. } = fact { Some((*game, *used)) } else { None },
            )
            .collect();
        let facts = effects.facts.clone();
        let stored = node.stored();
        node.lease.hold(stored, effects);
        for (game, used) in moved {
            self.check_clock(number, game, Duration::from_nanos(used));
        }
        self.send_facts(number, first, facts);
        let observer = self.nodes[number].observer().filter(|_| self.bug != Bug::TellsAtOnce);
        while let Some(effects) = self.nodes[number].lease.release(observer) {
            for message in effects.messages {
                self.check(number, &message.line);
                if let Some(&(client, _)) = self.client_links.get(&message.to) {
                    self.send_to_client(client, message.to, Some(message.line));
                }
                if let Some(game) = message.starts {
                    self.nodes[number].event.told(game, at);
                }
            }
            for link in effects.disconnects {
                self.nodes[number].clients.retain(|&client| client != link);
                self.close_client(link);
            }
        }
    }

    /// A referee that observes.
    fn observe(&mut self, number: usize, happening: Happening, at: Instant) {
        match happening {
            Happening::Tick => {
                let life = self.nodes[number].life;
                self.at(self.now + TICK, Event::Node(number, Some(life), Happening::Tick));
                self.watch(number, at);
            }
            Happening::Client(ConnectionEvent::Opened(link)) => self.close_client(link),
            Happening::PeerClosed(link) if self.nodes[number].link == Some(link) => self.unfollow(number),
            Happening::Peer(link, text) if self.nodes[number].link == Some(link) => {
                self.hear_observed(number, link, &text, at);
            }
            _ => {}
        }
    }

    /// An observer hears the referee that it observes.
    fn hear_observed(&mut self, number: usize, link: Link, text: &[u8], at: Instant) {
        let node = &mut self.nodes[number];
        let stored = node.stored();
        let Some(told) = PeerLine::parse(text) else { return self.unfollow(number) };
        if matches!(told, PeerLine::Fact(..) | PeerLine::Alive { .. }) {
            node.watch = Some(Watch::new(at));
        }
        match told {
            PeerLine::Fact(count, json) => match node.intake.take(&mut node.event, stored, count, &json) {
                Ok(()) => {
                    // Facts that arrive together are stored together.
                    if (node.is_current || !node.needs_all) && self.random.bool() {
                        self.settle(number);
                        let stored = self.nodes[number].stored();
                        self.send_peer(number, link, &PeerLine::Stored(stored));
                    }
                }
                Err(NotTaken::Gap(_)) => self.unfollow(number),
                Err(NotTaken::Misfit(why)) => panic!("a fact of another referee does not fit: {why}"),
            },
            PeerLine::Alive { count, .. } if count > node.intake.last(stored) => self.unfollow(number),
            PeerLine::Alive { beat, .. } => {
                node.is_current = true;
                self.settle(number);
                let count = self.nodes[number].stored();
                self.send_peer(number, link, &PeerLine::Alive { beat, count });
            }
            PeerLine::Back(first) => {
                self.unfollow(number);
                let node = &mut self.nodes[number];
                if node.event.referee == node.id || self.bug == Bug::GoesBackWithTheOther {
                    node.go_back(first, self.now);
                    self.backs += 1;
                } else if node.event.observer == Some(node.id) && self.is_let(number) {
                    // The other one has an older copy of what it told.
                    let node = &mut self.nodes[number];
                    (node.watch, node.observes) = (None, false);
                }
            }
            PeerLine::End if node.event.has_ended() => {
                self.settle(number);
                self.send_peer(number, link, &PeerLine::Leave);
                self.go_home(number);
            }
            // A fact before it was lost.
            PeerLine::End => self.unfollow(number),
            // See `StandbyReferee::watch`.
            PeerLine::Refused { acts, .. } if !acts || node.observer().is_some() => {
                self.unfollow(number);
                self.nodes[number].acts_alone();
            }
            other => panic!("an observer hears {other:?}"),
        }
    }

    /// An observer leaves the connection to the referee that it observes.
    fn unfollow(&mut self, number: usize) {
        if self.bug == Bug::ForgetsToStore {
            self.nodes[number].intake.forget();
        }
        let node = &mut self.nodes[number];
        if node.is_current || !node.needs_all {
            self.settle(number);
        } else {
            let Ok(()) = node.intake.discard(&mut node.event, &node.durable);
        }
        if let Some(link) = self.nodes[number].link.take() {
            self.close_peer(number, link);
        }
    }

    fn settle(&mut self, number: usize) {
        let node = &mut self.nodes[number];
        let Ok(_) = node.intake.settle(&mut node.event, &mut node.durable);
    }

    fn watch(&mut self, number: usize, at: Instant) {
        let bug = self.bug;
        let is_silent = |watch: Option<Watch>| watch.is_some_and(|watch| watch.is_over(at));
        if self.nodes[number].watch.is_none()
            && is_silent(self.nodes[number].tried.take_if(|watch| watch.is_over(at)))
        {
            // Nobody answers over this connection.
            self.unfollow(number);
            self.nodes[number].acts_alone();
        }
        if is_silent(self.nodes[number].watch) {
            self.unfollow(number);
            let node = &self.nodes[number];
            let is_current = node.is_current || bug == Bug::TakesOverWithOldStore;
            let may_try = is_current && node.event.observer == Some(node.id) || bug == Bug::TakesOverUnnamed;
            // If the witness denies it the term, it asks the referee again.
            if !may_try || self.is_let(number) {
                let node = &mut self.nodes[number];
                (node.watch, node.observes) = (None, !may_try);
                return;
            }
        }
        if self.nodes[number].link.is_some() {
            return;
        }
        if !self.acts(1 - number) {
            self.nodes[number].acts_alone();
        } else if self.nodes[number].observes {
            self.count += 1;
            let link = self.count;
            let lives = [self.nodes[0].life, self.nodes[1].life];
            self.peers.insert(link, PeerLink { lives, is_dead: false, busy_until: [0; 2] });
            let node = &mut self.nodes[number];
            (node.link, node.tried) = (Some(link), Some(Watch::new(at)));
            node.needs_all = node.event.referee == node.id && self.bug != Bug::StoresInParts;
            let (by, first, term) = (node.id, node.stored() + 1, node.event.term());
            let (token, settings) = (TOKEN.to_owned(), 0);
            self.send_peer(number, link, &PeerLine::Observe { token, by, first, term, settings });
        }
    }

    /// Sends a line to the other referee: in order, late if the line is cut, or never if the connection is dead.
    fn send_peer(&mut self, from: usize, link: Link, told: &PeerLine) {
        let delay = self.random.u64(0..DELAY);
        let lines = self.on_its_way(told);
        let Some(peer) = self.peers.get_mut(&link).filter(|peer| !peer.is_dead) else { return };
        let to = 1 - from;
        let at = (self.now.max(self.cut_until) + delay).max(peer.busy_until[to]);
        peer.busy_until[to] = at;
        let life = peer.lives[to];
        for text in lines {
            self.at(at, Event::Node(to, Some(life), Happening::Peer(link, text)));
        }
    }

    /// What arrives of a line: itself, or nothing, itself twice, or something damaged.
    fn on_its_way(&mut self, line: &PeerLine) -> Vec<Vec<u8>> {
        let mut bytes = line.encode().into_bytes();
        bytes.pop();
        if self.damage == 0 || self.now > CALM || self.random.u32(0..self.damage) > 0 {
            return vec![bytes];
        }
        let place = self.random.usize(0..bytes.len());
        match self.random.u32(0..6) {
            0 => return Vec::new(),
            1 => return vec![bytes.clone(), bytes],
            2 => bytes.truncate(place),
            // One digit becomes another: the worst that can happen to a number.
            3 | 4 => {
                let digits: Vec<usize> = (9..bytes.len()).filter(|&at| bytes[at].is_ascii_digit()).collect();
                if let Some(&place) = self.random.choice(&digits) {
                    bytes[place] = b'0' + (bytes[place] - b'0' + self.random.u8(1..10)) % 10;
                } else {
                    bytes[place] ^= 1;
                }
            }
            _ => bytes[place] ^= 1 << self.random.u8(0..8),
        }
        vec![bytes]
    }

    fn close_peer(&mut self, from: usize, link: Link) {
        self.nodes[from].lease.disconnect(link);
        let Some(peer) = self.peers.remove(&link).filter(|peer| !peer.is_dead) else { return };
        let to = 1 - from;
        let at = (self.now.max(self.cut_until) + DELAY).max(peer.busy_until[to]);
        self.at(at, Event::Node(to, Some(peer.lives[to]), Happening::PeerClosed(link)));
    }
}

/// The clients.
impl Simulation {
    fn connect(&mut self, client: usize) {
        if self.clients[client].link.is_some() {
            return;
        }
        let number = self.clients[client].next;
        self.clients[client].next = 1 - number;
        if !self.nodes[number].is_up || self.nodes[number].observes {
            return self.at(self.now + 150, Event::Connect(client));
        }
        self.count += 1;
        let link = self.count;
        self.client_links.insert(link, (client, number));
        self.clients[client].link = Some((number, link));
        self.clients[client].heard = self.now;
        let name = ["A", "B"][client];
        let mut record = self.clients[client].state.sign_on(name, None, true);
        if let Request::SignOn(sign_on) = &mut record.request {
            sign_on.heartbeat = true;
        }
        self.send_to_node(link, ConnectionEvent::Opened(link));
        self.send_to_node(link, ConnectionEvent::Line(link, record.to_string()));
    }

    fn leave(&mut self, client: usize, node: usize, link: Link) {
        self.send_to_node(link, ConnectionEvent::Closed(link));
        self.clients[client].link = None;
        self.clients[client].next = 1 - node;
        self.at(self.now + 100, Event::Connect(client));
    }

    fn say(&mut self, client: usize, link: Link, text: String) {
        if self.clients[client].link.is_some_and(|(_, present)| present == link) {
            self.send_to_node(link, ConnectionEvent::Line(link, text));
        }
    }

    fn send_to_node(&mut self, link: Link, event: ConnectionEvent) {
        let Some(&(_, node)) = self.client_links.get(&link) else { return };
        let at = self.in_order(link, true);
        let life = self.nodes[node].life;
        self.at(at, Event::Node(node, Some(life), Happening::Client(event)));
    }

    fn send_to_client(&mut self, client: usize, link: Link, text: Option<String>) {
        let at = self.in_order(link, false);
        self.at(at, Event::ToClient(client, link, text));
    }

    fn close_client(&mut self, link: Link) {
        if let Some(&(client, _)) = self.client_links.get(&link) {
            self.send_to_client(client, link, None);
        }
    }

    fn in_order(&mut self, link: Link, is_up: bool) -> u64 {
        let at = self.now + self.random.u64(0..DELAY);
        let busy = self.busy.entry((link, is_up)).or_default();
        *busy = at.max(*busy);
        *busy
    }

    fn hear(&mut self, client: usize, link: Link, text: Option<String>) {
        let Some((node, _)) = self.clients[client].link.filter(|(_, present)| *present == link) else {
            return;
        };
        let Some(text) = text else {
            return self.leave(client, node, link);
        };
        self.clients[client].heard = self.now;
        if text.is_empty() {
            return;
        }
        match self.clients[client].state.hear(&text) {
            Ok(ClientTask::Respond) => self.think(client, link),
            Ok(ClientTask::Repeat(record)) => self.say(client, link, record.to_string()),
            Ok(ClientTask::Disconnect(_) | ClientTask::Alarm(_)) | Err(_) => self.leave(client, node, link),
            Ok(_) => {}
        }
    }

    fn think(&mut self, client: usize, link: Link) {
        let time = self.random.u64(20..1200);
        self.thought[client] = Duration::from_millis(time);
        let state = &mut self.clients[client].state;
        let game = state.game();
        let moves = game.legal_moves();
        let answer = match self.random.u32(0..20) {
            0 => Response::Resign,
            _ => answer_with(game, moves[self.random.usize(..moves.len())], Remark::None),
        };
        let record: ClientRecord = state.reply(answer, Analysis::default()).expect("legal");
        self.at(self.now + time, Event::Think(client, link, record.to_string()));
    }
}

/// What must never happen.
impl Simulation {
    fn check(&mut self, number: usize, text: &str) {
        let Ok(directive) = text.parse::<Directive>() else { return };
        if let Some(epoch) = directive.epoch {
            let known = *self.told.epochs.entry(epoch).or_insert(number);
            assert_eq!(known, number, "two referees call themselves epoch {epoch}");
        }
        let Some(game) = directive.game.map(std::num::NonZeroU32::get) else { return };
        if let Some((_, result)) =
            directive.tags.iter().find(|(name, value)| name == "Result" && value != "*")
        {
            let known = self.told.results.entry(game).or_insert_with(|| result.clone());
            assert_eq!(known, result, "two results of game {game}");
        }
        if let (Moves::Supplied(mv), Some(fullmoves)) = (&directive.moves, directive.counters.fullmoves) {
            let is_black = text.split(' ').nth(1) == Some("b");
            let ply = 2 * (fullmoves.get() as usize - 1) + usize::from(is_black);
            let known = self.told.moves.entry((game, ply)).or_insert_with(|| mv.text().clone());
            assert_eq!(*known, mv.text(), "two moves of game {game}, ply {ply}");
        }
    }

    /// Nobody is charged for more than it has thought.
    fn check_clock(&self, number: usize, game: u64, used: Duration) {
        let node = &self.nodes[number];
        let mover = node.event.live_games.get(&game).map(|live| live.program(!live.to_move()));
        if let Some(mover) = mover {
            let most = self.thought[mover].mul_f64(1.05) + SLACK;
            assert!(used <= most, "{used:?} charged for {:?}", self.thought[mover]);
        }
    }

    /// All that was told is part of the event in the end, at each referee that knows the end.
    fn check_end(&self) {
        let at = self.late();
        let knowing: Vec<&Node> = self.nodes.iter().filter(|node| node.is_done || node.is_over(at)).collect();
        assert!(!knowing.is_empty(), "the event is over");
        for node in knowing {
            self.check_told(node);
        }
    }

    fn check_told(&self, node: &Node) {
        let mut moves: HashMap<u32, Vec<&str>> = HashMap::new();
        let mut results: HashMap<u32, String> = HashMap::new();
        for fact in &node.durable {
            match fact {
                Fact::Moved { game, mv, .. } => moves.entry(*game as u32 + 1).or_default().push(mv),
                Fact::Ended { game, outcome, .. } => {
                    let outcome: Outcome = outcome.0;
                    let before = results.insert(*game as u32 + 1, outcome.result().to_owned());
                    assert!(before.is_none(), "game {} has ended twice", game + 1);
                }
                _ => {}
            }
        }
        for (&(game, ply), san) in &self.told.moves {
            let coordinates = moves.get(&game).and_then(|moves| moves.get(ply)).copied();
            let mut board = game::Game::default();
            for mv in moves.get(&game).into_iter().flatten().take(ply) {
                board.play(board.parse_move(mv).expect("legal")).expect("legal");
            }
            let told = board.parse_move(san).expect("a told move is legal");
            assert_eq!(coordinates, Some(&*board.coordinate(told)), "a told move of game {game} is lost");
        }
        for (game, result) in &self.told.results {
            assert_eq!(results.get(game), Some(result), "a told result is lost");
        }
    }
}

/// Runs a schedule. Returns whether its event came to its end, how many terms anybody was told of, how often a former referee went
/// back, and how often an older copy of a store was put in its place.
fn run(seed: u64, bug: Bug) -> (bool, usize, usize, usize) {
    let mut simulation = Simulation::new(seed, bug);
    let is_complete = simulation.run();
    if is_complete {
        simulation.check_end();
    }
    (is_complete, simulation.told.epochs.len(), simulation.backs, simulation.restored)
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().and_then(|number| number.parse().ok())
}

#[test]
fn two_referees_never_contradict_each_other() {
    if let Some(seed) = number("HERALD_SCHEDULE") {
        assert!(run(seed, Bug::None).0, "schedule {seed} does not end");
        return;
    }
    let schedules = number("HERALD_SCHEDULES").unwrap_or(2000);
    let first = number("HERALD_FIRST").unwrap_or(0);
    let part = |begin: u64| {
        let mut sums = [0; 3];
        for seed in (first + begin..first + schedules).step_by(2) {
            let done = std::panic::catch_unwind(|| run(seed, Bug::None));
            let (is_complete, terms, backs, restored) = done.unwrap_or_else(|_| panic!("schedule {seed}"));
            assert!(is_complete, "schedule {seed} does not end");
            sums = [sums[0] + terms, sums[1] + backs, sums[2] + restored];
        }
        sums
    };
    let sums = std::thread::scope(|scope| {
        let threads = [0, 1].map(|begin| scope.spawn(move || part(begin)));
        threads.map(|thread| thread.join().expect("all schedules hold"))
    });
    let [terms, backs, restored] = std::array::from_fn(|at| sums[0][at] + sums[1][at]);
    println!(
        "{schedules} schedules from {first} on, {terms} terms, {backs} times back, {restored} older copies"
    );
    assert!(
        schedules < 1000 || (backs > 0 && restored > 0),
        "no former referee went back, or no store was restored"
    );
    assert!(terms as u64 > schedules * 5 / 4, "too few take-overs: {terms}");
}

#[test]
fn the_simulation_finds_bugs_that_are_put_in() {
    for (bug, first, expected) in [
        (Bug::TellsAtOnce, 0, "two moves"),
        (Bug::TakesOverUnnamed, 0, ""),
        (Bug::ChargesOutages, 0, "charged for"),
        (Bug::GrantsTwice, 0, ""),
        (Bug::ForgetsToStore, 0, ""),
        (Bug::BelievesAll, 0, ""),
        (Bug::GoesHome, 0, "does not end"),
        (Bug::GoesBackWithTheOther, 0, ""),
        (Bug::TakesOverWithOldStore, 1000, ""),
        (Bug::StoresInParts, 22_600, ""),
        (Bug::ClaimsLastOnly, 97_700, ""),
        (Bug::ClaimsWithOldStore, 0, ""),
    ] {
        let found = (first..first + 5000).find_map(|seed| {
            let done = std::panic::catch_unwind(|| run(seed, bug));
            match done {
                Ok((true, ..)) => None,
                Ok((false, ..)) => Some((seed, "the event does not end".to_owned())),
                Err(why) => Some((seed, why.downcast_ref::<String>().cloned().unwrap_or_default())),
            }
        });
        let (seed, why) = found.expect("the bug is found");
        println!("found with schedule {seed}: {why}");
        assert!(why.contains(expected), "schedule {seed}: {why}");
    }
}
