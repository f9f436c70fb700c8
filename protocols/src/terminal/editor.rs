//! Lines from a terminal: with editing and history while it is the person's turn, plain while Herald searches.
//!
//! (The editor's own way to write above a prompt is not used: it forgets keys that arrive together.)

use std::collections::VecDeque;
use std::io::{self, IsTerminal, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::{Duration, Instant};

use platform::terminal;
use rustyline::DefaultEditor;
use rustyline::error::ReadlineError;

use super::TerminalTurn;
use messages::input::MAX_LINE;

/// The prompt of the person at the board.
const PROMPT: &str = "herald> ";

/// What Ctrl-C means.
const INTERRUPTED: &str = "move now\n";

/// How often input and engine are polled while Herald searches.
const POLL_INTERVAL: Duration = Duration::from_millis(30);

/// Takes control of the terminal on standard input and output. `interrupted` is set by the handler of SIGINT.
///
/// # Errors
/// If there is none, or one that can't be controlled.
pub fn open(interrupted: Arc<AtomicBool>) -> io::Result<(TerminalInput, TurnNotifier)> {
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        return Err(io::ErrorKind::Unsupported.into());
    }
    let editor = DefaultEditor::new().map_err(io::Error::other)?;
    let (sender, turns) = mpsc::channel();
    let lines = TerminalInput { editor, interrupted, turns, delivered: 0, typed: VecDeque::new() };
    Ok((lines, TurnNotifier { sender, heard: 0 }))
}

/// Tells the terminal whose turn it is. Until then the editor leaves the terminal as it was, so that the
/// program may end.
pub struct TurnNotifier {
    sender: Sender<(u64, TerminalTurn)>,
    /// How many lines have been dealt with.
    heard: u64,
}

impl TurnNotifier {
    /// Tells whose turn it is, after a line was dealt with if `heard`.
    pub fn give(&mut self, heard: bool, turn: TerminalTurn) {
        self.heard += u64::from(heard);
        // Fails only if the reading thread has ended, and then there are no more lines.
        let _ = self.sender.send((self.heard, turn));
    }
}

/// Lines as they are typed, for a thread of its own.
pub struct TerminalInput {
    editor: DefaultEditor,
    interrupted: Arc<AtomicBool>,
    turns: Receiver<(u64, TerminalTurn)>,
    /// How many lines were handed out; a notice from before the last of them no longer holds.
    delivered: u64,
    /// What was typed and not yet read.
    typed: VecDeque<u8>,
}

impl TerminalInput {
    /// The next line with its end; empty when no more will come.
    fn ask(&mut self) -> Vec<u8> {
        let Some((_, mut turn)) = self.turns.iter().find(|(heard, _)| *heard >= self.delivered) else {
            return Vec::new();
        };
        self.interrupted.store(false, Ordering::Relaxed);
        loop {
            turn = self.turns.try_iter().last().map_or(turn, |(_, turn)| turn);
            let line = match turn {
                TerminalTurn::Person => Some(self.edit()),
                TerminalTurn::Herald => self.poll(),
            };
            if let Some(line) = line {
                self.delivered += 1;
                return line;
            }
        }
    }

    fn edit(&mut self) -> Vec<u8> {
        match self.editor.readline(PROMPT) {
            Ok(line) => {
                // A line that can't be remembered is still a line.
                let _ = self.editor.add_history_entry(&line);
                format!("{line}\n").into_bytes()
            }
            Err(ReadlineError::Interrupted) => INTERRUPTED.into(),
            Err(_) => Vec::new(),
        }
    }

    /// What the person has typed meanwhile; `None` if nothing.
    fn poll(&self) -> Option<Vec<u8>> {
        let is_typed = terminal::is_typed(Instant::now() + POLL_INTERVAL);
        if self.interrupted.swap(false, Ordering::Relaxed) {
            return Some(INTERRUPTED.into());
        }
        is_typed.then(|| terminal::read_line(MAX_LINE))
    }
}

impl Read for TerminalInput {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.typed.is_empty() {
            self.typed = self.ask().into();
        }
        self.typed.read(buffer)
    }
}
