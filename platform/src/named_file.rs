//! What a path names, to find two paths of one file.

use std::path::{self, Path, PathBuf};

use crate::FileId;

/// The file that a path names. Equal for all names of a file, as far as the system tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NamedFile {
    /// It exists, and is a regular file.
    There(FileId),
    /// It is still to be made: here, in a folder whose path has no links and no `..`.
    Missing(PathBuf),
}

impl NamedFile {
    /// Returns the file of a path; `None` for what several may share, as a device, and for a file in a folder that is missing.
    pub fn at(path: &Path) -> Option<NamedFile> {
        if path.exists() {
            return FileId::at(path).map(NamedFile::There);
        }
        let path = path::absolute(path).ok()?;
        let folder = path.parent()?.canonicalize().ok()?;
        Some(NamedFile::Missing(folder.join(path.file_name()?)))
    }
}

/// Finds the first file that has two roles, such as two outputs, and returns both roles.
pub fn find_named_twice<'a>(
    files: impl IntoIterator<Item = (&'a str, &'a Path)>,
) -> Option<(&'a str, &'a str)> {
    let mut known = Vec::new();
    for (role, path) in files {
        let Some(file) = NamedFile::at(path) else { continue };
        if let Some(&(other, _)) = known.iter().find(|(_, earlier)| *earlier == file) {
            return Some((other, role));
        }
        known.push((role, file));
    }
    None
}
