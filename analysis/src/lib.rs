//! EPD files at work: the verbs of the EPD specification (7).
//!
//! A [`Verb`] is what is done to each line of a file. [`Verb::process`] shares the lines out to a [`WorkerPool`] as jobs; each has
//! a [`JobResult`], and these come in the order of the file and in little memory. Quick verbs ([`Normalize`], [`Purge`],
//! [`CheckRecords`]) take many lines as one job. An [`AnalysisJob`] ([`Analyze`], [`FindMates`], [`Target`]) takes one record at a
//! time and has an [`Analyzer`] on each thread: Herald itself or another program. [`Resumption`] finds out how far an
//! interrupted run has come. A [`report`] tells what came of the suites that were solved.

#[cfg(test)]
mod analysis_tests;
mod analyzer;
mod check;
mod files;
mod jobs;
mod key_moves;
mod normalize;
mod pool;
mod process;
mod purge;
mod record_analysis;
pub mod report;
mod resume;
mod target_result;
#[cfg(test)]
mod tests;

pub use analyzer::{
    AnalysisError, AnalysisListener, AnalysisResult, Analyzer, Herald, PositionAnalysis, ProgramAnalyzer,
};
pub use check::CheckRecords;
pub use files::{FileError, InputFile, OutputFile, refuse_overwriting};
pub use jobs::{AnalysisJob, Analyze, FindMates, Target};
pub use normalize::Normalize;
pub use pool::{ProcessError, WorkerPool};
pub use process::{Counts, Interrupted, JobResult, LineHandler, Verb};
pub use purge::{InvalidOpcode, Purge};
pub use record_analysis::AnalyzerFactory;
pub use resume::{ResumeError, Resumption};
pub use target_result::{Cost, TargetResult};
