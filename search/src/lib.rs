//! Herald's search core: give it a position and limits, and it finds a move.
//!
//! It knows no protocol, does no input or output and asks the outside world through three traits: [`Observer`] hears
//! what is found, [`Clock`] tells the time, [`Control`] says when to stop.

pub mod attacks;
mod control;
mod correction;
mod deepening;
mod endings;
mod history;
mod limits;
pub mod mate;
mod moves;
mod negamax;
pub mod network;
mod observer;
mod parameters;
mod picker;
mod position;
mod quiescence;
mod reductions;
mod score;
mod searcher;
mod static_evaluation;
mod style;
mod table;
mod tablebases;
mod time;
mod variation;
mod vote;
mod worker;

/// What a search by other rules can be made of: a searcher of chess variants has the same iterations, hash table, time
/// manager and reductions.
pub mod parts {
    pub use crate::deepening::{Aspiration, Bounds, Deepening, Progress, Stability, Stopped, WORTH_TELLING};
    pub use crate::quiescence::{bound_of, is_decided};
    pub use crate::reductions::Reductions;
    pub use crate::table::Entry;
    pub use crate::time::Budget;
    pub use crate::variation::Variations;
}

pub use control::Control;
pub use limits::{Clock, Limits, Root, TimeLimit};
pub use moves::{MAX_MOVES, Move, MoveList};
pub use observer::{Answer, Bound, Observer, Report};
#[cfg(feature = "tuning")]
pub use parameters::{PARAMETERS, Parameter};
pub use position::{Keys, Position, divide, exchange_value, perft};
pub use score::{MAX_PLY, Score, Verdict};
pub use searcher::{STACK_SIZE, Searcher};
pub use static_evaluation::evaluate;
pub use style::Style;
pub use table::{Table, TableError};
pub use tablebases::{Tablebases, Wdl};
