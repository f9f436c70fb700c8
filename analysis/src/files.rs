//! Input and output files of verbs.

use std::fs::{self, File, Metadata};
use std::io::{self, Read, Seek as _, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use messages::epd::{
    BYTE_ORDER_MARK, Blocks, Content, FileBlock, MoveReading, Record, RecordReader, TextLine,
};
use platform::FileId;
use tempfile::NamedTempFile;

use crate::foreign::{self, ForeignKind};
use crate::jobs::{PROVENANCE, author_of, split_date};

/// Error of an input or output file. File names contain no control characters.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The input does not exist or can't be read.
    #[error("can't read `{0}`: {1}")]
    Unreadable(String, io::Error),
    /// The input is a directory.
    #[error("can't read `{0}`: it is a directory; expected a file")]
    Directory(String),
    /// The output is also an input; writing it would destroy the input.
    #[error("`{0}` is both input and output")]
    Same(String),
    /// Standard input, a device or a pipe can't be replaced.
    #[error("{0} can't be changed in place; name a regular file")]
    NoFile(String),
    /// The input was changed by somebody else before it could be replaced. The second name is the file with the result.
    #[error("`{0}` was changed in the meantime and is left as it is; the result is in `{1}`")]
    Changed(String, String),
    /// The file is of another kind than expected. The second text says which, and what to do or what was expected.
    #[error("`{0}` is {1}")]
    Foreign(String, String),
    /// The file has several names, of which only one would lead to the new file.
    #[error(
        "`{0}` has several names (hard links), of which only one would be changed in place; use --output"
    )]
    Linked(String),
    /// The output can't be written.
    #[error("can't write `{0}`: {1}")]
    Unwritable(String, io::Error),
}

impl FileError {
    /// Whether the error is in the arguments or the input, as opposed to a failure of the work.
    pub fn is_wrong_input(&self) -> bool {
        !matches!(self, FileError::Changed(..) | FileError::Unwritable(..))
    }
}

/// A file to read from, or standard input.
pub struct InputFile {
    /// File name without control characters.
    pub name: String,
    /// `None` for standard input.
    path: Option<PathBuf>,
    about: Option<Metadata>,
    /// `None` for anything but a regular file.
    id: Option<FileId>,
    /// What the file is if it is not EPD.
    kind: Option<ForeignKind>,
    reader: Box<dyn Read + Send>,
}

impl InputFile {
    /// Opens a file that is to be changed in place. Anything but a regular file with one name is refused before it is opened, as
    /// opening a named pipe would wait for its writer.
    ///
    /// # Errors
    /// The file can't be read, can't be replaced, or is of another kind than EPD.
    pub fn open_in_place(path: &Path) -> Result<InputFile, FileError> {
        let about = fs::metadata(path).map_err(|error| FileError::Unreadable(shown(path), error))?;
        if about.is_dir() {
            return Err(FileError::Directory(shown(path)));
        }
        if !about.is_file() {
            return Err(FileError::NoFile(shown(path)));
        }
        if platform::name_count(path).map_err(|error| FileError::Unreadable(shown(path), error))? > 1 {
            return Err(FileError::Linked(shown(path)));
        }
        InputFile::open_records(path)
    }

    /// Opens a file of EPD records; `-` is standard input.
    ///
    /// # Errors
    /// The file can't be read, is a directory, or is of another kind than EPD.
    pub fn open_records(path: &Path) -> Result<InputFile, FileError> {
        let file = InputFile::open(path)?;
        match file.kind {
            Some(kind) => Err(FileError::Foreign(file.name, kind.description("records of EPD"))),
            None => Ok(file),
        }
    }

    /// Opens a file of games; `-` is standard input.
    ///
    /// # Errors
    /// The file can't be read, is a directory, or is not text in an encoding that extends ASCII.
    pub fn open_games(path: &Path) -> Result<InputFile, FileError> {
        let file = InputFile::open(path)?;
        match file.kind {
            Some(kind @ ForeignKind::NoText(_)) => {
                Err(FileError::Foreign(file.name, kind.description("games in PGN")))
            }
            _ => Ok(file),
        }
    }

