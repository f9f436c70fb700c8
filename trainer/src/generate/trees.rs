//! Positions of the search trees of self-play.

use std::path::Path;

use anyhow::{Context as _, Result};
use search::network::fingerprint;
use search::{Answer, TreeNode};

use super::SelfPlayer;
use crate::InputError;
use crate::random::Random;
use crate::record::{Recipe, TREE_EXTENSION, TreeFile};
use crate::train::{HELD_OUT, Sample};
use crate::trees::{Choice, deepest, samples_of};

/// Number of games whose positions are written to a file.
const GAMES_PER_FILE: u64 = 1 << 10;

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

    /// Returns the samples, each position once.
    pub(super) fn into_samples(self) -> Vec<Sample> {
        samples_of(&deepest(self.nodes))
    }
}

/// Writes the samples of trees, a file for each group of games.
pub(super) struct TreeWriter<'a> {
    folder: Option<&'a Path>,
    seed: u64,
    /// Fingerprint of what the samples depend on besides the numbers of the games.
    settings: u64,
    /// Number of the first game of the file.
    first: u64,
    file: TreeFile,
}

impl<'a> TreeWriter<'a> {
    /// Creates the folder, if there is to be one. `first` is the number of the next game.
    ///
    /// # Errors
    /// If the folder can't be created.
    pub(super) fn new(
        folder: Option<&'a Path>,
        choice: Choice,
        recipe: &Recipe,
        first: u64,
    ) -> Result<TreeWriter<'a>> {
        if let Some(folder) = folder {
            std::fs::create_dir_all(folder)
                .with_context(|| format!("{} can't be created", folder.display()))
                .context(InputError)?;
        }
        let settings = fingerprint(format!("{recipe:?} {choice:?} {HELD_OUT}").as_bytes());
        Ok(TreeWriter { folder, seed: recipe.seed, settings, first, file: TreeFile::default() })
    }

    /// Adds the samples of the next game, and writes the file when its last game is there.
    ///
    /// # Errors
    /// As [`TreeFile::write`].
    pub(super) fn add(&mut self, number: u64, samples: Vec<Sample>) -> Result<()> {
        let is_held_out = number.is_multiple_of(HELD_OUT);
        if is_held_out { &mut self.file.held_out } else { &mut self.file.training }.extend(samples);
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
        let mut file = std::mem::take(&mut self.file);
        let Some(folder) = self.folder.filter(|_| !file.training.is_empty()) else { return Ok(()) };
        file.recipe = self.settings ^ self.first;
        file.write(&folder.join(format!("seed-{}-{:07}.{TREE_EXTENSION}", self.seed, self.first)))
    }
}
