//! Files through a verb: progress, interruption, and what is told when something fails.
//!
//! The work is interrupted between two results: what is written is whole, and a file that was to replace another is gone without
//! a trace.

use std::fs::File;
use std::io::{self, Write as _};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use analysis::{
    Counts, FileError, InputFile, JobResult, OutputFile, ProcessError, ResumeError, Resumption, Verb,
    WorkerPool,
};
use anyhow::{Result, anyhow, bail};
use clap::Args;
use game::counted;
use indicatif::ProgressBar;
use platform::signals;

use crate::{FAILED, WrongInput, progress_bar, read_threads};

/// What is read.
#[derive(Args)]
pub(super) struct InputArgs {
    /// Files of EPD records; `-`, or none, for standard input
    #[arg(id = "files", value_name = "FILE")]
    paths: Vec<PathBuf>,
    /// Number of threads; by default, one for each processor
    #[arg(long, value_name = "COUNT", value_parser = read_threads)]
    threads: Option<NonZeroUsize>,
}

/// Where the result is written: standard output by default.
#[derive(Args, Default)]
pub(super) struct OutputArgs {
    /// Write to this file
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace each file when all is done; if that fails, or the file was changed in the meantime, it is left as it is
    #[arg(long, conflicts_with = "output")]
    in_place: bool,
}

impl InputArgs {
    fn open(&self) -> Result<Vec<InputFile>> {
        let stdin = [PathBuf::from("-")];
        let paths = if self.paths.is_empty() { &stdin[..] } else { &self.paths };
        paths.iter().map(|path| InputFile::open(path).map_err(explain)).collect()
    }
}

/// Files on their way through a verb.
pub(super) struct Work {
    pool: WorkerPool,
    inputs: Vec<InputFile>,
    /// `None` where each input is to be replaced, until the first is.
    output: Option<OutputFile>,
    /// How many lines of each input an earlier run has done.
    resumption: Resumption,
    /// Whether a run with the same arguments and `--resume` could go on after an interruption.
    is_resumable: bool,
    counts: Counts,
}

impl Work {
    /// Opens all files.
    pub(super) fn new(input: &InputArgs, output: &OutputArgs) -> Result<Work> {
        let inputs = input.open()?;
        let output = match &output.output {
            _ if output.in_place => None,
            Some(path) => Some(OutputFile::create(path, &inputs).map_err(explain)?),
            None => Some(OutputFile::standard(&inputs).map_err(explain)?),
        };
        Ok(Work::with(input, inputs, output, Resumption::default()))
    }

