//! The live page of a match on this machine: the page of an event, fed by the match runner.
//!
//! The threads that play keep the games in play up to date; a thread of its own answers the page's requests.

use std::collections::{BTreeMap, VecDeque};
use std::fs;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use game::{Clock, PgnTags};
use serde::Serialize;
use serde_json::{Value, json};
use shakmaty::ByColor;
use tokio::runtime::Runtime;
use tokio::sync::broadcast;

use super::page::{self, MOST_RECENT, PageSource, PageUpdate, ShowGame, is_recent};
use super::{ConnectionLimits, ServiceError, ServiceMessage, network_runtime};
use crate::referee::GameSummary;
use crate::referee::view::{GameInPlay, finished_row, standing_row, unix_millis};
use crate::schedule::Fixture;
use crate::table::GameRecord;
use crate::{Adjudication, Match, MatchWatcher};

/// What the page tells about a match.
#[derive(Clone, Debug)]
pub struct PageHeading {
    /// Name of the event.
    pub event: String,
    /// Its site; `?` if it is unknown.
    pub site: String,
    /// The time controls.
    pub control: String,
    /// Names of the programs, by their numbers.
    pub names: Vec<String>,
    /// Adjudication rules.
    pub adjudication: Adjudication,
}

/// Number of finished games that the page lists and shows. All games are in the PGN file.
const MOST_FINISHED: usize = 200;

/// A page that is being served. It ends when this is dropped.
pub struct MatchPage {
    /// The local address.
    pub address: SocketAddr,
    shared: Arc<Mutex<PageData>>,
    watchers: broadcast::Sender<PageUpdate>,
    network: Option<Runtime>,
}

/// What is shown.
struct PageData {
    heading: PageHeading,
    /// The file of all games.
    pgn: Option<PathBuf>,
    playing: BTreeMap<u64, ShownGame>,
    finished: VecDeque<ShownGame>,
    table: Vec<Value>,
    figures: Vec<MatchFigure>,
    log: Vec<String>,
}

/// A figure that a page shows large.
#[derive(Clone, Debug, Serialize)]
pub struct MatchFigure {
    /// What it is: `Elo of A`.
    pub label: String,
    /// The figure with its error.
    pub value: String,
    /// What belongs to it: on which games it rests, or its bounds.
    pub note: String,
}

/// A game with its clock, which is at rest once the game is over.
struct ShownGame {
    fixture: Fixture,
    record: GameRecord,
    clock: Clock,
}

/// Maximum number of connections to the page of a match.
const MOST_CONNECTIONS: usize = 64;

impl MatchPage {
    /// Serves the page of a match at an address. Port 0 means any free port.
    ///
    /// # Errors
    /// The address cannot be used.
    pub fn serve(address: SocketAddr, heading: PageHeading, pgn: Option<PathBuf>) -> io::Result<MatchPage> {
        let network = network_runtime()?;
        let (service, inbox) = mpsc::channel();
        let watchers = page::channel();
        // The games need file descriptors, too.
        let limits = ConnectionLimits { connections: MOST_CONNECTIONS, ..ConnectionLimits::default() };
        let address = {
            let _inside = network.enter();
            page::serve(address, limits, service, watchers.clone(), None, None)?
        };
        let (playing, finished) = (BTreeMap::new(), VecDeque::new());
        let (table, figures, log) = (Vec::new(), Vec::new(), Vec::new());
        let data = PageData { heading, pgn, playing, finished, table, figures, log };
        let shared = Arc::new(Mutex::new(data));
        let answering = Arc::clone(&shared);
        // It ends with the network, which holds the other end of the channel.
        thread::Builder::new().name("page".to_owned()).spawn(move || answer_all(&inbox, &answering))?;
        Ok(MatchPage { address, shared, watchers, network: Some(network) })
    }

    /// Shows the standings of the match, figures, and lines about it.
    pub fn update(&self, game: &Match, figures: Vec<MatchFigure>, log: Vec<String>) {
        let mut data = self.lock();
        (data.table, data.figures, data.log) = (data.heading.table(game), figures, log);
        drop(data);
        self.tell(PageUpdate::Changed);
    }

    fn lock(&self) -> MutexGuard<'_, PageData> {
        locked(&self.shared)
    }

    /// Sends an update to the open pages.
    fn tell(&self, update: PageUpdate) {
        // Sending fails only if no page is open.
        let _ = self.watchers.send(update);
    }
}

impl Drop for MatchPage {
    fn drop(&mut self) {
        if let Some(network) = self.network.take() {
            network.shutdown_timeout(Duration::from_millis(100));
        }
    }
}

impl MatchWatcher for MatchPage {
    fn played(&self, fixture: &Fixture, record: &GameRecord, clock: &Clock) {
        let mut data = self.lock();
        let known = data.playing.get_mut(&fixture.number);
        if !known.is_some_and(|known| known.follow(record, clock)) {
            let shown = ShownGame { fixture: *fixture, record: record.clone(), clock: clock.clone() };
            data.playing.insert(fixture.number, shown);
        }
        let is_new = record.moves.is_empty();
        let shown = (self.watchers.receiver_count() > 0).then(|| data.json(fixture.number, true)).flatten();
        drop(data);
        if is_new {
            self.tell(PageUpdate::Changed);
        } else if let Some(game) = shown {
            self.tell(PageUpdate::Game(game.to_string()));
        }
    }

