//! Herald as an engine under XBoard and WinBoard, speaking CECP. The messages are in [`messages::cecp`].
//!
//! How `usermove e2e4` is handled:
//!
//! 1. The reading thread (`host.rs`) splits the input into lines and sends each as an event. It never waits for
//!    thinking.
//! 2. The session's loop (`session/mod.rs`, `run`) takes the event and calls `read` (`session/commands.rs`).
//! 3. `read` parses the line into a `Command` (`messages/src/cecp/command/`). `obey_line` defers the line while the
//!    engine has a move of its own to make.
//! 4. `obey`, the one match over the command, calls its handler: `user_move` (`session/game.rs`).
//! 5. The handler asks the `Game` for the move and plays it, or reports `Illegal move`. It returns the change of
//!    state.
//! 6. `SessionState::apply` (`messages/src/cecp/state.rs`) applies the change. The state is that of the specification's Appendix B.
//! 7. `take_up` asks the state what to do now. It is Herald's turn, so `begin` takes the limits from `clock.rs` and
//!    starts a search of the engine. `search.rs` keeps the data of that search.
//! 8. The engine's lines arrive as events of the same queue. `hear` (`session/thoughts.rs`) writes them as thinking
//!    output.
//! 9. The decision arrives last. `play` makes the move on the board and on the clock, and sends `move e7e5`
//!    (`output.rs`).
//! 10. If the move has ended the game, the result is sent, and the state changes to force mode.
//!
//! The host drops the reports of abandoned searches, so that `force` is silent.

mod announcement;
mod clock;
mod dialect;
mod markers;
mod output;
mod reserve;
mod search;
mod session;
#[cfg(test)]
mod tests;

pub use dialect::Dialect;
pub use session::serve;
