//! `herald mend`: an adapter between a GUI and a program with known faults.
//!
//! A *front* speaks with the GUI, in the GUI's protocol and to the letter ([`cecp_front`], [`uci_front`]). Behind it the program
//! ([`program`]) is driven as an official drives it, by a [`crate::Player`], in the fewest and best understood words: one question
//! after the other, each with its whole position. So most faults have no chance to show: the front answers `ping`, judges moves,
//! takes back, edits and keeps the clock itself, and a move for which nobody has asked is dropped. Whatever the program does, a move is
//! made before its flag falls: each time that it is waited for has its end then, and it is started on a thread of its own. What costs the program something
//! comes from a [`Recipe`](crate::Recipe), as [`Spec::repairs`]. As fronts and players meet in games and moves, any protocol can be
//! in front of any other.
//!
//! The other way would have been Herald's own sessions (`protocols/`) with another thinker behind them. They are made of what Herald
//! has and a foreign program lacks (its settings, its book, its judgement of draws), and would need a trait for all of that. The board
//! and the state of a CECP engine are shared: [`messages::cecp::CecpBoard`], [`messages::cecp::SessionState`].

mod cecp_front;
mod front_time;
mod player;
mod program;
mod question;
#[cfg(test)]
mod tests;
mod uci_front;

use std::fmt::Display;
use std::io::{self, Read, Write};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use messages::input::{Input, LineReader};
use platform::Bell;

use self::cecp_front::CecpFront;
pub use self::player::{Abilities, MendedPlayer, Setting};
use self::program::{News, Program};
use self::uci_front::UciFront;
use crate::log::{Log, Recorder, Speaker};
use crate::{PlayerFault, Protocol, Spec};

/// How often `leaving` is looked at.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// Longest time for which one side is listened to before the other one and the clock have their turn.
const SLICE: Duration = Duration::from_millis(5);

/// Most slices for which a program that writes without end is not read.
const LONGEST_PAUSE: u32 = 4;

/// Time for what is being done when the adapter is to end, such as waiting for the program to get ready.
const LAST_ACT: Duration = Duration::from_secs(1);

/// What to put between a GUI and a program.
pub struct Mend {
    /// The program, with its repairs. Without `knows_protocol` its protocol is found out.
    pub spec: Spec,
    /// Whether the protocol of the program is known.
    pub knows_protocol: bool,
    /// Protocol of the GUI; `None`: by its first line.
    pub front: Option<Protocol>,
    /// Log of the program's lines.
    pub program_log: Option<Arc<dyn Log>>,
    /// Log of the GUI's lines.
    pub gui_log: Option<Arc<dyn Log>>,
}

/// Why the adapter ended before the GUI wanted it.
#[derive(Debug, thiserror::Error)]
pub enum MendError {
    /// The program can't be started.
    #[error("the program {0}")]
    Program(PlayerFault),
    /// The GUI can't be reached.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl From<PlayerFault> for MendError {
    fn from(fault: PlayerFault) -> MendError {
        MendError::Program(fault)
    }
}

impl Mend {
    /// Stands between a GUI and the program until `quit`, the end of the input, or until `leaving` is set. Then the program has ended, or
    /// ends with this process if it was still getting ready.
    ///
    /// # Errors
    /// The program can't be started, does not answer, or the output fails.
    pub fn serve(
        self,
        input: impl Read + Send + 'static,
        output: impl Write + Send + 'static,
        leaving: &Arc<AtomicBool>,
    ) -> Result<(), MendError> {
        let (ends, ending) = mpsc::channel();
        let lines = GuiLines::read(input, ends.clone())?;
        let leaves = Arc::clone(leaving);
        std::thread::Builder::new().name("session".into()).spawn(move || {
            let program = Program::new(self.spec, player::starter(self.knows_protocol, self.program_log));
            let output = FrontOutput::new(output, self.gui_log);
            let mut session = MendSession { program, front: self.front.map(front_of), output };
            let served = session.run(&lines, &leaves);
            // Nobody listens any more if this has lasted too long.
            let _ = ends.send(SessionEnd::Begun);
            session.program.quit();
            let _ = ends.send(SessionEnd::Over(served));
        })?;
        await_end(&ending, leaving)
    }
}

/// How a session comes to its end.
enum SessionEnd {
    /// The GUI wants it.
    Wanted,
    /// The program is being ended.
    Begun,
    /// It is over.
    Over(Result<(), MendError>),
}

/// Waits for the end of a session. One that still does something else a while after its end was wanted is left alone.
fn await_end(ending: &Receiver<SessionEnd>, leaving: &AtomicBool) -> Result<(), MendError> {
    let (mut latest, mut has_begun) = (None, false);
    loop {
        match ending.recv_timeout(POLL_INTERVAL) {
            Ok(SessionEnd::Over(served)) => return served,
            Ok(SessionEnd::Begun) => has_begun = true,
            Ok(SessionEnd::Wanted) => latest = Instant::now().checked_add(LAST_ACT),
            Err(RecvTimeoutError::Timeout) if leaving.load(Ordering::Relaxed) => {
                latest = latest.or_else(|| Instant::now().checked_add(LAST_ACT));
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                return Err(io::Error::other("the session has ended unexpectedly").into());
            }
        }
        if !has_begun && latest.is_some_and(|latest| Instant::now() >= latest) {
            return Ok(());
        }
    }
}

/// One side of the adapter: a protocol as the GUI speaks it.
trait Front {
    /// Handles a line of the GUI, other than `quit`.
    fn hear(&mut self, line: &str, desk: &mut Desk);

    /// Handles what the program says.
    fn tell(&mut self, news: News, desk: &mut Desk);

