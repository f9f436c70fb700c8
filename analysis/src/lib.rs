//! Processing of EPD files: the verbs of the EPD specification (7).
//!
//! A [`Verb`] is an operation on each line of a file. [`Verb::process`] distributes the lines to a [`WorkerPool`] as jobs. Each
//! job has a [`JobResult`]; results are delivered in the order of the file, and memory use is bounded. Quick verbs
//! ([`Normalize`], [`Purge`], [`CheckRecords`]) process many lines per job. An [`AnalysisJob`] ([`Analyze`], [`FindMates`],
//! [`Target`]) processes one record per job with an [`Analyzer`] on each thread: Herald itself or another program. [`Resumption`]
//! finds the point at which an interrupted run stopped. A [`report`] summarises the results of solved suites.

#[cfg(test)]
mod analysis_tests;
mod analyzer;
pub mod annotate;
pub mod expressions;
mod files;
mod foreign;
pub mod games;
mod jobs;
#[cfg(test)]
mod lossless_tests;
mod process;
pub mod report;
mod selection;
mod target_result;
#[cfg(test)]
mod tests;
mod verbs;
pub mod whole_files;

pub use analyzer::{
    AnalysisError, AnalysisListener, AnalysisResult, Analyzer, Herald, MateSearch, MateVerdict, OtherLine,
    PositionAnalysis, ProgramAnalyzer,
};
pub use files::{FileError, InputFile, OutputFile, ResumeError, Resumption, refuse_overwriting};
pub use jobs::{AnalysisJob, Analyze, AnalyzerFactory, FindMates, Target};
pub use process::{Counts, Interrupted, JobResult, LineEnds, LineHandler, ProcessError, Verb, WorkerPool};
pub use selection::{Select, SelectedRecords, SetOperations, Unmatched};
pub use target_result::{Cost, TargetResult};
pub use verbs::{CheckRecords, InvalidOpcode, Normalize, NormalizeOutput, Purge};
