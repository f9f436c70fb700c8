//! The games that the folder of an event shows, whether or not its store knows them.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::{fs, io};

use super::files::{REPORT, named};
use crate::referee::EventState;

/// The games that the folder of an event shows, by their numbers from 0, each with the place where it stands.
#[derive(Debug, Default)]
pub(super) struct ShownGames {
    /// In games.pgn and in the report.
    pub(super) finished: BTreeMap<u64, String>,
    /// In running/.
    pub(super) running: BTreeMap<u64, String>,
    /// Whether there is a report, or a games.pgn with anything in it, whatever an editor has made of that.
    pub(super) has_other_traces: bool,
}

impl ShownGames {
    /// Reads them from a folder. An error names the file.
    pub(super) fn of(folder: &Path, event: &EventState) -> io::Result<ShownGames> {
        let games = folder.join("games.pgn");
        let mut finished = games_in(folder, "report")?;
        finished.extend(own_games(&games, event)?);
        let running = games_in(folder, "running")?;
        let has_text = fs::metadata(games).is_ok_and(|about| about.len() > 0);
        Ok(ShownGames { finished, running, has_other_traces: has_text || folder.join(REPORT).exists() })
    }
}

/// The games of a file that can be of an event, by their numbers.
pub(super) fn own_games(path: &Path, event: &EventState) -> io::Result<BTreeMap<u64, String>> {
    let tags = tags_in(path)?;
    let own = tags.iter().filter(|tags| tags.may_be_of(event));
    Ok(own.filter_map(|tags| Some((tags.number()?, tags.place()))).collect())
}

/// The first game of a file that can't be of an event.
pub(super) fn foreign_game(path: &Path, event: &EventState) -> io::Result<Option<String>> {
    let foreign = tags_in(path)?.into_iter().find(|tags| !tags.may_be_of(event));
    Ok(foreign.map(|tags| tags.place()))
}

/// The games that have a file `game-N.pgn` in a part of the folder; none if there is no such part.
fn games_in(folder: &Path, part: &str) -> io::Result<BTreeMap<u64, String>> {
    let path = folder.join(part);
    let entries = match fs::read_dir(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
        entries => entries.map_err(|error| named(&path, &error))?,
    };
    let game = |name: String| -> Option<(u64, String)> {
        let number = name.strip_prefix("game-")?.strip_suffix(".pgn")?.parse::<u64>().ok()?.checked_sub(1)?;
        Some((number, format!("{part}/{name}")))
    };
    Ok(entries.filter_map(|entry| game(entry.ok()?.file_name().into_string().ok()?)).collect())
}

/// The tags of a game, and the line of its file on which they begin, from 1.
struct GameTags {
    line: usize,
    tags: HashMap<String, String>,
}

impl GameTags {
    /// The number of the game in its event, from 0.
    fn number(&self) -> Option<u64> {
        self.tags.get("GameNumber")?.parse::<u64>().ok()?.checked_sub(1)
    }

    fn place(&self) -> String {
        let [white, black] = ["White", "Black"].map(|tag| self.tags.get(tag).map_or("?", String::as_str));
        format!("games.pgn, line {}: {white} - {black}", self.line)
    }

    /// Whether the game can be of an event. Some of the programs may have entered after a copy of its store was made.
    fn may_be_of(&self, event: &EventState) -> bool {
        let Some(number) = self.number() else { return false };
        let name = event.settings.name.replace(char::is_control, " ");
        let is_elsewhere = self.tags.get("Event").is_some_and(|told| *told != name);
        let seats = ["White", "Black"].map(|tag| self.tags.get(tag).map(|name| event.program(name)));
        !is_elsewhere
            && match seats {
                [Some(None), Some(None)] => false,
                [Some(Some(white)), Some(Some(black))] => event.schedule.may_have(number, white, black),
                _ => true,
            }
    }
}

/// The tags of all games in a file; none if there is no file. An error names the file.
fn tags_in(path: &Path) -> io::Result<Vec<GameTags>> {
    let bytes = match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        bytes => bytes.map_err(|error| named(path, &error))?,
    };
    Ok(tags_of(&String::from_utf8_lossy(&bytes).replace("\r\n", "\n").replace('\r', "\n")))
}

fn tags_of(text: &str) -> Vec<GameTags> {
    let (mut games, mut is_within) = (Vec::<GameTags>::new(), false);
    for (line, text) in (1..).zip(text.lines().map(str::trim)) {
        match tag(text) {
            Some((name, value)) if is_within && let Some(game) = games.last_mut() => {
                game.tags.entry(name.to_owned()).or_insert(value);
            }
            Some((name, value)) => {
                games.push(GameTags { line, tags: HashMap::from([(name.to_owned(), value)]) });
                is_within = true;
            }
            None => is_within &= text.is_empty(),
        }
    }
    games
}

/// The name and the value of a tag that stands alone on a line.
fn tag(line: &str) -> Option<(&str, String)> {
    let (name, value) = line.strip_prefix('[')?.strip_suffix("\"]")?.split_once(" \"")?;
    let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let mut is_escaped = false;
    let value = value.chars().filter(|&c| {
        is_escaped = c == '\\' && !is_escaped;
        !is_escaped
    });
    is_name.then(|| (name, value.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MatchOpenings;

    #[test]
    fn games_of_others_are_told_from_those_of_the_event() {
        let settings = crate::referee::tests::settings(&["A \"x\" \\", "B"]);
        let event = EventState::new(settings, MatchOpenings::none()).expect("an event");
        for (event_tag, number, white, black, is_own) in [
            ("Open", "1", r#"A \"x\" \\"#, "B", true),
            ("Open", "2", "B", r#"A \"x\" \\"#, true),
            ("Another", "1", r#"A \"x\" \\"#, "B", false),
            ("Open", "3", r#"A \"x\" \\"#, "B", false),
            ("Open", "1", "B", r#"A \"x\" \\"#, false),
            ("Open", "3", "B", "Entered later", true),
            ("Open", "1", "Kasparov", "Karpov", false),
            ("Open", "x", r#"A \"x\" \\"#, "B", false),
        ] {
            let head = format!("[Event \"{event_tag}\"]\n\n[GameNumber \"{number}\"]\n");
            let text = format!("{head}[White \"{white}\"]\n[Black \"{black}\"]\n\n1. e4 {{\n[%x]}} *\n\n");
            let games = tags_of(&text);
            assert!(games.len() == 1 && games[0].may_be_of(&event) == is_own, "{text}");
        }
        let twice =
            tags_of("\u{feff}\n1. e4 *\n\n[Event \"a\"]\n*\n[Event \"b\"]\n[Site \"c\"]\n[Site \"d\"]");
        let lines: Vec<(usize, usize)> = twice.iter().map(|game| (game.line, game.tags.len())).collect();
        assert_eq!(lines, [(4, 1), (6, 2)]);
    }
}