    /// Opens a file of any kind; `-` is standard input. Waits for the first line of standard input or a pipe.
    ///
    /// # Errors
    /// The file can't be read, or is a directory.
    pub fn open(path: &Path) -> Result<InputFile, FileError> {
        let is_standard = path == Path::new("-");
        let name = if is_standard { "standard input".to_owned() } else { shown(path) };
        let unreadable = |error| FileError::Unreadable(name.clone(), error);
        let file = if is_standard { platform::standard_input() } else { File::open(path) };
        let file = file.map_err(unreadable)?;
        let (about, id) = (file.metadata().ok(), FileId::of(&file));
        if about.as_ref().is_some_and(Metadata::is_dir) {
            return Err(FileError::Directory(name));
        }
        let mut reader: Box<dyn Read + Send> =
            if is_standard { Box::new(io::stdin()) } else { Box::new(file) };
        let start = foreign::first_bytes(&mut reader).map_err(unreadable)?;
        let kind = ForeignKind::of(&start);
        let reader = Box::new(io::Cursor::new(start).chain(reader));
        Ok(InputFile { name, path: (!is_standard).then(|| path.to_owned()), about, id, kind, reader })
    }

    /// Length in bytes; `None` for anything but a regular file.
    pub fn length(&self) -> Option<u64> {
        self.about.as_ref().filter(|about| about.is_file()).map(Metadata::len)
    }
}

impl Read for InputFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.reader.read(buffer)
    }
}

/// A path with its control characters replaced by `?`.
pub(crate) fn shown(path: &Path) -> String {
    path.display().to_string().replace(char::is_control, "?")
}

/// Identity, size and modification time of a regular file, to detect edits.
type FileVersion = (FileId, u64, Option<SystemTime>);

fn version(id: FileId, about: &Metadata) -> FileVersion {
    (id, about.len(), about.modified().ok())
}

/// The output of a verb.
#[derive(Debug)]
pub struct OutputFile {
    /// File name without control characters.
    name: String,
    sink: OutputKind,
}

#[derive(Debug)]
enum OutputKind {
    Standard,
    /// Written during the work, so that an interrupted run leaves its finished part.
    File(File),
    /// A temporary file that replaces `path` at the end, unless that file has changed since it was opened.
    InPlace {
        file: NamedTempFile,
        path: PathBuf,
        version: FileVersion,
    },
}

impl OutputFile {
    /// Writes to standard output.
    ///
    /// # Errors
    /// Standard output is redirected to one of the inputs.
    pub fn standard(inputs: &[InputFile]) -> Result<OutputFile, FileError> {
        refuse_same(inputs, platform::standard_output().ok().as_ref().and_then(FileId::of))?;
        Ok(OutputFile { name: "standard output".to_owned(), sink: OutputKind::Standard })
    }

    /// Creates a file, or truncates an existing one.
    ///
    /// # Errors
    /// The file is one of the inputs, or can't be written.
    pub fn create(path: &Path, inputs: &[InputFile]) -> Result<OutputFile, FileError> {
        refuse_overwriting(path, inputs)?;
        let file = File::create(path).map_err(|error| FileError::Unwritable(shown(path), error))?;
        Ok(OutputFile { name: shown(path), sink: OutputKind::File(file) })
    }

    /// Truncates a file to its first `length` bytes and appends to it.
    ///
    /// # Errors
    /// The file is one of the inputs, or can't be written.
    pub fn go_on(path: &Path, length: u64, inputs: &[InputFile]) -> Result<OutputFile, FileError> {
        let name = shown(path);
        let unwritable = |error| FileError::Unwritable(name.clone(), error);
        let mut file = File::options().write(true).open(path).map_err(unwritable)?;
        refuse_same(inputs, FileId::of(&file))?;
        file.set_len(length).and_then(|()| file.seek(SeekFrom::End(0))).map_err(unwritable)?;
        Ok(OutputFile { name, sink: OutputKind::File(file) })
    }

    /// Writes to a temporary file that will replace the input, or the file that the input links to.
    ///
    /// # Errors
    /// The input is not a file, or no file can be created in its directory.
    pub fn in_place(input: &InputFile) -> Result<OutputFile, FileError> {
        let (Some(path), Some(about), Some(id)) = (&input.path, &input.about, input.id) else {
            return Err(FileError::NoFile(input.name.clone()));
        };
        let make = || {
            let path = path.canonicalize()?;
            let folder = path.parent().unwrap_or(Path::new("."));
            remove_stale_files(folder);
            let file = temporary_file(folder)?;
            platform::give_owner(file.as_file(), about)?;
            file.as_file().set_permissions(about.permissions())?;
            Ok(OutputKind::InPlace { file, path, version: version(id, about) })
        };
        let sink = make().map_err(|error| FileError::Unwritable(shown(path), error))?;
        Ok(OutputFile { name: shown(path), sink })
    }

