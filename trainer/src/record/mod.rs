//! Self-play games and their files.

mod chunk;
mod encoding;
mod start;

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow, ensure};
use search::{Move, Position, Score};
use shakmaty::Color;

use crate::InputError;

pub(crate) use chunk::{ChunkReader, ChunkWriter, Recipe};
pub(crate) use start::Start;

/// Result of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GameResult {
    Win(Color),
    Draw,
}

/// A move and its score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Played {
    pub(crate) mv: Move,
    /// Score for the side to move; `None` for a random move of the opening.
    pub(crate) score: Option<i32>,
}

/// A complete game. Its moves are legal; those without a score come first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GameRecord {
    pub(crate) start: Start,
    pub(crate) result: GameResult,
    pub(crate) moves: Vec<Played>,
}

impl GameRecord {
    /// Returns each move with the position in which it was played.
    pub(crate) fn positions(&self) -> impl Iterator<Item = (Position, Played)> {
        let mut position = self.start.position();
        self.moves.iter().map(move |&played| {
            let next = position.make(played.mv);
            (std::mem::replace(&mut position, next), played)
        })
    }
}

/// Returns the game files at some paths, each once: files themselves, and all game files of a folder, sorted by name.
///
/// # Errors
/// If a path does not exist or a folder holds no game files.
pub(crate) fn chunks_of(paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in paths {
        let found = files_at(path).with_context(|| format!("{} can't be read", path.display()));
        let found = found.context(InputError)?;
        let fault = || format!("{} holds no .{} files", path.display(), chunk::EXTENSION);
        ensure!(!found.is_empty(), anyhow!(InputError).context(fault()));
        files.extend(found);
    }
    // A file that is named twice counts once.
    let mut seen = HashSet::new();
    files.retain(|file| seen.insert(file.canonicalize().unwrap_or_else(|_| file.clone())));
    Ok(files)
}

fn files_at(path: &Path) -> std::io::Result<Vec<PathBuf>> {
    if !path.metadata()?.is_dir() {
        return Ok(vec![path.into()]);
    }
    let mut files = path.read_dir()?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>()?;
    files.retain(|name| name.extension().is_some_and(|extension| extension == chunk::EXTENSION));
    files.sort();
    Ok(files)
}

/// First ply used. The opening is random, and the plies after it are still unusual.
const FIRST_PLY: usize = 16;
/// Positions with scores beyond this, in centipawns, are decided and excluded, mates too.
const DECIDED: i32 = 2500;
/// Minimum number of pieces. Fewer are left to rules and endgame tables.
const FEWEST_PIECES: usize = 4;

/// Returns the score of a position `ply` plies into its game if it is used for training: quiet (not in check, best move
/// neither capture nor promotion) and undecided.
pub(crate) fn quiet_score(ply: usize, position: &Position, played: Played) -> Option<i32> {
    let score = played.score?;
    let is_wanted = ply >= FIRST_PLY
        && score.abs() < DECIDED
        && !Score::from_value(score).is_mate()
        && !position.is_check()
        && !position.is_tactical(played.mv)
        && position.occupied().count() >= FEWEST_PIECES;
    is_wanted.then_some(score)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::random::Random;
    use shakmaty::Square;

    /// Returns games of random moves, a quarter of them Chess960, with scores from material and noise, and results from
    /// the scores.
    pub(crate) fn random_games(seed: u64, count: usize) -> Vec<GameRecord> {
        let mut random = Random::new(seed, 0);
        (0..count).map(|_| random_game(&mut random)).collect()
    }

    /// Writes random games into game files of a folder.
    pub(crate) fn write_random_games(folder: &Path, seed: u64, count: usize) {
        let recipe = Recipe { seed: 1, soft_nodes: 1, chess960_percent: 0, network: 0 };
        let mut writer = ChunkWriter::resume(folder, recipe, 1000).unwrap();
        for game in random_games(seed, count) {
            writer.append(&game.encode()).unwrap();
        }
    }

    fn random_game(random: &mut Random) -> GameRecord {
        let start = if random.below(4) > 0 { Start::STANDARD } else { Start::random(random) };
        let mut position = start.position();
        let mut moves = Vec::new();
        let mut balance = 0;
        while moves.len() < 60 {
            let legal = position.legal_moves();
            let Some(&mv) = legal.get(random.below(legal.len().max(1))) else { break };
            let count = |color, role| position.pieces(color, role).count() as i32;
            let lead =
                |role| search::exchange_value(role) * (count(Color::White, role) - count(Color::Black, role));
            balance = shakmaty::Role::ALL.map(lead).iter().sum::<i32>() + random.below(200) as i32 - 100;
            let score = (moves.len() >= 8).then_some(position.turn().fold_wb(balance, -balance));
            moves.push(Played { mv, score });
            position = position.make(mv);
        }
        let result = match balance {
            100.. => GameResult::Win(Color::White),
            ..=-100 => GameResult::Win(Color::Black),
            _ => GameResult::Draw,
        };
        GameRecord { start, result, moves }
    }

    /// Returns a game of standard chess from its moves; scores for the side to move follow a colon.
    pub(crate) fn game(result: GameResult, moves: &str) -> GameRecord {
        let moves = moves
            .split_ascii_whitespace()
            .map(|word| {
                let (mv, score) = word.split_once(':').map_or((word, None), |(mv, s)| (mv, s.parse().ok()));
                let square = |at| mv[at..at + 2].parse::<Square>().unwrap();
                let promotion =
                    mv.get(4..5).and_then(|piece| shakmaty::Role::from_char(piece.parse().unwrap()));
                let (from, to) = (square(0), square(2));
                let mv = promotion.map_or(Move::new(from, to), |role| Move::promoting(from, to, role));
                Played { mv, score }
            })
            .collect();
        let game = GameRecord { start: Start::STANDARD, result, moves };
        for (position, played) in game.positions() {
            assert!(position.is_legal(played.mv), "{played:?}");
        }
        game
    }

    #[test]
    fn quiet_positions_are_kept() {
        let shuffle = "g1f3 g8f6 f3g1 f6g8 ".repeat(4);
        let moves = "e2e4:20 d7d5:-5 e4d5:30 d8d5:-10 b1c3:40 d5e5:-30 f1e2:2600 g8f6:-40";
        let game = game(GameResult::Draw, &(shuffle + moves));
        let kept: Vec<i32> = game
            .positions()
            .enumerate()
            .filter_map(|(ply, (position, played))| quiet_score(ply, &position, played))
            .collect();
        assert_eq!(kept, [20, -5, 40, -30, -40], "captures, evasions and the decided are left out");
    }
}
