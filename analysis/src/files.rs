//! The files that verbs read and write.

use std::fs::{File, Metadata};
use std::io::{self, Read, Seek as _, SeekFrom, Write};
use std::path::{Path, PathBuf};

use platform::FileId;
use tempfile::NamedTempFile;

/// Why a file can't be used. The names are as they can be shown on a terminal.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The input is not there or not to be read.
    #[error("can't read `{name}`: {error}")]
    Unreadable {
        /// The file.
        name: String,
        /// What the system says.
        error: io::Error,
    },
    /// The input is a directory.
    #[error("can't read `{name}`: it is a directory; expected a file of EPD records")]
    Directory {
        /// The directory.
        name: String,
    },
    /// Reading and writing one file at a time would destroy it.
    #[error("`{name}` is both input and output; --in-place replaces it when all is done")]
    Same {
        /// The file.
        name: String,
    },
    /// There is no file to replace.
    #[error("standard input can't be changed in place; name a file")]
    NoFile,
    /// The output can't be written.
    #[error("can't write `{name}`: {error}")]
    Unwritable {
        /// The file.
        name: String,
        /// What the system says.
        error: io::Error,
    },
}

impl FileError {
    /// Whether it is what the user has asked for that is wrong.
    pub fn is_wrong_input(&self) -> bool {
        !matches!(self, FileError::Unwritable { .. })
    }
}

/// A file to read from, or standard input.
pub struct Input {
    name: String,
    path: Option<PathBuf>,
    about: Option<Metadata>,
    /// None of what is no file.
    id: Option<FileId>,
    reader: Box<dyn Read + Send>,
}

impl Input {
    /// Opens a file; `-` is standard input.
    ///
    /// # Errors
    /// The file can't be read, or is a directory.
    pub fn open(path: &Path) -> Result<Input, FileError> {
        if path == Path::new("-") {
            let file = platform::standard_input().map_err(unreadable("standard input"))?;
            let (about, id) = (file.metadata().ok(), FileId::of(&file));
            return Ok(Input {
                name: "standard input".into(),
                path: None,
                about,
                id,
                reader: Box::new(io::stdin()),
            });
        }
        let name = shown(path);
        let file = File::open(path).map_err(unreadable(&name))?;
        let about = file.metadata().map_err(unreadable(&name))?;
        if about.is_dir() {
            return Err(FileError::Directory { name });
        }
        let id = FileId::of(&file);
        Ok(Input { name, path: Some(path.to_owned()), about: Some(about), id, reader: Box::new(file) })
    }

    /// The name, as it can be shown on a terminal.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How many bytes there are, if that is known beforehand.
    pub fn length(&self) -> Option<u64> {
        self.about.as_ref().filter(|about| about.is_file()).map(Metadata::len)
    }
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.reader.read(buffer)
    }
}

fn unreadable(name: &str) -> impl Fn(io::Error) -> FileError + use<> {
    let name = name.to_owned();
    move |error| FileError::Unreadable { name: name.clone(), error }
}

fn unwritable(name: &str) -> impl Fn(io::Error) -> FileError + use<> {
    let name = name.to_owned();
    move |error| FileError::Unwritable { name: name.clone(), error }
}

/// A path without anything that moves a cursor.
fn shown(path: &Path) -> String {
    path.display().to_string().chars().map(|c| if c.is_control() { '?' } else { c }).collect()
}

/// Where what was done is written.
#[derive(Debug)]
pub enum Output {
    /// Standard output.
    Standard,
    /// A file that is written as the work goes on: what is done is there, even if the work breaks off.
    File {
        /// The file.
        file: File,
        /// Its name, as it can be shown.
        name: String,
    },
    /// A file that takes the place of the input when all is done.
    InPlace {
        /// The new file.
        file: NamedTempFile,
        /// The old one, which may be the one that a link names.
        path: PathBuf,
        /// Its name, as it can be shown.
        name: String,
    },
}

