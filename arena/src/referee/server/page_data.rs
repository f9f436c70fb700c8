//! Data for the live page.

use std::net::SocketAddr;
use std::time::Instant;

use super::page::{self, PageQuery, PageUpdate};
use super::{Service, ServiceError};
use crate::referee::live_game::LiveGame;
use crate::referee::{Fact, view};
use crate::table::PgnVariations;

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
        let served =
            page::serve(address, self.to_self.clone(), self.watchers.clone(), token, self.tls.clone());
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
            if let Some(live) = fact.game().and_then(|game| self.event.live_games.get(&game)) {
                let _ =
                    self.watchers.send(PageUpdate::Game(view::running(&self.event, live, now).to_string()));
            }
        }
        if has_news || facts.iter().any(|fact| matches!(fact, Fact::Began { .. } | Fact::Ended { .. })) {
            let _ = self.watchers.send(PageUpdate::Changed);
        }
    }

    /// Answers a request of a page; `None` if the requested game does not exist.
    pub(super) fn answer(&self, query: &PageQuery) -> Result<Option<String>, ServiceError> {
        Ok(match *query {
            PageQuery::State => {
                let state = view::state(&self.event, Instant::now(), &self.log, self.is_directed);
                Some(state.to_string())
            }
            PageQuery::AllPgn => self.files.games().ok(),
            PageQuery::Game(game) => self.find(game)?.map(|live| view::detail(&live).to_string()),
            PageQuery::Pgn(game) => {
                let tags = self.event.settings.tags();
                self.find(game)?.map(|live| live.record.pgn_of(&live.fixture, &tags, PgnVariations::Hidden))
            }
        })
    }

    /// Restores a game from the stored facts.
    fn find(&self, game: u64) -> Result<Option<LiveGame>, ServiceError> {
        let facts = self.store.game(game)?;
        let Some((began, later)) = facts.split_first() else { return Ok(None) };
        let Some(mut live) = self.event.recall(began) else { return Ok(None) };
        for fact in later {
            // The fact was valid when it was stored.
            let _ = live.apply(fact);
        }
        Ok(Some(live))
    }
}
