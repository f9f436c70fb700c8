//! `OUTPUT.provenance`: how an output is made that is not complete yet, so that `--resume` continues no other work.

use std::path::{Path, PathBuf};
use std::{fs, io};

use anyhow::{Context as _, Result, anyhow};

use crate::WrongInput;

/// The file beside an output. It is there from the beginning of the work to its end.
pub(super) struct ProvenanceFile {
    path: PathBuf,
    provenance: String,
}

impl ProvenanceFile {
    /// The file beside `output` for work by `provenance`: verb, program, settings, limit and condition. `None` beside a device or pipe,
    /// where nothing can be resumed.
    pub(super) fn beside(output: &Path, provenance: &str) -> Option<ProvenanceFile> {
        let mut path = output.as_os_str().to_owned();
        path.push(".provenance");
        let is_file = fs::metadata(output).map_or(true, |about| about.is_file());
        is_file.then(|| ProvenanceFile { path: path.into(), provenance: provenance.to_owned() })
    }

    /// Refuses to continue work that was begun by another provenance. `is_signed`: whether a record of the output says that it was
    /// this one, which counts where the file has been lost.
    ///
    /// # Errors
    /// It was another one, nothing says which, or the file can't be read.
    pub(super) fn check(&self, is_signed: bool) -> Result<()> {
        let shown = self.path.display();
        let before = match fs::read_to_string(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && is_signed => return Ok(()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let message = "can't resume: nothing says how the output was made";
                return Err(WrongInput::of(anyhow!("{message}; `{shown}` is missing")));
            }
            before => before.with_context(|| format!("can't read `{shown}`")).map_err(WrongInput::of)?,
        };
        let (before, now) = (before.trim_end(), &self.provenance);
        if before == now {
            return Ok(());
        }
        let before = game::excerpt(before);
        Err(WrongInput::of(anyhow!("can't resume: `{shown}` says `{before}`; this is `{now}`")))
    }

    /// Writes the file.
    ///
    /// # Errors
    /// It can't be written.
    pub(super) fn write(&self) -> Result<()> {
        let text = format!("{}\n", self.provenance);
        fs::write(&self.path, text).with_context(|| format!("can't write `{}`", self.path.display()))
    }

    /// Removes the file, as the output is complete.
    pub(super) fn remove(&self) {
        // A file that is left hinders nobody but who resumes another run.
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_continued_by_the_same_provenance_only() {
        let folder = tempfile::tempdir().expect("a folder");
        let output = folder.path().join("analysed.epd");
        let beside = |provenance: &str| ProvenanceFile::beside(&output, provenance).expect("no device");
        let refused = beside("mate in 2").check(false).expect_err("nothing says it").to_string();
        assert!(refused.contains("is missing"), "{refused}");
        assert!(beside("mate in 2").check(true).is_ok());
        beside("mate in 2").write().expect("written");
        let refused = beside("mate in 3").check(true).expect_err("another").to_string();
        assert!(refused.contains("says `mate in 2`; this is `mate in 3`"), "{refused}");
        assert!(beside("mate in 2").check(false).is_ok());
        beside("mate in 2").remove();
        assert!(!folder.path().join("analysed.epd.provenance").exists());
        assert!(ProvenanceFile::beside(Path::new("/dev/null"), "x").is_none());
    }
}
