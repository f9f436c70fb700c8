//! What comes of a command.

use std::fmt::Display;
use std::io;

/// Why a command was not obeyed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CommandFailure {
    /// It can't be, and has changed nothing. Carries why, in the words for the other side.
    #[error("{0}")]
    Refused(String),
    /// Nothing more can be written.
    #[error(transparent)]
    Output(#[from] io::Error),
}

/// What a command has led to.
pub(crate) type Obeyed<T = ()> = Result<T, CommandFailure>;

impl CommandFailure {
    pub(crate) fn refused(reason: impl Display) -> CommandFailure {
        CommandFailure::Refused(reason.to_string())
    }
}

/// Refuses to obey.
pub(crate) fn refuse<T>(reason: impl Display) -> Obeyed<T> {
    Err(CommandFailure::refused(reason))
}
