//! Reads network files.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;

use search::network::{Network, NetworkError};

/// Size limit in bytes, beyond that of any network; the rest of a longer file is not read.
const LONGEST: u64 = 64 << 20;

/// Why a file can't be used as a network.
#[derive(Debug, thiserror::Error)]
pub enum NetworkFault {
    /// The file can't be read.
    #[error(transparent)]
    Unreadable(#[from] std::io::Error),
    /// The file is not a network, or a network of another kind.
    #[error(transparent)]
    Unusable(#[from] NetworkError),
}

/// Reads the network of a file; an empty path stands for the network that is part of the program.
///
/// # Errors
/// If the file can't be read or does not contain a usable network.
pub fn open_network(path: &Path) -> Result<Arc<Network>, NetworkFault> {
    if path.as_os_str().is_empty() {
        return Ok(Network::embedded());
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(LONGEST).read_to_end(&mut bytes)?;
    Ok(Arc::new(Network::from_bytes(&bytes)?))
}
