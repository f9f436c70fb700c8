//! Portable Game Notation (PGN standard of 1994): a writer of the export format and a reader of the import format.
//!
//! Text becomes tokens, and tokens a [`GameTree`], in which everything stands that the text says. [`PgnReader`] plays its mainline
//! for those who need games rather than texts. [`write_pgn`] makes a tree of a game and writes it. [`PgnScanner`] reads
//! tags alone.

mod commands;
mod headers;
mod parse;
mod read;
mod tokens;
mod tree;
#[cfg(test)]
mod tree_tests;
mod write;

pub use commands::{
    WhiteScore, clock_command, comment_commands, comment_words, eval_command, read_clock, read_eval,
    without_commands,
};
pub use headers::{PgnHeader, PgnScanner};
pub use parse::{ParsedGame, TreeReader};
pub use read::{PgnError, PgnFault, PgnGame, PgnReader};
pub use tree::{Annotation, GameTree, MoveLine, MoveNode, Replay, ResultMarker};
pub use write::{PgnTags, pgn_gap, write_pgn, write_pgn_as};
