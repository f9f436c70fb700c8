//! A simulation of two referees and their clients: every message, clock, crash, freeze, broken and damaged line is drawn from a
//! seed, and time passes as the schedule wants it. It uses the real event, clients and rules of the two referees (`reign.rs`,
//! `observation.rs`); only sockets, files and the director are played.
//!
//! `HERALD_SCHEDULES=100000` sets the number of schedules and `HERALD_FIRST=100000` the first of them, `HERALD_SCHEDULE=17` runs one.

mod checks;
mod clients;
mod referees;

use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant};

use game::Outcome;
use messages::referee::{
    Analysis, ClientRecord, ClientState, ClientTask, Directive, Moves, Remark, Request, Response, answer_with,
};

use super::history::{History, Note};
use super::intake::{FactStore, MemoryStore};
use super::lease::{Term, Watch};
use super::observation::{AfterParting, ObserverStep, Parting};
use super::peer_line::{PeerLine, checksum};
use super::reign::{Heard, Referee, Refusal, ReignStep};
use super::server::Grants;
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

/// A referee. Of `referee` the store survives a crash.
#[expect(clippy::struct_excessive_bools, reason = "they say different things")]
struct Node {
    id: u64,
    referee: Referee<MemoryStore, Effects>,
    observes: bool,
    life: u32,
    is_up: bool,
    frozen_until: u64,
    ran: u64,
    rate: f64,
    clients: Vec<Link>,
    /// The connection to the observed referee, and since when it exists.
    link: Option<Link>,
    tried: Option<Watch>,
    /// What it tells the referee from which it has taken over: its term, and the first fact that is not shared.
    fence: Option<(Term, u64)>,
    /// The connection over which it has told the end, and the number of the last fact.
    telling: Option<(Link, u64)>,
    /// Whether it has the end of the event, and has gone home.
    is_done: bool,
    /// Whether it has died for good.
    is_dead: bool,
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
    witness: Option<Grants>,
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

/// The referee that begins the event.
const FOUNDER: u64 = 1;

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
        let store = MemoryStore { history: History::new(id), ..MemoryStore::default() };
        Node {
            id,
            referee: Referee::new(empty_event(), store),
            observes,
            life: 0,
            is_up: true,
            frozen_until: 0,
            ran: 0,
            rate,
            clients: Vec::new(),
            link: None,
            tried: None,
            fence: None,
            telling: None,
            is_done: false,
            is_dead: false,
            copy: None,
            is_old: false,
        }
    }

    /// The process begins, with what is stored.
    fn start(&mut self, now: u64, at: Instant) {
        let (store, mut event) = (std::mem::take(&mut self.referee.store), empty_event());
        for fact in &store.facts {
            event.restore(fact).expect("what is stored fits");
        }
        event.take_effects();
        self.referee = Referee::new(event, store);
        (self.is_up, self.link, self.telling, self.ran) = (true, None, None, now);
        self.clients.clear();
        if !self.observes {
            self.serve(at);
        }
    }

    /// Begins to serve the event. See `Service::run`.
    fn serve(&mut self, at: Instant) {
        self.fence = self.referee.store.history.taken_over();
        self.referee.owes_end = self.fence.is_some();
        if self.referee.store.history.is_over() {
            self.referee.wait_at_the_end(at);
        }
    }

    /// It observes no more: it acts, or waits until it may.
    fn take_over(&mut self, at: Instant) {
        (self.referee.observation.watch, self.observes) = (None, false);
        self.serve(at);
    }

    /// It observes no more if it was the last to act.
    fn go_on(&mut self, at: Instant) {
        if self.referee.has_acted_last() {
            self.take_over(at);
        }
    }

    fn stored(&self) -> u64 {
        self.referee.store.history.count()
    }

    /// Whether it acts, and all games have been played and told.
    fn is_over(&self, at: Instant) -> bool {
        self.referee.is_acting() && self.referee.event.is_over(at) && !self.referee.lease.holds()
    }

    /// Whether it will never act, now that the other has gone home: it only observes, and may not take over.
    fn is_idle(&self, witness: Option<Term>) -> bool {
        let is_denied = witness.is_some_and(|(epoch, by)| epoch > self.referee.event.epoch && by != self.id);
        let is_named =
            self.referee.observation.watch.is_some() && self.referee.event.observer == Some(self.id);
        let may_take_over = is_named && !is_denied;
        self.is_up && self.observes && self.referee.event.referee != self.id && !may_take_over
    }

    /// Takes the facts from a number on out, as the other referee doesn't have them.
    fn go_back(&mut self, number: u64) {
        let Ok(own) = self.referee.go_back(number);
        assert!(own.is_some(), "facts of a term without a right to it");
    }
}

impl Simulation {
    fn new(seed: u64, bug: Bug) -> Simulation {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut rate = || 0.96 + 0.08 * random.f64();
        let nodes = [Node::new(FOUNDER, false, rate()), Node::new(2, true, rate())];
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
            witness: seed.is_multiple_of(2).then(Grants::default),
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
            let at = self.clock(node);
            self.nodes[node].start(0, at);
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

    /// The latest term that the witness has granted, if there is one.
    fn granted(&self) -> Option<Term> {
        self.witness.as_ref().map(|grants| grants.held(FOUNDER).unwrap_or_default())
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
            let is_left_alone =
                other.is_dead || (other.is_idle(self.granted()) && !one.referee.store.history.has_left);
            // It waits a minute for the other, and goes home: nothing is left to be played.
            let has_all = other.observes && other.referee.event.has_ended() && other.stored() == one.stored();
            (one.is_done && (other.is_done || is_left_alone || has_all)) || (one.is_over(at) && other.is_dead)
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
        (Bug::StoresInParts, 178_800, ""),
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
