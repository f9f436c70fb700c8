//! Typed messages of CECP, UCI, CEGO, the EPD referee protocol and the autoplayer, and EPD records.
//!
//! The messages of both directions can be parsed and written, so that engines, GUIs and officials use the same types.
//! The crate depends on `game` and has no engine.

pub mod autoplayer;
pub mod cecp;
pub mod cego;
pub mod epd;
pub mod input;
mod names;
mod option;
pub mod referee;
pub mod uci;

pub use option::OptionKind;
