//! Networks in files, and what else evaluates.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;

use search::Evaluation;
use search::network::{Network, NetworkError};

/// More than any network has: what is longer need not be read to its end.
const LONGEST: u64 = 64 << 20;

/// Why there is no network in a file.
#[derive(Debug, thiserror::Error)]
pub enum NetworkFault {
    /// The file can't be read.
    #[error(transparent)]
    Unreadable(#[from] std::io::Error),
    /// It holds something else, or another kind of network.
    #[error(transparent)]
    Unusable(#[from] NetworkError),
}

/// The network in a file.
///
/// # Errors
/// The file can't be read, or holds no network that can be used.
pub fn open_network(path: &Path) -> Result<Network, NetworkFault> {
    let mut bytes = Vec::new();
    File::open(path)?.take(LONGEST).read_to_end(&mut bytes)?;
    Ok(Network::from_bytes(&bytes)?)
}

/// The word for the evaluation by hand where others name a network.
const BY_HAND: &str = "hand";

/// What a user wants to evaluate with: a network's file, or `hand` for the evaluation by hand; without a word, the network
/// that is part of the program.
///
/// # Errors
/// The file can't be read, or holds no network that can be used.
pub fn open_evaluation(name: &str) -> Result<Evaluation, NetworkFault> {
    match name {
        "" => Ok(Evaluation::default()),
        BY_HAND => Ok(Evaluation::Hand),
        path => Ok(Evaluation::Network(Arc::new(open_network(Path::new(path))?))),
    }
}
