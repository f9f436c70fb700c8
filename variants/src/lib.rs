//! Herald's searcher of chess variants.
//!
//! shakmaty knows the rules, and one search plays them all: it is generic over [`shakmaty::Position`] and asks of a
//! variant only what a trait of this crate has (`Rules`): what a position is worth, what a capture gains, and what must
//! not be pruned. What loops over depths, looks at the clock, knows repetitions and reports is the runtime of the main
//! search, with its limits, style of play and threads.
//!
//! The recursion is one of its own: the variants' rules in the main search's position would be a second move generator for
//! each, and shakmaty's `variant` feature would slow that search down. Both play on the same hash table, a variant with keys
//! of its own; a mate score stands for any win by its rules.

mod evaluation;
mod exchange;
mod history;
mod keyed_position;
mod moves;
mod negamax;
mod ordering;
mod parameters;
mod perft;
mod quiescence;
mod rules;
mod searcher;
mod worker;

pub use moves::{find, short};
pub use searcher::{Board, Searcher, evaluate, key, perft};
pub use shakmaty::variant::{Variant, VariantPosition};
