//! Game files: a header that describes how the games were generated, then the games in the order of their numbers.
//!
//! ```text
//! header   8 bytes HRLDGAME, version (4), seed (8), number of the first game (8), soft nodes (4), share of Chess960 in
//!          percent (4), network (8), checksum of the header (4)
//! game     length of the game (2), the game, its checksum (4)
//! ```
//!
//! Numbers are little-endian. A checksum is the lower half of the [`fingerprint`]. Each game is written with one call:
//! if the program is killed, at most the last game of the last file is incomplete. It is then cut off and played again.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{BufReader, ErrorKind, Read, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use search::network::fingerprint;

use super::GameRecord;
use crate::InputError;

/// Extension of game files.
pub(crate) const EXTENSION: &str = "games";
const MAGIC: &[u8; 8] = b"HRLDGAME";
const VERSION: u32 = 1;
const HEADER: usize = 48;

/// How games are generated. The recipe and the number of a game determine the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Recipe {
    pub(crate) seed: u64,
    /// Nodes after which no iteration is started.
    pub(crate) soft_nodes: u32,
    /// Percentage of games that start from a Chess960 position.
    pub(crate) chess960_percent: u32,
    /// The fingerprint of the network that plays; 0 in games of the former hand-written evaluation.
    pub(crate) network: u64,
}

impl fmt::Display for Recipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Recipe { seed, soft_nodes, chess960_percent, network } = self;
        write!(f, "seed {seed}, {soft_nodes} nodes, {chess960_percent} % Chess960 and network {network:016x}")
    }
}

fn checksum(bytes: &[u8]) -> [u8; 4] {
    (fingerprint(bytes) as u32).to_le_bytes()
}

fn header(recipe: &Recipe, first: u64) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEADER);
    bytes.extend(MAGIC);
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend(recipe.seed.to_le_bytes());
    bytes.extend(first.to_le_bytes());
    bytes.extend(recipe.soft_nodes.to_le_bytes());
    bytes.extend(recipe.chess960_percent.to_le_bytes());
    bytes.extend(recipe.network.to_le_bytes());
    bytes.extend(checksum(&bytes));
    bytes
}

fn read_header(bytes: &[u8; HEADER]) -> Result<(Recipe, u64)> {
    ensure!(bytes.starts_with(MAGIC), "not a game file");
    let u32_at = |at| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
    let u64_at = |at| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
    let version = u32_at(8);
    ensure!(version == VERSION, "format version {version} is not supported, expected {VERSION}");
    ensure!(bytes[44..] == checksum(&bytes[..44]), "the header is damaged");
    let recipe = Recipe {
        seed: u64_at(12),
        soft_nodes: u32_at(28),
        chess960_percent: u32_at(32),
        network: u64_at(36),
    };
    Ok((recipe, u64_at(20)))
}

/// Reader of a game file.
pub(crate) struct ChunkReader {
    path: PathBuf,
    input: BufReader<File>,
    pub(crate) recipe: Recipe,
    /// Number of the first game.
    first: u64,
    /// Number of games read so far.
    games: u64,
    /// Length of the header and of the games read so far, in bytes.
    whole: u64,
}

impl ChunkReader {
    /// # Errors
    /// If the file can't be read, is not a game file or has an unsupported version.
    pub(crate) fn open(path: &Path) -> Result<ChunkReader> {
        let context = || format!("{} can't be used", path.display());
        let input = File::open(path).with_context(context).context(InputError)?;
        ChunkReader::new(path, input).with_context(context).context(InputError)
    }

    fn new(path: &Path, input: File) -> Result<ChunkReader> {
        let mut input = BufReader::new(input);
        let mut bytes = [0; HEADER];
        input.read_exact(&mut bytes).map_err(|error| match error.kind() {
            ErrorKind::UnexpectedEof => anyhow!("not a game file"),
            _ => error.into(),
        })?;
        let (recipe, first) = read_header(&bytes)?;
        Ok(ChunkReader { path: path.into(), input, recipe, first, games: 0, whole: HEADER as u64 })
    }

