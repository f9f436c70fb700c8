//! Reads network files.

use std::io::{self, Read as _};
use std::path::Path;
use std::sync::Arc;

use search::network::Network;

/// Size limit in bytes, beyond that of any network; the rest of a longer file is not read.
const LONGEST: u64 = 64 << 20;

/// Reads the network of a file; an empty path stands for the network that is part of the program.
///
/// # Errors
/// If the file can't be read or does not contain a usable network.
pub fn open_network(path: &Path) -> io::Result<Arc<Network>> {
    if path.as_os_str().is_empty() {
        return Ok(Network::embedded());
    }
    let mut bytes = Vec::new();
    game::open_file(path)?.take(LONGEST).read_to_end(&mut bytes)?;
    Network::from_bytes(&bytes).map(Arc::new).map_err(io::Error::other)
}
