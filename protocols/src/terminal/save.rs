//! Saving games.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;

use game::{Color, Game, PgnTags, TimeControl, pgn_gap, write_pgn};

use crate::today;

/// Appends the game to a PGN file, which is created if it does not exist; earlier games are kept.
pub(super) fn append(file: &Path, game: &Game, person: Color, control: &TimeControl) -> io::Result<()> {
    let herald = concat!("Herald ", env!("CARGO_PKG_VERSION")).to_owned();
    let (white, black) = person.fold_wb(("Human".to_owned(), herald.clone()), (herald, "Human".to_owned()));
    let mut tags = PgnTags::default();
    tags.set("White", white);
    tags.set("Black", black);
    tags.set("Date", today());
    tags.set("TimeControl", control.to_string());
    let mut file = OpenOptions::new().create(true).read(true).append(true).open(file)?;
    // A device has no earlier text.
    let gap = pgn_gap(&mut file).unwrap_or_default();
    file.write_all(format!("{gap}{}", write_pgn(game, &tags, &[])).as_bytes())
}
