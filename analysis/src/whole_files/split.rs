//! The verb that splits records into several files.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use messages::epd::{MoveReading, RecordReader, TextLine};

use super::RecordVerb;
use crate::expressions::{Formula, Subject};
use crate::process::JobResult;
use crate::selection::Unmatched;

/// Maximum number of files that are made.
const MOST_FILES: usize = 10_000;
/// Maximum number of files that are open at a time.
const MOST_OPEN: usize = 64;

/// What the files of [`SplitFiles`] have in common.
#[derive(Clone, Debug)]
pub enum SplitInto {
    /// Files of this number of records.
    Records(u64),
    /// Files of records with the same value.
    Value(Formula),
}

/// Splits records into new files. Files that exist are not overwritten. At most 64 files are open at a time, and no record is kept in
/// memory.
#[derive(Debug)]
pub struct SplitFiles {
    into: SplitInto,
    /// Name of the files; `{}` stands for the number or the value.
    pattern: String,
    reader: RecordReader,
    count: u64,
    open: HashMap<PathBuf, BufWriter<File>>,
    /// The files that were made.
    made: HashSet<PathBuf>,
}

impl SplitFiles {
    /// Creates the verb. Without `{}` in the pattern all records are in one file.
    pub fn new(into: SplitInto, pattern: &str, reader: RecordReader) -> SplitFiles {
        let (pattern, open, made) = (pattern.to_owned(), HashMap::new(), HashSet::new());
        SplitFiles { into, pattern, reader, count: 0, open, made }
    }

    /// Number of files that were made.
    pub fn files(&self) -> usize {
        self.made.len()
    }

    fn path(&self, subject: &Subject<'_>) -> PathBuf {
        let part = match &self.into {
            SplitInto::Records(most) => format!("{:03}", self.count / most + 1),
            SplitInto::Value(formula) => {
                let value =
                    formula.value(subject).map_or_else(String::new, |value| value.text().into_owned());
                name_part(&value)
            }
        };
        PathBuf::from(self.pattern.replacen("{}", &part, 1))
    }

    /// The file of this name, open for writing behind what was written before.
    fn file(&mut self, path: &Path) -> io::Result<&mut BufWriter<File>> {
        let named = |error: io::Error| io::Error::new(error.kind(), format!("`{}`: {error}", path.display()));
        if !self.open.contains_key(path) {
            if self.open.len() >= MOST_OPEN {
                self.close()?;
            }
            let file = if self.made.contains(path) {
                File::options().append(true).open(path)
            } else if self.made.len() >= MOST_FILES {
                Err(io::Error::other(format!("this would be more than {MOST_FILES} files")))
            } else {
                File::create_new(path)
            };
            let file = BufWriter::new(file.map_err(named)?);
            self.made.insert(path.to_owned());
            self.open.insert(path.to_owned(), file);
        }
        self.open.get_mut(path).ok_or_else(|| io::Error::other("the file is not open"))
    }

    fn close(&mut self) -> io::Result<()> {
        self.open.drain().try_for_each(|(_, mut file)| file.flush())
    }
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
        self.file(&path)?.write_all(&bytes)
    }

    fn finish(&mut self, _: &mut JobResult) -> io::Result<bool> {
        self.close()?;
        Ok(false)
    }
}
