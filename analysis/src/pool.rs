//! A pool of worker threads: jobs in, results out in the order of the jobs.
//!
//! Workers take jobs from the shared input. For each job a channel for its result is put into a bounded queue, which the caller
//! empties. So results arrive in the order of the jobs, and no worker gets far ahead of the result that is taken next. Workers
//! exit at the end of the input.
//!
//! An interruption is a flag. Once it is set, workers take no further job and abort long ones. A worker may be blocked in a read
//! that can't be interrupted, such as that of a terminal; it is abandoned and ends with the process.

use std::io;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

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
