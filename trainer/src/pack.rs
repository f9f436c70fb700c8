//! `herald-trainer pack`: positions of games as samples, for `trainer/gpu/train.py`.

use std::path::PathBuf;

use anyhow::{Result, anyhow, ensure};
use clap::Args;

use crate::record::TreeFile;
use crate::train::{Sample, fit_scale, for_each_kept};
use crate::{InputError, say};

/// Write the positions of games as a file of samples, as training on a graphics processor reads them
#[derive(Args)]
#[command(after_help = "Example: herald-trainer pack data/selfplay --output data/selfplay.packed\n\
                        The file is laid out as those of trees are. trainer/gpu/train.py reads both.")]
pub(crate) struct Pack {
    /// Game files, or folders of game files
    #[arg(required = true)]
    games: Vec<PathBuf>,
    /// File to write, which must not be there yet
    #[arg(long)]
    output: PathBuf,
}

impl Pack {
    pub(crate) fn run(&self) -> Result<()> {
        let exists = || anyhow!(InputError).context(format!("{} exists already", self.output.display()));
        ensure!(!self.output.try_exists()?, exists());
        let mut file = TreeFile::default();
        for_each_kept(&self.games, |kept| {
            if kept.is_held_out { &mut file.held_out } else { &mut file.training }.push(Sample::new(&kept));
        })?;
        let is_enough = !file.training.is_empty() && !file.held_out.is_empty();
        ensure!(is_enough, anyhow!(InputError).context("too few games to hold some out"));
        file.write(&self.output)?;
        say(format_args!("{} positions, {} held out", file.training.len(), file.held_out.len()));
        say(format_args!("expected result of a score: sigmoid(score / {:.1})", fit_scale(&file.training)));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::random_games;
    use crate::record::{ChunkWriter, Recipe};
    use crate::train::SAMPLE_BYTES;

    #[test]
    fn the_positions_follow_the_header_as_samples() {
        let folder = tempfile::tempdir().unwrap();
        let recipe = Recipe { seed: 1, soft_nodes: 1, chess960_percent: 0, network: 0 };
        let mut writer = ChunkWriter::resume(&folder.path().join("games"), recipe, 1000).unwrap();
        for game in random_games(60, 100) {
            writer.append(&game.encode()).unwrap();
        }
        let (games, output) = (vec![folder.path().join("games")], folder.path().join("packed"));
        Pack { games: games.clone(), output: output.clone() }.run().unwrap();
        let (mut training, mut held_out) = (Vec::new(), Vec::new());
        for_each_kept(&games, |kept| {
            if kept.is_held_out { &mut held_out } else { &mut training }.push(Sample::new(&kept).bytes());
        })
        .unwrap();
        assert!(training.len() > 100 && !held_out.is_empty(), "{} and {}", training.len(), held_out.len());
        let packed = std::fs::read(&output).unwrap();
        let counts = [training.len(), held_out.len()].map(|count| (count as u64).to_le_bytes());
        assert_eq!(packed[20..36], *counts.as_flattened());
        training.extend(held_out);
        assert_eq!(packed[36..packed.len() - 8], *training.as_flattened());
        assert_eq!(training.as_flattened().len(), training.len() * SAMPLE_BYTES);
        let again = Pack { games, output: output.clone() }.run();
        assert!(again.is_err(), "an older file would stay as it is");
        assert_eq!(std::fs::read(&output).unwrap(), packed);
    }
}
