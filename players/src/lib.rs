//! Chess programs from the GUI's side: started, driven by their protocol, timed and cleaned up.
//!
//! - [`Stream`]: a process with three pipes, its lines parsed as messages of its protocol.
//! - [`Player`]: the interface of a participant for officials; [`CecpPlayer`], [`UciPlayer`], [`CegoPlayer`] and
//!   [`AutoplayerPlayer`] implement it.
//!   [`start`] makes one from a [`Spec`].
//! - [`check`]: the conformance check; [`Recipe`]: the [`Repair`]s that it finds a program to need.
//! - [`link`]: a program against another one on another machine, without a referee.
//! - [`Bridge`]: a program as a client of an EPD referee, over a [`transport`].

mod autoplayer;
mod bridge;
mod cecp;
mod cego;
pub mod check;
mod limit;
mod lines;
pub mod link;
mod log;
pub mod mend;
mod pgn_fields;
mod player;
mod repair;
mod spec;
mod stream;
pub mod transport;
mod uci;

use std::sync::Arc;

pub use autoplayer::AutoplayerPlayer;
pub use bridge::Bridge;
pub use cecp::{Cecp, CecpPlayer};
pub use cego::{Cego, CegoPlayer};
pub use log::{Log, LogEntry, Speaker, TextLog};
pub use pgn_fields::{MoveComment, PgnField, PgnFields};
pub use platform::Resources;
pub use player::{
    Arrival, Capacity, Departure, NewGame, Player, PlayerEvent, PlayerFault, Protocol, Thinking, Turn,
};
pub use repair::{Recipe, Repair, UnknownRepair};
pub use spec::{CommandLine, CommandLineError, OptionValue, Spec};
pub use stream::{Stream, Timed, Vocabulary};
pub use uci::{Uci, UciPlayer};

/// Starts a program and completes the handshake. All lines go into the log, if there is one.
///
/// # Errors
/// The program cannot be started, ends, doesn't answer in time, or lacks an option that is to be set.
pub fn start(spec: &Spec, log: Option<Arc<dyn Log>>) -> Result<Box<dyn Player>, PlayerFault> {
    Ok(match spec.protocol {
        Protocol::Cecp => Box::new(CecpPlayer::start(spec, log)?),
        Protocol::Uci => Box::new(UciPlayer::start(spec, log)?),
        Protocol::Cego => Box::new(CegoPlayer::start(spec, log)?),
        Protocol::Autoplayer => Box::new(AutoplayerPlayer::start(spec, log)?),
    })
}

/// A program that is started again for the next game if it ends.
pub struct KeptPlayer {
    spec: Spec,
    log: Option<Arc<dyn Log>>,
    player: Option<Box<dyn Player>>,
}

impl KeptPlayer {
    /// Starts the program.
    ///
    /// # Errors
    /// It can't be started, or is not ready in time.
    pub fn start(spec: Spec, log: Option<Arc<dyn Log>>) -> Result<KeptPlayer, PlayerFault> {
        let player = Some(start(&spec, log.clone())?);
        Ok(KeptPlayer { spec, log, player })
    }

    /// Name that the program reports; empty if it reports none.
    pub fn name(&self) -> &str {
        self.player.as_ref().map_or("", |player| player.name())
    }

    /// The program, started if it doesn't run.
    fn player(&mut self) -> Result<&mut dyn Player, PlayerFault> {
        let player = match self.player.take() {
            Some(player) => player,
            None => start(&self.spec, self.log.clone())?,
        };
        Ok(&mut **self.player.insert(player))
    }

    fn quit(&mut self) {
        if let Some(player) = self.player.take() {
            player.quit();
        }
    }
}
