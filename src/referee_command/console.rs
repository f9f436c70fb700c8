//! The director's console (commands are read from standard input, notices are written to standard output), and the view of a
//! running event on a terminal.

use std::collections::VecDeque;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Error, Result, ensure};
use arena::referee::server::Director;
use arena::referee::{CONSOLE, Notice, Order, watch};
use messages::input::{Input, LineReader};
use platform::terminal::TerminalMode;
use players::transport::Security;
use rustyline::error::ReadlineError;
use rustyline::{Config, DefaultEditor, ExternalPrinter};

use crate::{WrongInput, session, settings};

/// The director's standard output.
pub(super) struct Console {
    /// Whether urgent notices ring the terminal bell.
    rings: bool,
    /// Mode of the terminal before the line editor changed it.
    mode: Option<TerminalMode>,
}

/// Writes above the line that is being typed, once there is a line editor.
static PRINTER: OnceLock<Mutex<Box<dyn ExternalPrinter + Send>>> = OnceLock::new();

impl Console {
    pub(super) fn new() -> Console {
        Console { rings: io::stdout().is_terminal(), mode: TerminalMode::present() }
    }

    /// Writes a notice; rings the bell if it is urgent.
    pub(super) fn tell(&self, news: &Notice) {
        let bell = if news.urgent && self.rings { "\u{7}" } else { "" };
        let sign = if news.urgent { "! " } else { "" };
        say(&format!("{bell}{sign}{}", news.text));
    }

    /// Gives the terminal back as it was. The thread that reads from it may still wait for a line.
    pub(super) fn restore(&self) {
        if let Some(mode) = self.mode.as_ref().filter(|_| PRINTER.get().is_some()) {
            mode.restore();
        }
    }
}

/// Writes a text for the director. Write errors are ignored, because the event must continue.
pub(super) fn say(text: &str) {
    if let Some(printer) = PRINTER.get() {
        let mut printer = printer.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = printer.print(format!("{text}\n"));
        return;
    }
    let mut output = io::stdout().lock();
    let _ = writeln!(output, "{text}").and_then(|()| output.flush());
}

/// Who gets the director's orders.
pub(super) enum Recipient {
    /// The referee stands by for one at another address. Orders are for that one; only `quit` is for this one.
    Elsewhere { address: String, stop: Arc<AtomicBool> },
    /// The referee acts.
    Here(Director),
}

/// The place where the director's orders are read.
#[derive(Clone)]
pub(super) struct Desk {
    recipient: Arc<Mutex<Recipient>>,
    /// Whether a program that enters must have a secret.
    needs_secrets: bool,
}

impl Desk {
    /// Starts the thread that reads the director's orders: with a line editor on a terminal, line by line elsewhere.
    pub(super) fn open(recipient: Recipient, needs_secrets: bool) -> Result<Desk> {
        let desk = Desk { recipient: Arc::new(Mutex::new(recipient)), needs_secrets };
        let reading = desk.clone();
        std::thread::Builder::new().name("console".into()).spawn(move || {
            let is_terminal = io::stdin().is_terminal() && io::stdout().is_terminal();
            match is_terminal.then(Keyboard::open).and_then(Result::ok) {
                Some(keyboard) => reading.read_keys(keyboard),
                None => reading.read_lines(),
            }
        })?;
        Ok(desk)
    }

    /// From now on orders go to another recipient.
    pub(super) fn hand_to(&self, recipient: Recipient) {
        *self.recipient() = recipient;
    }

    fn recipient(&self) -> MutexGuard<'_, Recipient> {
        self.recipient.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads orders from a pipe or a file to its end.
    fn read_lines(&self) {
        let mut lines = LineReader::new(io::stdin());
        loop {
            match lines.read() {
                Input::Line(line) if line.contains(char::REPLACEMENT_CHARACTER) => {
                    say(&format!("`{}` is no UTF-8; it is not carried out", game::excerpt(&line)));
                }
                Input::Line(line) => self.hear(&line, None),
                Input::TooLong(line) => {
                    say(&format!("`{}…` is too long; it is not carried out", game::excerpt(&line)));
                }
                Input::End => return,
            }
        }
    }

