//! Files that somebody else may have replaced: by a pipe that blocks who opens it, by a device that never ends, by a folder. Only
//! regular files are opened, also behind links.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write as _};
use std::path::Path;

/// Whether there is a regular file, or a link to one; `None` if there is nothing.
///
/// # Errors
/// The system does not tell it. The text names the file.
pub(super) fn is_regular(path: &Path) -> io::Result<Option<bool>> {
    match fs::metadata(path) {
        Ok(about) => Ok(Some(about.is_file())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(named(path, &error)),
    }
}

/// Reads a regular file; `None` if there is none. What is no regular file is not opened.
///
/// # Errors
/// The file can't be read. The text names it.
pub(super) fn read_regular(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match is_regular(path)? {
        Some(true) => fs::read(path).map(Some).map_err(|error| named(path, &error)),
        _ => Ok(None),
    }
}

/// The error of what is no file.
pub(super) fn no_file(path: &Path) -> io::Error {
    let text = format!("{} is no file, but a folder, pipe or device: take it away", path.display());
    io::Error::new(ErrorKind::InvalidInput, text)
}

/// Opens a regular file for writing, or makes it.
///
/// # Errors
/// There is something else, or the file can't be opened. The text names it.
pub(super) fn create_regular(path: &Path) -> io::Result<File> {
    if is_regular(path)? == Some(false) {
        return Err(no_file(path));
    }
    let file = File::options().create(true).truncate(false).write(true).open(path);
    file.map_err(|error| named(path, &error))
}

/// Gives a regular file other contents, or makes it.
///
/// # Errors
/// Those of [`create_regular`], or it can't be written.
pub(super) fn write_regular(path: &Path, contents: impl AsRef<[u8]>) -> io::Result<()> {
    let mut file = create_regular(path)?;
    file.set_len(0).and_then(|()| file.write_all(contents.as_ref())).map_err(|error| named(path, &error))
}

/// The same error, with the name of the file.
pub(super) fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_are_opened() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        assert_eq!(read_regular(&path).expect("nothing"), None);
        write_regular(&path, "a longer text").expect("written");
        write_regular(&path, "text").expect("written");
        assert_eq!(read_regular(&path).expect("read").as_deref(), Some(&b"text"[..]));
        assert_eq!(read_regular(folder.path()).expect("no file"), None);
        let why = write_regular(folder.path(), "").expect_err("a folder").to_string();
        assert!(why.contains("take it away"), "{why}");
    }
}
