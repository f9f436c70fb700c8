//! Positions of the search trees of self-play.

use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use search::network::fingerprint;
use search::{Answer, TreeNode};

use super::SelfPlayer;
use crate::InputError;
use crate::random::Random;
use crate::record::{Recipe, TREE_EXTENSION, TreeFile};
use crate::train::{HELD_OUT, Sample};
use crate::trees::{Choice, MOST, deepest, samples_of};

/// Number of games whose positions are written to a file.
const GAMES_PER_FILE: u64 = 1 << 8;

/// Collects nodes of the search trees of a game.
pub(super) struct TreesOfGame {
    choice: Choice,
    /// Chooses nodes. The game has a generator of its own, so that it does not depend on whether nodes are collected.
    random: Random,
    nodes: Vec<TreeNode>,
}

impl TreesOfGame {
    pub(super) fn new(choice: Choice, seed: u64, number: u64) -> TreesOfGame {
        TreesOfGame { choice, random: Random::new(!seed, number), nodes: Vec::new() }
    }

    /// Collects nodes of a search, unless its root is too uneven.
    pub(super) fn collect(
        &mut self,
        player: &mut SelfPlayer,
        search: impl FnOnce(&mut SelfPlayer) -> Answer,
    ) -> Answer {
        let Choice { most_uneven, depth, one_in } = self.choice;
        player.searcher.record_tree(depth, one_in, self.random.next());
        let answer = search(player);
        let found = player.searcher.take_tree();
        if answer.score.value().abs() <= most_uneven {
            self.nodes.extend(found);
        }
        answer
    }

    /// Forgets an opening that was thrown away.
    pub(super) fn clear(&mut self) {
        self.nodes.clear();
    }

    /// Returns the samples, each position once.
    pub(super) fn into_samples(self) -> Vec<Sample> {
        samples_of(&deepest(self.nodes))
    }
}

/// Writes the samples of trees, a file for each group of games, named after the seed and the number of its first game.
pub(super) struct TreeWriter<'a> {
    folder: &'a Path,
    seed: u64,
    /// Fingerprint of all on which the samples depend besides the numbers of the games.
    settings: u64,
    /// Number of the first game of the file.
    first: u64,
    samples: TreeFile,
    /// Number of samples written.
    pub(super) written: usize,
}

impl<'a> TreeWriter<'a> {
    /// Creates the folder if it is not there. `first` is the number of the next game.
    ///
    /// # Errors
    /// If the folder can't be written to, or holds a file of this seed with other settings or with games still to be played.
    pub(super) fn new(
        folder: &'a Path,
        choice: Choice,
        recipe: &Recipe,
        first: u64,
    ) -> Result<TreeWriter<'a>> {
        let Recipe { seed, soft_nodes, chess960_percent, network } = *recipe;
        let Choice { most_uneven, depth, one_in } = choice;
        let settings = format!(
            "{seed} {soft_nodes} {chess960_percent} {network:x} {most_uneven} {depth} {one_in} {MOST} {HELD_OUT}"
        );
        let settings = fingerprint(settings.as_bytes());
        let writer = TreeWriter { folder, seed, settings, first, samples: TreeFile::default(), written: 0 };
        // Before the first game, so that none is played in vain.
        let context = || format!("{} can't be used", folder.display());
        writer.check_folder().with_context(context).context(InputError)?;
        Ok(writer)
    }

    fn check_folder(&self) -> Result<()> {
        std::fs::create_dir_all(self.folder)?;
        tempfile::tempfile_in(self.folder)?;
        for entry in self.folder.read_dir()? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let number = name.strip_prefix(&format!("seed-{}-", self.seed));
            let number = number.and_then(|name| name.strip_suffix(&format!(".{TREE_EXTENSION}")));
            let Some(number) = number.and_then(|number| number.parse::<u64>().ok()) else { continue };
            TreeFile::exists(&path, self.settings ^ number)?;
            ensure!(number < self.first, "{name} is of games that are still to be played: remove it");
        }
        Ok(())
    }

    /// Adds the samples of the next game, and writes the file when its last game is there.
    ///
    /// # Errors
    /// As [`TreeFile::write`].
    pub(super) fn add(&mut self, number: u64, samples: Vec<Sample>) -> Result<()> {
        self.samples.add(number, samples);
        if (number + 1).is_multiple_of(GAMES_PER_FILE) {
            self.write()?;
            self.first = number + 1;
        }
        Ok(())
    }

    /// Writes the samples that have not been written.
    ///
    /// # Errors
    /// As [`TreeFile::write`].
    pub(super) fn write(&mut self) -> Result<()> {
        let samples = TreeFile { recipe: self.settings ^ self.first, ..std::mem::take(&mut self.samples) };
        if samples.len() > 0 {
            let name = format!("seed-{}-{:07}.{TREE_EXTENSION}", self.seed, self.first);
            samples.write(&self.folder.join(name))?;
            self.written += samples.len();
        }
        Ok(())
    }
}
