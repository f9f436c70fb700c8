//! Games written down in PGN (PGN standard of 1994): written in export format, read in import format.

mod read;
mod tags;
mod tokens;
mod write;

pub use read::{PgnError, PgnFault, PgnGame, PgnReader};
pub use tags::PgnTags;
pub use write::write_pgn;
