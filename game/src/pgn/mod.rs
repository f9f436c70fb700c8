//! Portable Game Notation (PGN standard of 1994): a writer of the export format and a reader of the import format.

mod read;
mod tokens;
mod write;

pub use read::{PgnError, PgnFault, PgnGame, PgnReader};
pub use write::{PgnTags, pgn_gap, write_pgn};
