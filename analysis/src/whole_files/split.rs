//! The verb that splits records into several files.

use std::collections::{HashMap, HashSet};
use std::fmt::Display;
use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use messages::epd::{MoveReading, RecordReader, TextLine};

use super::RecordVerb;
use crate::FileError;
use crate::expressions::{Formula, Subject};
use crate::files::shown;
use crate::process::JobResult;
use crate::selection::Unmatched;

/// Maximum number of files that are made.
const MOST_FILES: usize = 10_000;
/// Maximum number of files that are open at a time.
const MOST_OPEN: usize = 32;

/// What the files of [`SplitFiles`] have in common.
#[derive(Clone, Debug)]
pub enum SplitInto {
    /// Files of this number of records.
    Records(u64),
    /// Files of records with the same value.
    Value(Formula),
}

/// Splits records into at most 10,000 new files. Files that exist are not overwritten. At most 32 files are open at a time, fewer if
/// the system refuses more. In memory are the values and the names of their files, but no record.
#[derive(Debug)]
pub struct SplitFiles {
    into: SplitInto,
    /// Name of the files; `{}` stands for the number or the value.
    pattern: String,
    reader: RecordReader,
    count: u64,
    open: HashMap<PathBuf, BufWriter<File>>,
    /// The files of values.
    paths: HashMap<String, PathBuf>,
    /// The names of these files, and the number that the next one like it gets.
    names: HashMap<PathBuf, u64>,
    /// The files that were made.
    made: HashSet<PathBuf>,
}

impl SplitFiles {
    /// Creates the verb. Without `{}` in the pattern all records are in one file.
    pub fn new(into: SplitInto, pattern: &str, reader: RecordReader) -> SplitFiles {
        let (open, made) = (HashMap::new(), HashSet::new());
        let (paths, names) = (HashMap::new(), HashMap::new());
        SplitFiles { into, pattern: pattern.to_owned(), reader, count: 0, open, paths, names, made }
    }

    /// The file of a record.
    fn path(&mut self, subject: &Subject<'_>) -> PathBuf {
        let formula = match &self.into {
            SplitInto::Records(most) => return self.named(&format!("{:03}", self.count / most + 1)),
            SplitInto::Value(formula) => formula,
        };
        let value = formula.value(subject).map_or_else(String::new, |value| value.text().into_owned());
        if let Some(path) = self.paths.get(&value) {
            return path.clone();
        }
        let part = name_part(&value);
        let mut path = self.named(&part);
        // Another value may have this name.
        let mut number = self.names.get(&path).copied().unwrap_or(1);
        let first = path.clone();
        while self.names.contains_key(&path) {
            number += 1;
            path = self.named(&format!("{part}-{number}"));
        }
        self.names.insert(first, number);
        self.names.entry(path.clone()).or_insert(1);
        self.paths.insert(value, path.clone());
        path
    }

    fn named(&self, part: &str) -> PathBuf {
        PathBuf::from(self.pattern.replacen("{}", part, 1))
    }

    /// The file of this name, open for writing behind what was written before.
    fn file(&mut self, path: &Path) -> io::Result<&mut BufWriter<File>> {
        if !self.open.contains_key(path) {
            if !self.made.contains(path) && self.made.len() >= MOST_FILES {
                return Err(named(path, format_args!("it would be more than {MOST_FILES} files")));
            }
            if self.open.len() >= MOST_OPEN {
                self.close()?;
            }
            let file = match self.opened(path) {
                // The system may allow fewer open files.
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists && !self.open.is_empty() => {
                    self.close()?;
                    self.opened(path)
                }
                opened => opened,
            };
            let file = BufWriter::new(file.map_err(|error| named(path, error))?);
            self.made.insert(path.to_owned());
            self.open.insert(path.to_owned(), file);
        }
        self.open.get_mut(path).ok_or_else(|| io::Error::other("the file is not open"))
    }

    fn opened(&self, path: &Path) -> io::Result<File> {
        if self.made.contains(path) {
            File::options().append(true).open(path)
        } else {
            File::create_new(path)
        }
    }

    fn close(&mut self) -> io::Result<()> {
        let mut flush = |(path, mut file): (PathBuf, BufWriter<File>)| {
            let flushed = file.flush();
            // What could not be written is not tried again.
            drop(file.into_parts());
            flushed.map_err(|error| named(&path, error))
        };
        self.open.drain().try_for_each(&mut flush)
    }
}

/// The error of a file, with its name.
fn named(path: &Path, reason: impl Display) -> io::Error {
    io::Error::other(FileError::Unwritable(shown(path), io::Error::other(reason.to_string())))
}

/// A value as a part of a file name: other characters than letters, digits, `-`, `_`, `+` and `.` become `_`. A value that is lacking
/// or empty is `none`.
fn name_part(value: &str) -> String {
    let is_fit = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '+' | '.');
    let part: String = value.chars().map(|c| if is_fit(c) { c } else { '_' }).take(100).collect();
    match part.as_str() {
        "" => "none".to_owned(),
        hidden if hidden.starts_with('.') => hidden.replacen('.', "_", 1),
        _ => part,
    }
}

impl RecordVerb for SplitFiles {
    const OTHER_LINES: Unmatched = Unmatched::LeftOut;

    fn reader(&self) -> RecordReader {
        match &self.into {
            SplitInto::Records(_) => RecordReader { moves: MoveReading::Syntax, ..self.reader },
            SplitInto::Value(formula) => formula.reader(self.reader),
        }
    }

    fn record(
        &mut self,
        line: &TextLine<'_>,
        subject: &Subject<'_>,
        result: &mut JobResult,
    ) -> io::Result<()> {
        let path = self.path(subject);
        self.count += 1;
        result.counts.found += 1;
        let bytes = result.whole_line(line);
        self.file(&path)?.write_all(&bytes).map_err(|error| named(&path, error))
    }

    fn finish(&mut self, _: &mut JobResult) -> io::Result<bool> {
        self.close()?;
        Ok(false)
    }

    fn files(&self) -> Option<usize> {
        Some(self.made.len())
    }
}
