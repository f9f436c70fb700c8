//! The engine for web pages, as WebAssembly. A page loads it in a worker and sends it lines of UCI; `assets/engine.js` in `pages` is
//! that worker.
//!
//! There is one thread, and nothing is heard while Herald thinks: `stop` comes too late. A page ends the worker, or asks for one
//! depth after the other; the hash table keeps what was found. Chess and Chess960 only, without book and endgame tables.

#[cfg(target_family = "wasm")]
mod border;
mod session;

pub use session::{Page, Session};
