//! The files that verbs read and write.

use std::fs::{self, File, Metadata};
use std::io::{self, Read, Seek as _, SeekFrom, Write};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use platform::FileId;
use tempfile::NamedTempFile;

/// Why a file can't be used. The names are as they can be shown on a terminal.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The input is not there or not to be read.
    #[error("can't read `{0}`: {1}")]
    Unreadable(String, io::Error),
    /// The input is a directory.
    #[error("can't read `{0}`: it is a directory; expected a file")]
    Directory(String),
    /// Writing a file while it is read would destroy it.
    #[error("`{0}` is both input and output")]
    Same(String),
    /// There is no file to replace.
    #[error("standard input can't be changed in place; name a file")]
    NoFile,
    /// Somebody has changed the file that was to be replaced. The new text is in the file of the second name.
    #[error("`{0}` was changed in the meantime and is left as it is; the result is in `{1}`")]
    Changed(String, String),
    /// The output can't be written.
    #[error("can't write `{0}`: {1}")]
    Unwritable(String, io::Error),
}

impl FileError {
    /// Whether it is what the user has asked for that is wrong.
    pub fn is_wrong_input(&self) -> bool {
        !matches!(self, FileError::Changed(..) | FileError::Unwritable(..))
    }
}

/// A file to read from, or standard input.
pub struct InputFile {
    /// The name, as it can be shown on a terminal.
    pub name: String,
    /// `None` for standard input.
    path: Option<PathBuf>,
    about: Option<Metadata>,
    /// `None` if it is no regular file.
    id: Option<FileId>,
    reader: Box<dyn Read + Send>,
}

impl InputFile {
    /// Opens a file; `-` is standard input.
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
        let reader: Box<dyn Read + Send> = if is_standard { Box::new(io::stdin()) } else { Box::new(file) };
        Ok(InputFile { name, path: (!is_standard).then(|| path.to_owned()), about, id, reader })
    }

    /// How many bytes there are, if that is known beforehand.
    pub fn length(&self) -> Option<u64> {
        self.about.as_ref().filter(|about| about.is_file()).map(Metadata::len)
    }
}

impl Read for InputFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.reader.read(buffer)
    }
}

/// A path without anything that moves a cursor.
fn shown(path: &Path) -> String {
    path.display().to_string().chars().map(|c| if c.is_control() { '?' } else { c }).collect()
}

/// What tells a file from another one and from itself after an edit: device, inode, size, and time of modification in seconds
/// and nanoseconds.
#[derive(Debug, PartialEq, Eq)]
struct FileVersion([u64; 3], [i64; 2]);

impl FileVersion {
    fn of(about: &Metadata) -> FileVersion {
        FileVersion([about.dev(), about.ino(), about.len()], [about.mtime(), about.mtime_nsec()])
    }
}

/// Where the result is written.
#[derive(Debug)]
pub struct OutputFile {
    /// As it can be shown on a terminal.
    name: String,
    sink: OutputKind,
}

#[derive(Debug)]
enum OutputKind {
    Standard,
    /// Written as the work goes on: what is done is there, even if the work breaks off.
    File(File),
    /// Takes the place of the file with that path when all is done, unless that has changed since it was opened.
    InPlace {
        file: NamedTempFile,
        path: PathBuf,
        version: FileVersion,
    },
}

impl OutputFile {
    /// Standard output, which must not lead back into the input.
    ///
    /// # Errors
    /// It does.
    pub fn standard(inputs: &[InputFile]) -> Result<OutputFile, FileError> {
        refuse_same(inputs, platform::standard_output().ok().as_ref().and_then(FileId::of))?;
        Ok(OutputFile { name: "standard output".to_owned(), sink: OutputKind::Standard })
    }

    /// Makes a file, or empties it if it is there.
    ///
    /// # Errors
    /// It is one of the inputs, or can't be written.
    pub fn create(path: &Path, inputs: &[InputFile]) -> Result<OutputFile, FileError> {
        refuse_overwriting(path, inputs)?;
        let file = File::create(path).map_err(|error| FileError::Unwritable(shown(path), error))?;
        Ok(OutputFile { name: shown(path), sink: OutputKind::File(file) })
    }

