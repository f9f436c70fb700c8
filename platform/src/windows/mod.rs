//! Windows. The modules have the names and the public items of those for Unix.

#[path = "../no_affinity.rs"]
pub mod affinity;
mod files;
mod pipe;
mod process;
pub(crate) mod signals;
pub mod terminal;
mod watch;

pub use files::{
    FileId, give_owner, name_count, output_is_null, raise_file_limit, standard_input, standard_output,
};
pub use pipe::{Bell, PipeReader, PipeWriter, Ringer, bell};
pub use process::Process;
pub use watch::{Source, wait};
