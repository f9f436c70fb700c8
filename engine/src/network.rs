//! Networks in files.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;

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

/// The network in a file; without a path, the one that is part of the program.
///
/// # Errors
/// The file can't be read, or holds no network that can be used.
pub fn open_network(path: &Path) -> Result<Arc<Network>, NetworkFault> {
    if path.as_os_str().is_empty() {
        return Ok(Network::embedded());
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(LONGEST).read_to_end(&mut bytes)?;
    Ok(Arc::new(Network::from_bytes(&bytes)?))
}
