//! What goes out: to the store first, then to observers, then to everybody.

use std::thread;
use std::time::{Duration, Instant};

use super::{Call, Service, ServiceError};
use crate::referee::Fact;
use crate::referee::event::{Connection, Input, News, Outbox};

/// How long connections may take to close at the end.
const FAREWELL: Duration = Duration::from_secs(2);

impl Service {
    /// Stores what happened, then sends what is to be sent.
    pub(super) fn deliver(&mut self, tell: &mut dyn FnMut(&News)) -> Result<(), ServiceError> {
        let Outbox { facts, letters, closings, news, records } = self.event.take_outbox();
        self.store.commit(&facts)?;
        self.share(&facts, tell);
        for letter in &letters {
            self.log(Some(letter.to), '<', &letter.line)?;
        }
        // Whatever anybody was told is in the log, whenever the referee dies.
        self.flush()?;
        for letter in letters {
            let is_there = self.wires.get(&letter.to).is_some_and(|wire| wire.writer.send(&letter.line));
            if let Some(game) = letter.starts {
                self.event.told(game, Instant::now());
            }
            if !is_there && self.wires.remove(&letter.to).is_some() {
                self.log(Some(letter.to), '#', "reads too slowly")?;
                let closed = Call::Heard(Instant::now(), Input::Closed(letter.to));
                self.waiting.push_back(closed);
            }
        }
        for connection in closings {
            self.wires.remove(&connection);
        }
        facts
            .iter()
            .filter(|fact| !matches!(fact, Fact::Ended { .. }))
            .filter_map(Fact::game)
            .for_each(|game| self.papers.changed(game));
        let tags = self.event.tags();
        for ending in &records {
            self.papers
                .write_game(&tags, ending)
                .map_err(|error| ServiceError::Papers("games.pgn", error))?;
        }
        for news in &news {
            self.log(None, '#', &news.text)?;
            self.remember(&news.text);
        }
        self.flush()?;
        // Whoever hears of something finds it written down.
        for news in &news {
            tell(news);
        }
        self.show_changes(&facts, !news.is_empty());
        Ok(())
    }

    pub(super) fn log(
        &mut self,
        connection: Option<Connection>,
        sign: char,
        text: &str,
    ) -> Result<(), ServiceError> {
        self.papers.log(connection, sign, text).map_err(|error| ServiceError::Papers("traffic.log", error))
    }

    fn flush(&mut self) -> Result<(), ServiceError> {
        self.papers.flush().map_err(|error| ServiceError::Papers("games.pgn or traffic.log", error))
    }

    /// Tells everybody to leave, and waits until they have been told.
    pub(super) fn farewell(&mut self, tell: &mut dyn FnMut(&News)) -> Result<(), ServiceError> {
        self.observers.end();
        self.event.close_down();
        self.deliver(tell)?;
        self.wires.clear();
        let until = Instant::now() + FAREWELL;
        while self.census.count() > 0 && Instant::now() < until {
            thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }
}
