//! A program behind three pipes: lines to it, lines from it, its complaints into the log.
//!
//! Its standard output is read in the thread of the owner, without blocking, so that no thread has to be woken between
//! the program's line and the owner; the moment at which a line was read is taken there too.

use std::collections::VecDeque;
use std::io;
use std::process::Command;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use platform::{PipeRead, PipeReader, PipeWriter, Pipes, Process, Ringer, Source};

use crate::lines::{Line, LineCutter};
use crate::log::{Recorder, Speaker};
use crate::{Departure, Fault, Spec};

/// How long a program may leave a pipe full before it counts as lost, and how much may be said by it meanwhile.
const FULL_PIPE_PATIENCE: Duration = Duration::from_secs(1);
const MOST_HELD_BACK: usize = 4 * 1024 * 1024;

/// How long to wait for the status of a program that has closed its standard output: usually it is ending.
const EXIT_PATIENCE: Duration = Duration::from_millis(50);

/// How long the thread that reads standard error waits at once.
const A_LONG_TIME: Duration = Duration::from_hours(1);

/// How much is read at once.
const CHUNK: usize = 64 * 1024;

/// A running program and its lines.
pub(crate) struct Program {
    process: Process,
    /// `None` once it was closed.
    input: Option<PipeWriter>,
    output: PipeReader,
    complaints: Complaints,
    lines: LineCutter,
    /// When what is in `lines` was read.
    read_at: Instant,
    /// Lines that were read while a pipe to the program was full.
    held_back: VecDeque<(Instant, Line)>,
    chunk: Box<[u8]>,
    log: Recorder,
    /// What ended the conversation, if something did.
    fault: Option<Fault>,
    was_killed: bool,
}

impl Program {
    /// Starts a program.
    ///
    /// # Errors
    /// [`Fault::Start`].
    pub(crate) fn start(spec: &Spec, log: Recorder) -> Result<Program, Fault> {
        log.note(&format!("starting {}", spec.command));
        let program = spec.command.program();
        let start = || -> io::Result<Program> {
            let mut command = Command::new(program);
            command.args(spec.command.arguments()).envs(&spec.environment);
            if let Some(directory) = &spec.directory {
                command.current_dir(directory);
            }
            let (process, Pipes { input, output, error }) = Process::start(&mut command)?;
            Ok(Program {
                process,
                input: Some(input),
                output,
                complaints: Complaints::drain(error, log.clone())?,
                lines: LineCutter::default(),
                read_at: Instant::now(),
                held_back: VecDeque::new(),
                chunk: vec![0; CHUNK].into_boxed_slice(),
                log,
                fault: None,
                was_killed: false,
            })
        };
        start().map_err(|error| Fault::Start(format!("{program}: {error}")))
    }

    pub(crate) fn log(&self) -> &Recorder {
        &self.log
    }

