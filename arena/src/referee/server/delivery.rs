//! Delivery of outputs: first to the store, then to observers, then to clients.
//!
//! All facts from one batch of inputs are stored in one transaction. A reply whose effect anybody was told of is never
//! lost; a reply that was lost with the referee is sent again by the client. Sent lines are in the log too, which is
//! written before they are sent.

use std::thread;
use std::time::{Duration, Instant};

use super::{Service, ServiceError, ServiceMessage};
use crate::referee::{ConnectionEvent, ConnectionId, Effects, Fact, Notice};

/// Time for connections to close at the end of the service.
const FAREWELL: Duration = Duration::from_secs(2);

impl Service {
    /// Stores new facts, then sends the pending messages.
    pub(super) fn deliver(&mut self, tell: &mut dyn FnMut(&Notice)) -> Result<(), ServiceError> {
        let Effects { facts, messages, disconnects, news, finished } = self.event.take_effects();
        self.store.commit(&facts)?;
        self.share(&facts, tell);
        for message in &messages {
            self.log(Some(message.to), '<', &message.line)?;
        }
        // The log must contain everything that was sent, even if the referee is killed now.
        self.flush()?;
        for message in messages {
            let is_there = self.connections.get(&message.to).is_some_and(|output| output.send(&message.line));
            if let Some(game) = message.starts {
                self.event.told(game, Instant::now());
            }
            if !is_there && self.connections.remove(&message.to).is_some() {
                self.log(Some(message.to), '#', "reads too slowly")?;
                let closed = ServiceMessage::Received(Instant::now(), ConnectionEvent::Closed(message.to));
                self.postponed.push_back(closed);
            }
        }
        for connection in disconnects {
            self.connections.remove(&connection);
        }
        let is_going_on = |fact: &&Fact| !matches!(fact, Fact::Ended { .. });
        self.files.behind.extend(facts.iter().filter(is_going_on).filter_map(Fact::game));
        let tags = self.event.settings.tags();
        for ending in &finished {
            self.files.write_game(&tags, ending).map_err(|error| ServiceError::File("games.pgn", error))?;
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
        self.show_changes(&facts, !news.is_empty());
        Ok(())
    }

    pub(super) fn log(
        &mut self,
        connection: Option<ConnectionId>,
        sign: char,
        text: &str,
    ) -> Result<(), ServiceError> {
        self.files.log(connection, sign, text).map_err(|error| ServiceError::File("traffic.log", error))
    }

    fn flush(&mut self) -> Result<(), ServiceError> {
        self.files.flush().map_err(|error| ServiceError::File("games.pgn or traffic.log", error))
    }

    /// Asks all clients to disconnect and waits until the messages have been sent.
    pub(super) fn farewell(&mut self, tell: &mut dyn FnMut(&Notice)) -> Result<(), ServiceError> {
        self.observers.end();
        self.event.close_down();
        self.deliver(tell)?;
        self.connections.clear();
        let until = Instant::now() + FAREWELL;
        while self.limiter.count() > 0 && Instant::now() < until {
            thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }
}
