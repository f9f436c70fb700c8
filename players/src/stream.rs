//! A program with three pipes: commands to it, messages from it, and its standard error, which goes to the log.
//!
//! Standard output is read in the thread of the owner, without blocking, so that no other thread has to be woken before the owner
//! gets a line. The time of arrival is taken there, too.

use std::fmt::{Display, Write as _};
use std::io;
use std::marker::PhantomData;
use std::process::Command;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use platform::{PipeRead, PipeWriter, Pipes, Process, Resources, Source, Usage};

use crate::lines::{self, ErrorDrain, OutputLine, OutputLines};
use crate::log::{Log, Recorder, Speaker};
use crate::{Departure, PlayerFault, Repair, Spec};

/// Time that a program may leave its input pipe full before it counts as lost, and the bytes that it may write meanwhile.
const FULL_PIPE_PATIENCE: Duration = Duration::from_secs(1);
const MOST_HELD_BACK: usize = 4 * 1024 * 1024;

/// Time to wait for the exit status of a program that has closed its standard output: usually it is ending.
const EXIT_PATIENCE: Duration = Duration::from_millis(50);

/// Time for a program that loses lines to read one, and to deal with it afterwards, which can't be observed. It may be thinking
/// and not read at all.
const READING: Duration = Duration::from_millis(50);
const DEALING: Duration = Duration::from_millis(3);

/// Messages of the programs of a protocol.
pub trait Vocabulary {
    /// Parsed line.
    type Message;
    /// Control characters are kept, and a line that is too long is a fault.
    const STRICT: bool;

    /// Parses a line.
    fn read(line: &str) -> Self::Message;
}

/// A running program. Dropping the stream kills the program.
pub struct Stream<V> {
    /// Specification of the program.
    pub(crate) spec: Spec,
    /// Until when answers are waited for, if that is earlier than the patience of the specification.
    pub(crate) limit: Option<Instant>,
    process: Process,
    /// `None` once it was closed.
    input: Option<PipeWriter>,
    output: OutputLines,
    errors: ErrorDrain,
    /// Log of all lines.
    pub(crate) log: Recorder,
    /// Fault that ended the conversation; and whether a fault is not reported as an event, since it was reported or is expected.
    fault: Option<PlayerFault>,
    /// The beginning of the last line that was too long, and when it was read.
    pub(crate) cut: Option<(Instant, String)>,
    fault_expected: bool,
    was_killed: bool,
    /// Resources used by former processes.
    used: Resources,
    vocabulary: PhantomData<V>,
}

/// A message of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timed<M> {
    /// Time when its last byte was read.
    pub at: Instant,
    /// Text of the line.
    pub line: String,
    /// Parsed message.
    pub message: M,
}

impl<V: Vocabulary> Stream<V> {
    /// Starts the program; nothing is sent yet.
    ///
    /// # Errors
    /// [`PlayerFault::Start`]: the program cannot be started.
    pub fn start(spec: &Spec, log: Option<Arc<dyn Log>>) -> Result<Stream<V>, PlayerFault> {
        let log = Recorder(log);
        log.note(&format!("starting {}", spec.command));
        Stream::spawn(spec, log)
            .map_err(|error| PlayerFault::Start(format!("{}: {error}", spec.command.program())))
    }

    fn spawn(spec: &Spec, log: Recorder) -> io::Result<Stream<V>> {
        let mut command = Command::new(spec.command.program());
        command.args(spec.command.arguments()).envs(&spec.environment);
        if let Some(directory) = &spec.directory {
            command.current_dir(directory);
        }
        let (process, Pipes { input, output, error }) = Process::start(&mut command)?;
        Ok(Stream {
            spec: spec.clone(),
            limit: None,
            process,
            input: Some(input),
            output: OutputLines::new(output),
            errors: ErrorDrain::start(error, log.clone())?,
            log,
            fault: None,
            cut: None,
            fault_expected: false,
            was_killed: false,
            used: Resources::default(),
            vocabulary: PhantomData,
        })
    }

    /// Replaces the process by another one of the same program, and ends the former one.
    pub(crate) fn replace(&mut self, successor: Stream<V>) {
        let former = std::mem::replace(self, successor);
        let grace = former.spec.grace;
        self.used = former.quit(grace).resources.unwrap_or_default();
    }

    /// Sends a line. Line feeds in it become blanks.
    ///
    /// # Errors
    /// The program has ended, hasn't read its input for a second, or committed a fault before.
    pub fn tell(&mut self, line: impl Display) -> Result<(), PlayerFault> {
        self.tell_all([line])
    }

    /// Sends several lines in one write, or one by one to a program that would lose the others.
    ///
    /// # Errors
    /// As for [`Stream::tell`].
    pub fn tell_all(&mut self, lines: impl IntoIterator<Item = impl Display>) -> Result<(), PlayerFault> {
        if !self.spec.repairs.contains(&Repair::OneLineARead) {
            return self.tell_at_once(lines);
        }
        lines.into_iter().try_for_each(|line| {
            self.tell_at_once([line])?;
            self.wait_until_read(Instant::now() + READING);
            thread::sleep(DEALING);
            Ok(())
        })
    }

