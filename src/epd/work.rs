//! Files through a verb: progress, interruption, and what is said when something fails.

use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use analysis::{Done, FileError, Input, Output, ProcessError, Tally, Verb, process};
use anyhow::{Context, Result, anyhow};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use rayon::{ThreadPool, ThreadPoolBuilder};
use signal_hook::consts::{SIGINT, SIGTERM};

use crate::{WrongInput, signals};

/// What is read.
#[derive(Args)]
pub(super) struct Files {
    /// Files of EPD records; `-`, or none, for standard input
    #[arg(id = "files", value_name = "FILE")]
    paths: Vec<PathBuf>,
    /// Number of threads; by default, one for each processor
    #[arg(long, value_name = "COUNT")]
    threads: Option<NonZeroUsize>,
}

/// Where what was done is written: standard output, if nothing is said.
#[derive(Args, Default)]
pub(super) struct Destination {
    /// Write to this file
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace each file when all is done; if that fails, it is as it was
    #[arg(long, conflicts_with = "output")]
    in_place: bool,
}

/// Files on their way through a verb.
pub(super) struct Work {
    threads: ThreadPool,
    inputs: Vec<Input>,
    is_in_place: bool,
    state: Arc<Mutex<State>>,
}

/// How far the work has come. Who holds it keeps the program from being interrupted.
struct State {
    /// None between files that are replaced.
    output: Option<Output>,
    tally: Tally,
    progress: ProgressBar,
}

impl Work {
    /// Opens all files.
    pub(super) fn new(files: &Files, destination: &Destination) -> Result<Work> {
        let threads = files.threads.or_else(|| std::thread::available_parallelism().ok());
        let threads = ThreadPoolBuilder::new().num_threads(threads.map_or(1, NonZeroUsize::get)).build();
        let threads = threads.context("the threads can't be started; try fewer with --threads")?;
        let stdin = [PathBuf::from("-")];
        let paths = if files.paths.is_empty() { &stdin[..] } else { &files.paths };
        let inputs: Result<Vec<Input>, FileError> =
            paths.iter().map(|path| Input::open(Path::new(path))).collect();
        let inputs = inputs.map_err(explain)?;
        let output = match &destination.output {
            _ if destination.in_place => None,
            Some(path) => Some(Output::create(path, &inputs).map_err(explain)?),
            None => Some(Output::standard(&inputs).map_err(explain)?),
        };
        let state = State { output, tally: Tally::default(), progress: ProgressBar::hidden() };
        Ok(Work { threads, inputs, is_in_place: destination.in_place, state: Arc::new(Mutex::new(state)) })
    }

    /// Does the work, and counts it. `verb` makes the verb for a file of that name.
    pub(super) fn run<V: Verb>(self, verb: impl Fn(&str) -> Result<V>) -> Result<Tally> {
        let Work { threads, inputs, is_in_place, state } = self;
        let at_signal = Arc::clone(&state);
        signals::end_with(&[SIGINT, SIGTERM], move || {
            let mut state = lock(&at_signal);
            let status = state.interrupted();
            // Nothing more is to happen before the program ends.
            std::mem::forget(state);
            status
        })?;
        for input in inputs {
            let progress = progress_bar(input.length());
            {
                let mut state = lock(&state);
                state.progress = progress.clone();
                if is_in_place {
                    state.output = Some(Output::in_place(&input).map_err(explain)?);
                }
            }
            let name = input.name().to_owned();
            let verb = verb(&name)?;
            let input = progress.wrap_read(input);
            let done = threads.install(|| process(input, &verb, |done| lock(&state).take(&done)));
            progress.finish_and_clear();
            let mut state = lock(&state);
            done.map_err(|error| state.failed(error, &name))?;
            if is_in_place {
                state.finish()?;
            }
        }
        let mut state = lock(&state);
        state.finish()?;
        Ok(state.tally)
    }
}

/// A thread that panicked has left nothing behind that could be wrong.
fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl State {
    fn take(&mut self, done: &Done) -> io::Result<()> {
        let State { output, progress, tally } = self;
        if let Some(output) = output.as_mut().filter(|_| !done.output.is_empty()) {
            progress.suspend(|| output.write(&done.output))?;
        }
        if !done.messages.is_empty() {
            // Who can't be told any more goes on all the same.
            progress.suspend(|| drop(io::Write::write_all(&mut io::stderr(), &done.messages)));
        }
        *tally += done.tally;
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        self.output.take().map_or(Ok(()), Output::finish).map_err(explain)
    }

    /// Breaks off, and says what there is. Returns the exit status.
    fn interrupted(&mut self) -> i32 {
        self.progress.finish_and_clear();
        let kept = self.output.take().map(Output::abandon);
        let kept = kept.map_or_else(String::new, |kept| format!("; {kept}"));
        eprintln!("herald: interrupted after {} records{kept}", self.tally.records);
        i32::from(crate::FAILED)
    }

    fn failed(&mut self, error: ProcessError, name: &str) -> anyhow::Error {
        let output = self.output.take();
        match (error, output) {
            // Who no longer listens has got what they wanted.
            (ProcessError::Write(error), Some(Output::Standard))
                if error.kind() == io::ErrorKind::BrokenPipe =>
            {
                error.into()
            }
            (ProcessError::Write(error), Some(output)) => {
                let error = output.error(error);
                anyhow!("{error}; after {} records; {}", self.tally.records, output.abandon())
            }
            (ProcessError::Write(error), None) => error.into(),
            (ProcessError::Read(error), output) => {
                let kept = output.map_or_else(String::new, |output| format!("; {}", output.abandon()));
                anyhow!(
                    "can't read `{name}` any further: {error}; after {} records{kept}",
                    self.tally.records
                )
            }
        }
    }
}

fn explain(error: FileError) -> anyhow::Error {
    if error.is_wrong_input() { anyhow!(WrongInput).context(error) } else { error.into() }
}

/// Shown on a terminal only.
fn progress_bar(length: Option<u64>) -> ProgressBar {
    let (bar, template) = match length {
        Some(length) => (ProgressBar::new(length), "{bar:40} {bytes}/{total_bytes}, {eta} left"),
        None => (ProgressBar::no_length(), "{spinner} {bytes}, {bytes_per_sec}"),
    };
    let style = ProgressStyle::with_template(template);
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
