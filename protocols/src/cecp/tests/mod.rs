//! Tests of conversations between a GUI and a session.

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
