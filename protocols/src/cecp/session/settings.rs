//! Handshake, memory, threads and options.

use std::io;

use engine::{Setting, SettingError};

use super::Session;
use crate::cecp::announcement::{self, announcement};
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
        let Some(setting) = announcement::setting(name) else {
            return self.output.error("unknown option", line);
        };
        match value.map(str::parse) {
            Some(Ok(value)) => self.change_setting(setting, value, line),
            Some(Err(_)) => self.output.error("bad number", line),
            None => self.output.error("missing value", line),
        }
    }

    fn change_setting(&mut self, setting: Setting, value: u64, line: &str) -> io::Result<()> {
        match self.host.engine.set(setting, value) {
            Ok(()) => Ok(()),
            Err(error @ SettingError::OutOfRange { .. }) => self.output.error(&error.to_string(), line),
            Err(SettingError::Memory(_)) => {
                let old = self.host.engine.get(Setting::Hash);
                let text =
                    format!("Too little memory for a hash table of {value} MiB; it stays at {old} MiB");
                self.output.send(&Message::TellUserError(text))
            }
        }
    }
}
