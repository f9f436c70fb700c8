//! The openings of matches that name no file of openings.

/// 400 positions of standard chess after 8 plies, in EPD.
///
/// Made by `herald openings --plies 8 --count 400 --seed 1 --balance 40 --nodes 100000`. A search or an evaluation that has
/// changed since then would make others.
pub const EMBEDDED: &str = include_str!("../data/openings.epd");
