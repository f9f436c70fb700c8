//! The runtime of a search, whatever the rules: its threads, and on each of them the loop over depths, the look at clock
//! and orders, repetitions, reports, and the style of play.
//!
//! A search by some rules brings a position ([`SearchPosition`]), and for each thread something that can search the root
//! to a given depth ([`RootSearch`]), built around the [`SearchThread`] that it gets from [`Shared::search`]. All limits
//! and settings then hold for it. Everything is generic and compiled for each kind of position, so that the recursion
//! pays nothing for it.

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