    /// Returns the number of the next game.
    fn next_number(&self) -> u64 {
        self.first + self.games
    }

    /// Returns the next game with its number and its bytes; `None` at the end.
    ///
    /// # Errors
    /// If the file can't be read, or the game is damaged or incomplete.
    pub(crate) fn next_game(&mut self) -> Result<Option<(u64, GameRecord, Vec<u8>)>> {
        let number = self.next_number();
        let Some(bytes) = self.next_bytes()? else {
            let is_whole = self.input.get_ref().metadata().with_context(|| self.place())?.len() == self.whole;
            if is_whole {
                return Ok(None);
            }
            let fault = "the file ends within the game; repeat the same `generate` command to continue there";
            return Err(anyhow!(fault)).with_context(|| self.place()).context(InputError);
        };
        let place = || format!("{}, game {number}", self.path.display());
        let game = GameRecord::decode(&bytes).with_context(place).context(InputError)?;
        Ok(Some((number, game, bytes)))
    }

    /// Returns the bytes of the next game after checking their checksum; `None` at the end, also if the file ends
    /// within a game because it was truncated or its run was killed or is still writing.
    fn next_bytes(&mut self) -> Result<Option<Vec<u8>>> {
        let Ok(length) = <[u8; 2]>::try_from(self.read(2)?) else { return Ok(None) };
        let length = usize::from(u16::from_le_bytes(length)) + 4;
        let mut bytes = self.read(length)?;
        if bytes.len() < length {
            return Ok(None);
        }
        let sum = bytes.split_off(bytes.len() - 4);
        if sum != checksum(&bytes) {
            return Err(anyhow!("the game is damaged")).with_context(|| self.place()).context(InputError);
        }
        self.games += 1;
        self.whole += 2 + bytes.len() as u64 + 4;
        Ok(Some(bytes))
    }

    /// Reads this number of bytes, or fewer at the end of the file.
    fn read(&mut self, count: usize) -> Result<Vec<u8>> {
        let mut bytes = Vec::with_capacity(count);
        let read = self.input.by_ref().take(count as u64).read_to_end(&mut bytes);
        read.with_context(|| self.place())?;
        Ok(bytes)
    }

    /// Returns the location of the next game for error messages.
    fn place(&self) -> String {
        format!("{}, game {}, byte {}", self.path.display(), self.next_number(), self.whole)
    }
}

/// Writer of game files with a fixed number of games each. Continues where an earlier run ended.
pub(crate) struct ChunkWriter {
    folder: PathBuf,
    recipe: Recipe,
    games_per_chunk: u64,
    /// The current file.
    file: File,
    games: u64,
}

impl ChunkWriter {
    /// Continues after the games that the folder already holds.
    ///
    /// # Errors
    /// If the folder can't be written, holds games with this seed that have another recipe or are damaged, or another
    /// run is writing them.
    pub(crate) fn resume(folder: &Path, recipe: Recipe, games_per_chunk: u64) -> Result<ChunkWriter> {
        std::fs::create_dir_all(folder).with_context(|| format!("{} can't be created", folder.display()))?;
        let mut first = 0;
        loop {
            let path = chunk_path(folder, &recipe, first);
            let context = || format!("{} can't be continued", path.display());
            let chunk = Chunk::open(&path, &recipe, first).with_context(context)?;
            if chunk.games < games_per_chunk {
                let next = chunk_path(folder, &recipe, first + games_per_chunk);
                ensure!(!next.exists(), "{} lacks games, but {} exists", path.display(), next.display());
                let games = first + chunk.games;
                let file = chunk.ready(&recipe, first).with_context(context)?;
                return Ok(ChunkWriter { folder: folder.into(), recipe, games_per_chunk, file, games });
            }
            first += games_per_chunk;
        }
    }

    /// Returns the number of games written.
    pub(crate) fn games(&self) -> u64 {
        self.games
    }

