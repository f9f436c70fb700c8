//! Delivery of outputs: first to the store, then to observers, then to clients.
//!
//! All facts from one batch of inputs are stored in one transaction. A reply whose effect anybody was told of is never
//! lost; a reply that was lost with the referee is sent again by the client. Sent lines are in the log too, which is
//! written before they are sent.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use game::{PgnTags, counted};
use serde_json::Value;

use super::files::EventFiles;
use super::page::{self, MOST_RECENT, PageSource, PageUpdate, ShowGame, is_recent};
use super::{ConnectionLimits, Held, Service, ServiceEnd, ServiceError, ServiceMessage};
use crate::referee::live_game::LiveGame;
use crate::referee::view::Opinions;
use crate::referee::{
    ConnectionEvent, ConnectionId, Effects, EventState, EventStore, Fact, FinishedGame, Notice,
    OutgoingMessage, Proof, view,
};

/// Number of bytes that are logged of a stranger's line.
const LONGEST_OF_STRANGERS: usize = 500;
/// Maximum number of games that the open pages are told at the end.
const MOST_LAST: usize = 8;
/// Time for connections to close at the end of the service.
const FAREWELL: Duration = Duration::from_secs(2);

impl Service {
    /// Stores new facts and sends them to the observer; then tells what rests on facts that the observer has.
    pub(super) fn deliver(&mut self, tell: &mut dyn FnMut(&Notice)) -> Result<(), ServiceError> {
        let mut effects = self.referee.event.take_effects();
        for Proof { connection, program, secret } in effects.proofs.drain(..) {
            if let Some(output) = self.connections.get(&connection) {
                let program = &self.referee.event.settings.programs[program];
                self.proofs.check(connection, output.address, program, secret);
            }
        }
        self.referee.store.commit(&effects.facts)?;
        self.share(&effects.facts);
        self.referee.lease.hold(self.referee.store.count(), Held::Effects(effects));
        self.release(tell)
    }

    /// Tells what rests on facts that the observer has.
    pub(super) fn release(&mut self, tell: &mut dyn FnMut(&Notice)) -> Result<(), ServiceError> {
        let observer = self.referee.observer();
        let confirmed = observer.map_or(u64::MAX, |_| self.referee.lease.stored());
        self.referee.store.mark_shown(confirmed.min(self.referee.store.count()))?;
        while let Some(held) = self.referee.lease.release(observer) {
            match held {
                Held::Effects(effects) => self.publish(effects, tell)?,
                // Sending fails only if nobody waits for the answer any more.
                Held::Answer(done, answer) => {
                    // Pausing a game is no fact, so the page has to be told explicitly.
                    let _ = self.watchers.send(PageUpdate::Changed);
                    let _ = answer.send(done);
                }
                Held::Page(found, answer) => drop(answer.send(found)),
            }
        }
        if !self.referee.lease.holds() && std::mem::take(&mut self.has_unshown) {
            let _ = self.watchers.send(PageUpdate::Changed);
        }
        Ok(())
    }

    /// Sends messages, and writes files and notices.
    fn publish(&mut self, effects: Effects, tell: &mut dyn FnMut(&Notice)) -> Result<(), ServiceError> {
        let Effects { facts, messages, disconnects, news, finished, amended, .. } = effects;
        self.send(messages)?;
        for connection in disconnects {
            self.connections.remove(&connection);
        }
        self.write_games(&facts, &finished, &amended, tell)?;
        if amended.iter().any(|(_, now)| now.is_none()) {
            self.report_anew()?;
        }
        for news in &news {
            self.log(None, '#', &news.text)?;
            self.remember(&news.text);
        }
        self.flush()?;
        // The files must contain what a notice announces.
        for news in &news {
            tell(news);
        }
        let is_new =
            |fact: &Fact| !matches!(fact, Fact::Noted { .. } | Fact::Epoch { .. } | Fact::Observer { .. });
        if facts.iter().any(is_new) {
            self.show_kibitzer();
        }
        if self.referee.lease.holds() {
            self.has_unshown = true;
        } else {
            self.show_changes(&facts, !news.is_empty());
        }
        Ok(())
    }

