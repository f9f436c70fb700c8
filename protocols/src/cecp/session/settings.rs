//! Handshake, memory, threads and options.

use std::io;

use engine::book::BookError;
use engine::{Engine, Game, PathSetting, Setting, SettingError};

use super::Session;
use crate::cecp::announcement::{EngineOption, SYZYGY, announcement};
use crate::cecp::message::Message;

/// Memory that is not hash table, in MiB: program, network, stacks.
const RESERVED_MEMORY: u64 = 16;

impl Session<'_> {
    /// `protover`
    pub(super) fn announce(&mut self) -> io::Result<()> {
        announcement(&self.host.engine).iter().try_for_each(|line| self.output.send(line))
    }

    /// Of all features only `debug` makes a difference: whatever else was rejected, Herald understands the other form too.
    pub(super) fn answer_feature(&mut self, feature: &str, accepted: bool) {
        if feature == "debug" {
            self.output.debugs = accepted;
        }
    }

    /// `memory`: the ceiling for everything together.
    pub(super) fn set_memory(&mut self, mebibytes: u64, line: &str) -> io::Result<()> {
        let range = Setting::Hash.range();
        let hash = mebibytes.saturating_sub(RESERVED_MEMORY).clamp(*range.start(), *range.end());
        self.change_setting(Setting::Hash, hash, line)?;
        self.output.debug(format!("hash table of {} MiB", self.host.engine.get(Setting::Hash)))
    }

    /// `cores`
    pub(super) fn set_cores(&mut self, cores: u64, line: &str) -> io::Result<()> {
        let range = Setting::Threads.range();
        self.change_setting(Setting::Threads, cores.clamp(*range.start(), *range.end()), line)
    }

    /// `option`
    pub(super) fn set_option(&mut self, name: &str, value: Option<&str>, line: &str) -> io::Result<()> {
        let Some(option) = EngineOption::named(name) else {
            return self.output.error("unknown option", line);
        };
        match (option, value) {
            (EngineOption::Path(setting), value) => self.set_path(setting, value.unwrap_or_default(), line),
            (_, None) => self.output.error("missing value", line),
            (EngineOption::Number(setting), Some(value)) => match value.parse() {
                Ok(value) => self.change_setting(setting, value, line),
                Err(_) => self.output.error("bad number", line),
            },
            (EngineOption::OwnBook, Some(value @ ("0" | "1"))) => {
                self.host.engine.use_own_book(value == "1");
                Ok(())
            }
            (EngineOption::OwnBook, Some(_)) => self.output.error("expected 0 or 1", line),
        }
    }

    /// `egtpath`
    pub(super) fn set_tablebases(&mut self, flavor: &str, path: &str, line: &str) -> io::Result<()> {
        if flavor == SYZYGY {
            self.set_path(PathSetting::Tablebases, path, line)
        } else {
            self.output.error("unknown kind of endgame tables", line)
        }
    }

    fn set_path(&mut self, setting: PathSetting, path: &str, line: &str) -> io::Result<()> {
        match self.host.engine.set_path(setting, path.trim()) {
            Ok(()) => Ok(()),
            Err(error) => self.output.error(&error.to_string(), line),
        }
    }

    /// `bk`: the moves of the book with their shares.
    pub(super) fn tell_book(&mut self) -> io::Result<()> {
        let moves = self.board.game().map(|game| book_lines(&mut self.host.engine, game));
        match moves.unwrap_or(Ok(Vec::new())) {
            Ok(lines) => lines.into_iter().try_for_each(|line| self.output.send(&Message::BookLine(line)))?,
            Err(error) => self.output.debug(error.to_string())?,
        }
        self.output.send(&Message::BookEnd)
    }

    fn change_setting(&mut self, setting: Setting, value: u64, line: &str) -> io::Result<()> {
        match self.host.engine.set(setting, value) {
            Ok(()) => Ok(()),
            Err(SettingError::Memory(_)) => {
                let old = self.host.engine.get(Setting::Hash);
                let text =
                    format!("Too little memory for a hash table of {value} MiB; it stays at {old} MiB");
                self.output.send(&Message::TellUserError(text))
            }
            Err(error) => self.output.error(&error.to_string(), line),
        }
    }
}

/// The moves of the book, one a line.
fn book_lines(engine: &mut Engine, game: &Game) -> Result<Vec<String>, BookError> {
    let moves = engine.book_moves(game)?;
    let total: u32 = moves.iter().map(|m| u32::from(m.weight)).sum();
    let share = |weight: u16| 100 * u32::from(weight) / total.max(1);
    Ok(moves.iter().map(|m| format!("{} {}%", game.san(m.mv), share(m.weight))).collect())
}
