//! A process that leaves nothing behind.

use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions};
use wait4::Wait4;

use crate::{Resources, Spec, guard};

/// A running program, the leader of a process group of its own: however this value goes, and even if this process is
/// killed, nothing of the group is left running.
pub(crate) struct Process {
    /// `None` once it was waited for. Until then its number cannot go to another process.
    child: Option<Child>,
    group: Pid,
}

/// Our ends of the three pipes.
pub(crate) struct Pipes {
    pub(crate) input: ChildStdin,
    pub(crate) output: ChildStdout,
    pub(crate) error: ChildStderr,
}

impl Process {
    /// Starts a program.
    pub(crate) fn start(spec: &Spec) -> io::Result<(Process, Pipes)> {
        let mut command = Command::new(spec.command.program());
        command
            .args(spec.command.arguments())
            .envs(&spec.environment)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        if let Some(directory) = &spec.directory {
            command.current_dir(directory);
        }
        let mut child = command.spawn()?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let group = Pid::from_child(&child);
        guard::entrust(group);
        let process = Process { child: Some(child), group };
        let (Some(input), Some(output), Some(error)) = pipes else {
            return Err(io::Error::other("no pipes"));
        };
        Ok((process, Pipes { input, output, error }))
    }

    /// How the program ended, if it has; it is not waited for yet.
    pub(crate) fn ended(&self) -> Option<ExitStatus> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let status = rustix::process::waitid(WaitId::Pid(self.group), options).ok().flatten()?;
        let signal = status.terminating_signal().unwrap_or(0);
        Some(ExitStatus::from_raw(status.exit_status().unwrap_or(0) << 8 | signal))
    }

    /// Sends a signal to the program itself. That it may be gone by now is no error.
    pub(crate) fn signal(&self, signal: Signal) {
        let _ = rustix::process::kill_process(self.group, signal);
    }

    /// Kills the program and all of its group that has not left it.
    pub(crate) fn kill_group(&self) {
        let _ = rustix::process::kill_process_group(self.group, Signal::KILL);
    }

    /// Kills what is left of the group and waits for the program.
    pub(crate) fn finish(mut self) -> Option<(ExitStatus, Resources)> {
        self.kill_group();
        let used = self.child.take()?.wait4();
        guard::release(self.group);
        let used = used.ok()?;
        let resources =
            Resources { cpu: used.rusage.utime + used.rusage.stime, peak_memory: used.rusage.maxrss };
        Some((used.status, resources))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            self.kill_group();
            let _ = child.wait();
            guard::release(self.group);
        }
    }
}
