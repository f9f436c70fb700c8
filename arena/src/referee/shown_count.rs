//! The number of facts that somebody was shown, outside the database: an older copy of a store doesn't know that there were more.

use std::fs::File;
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::PathBuf;

use super::regular::{create_regular, read_regular};
use super::store::EventStoreError;

/// The number, in a file that is written in place.
pub(super) struct ShownCount {
    path: PathBuf,
    pub(super) count: u64,
    file: Option<File>,
}

impl ShownCount {
    /// Reads the file, if there is one.
    pub(super) fn read(path: PathBuf) -> Result<ShownCount, EventStoreError> {
        let text = match read_regular(&path) {
            Ok(bytes) => String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned(),
            Err(error) => return Err(EventStoreError::System { path, error }),
        };
        let count = if text.is_empty() { Some(0) } else { text.trim().parse().ok() };
        let Some(count) = count else {
            return Err(EventStoreError::Uncounted(path));
        };
        Ok(ShownCount { path, count, file: None })
    }

    pub(super) fn raise(&mut self, count: u64) -> Result<(), EventStoreError> {
        if count > self.count { self.write(count) } else { Ok(()) }
    }

    pub(super) fn lower(&mut self, count: u64) -> Result<(), EventStoreError> {
        if count < self.count { self.write(count) } else { Ok(()) }
    }

    fn write(&mut self, count: u64) -> Result<(), EventStoreError> {
        let mut write = || {
            let file = match &mut self.file {
                Some(file) => file,
                file => file.insert(create_regular(&self.path)?),
            };
            file.seek(SeekFrom::Start(0))?;
            // All numbers have the same length, so that nothing is left of the one before.
            file.write_all(format!("{count:020}\n").as_bytes())
        };
        write().map_err(|error| EventStoreError::System { path: self.path.clone(), error })?;
        self.count = count;
        Ok(())
    }
}
