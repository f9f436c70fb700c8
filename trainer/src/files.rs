//! Files that are there whole or not at all.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result};
use tempfile::NamedTempFile;

/// Writes a file by atomic replacement, so that there is always a complete one.
///
/// # Errors
/// If the file can't be written.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    let write = || -> Result<()> {
        temporary(path, bytes)?.persist(path)?;
        Ok(())
    };
    write().with_context(|| format!("{} can't be written", path.display()))
}

/// Writes a new file. Returns whether it is this one that lies there: another run may have been faster.
///
/// # Errors
/// If the file can't be written.
pub(crate) fn write_new(path: &Path, bytes: &[u8]) -> Result<bool> {
    let write = || match temporary(path, bytes)?.persist_noclobber(path) {
        Ok(_) => Ok(true),
        Err(_) if path.try_exists()? => Ok(false),
        Err(error) => Err(anyhow::Error::from(error)),
    };
    write().with_context(|| format!("{} can't be written", path.display()))
}

/// Writes a temporary file beside a path. Everybody may read it who may read the user's other files.
fn temporary(path: &Path, bytes: &[u8]) -> Result<NamedTempFile> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut name = tempfile::Builder::new();
    let mut file = name.prefix(".herald-").suffix(".tmp").make_in(folder, |path| File::create_new(path))?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    Ok(file)
}
