//! Files that somebody else may have replaced: by a pipe that blocks who opens it, by a device that never ends, by a folder. Only
//! regular files are opened. They are read behind links, but never written behind one: that may be a file of somebody else.

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

/// Opens a regular file for writing, or makes it. A link in its place is taken away, and what it leads to stays as it is.
///
/// # Errors
/// There is something else, or the file can't be opened. The text names it.
pub(super) fn create_regular(path: &Path) -> io::Result<File> {
    if fs::symlink_metadata(path).is_ok_and(|about| about.is_symlink()) {
        fs::remove_file(path).map_err(|error| named(path, &error))?;
    }
    if is_regular(path)? == Some(false) {
        let text = format!("{} is no file, but a folder, pipe or device: take it away", path.display());
        return Err(io::Error::new(ErrorKind::InvalidInput, text));
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

    #[cfg(unix)]
    #[test]
    fn nothing_is_written_behind_a_link() {
        let folder = tempfile::tempdir().expect("a folder");
        let [other, link] = ["other", "link"].map(|name| folder.path().join(name));
        fs::write(&other, "of somebody else").expect("written");
        for target in [other.as_path(), Path::new("nothing"), folder.path()] {
            std::os::unix::fs::symlink(target, &link).expect("a link");
            write_regular(&link, "ours").expect("written");
            assert!(!link.is_symlink() && fs::read(&link).is_ok_and(|bytes| bytes == b"ours"));
            fs::remove_file(&link).expect("removed");
        }
        assert_eq!(fs::read_to_string(&other).expect("there"), "of somebody else");
        assert!(!folder.path().join("nothing").exists());
    }
}
