//! Portable Game Notation (PGN standard of 1994): a writer of the export format, a reader of the import format, and a
//! fast scanner for tags.

mod headers;
mod read;
mod tokens;
mod write;

pub use headers::{PgnHeader, PgnResult, PgnScanner};
pub use read::{PgnError, PgnFault, PgnGame, PgnReader};
pub use write::{PgnTags, pgn_gap, write_pgn};
