//! The autoplayer link: an interface program for an engine whose opponent is an engine at another interface program. There is no
//! referee. R. Hyatt proposed it in 1998; docs/AUTOPLAYER.md describes what both ends say to each other.
//!
//! - [`numbered`]: numbered messages over a line that is broken or noisy.
//! - [`handshake`]: the beginning of a connection.
//! - [`live`]: a game in progress; [`link_match`]: the match, from messages and events to what is to be done.
//! - [`line`]: connections, on threads of their own. [`session`] joins it all with the engine, on one thread.

mod handshake;
mod line;
mod link_match;
mod live;
mod numbered;
mod session;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use game::Game;
use messages::autoplayer::MatchTerms;

pub use line::LinkPlace;

use crate::{KeptPlayer, Log};

/// Something that the operator is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkReport {
    /// The course of the match.
    Event(String),
    /// Something that an operator should look at.
    Alert(String),
    /// What an engine thinks.
    Thinking(String),
    /// A game that is over, in PGN.
    Game(String),
}

/// The master's settings of a match.
pub struct LinkPlan {
    /// Games, time control and tags.
    pub terms: MatchTerms,
    /// Opening of a pair of games, by its number from 0; the error ends the match.
    pub opening: Box<dyn FnMut(u32) -> Result<Game, String>>,
    /// Today's date, as PGN writes it.
    pub date: Box<dyn Fn() -> String>,
}

/// Settings of one end.
pub struct LinkConfig {
    /// Where the other end is.
    pub place: LinkPlace,
    /// Name of the engine.
    pub name: String,
    /// Rating of the engine.
    pub rating: Option<u32>,
    /// Whether the engine may think in the opponent's time.
    pub ponder: bool,
    /// The secret that both ends share.
    pub secret: Option<String>,
    /// The settings of the match; a slave has none.
    pub plan: Option<LinkPlan>,
    /// Time without a line after which the match is given up, once there was one, and time in which the other end must say the
    /// message that is due: `ready`, `start`, `end`.
    pub patience: Duration,
    /// Time in which the first line must come; without a limit it is awaited as long as it takes.
    pub first_patience: Option<Duration>,
    /// Log of the lines to and from the other end.
    pub log: Option<Arc<dyn Log>>,
}

/// Why a match is not complete.
#[derive(Debug, thiserror::Error)]
pub enum LinkError {
    /// The system lacks what the link needs.
    #[error("the link cannot be opened: {0}")]
    System(#[from] std::io::Error),
    /// The match could not go on; the reason.
    #[error("{0}")]
    Unfinished(String),
}

/// Plays a match, from the first connection to its end, and ends the engine. Setting `leaving` ends the match.
///
/// # Errors
/// The match is not complete.
pub fn play(
    engine: KeptPlayer,
    config: LinkConfig,
    leaving: &AtomicBool,
    report: &mut dyn FnMut(LinkReport),
) -> Result<(), LinkError> {
    session::LinkSession::open(engine, config, report)?.run(leaving)
}