    /// Whether the output is standard output.
    pub fn is_standard(&self) -> bool {
        matches!(self.sink, OutputKind::Standard)
    }

    /// Whether an interrupted run leaves its finished part, so that a later run can resume.
    pub fn is_resumable(&self) -> bool {
        matches!(self.sink, OutputKind::File(_))
    }

    /// Writes a part of the output.
    ///
    /// # Errors
    /// The output can't be written.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &mut self.sink {
            OutputKind::Standard => io::stdout().write_all(bytes).and_then(|()| io::stdout().flush()),
            OutputKind::File(file) => file.write_all(bytes),
            OutputKind::InPlace { file, .. } => file.write_all(bytes),
        }
    }

    /// Completes the output: synchronises it with the disk and, in place, replaces the input.
    ///
    /// # Errors
    /// The output can't be synchronised or can't replace the input, which is then unchanged. If the input was edited since it was
    /// opened, the result stays in a file beside it.
    pub fn finish(self) -> Result<(), FileError> {
        let done = match self.sink {
            OutputKind::Standard => Ok(()),
            OutputKind::File(file) => match file.sync_data() {
                // Devices and pipes don't support synchronisation. Windows tells nothing about them.
                Err(_) if !file.metadata().is_ok_and(|about| about.is_file()) => Ok(()),
                synchronised => synchronised,
            },
            OutputKind::InPlace { file, path, version: opened } => {
                let synchronised = file.as_file().sync_data();
                let now =
                    FileId::at(&path).zip(fs::metadata(&path).ok()).map(|(id, about)| version(id, &about));
                let is_changed = now != Some(opened);
                if synchronised.is_ok() && is_changed {
                    let kept = keep_beside(file, &path)
                        .map_err(|error| FileError::Unwritable(self.name.clone(), error))?;
                    return Err(FileError::Changed(self.name, shown(&kept)));
                }
                synchronised.and_then(|()| file.persist(path).map(drop).map_err(io::Error::from))
            }
        };
        done.map_err(|error| FileError::Unwritable(self.name, error))
    }

    /// Adds the file name to an error of [`OutputFile::write`].
    pub fn error(&self, error: io::Error) -> FileError {
        FileError::Unwritable(self.name.clone(), error)
    }

    /// Ends an incomplete run and describes what it leaves. A temporary file is removed.
    pub fn abandon(self) -> String {
        match self.sink {
            OutputKind::Standard => "the finished part was written".to_owned(),
            OutputKind::File(_) => format!("the finished part is in `{}`", self.name),
            OutputKind::InPlace { .. } => format!("`{}` is unchanged", self.name),
        }
    }
}

/// Names of temporary files: the beginning, this number of characters by chance, and the end.
const TEMPORARY: (&str, usize, &str) = (".herald-in-place-", 8, ".tmp");

/// Creates a temporary file that this process has locked, so that no other one takes it for that of a killed one.
fn temporary_file(folder: &Path) -> io::Result<NamedTempFile> {
    let (begin, by_chance, end) = TEMPORARY;
    loop {
        let file =
            tempfile::Builder::new().prefix(begin).rand_bytes(by_chance).suffix(end).tempfile_in(folder)?;
        file.as_file().lock()?;
        // Another process may have removed the file before it was locked.
        if FileId::at(file.path()) == FileId::of(file.as_file()) {
            return Ok(file);
        }
    }
}

