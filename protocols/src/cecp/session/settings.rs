//! Handshake, memory, threads and options.

use engine::{NumberSetting, PathSetting, Setting, SettingError, Settings};
use game::book::BookMove;

use super::CecpSession;
use crate::cecp::announcement::{CecpOption, SYZYGY, announcement, options_again};
use messages::cecp::{Audience, Message, first_word};

/// Memory other than the hash table, in MiB: program, network, stacks.
const RESERVED_MEMORY: u64 = 16;

/// Memory of each thread beyond the first, in MiB: histories, accumulators, the stack in use.
const THREAD_MEMORY: u64 = 3;

/// XBoard's default path of Syzygy tables.
const XBOARDS_TABLES: &str = "/EGT/Syzygy";

/// The handshake.
impl CecpSession<'_> {
    /// Handles `protover`. The first version of the protocol has no features.
    pub(super) fn announce(&mut self, version: u32) {
        if version >= 2 {
            self.output.send_all(announcement(self.host.engine.settings()));
        }
        // Standard error is not visible under a GUI.
        let problems = std::mem::take(&mut self.host.settings_problems).into_iter();
        self.output.send_all(problems.map(|it| Message::TellUserError(format!("Saved settings: {it}"))));
    }

    /// Handles `rejected`: offers a simpler form of the feature, if there is one. Of most features Herald understands
    /// both forms anyway: moves with and without `usermove`, `setboard` and `edit`.
    pub(super) fn feature_rejected(&mut self, text: &str) {
        let (feature, more) = first_word(text);
        let settings = self.host.engine.settings();
        let number = |setting| Some(CecpOption::Setting(Setting::Number(setting)).offer(settings));
        let option = || CecpOption::named(more.split(" -").next().unwrap_or_default().trim());
        let offer = match feature {
            "memory" => number(NumberSetting::Hash),
            "smp" => number(NumberSetting::Threads),
            "option" => option().and_then(|option| option.simpler_offer(settings)),
            _ => None,
        };
        self.output.debugs &= feature != "debug";
        self.output.send_all(offer);
    }
}

/// Settings.
impl CecpSession<'_> {
    /// Handles `memory`, the limit for all memory together.
    pub(super) fn set_memory(&mut self, mebibytes: u64) -> Result<(), String> {
        self.memory = Some(mebibytes);
        self.keep_memory_limit()
    }

    /// Gives the hash table what the threads leave of the memory.
    fn keep_memory_limit(&mut self) -> Result<(), String> {
        let Some(mebibytes) = self.memory else { return Ok(()) };
        // At least one thread.
        let helpers = self.host.engine.get(NumberSetting::Threads) as u64 - 1;
        self.change_number(
            NumberSetting::Hash,
            mebibytes.saturating_sub(RESERVED_MEMORY + THREAD_MEMORY * helpers),
        )?;
        self.output.debug(format!("hash table of {} MiB", self.host.engine.get(NumberSetting::Hash)));
        Ok(())
    }

    /// Handles `cores`. More threads than processors would only slow the engine down, so their number is the limit here; the option
    /// `Threads` has none.
    pub(super) fn set_cores(&mut self, cores: u64) -> Result<(), String> {
        let processors = std::thread::available_parallelism().map_or(1, |count| count.get() as u64);
        if cores > processors {
            self.output.debug(format!("{processors} threads, one for each processor"));
        }
        self.change_number(NumberSetting::Threads, cores.min(processors))?;
        self.keep_memory_limit()
    }

    /// Sets the setting to the nearest allowed number.
    pub(super) fn change_number(&mut self, setting: NumberSetting, number: u64) -> Result<(), String> {
        let range = setting.range();
        let number = i64::try_from(number).unwrap_or(i64::MAX).clamp(*range.start(), *range.end());
        self.change(Setting::Number(setting), &number.to_string())
    }

    /// Handles `egtpath`. XBoard tells every engine that supports such tables [`XBOARDS_TABLES`] unless the user has set another
    /// path: nobody wants to hear that they are missing. Nor is another wrong path shown to the user as an error.
    pub(super) fn set_tablebases(&mut self, flavor: &str, path: &str) -> Result<(), String> {
        if flavor != SYZYGY {
            return Err("unknown kind of endgame tables".into());
        }
        if let Err(error) = self.host.engine.set_path(PathSetting::Tablebases, path)
            && path != XBOARDS_TABLES
        {
            self.output.debug(error.to_string());
        }
        Ok(())
    }

    /// Handles `option`.
    pub(super) fn set_option(&mut self, name: &str, value: Option<&str>) -> Result<(), String> {
        match (CecpOption::named(name).ok_or("unknown option")?, value) {
            (CecpOption::Setting(setting), Some(value)) => return self.change(setting, value),
            (CecpOption::Setting(setting @ Setting::Path(_)), None) => return self.change(setting, ""),
            (CecpOption::Setting(_), None) => return Err("missing value".into()),
            (CecpOption::ClearHash, _) => self.host.engine.clear(),
            (CecpOption::Save, _) => self.save(),
            (CecpOption::Reset, _) => self.reset(),
        }
        Ok(())
    }

    /// Changes a setting. An analysis uses it at once; a search for a move is not disturbed.
    fn change(&mut self, setting: Setting, value: &str) -> Result<(), String> {
        use SettingError as E;
        match self.host.engine.change(setting, value) {
            Ok(()) => self.search_anew(),
            // Shown to the user, who can correct it. `Error` is not used, because some GUIs take `No such file` for
            // the end of the engine.
            Err(error @ (E::Memory { .. } | E::Book { .. } | E::Network { .. } | E::Tablebases(_))) => {
                self.output.send(&Message::TellUserError(error.to_string()));
            }
            Err(error) => {
                return Err(error.to_string().replacen(
                    setting.name(),
                    &CecpOption::Setting(setting).name(),
                    1,
                ));
            }
        }
        Ok(())
    }

    pub(super) fn save(&mut self) {
        let message = match self.host.save_settings() {
            Ok(path) => Message::Tell(Audience::User, format!("Settings saved in {}", path.display())),
            Err(problem) => Message::TellUserError(format!("Settings not saved: {problem}")),
        };
        self.output.send(&message);
    }

    /// Restores the defaults and announces the options again, because the GUI's dialogue still shows the old values.
    /// The saved settings stay until the settings are saved again.
    fn reset(&mut self) {
        let problems = self.host.engine.adopt(&Settings::default());
        self.output.send_all(problems.iter().map(|problem| Message::TellUserError(problem.to_string())));
        self.persons.reset.is_due = true;
        self.output.send_all(options_again(self.host.engine.settings()));
    }
}

/// The book.
impl CecpSession<'_> {
    /// Handles `bk`: shows the moves of the book with their shares.
    pub(super) fn tell_book(&mut self) {
        match self.board.game().map(|game| (game, self.host.engine.book_moves(game))) {
            Some((game, Ok(moves))) => {
                let total: u32 = moves.iter().map(|m| u32::from(m.weight)).sum();
                for BookMove { mv, weight, .. } in moves {
                    let share = 100 * u32::from(weight) / total.max(1);
                    self.output.send(&Message::BookLine(format!("{} {share}%", game.san(mv))));
                }
            }
            Some((_, Err(error))) => self.output.debug(error.to_string()),
            None => {}
        }
        self.output.send(&Message::BookEnd);
    }
}
