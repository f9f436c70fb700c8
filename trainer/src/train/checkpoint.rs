//! Checkpoints: the state of a run after an epoch, from which it can be resumed.
//!
//! ```text
//! 8 bytes HRLDTRAN, version (4), fingerprint of the settings and the data (8), steps (8), epochs (4),
//! for each epoch the losses in training and on held-out games (8 each), weights, mean and mean square of the gradients
//! (4 each), fingerprint of all preceding bytes (8)
//! ```
//!
//! Numbers are little-endian.

use std::path::Path;

use anyhow::{Context as _, Result, anyhow, ensure};
use search::network::fingerprint;

use super::{AdamW, Losses, TILE, Tile};
use crate::InputError;

const MAGIC: &[u8; 8] = b"HRLDTRAN";
const VERSION: u32 = 1;

/// The state of a run.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Checkpoint {
    /// Fingerprint of the settings and the data.
    pub(super) fingerprint: u64,
    /// Losses after each epoch.
    pub(super) losses: Vec<Losses>,
    pub(super) weights: Vec<Tile>,
    pub(super) optimiser: AdamW,
}

impl Checkpoint {
    /// Writes the file by atomic replacement, so that there is always a complete one.
    pub(super) fn write(&self, path: &Path) -> Result<()> {
        crate::files::write_whole(path, &self.to_bytes())
    }

    /// # Errors
    /// If the file can't be read, is damaged, or belongs to a run with other settings, data or network size.
    pub(super) fn read(path: &Path, fingerprint: u64, tiles: usize) -> Result<Checkpoint> {
        let context = || format!("{} can't be resumed", path.display());
        let bytes = std::fs::read(path).with_context(context).context(InputError)?;
        Checkpoint::from_bytes(&bytes, fingerprint, tiles).with_context(context).context(InputError)
    }

    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend(self.fingerprint.to_le_bytes());
        bytes.extend(self.optimiser.steps.to_le_bytes());
        bytes.extend((self.losses.len() as u32).to_le_bytes());
        for losses in &self.losses {
            bytes.extend(losses.training.to_le_bytes());
            bytes.extend(losses.held_out.to_le_bytes());
        }
        for tiles in [&self.weights, &self.optimiser.mean, &self.optimiser.mean_square] {
            bytes.extend(tiles.iter().flat_map(|tile| tile.0).flat_map(f32::to_le_bytes));
        }
        bytes.extend(fingerprint(&bytes).to_le_bytes());
        bytes
    }

    fn from_bytes(bytes: &[u8], expected: u64, tiles: usize) -> Result<Checkpoint> {
        ensure!(bytes.starts_with(MAGIC), "not a checkpoint");
        let (body, sum) = bytes.split_last_chunk().ok_or_else(|| anyhow!("the file is too short"))?;
        ensure!(u64::from_le_bytes(*sum) == fingerprint(body), "the file is damaged");
        let mut rest = &body[MAGIC.len()..];
        let version = u32::from_le_bytes(take(&mut rest)?);
        ensure!(version == VERSION, "format version {version} is not supported, expected {VERSION}");
        let found = u64::from_le_bytes(take(&mut rest)?);
        ensure!(found == expected, "the run has other settings or other games");
        let steps = u64::from_le_bytes(take(&mut rest)?);
        let epochs = u32::from_le_bytes(take(&mut rest)?);
        let mut losses = Vec::new();
        for _ in 0..epochs {
            let training = f64::from_le_bytes(take(&mut rest)?);
            losses.push(Losses { training, held_out: f64::from_le_bytes(take(&mut rest)?) });
        }
        ensure!(rest.len() == 3 * tiles * TILE * 4, "the network has another size");
        let mut parts = rest.chunks(tiles * TILE * 4).map(|part| {
            let weights: Vec<f32> =
                part.as_chunks().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect();
            weights.as_chunks().0.iter().copied().map(Tile).collect()
        });
        let mut next = || parts.next().unwrap_or_default();
        let (weights, mean, mean_square) = (next(), next(), next());
        let optimiser = AdamW { mean, mean_square, steps };
        Ok(Checkpoint { fingerprint: found, losses, weights, optimiser })
    }
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Result<[u8; N]> {
    let (first, rest) = bytes.split_first_chunk().ok_or_else(|| anyhow!("the file is too short"))?;
    *bytes = rest;
    Ok(*first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_whole_checkpoint_of_the_same_run_is_taken() {
        let tiles = |value| vec![Tile([value; TILE]); 3];
        let optimiser = AdamW { mean: tiles(0.5), mean_square: tiles(0.25), steps: 9 };
        let losses = vec![Losses { training: 0.1, held_out: 0.2 }];
        let checkpoint = Checkpoint { fingerprint: 5, losses, weights: tiles(1.5), optimiser };
        let bytes = checkpoint.to_bytes();
        let read = |bytes: &[u8], print, tiles| Checkpoint::from_bytes(bytes, print, tiles);
        assert_eq!(read(&bytes, 5, 3).unwrap(), checkpoint);
        let fault = |bytes: &[u8], print, tiles| read(bytes, print, tiles).unwrap_err().to_string();
        assert_eq!(fault(&bytes, 6, 3), "the run has other settings or other games");
        assert_eq!(fault(&bytes, 5, 4), "the network has another size");
        assert_eq!(fault(b"HRLDTRAN", 5, 3), "the file is damaged");
        assert_eq!(fault(b"HRLD", 5, 3), "not a checkpoint");
        for length in 9..bytes.len() {
            assert_eq!(fault(&bytes[..length], 5, 3), "the file is damaged", "{length}");
        }
    }
}
