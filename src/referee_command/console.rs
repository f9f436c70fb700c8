//! The director's console (commands are read from standard input, notices are written to standard output), and the view of a
//! running event on a terminal.

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};
use std::path::Path;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};
use arena::referee::server::Director;
use arena::referee::{CONSOLE, Notice, Order, watch};
use players::transport::Security;

use crate::{WrongInput, session};

/// The director's standard output.
pub(super) struct Console {
    /// Whether urgent notices ring the terminal bell.
    rings: bool,
}

impl Console {
    pub(super) fn new() -> Console {
        Console { rings: io::stdout().is_terminal() }
    }

    /// Writes a notice; rings the bell if it is urgent.
    pub(super) fn tell(&self, news: &Notice) {
        let bell = if news.urgent && self.rings { "\u{7}" } else { "" };
        let sign = if news.urgent { "! " } else { "" };
        say(&format!("{bell}{sign}{}", news.text));
    }
}

/// Writes a text for the director. Write errors are ignored, because the event must continue.
pub(super) fn say(text: &str) {
    let mut output = io::stdout().lock();
    let _ = writeln!(output, "{text}").and_then(|()| output.flush());
}

/// Starts the thread that reads the director's commands.
pub(super) fn listen(director: Director) -> Result<()> {
    std::thread::Builder::new().name("console".into()).spawn(move || {
        for line in io::stdin().lock().lines().map_while(io::Result::ok) {
            match line.trim() {
                "" => {}
                "quit" | "exit" if director.quit(false) => say("the service ends"),
                "quit pause" if director.quit(true) => say("the service pauses"),
                _ => match director.order(Order::new(&line, CONSOLE)) {
                    Some(Ok(text) | Err(text)) => say(&text),
                    None => return,
                },
            }
        }
    })?;
    Ok(())
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
