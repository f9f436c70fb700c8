//! The director's console: commands are read from standard input, notices are written to standard output.

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};

use anyhow::Result;
use arena::referee::Notice;
use arena::referee::server::Director;

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
                "quit" | "exit" if director.quit() => say("the service ends"),
                _ => match director.order(line) {
                    Some(Ok(text) | Err(text)) => say(&text),
                    None => return,
                },
            }
        }
    })?;
    Ok(())
}
