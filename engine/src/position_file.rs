//! Positions drawn at random from a file of any size, with one FEN or EPD record in each line.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom};
use std::path::Path;

use fastrand::Rng;
use game::Game;
use shakmaty::CastlingMode;

/// Maximum length of a line, in bytes.
const LONGEST_LINE: u64 = 64 << 10;
/// Number of lines that are tried before a file is taken for something else.
const PATIENCE: usize = 100;

/// A file of positions. It is not read as a whole: a line is found from a random place.
pub(crate) struct PositionFile {
    file: BufReader<File>,
    length: u64,
}

impl PositionFile {
    /// Opens a file.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(crate) fn open(path: &Path) -> io::Result<PositionFile> {
        let mut file = File::open(path)?;
        let length = file.seek(SeekFrom::End(0))?;
        Ok(PositionFile { file: BufReader::new(file), length })
    }

    /// Draws a position in which the game is not over. Long lines are drawn more often than short ones.
    ///
    /// # Errors
    /// The file cannot be read, or there are no positions in it.
    pub(crate) fn draw(&mut self, random: &mut Rng) -> io::Result<Game> {
        for _ in 0..PATIENCE {
            let line = self.line_from(random.u64(..self.length.max(1)))?;
            let fields: Vec<&str> = line.split_whitespace().take(4).collect();
            if let Ok(game) = Game::from_fen(&fields.join(" "), CastlingMode::Standard)
                && game.outcome().is_none()
            {
                return Ok(game);
            }
        }
        Err(io::Error::new(io::ErrorKind::InvalidData, "expected a position in each line, in FEN or EPD"))
    }

    /// Returns the first whole line after a place, or the first of the file after the last one.
    fn line_from(&mut self, place: u64) -> io::Result<String> {
        self.file.seek(SeekFrom::Start(place))?;
        self.read_line()?;
        let line = self.read_line()?;
        if !line.is_empty() {
            return Ok(line);
        }
        self.file.rewind()?;
        self.read_line()
    }

    fn read_line(&mut self) -> io::Result<String> {
        let mut line = Vec::new();
        (&mut self.file).take(LONGEST_LINE).read_until(b'\n', &mut line)?;
        Ok(String::from_utf8_lossy(&line).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_position_of_a_file_is_drawn() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("book.epd");
        let records = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - hmvc 0; fmvn 1;\n\
            rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq - 0 1\n\
            # no position\n\
            rnbqkbnr/pppppppp/8/8/2P5/8/PP1PPPPP/RNBQKBNR b KQkq -";
        std::fs::write(&path, records).expect("written");
        let mut file = PositionFile::open(&path).expect("opened");
        let mut random = Rng::with_seed(1);
        let drawn: HashSet<String> =
            (0..100).map(|_| file.draw(&mut random).expect("a position").fen()).collect();
        assert_eq!(drawn.len(), 3);
        std::fs::write(&path, "nothing\n").expect("written");
        let mut file = PositionFile::open(&path).expect("opened");
        assert!(file.draw(&mut random).unwrap_err().to_string().starts_with("expected a position"));
    }
}