    /// What becomes readable when the program speaks.
    pub(crate) fn source(&self) -> Source<'_> {
        self.output.source()
    }

    /// Ends the conversation: from now on this fault is all that comes.
    pub(crate) fn fail(&mut self, fault: Fault) -> Fault {
        self.log.note(&fault.to_string());
        self.fault.insert(fault).clone()
    }

    /// Writes lines, each of which ends with a line feed, in one piece.
    ///
    /// # Errors
    /// There was a fault before, the program has gone, or it doesn't read: see [`FULL_PIPE_PATIENCE`].
    pub(crate) fn tell(&mut self, lines: &str) -> Result<(), Fault> {
        if let Some(fault) = &self.fault {
            return Err(fault.clone());
        }
        if self.log.is_on() {
            let now = Instant::now();
            lines.lines().for_each(|line| self.log.record(now, Speaker::Us, line));
        }
        let mut rest = lines.as_bytes();
        let mut give_up = None;
        while !rest.is_empty() {
            let Some(input) = &mut self.input else { break };
            match input.write(rest) {
                Ok(written) if written > 0 => rest = &rest[written..],
                Ok(_) => {
                    let until = *give_up.get_or_insert_with(|| Instant::now() + FULL_PIPE_PATIENCE);
                    if !self.wait_for_room(until) {
                        return Err(self.fail(Fault::Silence("a pipe full of commands")));
                    }
                }
                Err(_) => {
                    let fault = self.death("its standard input is closed");
                    return Err(self.fail(fault));
                }
            }
        }
        Ok(())
    }

    /// Waits until something more can be written, and reads meanwhile: the program may be waiting for that. False if it
    /// is too late, or if the program talks without end.
    fn wait_for_room(&mut self, until: Instant) -> bool {
        let Some(input) = &self.input else { return false };
        platform::wait(&[input.room(), self.output.source()], until);
        if let PipeRead::Bytes(_) = self.read() {
            while let Some(line) = self.lines.next() {
                self.held_back.push_back((self.read_at, line));
            }
        }
        let held_back = |line: &Line| match line {
            Line::Whole(text) | Line::TooLong(text) => text.len() + size_of::<(Instant, Line)>(),
        };
        let total: usize = self.held_back.iter().map(|(_, line)| held_back(line)).sum();
        total < MOST_HELD_BACK && Instant::now() < until
    }

    /// The next line, with the moment at which it was read; never blocks, but for a moment when the program ends. Reads
    /// at most once, so that a program that talks without end cannot hold its owner.
    ///
    /// # Errors
    /// The program ended, or there was a fault before.
    pub(crate) fn hear(&mut self) -> Result<Option<(Instant, Line)>, Fault> {
        if let Some(line) = self.heard()? {
            return Ok(Some(line));
        }
        match self.read() {
            PipeRead::Bytes(_) => Ok(self.next_line()),
            PipeRead::Nothing => Ok(None),
            PipeRead::End => {
                if let Some(rest) = self.lines.rest() {
                    self.log.record(Instant::now(), Speaker::Program, &rest);
                    self.log.note("the line was not finished");
                }
                let fault = self.death("its standard output is closed");
                Err(self.fail(fault))
            }
        }
    }

    /// The next line of those that were read already.
    ///
    /// # Errors
    /// There was a fault before.
    pub(crate) fn heard(&mut self) -> Result<Option<(Instant, Line)>, Fault> {
        match &self.fault {
            Some(fault) => Err(fault.clone()),
            None => Ok(self.next_line()),
        }
    }

    fn next_line(&mut self) -> Option<(Instant, Line)> {
        let heard = self.held_back.pop_front();
        let (at, line) = heard.or_else(|| self.lines.next().map(|line| (self.read_at, line)))?;
        match &line {
            Line::Whole(text) => self.log.record(at, Speaker::Program, text),
            Line::TooLong(beginning) => {
                self.log.record(at, Speaker::Program, beginning);
                self.log.note("the line was too long and is not looked at");
            }
        }
        Some((at, line))
    }

    fn read(&mut self) -> PipeRead {
        let read = self.output.read(&mut self.chunk);
        if let PipeRead::Bytes(bytes) = read {
            self.read_at = Instant::now();
            self.lines.push(&self.chunk[..bytes]);
        }
        read
    }

    /// The fault of a program that cannot be reached, with its exit status if it has one by now.
    fn death(&self, sign: &str) -> Fault {
        let until = Instant::now() + EXIT_PATIENCE;
        loop {
            if let Some(status) = self.process.ended() {
                return Fault::Died(status.to_string());
            }
            if Instant::now() >= until {
                return Fault::Died(sign.to_owned());
            }
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// Waits until the program speaks or the time is over.
    pub(crate) fn wait(&self, until: Instant) {
        platform::wait(&[self.output.source()], until);
    }

    /// Waits until the program has read everything, or the time is over.
    pub(crate) fn wait_until_read(&self, until: Instant) {
        let Some(input) = &self.input else { return };
        while !input.is_empty() && Instant::now() < until {
            thread::sleep(Duration::from_micros(500));
        }
    }

    /// Whether the program has ended.
    pub(crate) fn has_ended(&self) -> bool {
        self.process.ended().is_some()
    }

    /// Interrupts the program as ^C would.
    pub(crate) fn interrupt(&self) {
        self.log.note("interrupted");
        self.process.interrupt();
    }

    /// Asks the program to end.
    pub(crate) fn terminate(&self) {
        self.log.note("told to terminate");
        self.process.terminate();
    }

    /// Kills the program and what it has started.
    pub(crate) fn kill(&mut self) {
        self.log.note("killed");
        self.was_killed = true;
        self.process.kill();
    }

    /// Sees the program off: waits for it, for `grace` with a closed standard input, then as long after a signal to
    /// terminate; then kills it, and with it whatever it has started and left.
    pub(crate) fn quit(mut self, grace: Duration) -> Departure {
        self.input = None;
        let mut ended = self.goes_by_itself(grace);
        if !ended {
            self.terminate();
            ended = self.goes_by_itself(grace);
        }
        if !ended {
            self.kill();
        }
        let Program { process, complaints, log, was_killed, .. } = self;
        let (status, resources) = process.finish().unzip();
        complaints.finish();
        if let Some(status) = status {
            log.note(&format!("gone ({status})"));
        }
        Departure { status, killed: was_killed, resources }
    }

    /// Whether the program ends within a time; its last words are read, for otherwise it might wait for that.
    fn goes_by_itself(&mut self, patience: Duration) -> bool {
        let until = Instant::now() + patience;
        let mut open = true;
        while self.process.ended().is_none() {
            let now = Instant::now();
            if now >= until {
                return false;
            }
            let next_look = (now + Duration::from_millis(2)).min(until);
            if !open {
                thread::sleep(next_look - now);
                continue;
            }
            self.wait(next_look);
            open = self.read() != PipeRead::End;
            while self.next_line().is_some() {}
        }
        true
    }
}

/// The thread that brings a program's standard error into the log. Nobody waits for it while the program plays.
struct Complaints {
    thread: JoinHandle<()>,
    /// Dropped to stop the thread, should somebody else hold the pipe open.
    stop: Ringer,
}

impl Complaints {
    fn drain(mut error: PipeReader, log: Recorder) -> io::Result<Complaints> {
        let (stopped, stop) = platform::bell()?;
        let thread = thread::Builder::new().name("standard error".into()).spawn(move || {
            let mut lines = LineCutter::default();
            let mut chunk = [0; 4096];
            loop {
                platform::wait(&[error.source(), stopped.source()], Instant::now() + A_LONG_TIME);
                let stops = platform::wait(&[stopped.source()], Instant::now());
                match error.read(&mut chunk) {
                    PipeRead::Bytes(bytes) => lines.push(&chunk[..bytes]),
                    PipeRead::Nothing if !stops => {}
                    PipeRead::Nothing | PipeRead::End => break,
                }
                while let Some(Line::Whole(line) | Line::TooLong(line)) = lines.next() {
                    log.record(Instant::now(), Speaker::StandardError, &line);
                }
            }
            if let Some(rest) = lines.rest() {
                log.record(Instant::now(), Speaker::StandardError, &rest);
            }
        })?;
        Ok(Complaints { thread, stop })
    }

    /// Reads what is there and stops.
    fn finish(self) {
        drop(self.stop);
        let _ = self.thread.join();
    }
}