    fn tell_at_once(&mut self, lines: impl IntoIterator<Item = impl Display>) -> Result<(), PlayerFault> {
        if let Some(fault) = &self.fault {
            return Err(fault.clone());
        }
        let mut text = String::new();
        for line in lines {
            let begin = text.len();
            let _ = write!(text, "{line}");
            if text[begin..].contains(['\n', '\r']) {
                let line = text.split_off(begin).replace(['\n', '\r'], " ");
                text.push_str(&line);
            }
            text.push('\n');
        }
        if self.log.0.is_some() {
            let now = Instant::now();
            text.lines().for_each(|line| self.log.record(now, Speaker::Us, line));
        }
        self.write(text.as_bytes())
    }

    /// Sends bytes as they are, such as lines with other ends.
    ///
    /// # Errors
    /// As for [`Stream::tell`].
    pub fn tell_bytes(&mut self, bytes: &[u8]) -> Result<(), PlayerFault> {
        if let Some(fault) = &self.fault {
            return Err(fault.clone());
        }
        let now = Instant::now();
        String::from_utf8_lossy(bytes)
            .split_inclusive('\n')
            .for_each(|line| self.log.record(now, Speaker::Us, line.strip_suffix('\n').unwrap_or(line)));
        self.write(bytes)
    }

    fn write(&mut self, mut bytes: &[u8]) -> Result<(), PlayerFault> {
        let mut give_up = None;
        while let Some(input) = self.input.as_mut().filter(|_| !bytes.is_empty()) {
            match input.write(bytes) {
                Ok(0) => {
                    let until = *give_up
                        .get_or_insert_with(|| self.deadline().min(Instant::now() + FULL_PIPE_PATIENCE));
                    if !self.wait_for_room(until) {
                        return Err(self.fail(PlayerFault::Silence("a pipe full of commands")));
                    }
                }
                Ok(written) => bytes = &bytes[written..],
                Err(_) => return Err(self.died("input")),
            }
        }
        Ok(())
    }

    /// Waits for room in the pipe, and reads meanwhile, as the program may be blocked by its own output. Returns false after
    /// `until`, or if the program writes without end.
    fn wait_for_room(&mut self, until: Instant) -> bool {
        let Some(input) = &self.input else { return false };
        platform::wait(&[input.room(), self.output.pipe.source()], until);
        self.output.read();
        self.output.backlog() < MOST_HELD_BACK && Instant::now() < until
    }

    /// Takes the next message. Never blocks, except for a moment when the program ends; reads at most once, so that a program
    /// that writes without end cannot block its owner. After `None`, wait for [`Stream::source`].
    ///
    /// # Errors
    /// The program has ended or committed a fault; each later call returns the same.
    pub fn take(&mut self) -> Result<Option<Timed<V::Message>>, PlayerFault> {
        if let Some(said) = self.take_read()? {
            return Ok(Some(said));
        }
        if self.output.read() == PipeRead::End {
            if let Some(rest) = self.output.rest() {
                self.log.record(Instant::now(), Speaker::Program, &rest);
                self.log.note("the line was not finished");
            }
            return Err(self.died("output"));
        }
        self.take_read()
    }

    /// Takes the next message that was read before; reads nothing.
    ///
    /// # Errors
    /// As for [`Stream::take`].
    pub fn take_read(&mut self) -> Result<Option<Timed<V::Message>>, PlayerFault> {
        if let Some(fault) = &self.fault {
            return Err(fault.clone());
        }
        while let Some((at, line)) = self.next_line() {
            if !line.is_cut {
                let line = if V::STRICT { line.text } else { lines::clean(line.text) };
                return Ok(Some(Timed { at, message: V::read(&line), line }));
            }
            if V::STRICT {
                return Err(self.fail(PlayerFault::Malformed("a line too long".into())));
            }
        }
        Ok(None)
    }

    fn next_line(&mut self) -> Option<(Instant, OutputLine)> {
        let (at, line) = self.output.next()?;
        self.log.record(at, Speaker::Program, &line.text);
        if line.is_cut {
            self.log.note("the line was too long and is ignored");
            self.cut = Some((at, lines::clean(line.text.clone())));
        }
        Some((at, line))
    }

    /// Waits for the next message; `None` if there is none in time.
    ///
    /// # Errors
    /// As for [`Stream::take`].
    pub fn wait(&mut self, until: Instant) -> Result<Option<Timed<V::Message>>, PlayerFault> {
        loop {
            if let Some(said) = self.take()? {
                return Ok(Some(said));
            }
            if Instant::now() >= until {
                return Ok(None);
            }
            platform::wait(&[self.source()], until);
        }
    }

