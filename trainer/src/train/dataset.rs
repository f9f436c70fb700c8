//! The training data: distinct positions of games, with those of some games held out.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};
use rayon::prelude::*;
use search::Position;
use search::network::fingerprint;

use super::sample::Sample;
use crate::InputError;
use crate::record::{ChunkReader, GameResult, chunks_of, quiet_score};

/// One game in this number is held out.
const HELD_OUT: u64 = 50;
/// Number of files that are read in parallel.
const FILES_AT_A_TIME: usize = 8;

/// A position that is used for training.
pub(crate) struct Kept {
    pub(crate) position: Position,
    /// Score for the side to move, in centipawns.
    pub(crate) score: i32,
    pub(crate) result: GameResult,
    pub(crate) is_held_out: bool,
}

impl Kept {
    /// Returns the result of the game for the side to move: 0, 0.5 or 1.
    pub(crate) fn points(&self) -> f32 {
        match self.result {
            GameResult::Draw => 0.5,
            GameResult::Win(winner) => f32::from(u8::from(winner == self.position.turn())),
        }
    }
}

/// Calls `found` with each distinct position of some game files that is used for training, in order of first
/// occurrence.
pub(crate) fn for_each_kept(paths: &[PathBuf], mut found: impl FnMut(Kept)) -> Result<()> {
    let mut seen = HashSet::new();
    for files in chunks_of(paths)?.chunks(FILES_AT_A_TIME) {
        let parts: Vec<Vec<Kept>> = files.par_iter().map(|path| read(path)).collect::<Result<_>>()?;
        for kept in parts.into_iter().flatten() {
            if seen.insert(kept.position.keys().full) {
                found(kept);
            }
        }
    }
    Ok(())
}

fn read(path: &Path) -> Result<Vec<Kept>> {
    let mut reader = ChunkReader::open(path)?;
    let mut kept = Vec::new();
    while let Some((number, game, _)) = reader.next_game()? {
        let (result, is_held_out) = (game.result, number.is_multiple_of(HELD_OUT));
        for (ply, (position, played)) in game.positions().enumerate() {
            if let Some(score) = quiet_score(ply, &position, played) {
                kept.push(Kept { position, score, result, is_held_out });
            }
        }
    }
    Ok(kept)
}

/// Positions for training, and those of the held-out games.
pub(crate) struct Dataset {
    pub(crate) training: Vec<Sample>,
    pub(crate) held_out: Vec<Sample>,
}

impl Dataset {
    /// # Errors
    /// If a file can't be read or is not a game file, or if there are no positions for training or to hold out.
    pub(crate) fn load(paths: &[PathBuf]) -> Result<Dataset> {
        let (mut training, mut held_out) = (Vec::new(), Vec::new());
        for_each_kept(paths, |kept| {
            let sample = Sample::new(&kept);
            if kept.is_held_out { &mut held_out } else { &mut training }.push(sample);
        })?;
        if training.is_empty() || held_out.is_empty() {
            return Err(anyhow!(InputError).context("too few games to hold some out"));
        }
        Ok(Dataset { training, held_out })
    }

    /// Returns the fingerprint of the positions.
    pub(super) fn fingerprint(&self) -> u64 {
        let prints: Vec<u8> = self
            .training
            .par_chunks(1 << 12)
            .chain(self.held_out.par_chunks(1 << 12))
            .flat_map_iter(|samples| {
                let bytes: Vec<u8> = samples.iter().flat_map(Sample::bytes).collect();
                fingerprint(&bytes).to_le_bytes()
            })
            .collect();
        fingerprint(&prints)
    }
}
