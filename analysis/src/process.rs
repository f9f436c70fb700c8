//! Verbs and their execution on a file of any size, line by line.

use std::io::{self, Read};
use std::num::NonZeroUsize;
use std::ops::AddAssign;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use game::epd::{Fault, Rule, Severity};
use messages::epd::{BYTE_ORDER_MARK, Blocks, FileBlock, LONGEST_READ, TextLine};

use crate::whole_files::WholeEnds;

/// The line operation of a verb. Each worker thread has its own handler.
pub trait LineHandler {
    /// Processes a line and appends its output, messages and counters to `result`.
    ///
    /// # Errors
    /// The work was interrupted.
    fn line(&mut self, line: &TextLine<'_>, result: &mut JobResult) -> Result<(), Interrupted>;

    /// Handles a line that is too long to be read. It is already counted as a record with this fault.
    fn too_long(&mut self, fault: &Fault, result: &mut JobResult) {
        result.report(fault);
    }

    /// Handles a piece of a line that is too long to be read. By default it is copied.
    fn piece(&mut self, bytes: &[u8], result: &mut JobResult) {
        result.output.extend_from_slice(bytes);
    }
}

/// The work was interrupted before a line was finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interrupted;

/// An operation on files, and the size of its jobs.
#[derive(Clone)]
pub struct Verb {
    /// Creates the handler of a worker thread; called on that thread.
    new_handler: Arc<dyn Fn() -> Box<dyn LineHandler> + Send + Sync>,
    /// Minimum size of a job in bytes; a job consists of whole lines.
    job_size: usize,
    /// Line ends of the output.
    line_ends: LineEnds,
    /// Whether NUL or CR behind LF is in the job of the line before.
    has_whole_ends: bool,
}

/// Line ends of an output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LineEnds {
    /// Those of the input, each line's own.
    #[default]
    Keep,
    /// Those of the input without NUL bytes; LF where there is nothing else.
    WithoutNul,
    /// LF, as on Linux and macOS.
    Lf,
    /// CR LF, as on Windows.
    CrLf,
}

impl LineEnds {
    /// The line end to be written for one that was read. A line without one stays so.
    fn of(self, read: &str) -> &str {
        match self {
            LineEnds::Keep => read,
            _ if read.is_empty() => read,
            LineEnds::WithoutNul => match read.trim_start_matches('\0') {
                "" => "\n",
                end => end,
            },
            LineEnds::Lf => "\n",
            LineEnds::CrLf => "\r\n",
        }
    }
}

/// Result of a job.
#[derive(Debug, Default)]
pub struct JobResult {
    /// Output that replaces the lines of the job.
    pub output: Vec<u8>,
    /// Messages about the lines, one per line.
    pub messages: Vec<u8>,
    /// Counters of the records in the job.
    pub counts: Counts,
    /// Length of the lines in the input, in bytes.
    pub length: u64,
    /// File name for messages.
    pub(crate) file: Arc<str>,
    /// Line ends of the output.
    line_ends: LineEnds,
    /// The end of lines that lack one, if they are to be followed by others; LF if empty.
    pub(crate) usual_end: Arc<str>,
}

/// Counters of records, faults and results of an analysis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Records, readable or not.
    pub records: u64,
    /// Records with errors.
    pub faulty: u64,
    /// Errors.
    pub errors: u64,
    /// Warnings.
    pub warnings: u64,
    /// Notes.
    pub notes: u64,
    /// Records in which the analyzer succeeded: analysed, mate found, or target solved.
    pub found: u64,
    /// Records in which there is no mate, or the analyzer missed the target.
    pub missed: u64,
    /// Records in which the analyzer found a mate that is perhaps not the shortest; they are found as well.
    pub bounds: u64,
    /// Records in which the analyzer reached its limit without a result.
    pub undecided: u64,
    /// Undecided records of which the analyzer told a mate that was not proven.
    pub unproven: u64,
    /// Undecided records of which the analyzer told a mate that was refuted.
    pub refuted: u64,
    /// Analysed records of which the analyzer told no score.
    pub unscored: u64,
    /// Records without a task for the analyzer.
    pub skipped: u64,
    /// Records that can't be read, are illegal, or whose analysis failed. They are not changed.
    pub failed: u64,
    /// Nodes searched, as far as analyzers report them.
    pub nodes: u64,
    /// Total time of all analyzers.
    pub time: Duration,
}

