//! What is said to a program and heard of it while a rule is checked, in any protocol.

use std::thread;
use std::time::{Duration, Instant};

use super::{Candidate, Miss};
use crate::stream::{Said, Stream, Vocabulary};
use crate::{Departure, Fault};

/// How long a program gets to read a line; one that is thinking may not read it yet.
const READING: Duration = Duration::from_millis(100);

/// How long it gets to deal with a line that takes no time.
const DEALING: Duration = Duration::from_millis(5);

/// How many of the lines heard are shown when another was expected.
const SHOWN: usize = 3;

/// A conversation with the program, and what it said.
pub(super) struct Conversation<V: Vocabulary> {
    stream: Stream<V>,
}

impl<V: Vocabulary> Conversation<V> {
    /// Starts the program; nothing is said yet.
    pub(super) fn start(candidate: &Candidate) -> Result<Self, Miss> {
        Ok(Conversation::new(Stream::start(candidate.spec, candidate.log.clone())?))
    }

    pub(super) fn new(stream: Stream<V>) -> Self {
        Conversation { stream }
    }

    /// Says lines, one after the other: there are rules about what comes together, and the others are not about that.
    pub(super) fn tell(&mut self, lines: &[&str]) -> Result<(), Miss> {
        lines.iter().try_for_each(|line| {
            self.stream.tell_line(line)?;
            self.let_read();
            Ok(())
        })
    }

    pub(super) fn tell_command(&mut self, command: &V::Command) -> Result<(), Miss> {
        self.stream.tell(command)?;
        self.let_read();
        Ok(())
    }

    /// Waits for a moment, so that the program can read and deal with what it was told.
    fn let_read(&self) {
        self.stream.wait_until_read(Instant::now() + READING);
        thread::sleep(DEALING);
    }

    pub(super) fn tell_at_once(&mut self, commands: &[V::Command]) -> Result<(), Miss> {
        Ok(self.stream.tell_all(commands)?)
    }

    /// All that is said up to the first message that is `wanted`, that one included.
    pub(super) fn hear_until(
        &mut self,
        expected: &str,
        patience: Duration,
        mut wanted: impl FnMut(&V::Message) -> bool,
    ) -> Result<Vec<Said<V::Message>>, Miss> {
        let until = Instant::now() + patience;
        let mut heard = Vec::new();
        while Instant::now() < until {
            match self.stream.wait(until) {
                Ok(Some(said)) => {
                    let is_last = wanted(&said.message);
                    heard.push(said);
                    if is_last {
                        return Ok(heard);
                    }
                }
                Ok(None) => break,
                Err(fault) => return Err(Miss::failed(expected, format!("it {fault}; {}", seen(&heard)))),
            }
        }
        Err(Miss::failed(expected, seen(&heard)))
    }

    /// All that is said in a time.
    pub(super) fn hear_for(&mut self, time: Duration) -> Result<Vec<Said<V::Message>>, Miss> {
        let until = Instant::now() + time;
        let mut heard = Vec::new();
        while Instant::now() < until
            && let Some(said) = self.stream.wait(until)?
        {
            heard.push(said);
        }
        Ok(heard)
    }

    /// The program ends by itself.
    pub(super) fn hear_end(&mut self, patience: Duration) -> Result<(), Miss> {
        let until = Instant::now() + patience;
        while Instant::now() < until {
            if let Err(Fault::Died(_)) = self.stream.wait(until) {
                return Ok(());
            }
        }
        Err(Miss::failed(format!("that it ends within {} s", patience.as_secs()), "it runs on"))
    }

    /// Closes the program's standard input; it ends by itself, before it is told to by a signal.
    pub(super) fn end_input(self, patience: Duration) -> Result<(), Miss> {
        let since = Instant::now();
        let departure = self.stream.quit(patience);
        if departure.killed || since.elapsed() >= patience {
            let expected = format!("that it ends within {} s", patience.as_secs());
            return Err(Miss::failed(expected, "it runs on"));
        }
        Ok(())
    }

    /// Sees off a program that should have ended.
    pub(super) fn departure(self, grace: Duration) -> Departure {
        self.stream.quit(grace)
    }

    pub(super) fn interrupt(&self) {
        self.stream.interrupt();
    }
}

/// What was said last, in the words of the program.
pub(super) fn seen<M>(heard: &[Said<M>]) -> String {
    let last = &heard[heard.len().saturating_sub(SHOWN)..];
    let lines: Vec<String> = last.iter().map(|said| format!("`{}`", game::excerpt(&said.line))).collect();
    if lines.is_empty() { "nothing".into() } else { lines.join(" ") }
}

/// None of what was heard is unwanted.
pub(super) fn none<M>(
    heard: &[Said<M>],
    expected: &str,
    is_unwanted: impl Fn(&M) -> bool,
) -> Result<(), Miss> {
    match heard.iter().find(|said| is_unwanted(&said.message)) {
        Some(said) => Err(Miss::failed(expected, seen(std::slice::from_ref(said)))),
        None => Ok(()),
    }
}

/// Something of what was heard is wanted.
pub(super) fn some<M>(heard: &[Said<M>], expected: &str, is_wanted: impl Fn(&M) -> bool) -> Result<(), Miss> {
    if heard.iter().any(|said| is_wanted(&said.message)) {
        Ok(())
    } else {
        Err(Miss::failed(expected, seen(heard)))
    }
}
