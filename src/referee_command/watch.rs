//! `herald referee --watch`: the live view on the terminal.

use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};
use arena::referee::watch;
use players::network::Security;

use crate::{WrongInput, session};

/// How often the referee is asked.
const PAUSE: Duration = Duration::from_millis(500);
/// Clears the screen.
const CLEAR: &str = "\u{1b}[H\u{1b}[2J";

/// Shows the event whose page is there, at `HOST:PORT` or a URL: on a terminal until it is interrupted, elsewhere once.
pub(super) fn watch(page: &str, authority: Option<&Path>) -> Result<()> {
    let secure = page.strip_prefix("https://");
    let security = Security::new(secure.is_some(), authority).map_err(WrongInput::of)?;
    let address = secure.or_else(|| page.strip_prefix("http://")).unwrap_or(page).trim_end_matches('/');
    let first = watch::fetch(address, &security).with_context(|| format!("{page} can't be watched"));
    let mut state = first.map_err(WrongInput::of)?;
    let mut output = io::stdout().lock();
    if !output.is_terminal() {
        return Ok(output.write_all(watch::frame(&state, 80, None).as_bytes())?);
    }
    let mut remark = String::new();
    loop {
        let columns = rustix::termios::tcgetwinsize(&output).map_or(80, |size| usize::from(size.ws_col));
        let frame = watch::frame(&state, columns, Some(session::style()));
        write!(output, "{CLEAR}{frame}{remark}")?;
        output.flush()?;
        thread::sleep(PAUSE);
        match watch::fetch(address, &security) {
            Ok(now) => {
                state = now;
                remark.clear();
            }
            Err(error) => remark = format!("\nthe referee can't be reached: {error}\n"),
        }
    }
}
