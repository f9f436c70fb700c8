//! EPD files at work, a verb of the EPD specification (7) a file.
//!
//! Those that need no engine are a [`Verb`], which [`process`] applies to all lines of a file, on several threads, in the
//! order of the file and in little memory. Those for which somebody has to think are a [`Study`]: a [`Desk`] lays out the
//! records of a file before several [`Thinker`]s, Herald itself or other programs, one on each thread, and [`Resumption`]
//! finds out how far an interrupted run has come. A [`report`] says what came of the suites that were solved.

mod analyze;
mod check;
mod entries;
mod files;
mod mate;
mod normalize;
mod outcome;
mod purge;
pub mod report;
mod resume;
mod solution;
mod stream;
mod study;
mod target;
#[cfg(test)]
mod tests;
mod thinker;
#[cfg(test)]
mod thinking_tests;

pub use analyze::Analyze;
pub use check::{Check, Format};
pub use files::{FileError, Input, Output};
pub use mate::{FindMates, Length};
pub use normalize::Normalize;
pub use outcome::{Cost, Outcome};
pub use purge::{InvalidOpcode, Purge};
pub use resume::{ResumeError, Resumption};
pub use stream::{Done, ProcessError, Tally, Verb, process};
pub use study::{Desk, Examined, Studied, Study, Summary, Verdict};
pub use target::Target;
pub use thinker::{Effort, Herald, Insight, MateSearch, Program, ThinkError, Thinker, Watch};
