//! Herald's search core: finds the best move of a position within given limits.
//!
//! The [`runtime`] serves the searches of all variants; the rest is chess. The crate knows no protocol and does no input or
//! output. It reports through [`Observer`], reads the time from [`SearchClock`] and is stopped through [`Control`].

pub mod attacks;
mod correction;
mod endings;
mod history;
pub mod mate;
mod memory;
mod moves;
mod negamax;
pub mod network;
mod parameters;
mod picker;
mod position;
mod prefetch;
mod quiescence;
mod reductions;
pub mod runtime;
mod score;
mod searcher;
mod table;
mod tablebases;
mod worker;

pub use history::{HistoryEntry, PieceTo};
pub use moves::{MAX_MOVES, Move, MoveList};
#[cfg(feature = "tuning")]
pub use parameters::{PARAMETERS, Parameter};
pub use position::{Keys, Position, exchange_value, perft};
pub use reductions::Reductions;
pub use runtime::Root;
pub use runtime::control::Control;
pub use runtime::limits::{Limits, SearchClock, TimeLimit};
pub use runtime::observer::{Answer, Bound, Observer, Report};
pub use runtime::smp::STACK_SIZE;
pub use runtime::style::Style;
pub use score::{MAX_PLY, Score, Verdict};
pub use searcher::Searcher;
pub use table::{Entry, Table, TableError};
pub use tablebases::{Tablebases, Wdl};
pub use worker::evaluate;
