//! Herald's searcher of chess variants.
//!
//! The rules are shakmaty's. One search, generic over [`shakmaty::Position`], plays all variants. A variant implements
//! only the trait `Rules`: its evaluation, the gain of a capture, and what must not be pruned. Iterative deepening,
//! limits, repetitions, reports, style of play and threads are those of the main search's runtime.
//!
//! The recursion is separate from the main search's: adding the variants' rules to the main search's position would
//! require a second move generator for each, and shakmaty's `variant` feature would slow that search down. Both use the
//! same hash table; keys of variants differ from those of chess. A mate score stands for any win by the variant's
//! rules.

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
