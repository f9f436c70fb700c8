//! A program whose processes are all killed with it.

use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions};
use wait4::Wait4;

use super::mark::{self, Mark};
use super::pipe::{PipeReader, PipeWriter};
use super::watchdog;
use crate::usage::{self, Usage};
use crate::{Pipes, Resources};

/// A running program, the leader of a process group of its own. Dropping the value kills the whole group and all other processes that
/// the program has started, and so does the end of this process, even by SIGKILL.
pub struct Process {
    /// `None` once it was waited for. Until then the system doesn't reuse its process number.
    child: Option<Child>,
    group: Pid,
    /// On the program and all that it starts, in the group or not.
    mark: Mark,
}

impl Process {
    /// Starts a program, with pipes for its input and output.
    ///
    /// # Errors
    /// The program is missing or not executable, or the system has no more processes or descriptors.
    pub fn start(command: &mut Command) -> io::Result<(Process, Pipes)> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        let mark = Mark::put_on(command);
        let mut child = command.spawn()?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let group = Pid::from_child(&child);
        watchdog::entrust(group);
        let process = Process { child: Some(child), group, mark };
        let (Some(input), Some(output), Some(error)) = pipes else {
            return Err(io::Error::other("no pipes"));
        };
        let (output, error) = (PipeReader::new(output)?, PipeReader::new(error)?);
        Ok((process, Pipes { input: PipeWriter::new(input)?, output, error }))
    }

    /// Exit status of the program, if it has ended. Does not reap the process.
    pub fn ended(&self) -> Option<ExitStatus> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let status = rustix::process::waitid(WaitId::Pid(self.group), options).ok().flatten()?;
        let signal = status.terminating_signal().unwrap_or(0);
        Some(ExitStatus::from_raw(status.exit_status().unwrap_or(0) << 8 | signal))
    }

    /// Interrupts the program as Ctrl-C would (SIGINT). It may have ended already.
    pub fn interrupt(&self) {
        let _ = rustix::process::kill_process(self.group, Signal::INT);
    }

    /// Asks the program to end (SIGTERM). It may have ended already.
    pub fn terminate(&self) {
        let _ = rustix::process::kill_process(self.group, Signal::TERM);
    }

    /// Stops all processes of the program's process group (SIGSTOP), or lets them go on.
    pub fn stand_still(&self, still: bool) {
        let signal = if still { Signal::STOP } else { Signal::CONT };
        let _ = rustix::process::kill_process_group(self.group, signal);
    }

    /// Returns what the program and its descendants have used until now; `None` if the system doesn't tell.
    pub fn usage(&self) -> Option<Usage> {
        Usage::of(&self.family())
    }

    /// Returns the memory in use of the program and its descendants, in bytes; `None` if the system doesn't tell. Memory that was
    /// reserved and never touched doesn't count.
    pub fn memory(&self) -> Option<u64> {
        usage::memory_of(&self.family())
    }

    /// The numbers of the program's processes, its own among them.
    pub(crate) fn family(&self) -> Vec<u32> {
        mark::family(self.number(), self.mark.processes())
    }

    /// The program's own number.
    pub(crate) fn number(&self) -> u32 {
        self.group.as_raw_nonzero().get().unsigned_abs()
    }

    /// Kills all processes of the program's process group, and all others that it has started.
    pub fn kill(&self) {
        let _ = rustix::process::kill_process_group(self.group, Signal::KILL);
        self.mark.kill_all();
    }

    /// Kills what is left of it, reaps the program and returns its exit status and resources; `None` if the system call fails.
    pub fn finish(mut self) -> Option<(ExitStatus, Resources)> {
        self.kill();
        let used = self.child.take()?.wait4();
        watchdog::release(self.group);
        let used = used.ok()?;
        let resources =
            Resources { cpu: used.rusage.utime + used.rusage.stime, peak_memory: used.rusage.maxrss };
        Some((used.status, resources))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            self.kill();
            let _ = child.wait();
            watchdog::release(self.group);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::{Duration, Instant};

    use super::*;
    use crate::PipeRead;

    /// The number that a program writes in a line.
    fn number(output: &mut PipeReader) -> Pid {
        let mut buffer = [0; 100];
        loop {
            match output.read(&mut buffer) {
                PipeRead::Bytes(length) => {
                    let text = String::from_utf8_lossy(&buffer[..length]).trim().to_owned();
                    return Pid::from_raw(text.parse().expect("a number")).expect("a process");
                }
                PipeRead::Nothing => thread::sleep(Duration::from_millis(1)),
                PipeRead::End => panic!("it says nothing"),
            }
        }
    }

    fn is_running(process: Pid) -> bool {
        let state = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        !state.is_empty() && !state.contains(") Z ")
    }

    #[test]
    fn children_that_leave_the_group_go_with_the_program() {
        // The first one stays, the second one ends and leaves its child to the system.
        for script in
            ["setsid sh -c 'echo $$; exec sleep 1000'; :", "setsid -f sh -c 'echo $$; exec sleep 1000'"]
        {
            let mut command = Command::new("sh");
            let (process, mut pipes) = Process::start(command.args(["-c", script])).expect("a shell");
            let child = number(&mut pipes.output);
            assert!(is_running(child));
            drop(process);
            let is_gone = (0..200).any(|_| {
                thread::sleep(Duration::from_millis(5));
                !is_running(child)
            });
            assert!(is_gone, "{script}");
        }
    }

    /// A child in a session of its own counts, and so does one whose parent has ended.
    #[test]
    fn descendants_count() {
        for script in
            ["setsid sh -c 'while :; do :; done'; :", "(setsid sh -c 'while :; do :; done' &); sleep 9"]
        {
            let (process, _pipes) = Process::start(Command::new("sh").args(["-c", script])).unwrap();
            thread::sleep(Duration::from_millis(100));
            let (before, began) = (process.usage(), Instant::now());
            thread::sleep(Duration::from_millis(300));
            let (after, period) = (process.usage(), began.elapsed());
            let family = process.family();
            for member in family.iter().filter(|member| **member != process.number()) {
                let _ = Command::new("kill").args(["-9", &member.to_string()]).status();
            }
            let Some((before, after)) = before.zip(after) else {
                return eprintln!("skipped: the system does not tell");
            };
            let processors = after.processors_since(&before, period);
            assert!(processors > 0.7, "{script}: {processors} {family:?}");
        }
    }
}