    fn read_keys(&self, mut keyboard: Keyboard) {
        // Whether what comes up to the next line end belongs to a line that was refused.
        let mut is_rest = false;
        loop {
            match keyboard.line("") {
                Ok(line) if is_rest => {
                    is_rest = false;
                    if !line.is_empty() {
                        say(&format!("`{}` is not carried out; type it again", game::excerpt(&line)));
                    }
                }
                Ok(line) => self.hear(&line, Some(&mut keyboard)),
                Err(ReadlineError::Interrupted) => self.quit(true),
                Err(ReadlineError::Signal(_)) => {}
                Err(ReadlineError::Io(error)) if error.kind() == io::ErrorKind::InvalidData => {
                    if !is_rest {
                        say(
                            "\nthat is no UTF-8; what came with it is not carried out, nor what comes up to the next Enter",
                        );
                    }
                    is_rest = true;
                }
                // Ctrl-D on an empty line; or the terminal is gone.
                Err(ReadlineError::Eof) if TerminalMode::present().is_some() => {
                    say("Ctrl-D ends nothing; `quit` ends the service");
                }
                Err(_) => return say("no more orders are read from here; the event goes on"),
            }
        }
    }

    /// Carries an order out, or answers why not. On a terminal it asks before what can't be undone.
    fn hear(&self, line: &str, keyboard: Option<&mut Keyboard>) {
        if line.trim().is_empty() {
            return;
        }
        let order = match self.order(line) {
            Ok(order) => order,
            Err(error) => return say(&format!("{error:#}")),
        };
        let director = match &*self.recipient() {
            Recipient::Here(director) => director.clone(),
            Recipient::Elsewhere { stop, .. } if matches!(order.words(), "quit" | "exit") => {
                return stop.store(true, Ordering::Relaxed);
            }
            Recipient::Elsewhere { address, .. } => {
                return say(&format!(
                    "this referee stands by and takes no orders; give them to the one at {address}"
                ));
            }
        };
        if order.needs_confirmation()
            && let Some(keyboard) = keyboard
        {
            let question = match order.words() {
                words @ ("quit" | "exit" | "quit pause") => Ok(format!("{words}: really?")),
                _ => director.order(order.clone()).unwrap_or_else(|| Err("the service has ended".to_owned())),
            };
            match question {
                Err(why) => return say(&why),
                Ok(question) if keyboard.agrees(&question) => {}
                Ok(_) => return say("left as it is"),
            }
        }
        let order = order.confirmed();
        match order.words() {
            "quit" | "exit" => self.quit(false),
            "quit pause" => self.quit(true),
            _ => {
                if let Some(Ok(text) | Err(text)) = director.order(order) {
                    say(&text);
                }
            }
        }
    }

    /// Reads an order. The secret of a program that enters may stand in a file.
    fn order(&self, line: &str) -> Result<Order> {
        if line.split_whitespace().next() != Some("enter") {
            return Ok(Order::new(line, CONSOLE));
        }
        let words =
            platform::split_words(line)?.into_iter().map(|word| match word.strip_prefix("secret-file=") {
                Some(file) => Ok(format!("secret={}", settings::first_line(Path::new(file))?)),
                None => Ok(word),
            });
        let line = shell_words::join(words.collect::<Result<Vec<String>>>()?);
        let order = Order::with_secret_in(&line, CONSOLE).map_err(Error::msg)?;
        ensure!(
            order.has_secret() || !self.needs_secrets,
            "programs of other machines can connect: say enter NAME secret-file=FILE"
        );
        Ok(order)
    }