    fn ended(&self, fixture: &Fixture, record: &GameRecord) {
        let mut data = self.lock();
        let clock = data.playing.remove(&fixture.number).map(|known| known.clock);
        if record.outcome.is_none() {
            return;
        }
        if data.finished.len() == MOST_FINISHED {
            data.finished.pop_front();
        }
        let clock = clock.unwrap_or_else(|| record.clock());
        data.finished.push_back(ShownGame { fixture: *fixture, record: record.clone(), clock });
    }
}

impl ShownGame {
    /// Plays the last move of the record; `false` if the record has more moves than that. A copy of the whole record for
    /// each move would cost more than the move.
    fn follow(&mut self, record: &GameRecord, clock: &Clock) -> bool {
        let (Some(&m), Some(played)) = (record.game.moves().last(), record.moves.last()) else {
            return false;
        };
        let is_next = self.record.game.ply() + 1 == record.game.ply() && self.record.game.play(m).is_ok();
        if is_next {
            self.record.moves.push(played.clone());
            self.clock.clone_from(clock);
        }
        is_next
    }
}

impl PageHeading {
    /// Describes the standings, best first.
    fn table(&self, game: &Match) -> Vec<Value> {
        let standings = &game.standings;
        let ranking = standings.ranking();
        let row = |&program: &usize| {
            let figures = standings.figures(program, &game.schedule);
            standing_row(&self.names[program], &figures, standings, &ranking)
        };
        ranking.iter().map(row).collect()
    }

    fn names_of(&self, fixture: &Fixture) -> ByColor<&str> {
        ByColor { white: fixture.white, black: fixture.black }.map(|program| self.names[program].as_str())
    }
}

impl PageData {
    /// Describes a game in play.
    fn json(&self, number: u64, is_full: bool) -> Option<Value> {
        let ShownGame { fixture, record, clock } = self.playing.get(&number)?;
        let names = self.heading.names_of(fixture);
        let adjudication = &self.heading.adjudication;
        let (paused, gone, opinions) = (false, Vec::new(), None);
        let game =
            GameInPlay { fixture, names, record, clock, paused, gone, adjudication, opinions, is_full };
        Some(game.json(Instant::now()))
    }
}

impl PageSource for PageData {
    fn state(&self) -> Value {
        let PageHeading { event, site, control, .. } = &self.heading;
        let finished = self.finished.iter().filter_map(|ShownGame { fixture, record, .. }| {
            let (began, lasted, plies) = (record.started, record.lasted, record.moves.len() as u32);
            // The page of a match shows neither details nor the times that were used.
            let (outcome, detail, used) = (record.outcome?, String::new(), ByColor::default());
            let game = GameSummary { fixture: *fixture, outcome, detail, plies, used, began, lasted };
            Some(finished_row(&game, self.heading.names_of(fixture)))
        });
        json!({
            "event": event, "site": site, "control": control, "table": self.table, "figures": self.figures, "log": self.log, "directed": false,
            "now": unix_millis(SystemTime::now()),
            "finished": finished.collect::<Vec<_>>(),
            "running": self.playing.keys().filter_map(|number| self.json(*number, false)).collect::<Vec<_>>(),
        })
    }

    fn find(&self, number: u64, show: ShowGame<'_>) -> Result<Option<String>, ServiceError> {
        let finished = self.finished.iter().rev().find(|shown| shown.fixture.number == number);
        Ok(self.playing.get(&number).or(finished).map(|game| show(&game.fixture, &game.record, None)))
    }

    fn live(&self, show: ShowGame<'_>) -> Result<String, ServiceError> {
        let now = SystemTime::now();
        let recent = |shown: &&ShownGame| is_recent(shown.record.started + shown.record.lasted, now);
        let ended = self.finished.iter().filter(recent);
        let skipped = ended.clone().count().saturating_sub(MOST_RECENT);
        let games = ended.skip(skipped).chain(self.playing.values());
        Ok(games.map(|game| show(&game.fixture, &game.record, None)).collect())
    }

    fn all_pgn(&self) -> Option<String> {
        let (tags, fields) = (self.tags(), players::PgnFields::default());
        let games = self.finished.iter().map(|game| game.record.pgn_of(&game.fixture, &tags, &fields));
        self.pgn.as_ref().map_or_else(|| Some(games.collect()), |path| fs::read_to_string(path).ok())
    }

    fn tags(&self) -> PgnTags {
        let mut tags = PgnTags::default();
        tags.set("Event", &self.heading.event);
        tags.set("Site", &self.heading.site);
        tags
    }
}

fn locked(shared: &Mutex<PageData>) -> MutexGuard<'_, PageData> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Answers the requests of the page until its server has ended.
fn answer_all(inbox: &Receiver<ServiceMessage>, shared: &Mutex<PageData>) {
    while let Ok(message) = inbox.recv() {
        match message {
            ServiceMessage::Query(query, answer) => {
                let found = page::answer(&*locked(shared), &query).ok().flatten();
                // Sending fails only if the page has closed the request.
                drop(answer.send(found));
            }
            ServiceMessage::Command(_, answer) => {
                drop(answer.send(Err("no orders are taken here".to_owned())));
            }
            // Connections that were refused; and what only a referee's listeners send.
            _ => {}
        }
    }
}
