//! The values of all settings.

use super::{NUMBERS, NumberSetting, PATHS, PathSetting, SWITCHES, Setting, SettingError, SwitchSetting};
use game::excerpt;

/// The values of all settings. Whether the memory or the files exist is not checked here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    numbers: [i64; NUMBERS.len()],
    switches: [bool; SWITCHES.len()],
    paths: [String; PATHS.len()],
}

impl Default for Settings {
    /// Returns the settings of a new engine.
    fn default() -> Settings {
        Settings {
            numbers: NUMBERS.map(|(_, _, default, _)| default),
            switches: Default::default(),
            paths: Default::default(),
        }
    }
}

impl Settings {
    /// Returns the value of a number.
    pub fn get(&self, setting: NumberSetting) -> i64 {
        self.numbers[setting as usize]
    }

    /// Sets a number.
    ///
    /// # Errors
    /// [`SettingError::OutOfRange`]
    pub fn set(&mut self, setting: NumberSetting, value: i64) -> Result<(), SettingError> {
        if !setting.range().contains(&value) {
            return Err(SettingError::OutOfRange { setting, value });
        }
        self.numbers[setting as usize] = value;
        Ok(())
    }

    /// Returns whether a switch is on.
    pub fn is_on(&self, setting: SwitchSetting) -> bool {
        self.switches[setting as usize]
    }

    /// Switches a setting on or off.
    pub fn switch(&mut self, setting: SwitchSetting, on: bool) {
        self.switches[setting as usize] = on;
    }

    /// Returns the path of a setting; empty if none is set.
    pub fn path(&self, setting: PathSetting) -> &str {
        &self.paths[setting as usize]
    }

    /// Sets a path; empty means none.
    pub fn set_path(&mut self, setting: PathSetting, path: &str) {
        path.clone_into(&mut self.paths[setting as usize]);
    }

    /// Returns whether a setting has the value of a new engine.
    pub fn is_default(&self, setting: Setting) -> bool {
        match setting {
            Setting::Number(number) => self.get(number) == number.default(),
            Setting::Switch(switch) => !self.is_on(switch),
            Setting::Path(path) => self.path(path).is_empty(),
        }
    }
}

/// Values in the form in which users and GUIs write them.
impl NumberSetting {
    /// Parses a number without checking its range.
    ///
    /// # Errors
    /// [`SettingError::NotANumber`]
    pub fn read(self, text: &str) -> Result<i64, SettingError> {
        text.trim().parse().map_err(|_| SettingError::NotANumber { setting: self, value: excerpt(text) })
    }
}

impl SwitchSetting {
    /// Parses `true`, `false`, `1` or `0`.
    ///
    /// # Errors
    /// [`SettingError::NotASwitch`]
    pub fn read(self, text: &str) -> Result<bool, SettingError> {
        match text.trim().to_ascii_lowercase().as_str() {
            "true" | "1" => Ok(true),
            "false" | "0" => Ok(false),
            _ => Err(SettingError::NotASwitch { setting: self, value: excerpt(text) }),
        }
    }
}
