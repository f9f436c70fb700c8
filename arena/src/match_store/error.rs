//! What can be wrong with the files of a match.

use std::io;
use std::path::PathBuf;

/// An error of the files of a match.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The operating system reports an error.
    #[error("{path} cannot be {action}: {error}")]
    Io {
        /// Path of the file.
        path: PathBuf,
        /// The failed action: `opened`, `read`, `written`.
        action: &'static str,
        /// Error reported by the operating system.
        error: io::Error,
    },
    /// Another match is using the file.
    #[error("{0} is in use by another match")]
    InUse(PathBuf),
    /// The file is no state of a match and is not overwritten.
    #[error("{0} is not the state of a match; name a new file, or one that a match has written")]
    Foreign(PathBuf),
    /// The state cannot be kept there, because it is a device or a folder.
    #[error("{0} is no file from which a match can go on; name a new file, or one that a match has written")]
    NotStored(PathBuf),
    /// Somebody removed or changed the file while the match was played.
    #[error(
        "{path} is not as the match left it ({reason}); the last game is not stored, and the match stops here"
    )]
    Lost {
        /// Path of the file.
        path: PathBuf,
        /// The difference.
        reason: String,
    },
    /// The file for games or positions has something else and is not appended to.
    #[error("{path} has no {kind} at its beginning; name a new file, or one of {kind}")]
    OtherKind {
        /// Path of the file.
        path: PathBuf,
        /// What was expected.
        kind: &'static str,
    },
    /// A line of the state is damaged.
    #[error("{path}, line {line}: {reason}; the match cannot go on from this state")]
    Damaged {
        /// Path of the file.
        path: PathBuf,
        /// Number of the line, from 1.
        line: u64,
        /// What is wrong with the line.
        reason: String,
    },
    /// The match was begun with other settings.
    #[error(
        "{path} belongs to a match with other settings: {setting} was {before}, now {now}; \
         use the same settings, or another state file"
    )]
    OtherSettings {
        /// Path of the file.
        path: PathBuf,
        /// Name of the first setting that differs.
        setting: String,
        /// Value with which the match was begun.
        before: String,
        /// Present value.
        now: String,
    },
    /// The file of games or positions was modified since the match wrote it.
    #[error("{path} is not as the match left it ({reason}); put it back, or begin anew with other files")]
    ChangedOutput {
        /// Path of the file.
        path: PathBuf,
        /// The difference.
        reason: String,
    },
}
