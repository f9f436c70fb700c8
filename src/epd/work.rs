//! Files through a verb: progress, interruption, and what is said when something fails.

use std::fs::File;
use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use analysis::{
    Desk, Done, Examined, FileError, Input, Output, ProcessError, ResumeError, Resumption, Summary, Tally,
    Verb, process,
};
use anyhow::{Context, Result, anyhow};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use platform::signals;
use rayon::ThreadPoolBuilder;

use crate::WrongInput;

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

impl Files {
    /// The number of threads.
    pub(super) fn threads(&self) -> NonZeroUsize {
        let threads = self.threads.or_else(|| std::thread::available_parallelism().ok());
        threads.unwrap_or(NonZeroUsize::MIN)
    }

    fn open(&self) -> Result<Vec<Input>> {
        let stdin = [PathBuf::from("-")];
        let paths = if self.paths.is_empty() { &stdin[..] } else { &self.paths };
        let inputs: Result<Vec<Input>, FileError> =
            paths.iter().map(|path| Input::open(Path::new(path))).collect();
        inputs.map_err(explain)
    }
}

/// Files on their way through a verb.
pub(super) struct Work {
    threads: NonZeroUsize,
    inputs: Vec<Input>,
    /// How many lines of each are done already.
    resumption: Resumption,
    is_in_place: bool,
    state: Arc<Mutex<State>>,
}

/// How far the work has come. Who holds it keeps the program from being interrupted.
struct State {
    /// None between files that are replaced.
    output: Option<Output>,
    tally: Tally,
    summary: Summary,
    progress: ProgressBar,
    /// What can be done after an interruption.
    advice: &'static str,
}

impl Work {
    /// Opens all files.
    pub(super) fn new(files: &Files, destination: &Destination) -> Result<Work> {
        let inputs = files.open()?;
        let output = match &destination.output {
            _ if destination.in_place => None,
            Some(path) => Some(Output::create(path, &inputs).map_err(explain)?),
            None => Some(Output::standard(&inputs).map_err(explain)?),
        };
        Ok(Work::with(files, inputs, output, destination.in_place))
    }

    /// Opens all files, to go on where an interrupted run has stopped. If there is no output yet, it begins anew.
    pub(super) fn resume(files: &Files, destination: &Destination) -> Result<Work> {
        let wrong = |text: String| anyhow!(WrongInput).context(text);
        let Some(path) = &destination.output else {
            return Err(wrong("--resume goes on with a file; name it with --output".to_owned()));
        };
        if files.paths.is_empty() || files.paths.iter().any(|path| path == Path::new("-")) {
            return Err(wrong("--resume reads the input twice, and so needs files".to_owned()));
        }
        let existing = match File::open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Work::new(files, destination),
            existing => {
                existing.map_err(|error| wrong(format!("can't read `{}`: {error}", path.display())))?
            }
        };
        let resumption = Resumption::find(files.open()?, existing).map_err(|error| match error {
            ResumeError::Read(error) => error.into(),
            error => wrong(format!("can't go on with `{}`: {error}", path.display())),
        })?;
        let inputs = files.open()?;
        let output = Output::go_on(path, resumption.length, &inputs).map_err(explain)?;
        Ok(Work { resumption, ..Work::with(files, inputs, Some(output), false) })
    }

    fn with(files: &Files, inputs: Vec<Input>, output: Option<Output>, is_in_place: bool) -> Work {
        let state = State {
            output,
            tally: Tally::default(),
            summary: Summary::default(),
            progress: ProgressBar::hidden(),
            advice: "",
        };
        let (threads, resumption) = (files.threads(), Resumption::default());
        Work { threads, inputs, resumption, is_in_place, state: Arc::new(Mutex::new(state)) }
    }

    /// How many lines were done by an earlier run.
    pub(super) fn lines_done(&self) -> u64 {
        self.resumption.lines.iter().sum()
    }

    /// Does the work, and counts it. `verb` makes the verb for a file of that name.
    pub(super) fn run<V: Verb>(self, verb: impl Fn(&str) -> Result<V>) -> Result<Tally> {
        let threads = ThreadPoolBuilder::new().num_threads(self.threads.get()).build();
        let threads = threads.context("the threads can't be started; try fewer with --threads")?;
        let state = Arc::clone(&self.state);
        let take = |done: Done| lock(&state).take(&done);
        self.each(
            || {},
            |input, name, _, progress| {
                let verb = verb(name)?;
                let input = progress.wrap_read(input);
                Ok(threads.install(|| process(input, &verb, take)))
            },
        )?;
        Ok(lock(&state).tally)
    }

    /// Lays the records before those who think, and sums up. When it is interrupted, `send_away` ends what would not end
    /// with this program.
    pub(super) fn study(self, desk: &Desk<'_>, send_away: impl FnOnce() + Send + 'static) -> Result<Summary> {
        let state = Arc::clone(&self.state);
        {
            let mut state = lock(&state);
            if let Some(Output::File { .. }) = state.output {
                state.advice = "; --resume goes on";
            }
        }
        let take = |examined: Examined| lock(&state).take_examined(&examined);
        self.each(send_away, |input, name, skip, _| Ok(desk.work(name, input, skip, take)))?;
        Ok(lock(&state).summary)
    }

    /// Takes one file after the other `through` a verb: the file, its name, the number of lines that are done already, and
    /// the progress.
    fn each(
        self,
        clean_up: impl FnOnce() + Send + 'static,
        through: impl Fn(Input, &str, u64, &ProgressBar) -> Result<Result<(), ProcessError>>,
    ) -> Result<()> {
        let Work { inputs, resumption, is_in_place, state, .. } = self;
        let at_signal = Arc::clone(&state);
        signals::exit_at(&signals::ALL, move || {
            let mut state = lock(&at_signal);
            let status = state.interrupted();
            // Nothing more is to happen before the program ends.
            std::mem::forget(state);
            clean_up();
            status
        })?;
        let skipped = resumption.lines.into_iter().chain(std::iter::repeat(0));
        for (input, skip) in inputs.into_iter().zip(skipped) {
            let progress = progress_bar(input.length());
            {
                let mut state = lock(&state);
                state.progress = progress.clone();
                if is_in_place {
                    state.output = Some(Output::in_place(&input).map_err(explain)?);
                }
            }
            let name = input.name().to_owned();
            let done = through(input, &name, skip, &progress)?;
            progress.finish_and_clear();
            let mut state = lock(&state);
            done.map_err(|error| state.failed(error, &name))?;
            if is_in_place {
                state.finish()?;
            }
        }
        lock(&state).finish()
    }
}

/// A thread that panicked has left nothing behind that could be wrong.
fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl State {
    fn take(&mut self, done: &Done) -> io::Result<()> {
        let State { output, progress, tally, .. } = self;
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

    fn take_examined(&mut self, examined: &Examined) -> io::Result<()> {
        self.take(&examined.done)?;
        self.progress.inc(examined.length);
        self.summary += examined.summary;
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
        eprintln!("herald: interrupted after {} records{kept}{}", self.tally.records, self.advice);
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
            (ProcessError::Write(error), None) | (ProcessError::Thread(error), _) => error.into(),
            (error @ ProcessError::CalledOff, _) => error.into(),
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

/// What is wrong with a file, with the right exit status.
pub(super) fn explain(error: FileError) -> anyhow::Error {
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
