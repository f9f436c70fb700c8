//! Syzygy endgame tables: values of positions and best moves.
//!
//! A WDL table contains the value of each position, a DTZ table the "distance to zeroing": the number of plies to the next
//! capture or pawn move on the way to a win within the fifty-move rule.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::{env, fs, io};

use shakmaty::{Chess, Move, Position as _};
use shakmaty_syzygy::{AmbiguousWdl, Dtz, ProbeError, SyzygyError, Tablebase, Wdl};

use crate::game::{Game, after};

/// Value of a position for the side to move, with best play and under the fifty-move rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SyzygyValue {
    /// The side to move loses.
    Loss,
    /// A draw, possibly only by the fifty-move rule.
    Draw,
    /// The side to move wins.
    Win,
}

/// All tables of a list of directories. Files are opened on first use.
#[derive(Debug)]
pub struct SyzygyTables {
    tables: Tablebase<Chess>,
    fault: OnceLock<TablebaseError>,
}

/// Why tables can't be used.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the message of each variant says all that its fields mean")]
pub enum TablebaseError {
    /// A directory can't be read.
    #[error("can't read `{}`: {error}", path.display())]
    Directory { path: PathBuf, error: io::Error },
    /// The directories contain no tables.
    #[error("no Syzygy tables (*.rtbw, *.rtbz) in `{paths}`")]
    NoTables { paths: String },
    /// A file has the name of a table, but is not one.
    #[error("`{}` is not a Syzygy table: {error}", path.display())]
    File { path: PathBuf, error: io::Error },
    /// A table is faulty. Carries the material of the table.
    #[error("Syzygy table {name} can't be used: {problem}")]
    Faulty { name: String, problem: String },
}

impl SyzygyTables {
    /// Opens the tables in a list of directories, separated as in the environment variable `PATH`.
    ///
    /// # Errors
    /// A directory can't be read, a table is visibly damaged, or there are no tables.
    pub fn open(paths: &str) -> Result<SyzygyTables, TablebaseError> {
        let none = || TablebaseError::NoTables { paths: paths.to_owned() };
        let mut tables = no_tables().ok_or_else(none)?;
        let mut found = 0;
        for path in env::split_paths(paths).filter(|path| !path.as_os_str().is_empty()) {
            found += add_directory(&mut tables, &path)?;
        }
        if found == 0 {
            return Err(none());
        }
        Ok(SyzygyTables { tables, fault: OnceLock::new() })
    }

    /// Largest number of pieces of a table, including kings.
    pub fn max_pieces(&self) -> usize {
        self.tables.max_pieces()
    }

    /// The value of a position for the side to move, under the fifty-move rule with the current halfmove clock; `None` if it is
    /// unknown or ambiguous.
    ///
    /// # Errors
    /// A table is faulty.
    pub fn probe(&self, chess: &Chess) -> Result<Option<SyzygyValue>, TablebaseError> {
        Ok(self.probe_wdl(chess)?.and_then(AmbiguousWdl::unambiguous).map(|value| match value {
            Wdl::Loss => SyzygyValue::Loss,
            Wdl::BlessedLoss | Wdl::Draw | Wdl::CursedWin => SyzygyValue::Draw,
            Wdl::Win => SyzygyValue::Win,
        }))
    }

    /// The value of a position for the side to move without the fifty-move rule; `None` if it is unknown.
    ///
    /// # Errors
    /// A table is faulty.
    pub fn probe_without_fifty_moves(&self, chess: &Chess) -> Result<Option<SyzygyValue>, TablebaseError> {
        Ok(self.probe_wdl(chess)?.map(|value| match value {
            AmbiguousWdl::Loss | AmbiguousWdl::BlessedLoss | AmbiguousWdl::MaybeLoss => SyzygyValue::Loss,
            AmbiguousWdl::Draw => SyzygyValue::Draw,
            AmbiguousWdl::MaybeWin | AmbiguousWdl::CursedWin | AmbiguousWdl::Win => SyzygyValue::Win,
        }))
    }

    fn probe_wdl(&self, chess: &Chess) -> Result<Option<AmbiguousWdl>, TablebaseError> {
        let value = if chess.halfmoves() == 0 {
            self.tables.probe_wdl_after_zeroing(chess).map(AmbiguousWdl::from)
        } else {
            self.tables.probe_wdl(chess)
        };
        known(value)
    }

