//! What the files of an event's folder know of its games, beside what its store knows.
//!
//! A file knows more than the store if the store is an older copy, or has lost its end. Then the games would be played again
//! and written over, so that such a folder is refused. Where a file only says the same in other words, or can't be read as a
//! game of the event, the event goes on, and the file is kept before it is written anew (see `files.rs`).

use std::collections::BTreeSet;
use std::path::Path;
use std::{fs, io};

use game::{GameTree, ResultMarker, TreeReader};

use super::ServiceError;
use super::files::REPORT;
use crate::referee::regular::{named, read_regular};
use crate::referee::{EventState, EventStore, EventStoreError, Fact};

/// Refuses a folder whose files know more of the event than its store. `advice` says what to do.
pub(super) fn check_folder(
    folder: &Path,
    event: &EventState,
    store: &EventStore,
    advice: &str,
) -> Result<(), ServiceError> {
    let failed = |error| ServiceError::File("a file of it", error);
    if let Some(shown) = store.shown_and_lost() {
        let reason = format!("its store has {} facts, and {shown} were shown (event.shown)", store.count());
        return Err(refused(folder, &reason, advice));
    }
    let shown = shown_games(folder, event).map_err(failed)?;
    let set_aside = store.games_set_aside()?;
    for game in shown.iter().filter(|game| !set_aside.contains(&game.number)) {
        if let Some(what) = game.unknown_to(store)? {
            let reason = format!("its store does not know {what} ({})", game.place);
            return Err(refused(folder, &reason, advice));
        }
    }
    let has_games =
        fs::metadata(folder.join("games.pgn")).is_ok_and(|about| about.is_file() && about.len() > 0);
    if store.count() == 0 && (has_games || folder.join(REPORT).exists()) {
        return Err(refused(folder, "it has a report or games.pgn, and no store", advice));
    }
    Ok(())
}

fn refused(folder: &Path, reason: &str, advice: &str) -> ServiceError {
    let reason = format!("{reason}: event.sqlite or event.sqlite-wal is lost, or an older copy; {advice}");
    ServiceError::Folder { folder: folder.to_owned(), reason }
}

/// A game as a file of the folder shows it.
#[derive(Debug)]
struct GameInFile {
    /// Number of the game, from 0.
    number: u64,
    /// The file, and in games.pgn the line and the programs.
    place: String,
    /// Whether the file is of games that have ended.
    has_ended: bool,
    /// The moves as far as they are legal, in coordinate notation.
    moves: Vec<String>,
    result: ResultMarker,
}

impl GameInFile {
    fn new(number: u64, place: String, has_ended: bool, tree: &GameTree) -> GameInFile {
        let played = tree.replay().map(|replay| replay.game);
        let moves = played.map(|game| game.moves().iter().map(|&mv| game.coordinate(mv)).collect());
        GameInFile { number, place, has_ended, moves: moves.unwrap_or_default(), result: tree.result }
    }

    /// What a store does not know of the game; `None` if it knows all.
    fn unknown_to(&self, store: &EventStore) -> Result<Option<String>, EventStoreError> {
        let past = GamePast::of(&store.all_about(self.number)?);
        let number = self.number + 1;
        let is_known = if self.has_ended { !past.results.is_empty() } else { !past.lines.is_empty() };
        let result = self.result.as_str();
        Ok(if !is_known {
            Some(format!("game {number}"))
        } else if !past.lines.iter().any(|line| line.starts_with(&self.moves)) {
            Some(format!("all moves of game {number}"))
        } else if self.result != ResultMarker::Open && !past.results.contains(&result) {
            Some(format!("the result {result} of game {number}"))
        } else {
            None
        })
    }
}

/// All that a store has ever known of a game.
#[derive(Default)]
struct GamePast {
    /// Its moves, and before them those of each time when it was begun and not played to this end.
    lines: Vec<Vec<String>>,
    results: Vec<&'static str>,
}

impl GamePast {
    fn of(facts: &[Fact]) -> GamePast {
        let (mut past, mut opening) = (GamePast::default(), &Vec::new());
        for fact in facts {
            match fact {
                Fact::Began { moves, .. } => {
                    opening = moves;
                    past.lines.push(opening.clone());
                }
                Fact::Restarted { .. } => past.lines.push(opening.clone()),
                Fact::Moved { mv, .. } => {
                    if let Some(line) = past.lines.last_mut() {
                        line.push(mv.clone());
                    }
                }
                Fact::Ended { outcome, .. } | Fact::Corrected { outcome, .. } => {
                    past.results.push(outcome.0.result());
                }
                _ => {}
            }
        }
        past
    }
}

