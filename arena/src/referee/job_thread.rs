//! A thread that works off a queue of jobs.

use std::io;
use std::sync::mpsc::{self, Sender};
use std::thread::{self, JoinHandle};

/// Handle of a job thread. The thread ends with the first job that fails. Dropping the handle waits until all jobs are
/// done.
pub(super) struct JobThread<J, E> {
    jobs: Option<Sender<J>>,
    thread: Option<JoinHandle<Result<(), E>>>,
}

impl<J: Send + 'static, E: Send + 'static> JobThread<J, E> {
    pub(super) fn start(
        name: &str,
        mut work: impl FnMut(J) -> Result<(), E> + Send + 'static,
    ) -> io::Result<JobThread<J, E>> {
        let (jobs, queue) = mpsc::channel();
        let thread = thread::Builder::new().name(name.to_owned());
        let thread = thread.spawn(move || queue.into_iter().try_for_each(&mut work))?;
        Ok(JobThread { jobs: Some(jobs), thread: Some(thread) })
    }

    /// Adds a job. Failures are reported by [`JobThread::check`] only.
    pub(super) fn add(&self, job: J) {
        let _ = self.jobs.as_ref().map(|jobs| jobs.send(job));
    }

    /// Returns the error of the job that failed, once.
    pub(super) fn check(&mut self) -> Result<(), E> {
        // The panic handler has already printed the message.
        self.thread
            .take_if(|thread| thread.is_finished())
            .and_then(|thread| thread.join().ok())
            .unwrap_or(Ok(()))
    }
}

impl<J, E> Drop for JobThread<J, E> {
    fn drop(&mut self) {
        self.jobs = None;
        let _ = self.thread.take().map(JoinHandle::join);
    }
}
