//! A program whose processes are all killed with it.

use std::io;
use std::os::windows::io::AsRawHandle as _;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Mutex, PoisonError};

use wait4::Wait4;
use win32job::{ExtendedLimitInfo, Job};

use super::pipe::{PipeReader, PipeWriter};
use crate::usage::{self, Usage};
use crate::{Pipes, Resources};

/// A running program in a job of its own, with all that it starts. Dropping the value kills all of them, and so does the end of this
/// process, whichever way it ends: the system closes the job with its last handle.
pub struct Process {
    /// `None` once it was waited for.
    child: Option<Mutex<Child>>,
    /// `None` once it was killed.
    job: Mutex<Option<Job>>,
}

impl Process {
    /// Starts a program, with pipes for its input and output.
    ///
    /// # Errors
    /// The program is missing or not executable, or the system has no more processes or handles.
    pub fn start(command: &mut Command) -> io::Result<(Process, Pipes)> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let job = Job::create_with_limit_info(ExtendedLimitInfo::new().limit_kill_on_job_close())
            .map_err(io::Error::other)?;
        let mut child = command.spawn()?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let assigned = job.assign_process(child.as_raw_handle() as isize);
        let process = Process { child: Some(Mutex::new(child)), job: Mutex::new(Some(job)) };
        // A program that has ended already can't be assigned, and needs no job.
        if let Err(error) = assigned
            && process.ended().is_none()
        {
            process.kill();
            return Err(io::Error::other(error));
        }
        let (Some(input), Some(output), Some(error)) = pipes else {
            return Err(io::Error::other("no pipes"));
        };
        let (output, error) = (PipeReader::new(output)?, PipeReader::new(error)?);
        Ok((process, Pipes { input: PipeWriter::new(input)?, output, error }))
    }

    /// Exit status of the program, if it has ended.
    pub fn ended(&self) -> Option<ExitStatus> {
        let child = self.child.as_ref()?;
        child.lock().unwrap_or_else(PoisonError::into_inner).try_wait().ok().flatten()
    }

    /// Does nothing: Windows can't interrupt a program that has no console of its own.
    pub fn interrupt(&self) {}

    /// Kills the program: Windows can't ask one without windows to end.
    pub fn terminate(&self) {
        self.kill();
    }

    /// Does nothing: Windows doesn't stop programs for others.
    pub fn stand_still(&self, _still: bool) {}

    /// Returns what the program and its descendants have used until now; `None` if the system doesn't tell.
    pub fn usage(&self) -> Option<Usage> {
        Usage::of(&self.family())
    }

    /// Returns the memory in use of the program and its descendants, in bytes; `None` if the system doesn't tell.
    pub fn memory(&self) -> Option<u64> {
        usage::memory_of(&self.family())
    }

    /// The numbers of the program's processes.
    fn family(&self) -> Vec<u32> {
        let job = self.job.lock().unwrap_or_else(PoisonError::into_inner);
        let numbers = job.as_ref().and_then(|job| job.query_process_id_list().ok()).unwrap_or_default();
        numbers.into_iter().filter_map(|number| number.try_into().ok()).collect()
    }

    /// Kills all processes that the program has started, and itself.
    pub fn kill(&self) {
        // Closing its last handle ends the job.
        self.job.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(child) = &self.child {
            // It is in the job, unless it could not be assigned; or it has ended.
            let _ = child.lock().unwrap_or_else(PoisonError::into_inner).kill();
        }
    }

    /// Kills what is left of it and returns the program's exit status and resources; `None` if the system call fails.
    pub fn finish(mut self) -> Option<(ExitStatus, Resources)> {
        // A program that has ended by itself keeps its status.
        self.kill();
        let child = self.child.take()?.into_inner().unwrap_or_else(PoisonError::into_inner);
        let used = child.wait4().ok()?;
        let resources =
            Resources { cpu: used.rusage.utime + used.rusage.stime, peak_memory: used.rusage.maxrss };
        Some((used.status, resources))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if self.child.is_some() {
            self.kill();
        }
    }
}
