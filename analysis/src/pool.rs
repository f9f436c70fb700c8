//! A pool of worker threads: jobs in, results out in the order of the jobs.
//!
//! The workers take jobs from the input in turn. Each job leaves a channel for its result in a bounded queue, which the caller
//! empties: so results come in the order of the jobs, and no worker gets far ahead of the result that is taken next. At the end
//! of the input the workers end.
//!
//! An interruption is a flag. Workers take no further job once it is set, and give up a job that would take long. A worker may be
//! blocked in a read that nothing can end, such as that of a terminal; it is left behind and ends with the process.

use std::io;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How many jobs for each thread may be waiting, in work or done before the result that is taken next.
const AHEAD: usize = 16;
/// How often the flag of the interruption is read while a result is waited for.
const POLL: Duration = Duration::from_millis(100);

/// How many threads work, and how they are interrupted.
#[derive(Clone, Debug)]
pub struct WorkerPool {
    /// The number of worker threads.
    pub threads: NonZeroUsize,
    /// Set to end the work.
    pub interrupt: Arc<AtomicBool>,
    /// How long jobs in work may take to give up after the interruption. Those that have not given up then end with the
    /// process.
    pub grace: Duration,
}

/// Why the work ended before the end of the input.
#[derive(Debug, thiserror::Error)]
pub enum ProcessError {
    /// The input can't be read any further.
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

/// What waits for the result of a job.
type Pending<T> = io::Result<Receiver<T>>;

impl WorkerPool {
    /// Does all jobs. `new_worker` is called once on each thread; its worker returns `None` for a job that it gave up after the
    /// interruption. `take` gets the results in the order of the jobs, each as soon as it and those before are there.
    ///
    /// # Errors
    /// The jobs can't be read, threads can't be started, the work was interrupted, or `take` failed. What was taken before is
    /// right.
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
                // A thread that panicked leaves the input as it was.
                let next = || next_job(&mut input.lock().unwrap_or_else(PoisonError::into_inner));
                while let Some((job, result)) = next().filter(|_| !interrupt.load(Ordering::Relaxed)) {
                    let Some(output) = worker(job) else { return };
                    // The caller may have ended early.
                    let _ = result.send(output);
                }
            };
            let thread = thread::Builder::new().stack_size(search::STACK_SIZE).spawn(work);
            thread.map_err(ProcessError::Thread)?;
        }
        drop(input);
        self.collect(&results, take)
    }

    /// Takes the results as they come.
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
                    // Whether it was done or given up: it is over.
                    let _ = pending.recv_timeout(end.saturating_duration_since(Instant::now()));
                }
                return Err(ProcessError::Interrupted);
            };
            take(output).map_err(ProcessError::Write)?;
        }
    }

    /// What arrives next; a time-out is the interruption.
    fn receive<T>(&self, channel: &Receiver<T>) -> Result<T, RecvTimeoutError> {
        loop {
            match channel.recv_timeout(POLL) {
                Err(RecvTimeoutError::Timeout) if !self.interrupt.load(Ordering::Relaxed) => {}
                received => return received,
            }
        }
    }
}

/// The next job, and where its result goes; `None` after the last one, after an error, and if the caller has ended early.
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