    /// Logs messages and sends them. A client that reads too slowly is disconnected.
    fn send(&mut self, messages: Vec<OutgoingMessage>) -> Result<(), ServiceError> {
        for message in &messages {
            if !message.line.is_empty() {
                self.log_line(message.to, '<', &message.line)?;
            }
        }
        // The log must contain everything that was sent, even if the referee is killed now.
        self.flush()?;
        for message in messages {
            let is_there = self.connections.get(&message.to).is_some_and(|output| output.send(&message.line));
            if let Some(game) = message.starts {
                self.referee.event.told(game, Instant::now());
            }
            if !is_there && self.connections.remove(&message.to).is_some() {
                self.log(Some(message.to), '#', "reads too slowly")?;
                let closed = ServiceMessage::Received(Instant::now(), ConnectionEvent::Closed(message.to));
                self.postponed.push_back(closed);
            }
        }
        Ok(())
    }

    /// Brings games.pgn up to date, notes which files of games in play are behind, and forgets opinions of moves that are gone.
    fn write_games(
        &mut self,
        facts: &[Fact],
        finished: &[FinishedGame],
        amended: &[(u64, Option<FinishedGame>)],
        tell: &mut dyn FnMut(&Notice),
    ) -> Result<(), ServiceError> {
        let is_going_on = |fact: &&Fact| !matches!(fact, Fact::Ended { .. });
        self.files.behind.extend(facts.iter().filter(is_going_on).filter_map(Fact::game));
        for fact in facts {
            if let Fact::Restarted { game, .. } | Fact::Reopened { game, .. } = fact {
                self.opinions.remove(game);
            }
        }
        if !amended.is_empty() {
            self.reported = None;
        }
        let written = self.files.write_games(&self.referee.event.settings.tags(), finished, amended);
        let told = written.map_err(|error| ServiceError::File("games.pgn", error))?;
        told.map_or(Ok(()), |text| self.announce(&text, tell))
    }

    pub(super) fn log(
        &mut self,
        connection: Option<ConnectionId>,
        sign: char,
        text: &str,
    ) -> Result<(), ServiceError> {
        self.files.log(connection, sign, text).map_err(|error| ServiceError::File("traffic.log", error))
    }

    /// Logs a line of a connection.
    pub(super) fn log_line(
        &mut self,
        connection: ConnectionId,
        sign: char,
        text: &str,
    ) -> Result<(), ServiceError> {
        if self.referee.event.is_signed_on(connection) {
            return self.log(Some(connection), sign, text);
        }
        self.log_stranger(Some(connection), sign, text).map(drop)
    }

    /// Logs something about a connection that nobody has signed on over, within limits: strangers must not be able to
    /// fill the disk. Returns whether it was logged.
    pub(super) fn log_stranger(
        &mut self,
        connection: Option<ConnectionId>,
        sign: char,
        text: &str,
    ) -> Result<bool, ServiceError> {
        let text = &text[..text.floor_char_boundary(LONGEST_OF_STRANGERS)];
        if !self.strangers.take((text.len() + 40) as f64, Instant::now()) {
            self.unlogged += 1;
            return Ok(false);
        }
        if self.unlogged > 0 {
            let lines = std::mem::take(&mut self.unlogged);
            self.log(None, '#', &format!("{} about strangers left out", counted(lines, "line")))?;
        }
        self.log(connection, sign, text)?;
        Ok(true)
    }

    fn flush(&mut self) -> Result<(), ServiceError> {
        self.files.flush().map_err(|error| ServiceError::File("traffic.log", error))
    }

    /// Asks all clients to disconnect, or only closes their connections in a pause, and waits until the messages have been
    /// sent.
    pub(super) fn farewell(
        &mut self,
        end: ServiceEnd,
        tell: &mut dyn FnMut(&Notice),
    ) -> Result<(), ServiceError> {
        self.observers.end(self.referee.lease.connection());
        self.report_anew()?;
        let last = self.last_words()?;
        let _ = self.watchers.send(PageUpdate::End(last));
        self.referee.event.close_down(end == ServiceEnd::Pause);
        self.deliver(tell)?;
        self.see_off();
        Ok(())
    }