    /// Writes the next game.
    pub(crate) fn append(&mut self, game: &[u8]) -> Result<()> {
        let length = u16::try_from(game.len()).context("the game is too long")?;
        let bytes = [&length.to_le_bytes(), game, &checksum(game)].concat();
        self.file.write_all(&bytes).context("a game can't be written")?;
        self.games += 1;
        if self.games.is_multiple_of(self.games_per_chunk) {
            let path = chunk_path(&self.folder, &self.recipe, self.games);
            let context = || format!("{} can't be created", path.display());
            let chunk = Chunk::open(&path, &self.recipe, self.games).with_context(context)?;
            self.file = chunk.ready(&self.recipe, self.games).with_context(context)?;
        }
        Ok(())
    }
}

fn chunk_path(folder: &Path, recipe: &Recipe, first: u64) -> PathBuf {
    folder.join(format!("seed-{}-{first:07}.{EXTENSION}", recipe.seed))
}

/// Locks a file against other runs. Retries, as a killed run may take a moment to release its lock.
fn lock(file: &File) -> Result<()> {
    for _ in 0..20 {
        if file.try_lock().is_ok() {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    bail!("another run is writing to it")
}

/// A game file that a run may continue.
struct Chunk {
    file: File,
    /// Number of complete games.
    games: u64,
    /// Length of the header and of the complete games in bytes; 0 if the header is incomplete.
    whole: u64,
}

impl Chunk {
    /// Opens or creates a file, without changing its contents.
    fn open(path: &Path, recipe: &Recipe, first: u64) -> Result<Chunk> {
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
        lock(&file)?;
        let mut begun = Vec::new();
        (&file).take(HEADER as u64).read_to_end(&mut begun)?;
        if begun.len() < HEADER && header(recipe, first).starts_with(&begun) {
            return Ok(Chunk { file, games: 0, whole: 0 });
        }
        file.rewind()?;
        let mut reader = ChunkReader::new(path, file.try_clone()?)?;
        ensure!(
            (reader.recipe, reader.first) == (*recipe, first),
            "its games are of {}, expected {recipe}",
            reader.recipe
        );
        while reader.next_bytes()?.is_some() {}
        Ok(Chunk { file, games: reader.games, whole: reader.whole })
    }

    /// Removes an incomplete game at the end and returns the file, ready for appending.
    fn ready(mut self, recipe: &Recipe, first: u64) -> Result<File> {
        self.file.set_len(self.whole)?;
        if self.whole == 0 {
            self.file.write_all(&header(recipe, first))?;
        }
        Ok(self.file)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::game;
    use super::super::{GameResult, chunks_of};
    use super::*;

    const RECIPE: Recipe = Recipe { seed: 3, soft_nodes: 20, chess960_percent: 0, network: 0 };

    fn games() -> Vec<Vec<u8>> {
        let moves = ["", "e2e4", "e2e4 e7e5:10", "e2e4 e7e5:-1000 g1f3:300", "d2d4:5", "g1f3 g8f6:0 f3g1:7"];
        moves.map(|moves| game(GameResult::Draw, moves).encode()).to_vec()
    }

    fn write(folder: &Path) -> Result<()> {
        let mut writer = ChunkWriter::resume(folder, RECIPE, 4)?;
        for game in &games()[writer.games() as usize..] {
            writer.append(game)?;
        }
        Ok(())
    }

    fn read(folder: &Path) -> Result<Vec<Vec<u8>>> {
        let mut games = Vec::new();
        for path in chunks_of(&[folder.into()])? {
            let mut reader = ChunkReader::open(&path)?;
            while let Some((number, _, bytes)) = reader.next_game()? {
                assert_eq!(number, games.len() as u64);
                games.push(bytes);
            }
        }
        Ok(games)
    }

    #[test]
    fn whatever_byte_a_run_was_killed_at_no_game_is_lost_or_doubled() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path()).unwrap();
        assert_eq!(read(folder.path()).unwrap(), games());
        let chunks = chunks_of(&[folder.path().into()]).unwrap();
        let whole: Vec<Vec<u8>> = chunks.iter().map(|path| std::fs::read(path).unwrap()).collect();
        for last in 0..chunks.len() {
            for length in 0..whole[last].len() {
                chunks[last..].iter().for_each(|path| std::fs::remove_file(path).unwrap());
                std::fs::write(&chunks[last], &whole[last][..length]).unwrap();
                write(folder.path()).unwrap();
                assert_eq!(read(folder.path()).unwrap(), games(), "cut off at {length}");
                assert!(
                    chunks.iter().zip(&whole).all(|(path, whole)| &std::fs::read(path).unwrap() == whole)
                );
            }
        }
        // A gap in the middle can't come from an interrupted run: nothing is changed.
        for length in [0, HEADER, whole[0].len() - 1] {
            std::fs::write(&chunks[0], &whole[0][..length]).unwrap();
            assert!(format!("{:#}", write(folder.path()).unwrap_err()).contains("lacks games"));
            assert_eq!(std::fs::read(&chunks[0]).unwrap(), whole[0][..length]);
        }
    }

    #[test]
    fn who_reads_is_told_of_a_game_that_is_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path()).unwrap();
        let path = chunk_path(folder.path(), &RECIPE, 0);
        let whole = std::fs::read(&path).unwrap();
        let first = HEADER + 2 + games()[0].len() + 4;
        for length in [first + 1, first + 2, whole.len() - 1] {
            std::fs::write(&path, &whole[..length]).unwrap();
            let fault = read(folder.path()).unwrap_err();
            assert!(format!("{fault:#}").contains("the file ends within the game"), "{fault:#}");
            assert!(fault.downcast_ref::<InputError>().is_some());
        }
        std::fs::write(&path, &whole[..first]).unwrap();
        let mut reader = ChunkReader::open(&path).unwrap();
        let (number, _, bytes) = reader.next_game().unwrap().unwrap();
        assert_eq!((number, bytes), (0, games()[0].clone()));
        assert_eq!(reader.next_game().unwrap(), None);
    }

    #[test]
    fn what_is_not_ours_is_refused_and_left_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path()).unwrap();
        let path = chunk_path(folder.path(), &RECIPE, 0);
        let whole = std::fs::read(&path).unwrap();
        let fault = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            let fault = format!("{:#}", write(folder.path()).unwrap_err());
            assert_eq!(std::fs::read(&path).unwrap(), bytes);
            assert!(!fault.contains('\n'));
            fault
        };
        let changed = |at: usize| {
            let mut bytes = whole.clone();
            bytes[at] ^= 1;
            bytes
        };
        assert!(fault(b"something else").contains("not a game file"));
        assert!(fault(&changed(0)).contains("not a game file"));
        assert!(fault(&changed(8)).contains("version 0 is not supported"));
        assert!(fault(&changed(HEADER - 1)).contains("header is damaged"));
        assert!(fault(&changed(HEADER + 3)).contains("game 0, byte 48: the game is damaged"));
        let other = Recipe { soft_nodes: 21, ..RECIPE };
        assert!(fault(&header(&other, 0)).contains("seed 3, 21 nodes"));
        std::fs::write(&path, &whole).unwrap();
        let _first = ChunkWriter::resume(folder.path(), RECIPE, 4).unwrap();
        let second = ChunkWriter::resume(folder.path(), RECIPE, 4).err().unwrap();
        assert!(format!("{second:#}").contains("another run"));
    }

    #[test]
    fn random_bytes_give_one_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("random.games");
        let mut random = crate::random::Random::new(1, 1);
        for length in [0, 1, 47, 48, 300] {
            let bytes: Vec<u8> = (0..length).map(|_| random.next() as u8).collect();
            std::fs::write(&path, bytes).unwrap();
            let fault = format!("{:#}", read(folder.path()).unwrap_err());
            assert!(fault.contains("random.games") && !fault.contains('\n'), "{fault}");
        }
    }
}
