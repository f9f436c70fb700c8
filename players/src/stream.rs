//! A conversation in the words of a protocol.

use std::fmt::{Display, Write};
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Instant;

use platform::Source;

use crate::lines::{self, Line};
use crate::log::{Log, Recorder};
use crate::pipe::Program;
use crate::{Departure, Fault, Spec};

/// What can be said in a protocol, seen from the side that is not the engine's.
pub trait Vocabulary {
    /// What we say: one line.
    type Command: Display;
    /// What the program says: one line.
    type Message;
    /// Whether the protocol forgives nothing: control characters stay where they are, and a line too long is a fault.
    const STRICT: bool;

    /// Understands a line.
    fn read(line: &str) -> Self::Message;
}

/// A program that is spoken to in a protocol. Every message passes, in order. When the value goes, the program does.
pub struct Stream<V> {
    program: Program,
    /// What is to be told, kept for its memory.
    text: String,
    /// Whether its end was told to those who wait for it.
    fault_told: bool,
    vocabulary: PhantomData<V>,
}

/// Something that the program said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said<M> {
    /// When its last byte was read.
    pub at: Instant,
    /// In its own words.
    pub line: String,
    /// What it means.
    pub message: M,
}

impl<V: Vocabulary> Stream<V> {
    /// Starts the program; nothing is said yet.
    ///
    /// # Errors
    /// [`Fault::Start`].
    pub fn start(spec: &Spec, log: Option<Arc<dyn Log>>) -> Result<Stream<V>, Fault> {
        let program = Program::start(spec, Recorder(log))?;
        Ok(Stream { program, text: String::new(), fault_told: false, vocabulary: PhantomData })
    }

    /// Says one thing. Line feeds in it become blanks, for they would make two things of it.
    ///
    /// # Errors
    /// The program has gone, doesn't read for a second, or committed a fault before.
    pub fn tell(&mut self, command: &V::Command) -> Result<(), Fault> {
        self.tell_all(std::slice::from_ref(command))
    }

    /// Says several things in one write.
    ///
    /// # Errors
    /// As for [`Stream::tell`].
    pub fn tell_all(&mut self, commands: &[V::Command]) -> Result<(), Fault> {
        let mut text = std::mem::take(&mut self.text);
        text.clear();
        for command in commands {
            push_line(&mut text, command);
        }
        let told = self.program.tell(&text);
        self.text = text;
        told
    }

    /// Says a line that is in no vocabulary.
    ///
    /// # Errors
    /// As for [`Stream::tell`].
    pub fn tell_line(&mut self, line: impl Display) -> Result<(), Fault> {
        let mut text = String::new();
        push_line(&mut text, &line);
        self.program.tell(&text)
    }

    /// The next thing that the program said. Never blocks; reads at most once, so that a program that talks without end
    /// cannot hold its owner. `None`: wait for [`Stream::source`].
    ///
    /// # Errors
    /// The program has ended or committed a fault; each later call says the same.
    pub fn take(&mut self) -> Result<Option<Said<V::Message>>, Fault> {
        let heard = self.program.hear()?;
        self.understand(heard)
    }

    /// As [`Stream::take`], but of what was read before; reads nothing.
    ///
    /// # Errors
    /// As for [`Stream::take`].
    pub fn take_read(&mut self) -> Result<Option<Said<V::Message>>, Fault> {
        let heard = self.program.heard()?;
        self.understand(heard)
    }

    fn understand(&mut self, mut heard: Option<(Instant, Line)>) -> Result<Option<Said<V::Message>>, Fault> {
        while let Some((at, line)) = heard {
            let line = match line {
                Line::Whole(line) if V::STRICT => line,
                Line::Whole(line) => lines::clean(line),
                Line::TooLong(_) if V::STRICT => {
                    return Err(self.fail(Fault::Malformed("a line too long".into())));
                }
                Line::TooLong(_) => {
                    heard = self.program.heard()?;
                    continue;
                }
            };
            let message = V::read(&line);
            return Ok(Some(Said { at, line, message }));
        }
        Ok(None)
    }

    /// The next thing that the program says, if it does before the time is over.
    ///
    /// # Errors
    /// As for [`Stream::take`].
    pub fn wait(&mut self, until: Instant) -> Result<Option<Said<V::Message>>, Fault> {
        loop {
            if let Some(said) = self.take()? {
                return Ok(Some(said));
            }
            if Instant::now() >= until {
                return Ok(None);
            }
            self.program.wait(until);
        }
    }

    /// Ends the conversation with a fault that the owner found. From now on it is all that comes.
    pub fn fail(&mut self, fault: Fault) -> Fault {
        self.program.fail(fault)
    }

    /// Whether a fault is news: once.
    pub(crate) fn tells_fault(&mut self) -> bool {
        !std::mem::replace(&mut self.fault_told, true)
    }

    /// Makes a note in the log.
    pub fn note(&self, text: &str) {
        self.program.log().note(text);
    }

    /// What becomes readable when the program speaks. Ask [`Stream::take`] first: it may hold back what was read
    /// together.
    pub fn source(&self) -> Source<'_> {
        self.program.source()
    }

    /// Waits until the program has read everything that it was told, or the time is over.
    pub fn wait_until_read(&self, until: Instant) {
        self.program.wait_until_read(until);
    }

    /// Whether the program's process has ended; there may still be things to take.
    pub fn has_ended(&self) -> bool {
        self.program.has_ended()
    }

    /// Interrupts the program as ^C would (SIGINT).
    pub fn interrupt(&self) {
        self.program.interrupt();
    }

    /// Asks the program to end (SIGTERM).
    pub fn terminate(&mut self) {
        self.program.terminate();
    }

    /// Kills the program with everything that it has started. What it has said can still be taken.
    pub fn kill(&mut self) {
        self.program.kill();
    }

    /// Sees the program off: its standard input is closed. After `grace` it is told to terminate (SIGTERM), after as long again it is
    /// killed; in any case nothing that it has started is left.
    pub fn quit(self, grace: std::time::Duration) -> Departure {
        self.program.quit(grace)
    }
}

fn push_line(text: &mut String, line: &impl Display) {
    let begin = text.len();
    let _ = write!(text, "{line}");
    if text[begin..].contains(['\n', '\r']) {
        let line = text.split_off(begin).replace(['\n', '\r'], " ");
        text.push_str(&line);
    }
    text.push('\n');
}