    /// Closes all connections, and waits a moment until everybody has got what was said last, also the other referee.
    pub(super) fn see_off(&mut self) {
        self.connections.clear();
        self.observers.end(None);
        let until = Instant::now() + FAREWELL;
        while self.limiter.count() + self.observers.limiter.count() > 0 && Instant::now() < until {
            thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Service {
    /// The event as the page shows it.
    fn state_as(&self, is_directed: bool) -> Value {
        let kibitzer = self.kibitzing.as_ref().map(|kibitzing| kibitzing.name.as_str());
        let mut state =
            view::state(&self.referee.event, &self.opinions, Instant::now(), &self.log, is_directed);
        state["kibitzer"] = kibitzer.into();
        state
    }

    /// What open pages are told at the end of the service: the state, and the games that they may not have yet.
    fn last_words(&self) -> Result<String, ServiceError> {
        let now = SystemTime::now();
        let results = self.referee.event.results.iter().rev().take(MOST_LAST);
        let mut games: Vec<String> = Vec::new();
        for result in results.filter(|result| is_recent(result.began + result.lasted, now)) {
            games.extend(self.find(result.fixture.number, &view::detail)?);
        }
        Ok(format!("{{\"state\":{},\"games\":[{}]}}", self.state_as(false), games.join(",")))
    }

    /// Brings the report of an event up to date that was over and no longer is.
    fn report_anew(&self) -> Result<(), ServiceError> {
        let is_confirmed = self.referee.is_acting() && !self.referee.lease.holds();
        let is_due = is_confirmed && self.files.has_report() && !self.referee.event.is_over(Instant::now());
        if is_due { self.report() } else { Ok(()) }
    }

    /// Writes games.pgn and the report of an event that is over.
    pub(super) fn write_end(&mut self, tell: &mut dyn FnMut(&Notice)) -> Result<(), ServiceError> {
        let kept = write_games_anew(&mut self.files, &self.referee.event, &mut self.referee.store)?;
        kept.map_or(Ok(()), |text| self.announce(&text, tell))?;
        self.report()
    }

    /// Writes the final report and every game.
    pub(super) fn report(&self) -> Result<(), ServiceError> {
        write_report(
            &self.files,
            &self.referee.event,
            &self.referee.store,
            &self.opinions,
            &self.state_as(false),
        )
    }
}

/// Writes the final report and every game. `state` is the event as the page shows it.
pub(super) fn write_report(
    files: &EventFiles,
    event: &EventState,
    store: &EventStore,
    opinions: &BTreeMap<u64, Opinions>,
    state: &Value,
) -> Result<(), ServiceError> {
    let failed = |error| ServiceError::File("the report", error);
    files.report(event, &state.to_string()).map_err(failed)?;
    for &game in event.live_games.keys() {
        files.remove_from_report(game).map_err(failed)?;
    }
    let tags = event.settings.tags();
    for result in &event.results {
        let number = result.fixture.number;
        let Some(live) = stored_game(event, store, number)? else { continue };
        let game = view::detail(&live.fixture, &live.record, opinions.get(&number));
        let pgn = live.record.broadcast_pgn(&live.fixture, &tags);
        files.report_game(number, &game, &pgn).map_err(failed)?;
    }
    Ok(())
}

/// Writes games.pgn anew. The finished games come from the store, which has them whatever happened since. The text, if there is
/// one, tells where the file of before is kept.
pub(super) fn write_games_anew(
    files: &mut EventFiles,
    event: &EventState,
    store: &mut EventStore,
) -> Result<Option<String>, ServiceError> {
    store.mark_shown(store.count())?;
    let mut finished = Vec::new();
    for result in &event.results {
        let live = stored_game(event, store, result.fixture.number)?;
        finished.extend(live.map(|live| FinishedGame { fixture: live.fixture, record: live.record }));
    }
    let written = files.rewrite_games(&event.settings.tags(), &finished);
    written.map_err(|error| ServiceError::File("games.pgn", error))
}

/// Restores a game from the stored facts.
fn stored_game(event: &EventState, store: &EventStore, game: u64) -> Result<Option<LiveGame>, ServiceError> {
    let facts = store.game(game)?;
    let Some((began, later)) = facts.split_first() else { return Ok(None) };
    let Some(mut live) = event.recall(began) else { return Ok(None) };
    for fact in later {
        // The fact was valid when it was stored.
        let _ = live.apply(fact);
    }
    Ok(Some(live))
}

/// Number of notices that are kept for pages opened later.
const LONGEST_LOG: usize = 200;

impl Service {
    /// Serves the live page at an address. With a token, the page accepts commands of the director. Returns the local
    /// address, with the actual port if port 0 was given.
    ///
    /// # Errors
    /// The address cannot be used.
    pub fn show(&mut self, address: SocketAddr, token: Option<String>) -> Result<SocketAddr, ServiceError> {
        self.is_directed = token.is_some();
        let _inside = self.network.enter();
        let served = page::serve(
            address,
            ConnectionLimits { connections: self.for_page, ..ConnectionLimits::default() },
            self.to_self.clone(),
            self.watchers.clone(),
            token,
            self.tls.clone(),
        );
        served.map_err(|error| ServiceError::Network(address, error))
    }

    pub(super) fn remember(&mut self, text: &str) {
        let now = time::OffsetDateTime::now_utc().time();
        self.log.push_back(format!("{:02}:{:02}:{:02} {text}", now.hour(), now.minute(), now.second()));
        if self.log.len() > LONGEST_LOG {
            self.log.pop_front();
        }
    }

    /// Sends changes to the open pages.
    pub(super) fn show_changes(&self, facts: &[Fact], has_news: bool) {
        if self.watchers.receiver_count() == 0 {
            return;
        }
        let now = Instant::now();
        for fact in facts.iter().filter(|fact| matches!(fact, Fact::Moved { .. } | Fact::TimeAdded { .. })) {
            if let Some(live) = fact.game().and_then(|game| self.referee.event.live_games.get(&game)) {
                let opinions = self.opinions.get(&live.fixture.number);
                let shown = view::change(&self.referee.event, live, opinions, now);
                let _ = self.watchers.send(PageUpdate::Game(shown.to_string()));
            }
        }
        if has_news || facts.iter().any(|fact| matches!(fact, Fact::Began { .. } | Fact::Ended { .. })) {
            let _ = self.watchers.send(PageUpdate::Changed);
        }
    }
}

impl PageSource for Service {
    fn state(&self) -> Value {
        self.state_as(self.is_directed)
    }

    /// Restores the game from the stored facts.
    fn find(&self, number: u64, show: ShowGame<'_>) -> Result<Option<String>, ServiceError> {
        let live = stored_game(&self.referee.event, &self.referee.store, number)?;
        Ok(live.map(|live| show(&live.fixture, &live.record, self.opinions.get(&number))))
    }

    fn live(&self, show: ShowGame<'_>) -> Result<String, ServiceError> {
        let now = SystemTime::now();
        let recent = self.referee.event.results.iter().rev().take(MOST_RECENT);
        let recent = recent.filter(|result| is_recent(result.began + result.lasted, now));
        let mut shown = String::new();
        for result in recent.rev() {
            shown.extend(self.find(result.fixture.number, show)?);
        }
        let playing = self.referee.event.live_games.iter();
        shown.extend(playing.map(|(game, live)| show(&live.fixture, &live.record, self.opinions.get(game))));
        Ok(shown)
    }

    fn all_pgn(&self) -> Option<String> {
        Some(self.files.games())
    }

    fn tags(&self) -> PgnTags {
        self.referee.event.settings.tags()
    }
}
