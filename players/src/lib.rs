//! Programs as seen from the other side: started, spoken to in their protocol, timed and cleaned up.
//!
//! [`Stream`] is a program behind a pipe with all that is said in its protocol; [`Player`] is what an official needs of
//! one, with [`CecpPlayer`], [`UciPlayer`] and [`CegoPlayer`] for programs. [`start`] makes one from a [`Spec`].
//! [`transport`] is the way to a referee, for programs on other machines.

mod bridge;
mod cecp;
mod cego;
pub mod check;
mod errors;
mod lines;
mod listen;
mod log;
mod options;
mod player;
mod spec;
mod stream;
pub mod transport;
mod uci;

use std::sync::Arc;

pub use bridge::Bridge;
pub use cecp::{Cecp, CecpPlayer};
pub use cego::{Cego, CegoPlayer};
pub use log::{Log, LogEntry, Speaker, TextLog};
pub use platform::Resources;
pub use player::{Arrival, Departure, NewGame, Player, PlayerEvent, PlayerFault, Protocol, Thinking, Turn};
pub use spec::{CommandLine, CommandLineError, OptionValue, Spec};
pub use stream::{Stream, Timed, Vocabulary};
pub use uci::{Uci, UciPlayer};

/// Starts a program and makes itself known to it. What is said goes into the log, if there is one.
///
/// # Errors
/// The program cannot be started, ends, keeps silent for too long, or doesn't have an option that it should.
pub fn start(spec: &Spec, log: Option<Arc<dyn Log>>) -> Result<Box<dyn Player>, PlayerFault> {
    Ok(match spec.protocol {
        Protocol::Cecp => Box::new(CecpPlayer::start(spec, log)?),
        Protocol::Uci => Box::new(UciPlayer::start(spec, log)?),
        Protocol::Cego => Box::new(CegoPlayer::start(spec, log)?),
    })
}
