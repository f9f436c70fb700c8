//! Unix: Linux, macOS and others.

#[cfg_attr(not(target_os = "linux"), path = "../no_affinity.rs")]
pub mod affinity;
mod files;
mod mark;
mod pipe;
mod process;
pub(crate) mod signals;
pub mod terminal;
mod watchdog;

pub use files::{
    FileId, give_owner, name_count, output_is_null, raise_file_limit, standard_input, standard_output,
};
pub use pipe::{Bell, PipeReader, PipeWriter, Ringer, Source, bell, wait};
pub use process::Process;