    /// The best of some legal moves: those that win within the fifty-move rule, if there are any. After a repetition in the game,
    /// only the fastest wins. `None` if the value of a move is unknown.
    ///
    /// # Errors
    /// A table is faulty.
    pub fn best_moves(&self, game: &Game, moves: &[Move]) -> Result<Option<Vec<Move>>, TablebaseError> {
        let few =
            |chess: &&Chess| chess.board().occupied().count() <= self.max_pieces() && !chess.castles().any();
        let Some(chess) = game.chess().filter(few) else { return Ok(None) };
        let is_urgent = game.repeats_itself();
        let ranks: Result<Vec<(i32, Move)>, SyzygyError> = moves
            .iter()
            .map(|&m| Ok((self.rank(&after(chess, m), game.halfmoves(), is_urgent)?, m)))
            .collect();
        let Some(ranks) = known(ranks)? else { return Ok(None) };
        let best = ranks.iter().map(|&(rank, _)| rank).max();
        Ok(Some(ranks.into_iter().filter(|&(rank, _)| Some(rank) == best).map(|(_, m)| m).collect()))
    }

    /// Converts a fault to `None` where it can't be reported, and stores the first one for [`SyzygyTables::fault`].
    pub fn noting_faults<T>(&self, probed: Result<Option<T>, TablebaseError>) -> Option<T> {
        probed.unwrap_or_else(|fault| {
            let _ = self.fault.set(fault);
            None
        })
    }

    /// The first fault stored by [`SyzygyTables::noting_faults`].
    pub fn fault(&self) -> Option<&TablebaseError> {
        self.fault.get()
    }

    /// The rank of a move to the position `next`, `halfmoves` plies after the last capture or pawn move: positive for wins, zero
    /// for draws. Safe wins have equal ranks unless `is_urgent`.
    fn rank(&self, next: &Chess, halfmoves: u32, is_urgent: bool) -> Result<i32, SyzygyError> {
        /// Greater than any distance.
        const CERTAIN: i32 = 1 << 18;
        let plies = self.plies_to_zeroing(next)?;
        let (distance, halfmoves) = (plies.abs(), halfmoves as i32);
        Ok(match plies.signum() {
            // 99 instead of 100, as distances may be rounded down.
            1 if distance + halfmoves <= 99 && !is_urgent => CERTAIN,
            1 => CERTAIN - distance - halfmoves,
            0 => 0,
            // Losses are equal if the fifty-move rule is out of reach.
            _ if 2 * distance + halfmoves < 100 => -CERTAIN,
            _ => distance + halfmoves - CERTAIN,
        })
    }

    /// The distance to zeroing including the move that led to `next`: positive if the side that moved wins, negative if it loses.
    /// Distances over 100 are draws by the fifty-move rule.
    fn plies_to_zeroing(&self, next: &Chess) -> Result<i32, SyzygyError> {
        if next.is_checkmate() {
            return Ok(1);
        }
        if next.halfmoves() == 0 {
            let value = -self.tables.probe_wdl_after_zeroing(next)?;
            return Ok(Dtz::before_zeroing(value).0);
        }
        let dtz = -self.tables.probe_dtz(next)?.ignore_rounding();
        Ok(if dtz.is_zero() { 0 } else { dtz.add_plies(1).0 })
    }
}

/// A set without tables; `None` where there are no files, in a browser.
#[cfg_attr(
    not(target_family = "wasm"),
    expect(clippy::unnecessary_wraps, reason = "files are everywhere else")
)]
fn no_tables() -> Option<Tablebase<Chess>> {
    #[cfg(target_family = "wasm")]
    return None;
    #[cfg(not(target_family = "wasm"))]
    Some(Tablebase::new())
}

/// Adds the tables of a directory and returns their number. Other files are ignored.
fn add_directory(tables: &mut Tablebase<Chess>, path: &Path) -> Result<usize, TablebaseError> {
    let unreadable = |error| TablebaseError::Directory { path: path.to_owned(), error };
    let mut found = 0;
    for entry in fs::read_dir(path).map_err(unreadable)? {
        let file = entry.map_err(unreadable)?.path();
        match tables.add_file(&file) {
            Ok(()) => found += 1,
            Err(error) if error.kind() == io::ErrorKind::InvalidInput || !is_called_table(&file) => {}
            Err(error) => return Err(TablebaseError::File { path: file, error }),
        }
    }
    Ok(found)
}

fn is_called_table(file: &Path) -> bool {
    file.extension().and_then(OsStr::to_str).is_some_and(|end| matches!(end, "rtbw" | "rtbz"))
}