impl Verb {
    /// A verb that takes microseconds per line, and so gets large jobs.
    pub fn quick(handler: impl LineHandler + Clone + Send + Sync + 'static) -> Verb {
        Verb::new(Arc::new(move || Box::new(handler.clone())), 64 << 10)
    }

    /// A verb with other handlers and sizes of jobs, and the line ends of the input.
    pub(crate) fn new(
        new_handler: Arc<dyn Fn() -> Box<dyn LineHandler> + Send + Sync>,
        job_size: usize,
    ) -> Verb {
        Verb { new_handler, job_size, line_ends: LineEnds::Keep, has_whole_ends: false }
    }

    /// The verb with these line ends in its output.
    #[must_use]
    pub fn with_line_ends(self, line_ends: LineEnds) -> Verb {
        Verb { line_ends, ..self }
    }

    /// The verb with jobs that end with whole line ends: NUL or CR behind LF is in the job of the line before. A job waits for the next
    /// one to be read.
    #[must_use]
    pub fn with_whole_ends(self) -> Verb {
        Verb { has_whole_ends: true, ..self }
    }

    /// The verb with each of its handlers wrapped into another.
    pub(crate) fn wrapped(
        self,
        wrap: impl Fn(Box<dyn LineHandler>) -> Box<dyn LineHandler> + Send + Sync + 'static,
    ) -> Verb {
        let new_handler = self.new_handler;
        Verb { new_handler: Arc::new(move || wrap(new_handler())), ..self }
    }

    /// Applies the verb to all lines of a file but the first `skip`. `take` receives the results in the order of the lines, each
    /// as soon as it is available; of skipped lines it receives only the length.
    ///
    /// # Errors
    /// The input can't be read, threads can't be started, the work was interrupted, or `take` failed. Results that were taken
    /// before are valid.
    pub fn process(
        &self,
        pool: &WorkerPool,
        name: &str,
        input: impl Read + Send + 'static,
        skip: u64,
        take: impl FnMut(JobResult) -> io::Result<()>,
    ) -> Result<(), ProcessError> {
        let (file, new_handler): (Arc<str>, _) = (name.into(), Arc::clone(&self.new_handler));
        let line_ends = self.line_ends;
        let new_worker = move || {
            let (file, mut handler) = (Arc::clone(&file), new_handler());
            move |job: FileBlock| {
                let mut result = JobResult::new(Arc::clone(&file), line_ends);
                match &job {
                    FileBlock::Lines { bytes, .. } => {
                        result.length = bytes.len() as u64;
                        result.output.reserve(bytes.len() + bytes.len() / 8);
                        let mut lines = job.lines().filter(|line| line.number > skip);
                        lines.try_for_each(|line| handler.line(&line, &mut result)).ok()?;
                    }
                    FileBlock::TooLong { line, is_first, bytes } if *line > skip => {
                        result.length = bytes.len() as u64;
                        if *is_first {
                            let fault = too_long(*line);
                            result.counts.add_record(std::slice::from_ref(&fault));
                            handler.too_long(&fault, &mut result);
                        }
                        handler.piece(bytes, &mut result);
                    }
                    FileBlock::TooLong { bytes, .. } => result.length = bytes.len() as u64,
                }
                Some(result)
            }
        };
        let blocks = Blocks::of_size(input, self.job_size);
        if self.has_whole_ends {
            pool.run(WholeEnds::new(blocks), new_worker, take)
        } else {
            pool.run(blocks, new_worker, take)
        }
    }
}

/// Whether a record has an error of syntax, so that the parsed record may be incomplete or differ from what was meant.
pub(crate) fn is_malformed(faults: &[Fault]) -> bool {
    let is_form =
        |rule| matches!(rule, Rule::F1 | Rule::F2 | Rule::F9 | Rule::F10 | Rule::F11 | Rule::F12 | Rule::O1);
    faults.iter().any(|fault| fault.severity == Severity::Error && is_form(fault.rule))
}

pub(crate) fn too_long(line: u64) -> Fault {
    let limit = LONGEST_READ >> 20;
    let message = format!("the line is longer than {limit} MiB and stays as it is");
    Fault { line, column: 1, opcode: None, rule: Rule::F3, severity: Severity::Error, repair: None, message }
}

impl JobResult {
    /// An empty result for lines of a file.
    pub(crate) fn new(file: Arc<str>, line_ends: LineEnds) -> JobResult {
        JobResult { file, line_ends, ..JobResult::default() }
    }

