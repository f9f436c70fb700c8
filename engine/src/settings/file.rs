//! Saved settings: a TOML file with one line for each setting that differs from its default.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use toml::{Table, Value};

use super::{Setting, Settings};
use game::excerpt;

/// A file of settings.
#[derive(Clone, Debug)]
pub struct SettingsFile(PathBuf);

/// Why settings can't be read or saved.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the message of each variant says all that its fields mean")]
pub enum SettingsFault {
    /// The file can't be read or written.
    #[error("{}: {error}", path.display())]
    Io { path: PathBuf, error: io::Error },
    /// The file is not in the format that Herald writes.
    #[error("{}: {problem}", path.display())]
    Damaged { path: PathBuf, problem: String },
}

const HEADER: &str = "# Herald's saved settings. Settings that are not listed have their defaults.\n";

impl SettingsFile {
    /// Returns the current user's file at the platform's usual place; `None` if the user has no home directory.
    pub fn of_user() -> Option<SettingsFile> {
        Some(SettingsFile(dirs::config_dir()?.join("herald").join("settings.toml")))
    }

    /// Returns a settings file at any path.
    pub fn at(path: impl Into<PathBuf>) -> SettingsFile {
        SettingsFile(path.into())
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Loads the saved settings; the defaults if the file does not exist.
    ///
    /// # Errors
    /// If the file can't be read or is not in the format that Herald writes. A damaged file is not used at all.
    pub fn load(&self) -> Result<Settings, SettingsFault> {
        match std::fs::read_to_string(&self.0) {
            Ok(text) => {
                read(&text).map_err(|problem| SettingsFault::Damaged { path: self.0.clone(), problem })
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Settings::default()),
            Err(error) => Err(self.io(error)),
        }
    }

    /// Saves the settings. The file is replaced as a whole or not at all.
    ///
    /// # Errors
    /// If the file can't be written; the previous file is kept.
    pub fn save(&self, settings: &Settings) -> Result<(), SettingsFault> {
        let folder = self.0.parent().unwrap_or(Path::new("."));
        let replace = || {
            std::fs::create_dir_all(folder)?;
            let mut file = tempfile::NamedTempFile::new_in(folder)?;
            file.write_all(write(settings).as_bytes())?;
            file.as_file().sync_all()?;
            file.persist(&self.0)?;
            Ok(())
        };
        replace().map_err(|error| self.io(error))
    }

    fn io(&self, error: io::Error) -> SettingsFault {
        SettingsFault::Io { path: self.0.clone(), error }
    }
}

/// Returns the key of a setting: its name without spaces, because TOML requires quotes around spaces.
fn key(setting: Setting) -> String {
    setting.name().replace(' ', "")
}

fn write(settings: &Settings) -> String {
    let changed = Setting::ALL.into_iter().filter(|&setting| !settings.is_default(setting));
    let table: Table = changed.map(|setting| (key(setting), value(settings, setting))).collect();
    format!("{HEADER}{table}")
}

fn value(settings: &Settings, setting: Setting) -> Value {
    match setting {
        Setting::Number(number) => Value::Integer(settings.get(number)),
        Setting::Switch(switch) => Value::Boolean(settings.is_on(switch)),
        Setting::Path(path) => Value::String(settings.path(path).to_owned()),
    }
}

/// Parses the text that [`write`] produces; an error tells the place and the problem.
fn read(text: &str) -> Result<Settings, String> {
    let table: Table = text.parse().map_err(|error: toml::de::Error| {
        let before = error.span().map_or("", |span| text.get(..span.start).unwrap_or(""));
        format!("line {}: {}", before.matches('\n').count() + 1, excerpt(error.message()))
    })?;
    let mut settings = Settings::default();
    for (name, value) in &table {
        let setting = Setting::ALL.into_iter().find(|&setting| key(setting) == *name);
        let setting = setting.ok_or_else(|| format!("unknown setting {}", excerpt(name)))?;
        let wrong =
            |expected: &str| format!("{name} needs {expected}, not `{}`", excerpt(&value.to_string()));
        match setting {
            Setting::Number(number) => {
                let value = value.as_integer().ok_or_else(|| wrong("a whole number"))?;
                settings.set(number, value).map_err(|error| error.to_string())?;
            }
            Setting::Switch(switch) => {
                settings.switch(switch, value.as_bool().ok_or_else(|| wrong("true or false"))?);
            }
            Setting::Path(path) => settings.set_path(path, value.as_str().ok_or_else(|| wrong("a text"))?),
        }
    }
    Ok(settings)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{NUMBERS, NumberSetting, PATHS, SWITCHES};
    use super::*;

    fn settings() -> impl Strategy<Value = Settings> {
        let numbers = NUMBERS.map(|(_, _, _, range)| range).to_vec();
        let switches = proptest::collection::vec(any::<bool>(), SWITCHES.len());
        let paths = proptest::collection::vec("\\PC{0,20}", PATHS.len());
        (numbers, switches, paths).prop_map(|(numbers, switches, paths)| {
            let mut settings = Settings::default();
            for ((setting, ..), value) in NUMBERS.into_iter().zip(numbers) {
                settings.set(setting, value).unwrap();
            }
            SWITCHES.into_iter().zip(switches).for_each(|((setting, _), on)| settings.switch(setting, on));
            PATHS.into_iter().zip(&paths).for_each(|((setting, _), path)| settings.set_path(setting, path));
            settings
        })
    }

    proptest! {
        #[test]
        fn what_is_saved_is_loaded(settings in settings(), text in "\\PC{0,40}") {
            prop_assert_eq!(read(&write(&settings)), Ok(settings));
            // Any text gives settings or an error of one line.
            prop_assert!(read(&text).map_or_else(|fault| !fault.contains('\n'), |_| true));
        }
    }

    #[test]
    fn a_damaged_file_is_one_line_that_says_where() {
        for (text, problem) in [
            ("Hash = 32\nThreads = ", "line 2: "),
            ("Hash = \"much\"", "Hash needs a whole number, not `\"much\"`"),
            ("Hash = 0", "Hash must be between 1 and 33554432, not 0"),
            ("OwnBook = 1", "OwnBook needs true or false, not `1`"),
            ("Hsah = 1", "unknown setting Hsah"),
        ] {
            let found = read(text).unwrap_err();
            assert!(found.starts_with(problem) && !found.contains('\n'), "{text}: {found}");
        }
    }

    #[test]
    fn a_file_is_replaced_as_a_whole() {
        let folder = tempfile::tempdir().unwrap();
        let file = SettingsFile::at(folder.path().join("new").join("settings.toml"));
        assert_eq!(file.load().unwrap(), Settings::default());
        let mut settings = Settings::default();
        settings.set(NumberSetting::Overhead, 300).unwrap();
        file.save(&settings).unwrap();
        assert_eq!(file.load().unwrap(), settings);
        assert_eq!(std::fs::read_to_string(file.path()).unwrap(), format!("{HEADER}MoveOverhead = 300\n"));
        file.save(&Settings::default()).unwrap();
        assert_eq!(file.load().unwrap(), Settings::default());
        let left = std::fs::read_dir(file.path().parent().unwrap()).unwrap().count();
        assert_eq!(left, 1, "nothing half written stays");
        std::fs::write(file.path(), [0xFF, 0xFE]).unwrap();
        assert!(matches!(file.load(), Err(SettingsFault::Io { .. })));
        let beneath_a_file = SettingsFile::at(file.path().join("settings.toml"));
        assert!(beneath_a_file.save(&settings).is_err());
    }
}
