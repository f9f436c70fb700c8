//! What those who watch the event are shown.

use std::net::SocketAddr;
use std::time::Instant;

use super::page::{self, PageQuery, PageUpdate};
use super::{Service, ServiceError};
use crate::referee::live_game::LiveGame;
use crate::referee::{Fact, view};
use crate::table::PgnVariations;

/// So much of the news is remembered for those who come later.
const LONGEST_LOG: usize = 200;

impl Service {
    /// Lets people watch the event in their browsers, at an address; whoever knows the token gives orders there. Returns the
    /// address, with the port that was chosen if it has none.
    ///
    /// # Errors
    /// The address can't be used.
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

    /// Shows those who watch what is new.
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

    /// What a page asks for; `None` if there is no such thing.
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

    /// A game, from what is stored of it.
    fn find(&self, game: u64) -> Result<Option<LiveGame>, ServiceError> {
        let facts = self.store.game(game)?;
        let Some((began, later)) = facts.split_first() else { return Ok(None) };
        let Some(mut live) = self.event.recall(began) else { return Ok(None) };
        for fact in later {
            // It fitted when it was stored.
            let _ = live.apply(fact);
        }
        Ok(Some(live))
    }
}
