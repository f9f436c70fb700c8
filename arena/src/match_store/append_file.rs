//! A file that grows by complete records, and its lines.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use game::counted;
use platform::FileId;

use super::StoreError;

/// A file to which complete records are appended.
#[derive(Debug)]
pub(super) struct AppendFile {
    pub(super) path: PathBuf,
    pub(super) file: File,
    /// Length of the valid part, in bytes.
    pub(super) length: u64,
    /// Identity of the file; `None` for a device.
    pub(super) id: Option<FileId>,
}

impl AppendFile {
    pub(super) fn open(path: &Path) -> Result<AppendFile, StoreError> {
        let failed = |error| StoreError::Io { path: path.to_owned(), action: "opened", error };
        // A pipe that is also read from here would never break when its reader ends.
        let is_read = std::fs::metadata(path).map_or(true, |about| about.is_file());
        let options = OpenOptions::new().read(is_read).append(true).create(true).open(path);
        let file = options.map_err(failed)?;
        match file.try_lock() {
            Err(std::fs::TryLockError::WouldBlock) => return Err(StoreError::InUse(path.to_owned())),
            // On systems without file locks the user is responsible.
            Ok(()) | Err(std::fs::TryLockError::Error(_)) => {}
        }
        let length = file.metadata().map_err(failed)?.len();
        let id = FileId::of(&file);
        Ok(AppendFile { path: path.to_owned(), file, length, id })
    }

    /// Opens a file that can be read again.
    pub(super) fn open_stored(path: &Path) -> Result<AppendFile, StoreError> {
        let file = AppendFile::open(path)?;
        if file.id.is_none() { Err(StoreError::NotStored(path.to_owned())) } else { Ok(file) }
    }

    pub(super) fn append(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        self.check()?;
        if let Err(error) = self.file.write_all(bytes) {
            self.cut(self.length);
            return Err(StoreError::Io { path: self.path.clone(), action: "written", error });
        }
        self.length += bytes.len() as u64;
        Ok(())
    }

    /// Checks that nobody has removed the file or changed its length since the last record.
    fn check(&self) -> Result<(), StoreError> {
        if self.id.is_none() {
            return Ok(());
        }
        let lost = |reason: String| StoreError::Lost { path: self.path.clone(), reason };
        if FileId::at(&self.path) != self.id {
            return Err(lost("it was removed or replaced".to_owned()));
        }
        match self.file.metadata() {
            Ok(about) if about.len() != self.length => {
                Err(lost(format!("it has {} of {}", counted(about.len(), "byte"), self.length)))
            }
            _ => Ok(()),
        }
    }

    /// Truncates the file to `length`. If that fails, the next resumption does it.
    pub(super) fn cut(&mut self, length: u64) {
        // A file that somebody has shortened is not filled up.
        if self.file.metadata().is_ok_and(|about| about.len() > length) {
            let _ = self.file.set_len(length);
        }
        self.length = length;
    }
}

/// A reader of the complete lines of a file.
pub(super) struct StateLines<'a> {
    path: &'a Path,
    reader: BufReader<&'a File>,
    number: u64,
    /// Number of bytes of the lines read so far.
    pub(super) complete: u64,
    /// Bytes behind the last complete line.
    pub(super) torn: Vec<u8>,
}

/// Maximum length of a line, in bytes; enough for the settings of hundreds of programs.
pub(super) const LONGEST_LINE: u64 = 16 << 20;

impl<'a> StateLines<'a> {
    /// Reads the lines of a file that has just been opened.
    pub(super) fn of(log: &'a AppendFile) -> StateLines<'a> {
        let reader = BufReader::new(&log.file);
        StateLines { path: &log.path, reader, number: 0, complete: 0, torn: Vec::new() }
    }

    pub(super) fn next(&mut self) -> Result<Option<String>, StoreError> {
        let mut line = Vec::new();
        let read = self.reader.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line);
        let failed = |error| StoreError::Io { path: self.path.to_owned(), action: "read", error };
        let read = read.map_err(failed)? as u64;
        if line.last() != Some(&b'\n') {
            self.torn = line;
            return if read == LONGEST_LINE { Err(self.damaged("the line is too long")) } else { Ok(None) };
        }
        line.pop();
        self.number += 1;
        self.complete += read;
        // If the first line is not UTF-8, the file is not a state file.
        String::from_utf8(line).map(Some).map_err(|_| match self.number {
            1 => StoreError::Foreign(self.path.to_owned()),
            _ => self.damaged("this is no text"),
        })
    }

    pub(super) fn damaged(&self, reason: &str) -> StoreError {
        StoreError::Damaged { path: self.path.to_owned(), line: self.number, reason: reason.to_owned() }
    }
}