    /// Waits for the answer to `question`. What comes later is none, even if the program writes without end.
    ///
    /// # Errors
    /// As for [`Stream::take`], and [`PlayerFault::Silence`] if there is none in time.
    pub(crate) fn answer(
        &mut self,
        question: &'static str,
        until: Instant,
    ) -> Result<Timed<V::Message>, PlayerFault> {
        let said = self.wait(until)?.filter(|said| said.at <= until);
        said.ok_or_else(|| self.fail(PlayerFault::Silence(question)))
    }

    /// End of the program's time limit for an answer, if it is asked now.
    pub(crate) fn deadline(&self) -> Instant {
        let patient = Instant::now() + self.spec.patience;
        self.limit.map_or(patient, |limit| limit.min(patient))
    }

    /// Records a fault, which all later calls return.
    pub fn fail(&mut self, fault: PlayerFault) -> PlayerFault {
        self.log.note(&fault.to_string());
        self.fault.insert(fault).clone()
    }

    /// Records that the program has ended, with its exit status, or else that it has closed its standard input or output.
    fn died(&mut self, closed: &'static str) -> PlayerFault {
        let until = Instant::now() + EXIT_PATIENCE;
        while self.process.ended().is_none() && Instant::now() < until {
            thread::sleep(Duration::from_millis(1));
        }
        let status = self.process.ended();
        self.fail(status.map_or(PlayerFault::Closed(closed), |status| PlayerFault::Died(status.to_string())))
    }

    /// Stops reporting faults as events. Returns whether they were reported until now.
    pub(crate) fn expect_end(&mut self) -> bool {
        !std::mem::replace(&mut self.fault_expected, true)
    }

    /// Source that is ready when the program has written something. Call [`Stream::take`] first: it may have messages of an
    /// earlier read.
    pub fn source(&self) -> Source<'_> {
        self.output.pipe.source()
    }

    /// Number of bytes that the program has written since its last line end.
    pub(crate) fn unfinished(&self) -> u64 {
        self.output.unfinished()
    }

    /// Waits until the program has read all of its input, or until `until`.
    pub fn wait_until_read(&self, until: Instant) {
        let Some(input) = &self.input else { return };
        while !input.is_empty() && Instant::now() < until {
            thread::sleep(Duration::from_micros(500));
        }
    }

    /// Whether the process has ended. There may still be messages to take.
    pub fn has_ended(&self) -> bool {
        self.process.ended().is_some()
    }

    /// Processor time that the program has used until now; `None` where the system doesn't tell.
    pub fn usage(&self) -> Option<Usage> {
        self.process.usage()
    }

    /// Memory that the program uses now, in bytes; `None` where the system doesn't tell.
    pub fn memory(&self) -> Option<u64> {
        self.process.memory()
    }

    /// Interrupts the program as Ctrl-C would (SIGINT).
    pub fn interrupt(&self) {
        self.log.note("interrupted");
        self.process.interrupt();
    }

    /// Asks the program to end (SIGTERM).
    pub fn terminate(&self) {
        self.log.note("sent SIGTERM");
        self.process.terminate();
    }

    /// Stops the program and all its processes (SIGSTOP), or lets them go on.
    pub(crate) fn stand_still(&self, still: bool) {
        self.log.note(if still { "stopped" } else { "continued" });
        self.process.stand_still(still);
    }

    /// Kills the program with all processes that it has started. Its messages can still be taken.
    pub fn kill(&mut self) {
        self.log.note("killed");
        self.was_killed = true;
        self.process.kill();
    }

    /// Closes the program's standard input and waits for its end. Terminates it after `grace` (SIGTERM), and kills it after
    /// another `grace`. All processes that it has started are killed in any case.
    pub fn quit(mut self, grace: Duration) -> Departure {
        if !self.end_input(grace) {
            self.terminate();
            if !self.ends_within(grace) {
                self.kill();
            }
        }
        let Stream { process, errors, log, was_killed, used, .. } = self;
        let (status, resources) = process.finish().unzip();
        errors.finish();
        if let Some(status) = status {
            log.note(&format!("ended ({status})"));
        }
        let resources = resources.map(|mut resources| {
            resources += used;
            resources
        });
        Departure { status, killed: was_killed, resources }
    }

    /// Closes the program's standard input. Returns whether it ends in time.
    pub(crate) fn end_input(&mut self, patience: Duration) -> bool {
        self.input = None;
        self.ends_within(patience)
    }

    /// Waits for the end of the program, and returns whether it came in time. Its output is read meanwhile, as the program may be
    /// blocked by it.
    fn ends_within(&mut self, patience: Duration) -> bool {
        let until = Instant::now() + patience;
        let mut is_open = true;
        while self.process.ended().is_none() {
            let now = Instant::now();
            if now >= until {
                return false;
            }
            let next_look = (now + Duration::from_millis(2)).min(until);
            if is_open {
                platform::wait(&[self.source()], next_look);
                is_open = self.output.read() != PipeRead::End;
                while self.next_line().is_some() {}
            } else {
                thread::sleep(next_look - now);
            }
        }
        true
    }
}
