//! The file to which the games are appended.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// Where games are kept.
trait GameStore: Write {
    /// Its length in bytes.
    fn length(&self) -> io::Result<u64>;

    /// Cuts it to this length.
    fn cut(&mut self, length: u64) -> io::Result<()>;
}

impl GameStore for File {
    fn length(&self) -> io::Result<u64> {
        self.metadata().map(|metadata| metadata.len())
    }

    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.set_len(length)
    }
}

/// A file of games, each of which is in it as a whole or not at all, as far as the system allows it.
pub(super) struct GamesFile {
    file: File,
    path: PathBuf,
    kept: Unwritten,
}

/// Games that could not be written.
#[derive(Default)]
struct Unwritten {
    text: String,
    count: u64,
}

impl GamesFile {
    /// Opens a file to append games to it.
    pub(super) fn open(path: &Path) -> Result<GamesFile> {
        let opened = File::options().read(true).append(true).create(true).open(path);
        let mut file = opened.with_context(|| format!("{} cannot be opened", path.display()))?;
        let gap = game::pgn_gap(&mut file).and_then(|gap| file.write_all(gap.as_bytes()));
        gap.with_context(|| format!("{} cannot be written", path.display()))?;
        Ok(GamesFile { file, path: path.to_owned(), kept: Unwritten::default() })
    }

    /// Appends a game, and those that could not be written before.
    pub(super) fn append(&mut self, pgn: &str) -> Result<()> {
        self.kept.text.push_str(pgn);
        self.kept.count += 1;
        self.finish()
    }

    /// Appends the games that could not be written before.
    pub(super) fn finish(&mut self) -> Result<()> {
        self.kept.write(&mut self.file).with_context(|| {
            let games = game::counted(self.kept.count, "game");
            format!("{games} cannot be written to {}", self.path.display())
        })
    }
}

impl Unwritten {
    fn write(&mut self, store: &mut impl GameStore) -> io::Result<()> {
        if self.text.is_empty() {
            return Ok(());
        }
        let before = store.length();
        if let Err(error) = store.write_all(self.text.as_bytes()).and_then(|()| store.flush()) {
            // Half a game would spoil the next one. What is no ordinary file cannot be cut.
            if let Ok(before) = before {
                let _ = store.cut(before);
            }
            return Err(error);
        }
        *self = Unwritten::default();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A disk that is full after so many bytes.
    struct SmallDisk(Vec<u8>, usize);

    impl Write for SmallDisk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let room = bytes.len().min(self.1 - self.0.len());
            self.0.extend(&bytes[..room]);
            if room == 0 { Err(io::ErrorKind::StorageFull.into()) } else { Ok(room) }
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl GameStore for SmallDisk {
        fn length(&self) -> io::Result<u64> {
            Ok(self.0.len() as u64)
        }

        fn cut(&mut self, length: u64) -> io::Result<()> {
            self.0.truncate(length as usize);
            Ok(())
        }
    }

    #[test]
    fn a_full_disk_has_whole_games_and_gets_the_others_later() {
        let (mut disk, mut kept) = (SmallDisk(Vec::new(), 10), Unwritten::default());
        for (game, written) in [("game 1\n", "game 1\n"), ("game 2\n", "game 1\n"), ("game 3\n", "game 1\n")]
        {
            kept.text.push_str(game);
            assert_eq!(kept.write(&mut disk).is_ok(), game.contains(written.trim()));
            assert_eq!(disk.0, written.as_bytes());
        }
        disk.1 = 100;
        kept.write(&mut disk).unwrap();
        assert_eq!(disk.0, b"game 1\ngame 2\ngame 3\n");
    }
}
