//! The board in the browser: a session for each page, which owns a tree of moves, a [`game::Game`] at one of its nodes, and an engine.
//!
//! As with the other protocols one thread reads, one thinks, and the session's own thread answers: commands come as events of one
//! queue from whoever speaks HTTP ([`SessionHandle`]), and messages to the page go to a listener. docs/BOARD.md describes both.

mod analysis;
mod library;
mod marks;
mod messages;
mod play;
mod session;
mod tree;

#[cfg(test)]
mod tests;
#[cfg(test)]
mod tree_tests;

pub use library::{GameLibrary, MOST_GAMES};
pub use messages::{
    BoardMode, BrowserCommand, BrowserGame, BrowserGames, BrowserMessage, BrowserMove, BrowserNode,
    BrowserNotice, BrowserState, BrowserThinking, MOST_LINES, NewBrowserGame, PersonSide, PlayStatus,
    SideName,
};
pub use session::{CommandReply, SessionHandle, start};