/// The games of an event that the files of its folder show. An error names the file.
fn shown_games(folder: &Path, event: &EventState) -> io::Result<Vec<GameInFile>> {
    let mut games = games_of(&folder.join("games.pgn"), event)?;
    for (part, has_ended) in [("report", true), ("running", false)] {
        for (number, name) in game_files(&folder.join(part))? {
            let tree = read_games(&folder.join(part).join(&name))?.into_iter().next().unwrap_or_default().1;
            games.push(GameInFile::new(number, format!("{part}/{name}"), has_ended, &tree));
        }
    }
    Ok(games)
}

/// The numbers of the games in a file that can be of an event.
pub(super) fn numbers_in(path: &Path, event: &EventState) -> io::Result<BTreeSet<u64>> {
    Ok(games_of(path, event)?.into_iter().map(|game| game.number).collect())
}

/// The games in games.pgn that can be of an event.
fn games_of(path: &Path, event: &EventState) -> io::Result<Vec<GameInFile>> {
    let shown = |(line, tree): (u64, GameTree)| {
        let [white, black] = ["White", "Black"].map(|tag| tree.tag(tag).unwrap_or("?"));
        let place = format!("games.pgn, line {line}: {white} - {black}");
        Some(GameInFile::new(number_in(event, &tree)?, place, true, &tree))
    };
    Ok(read_games(path)?.into_iter().filter_map(shown).collect())
}

/// The files `game-N.pgn` of a folder, with the numbers from 0; none if there is no folder. An error names it.
pub(super) fn game_files(folder: &Path) -> io::Result<Vec<(u64, String)>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(|error| named(folder, &error))?,
    };
    let game = |name: String| -> Option<(u64, String)> {
        let number = name.strip_prefix("game-")?.strip_suffix(".pgn")?.parse::<u64>().ok()?.checked_sub(1)?;
        Some((number, name))
    };
    Ok(entries.filter_map(|entry| game(entry.ok()?.file_name().into_string().ok()?)).collect())
}

/// The number of a game in an event, from 0; `None` if it can't be of the event. Some of the programs may have entered after a copy of
/// its store was made.
fn number_in(event: &EventState, tree: &GameTree) -> Option<u64> {
    let number = tree.tag("GameNumber")?.parse::<u64>().ok()?.checked_sub(1)?;
    let name = event.settings.name.replace(char::is_control, " ");
    let is_here = tree.tag("Event").is_none_or(|told| *told == name);
    let may_be = match ["White", "Black"].map(|tag| tree.tag(tag).map(|name| event.program(name))) {
        [Some(None), Some(None)] => false,
        [Some(Some(white)), Some(Some(black))] => event.schedule.may_have(number, white, black),
        _ => true,
    };
    (is_here && may_be).then_some(number)
}

/// All games in a file, and the lines on which they begin; none if there is no file. An error names the file.
fn read_games(path: &Path) -> io::Result<Vec<(u64, GameTree)>> {
    Ok(read_regular(path)?.map_or_else(Vec::new, |bytes| games_in(&as_utf8(bytes))))
}

/// Some editors write UTF-16, which begins with a mark.
fn as_utf8(bytes: Vec<u8>) -> Vec<u8> {
    let decoded = |unit: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = bytes[2..].chunks_exact(2).map(|pair| unit([pair[0], pair[1]])).collect();
        String::from_utf16_lossy(&units).into_bytes()
    };
    match bytes[..] {
        [0xff, 0xfe, ..] => decoded(u16::from_le_bytes),
        [0xfe, 0xff, ..] => decoded(u16::from_be_bytes),
        _ => bytes,
    }
}

fn games_in(bytes: &[u8]) -> Vec<(u64, GameTree)> {
    // Reading from memory can't fail.
    TreeReader::new(bytes).map_while(Result::ok).map(|game| (game.line, game.tree)).collect()
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
            let head = format!("[Event \"{event_tag}\"]\n[ GameNumber\t\"{number}\" ]\n");
            let text = format!("{head}[White \"{white}\"]\n[Black \"{black}\"]\n\n1. e4 {{\n[%x]}} *\n\n");
            let games = games_in(text.as_bytes());
            assert!(games.len() == 1 && number_in(&event, &games[0].1).is_some() == is_own, "{text}");
        }
        let quoted = "1. e4 { [Event \"Open\"]\n[GameNumber \"1\"]\n} *\n";
        assert!(games_in(quoted.as_bytes()).iter().all(|(_, tree)| number_in(&event, tree).is_none()));
        let wide =
            |unit: fn(u16) -> [u8; 2]| "\u{feff}[Site \"Å\"]\n*".encode_utf16().flat_map(unit).collect();
        for bytes in [wide(u16::to_le_bytes), wide(u16::to_be_bytes)] {
            assert_eq!(games_in(&as_utf8(bytes))[0].1.tag("Site"), Some("Å"));
        }
    }
}
