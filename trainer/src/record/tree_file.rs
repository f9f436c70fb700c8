//! Tree files: positions of search trees as samples for training.
//!
//! ```text
//! 8 bytes HRLDTREE, version (4), recipe (8), numbers of samples for training and of held-out ones (8 each), the samples,
//! fingerprint of all preceding bytes (8)
//! ```
//!
//! Numbers are little-endian. `herald-trainer pack` lays out positions of games in the same way; they are not read back here.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use anyhow::{Context as _, Result, anyhow, ensure};
use search::network::fingerprint;

use crate::InputError;
use crate::files::write_new;
use crate::train::{HELD_OUT, SAMPLE_BYTES, Sample};

/// Extension of tree files.
pub(crate) const EXTENSION: &str = "tree";
const MAGIC: &[u8; 8] = b"HRLDTREE";
const VERSION: u32 = 2;
const HEADER: usize = 36;

/// The samples of a tree file.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct TreeFile {
    /// Fingerprint of all on which the samples depend: games, network and settings.
    pub(crate) recipe: u64,
    pub(crate) training: Vec<Sample>,
    pub(crate) held_out: Vec<Sample>,
}

impl TreeFile {
    /// Adds the samples of the game with this number.
    pub(crate) fn add(&mut self, number: u64, samples: Vec<Sample>) {
        let is_held_out = number.is_multiple_of(HELD_OUT);
        if is_held_out { &mut self.held_out } else { &mut self.training }.extend(samples);
    }

    /// Returns the number of samples.
    pub(crate) fn len(&self) -> usize {
        self.training.len() + self.held_out.len()
    }

    /// Writes the file. If another run has made one of the same recipe by now, that one stays.
    ///
    /// # Errors
    /// If the file can't be written, or there is one of another recipe or kind by now.
    pub(crate) fn write(&self, path: &Path) -> Result<()> {
        let lies_there = write_new(path, &self.to_bytes())? || TreeFile::exists(path, self.recipe)?;
        ensure!(lies_there, "{} has been removed", path.display());
        Ok(())
    }

    /// # Errors
    /// If the file can't be read or is not a complete tree file.
    pub(crate) fn read(path: &Path) -> Result<TreeFile> {
        let context = || format!("{} can't be used", path.display());
        let bytes = std::fs::read(path).with_context(context).context(InputError)?;
        TreeFile::from_bytes(&bytes).with_context(context).context(InputError)
    }

    /// Returns whether there is a file that this recipe has made.
    ///
    /// # Errors
    /// If the file can't be read, is not as long as it says, or is of another recipe or kind.
    pub(crate) fn exists(path: &Path, recipe: u64) -> Result<bool> {
        let context = || format!("{} can't be continued", path.display());
        let read = || -> Result<bool> {
            if !path.try_exists()? {
                return Ok(false);
            }
            // A pipe would keep its reader waiting.
            ensure!(path.metadata()?.is_file(), "not a file");
            let mut header = Vec::new();
            let file = File::open(path)?;
            (&file).take(HEADER as u64).read_to_end(&mut header)?;
            let [found, training, held_out] = read_header(&header)?;
            ensure!(
                found == recipe,
                "it was made of other games, with another network or other settings: use another folder, or remove it"
            );
            let samples = u128::from(training) + u128::from(held_out);
            let length = samples * SAMPLE_BYTES as u128 + HEADER as u128 + 8;
            ensure!(u128::from(file.metadata()?.len()) == length, "the file is damaged or incomplete");
            Ok(true)
        };
        read().with_context(context).context(InputError)
    }

    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEADER + SAMPLE_BYTES * self.len() + 8);
        bytes.extend(MAGIC);
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend(self.recipe.to_le_bytes());
        bytes.extend((self.training.len() as u64).to_le_bytes());
        bytes.extend((self.held_out.len() as u64).to_le_bytes());
        bytes.extend(self.training.iter().chain(&self.held_out).flat_map(Sample::bytes));
        bytes.extend(fingerprint(&bytes).to_le_bytes());
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Result<TreeFile> {
        let [recipe, training, held_out] = read_header(bytes)?;
        let (body, sum) = bytes.split_last_chunk().ok_or_else(|| anyhow!("the file is too short"))?;
        ensure!(u64::from_le_bytes(*sum) == fingerprint(body), "the file is damaged or incomplete");
        ensure!(body.len() >= HEADER, "the file is too short");
        let (samples, rest) = body[HEADER..].as_chunks::<SAMPLE_BYTES>();
        let is_whole = rest.is_empty() && training.checked_add(held_out) == Some(samples.len() as u64);
        ensure!(is_whole, "the file has another length than it says");
        let mut found: Vec<Sample> = samples.iter().map(Sample::from_bytes).collect::<Result<_>>()?;
        let held_out = found.split_off(training as usize);
        Ok(TreeFile { recipe, training: found, held_out })
    }
}

/// Reads the recipe and the numbers of samples from the beginning of a file.
fn read_header(bytes: &[u8]) -> Result<[u64; 3]> {
    ensure!(bytes.starts_with(MAGIC), "not a tree file");
    let header = bytes.get(8..HEADER).ok_or_else(|| anyhow!("the file is too short"))?;
    ensure!(header[..4] == VERSION.to_le_bytes(), "its format version is not supported, expected {VERSION}");
    let number = |at: usize| u64::from_le_bytes(header[at..at + 8].try_into().expect("eight bytes"));
    Ok([4, 12, 20].map(number))
}

#[cfg(test)]
mod tests {
    use super::*;
    use search::{Bound, Position, Score, TreeNode};

    #[test]
    fn only_a_whole_file_is_read() {
        let score = Score::centipawns(12);
        let node = |bound| TreeNode { position: Position::default(), score, bound, depth: 5 };
        let samples = |bounds: &[Bound]| bounds.iter().map(|&bound| Sample::of_node(&node(bound))).collect();
        let file = TreeFile {
            recipe: 7,
            training: samples(&[Bound::Lower, Bound::Exact]),
            held_out: samples(&[Bound::Upper]),
        };
        let bytes = file.to_bytes();
        assert_eq!(TreeFile::from_bytes(&bytes).unwrap(), file);
        for length in 0..bytes.len() {
            assert!(TreeFile::from_bytes(&bytes[..length]).is_err(), "{length} bytes");
        }
        for at in 0..bytes.len() {
            let mut spoiled = bytes.clone();
            spoiled[at] ^= 1;
            assert!(TreeFile::from_bytes(&spoiled).is_err(), "byte {at}");
        }
    }
}