    /// The end of a line that is to be followed by others; one without an end gets the usual one.
    pub(crate) fn end_between<'l>(&'l self, line: &TextLine<'l>) -> &'l str {
        if line.end.is_empty() { self.joining_end() } else { self.line_ends.of(line.end) }
    }

    /// The usual line end of the file, LF if it has none.
    pub fn joining_end(&self) -> &str {
        self.line_ends.of(if self.usual_end.is_empty() { "\n" } else { &self.usual_end })
    }

    /// A line as it is written elsewhere in a file: without a byte order mark, with its end.
    pub(crate) fn whole_line(&self, line: &TextLine<'_>) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(line.text.len() + 2);
        line.copy(line.text.trim_start_matches(BYTE_ORDER_MARK), &mut bytes);
        bytes.extend_from_slice(self.end_between(line).as_bytes());
        bytes
    }

    /// Copies a line unchanged but for its line end.
    pub(crate) fn keep(&mut self, line: &TextLine<'_>) {
        line.copy(&line.text, &mut self.output);
        self.end_line(line);
    }

    /// The same for a line that is to be followed by others.
    pub(crate) fn keep_between(&mut self, line: &TextLine<'_>) {
        line.copy(&line.text, &mut self.output);
        let end = self.end_between(line).to_owned();
        self.output.extend_from_slice(end.as_bytes());
    }

    /// Writes a text in place of a line, in its encoding and behind its byte order mark.
    pub(crate) fn replace(&mut self, line: &TextLine<'_>, text: &str) {
        if line.text.starts_with(BYTE_ORDER_MARK) {
            line.copy("\u{feff}", &mut self.output);
        }
        line.copy(text, &mut self.output);
        self.end_line(line);
    }

    /// Writes the end of a line.
    pub(crate) fn end_line(&mut self, line: &TextLine<'_>) {
        self.output.extend_from_slice(self.end_of(line).as_bytes());
    }

    /// The end that a line gets.
    pub(crate) fn end_of<'e>(&self, line: &TextLine<'e>) -> &'e str {
        self.line_ends.of(line.end)
    }

    /// Adds a message about a fault.
    pub(crate) fn report(&mut self, fault: &Fault) {
        let message = self.located(fault);
        self.messages.extend_from_slice(message.as_bytes());
    }

    /// Adds a message for each error.
    pub(crate) fn report_errors(&mut self, faults: &[Fault]) {
        faults.iter().filter(|fault| fault.severity == Severity::Error).for_each(|fault| self.report(fault));
    }

    /// A message about a fault in the format of compilers: `file:line:column: severity: message [rule]`.
    pub(crate) fn located(&self, fault: &Fault) -> String {
        format!("{}:{fault}\n", self.file)
    }
}

impl Counts {
    /// Counts a record and its faults.
    pub(crate) fn add_record(&mut self, faults: &[Fault]) {
        let count = |severity| faults.iter().filter(|fault| fault.severity == severity).count() as u64;
        self.records += 1;
        self.errors += count(Severity::Error);
        self.warnings += count(Severity::Warning);
        self.notes += count(Severity::Note);
        self.faulty += u64::from(count(Severity::Error) > 0);
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        self.records += other.records;
        self.faulty += other.faulty;
        self.errors += other.errors;
        self.warnings += other.warnings;
        self.notes += other.notes;
        self.found += other.found;
        self.missed += other.missed;
        self.bounds += other.bounds;
        self.undecided += other.undecided;
        self.unproven += other.unproven;
        self.refuted += other.refuted;
        self.unscored += other.unscored;
        self.skipped += other.skipped;
        self.failed += other.failed;
        self.nodes += other.nodes;
        self.time += other.time;
    }
}

/// Maximum number of jobs per thread between the result that is taken next and the job that is started next.
const AHEAD: usize = 16;
/// Interval at which the interrupt flag is polled while waiting for a result.
const POLL: Duration = Duration::from_millis(100);

/// Number of worker threads and their interruption.
#[derive(Clone, Debug)]
pub struct WorkerPool {
    /// Number of worker threads.
    pub threads: NonZeroUsize,
    /// Flag that ends the work when set.
    pub interrupt: Arc<AtomicBool>,
    /// Time that running jobs get to abort after an interruption. Jobs that take longer end with the process.
    pub grace: Duration,
}

