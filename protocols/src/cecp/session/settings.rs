//! Handshake, memory, threads and options.

use std::io;

use engine::{Engine, NumberSetting, PathSetting, Setting, SettingError, Settings};
use game::Game;
use game::book::BookError;

use super::Session;
use crate::cecp::announcement::{EngineOption, SYZYGY, announcement, options_again};
use messages::cecp::first_word;
use messages::cecp::{Audience, Message};

/// Memory that is not hash table, in MiB: program, network, stacks.
const RESERVED_MEMORY: i64 = 16;

/// What comes by `memory` and `cores` from the GUI, which has settings of its own for it.
pub(super) const TOLD_BY_GUI: [NumberSetting; 2] = [NumberSetting::Hash, NumberSetting::Threads];

/// The handshake.
impl Session<'_> {
    /// `protover`
    pub(super) fn announce(&mut self) -> io::Result<()> {
        announcement(self.host.engine.settings()).iter().try_for_each(|line| self.output.send(line))?;
        // Under a GUI nobody reads standard error.
        let problems = std::mem::take(&mut self.host.settings_problems);
        let told = |problem| Message::TellUserError(format!("Saved settings: {problem}"));
        problems.into_iter().map(told).try_for_each(|message| self.output.send(&message))
    }

    /// `accepted`
    pub(super) fn feature_accepted(&mut self, feature: &str) {
        if feature == "debug" {
            self.output.debugs = true;
        }
    }

    /// `rejected`: what was offered is offered in another form, if it has one. Of most features Herald understands both
    /// forms anyway: moves with and without `usermove`, `setboard` and `edit`.
    pub(super) fn feature_rejected(&mut self, text: &str) -> io::Result<()> {
        let (feature, more) = first_word(text);
        let number = |setting| EngineOption::Setting(Setting::Number(setting));
        let settings = self.host.engine.settings();
        let offer = match feature {
            "debug" => {
                self.output.debugs = false;
                None
            }
            "memory" => Some(number(NumberSetting::Hash).offer(settings)),
            "smp" => Some(number(NumberSetting::Threads).offer(settings)),
            "option" => {
                let name = more.split(" -").next().unwrap_or_default();
                EngineOption::named(name.trim()).and_then(|option| option.simpler_offer(settings))
            }
            _ => None,
        };
        offer.map_or(Ok(()), |offer| self.output.send(&offer))
    }
}

/// What can be set.
impl Session<'_> {
    /// `memory`: the ceiling for everything together.
    pub(super) fn set_memory(&mut self, mebibytes: u64, line: &str) -> io::Result<()> {
        let range = NumberSetting::Hash.range();
        let mebibytes = i64::try_from(mebibytes).unwrap_or(i64::MAX);
        let hash = (mebibytes - RESERVED_MEMORY).clamp(*range.start(), *range.end());
        self.change(Setting::Number(NumberSetting::Hash), &hash.to_string(), line)?;
        self.output.debug(format!("hash table of {} MiB", self.host.engine.get(NumberSetting::Hash)))
    }

    /// `cores`
    pub(super) fn set_cores(&mut self, cores: u64, line: &str) -> io::Result<()> {
        let range = NumberSetting::Threads.range();
        let threads = i64::try_from(cores).unwrap_or(i64::MAX).clamp(*range.start(), *range.end());
        self.change(Setting::Number(NumberSetting::Threads), &threads.to_string(), line)
    }

    /// `egtpath`. XBoard sends `/EGT/Syzygy` to whoever reads such tables, unless the user has said otherwise: that there
    /// are none is no news.
    pub(super) fn set_tablebases(&mut self, flavor: &str, path: &str, line: &str) -> io::Result<()> {
        if flavor != SYZYGY {
            return self.output.error("unknown kind of endgame tables", line);
        }
        match self.host.engine.set_path(PathSetting::Tablebases, path) {
            Ok(()) => Ok(()),
            Err(error) => self.output.debug(error.to_string()),
        }
    }

    /// `option`
    pub(super) fn set_option(&mut self, name: &str, value: Option<&str>, line: &str) -> io::Result<()> {
        match (EngineOption::named(name), value) {
            (None, _) => self.output.error("unknown option", line),
            (Some(EngineOption::Setting(setting @ Setting::Path(_))), None) => self.change(setting, "", line),
            (Some(EngineOption::Setting(_)), None) => self.output.error("missing value", line),
            (Some(EngineOption::Setting(setting)), Some(value)) => self.change(setting, value, line),
            (Some(EngineOption::ClearHash), _) => {
                self.host.engine.clear();
                Ok(())
            }
            (Some(EngineOption::Save), _) => self.save(),
            (Some(EngineOption::Reset), _) => self.reset(),
        }
    }

    /// Changes a setting. An analysis shows the effect at once; a move that is being thought about is not disturbed.
    fn change(&mut self, setting: Setting, value: &str, line: &str) -> io::Result<()> {
        match self.host.engine.change(setting, value) {
            Ok(()) => {
                self.search_anew();
                Ok(())
            }
            Err(
                error @ (SettingError::Memory { .. }
                | SettingError::Book { .. }
                | SettingError::Network { .. }
                | SettingError::Tablebases(_)),
            ) => {
                // For the user to put right. Besides, GUIs fear for an engine that says `No such file` by itself.
                self.output.send(&Message::TellUserError(error.to_string()))
            }
            Err(error) => self.output.error(&error.to_string(), line),
        }
    }

    pub(super) fn save(&mut self) -> io::Result<()> {
        let message = match self.host.save_settings(&TOLD_BY_GUI) {
            Ok(path) => Message::Tell(Audience::User, format!("Settings saved in {}", path.display())),
            Err(problem) => Message::TellUserError(format!("Settings not saved: {problem}")),
        };
        self.output.send(&message)
    }

    /// Restores the defaults, and tells the GUI, whose dialogue still shows the old values. What was saved before stays,
    /// unless the user says that it shall not.
    fn reset(&mut self) -> io::Result<()> {
        for problem in self.host.engine.adopt(&Settings::default()) {
            self.output.send(&Message::TellUserError(problem.to_string()))?;
        }
        self.was_reset = true;
        options_again(self.host.engine.settings()).iter().try_for_each(|line| self.output.send(line))
    }
}

/// The book.
impl Session<'_> {
    /// `bk`: the moves of the book with their shares.
    pub(super) fn tell_book(&mut self) -> io::Result<()> {
        let moves = self.board.game().map(|game| book_lines(&mut self.host.engine, game));
        match moves.unwrap_or(Ok(Vec::new())) {
            Ok(lines) => lines.into_iter().try_for_each(|line| self.output.send(&Message::BookLine(line)))?,
            Err(error) => self.output.debug(error.to_string())?,
        }
        self.output.send(&Message::BookEnd)
    }
}

/// The moves of the book, one a line.
fn book_lines(engine: &mut Engine, game: &Game) -> Result<Vec<String>, BookError> {
    let moves = engine.book_moves(game)?;
    let total: u32 = moves.iter().map(|m| u32::from(m.weight)).sum();
    let share = |weight: u16| 100 * u32::from(weight) / total.max(1);
    Ok(moves.iter().map(|m| format!("{} {}%", game.san(m.mv), share(m.weight))).collect())
}
