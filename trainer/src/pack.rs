//! `herald-trainer pack`: positions of games as samples, for `trainer/gpu/train.py`.
//!
//! ```text
//! 8 bytes HRLDPACK, version (4), numbers of samples for training and of held-out ones (8 each), the samples (28 each),
//! fingerprint of all preceding bytes (8)
//! ```
//!
//! Numbers are little-endian. For a sample see [`Sample::bytes`].

use std::path::PathBuf;

use anyhow::{Result, anyhow, ensure};
use clap::Args;
use search::network::fingerprint;

use crate::files::write_new;
use crate::train::{Dataset, Sample, fit_scale};
use crate::{InputError, say};

/// Write the positions of games as a file of samples, as training on a graphics processor reads them
#[derive(Args)]
#[command(after_help = "Example: herald-trainer pack data/selfplay --output data/selfplay.packed\n\
                        trainer/gpu/train.py reads the file.")]
pub(crate) struct Pack {
    /// Game files, or folders of game files
    #[arg(required = true)]
    games: Vec<PathBuf>,
    /// File to write, which must not be there yet
    #[arg(long)]
    output: PathBuf,
}

const MAGIC: &[u8; 8] = b"HRLDPACK";
const VERSION: u32 = 1;

impl Pack {
    pub(crate) fn run(&self) -> Result<()> {
        let exists = || anyhow!(InputError).context(format!("{} exists already", self.output.display()));
        ensure!(!self.output.try_exists()?, exists());
        let data = Dataset::load(&self.games)?;
        ensure!(write_new(&self.output, &packed(&data))?, exists());
        let (training, held_out) = (data.training.len(), data.held_out.len());
        say(format_args!("{training} positions, {held_out} held out"));
        say(format_args!("expected result of a score: sigmoid(score / {:.1})", fit_scale(&data.training)));
        Ok(())
    }
}

/// Returns the contents of the file.
fn packed(data: &Dataset) -> Vec<u8> {
    let Dataset { training, held_out } = data;
    let mut bytes = MAGIC.to_vec();
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend([training, held_out].iter().flat_map(|part| (part.len() as u64).to_le_bytes()));
    bytes.extend(training.iter().chain(held_out).flat_map(Sample::bytes));
    bytes.extend(fingerprint(&bytes).to_le_bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::write_random_games;
    use crate::train::for_each_kept;

    #[test]
    fn the_positions_follow_the_header_as_samples() {
        let folder = tempfile::tempdir().unwrap();
        let (games, output) = (vec![folder.path().join("games")], folder.path().join("packed"));
        write_random_games(&games[0], 60, 100);
        Pack { games: games.clone(), output: output.clone() }.run().unwrap();
        let (mut training, mut held_out) = (Vec::new(), Vec::new());
        for_each_kept(&games, |kept| {
            if kept.is_held_out { &mut held_out } else { &mut training }.push(Sample::new(&kept).bytes());
        })
        .unwrap();
        assert!(training.len() > 100 && !held_out.is_empty(), "{} and {}", training.len(), held_out.len());
        let packed = std::fs::read(&output).unwrap();
        let (body, sum) = packed.split_last_chunk().unwrap();
        assert_eq!(body[..12], *b"HRLDPACK\x01\0\0\0");
        let counts = [training.len(), held_out.len()].map(|count| (count as u64).to_le_bytes());
        assert_eq!(body[12..28], *counts.as_flattened());
        training.extend(held_out);
        assert_eq!(body[28..], *training.as_flattened());
        assert_eq!(u64::from_le_bytes(*sum), fingerprint(body));
        let again = Pack { games, output: output.clone() }.run();
        assert!(again.is_err(), "an older file would stay as it is");
        assert_eq!(std::fs::read(&output).unwrap(), packed);
    }
}