/// Why the work ended before the end of the input.
#[derive(Debug, thiserror::Error)]
pub enum ProcessError {
    /// The input can't be read.
    #[error("{0}")]
    Read(#[source] io::Error),
    /// A result can't be written.
    #[error("{0}")]
    Write(#[source] io::Error),
    /// The threads can't be started.
    #[error("the threads can't be started; try fewer with --threads: {0}")]
    Thread(#[source] io::Error),
    /// The work was interrupted.
    #[error("interrupted")]
    Interrupted,
}

/// Receiver of the result of a job, or the error of reading the job.
type Pending<T> = io::Result<Receiver<T>>;

impl WorkerPool {
    /// Runs all jobs. `new_worker` is called once on each thread; its worker returns `None` for a job that it aborted because of
    /// an interruption. `take` receives the results in the order of the jobs, each as soon as it is available.
    ///
    /// # Errors
    /// The jobs can't be read, threads can't be started, the work was interrupted, or `take` failed. Results that were taken
    /// before are valid.
    pub(crate) fn run<Job, Output, Worker>(
        &self,
        jobs: impl Iterator<Item = io::Result<Job>> + Send + 'static,
        new_worker: impl Fn() -> Worker + Clone + Send + 'static,
        take: impl FnMut(Output) -> io::Result<()>,
    ) -> Result<(), ProcessError>
    where
        Job: Send + 'static,
        Output: Send + 'static,
        Worker: FnMut(Job) -> Option<Output>,
    {
        let (order, results) = mpsc::sync_channel(AHEAD * self.threads.get());
        let input = Arc::new(Mutex::new((jobs, order)));
        for _ in 0..self.threads.get() {
            let (input, interrupt) = (Arc::clone(&input), Arc::clone(&self.interrupt));
            let new_worker = new_worker.clone();
            let work = move || {
                let mut worker = new_worker();
                // A panic of another worker leaves the input in a valid state.
                let next = || next_job(&mut input.lock().unwrap_or_else(PoisonError::into_inner));
                while let Some((job, result)) = next().filter(|_| !interrupt.load(Ordering::Relaxed)) {
                    let Some(output) = worker(job) else { return };
                    // The caller may have stopped receiving.
                    let _ = result.send(output);
                }
            };
            let thread = thread::Builder::new().stack_size(search::STACK_SIZE).spawn(work);
            thread.map_err(ProcessError::Thread)?;
        }
        drop(input);
        self.collect(&results, take)
    }

    /// Passes the results to `take` in their order.
    fn collect<Output>(
        &self,
        results: &Receiver<Pending<Output>>,
        mut take: impl FnMut(Output) -> io::Result<()>,
    ) -> Result<(), ProcessError> {
        loop {
            let pending = match self.receive(results) {
                Ok(pending) => pending.map_err(ProcessError::Read)?,
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
                Err(RecvTimeoutError::Timeout) => return Err(ProcessError::Interrupted),
            };
            let Ok(output) = self.receive(&pending) else {
                let end = Instant::now() + self.grace;
                for pending in [pending].into_iter().chain(results.try_iter().flatten()) {
                    // A finished and an aborted job are both over.
                    let _ = pending.recv_timeout(end.saturating_duration_since(Instant::now()));
                }
                return Err(ProcessError::Interrupted);
            };
            take(output).map_err(ProcessError::Write)?;
        }
    }

    /// Receives the next value. A timeout means interruption.
    fn receive<T>(&self, channel: &Receiver<T>) -> Result<T, RecvTimeoutError> {
        loop {
            match channel.recv_timeout(POLL) {
                Err(RecvTimeoutError::Timeout) if !self.interrupt.load(Ordering::Relaxed) => {}
                received => return received,
            }
        }
    }
}

/// Takes the next job and the sender for its result; `None` after the last job, after an error, and if the caller has stopped
/// receiving.
fn next_job<Job, Output>(
    (jobs, order): &mut (impl Iterator<Item = io::Result<Job>>, SyncSender<Pending<Output>>),
) -> Option<(Job, SyncSender<Output>)> {
    let job = jobs.next()?;
    let (result, pending) = mpsc::sync_channel(1);
    let (job, place) = match job {
        Ok(job) => (Some(job), Ok(pending)),
        Err(error) => (None, Err(error)),
    };
    order.send(place).ok()?;
    Some((job?, result))
}
