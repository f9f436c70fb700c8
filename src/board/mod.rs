//! `herald board`: a board in the browser.

mod guard;
mod server;
mod sessions;

use std::fs::File;
use std::io::{self, BufReader, Write as _};
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result, anyhow};
use clap::Args;
use engine::{NumberSetting, Settings, SettingsFile};
use platform::signals;
use protocols::browser::{GameLibrary, MOST_GAMES};
use tempfile::TempPath;

use crate::WrongInput;
use guard::AccessToken;

/// A board in the browser: play against Herald, analyse positions, look at games of a file and have them annotated
///
/// The board is served on this machine alone, at an address with a random token: only who knows it gets in. Each page that is
/// opened has a session of its own. Ctrl-C ends the program. docs/BOARD.md describes the interface.
#[derive(Args)]
#[command(after_help = "Examples:
  herald board
  herald board games.pgn
  herald board --no-browser --listen 127.0.0.1:8080")]
pub(crate) struct BoardArgs {
    /// Games in PGN, or positions in EPD or FEN, to look at
    file: Option<PathBuf>,
    /// Address to listen at, on this machine; port 0 stands for any that is free
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:0", value_parser = read_address)]
    listen: SocketAddr,
    /// Only print the address
    #[arg(long)]
    no_browser: bool,
    /// Size of each session's hash table in MiB
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(i64).range(NumberSetting::Hash.range()))]
    hash: Option<i64>,
    /// Number of search threads of each session
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(i64).range(NumberSetting::Threads.range()))]
    threads: Option<i64>,
}

fn read_address(text: &str) -> Result<SocketAddr, String> {
    let address: Option<SocketAddr> = match text.strip_prefix("localhost:") {
        Some(port) => port.parse().ok().map(|port| (IpAddr::from([127, 0, 0, 1]), port).into()),
        None => text.parse().ok(),
    };
    let address = address.ok_or("expected an address with a port, such as 127.0.0.1:8080")?;
    if !address.ip().is_loopback() {
        return Err(
            "the board is for this machine alone: expected a loopback address such as 127.0.0.1:8080"
                .to_owned(),
        );
    }
    Ok(address)
}

/// The file that leads the browser to the board. It is removed once a page has been asked for, and at the end.
type Signpost = Arc<Mutex<Option<TempPath>>>;

fn take_down(signpost: &Signpost) {
    // Removing it fails only if somebody else has done so.
    drop(signpost.lock().unwrap_or_else(PoisonError::into_inner).take());
}

impl BoardArgs {
    pub(crate) fn run(&self) -> Result<()> {
        let library = self.file.as_deref().map(read_file).transpose()?.unwrap_or_default();
        let settings = self.settings()?;
        let token = AccessToken::random().context("the system gives no random numbers")?;
        let signpost = Signpost::default();
        let at_end = Arc::clone(&signpost);
        signals::exit_at(&signals::ALL, move || {
            take_down(&at_end);
            0
        })?;
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::bind(self.listen).await;
            let listener = listener.with_context(|| format!("can't listen at {}", self.listen))?;
            let address = listener.local_addr()?;
            let url = format!("http://{address}/{}/", token.text());
            writeln!(io::stdout(), "The board is at {url}")?;
            io::stdout().flush()?;
            if !self.no_browser
                && let Err(error) = open_browser(&url, &signpost)
            {
                tell!("herald: no browser can be opened ({error}); open the address in one yourself");
            }
            let sessions = sessions::SessionTable::new(settings, library.into());
            server::serve(listener, address, token, sessions, signpost).await
        })
    }

    /// The user's saved settings and the options of the command line.
    fn settings(&self) -> Result<Settings> {
        let saved = SettingsFile::of_user().map(|file| file.load()).transpose();
        let mut settings = saved.unwrap_or_else(|problem| {
            tell!("herald: saved settings: {problem}");
            None
        });
        let settings = settings.get_or_insert_default();
        for (setting, value) in [(NumberSetting::Hash, self.hash), (NumberSetting::Threads, self.threads)] {
            if let Some(value) = value {
                settings.set(setting, value)?;
            }
        }
        Ok(settings.clone())
    }
}

fn read_file(path: &Path) -> Result<GameLibrary> {
    let shown = path.display();
    let file = File::open(path).map_err(|error| WrongInput::of(anyhow!("can't read `{shown}`: {error}")))?;
    let library = GameLibrary::read(BufReader::new(file));
    let library = library.map_err(|error| WrongInput::of(anyhow!("can't read `{shown}`: {error}")))?;
    if library.len() == MOST_GAMES {
        tell!("herald: the first {MOST_GAMES} games of `{shown}` are shown");
    }
    Ok(library)
}

/// Opens the browser. The address goes through a file that only the user can read: arguments of programs are seen by everybody.
fn open_browser(url: &str, signpost: &Signpost) -> io::Result<()> {
    let mut builder = tempfile::Builder::new();
    builder.prefix("herald-board-").suffix(".html");
    let mut file = match dirs::runtime_dir().or_else(dirs::cache_dir) {
        Some(folder) if folder.is_dir() => builder.tempfile_in(folder)?,
        _ => builder.tempfile()?,
    };
    writeln!(
        file,
        "<!DOCTYPE html><meta charset=\"utf-8\"><meta name=\"referrer\" content=\"no-referrer\">\
         <meta http-equiv=\"refresh\" content=\"0;url={url}\"><a href=\"{url}\">The board</a>"
    )?;
    let path = file.into_temp_path();
    platform::open_with_default(&path)?;
    *signpost.lock().unwrap_or_else(PoisonError::into_inner) = Some(path);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_is_served() {
        for good in ["127.0.0.1:0", "[::1]:8080", "localhost:80", "127.1.2.3:4"] {
            assert!(read_address(good).is_ok(), "{good}");
        }
        for bad in ["0.0.0.0:80", "192.168.0.1:80", "[::]:80", "127.0.0.1", "localhost", "localhost:x", ""] {
            assert!(read_address(bad).is_err(), "{bad}");
        }
    }
}
