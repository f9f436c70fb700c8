//! The referee of an EPD event ("Argus" of the EPD specification, 3.2). Programs sign on over a network or a serial
//! line; the referee pairs them, relays their moves, keeps their clocks and judges their games.
//!
//! An [`EventState`] only decides and does no I/O. Its inputs carry the moment of their arrival; its outputs are
//! [`Fact`]s to be stored and records to be sent, in this order. A referee that resumes the event from the store
//! therefore knows everything that any client was told.

mod checkpoints;
mod differences;
mod director;
mod event;
mod fact;
mod guesses;
mod history;
mod intake;
mod job_thread;
mod lease;
mod live_game;
mod observation;
mod peer_line;
mod regular;
mod reign;
pub mod report;
pub mod server;
mod settings;
mod shown_count;
#[cfg(test)]
mod simulation;
mod store;
#[cfg(test)]
mod tests;
mod view;
pub mod watch;

pub use director::{CONSOLE, Order, PastFacts};
pub use event::{
    ConnectionEvent, ConnectionId, Effects, EventState, FinishedGame, GameSummary, Notice, OutgoingMessage,
    Proof,
};
pub use fact::{Fact, MoveWords, Side};
pub use guesses::RefusedGuess;
pub use settings::{EventSettings, ProgramSettings, SecretHash, is_fit_secret, random_bytes};
pub use store::{EventStore, EventStoreError};
