//! Typed messages of CECP, UCI, CEGO and the EPD referee in both directions, read and written,
//! for use at either end; and EPD records. Nothing here knows an engine.

pub mod cecp;
pub mod cego;
pub mod epd;
pub mod input;
mod names;
mod option;
pub mod referee;
pub mod uci;

pub use option::OptionKind;