/// Converts a missing table to `None`, and a faulty one to an error.
fn known<T>(probed: Result<T, SyzygyError>) -> Result<Option<T>, TablebaseError> {
    match probed {
        Ok(value) => Ok(Some(value)),
        Err(SyzygyError::ProbeFailed { metric, material, error }) => Err(TablebaseError::Faulty {
            name: format!("{material} ({metric})"),
            problem: match *error {
                ProbeError::Read { error } => error.to_string(),
                ProbeError::Magic { .. } => "the signature at its beginning is wrong".to_owned(),
                ProbeError::CorruptedTable { .. } => "it is damaged".to_owned(),
            },
        }),
        Err(SyzygyError::Castling | SyzygyError::TooManyPieces | SyzygyError::MissingTable { .. }) => {
            Ok(None)
        }
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::CastlingMode;

    use super::*;
    use crate::{Outcome, WinReason};

    /// The directory of the tables with three and four pieces; prints a message and returns `None` if it is missing.
    fn folder() -> Option<PathBuf> {
        let fetched = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/syzygy");
        let folder = env::var_os("HERALD_SYZYGY").map_or(fetched, PathBuf::from);
        if folder.join("KQvK.rtbw").is_file() {
            return Some(folder);
        }
        let required = env::var_os("HERALD_REQUIRE_PEERS").is_some_and(|value| value == "1");
        assert!(!required, "required, but there are no Syzygy tables in {}", folder.display());
        eprintln!("skipped: no Syzygy tables in {}", folder.display());
        None
    }

    fn tables() -> Option<SyzygyTables> {
        folder().map(|folder| SyzygyTables::open(folder.to_str().unwrap()).unwrap())
    }

    fn game(fen: &str) -> Game {
        Game::from_fen(fen, CastlingMode::Standard).unwrap()
    }

    #[test]
    fn positions_have_their_values() {
        let Some(tables) = tables() else { return };
        assert_eq!(tables.max_pieces(), 4);
        let probe = |fen: &str| tables.probe(game(fen).chess().unwrap()).unwrap();
        assert_eq!(probe("8/8/8/8/8/2k5/8/KQ6 w - - 0 1"), Some(SyzygyValue::Win));
        assert_eq!(probe("8/8/8/8/B7/N7/K2k4/8 b - - 0 1"), Some(SyzygyValue::Loss));
        assert_eq!(probe("8/8/8/3k4/8/3P4/3K4/8 b - - 0 1"), Some(SyzygyValue::Draw));
        assert_eq!(probe("4k3/8/8/8/8/8/8/4K3 w - - 0 1"), Some(SyzygyValue::Draw));
        // The win takes 59 plies more, which the fifty-move rule no longer grants.
        assert_eq!(probe("8/8/8/8/B7/N7/K2k4/8 b - - 30 90"), Some(SyzygyValue::Loss));
        assert_eq!(probe("8/8/8/8/B7/N7/K2k4/8 b - - 50 90"), Some(SyzygyValue::Draw));
        // Nothing is known of castling, nor of five men.
        assert_eq!(probe("4k3/8/8/8/8/8/8/4K2R w K - 0 1"), None);
        assert_eq!(probe("4k3/pp6/8/8/8/8/8/4K2R w - - 0 1"), None);
    }

    /// Plays on with any of the best moves for both sides, to the end or the fifty-move rule.
    fn play_out(tables: &SyzygyTables, fen: &str, random: &mut fastrand::Rng) -> Game {
        let mut game = game(fen);
        while game.outcome().is_none() && game.halfmoves() < 100 {
            let best = tables.best_moves(&game, &game.legal_moves()).unwrap().expect("known");
            game.play(*random.choice(&best).expect("a move")).unwrap();
        }
        game
    }

    #[test]
    fn won_endings_are_won_within_fifty_moves() {
        let Some(tables) = tables() else { return };
        let mut random = fastrand::Rng::with_seed(4);
        for fen in [
            "8/8/8/8/8/3k4/8/KNB5 w - - 0 1",
            "8/8/8/8/5k2/8/8/KBN5 w - - 20 15",
            "8/8/8/8/4k3/8/1Q6/K6r w - - 0 1",
            "8/8/8/3k4/8/8/8/K2R4 b - - 60 80",
            "3k4/8/3K4/4P3/8/8/8/8 b - - 0 1",
        ] {
            for _ in 0..3 {
                let end = play_out(&tables, fen, &mut random);
                let mate = Outcome::Win { winner: shakmaty::Color::White, reason: WinReason::Checkmate };
                assert_eq!(end.outcome(), Some(mate), "{fen}: {}", end.fen());
            }
        }
    }

    #[test]
    fn only_moves_that_keep_the_value_are_kept() {
        let Some(tables) = tables() else { return };
        let kept = |fen: &str| {
            let game = game(fen);
            let best = tables.best_moves(&game, &game.legal_moves()).unwrap();
            best.map(|moves| moves.into_iter().map(|m| game.san(m)).collect::<Vec<_>>())
        };
        assert_eq!(kept("4k3/8/8/4K3/4P3/8/8/8 b - - 0 1"), Some(vec!["Ke7".into()]));
        assert_eq!(kept("4k3/8/8/8/8/8/8/4K2R w K - 0 1"), None);
        // With three plies left, only the mate will do.
        assert_eq!(kept("7k/8/6K1/8/8/8/8/R7 w - - 98 90"), Some(vec!["Ra8#".into()]));
    }

    const TABLES: [&str; 2] = ["KQvK.rtbw", "KQvK.rtbz"];

    /// A folder with the tables of a queen against nothing, one of them changed.
    fn damaged(table: &str, change: impl FnOnce(&mut Vec<u8>)) -> Option<tempfile::TempDir> {
        let (whole, folder) = (folder()?, tempfile::tempdir().unwrap());
        for table in TABLES {
            fs::copy(whole.join(table), folder.path().join(table)).unwrap();
        }
        let mut bytes = fs::read(whole.join(table)).unwrap();
        change(&mut bytes);
        fs::write(folder.path().join(table), bytes).unwrap();
        Some(folder)
    }

    fn open(folder: &tempfile::TempDir) -> Result<SyzygyTables, TablebaseError> {
        SyzygyTables::open(folder.path().to_str().unwrap())
    }

    #[test]
    fn truncated_tables_are_errors() {
        let game = game("8/8/8/8/8/2k5/8/KQ6 w - - 0 1");
        for (table, metric) in TABLES.into_iter().zip(["wdl", "dtz"]) {
            for length in [0, 1, 17, 100] {
                let Some(folder) = damaged(table, |bytes| bytes.truncate(length)) else { return };
                let error = open(&folder).unwrap_err().to_string();
                assert!(error.contains(&format!("{table}` is not a Syzygy table: ")), "{error}");
            }
            // Whole blocks may be missing: then only some positions are known no more, but none gets a wrong value.
            let whole = tables().unwrap().best_moves(&game, &game.legal_moves()).unwrap();
            let mut problems = Vec::new();
            for length in [16, 80, 144] {
                let Some(folder) = damaged(table, |bytes| bytes.truncate(length)) else { return };
                let tables = open(&folder).unwrap();
                match tables.probe(game.chess().unwrap()) {
                    Ok(value) => assert_eq!(value, Some(SyzygyValue::Win), "{length}"),
                    Err(error) => problems.push(error.to_string()),
                }
                match tables.best_moves(&game, &game.legal_moves()) {
                    Ok(moves) => assert_eq!(moves, whole, "{length}"),
                    Err(error) => problems.push(error.to_string()),
                }
            }
            let expected = format!("Syzygy table KQvK ({metric}) can't be used: it is damaged");
            assert!(!problems.is_empty() && problems.iter().all(|text| *text == expected), "{problems:?}");
        }
        let folder = tempfile::tempdir().unwrap();
        assert!(matches!(open(&folder), Err(TablebaseError::NoTables { .. })));
        fs::write(folder.path().join("notes.txt"), "x").unwrap();
        assert!(matches!(open(&folder), Err(TablebaseError::NoTables { .. })));
        assert!(matches!(SyzygyTables::open("/no/such/folder"), Err(TablebaseError::Directory { .. })));
    }

    #[test]
    fn altered_tables_don_t_crash() {
        let mut random = fastrand::Rng::with_seed(7);
        let positions = ["8/8/8/8/8/2k5/8/KQ6 w - - 0 1", "8/8/8/5q2/8/3k4/8/K7 w - - 0 1"].map(game);
        for _ in 0..300 {
            let table = TABLES[random.usize(..TABLES.len())];
            let alter = |bytes: &mut Vec<u8>| {
                for _ in 0..3 {
                    // Mostly in the header, which directs all the rest.
                    let limit = if random.bool() { bytes.len().min(100) } else { bytes.len() };
                    bytes[random.usize(4..limit)] = random.u8(..);
                }
            };
            let Some(folder) = damaged(table, alter) else { return };
            if let Ok(tables) = open(&folder) {
                for game in &positions {
                    let _ = tables.probe(game.chess().unwrap());
                    let _ = tables.best_moves(game, &game.legal_moves());
                }
            }
        }
    }
}
