//! The number of facts that somebody was shown, outside the database: an older copy of a store doesn't know that there were more.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::path::PathBuf;

use super::regular::{create_regular, is_regular, named, no_file};
use super::store::EventStoreError;

/// Length of the file, in bytes. All numbers have it, so that nothing is left of the one before.
const LENGTH: u64 = 21;

/// The number, in a file that is opened for each change: somebody may have taken it away, or put another one in its place.
pub(super) struct ShownCount {
    path: PathBuf,
    pub(super) count: u64,
}

impl ShownCount {
    /// Reads the file, if there is one. A folder, pipe or device in its place is an error: nothing could be counted there.
    pub(super) fn read(path: PathBuf) -> Result<ShownCount, EventStoreError> {
        let mut text = String::new();
        let is_regular = is_regular(&path).map_err(EventStoreError::ShownCount)?;
        if is_regular == Some(false) {
            return Err(EventStoreError::ShownCount(no_file(&path)));
        }
        if is_regular == Some(true) {
            // A longer one has no number of ours.
            let file = File::open(&path).and_then(|file| {
                let mut bytes = Vec::new();
                file.take(LENGTH + 1).read_to_end(&mut bytes).map(|_| bytes)
            });
            let bytes = file.map_err(|error| EventStoreError::ShownCount(named(&path, &error)))?;
            text = String::from_utf8_lossy(&bytes).into_owned();
        }
        let is_ours = text.len() as u64 <= LENGTH;
        let count = if text.is_empty() { Some(0) } else { text.trim().parse().ok().filter(|_| is_ours) };
        match count {
            Some(count) => Ok(ShownCount { path, count }),
            None => Err(EventStoreError::Uncounted(path)),
        }
    }

    pub(super) fn raise(&mut self, count: u64) -> Result<(), EventStoreError> {
        if count > self.count { self.write(count) } else { Ok(()) }
    }

    pub(super) fn lower(&mut self, count: u64) -> Result<(), EventStoreError> {
        if count < self.count { self.write(count) } else { Ok(()) }
    }

    fn write(&mut self, count: u64) -> Result<(), EventStoreError> {
        let written = create_regular(&self.path).and_then(|mut file| {
            // A process that is killed in between leaves a number.
            let written: io::Result<()> =
                file.write_all(format!("{count:020}\n").as_bytes()).and_then(|()| file.set_len(LENGTH));
            written.map_err(|error| named(&self.path, &error))
        });
        written.map_err(EventStoreError::ShownCount)?;
        self.count = count;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_count_is_there_again_after_the_next_change_whatever_becomes_of_the_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("event.shown");
        let mut shown = ShownCount::read(path.clone()).expect("none is 0");
        shown.raise(7).expect("written");
        fs::remove_file(&path).expect("removed");
        shown.raise(8).expect("written");
        assert_eq!(ShownCount::read(path.clone()).map(|shown| shown.count).ok(), Some(8));
        fs::write(&path, [b'9'; 99]).expect("written");
        shown.lower(6).expect("written");
        assert_eq!(ShownCount::read(path.clone()).map(|shown| shown.count).ok(), Some(6));
        // A file of any length is refused at once.
        File::create(&path).and_then(|file| file.set_len(1 << 40)).expect("a sparse file");
        assert!(matches!(ShownCount::read(path), Err(EventStoreError::Uncounted(_))));
        let why = ShownCount::read(folder.path().to_owned()).err().expect("a folder").to_string();
        assert!(why.contains("take it away"), "{why}");
    }
}
