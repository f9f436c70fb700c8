//! Quiet positions of games, taken apart into features.

use std::path::PathBuf;

use anyhow::Result;
use rayon::prelude::*;
use search::Evaluator;
use search::tuning::{self, Count};

use super::quiet::is_quiet;
use crate::record::{ChunkReader, GameRecord, chunks_of};

/// One of so many games is held out.
const HELD_OUT: u64 = 16;
/// Positions with a greater score, in centipawns, are decided: they teach little.
const DECIDED: i32 = 1500;
/// Games that are taken apart at a time.
const GAMES_AT_A_TIME: usize = 4096;

/// Positions and their games' results.
#[derive(Default)]
pub(super) struct Dataset {
    samples: Vec<Sample>,
    /// The features of all samples, one sample's after the other.
    counts: Vec<Count>,
}

#[derive(Clone, Copy)]
struct Sample {
    first_count: usize,
    /// How many features are added up, and how many belong to the danger that White and Black are.
    lengths: [u16; 3],
    phase: u8,
    /// By the side that is ahead in the endgame: Black, White.
    scale: [u8; 2],
    drive: i16,
    points: f32,
}

/// One position.
pub(super) struct Position<'a> {
    pub(super) features: &'a [Count],
    pub(super) white_danger: &'a [Count],
    pub(super) black_danger: &'a [Count],
    /// How much of the middlegame is left, in 0 ..= 1.
    pub(super) phase: f64,
    /// How much of an endgame's lead counts, in 0 ..= 1, should Black, or White, have it.
    pub(super) scale: [f64; 2],
    /// Centipawns for White beside all weights.
    pub(super) drive: f64,
    /// White's share of the game's point.
    pub(super) points: f64,
}

impl Dataset {
    pub(super) fn len(&self) -> usize {
        self.samples.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.samples.is_empty()
    }

    pub(super) fn get(&self, index: usize) -> Position<'_> {
        let sample = &self.samples[index];
        let [linear, white, black] = sample.lengths.map(usize::from);
        let counts = &self.counts[sample.first_count..][..linear + white + black];
        let (features, danger) = counts.split_at(linear);
        let (white_danger, black_danger) = danger.split_at(white);
        Position {
            features,
            white_danger,
            black_danger,
            phase: f64::from(sample.phase) / f64::from(tuning::FULL_PHASE),
            scale: sample.scale.map(|scale| f64::from(scale) / f64::from(tuning::FULL_SCALE)),
            drive: sample.drive.into(),
            points: sample.points.into(),
        }
    }

    fn push(&mut self, trace: &tuning::Trace, points: f64) {
        let parts = [&trace.features, &trace.danger.white, &trace.danger.black];
        self.samples.push(Sample {
            first_count: self.counts.len(),
            lengths: parts.map(|part| part.len() as u16),
            phase: trace.phase as u8,
            scale: [trace.scale.black as u8, trace.scale.white as u8],
            drive: trace.drive as i16,
            points: points as f32,
        });
        for part in parts {
            self.counts.extend_from_slice(part);
        }
    }

    fn append(&mut self, other: Dataset) {
        let shift = self.counts.len();
        let shifted = other.samples.into_iter().map(|s| Sample { first_count: s.first_count + shift, ..s });
        self.samples.extend(shifted);
        self.counts.extend(other.counts);
    }
}

/// The positions of the games to fit, and those of the games that are held out.
pub(super) fn load(files: &[PathBuf]) -> Result<(Dataset, Dataset)> {
    let (mut training, mut held_out) = (Dataset::default(), Dataset::default());
    for path in &chunks_of(files)? {
        let mut reader = ChunkReader::open(path)?;
        loop {
            let mut chunk = Vec::new();
            while chunk.len() < GAMES_AT_A_TIME
                && let Some(game) = reader.next_bytes()?
            {
                chunk.push(game);
            }
            if chunk.is_empty() {
                break;
            }
            let games: Vec<(u64, Dataset)> = chunk
                .into_par_iter()
                .map_init(Evaluator::new, |evaluator, (number, bytes)| {
                    let game = ChunkReader::decode(path, number, &bytes)?;
                    Ok((number, positions(&game, evaluator)))
                })
                .collect::<Result<_>>()?;
            for (number, positions) in games {
                let set = if number.is_multiple_of(HELD_OUT) { &mut held_out } else { &mut training };
                set.append(positions);
            }
        }
    }
    Ok((training, held_out))
}

/// The positions of a game that the evaluation alone should be able to judge.
fn positions(game: &GameRecord, evaluator: &mut Evaluator) -> Dataset {
    let mut dataset = Dataset::default();
    for (position, played) in game.positions() {
        let is_open = played.score.is_some_and(|score| score.abs() < DECIDED);
        if is_open && !position.is_tactical(played.mv) && is_quiet(evaluator, &position) {
            dataset.push(&tuning::trace(&position), game.result.points());
        }
    }
    dataset
}
