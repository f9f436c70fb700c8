//! The part of a search that does not depend on the variant: threads, iterative deepening, limits, repetitions, reports,
//! and the style of play.
//!
//! The search of a variant provides a position ([`SearchPosition`]) and a type that searches the root to a given depth
//! ([`RootSearch`]), built around the [`SearchThread`] that it gets from [`Shared::search`]. All limits and settings then
//! apply to it. The runtime is generic and compiled for each type of position, so that it costs the recursion nothing.

pub(crate) mod control;
mod deepening;
pub(crate) mod limits;
pub(crate) mod observer;
mod progress;
mod root;
mod search_position;
mod shared;
pub(crate) mod smp;
pub(crate) mod style;
mod thread;
pub(crate) mod time_manager;
mod variation;
mod vote;

pub use control::Stopped;
pub use deepening::{Aspiration, RootAttempt, RootSearch};
pub use progress::{Progress, RootMove};
pub use root::Root;
pub use search_position::SearchPosition;
pub use shared::Shared;
pub use thread::SearchThread;
pub use variation::Variations;