/// Keeps a temporary file under a new name beside a file: `NAME.new`, `NAME.new2` and so on.
fn keep_beside(mut file: NamedTempFile, path: &Path) -> io::Result<PathBuf> {
    for number in 1_u32.. {
        let mut kept = path.as_os_str().to_owned();
        kept.push(if number == 1 { ".new".to_owned() } else { format!(".new{number}") });
        match file.persist_noclobber(&kept) {
            Ok(_) => return Ok(kept.into()),
            Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => file = error.file,
            Err(error) => {
                // The result is worth more than its name.
                return error.file.keep().map(|(_, kept)| kept).map_err(|error| error.error);
            }
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// Removes the temporary files of processes that were killed: those that nobody has locked. Files that can't be removed stay.
fn remove_stale_files(folder: &Path) {
    let (begin, by_chance, end) = TEMPORARY;
    let is_temporary = |name: &str| {
        let chance = name.strip_prefix(begin).and_then(|rest| rest.strip_suffix(end));
        chance.is_some_and(|chance| {
            chance.len() == by_chance && chance.bytes().all(|byte| byte.is_ascii_alphanumeric())
        })
    };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| entry.file_name().to_str().is_some_and(is_temporary)) {
        let is_file = fs::symlink_metadata(entry.path()).is_ok_and(|about| about.is_file());
        if let Ok(file) = File::open(entry.path())
            && is_file
            && file.try_lock().is_ok()
        {
            // Still locked, so that its owner, if there is one, sees that it is gone.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Refuses an output file that is also one of the inputs, under this name or another.
///
/// # Errors
/// The file is one of the inputs.
pub fn refuse_overwriting(output: &Path, inputs: &[InputFile]) -> Result<(), FileError> {
    refuse_same(inputs, FileId::at(output))
}

fn refuse_same(inputs: &[InputFile], output: Option<FileId>) -> Result<(), FileError> {
    match inputs.iter().find(|input| output.is_some() && input.id == output) {
        Some(input) => Err(FileError::Same(input.name.clone())),
        None => Ok(()),
    }
}

/// Progress of an earlier run. Each input line yields one output line in the order of the files, so the output of an interrupted
/// run is a prefix of the whole output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resumption {
    /// Number of finished lines of each file.
    pub lines: Vec<u64>,
    /// Length of the complete lines in the output, in bytes. An incomplete line may follow.
    pub length: u64,
    /// Whether a record of the output says that it was made by the same provenance.
    pub is_signed: bool,
}

/// Why a run can't be resumed.
#[derive(Debug, thiserror::Error)]
pub enum ResumeError {
    /// One of the files can't be read.
    #[error("{0}")]
    Read(#[from] io::Error),
    /// The output does not belong to these inputs, or another program, other settings or another limit made it.
    #[error("{0}")]
    Different(String),
}

impl Resumption {
    /// Compares the existing output with the inputs, line by line: positions and names of records, and the text of all other
    /// lines. Line ends may differ. Records that say who analysed them must say this `provenance`, with or without a date.
    ///
    /// # Errors
    /// A file can't be read, or the output does not come from these inputs.
    pub fn find(
        inputs: Vec<InputFile>,
        output: impl Read,
        provenance: Option<&str>,
    ) -> Result<Resumption, ResumeError> {
        let (mut output, mut count) = (WholeLines::new(output), 0);
        let mut resumption = Resumption::default();
        for input in inputs {
            let name = input.name.clone();
            let mut done = 0;
            for line in WholeLines::new(input) {
                let (line, made) = (line?, output.next().transpose()?);
                let Some(made) = made else { break };
                count += 1;
                let fits = if made.is_ended { made.comes_from(&line) } else { made.may_begin(&line) };
                if !fits {
                    return Err(ResumeError::Different(format!(
                        "line {count} of the output does not come from line {} of `{name}`",
                        line.number
                    )));
                }
                if !made.is_ended {
                    break;
                }
                if let Some((provenance, author)) = provenance.zip(made.author()) {
                    if split_date(&author).0 == provenance {
                        resumption.is_signed = true;
                    } else if line.author().as_ref() != Some(&author) {
                        return Err(ResumeError::Different(format!(
                            "line {count} of the output is by `{author}`, not by `{provenance}`"
                        )));
                    }
                }
                resumption.length += made.length;
                done = line.number;
            }
            resumption.lines.push(done);
        }
        match output.next() {
            Some(_) => Err(ResumeError::Different("the output has more lines than the input".to_owned())),
            None => Ok(resumption),
        }
    }
}

/// A line of a file, or the length of one that is too long to be read.
struct WholeLine {
    number: u64,
    text: Option<String>,
    content: Content,
    /// Length in bytes with the line end.
    length: u64,
    /// Whether it has a line end.
    is_ended: bool,
}

impl WholeLine {
    fn of(line: &TextLine<'_>) -> WholeLine {
        let mut bytes = Vec::with_capacity(line.text.len());
        line.copy(&line.text, &mut bytes);
        WholeLine {
            number: line.number,
            text: Some(line.text.trim_start_matches(BYTE_ORDER_MARK).to_owned()),
            content: line.content(),
            length: (bytes.len() + line.end.len()) as u64,
            is_ended: !line.end.is_empty(),
        }
    }

    /// Whether this line of an output can be the beginning of what was made of `line`: a file that somebody else wrote must not be
    /// cut.
    fn may_begin(&self, line: &WholeLine) -> bool {
        let (Some(text), Some(given)) = (&self.text, &line.text) else { return line.text.is_none() };
        let record = RecordReader::default().read(given, 1).record;
        let record = record.filter(|_| line.content == Content::Record);
        let position = record.map(|record| Record::new(record.position).to_string()).unwrap_or_default();
        let is_position = !position.is_empty() && text.bytes().zip(position.bytes()).all(|(a, b)| a == b);
        given.starts_with(text) || is_position
    }

    /// Whether this line of an output can have been made of `line`.
    fn comes_from(&self, line: &WholeLine) -> bool {
        let (Some(text), Some(given)) = (&self.text, &line.text) else { return self.text == line.text };
        if text == given {
            return true;
        }
        let reader = RecordReader { moves: MoveReading::Syntax, ..RecordReader::default() };
        let (made, given) = (reader.read(text, 1).record, reader.read(given, 1).record);
        let is_same = |(made, given): (Record<'_>, Record<'_>)| {
            made.position == given.position && made.id() == given.id()
        };
        line.content == Content::Record && made.zip(given).is_some_and(is_same)
    }
}

impl WholeLine {
    /// Who analysed this line of an output, how and when, as it says.
    fn author(&self) -> Option<String> {
        let reader = RecordReader { moves: MoveReading::Syntax, ..RecordReader::default() };
        let text = self.text.as_deref().filter(|text| text.contains(PROVENANCE))?;
        author_of(&reader.read(text, 1).record?).map(str::to_owned)
    }
}

/// The lines of a file in their order; a line that is too long comes once.
struct WholeLines<R> {
    blocks: Blocks<R>,
    /// Lines of the current block, the last one first.
    lines: Vec<WholeLine>,
    /// A line that is too long, as far as it was read.
    long: Option<WholeLine>,
}

impl<R: Read> WholeLines<R> {
    fn new(input: R) -> WholeLines<R> {
        WholeLines { blocks: Blocks::new(input), lines: Vec::new(), long: None }
    }
}

impl<R: Read> Iterator for WholeLines<R> {
    type Item = io::Result<WholeLine>;

    fn next(&mut self) -> Option<io::Result<WholeLine>> {
        loop {
            if let Some(line) = self.lines.pop() {
                return Some(Ok(line));
            }
            let block = match self.blocks.next() {
                None => return self.long.take().map(Ok),
                Some(Err(error)) => return Some(Err(error)),
                Some(Ok(block)) => block,
            };
            if let FileBlock::TooLong { line, is_first, bytes } = &block {
                let is_ended = bytes.last().is_some_and(|last| b"\n\r\0".contains(last));
                let (number, length) = (*line, bytes.len() as u64);
                let content = Content::Record;
                let before = if *is_first { None } else { self.long.take() };
                let length = length + before.map_or(0, |before| before.length);
                let whole = WholeLine { number, text: None, content, length, is_ended };
                if is_ended {
                    return Some(Ok(whole));
                }
                self.long = Some(whole);
            }
            self.lines = block.lines().map(|line| WholeLine::of(&line)).collect();
            self.lines.reverse();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use tempfile::TempDir;

    use super::*;

    #[test]
    fn a_file_that_has_changed_is_not_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.epd");
        fs::write(&path, "old").expect("a file");
        let replace = |meanwhile: &dyn Fn()| {
            let input = InputFile::open(&path).expect("a file");
            let mut output = OutputFile::in_place(&input).expect("a file beside it");
            output.write(b"new").expect("room");
            meanwhile();
            output.finish()
        };
        let edited = replace(&|| fs::write(&path, "edited").expect("a file"));
        let Err(FileError::Changed(_, kept)) = &edited else { panic!("{edited:?}") };
        assert!(kept.ends_with("a.epd.new"), "{kept}");
        assert_eq!(fs::read_to_string(&path).expect("a file"), "edited");
        assert_eq!(fs::read_to_string(kept).expect("a file"), "new");
        let removed = replace(&|| fs::remove_file(&path).expect("a file"));
        let Err(FileError::Changed(_, kept)) = &removed else { panic!("{removed:?}") };
        assert!(kept.ends_with("a.epd.new2") && !path.exists(), "{kept}");
        fs::write(&path, "old").expect("a file");
        replace(&|| ()).expect("nobody else is at work");
        assert_eq!(fs::read_to_string(&path).expect("a file"), "new");
        fs::write(&path, "old").expect("a file");
        let longer = replace(&|| {
            let mut file = File::options().append(true).open(&path).expect("a file");
            file.write_all(b" and more").expect("room");
        });
        assert!(matches!(longer, Err(FileError::Changed(..))));
        assert_eq!(fs::read_to_string(&path).expect("a file"), "old and more");
    }

    #[test]
    fn temporary_files_are_removed_when_nobody_has_them() {
        let folder = tempfile::tempdir().expect("a folder");
        let names = || {
            let entries = fs::read_dir(folder.path()).expect("a folder");
            let mut names: Vec<_> = entries.map(|entry| entry.expect("an entry").file_name()).collect();
            names.sort();
            names
        };
        for name in
            [".herald-in-place-12345678.tmp", ".herald-in-place-mine.tmp", ".herald-notes", "a.epd.new"]
        {
            fs::write(folder.path().join(name), "x").expect("a file");
        }
        let alive = temporary_file(folder.path()).expect("a file");
        remove_stale_files(folder.path());
        let mut left = [".herald-in-place-mine.tmp", ".herald-notes", "a.epd.new"].map(Into::into).to_vec();
        left.push(alive.path().file_name().expect("a name").to_owned());
        left.sort();
        assert_eq!(names(), left);
    }

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";

    fn find(folder: &TempDir, names: &[&str], output: &str) -> Result<Resumption, ResumeError> {
        let inputs = names.iter().map(|name| InputFile::open(&folder.path().join(name)).expect("a file"));
        Resumption::find(inputs.collect(), output.as_bytes(), Some("Herald, nodes=5"))
    }

    #[test]
    fn whole_lines_that_come_from_the_input_are_done() {
        let folder = TempDir::new().expect("a folder");
        let record = |id: &str| format!("{START} id \"{id}\";\n");
        let first = format!("\u{feff}# suite\r\n\n{}{}", record("1"), record("2"));
        fs::write(folder.path().join("a"), &first).expect("a file");
        fs::write(folder.path().join("b"), format!("{START}  id 3")).expect("a file");
        let names = ["a", "b"];
        let lines = |output: &str| find(&folder, &names, output).expect("fits").lines;
        assert_eq!(lines(""), [0, 0]);
        assert_eq!(lines("# suite\n\n"), [2, 0]);
        let made = format!("# suite\n\n{START} acn 5; id \"1\"; pm e4;\n");
        assert_eq!(lines(&made), [3, 0]);
        let half = format!("{made}{START} id \"2\"");
        assert_eq!(lines(&half), [3, 0]);
        assert_eq!(find(&folder, &names, &half).expect("fits").length, made.len() as u64);
        let all = format!("{made}{}{START} id \"3\";\n", record("2"));
        assert_eq!(lines(&all), [4, 1]);
        for (output, longer) in
            [(format!("{all}\n"), true), (format!("{all}x"), true), ("notes".to_owned(), false)]
        {
            let refused = find(&folder, &names, &output).expect_err("not from these inputs").to_string();
            assert_eq!(refused.starts_with("the output has more lines than"), longer, "{refused}");
        }
        let by = |provenance: &str| {
            format!("# suite\n\n{START} Analyzer \"{provenance}\"; acn 5; id \"1\"; pm e4;\n")
        };
        assert_eq!(lines(&by("Herald, nodes=5, 2026-01-31")), [3, 0]);
        let other = find(&folder, &names, &by("Herald, nodes=6, 2026-01-31")).expect_err("another limit");
        let told = "line 3 of the output is by `Herald, nodes=6, 2026-01-31`, not by `Herald, nodes=5`";
        assert_eq!(other.to_string(), told);
        let other = find(&folder, &names, &format!("{made}{}", record("x"))).expect_err("another record");
        assert_eq!(
            other.to_string(),
            "line 4 of the output does not come from line 4 of `a`"
                .replace("`a`", &format!("`{}`", folder.path().join("a").display()))
        );
    }
}
