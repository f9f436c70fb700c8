//! Lines from a terminal, with editing and history, while others write to the same terminal.

use std::io::{self, Read, Write};
use std::sync::mpsc::{self, Receiver, Sender};

use rustyline::error::ReadlineError;
use rustyline::{DefaultEditor, ExternalPrinter};

/// The prompt of the person at the board.
const PROMPT: &str = "herald> ";

/// What Ctrl-C means.
const INTERRUPTED: &str = "move now";

/// The terminal: a source of lines, a place to write, and the word to ask for the next line.
pub struct Terminal {
    /// Lines; reading them shows the prompt. For a thread of its own.
    pub lines: Lines,
    /// Writes above the prompt, at each flush.
    pub screen: Box<dyn Write>,
    /// Asks for a line.
    pub permit: Permit,
}

/// Asks for a line. Without being asked, the editor leaves the terminal as it found it, so that a program may end.
pub struct Permit(Sender<()>);

impl Permit {
    /// Lets the person type the next line.
    pub fn give(&self) {
        // Fails only if the reading thread has ended, and then there are no more lines.
        let _ = self.0.send(());
    }
}

impl Terminal {
    /// Takes hold of the terminal on standard input and output.
    ///
    /// # Errors
    /// If there is none, or one that can't be controlled.
    pub fn open() -> io::Result<Terminal> {
        let mut editor = DefaultEditor::new().map_err(io::Error::other)?;
        let printer = editor.create_external_printer().map_err(io::Error::other)?;
        let (sender, permits) = mpsc::channel();
        Ok(Terminal {
            lines: Lines { editor, permits, typed: Vec::new() },
            screen: Box::new(Screen { printer, text: Vec::new() }),
            permit: Permit(sender),
        })
    }
}

/// Lines as they are typed.
pub struct Lines {
    editor: DefaultEditor,
    permits: Receiver<()>,
    /// What was typed and not yet read.
    typed: Vec<u8>,
}

impl Lines {
    /// The next line; `None` when no more will come.
    fn ask(&mut self) -> Option<String> {
        self.permits.recv().ok()?;
        match self.editor.readline(PROMPT) {
            Ok(line) => {
                // A line that can't be remembered is still a line.
                let _ = self.editor.add_history_entry(&line);
                Some(line)
            }
            Err(ReadlineError::Interrupted) => Some(INTERRUPTED.to_owned()),
            Err(_) => None,
        }
    }
}

impl Read for Lines {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.typed.is_empty() {
            let Some(line) = self.ask() else { return Ok(0) };
            self.typed = line.into_bytes();
            self.typed.push(b'\n');
        }
        let length = self.typed.len().min(buffer.len());
        buffer[..length].copy_from_slice(&self.typed[..length]);
        self.typed.drain(..length);
        Ok(length)
    }
}

/// Gathers text until it is flushed, because the editor draws the prompt anew below each piece.
struct Screen<P> {
    printer: P,
    text: Vec<u8>,
}

impl<P: ExternalPrinter> Write for Screen<P> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.text.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.text.is_empty() {
            return Ok(());
        }
        let text = String::from_utf8_lossy(&self.text).into_owned();
        self.text.clear();
        self.printer.print(text).map_err(io::Error::other)
    }
}