    /// Opens all files, to go on where an earlier run has stopped; if there is no output yet, it begins anew.
    pub(super) fn resume(input: &InputArgs, output: &OutputArgs) -> Result<Work> {
        let wrong = |text: String| WrongInput::of(anyhow!(text));
        let Some(path) = &output.output else {
            return Err(wrong("--resume goes on with a file; name it with --output".to_owned()));
        };
        if input.paths.is_empty() || input.paths.iter().any(|path| path == Path::new("-")) {
            return Err(wrong("--resume reads the input twice, and so needs files".to_owned()));
        }
        let existing = match File::open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Work::new(input, output),
            existing => {
                existing.map_err(|error| wrong(format!("can't read `{}`: {error}", path.display())))?
            }
        };
        let resumption = Resumption::find(input.open()?, existing).map_err(|error| match error {
            ResumeError::Read(error) => error.into(),
            error => wrong(format!("can't go on with `{}`: {error}", path.display())),
        })?;
        let inputs = input.open()?;
        let output = OutputFile::go_on(path, resumption.length, &inputs).map_err(explain)?;
        Ok(Work::with(input, inputs, Some(output), resumption))
    }

    fn with(
        args: &InputArgs,
        inputs: Vec<InputFile>,
        output: Option<OutputFile>,
        resumption: Resumption,
    ) -> Work {
        let threads = args.threads.or_else(|| std::thread::available_parallelism().ok());
        let threads = threads.unwrap_or(NonZeroUsize::MIN);
        let pool = WorkerPool { threads, interrupt: Arc::default(), grace: Duration::ZERO };
        Work { pool, inputs, output, resumption, is_resumable: false, counts: Counts::default() }
    }

    /// Lets those who work notice the interruption by this flag, and gives them so much time to end then. The work can be
    /// gone on with by `--resume` if its output stays.
    pub(super) fn resumable(self, interrupt: Arc<AtomicBool>, grace: Duration) -> Work {
        let is_resumable = self.output.as_ref().is_some_and(OutputFile::is_resumable);
        Work { pool: WorkerPool { interrupt, grace, ..self.pool }, is_resumable, ..self }
    }

    /// How many lines were done by an earlier run.
    pub(super) fn lines_done(&self) -> u64 {
        self.resumption.lines.iter().sum()
    }

    /// Takes one file after the other through a verb.
    pub(super) fn run(mut self, verb: &Verb) -> Result<Counts> {
        signals::set_flag_then_exit(&self.pool.interrupt, FAILED.into())?;
        let (pool, inputs) = (self.pool.clone(), std::mem::take(&mut self.inputs));
        let is_in_place = self.output.is_none();
        for (number, input) in inputs.into_iter().enumerate() {
            if is_in_place {
                self.output = Some(OutputFile::in_place(&input).map_err(explain)?);
            }
            let skip = self.resumption.lines.get(number).copied().unwrap_or(0);
            let template = match input.length() {
                Some(_) => "{bar:40} {bytes}/{total_bytes}, {eta} left",
                None => "{spinner} {bytes}, {bytes_per_sec}",
            };
            let (name, progress) = (input.name.clone(), progress_bar(input.length(), template));
            let done = verb.process(&pool, &name, input, skip, |result| self.take(&result, &progress));
            progress.finish_and_clear();
            done.map_err(|error| self.failed(error, &name))?;
            if is_in_place {
                if self.counts.lost > 0 {
                    bail!("`{name}` has lines that are too long to be read; it is left as it is");
                }
                self.finish()?;
            }
        }
        self.finish()?;
        Ok(self.counts)
    }

    fn take(&mut self, result: &JobResult, progress: &ProgressBar) -> io::Result<()> {
        if let Some(output) = self.output.as_mut().filter(|_| !result.output.is_empty()) {
            progress.suspend(|| output.write(&result.output))?;
        }
        if !result.messages.is_empty() {
            // If nobody reads the messages, the work goes on all the same.
            progress.suspend(|| drop(io::stderr().write_all(&result.messages)));
        }
        progress.inc(result.length);
        self.counts += result.counts;
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        self.output.take().map_or(Ok(()), OutputFile::finish).map_err(explain)
    }

    /// Why the work has ended, how far it has come, and what there is of the output.
    fn failed(&mut self, error: ProcessError, name: &str) -> anyhow::Error {
        let output = self.output.take();
        let (reason, advice) = match (error, &output) {
            // Whoever has closed the pipe has read enough.
            (ProcessError::Write(error), Some(output))
                if output.is_standard() && error.kind() == io::ErrorKind::BrokenPipe =>
            {
                return error.into();
            }
            (ProcessError::Write(error), Some(output)) => (output.error(error).to_string(), ""),
            (ProcessError::Read(error), _) => (format!("can't read `{name}` any further: {error}"), ""),
            (error @ ProcessError::Interrupted, _) if self.is_resumable => {
                (error.to_string(), "; --resume goes on")
            }
            (error, _) => (error.to_string(), ""),
        };
        let kept = output.map_or_else(String::new, |output| format!("; {}", output.abandon()));
        anyhow!("{reason} after {}{kept}{advice}", counted(self.counts.records, "record"))
    }
}

/// What is wrong with a file, with the right exit status.
pub(super) fn explain(error: FileError) -> anyhow::Error {
    if matches!(error, FileError::Same(_)) {
        return WrongInput::of(anyhow!("{error}; --in-place replaces it when all is done"));
    }
    if error.is_wrong_input() { WrongInput::of(error) } else { error.into() }
}
