//! The result of a command.

use std::fmt::Display;
use std::io;

/// Why a command was not obeyed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CommandFailure {
    /// It can't be, and has changed nothing. Carries the reason, for the error message.
    #[error("{0}")]
    Refused(String),
    /// Nothing more can be written.
    #[error(transparent)]
    Output(#[from] io::Error),
}

/// The result of a command.
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
