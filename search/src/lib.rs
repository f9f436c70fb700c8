//! Herald's search core: give it a position and limits, and it finds a move.
//!
//! It knows no protocol, does no input or output and asks the outside world through three traits: [`Observer`] hears
//! what is found, [`Clock`] tells the time, [`Control`] says when to stop.

pub mod attacks;
mod correction;
mod evaluation;
mod history;
pub mod mate;
mod moves;
mod negamax;
pub mod network;
mod parameters;
mod picker;
mod position;
mod quiescence;
mod reductions;
mod runtime;
mod score;
mod searcher;
mod static_evaluation;
mod table;
mod tablebases;
mod worker;

/// What a search by other rules can be made of: a searcher of chess variants has the same iterations, hash table, time
/// manager and reductions.
pub mod parts {
    pub use crate::quiescence::{bound_of, is_decided};
    pub use crate::reductions::Reductions;
    pub use crate::runtime::deepening::{
        Aspiration, Bounds, Deepening, Progress, Stability, Stopped, WORTH_TELLING,
    };
    pub use crate::runtime::time_manager::Budget;
    pub use crate::runtime::variation::Variations;
    pub use crate::table::Entry;
}

pub use evaluation::{Breakdown, Evaluator, Tapered, Term, evaluate, tuning};
pub use moves::{MAX_MOVES, Move, MoveList};
#[cfg(feature = "tuning")]
pub use parameters::{PARAMETERS, Parameter};
pub use position::{Keys, Position, divide, exchange_value, perft};
pub use runtime::control::Control;
pub use runtime::limits::{Clock, Limits, Root, TimeLimit};
pub use runtime::observer::{Answer, Bound, Observer, Report};
pub use runtime::style::Style;
pub use score::{MAX_PLY, Score, Verdict};
pub use searcher::{STACK_SIZE, Searcher};
pub use static_evaluation::Evaluation;
pub use table::{Table, TableError};
pub use tablebases::{Tablebases, Wdl};