    /// Goes on with a file behind its first `length` bytes; what is there behind them is removed.
    ///
    /// # Errors
    /// It is one of the inputs, or can't be written.
    pub fn go_on(path: &Path, length: u64, inputs: &[InputFile]) -> Result<OutputFile, FileError> {
        let name = shown(path);
        let unwritable = |error| FileError::Unwritable(name.clone(), error);
        let mut file = File::options().write(true).open(path).map_err(unwritable)?;
        refuse_same(inputs, FileId::of(&file))?;
        file.set_len(length).and_then(|()| file.seek(SeekFrom::End(0))).map_err(unwritable)?;
        Ok(OutputFile { name, sink: OutputKind::File(file) })
    }

    /// Something that takes the place of the input, or of the file that it links to.
    ///
    /// # Errors
    /// The input is no file, or no file can be made beside it.
    pub fn in_place(input: &InputFile) -> Result<OutputFile, FileError> {
        let Some((path, about)) = input.path.as_ref().zip(input.about.as_ref()) else {
            return Err(FileError::NoFile);
        };
        let make = || {
            let path = path.canonicalize()?;
            let folder = path.parent().unwrap_or(Path::new("."));
            let file = tempfile::Builder::new().prefix(".herald-").tempfile_in(folder)?;
            file.as_file().set_permissions(about.permissions())?;
            Ok(OutputKind::InPlace { file, path, version: FileVersion::of(about) })
        };
        let sink = make().map_err(|error| FileError::Unwritable(shown(path), error))?;
        Ok(OutputFile { name: shown(path), sink })
    }

    /// Whether it is standard output.
    pub fn is_standard(&self) -> bool {
        matches!(self.sink, OutputKind::Standard)
    }

    /// Whether what is written stays if the work breaks off, and can be gone on with.
    pub fn is_resumable(&self) -> bool {
        matches!(self.sink, OutputKind::File(_))
    }

    /// Writes what was done.
    ///
    /// # Errors
    /// It can't be written.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &mut self.sink {
            OutputKind::Standard => io::stdout().write_all(bytes).and_then(|()| io::stdout().flush()),
            OutputKind::File(file) => file.write_all(bytes),
            OutputKind::InPlace { file, .. } => file.write_all(bytes),
        }
    }

    /// All is done.
    ///
    /// # Errors
    /// It can't be brought to disk, or can't take the place of the input, which is then as it was. If the input has changed since
    /// it was opened, the result stays in a file beside it.
    pub fn finish(self) -> Result<(), FileError> {
        let done = match self.sink {
            OutputKind::Standard => Ok(()),
            OutputKind::File(file) => match file.sync_data() {
                // Devices and pipes can't be synchronised, and need not be.
                Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
                synchronised => synchronised,
            },
            OutputKind::InPlace { file, path, version } => {
                let synchronised = file.as_file().sync_data();
                let is_changed = fs::metadata(&path).ok().is_none_or(|now| FileVersion::of(&now) != version);
                if synchronised.is_ok() && is_changed {
                    let kept =
                        file.keep().map_err(|error| FileError::Unwritable(self.name.clone(), error.error))?;
                    return Err(FileError::Changed(self.name, shown(&kept.1)));
                }
                synchronised.and_then(|()| file.persist(path).map(drop).map_err(io::Error::from))
            }
        };
        done.map_err(|error| FileError::Unwritable(self.name, error))
    }

    /// An error of [`OutputFile::write`] with the name of the file.
    pub fn error(&self, error: io::Error) -> FileError {
        FileError::Unwritable(self.name.clone(), error)
    }

    /// What has become of the work so far if it breaks off now. What was to take the input's place is gone.
    pub fn abandon(self) -> String {
        match self.sink {
            OutputKind::Standard => "what is done was written".to_owned(),
            OutputKind::File(_) => format!("what is done is in `{}`", self.name),
            OutputKind::InPlace { .. } => format!("`{}` is as it was", self.name),
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

#[cfg(test)]
mod tests {
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
        assert_eq!(fs::read_to_string(&path).expect("a file"), "edited");
        assert_eq!(fs::read_to_string(kept).expect("a file"), "new");
        let removed = replace(&|| fs::remove_file(&path).expect("a file"));
        assert!(matches!(removed, Err(FileError::Changed(..))) && !path.exists());
        fs::write(&path, "old").expect("a file");
        replace(&|| ()).expect("nobody else is at work");
        assert_eq!(fs::read_to_string(&path).expect("a file"), "new");
    }
}
