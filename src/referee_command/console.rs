//! The director's console: orders come from standard input, news go to standard output.

use std::io::{self, BufRead as _, Write as _};

use anyhow::Result;
use arena::referee::server::Director;
use arena::referee::{DirectorCommand, HELP, Notice};

/// Standard output, as the director sees it.
pub(super) struct Console {
    /// Whether the bell rings.
    rings: bool,
}

impl Console {
    pub(super) fn new() -> Console {
        Console { rings: super::is_watched() }
    }

    /// Tells the director something; rings for what needs a hand.
    pub(super) fn tell(&self, news: &Notice) {
        let bell = if news.urgent && self.rings { "\u{7}" } else { "" };
        let sign = if news.urgent { "! " } else { "" };
        say(&format!("{bell}{sign}{}", news.text));
    }
}

/// Writes a text for the director. If nobody reads it any more, the event goes on all the same.
pub(super) fn say(text: &str) {
    let mut output = io::stdout().lock();
    let _ = writeln!(output, "{text}").and_then(|()| output.flush());
}

/// Starts to listen to the director.
pub(super) fn listen(director: Director) -> Result<()> {
    std::thread::Builder::new().name("console".into()).spawn(move || {
        for line in io::stdin().lock().lines().map_while(io::Result::ok) {
            let answer = match line.parse::<DirectorCommand>() {
                Ok(DirectorCommand::Help) => Ok(HELP.to_owned()),
                Ok(order) => match director.order(order) {
                    Some(answer) => answer,
                    None => return,
                },
                Err(why) if why.is_empty() => continue,
                Err(why) => Err(why),
            };
            match answer {
                Ok(text) | Err(text) => say(&text),
            }
        }
    })?;
    Ok(())
}
