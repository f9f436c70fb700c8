//! Conversations with a session, as a GUI has them.

mod analysis;
mod autoplayer;
mod bughouse;
mod endings;
mod game;
mod gui;
mod handshake;
mod pausing;
mod robustness;
mod settings;
mod setup;
mod thinking;
mod variants;

use gui::{Gui, long_think};
