//! The runtime of a search, whatever the rules: threads, limits, reports, and what steers a search from outside.

pub(crate) mod control;
pub(crate) mod deepening;
pub(crate) mod limits;
pub(crate) mod observer;
pub(crate) mod style;
pub(crate) mod time_manager;
pub(crate) mod variation;
pub(crate) mod vote;
