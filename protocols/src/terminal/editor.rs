//! Input from a terminal: with editing and history on the person's turn, plain lines while Herald searches.
//!
//! The editor's own printing above a prompt is not used, because it loses keys that arrive together.

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

/// The prompt on the person's turn.
const PROMPT: &str = "herald> ";

/// The line that Ctrl-C stands for.
const INTERRUPTED: &str = "move now\n";

/// Interval at which input and turn are polled while Herald searches.
const POLL_INTERVAL: Duration = Duration::from_millis(30);

/// Takes control of the terminal on standard input and output. `interrupted` is set by the handler of SIGINT.
///
/// # Errors
/// If standard input or output is not a terminal, or if the terminal can't be controlled.
pub fn open(interrupted: Arc<AtomicBool>) -> io::Result<(TerminalInput, TurnNotifier)> {
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        return Err(io::ErrorKind::Unsupported.into());
    }
    let editor = DefaultEditor::new().map_err(io::Error::other)?;
    let (sender, turns) = mpsc::channel();
    let lines = TerminalInput { editor, interrupted, turns, delivered: 0, typed: VecDeque::new() };
    Ok((lines, TurnNotifier { sender, heard: 0 }))
}

/// Tells the terminal input whose turn it is. Before that the editor does not change the terminal's mode, so that the
/// program can exit safely.
pub struct TurnNotifier {
    sender: Sender<(u64, TerminalTurn)>,
    /// Number of handled lines.
    heard: u64,
}

impl TurnNotifier {
    /// Tells whose turn it is. `heard` says whether a line has been handled since the last call.
    pub fn give(&mut self, heard: bool, turn: TerminalTurn) {
        self.heard += u64::from(heard);
        // Fails only if the reading thread has ended; then there are no more lines.
        let _ = self.sender.send((self.heard, turn));
    }
}

/// The lines typed on the terminal, to be read on a separate thread.
pub struct TerminalInput {
    editor: DefaultEditor,
    interrupted: Arc<AtomicBool>,
    turns: Receiver<(u64, TerminalTurn)>,
    /// Number of lines that were read; a notice about fewer handled lines is outdated.
    delivered: u64,
    /// Bytes of the current line that were not yet read.
    typed: VecDeque<u8>,
}

impl TerminalInput {
    /// Waits for the next line and returns it with its line end; empty at the end of the input.
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
                // A failure affects the history only.
                let _ = self.editor.add_history_entry(&line);
                format!("{line}\n").into_bytes()
            }
            Err(ReadlineError::Interrupted) => INTERRUPTED.into(),
            Err(_) => Vec::new(),
        }
    }

    /// Returns a line that was typed meanwhile; `None` if there is none.
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