    fn quit(&self, is_pause: bool) {
        let text = match &*self.recipient() {
            Recipient::Elsewhere { stop, .. } => return stop.store(true, Ordering::Relaxed),
            Recipient::Here(director) if !director.quit(is_pause) => return,
            Recipient::Here(_) if is_pause => "the service pauses",
            Recipient::Here(_) => "the service ends",
        };
        say(text);
    }
}

/// The lines that are typed on a terminal.
struct Keyboard {
    editor: DefaultEditor,
    /// Further lines of what was pasted at once.
    pasted: VecDeque<String>,
}

impl Keyboard {
    /// Takes control of the terminal. From then on notices appear above the line that is being typed.
    fn open() -> rustyline::Result<Keyboard> {
        // Otherwise the lines of a paste wait for a further key.
        let config = Config::builder().bracketed_paste(false).build();
        let mut editor = DefaultEditor::with_config(config)?;
        if let Ok(printer) = editor.create_external_printer() {
            let _ = PRINTER.set(Mutex::new(Box::new(printer)));
        }
        Ok(Keyboard { editor, pasted: VecDeque::new() })
    }

    /// Waits for the next line.
    fn line(&mut self, prompt: &str) -> rustyline::Result<String> {
        if self.pasted.is_empty() {
            let text = self.editor.readline(prompt)?;
            self.pasted.extend(text.split('\n').map(str::to_owned));
        }
        let line = self.pasted.pop_front().unwrap_or_default();
        if !line.contains("secret=") {
            // A failure affects the history only.
            let _ = self.editor.add_history_entry(&line);
        }
        Ok(line)
    }

    /// Whether the director answers a question with yes. An order in place of an answer, as in a paste, is not lost without a word.
    fn agrees(&mut self, question: &str) -> bool {
        let answer = self.line(&format!("{question} (yes/no) ")).unwrap_or_default();
        let answer = answer.trim();
        if !["", "yes", "no"].contains(&answer) {
            say(&format!(
                "`{}` is neither yes nor no: nothing is carried out; type the order again",
                game::excerpt(answer)
            ));
        }
        answer == "yes"
    }
}

/// Interval between two requests.
const PAUSE: Duration = Duration::from_millis(500);
/// Moves the cursor to the top of the screen. The previous frame is overwritten without clearing, to avoid flicker.
const TOP: &str = "\u{1b}[H";
/// Clears the rest of a line, and of the screen.
const CLEAR_LINE: &str = "\u{1b}[K";
const CLEAR_REST: &str = "\u{1b}[J";

/// Shows the event of a live page at `HOST:PORT` or a URL: on a terminal until it is interrupted, elsewhere once.
pub(super) fn watch(page: &str, authority: Option<&Path>) -> Result<()> {
    let secure = page.strip_prefix("https://");
    let security = Security::new(secure.is_some(), authority).map_err(WrongInput::of)?;
    let address = secure.or_else(|| page.strip_prefix("http://")).unwrap_or(page).trim_end_matches('/');
    let first = watch::fetch(address, &security).with_context(|| format!("{page} can't be watched"));
    let mut state = first.map_err(WrongInput::of)?;
    let mut output = io::stdout().lock();
    if !output.is_terminal() {
        return Ok(output.write_all(watch::text(&state).as_bytes())?);
    }
    let mut remark = String::new();
    loop {
        let (columns, rows) = platform::terminal::size().unwrap_or((80, 24));
        let frame = watch::frame(&state, columns, rows, session::style());
        let text = frame.iter().fold(TOP.to_owned(), |text, line| text + CLEAR_LINE + line + "\n");
        let text = text + CLEAR_REST + &remark.chars().take(columns).collect::<String>();
        output.write_all(text.as_bytes())?;
        output.flush()?;
        thread::sleep(PAUSE);
        match watch::fetch(address, &security) {
            Ok(now) => {
                state = now;
                remark.clear();
            }
            Err(error) => remark = format!("the referee can't be reached: {error}"),
        }
    }
}
