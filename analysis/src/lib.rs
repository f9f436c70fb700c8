//! EPD files at work. Each verb of the EPD specification (7) that needs no engine is a [`Verb`], which [`process`] applies to
//! all lines of a file, on several threads, in the order of the file and in little memory.

mod check;
mod files;
mod normalize;
mod purge;
mod stream;
#[cfg(test)]
mod tests;

pub use check::{Check, Format};
pub use files::{FileError, Input, Output};
pub use normalize::Normalize;
pub use purge::{InvalidOpcode, Purge};
pub use stream::{Done, ProcessError, Tally, Verb, process};
