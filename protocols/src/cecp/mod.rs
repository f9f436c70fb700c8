//! Herald as an engine under XBoard and WinBoard, by CECP. The messages are in [`messages::cecp`].
//!
//! The way of `usermove e2e4`:
//!
//! 1. The reading thread (`host.rs`) cuts the bytes into a line and sends it as an event. It never waits for thinking.
//! 2. The session's loop (`session/mod.rs`, `run`) takes the event and calls `read` (`session/commands.rs`).
//! 3. `read` parses the line into a `Command` (`messages/src/cecp/command/`). While the engine has a move of its own to make,
//!    `obey_line` defers the line.
//! 4. `obey`, the one match over the command, calls its handler: `user_move` (`session/game.rs`).
//! 5. The handler asks the `Game` for the move and plays it, or reports `Illegal move`. It returns what changes in the state.
//! 6. `SessionState::apply` (`state.rs`) makes the change. The state is that of the specification's Appendix B.
//! 7. `take_up` asks the state what to do now: it is Herald's turn, so `begin` takes the limits from `clock.rs` and lets the engine
//!    think. `search.rs` keeps what is known of that search.
//! 8. The engine's lines come as events of the same queue. `hear` (`session/thoughts.rs`) writes them as thinking output.
//! 9. Its decision comes last. `play` makes the move on the board and on the clock, and sends `move e7e5` (`output.rs`).
//! 10. If the move has ended the game, the result follows, and the state changes to force mode.
//!
//! Thoughts of abandoned searches are dropped by the host: that makes `force` silent.

mod announcement;
mod board;
mod clock;
mod dialect;
mod markers;
mod output;
mod search;
mod session;
mod state;
#[cfg(test)]
mod tests;
mod variants;

pub use dialect::Dialect;
pub use session::serve;
