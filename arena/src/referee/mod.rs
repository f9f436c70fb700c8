//! The referee of an EPD event ("Argus" of the EPD specification, 3.2): programs sign on from anywhere, and it pairs them, carries
//! their moves, keeps their clocks and judges their games.
//!
//! An [`EventState`] decides, and does nothing else: what comes in has its moment, what goes out is [`Fact`]s to be stored and
//! records to be sent, in this order. So whatever was told to anybody is known to whoever goes on with the event.

mod director;
mod event;
mod fact;
mod job_thread;
mod live_game;
pub mod report;
pub mod server;
mod settings;
mod store;
#[cfg(test)]
mod tests;
mod timers;
mod view;
pub mod watch;

pub use event::{
    ConnectionEvent, ConnectionId, Effects, EventState, FinishedGame, GameSummary, Notice, OutgoingMessage,
};
pub use fact::{Fact, MoveWords, Side};
pub use settings::{EventSettings, ProgramSettings};
pub use store::{EventStore, EventStoreError};