impl Output {
    /// Standard output, which must not lead back into the input.
    ///
    /// # Errors
    /// It does.
    pub fn standard(inputs: &[Input]) -> Result<Output, FileError> {
        refuse_same(inputs, platform::standard_output().ok().as_ref().and_then(FileId::of))?;
        Ok(Output::Standard)
    }

    /// Makes a file, or empties it if it is there.
    ///
    /// # Errors
    /// It is one of the inputs, or can't be written.
    pub fn create(path: &Path, inputs: &[Input]) -> Result<Output, FileError> {
        refuse_same(inputs, FileId::at(path))?;
        let name = shown(path);
        let file = File::create(path).map_err(unwritable(&name))?;
        Ok(Output::File { file, name })
    }

    /// Goes on with a file behind its first `length` bytes; what is there behind them goes.
    ///
    /// # Errors
    /// It is one of the inputs, or can't be written.
    pub fn go_on(path: &Path, length: u64, inputs: &[Input]) -> Result<Output, FileError> {
        let name = shown(path);
        let mut file = File::options().write(true).open(path).map_err(unwritable(&name))?;
        refuse_same(inputs, FileId::of(&file))?;
        file.set_len(length).and_then(|()| file.seek(SeekFrom::End(0))).map_err(unwritable(&name))?;
        Ok(Output::File { file, name })
    }

    /// Something that takes the place of the input.
    ///
    /// # Errors
    /// The input is no file, or no file can be made beside it.
    pub fn in_place(input: &Input) -> Result<Output, FileError> {
        let Some((path, about)) = input.path.as_ref().zip(input.about.as_ref()) else {
            return Err(FileError::NoFile);
        };
        let name = shown(path);
        let make = || {
            let path = path.canonicalize()?;
            let folder = path.parent().unwrap_or(Path::new("."));
            let file = tempfile::Builder::new().prefix(".herald-").tempfile_in(folder)?;
            file.as_file().set_permissions(about.permissions())?;
            Ok((file, path))
        };
        let (file, path) = make().map_err(unwritable(&name))?;
        Ok(Output::InPlace { file, path, name })
    }

    /// Writes what was done.
    ///
    /// # Errors
    /// It can't be written.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Output::Standard => io::stdout().write_all(bytes).and_then(|()| io::stdout().flush()),
            Output::File { file, .. } => file.write_all(bytes),
            Output::InPlace { file, .. } => file.write_all(bytes),
        }
    }

    /// All is done.
    ///
    /// # Errors
    /// It can't be brought to disk, or can't take the place of the input, which is then as it was.
    pub fn finish(self) -> Result<(), FileError> {
        match self {
            Output::Standard => Ok(()),
            Output::File { file, name } => match file.sync_data() {
                // Devices and pipes can't be synchronised, and need not be.
                Err(error) if error.kind() != io::ErrorKind::InvalidInput => Err(unwritable(&name)(error)),
                _ => Ok(()),
            },
            Output::InPlace { file, path, name } => {
                file.as_file().sync_data().map_err(unwritable(&name))?;
                file.persist(path).map(drop).map_err(|error| unwritable(&name)(error.error))
            }
        }
    }

    /// An error of [`Output::write`] with the name of the file.
    pub fn error(&self, error: io::Error) -> FileError {
        match self {
            Output::Standard => unwritable("standard output")(error),
            Output::File { name, .. } | Output::InPlace { name, .. } => unwritable(name)(error),
        }
    }

    /// What has become of the work so far if it breaks off now. What was to take the input's place is gone.
    pub fn abandon(self) -> String {
        match self {
            Output::Standard => "what is done was written".to_owned(),
            Output::File { name, .. } => format!("what is done is in `{name}`"),
            Output::InPlace { name, .. } => format!("`{name}` is as it was"),
        }
    }
}

fn refuse_same(inputs: &[Input], output: Option<FileId>) -> Result<(), FileError> {
    match inputs.iter().find(|input| output.is_some() && input.id == output) {
        Some(input) => Err(FileError::Same { name: input.name.clone() }),
        None => Ok(()),
    }
}
