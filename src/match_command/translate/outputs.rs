//! The files that other match runners write, translated to ours.

use anyhow::{Context, Result, bail};

use super::{Foreign, Translation};

impl Translation {
    /// Translates the file of games and the data of moves that it has.
    pub(super) fn pgn(&mut self, option: &Foreign<'_>) {
        const MORE: [&str; 7] = ["seldepth", "nodes", "nps", "hashfull", "tbhits", "pv", "latency"];
        let mut fields = vec!["score", "depth", "time"];
        for (key, value) in option.pairs() {
            let is_wanted = value == "true";
            match key {
                "file" => self.add("--pgn", value),
                "min" if is_wanted => fields.clear(),
                "timeleft" if is_wanted => fields.push("clock"),
                "notation" if value != "san" => self.leave_out(option, key, value, "PGN has SAN"),
                "match_line" => self.leave_out(option, key, value, "--log has all lines"),
                "append" => self.appended(option, key, value),
                // Games that did not end are never written.
                "fi" | "min" | "timeleft" | "notation" => {}
                _ => match MORE.iter().find(|field| **field == key) {
                    Some(field) if is_wanted => fields.push(field),
                    Some(_) => {}
                    None if option.operands.first().is_some_and(|path| path == key) => self.add("--pgn", key),
                    None => self.leave_out(option, key, value, "there is nothing of this kind"),
                },
            }
        }
        match fields[..] {
            [] => self.add("--pgn-fields", "none"),
            [_, _, _] => {}
            _ => self.add("--pgn-fields", fields.join(",")),
        }
    }

    /// Translates the file of final positions.
    pub(super) fn positions(&mut self, option: &Foreign<'_>) -> Result<()> {
        let plain = option.operands.first().filter(|word| !word.contains('='));
        let file = option.value("file").or(plain.map(String::as_str));
        self.add("--epd", file.context("-epdout: expected file=FILE")?);
        for (key, value) in option.pairs() {
            match key {
                "file" => {}
                "append" => self.appended(option, key, value),
                _ if plain.is_some_and(|plain| plain == key) => {}
                _ => self.leave_out(option, key, value, "there is nothing of this kind"),
            }
        }
        Ok(())
    }

    /// Translates the log, which has all messages of the engines here, at once.
    pub(super) fn log(&mut self, option: &Foreign<'_>) -> Result<()> {
        let plain = option.operands.first().filter(|word| !word.contains('='));
        let file = option.value("file").or(plain.map(String::as_str)).context("-log: expected file=FILE")?;
        self.add("--log", file);
        for (key, value) in option.pairs() {
            match (key, value) {
                ("file", _) | ("realtime" | "engine", "true") | ("compress", "false") => {}
                ("append", _) => self.appended(option, key, value),
                ("compress", _) => self.leave_out(option, key, value, "the log is plain text"),
                ("realtime" | "engine" | "level", _) => {
                    let why = "the log has all messages of the engines, and each at once";
                    self.leave_out(option, key, value, why);
                }
                _ if plain.is_some_and(|plain| plain == key) => {}
                _ => bail!("-log {key}: expected file, level, append, compress, realtime or engine"),
            }
        }
        Ok(())
    }

    /// Says what is different where a file would be written anew.
    fn appended(&mut self, option: &Foreign<'_>, key: &str, value: &str) {
        if value == "false" {
            self.leave_out(option, key, value, "files are appended to; remove the old one");
        }
    }
}