    /// Asks the program for what the state requires.
    fn take_up(&mut self, desk: &mut Desk);
}

/// What a front works with.
struct Desk<'a> {
    program: &'a mut Program,
    output: &'a mut FrontOutput,
    /// When the line was read that is being handled.
    at: Instant,
}

fn front_of(protocol: Protocol) -> Box<dyn Front> {
    match protocol {
        Protocol::Uci => Box::new(UciFront::default()),
        _ => Box::new(CecpFront::default()),
    }
}

/// Lines of the GUI, read by a thread, and a bell that it rings.
struct GuiLines {
    inputs: Receiver<(Instant, Input)>,
    bell: Bell,
}

impl GuiLines {
    /// Begins to read. That `quit` or the end of the input was read is told to `ends` at once, whatever the session is doing.
    fn read(input: impl Read + Send + 'static, ends: Sender<SessionEnd>) -> io::Result<GuiLines> {
        let (bell, mut ringer) = platform::bell()?;
        let (sender, inputs) = mpsc::channel();
        std::thread::Builder::new().name("reading".into()).spawn(move || {
            let mut lines = LineReader::new(input);
            loop {
                let input = lines.read();
                let is_last = is_last(&input);
                if sender.send((Instant::now(), input)).is_err() || ringer.ring().is_err() {
                    return;
                }
                if is_last {
                    let _ = ends.send(SessionEnd::Wanted);
                    return;
                }
            }
        })?;
        Ok(GuiLines { inputs, bell })
    }
}

/// Whether the GUI says no more, in either protocol.
fn is_last(input: &Input) -> bool {
    match input {
        Input::Line(line) => line.trim() == "quit",
        Input::TooLong(_) => false,
        Input::End => true,
    }
}

/// Lines to the GUI, each with its log.
struct FrontOutput {
    output: Box<dyn Write>,
    log: Recorder,
    error: Option<io::Error>,
}

impl FrontOutput {
    fn new(output: impl Write + 'static, log: Option<Arc<dyn Log>>) -> FrontOutput {
        FrontOutput { output: Box::new(output), log: Recorder(log), error: None }
    }

    /// Writes a line at once. Line ends in it become blanks.
    fn line(&mut self, line: impl Display) {
        let mut text = line.to_string().replace(['\n', '\r'], " ");
        self.log.record(Instant::now(), Speaker::Us, &text);
        text.push('\n');
        let written = self.output.write_all(text.as_bytes()).and_then(|()| self.output.flush());
        self.error = self.error.take().or(written.err());
    }

    /// Fails if a line could not be written; a GUI that has gone is no error.
    fn check(&mut self) -> Result<ControlFlow<()>, io::Error> {
        match self.error.take() {
            None => Ok(ControlFlow::Continue(())),
            Some(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(ControlFlow::Break(())),
            Some(error) => Err(io::Error::new(error.kind(), format!("can't write to the GUI: {error}"))),
        }
    }
}

struct MendSession {
    program: Program,
    /// `None` before the first line.
    front: Option<Box<dyn Front>>,
    output: FrontOutput,
}

impl MendSession {
    fn run(&mut self, lines: &GuiLines, leaving: &AtomicBool) -> Result<(), MendError> {
        let mut floods = 0;
        while !leaving.load(Ordering::Relaxed) {
            let next = Instant::now() + SLICE;
            while Instant::now() < next
                && let Ok((at, input)) = lines.inputs.try_recv()
            {
                lines.bell.hear();
                if self.read(at, &input).is_break() {
                    return Ok(());
                }
            }
            let has_heard_all = self.listen();
            if self.output.check()?.is_break() {
                return Ok(());
            }
            if let Some(failure) = self.program.failure() {
                return Err(failure.clone().into());
            }
            // A program that writes without end has to wait, longer each time: whoever works all the time gets a processor late when
            // the flag is near.
            floods = if has_heard_all { 0 } else { LONGEST_PAUSE.min(floods + 1) };
            let pause = if has_heard_all { POLL_INTERVAL } else { SLICE * floods };
            let until = Instant::now() + pause;
            let until = self.program.deadline().map_or(until, |deadline| deadline.min(until));
            let program = self.program.source().filter(|_| has_heard_all);
            let sources: Vec<_> = [lines.bell.source()].into_iter().chain(program).collect();
            platform::wait(&sources, until);
        }
        Ok(())
    }

    /// Handles a line of the GUI. The first one tells its protocol.
    fn read(&mut self, at: Instant, input: &Input) -> ControlFlow<()> {
        if let Input::Line(text) | Input::TooLong(text) = input {
            self.output.log.record(at, Speaker::Program, text);
        }
        if is_last(input) {
            return ControlFlow::Break(());
        }
        if let Input::Line(line) = input {
            let protocol = if line.trim() == "uci" { Protocol::Uci } else { Protocol::Cecp };
            let front = self.front.get_or_insert_with(|| front_of(protocol));
            let desk = &mut Desk { program: &mut self.program, output: &mut self.output, at };
            front.hear(line, desk);
            front.take_up(desk);
        }
        ControlFlow::Continue(())
    }

    /// Handles what the program says, and what is due. Returns false if it may have said more.
    fn listen(&mut self) -> bool {
        let now = Instant::now();
        let next = now + SLICE;
        self.program.tick(now);
        let Some(front) = &mut self.front else { return true };
        while let Some(news) = self.program.take(next) {
            let desk = &mut Desk { program: &mut self.program, output: &mut self.output, at: Instant::now() };
            front.tell(news, desk);
            if desk.at >= next {
                break;
            }
        }
        let now = Instant::now();
        front.take_up(&mut Desk { program: &mut self.program, output: &mut self.output, at: now });
        now < next
    }
}
