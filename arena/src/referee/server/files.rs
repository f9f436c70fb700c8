//! The files of an event apart from its store: games, traffic log, report.
//!
//! The files of running games are written in rotation, so that every file is updated even if all games change
//! constantly.

use std::collections::BTreeSet;
use std::fs::{self, File, Metadata};
use std::io::{self, BufWriter, Read as _, Seek as _, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::SystemTime;

use game::PgnTags;
use messages::referee::without_secret;
use time::OffsetDateTime;

use super::page;
use super::shown::{game_files, numbers_in};
use crate::referee::job_thread::JobThread;
use crate::referee::regular::{create_regular, is_regular, named, read_regular, write_regular};
use crate::referee::{ConnectionId, EventState, FinishedGame, report};

/// Makes the folder of the games in play, and removes the games from it. What somebody else has put there stays.
fn clear(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    game_files(folder)?.iter().try_for_each(|(_, name)| fs::remove_file(folder.join(name)))
}

/// Terminates the last line of a file that a killed referee left incomplete.
fn end_line(file: &mut File) -> io::Result<()> {
    let mut last = [b'\n'];
    if file.seek(SeekFrom::End(0))? > 0 {
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
    }
    if last == *b"\n" { Ok(()) } else { file.write_all(b"\n") }
}

/// Opens a log to add lines to it.
fn open_log(path: &Path) -> io::Result<File> {
    drop(create_regular(path)?);
    let log = File::options().read(true).append(true).open(path);
    log.and_then(|mut log| end_line(&mut log).map(|()| log)).map_err(|error| named(path, &error))
}

/// The folder of an event:
///
/// - `games.pgn`: the finished games;
/// - `running/`: a file for each game in play;
/// - `traffic.log`: every line in both directions, with its time; secrets are left out. When it is full, it becomes
///   `traffic-1.log`, and that `traffic-2.log`, up to [`MOST_LOGS`];
/// - `report.txt` and `report.html`: the final report;
/// - `report/`: the page with the final table and every game, for any browser, and each game in PGN.
pub(super) struct EventFiles {
    folder: PathBuf,
    games: GamesPgn,
    traffic: BufWriter<File>,
    /// Bytes in the traffic log.
    logged: u64,
    /// Games in play whose files are out of date.
    pub(super) behind: BTreeSet<u64>,
    /// Game from which the rotation continues.
    turn: u64,
    writer: FileWriter,
}

impl EventFiles {
    /// Opens the files. An error names the file.
    pub(super) fn open(folder: &Path, event: &EventState) -> io::Result<EventFiles> {
        let [running, traffic] = ["running", TRAFFIC].map(|name| folder.join(name));
        clear(&running).map_err(|error| named(&running, &error))?;
        let traffic = open_log(&traffic)?;
        let logged = traffic.metadata()?.len();
        let behind = event.live_games.keys().copied().collect();
        Ok(EventFiles {
            folder: folder.to_owned(),
            games: GamesPgn { folder: folder.to_owned(), games: Vec::new(), is_written: false, left: None },
            traffic: BufWriter::new(traffic),
            logged,
            behind,
            turn: 0,
            writer: FileWriter::start()?,
        })
    }

    /// Gives games.pgn all games that have ended, from the store. The text, if there is one, tells the director what became of a file
    /// that was another.
    pub(super) fn rewrite_games(
        &mut self,
        tags: &PgnTags,
        finished: &[FinishedGame],
    ) -> io::Result<Option<String>> {
        self.games.replace(finished.iter().map(|ending| game_text(tags, ending)).collect())
    }

    /// Adds games to games.pgn that have ended, and replaces or takes out those that have another result or none. The text is that of
    /// [`EventFiles::rewrite_games`].
    pub(super) fn write_games(
        &mut self,
        tags: &PgnTags,
        finished: &[FinishedGame],
        amended: &[(u64, Option<FinishedGame>)],
    ) -> io::Result<Option<String>> {
        for ending in finished {
            self.behind.remove(&ending.fixture.number);
            self.writer.write(self.running(ending.fixture.number), None);
        }
        let more = finished.iter().map(|ending| game_text(tags, ending)).collect();
        let amended: Vec<(u64, Option<String>)> = amended
            .iter()
            .map(|(game, now)| (*game, now.as_ref().map(|now| game_text(tags, now).1)))
            .collect();
        self.games.change(more, &amended)
    }

    /// Updates the file of one game in play, unless the queue of the writing thread is full.
    pub(super) fn catch_up(&mut self, event: &EventState) -> io::Result<()> {
        self.writer.check()?;
        if !self.writer.is_free() {
            return Ok(());
        }
        // The rotation gives every game its turn even if all games change constantly.
        let next = self.behind.range(self.turn..).next().or(self.behind.first());
        let Some(&game) = next else { return Ok(()) };
        self.behind.remove(&game);
        self.turn = game + 1;
        if let Some(live) = event.live_games.get(&game) {
            let pgn =
                live.record.pgn_of(&live.fixture, &event.settings.tags(), &players::PgnFields::default());
            self.writer.write(self.running(game), Some(pgn));
        }
        Ok(())
    }

    fn running(&self, game: u64) -> PathBuf {
        self.folder.join("running").join(format!("game-{:05}.pgn", game + 1))
    }

    /// Logs a line. The sign is `<` for lines from the referee, `>` for lines to it, `#` for remarks.
    pub(super) fn log(&mut self, connection: Option<ConnectionId>, sign: char, text: &str) -> io::Result<()> {
        let now = OffsetDateTime::from(SystemTime::now());
        let (date, (hour, minute, second, millis)) = (now.date(), now.time().as_hms_milli());
        let text = without_secret(text);
        let connection = connection.map_or_else(|| "-".to_owned(), |connection| connection.to_string());
        let mut line = format!("{date} {hour:02}:{minute:02}:{second:02}.{millis:03} {connection} {sign} ");
        for c in text.chars() {
            if c.is_control() { line.extend(c.escape_default()) } else { line.push(c) }
        }
        line.push('\n');
        if self.logged + line.len() as u64 > LONGEST_LOG {
            self.rotate()?;
        }
        self.logged += line.len() as u64;
        let written = self.traffic.write_all(line.as_bytes());
        written.map_err(|error| named(&self.folder.join(TRAFFIC), &error))
    }

    /// Begins a new traffic log, and removes the oldest if there are too many.
    fn rotate(&mut self) -> io::Result<()> {
        self.flush()?;
        let place = |number: usize| match number {
            0 => self.folder.join(TRAFFIC),
            number => self.folder.join(format!("traffic-{number}.log")),
        };
        for number in (0..MOST_LOGS).rev().filter(|&number| place(number).exists()) {
            fs::rename(place(number), place(number + 1)).map_err(|error| named(&place(number), &error))?;
        }
        self.traffic = BufWriter::new(open_log(&place(0))?);
        self.logged = 0;
        Ok(())
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.traffic.flush().map_err(|error| named(&self.folder.join(TRAFFIC), &error))
    }

    /// Returns all finished games in PGN.
    pub(super) fn games(&self) -> String {
        self.games.text()
    }

    /// Whether a report was written.
    pub(super) fn has_report(&self) -> bool {
        self.folder.join(REPORT).exists()
    }

    /// Whether games.pgn and the report have all finished games.
    pub(super) fn are_complete(&self, event: &EventState) -> bool {
        let report = self.folder.join("report");
        let numbers: BTreeSet<u64> = event.results.iter().map(|result| result.fixture.number).collect();
        let shown = numbers_in(&self.folder.join("games.pgn"), event);
        let has_games = shown.is_ok_and(|shown| shown == numbers);
        let mut parts =
            vec![self.folder.join(REPORT), self.folder.join("report.html"), report.join("games.pgn")];
        parts.extend(page::report_files("").iter().map(|(name, _)| report.join(name)));
        parts.extend(
            numbers.iter().flat_map(|&number| ["js", "pgn"].map(|kind| self.of_report(number, kind))),
        );
        has_games && parts.iter().all(|part| part.exists())
    }

    /// The file of a game in the report.
    fn of_report(&self, number: u64, kind: &str) -> PathBuf {
        self.folder.join("report").join(format!("game-{}.{kind}", number + 1))
    }

    /// Takes a game that is played on out of the report.
    pub(super) fn remove_from_report(&self, number: u64) -> io::Result<()> {
        ["js", "pgn"].iter().try_for_each(|kind| carry_out(&self.of_report(number, kind), None))
    }

    /// Writes the final report. `state` is the event as JSON.
    pub(super) fn report(&self, event: &EventState, state: &str) -> io::Result<()> {
        write_regular(&self.folder.join(REPORT), report::text(event))?;
        write_regular(&self.folder.join("report.html"), report::page(event))?;
        let folder = self.folder.join("report");
        fs::create_dir_all(&folder).map_err(|error| named(&folder, &error))?;
        write_regular(&folder.join("games.pgn"), self.games())?;
        page::report_files(state).iter().try_for_each(|(name, text)| write_regular(&folder.join(name), text))
    }

    /// Adds a game to the report: as JSON, and in PGN. Its number counts from 0.
    pub(super) fn report_game(&self, number: u64, game: &str, pgn: &str) -> io::Result<()> {
        write_regular(&self.of_report(number, "js"), page::report_game(game))?;
        write_regular(&self.of_report(number, "pgn"), pgn)
    }
}

/// Name of the final report as text.
pub(super) const REPORT: &str = "report.txt";

/// Name of the traffic log, its maximum length in bytes, and the number of older ones that are kept.
const TRAFFIC: &str = "traffic.log";
const LONGEST_LOG: u64 = 64 << 20;
const MOST_LOGS: usize = 15;

/// The number of a finished game, and its text in games.pgn.
fn game_text(tags: &PgnTags, ending: &FinishedGame) -> (u64, String) {
    let fields = players::PgnFields::default();
    (ending.fixture.number, ending.record.pgn_of(&ending.fixture, tags, &fields))
}

/// games.pgn. It has what the store says, and somebody else may change it at any time, in any way. So it is looked at before each
/// change: to a file that is as it was left, games are added; what is anything else is kept under another name, and written anew.
struct GamesPgn {
    /// The folder of the event.
    folder: PathBuf,
    /// The games in the order of the file: their numbers, and their text.
    games: Vec<(u64, String)>,
    /// Whether this referee has written the file. If not, one before it has, which may have been killed meanwhile.
    is_written: bool,
    /// How this referee has left it.
    left: Option<FileStamp>,
}

/// What stands in the place of games.pgn.
#[derive(PartialEq, Eq)]
enum FoundGames {
    Nothing,
    File(Vec<u8>),
    /// A folder, a pipe, a device.
    NoFile,
}

/// What tells whether a regular file was changed, without reading it.
#[derive(Clone, Copy, PartialEq, Eq)]
struct FileStamp {
    length: u64,
    changed: SystemTime,
}

impl FileStamp {
    /// `None` if that can't be told.
    fn of(about: io::Result<Metadata>) -> Option<FileStamp> {
        let about = about.ok().filter(Metadata::is_file)?;
        Some(FileStamp { length: about.len(), changed: about.modified().ok()? })
    }
}

impl GamesPgn {
    fn path(&self) -> PathBuf {
        self.folder.join("games.pgn")
    }

    fn text(&self) -> String {
        self.games.iter().map(|(_, text)| text.as_str()).collect()
    }

    /// What stands in its place.
    fn find(&self) -> io::Result<FoundGames> {
        Ok(match (is_regular(&self.path())?, read_regular(&self.path())?) {
            (None, _) => FoundGames::Nothing,
            (_, Some(bytes)) => FoundGames::File(bytes),
            _ => FoundGames::NoFile,
        })
    }

    /// Whether the file is as this referee has left it, by its length and the time of its last change.
    fn is_untouched(&self) -> bool {
        self.left.is_some() && FileStamp::of(fs::metadata(self.path())) == self.left
    }

    fn change(
        &mut self,
        more: Vec<(u64, String)>,
        amended: &[(u64, Option<String>)],
    ) -> io::Result<Option<String>> {
        if more.is_empty() && amended.is_empty() {
            return Ok(None);
        }
        if !self.is_untouched() || !amended.is_empty() {
            let mut games = self.games.clone();
            games.retain_mut(|(number, text)| match amended.iter().find(|(game, _)| game == number) {
                Some((_, Some(now))) => {
                    text.clone_from(now);
                    true
                }
                Some((_, None)) => false,
                None => true,
            });
            games.extend(more);
            return self.replace(games);
        }
        // What somebody writes in the same moment stands before or behind it, and is found when the file is written anew.
        let path = self.path();
        let failed = |error| named(&path, &error);
        let mut file = File::options().append(true).open(&path).map_err(failed)?;
        for (number, text) in more {
            file.write_all(text.as_bytes()).map_err(failed)?;
            self.games.push((number, text));
        }
        let length: u64 = self.games.iter().map(|(_, text)| text.len() as u64).sum();
        self.left = FileStamp::of(file.metadata()).filter(|stamp| stamp.length == length);
        Ok(None)
    }

    /// Gives the file other games.
    fn replace(&mut self, games: Vec<(u64, String)>) -> io::Result<Option<String>> {
        let found = self.find()?;
        // The file of a referee before may lack what that one was killed over.
        let known = if self.is_written { &self.games } else { &games };
        let is_other = match &found {
            FoundGames::Nothing => false,
            FoundGames::File(bytes) => !is_text_of(known, bytes, !self.is_written),
            FoundGames::NoFile => true,
        };
        let was_gone = found == FoundGames::Nothing && self.is_written;
        (self.games, self.is_written) = (games, true);
        // The old file stays in place for its readers until the new one is complete.
        let unfinished = self.folder.join("games.pgn.new");
        carry_out(&unfinished, None)?;
        write_regular(&unfinished, self.text())?;
        let told = if is_other { Some(self.keep()?) } else { None };
        self.left = FileStamp::of(fs::metadata(&unfinished));
        fs::rename(&unfinished, self.path()).map_err(|error| named(&unfinished, &error))?;
        Ok(told.or(was_gone.then(|| "games.pgn was gone: it is written anew".to_owned())))
    }

    /// Keeps the file under a name that is free. Returns what the director is told.
    fn keep(&self) -> io::Result<String> {
        let names = (1..).map(|number| format!("games-{number}.pgn"));
        let name = names.into_iter().find(|name| !self.folder.join(name).exists()).unwrap_or_default();
        fs::rename(self.path(), self.folder.join(&name)).map_err(|error| named(&self.path(), &error))?;
        Ok(format!("games.pgn is not what the store here says: it is kept as {name}, and written anew"))
    }
}

/// Whether bytes are the text of games, or its beginning if that is enough.
fn is_text_of(games: &[(u64, String)], mut bytes: &[u8], is_beginning_enough: bool) -> bool {
    for (_, text) in games {
        match bytes.strip_prefix(text.as_bytes()) {
            Some(rest) => bytes = rest,
            None => return is_beginning_enough && text.as_bytes().starts_with(bytes),
        }
    }
    bytes.is_empty()
}

/// Maximum number of files that wait to be written.
const LONGEST_QUEUE: usize = 8;

/// Path of a file and its new contents; `None` removes the file.
type FileJob = (PathBuf, Option<String>);

/// Handle of the writing thread. Dropping it waits until all files have been written.
struct FileWriter {
    thread: JobThread<FileJob, io::Error>,
    waiting: Arc<AtomicUsize>,
}

impl FileWriter {
    fn start() -> io::Result<FileWriter> {
        let waiting = Arc::new(AtomicUsize::new(0));
        let left = Arc::clone(&waiting);
        let write = move |(path, text): FileJob| {
            left.fetch_sub(1, Ordering::Relaxed);
            carry_out(&path, text)
        };
        Ok(FileWriter { thread: JobThread::start("files", write)?, waiting })
    }

    /// Whether another file can be queued.
    fn is_free(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) < LONGEST_QUEUE
    }

    /// Writes a file, or removes it if `text` is `None`.
    fn write(&self, path: PathBuf, text: Option<String>) {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        self.thread.add((path, text));
    }

    /// Returns the error that stopped the thread, once. No file is written after an error.
    fn check(&mut self) -> io::Result<()> {
        self.thread.check()
    }
}

fn carry_out(path: &Path, text: Option<String>) -> io::Result<()> {
    let Some(text) = text else {
        return fs::remove_file(path).or_else(|error| match error.kind() {
            io::ErrorKind::NotFound => Ok(()),
            _ => Err(named(path, &error)),
        });
    };
    write_regular(path, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_log_makes_room() {
        let folder = tempfile::tempdir().expect("a folder");
        let settings = crate::referee::tests::settings(&["A", "B"]);
        let event = EventState::new(settings, crate::MatchOpenings::none()).expect("an event");
        let mut files = EventFiles::open(folder.path(), &event).expect("files");
        let text = |number: usize| {
            let name = if number == 0 { TRAFFIC.to_owned() } else { format!("traffic-{number}.log") };
            fs::read_to_string(folder.path().join(name)).ok()
        };
        for number in 0..MOST_LOGS + 2 {
            files.logged = LONGEST_LOG - 10;
            files.log(Some(7), '>', &format!("line {number}\u{7}")).expect("logged");
        }
        files.flush().expect("written");
        assert!(text(0).expect("a log").ends_with(&format!(" 7 > line {}\\u{{7}}\n", MOST_LOGS + 1)));
        assert!(text(1).expect("a log").ends_with(&format!("line {MOST_LOGS}\\u{{7}}\n")));
        assert!(text(MOST_LOGS).is_some() && text(MOST_LOGS + 1).is_none());
    }

    #[test]
    fn what_was_ordered_is_done_in_order_and_faults_are_told() {
        let folder = tempfile::tempdir().expect("a folder");
        let (one, other) = (folder.path().join("one"), folder.path().join("other"));
        let writer = FileWriter::start().expect("a thread");
        for number in 0..100 {
            writer.write(one.clone(), Some(number.to_string()));
            writer.write(other.clone(), Some(number.to_string()));
        }
        writer.write(other.clone(), None);
        writer.write(other.clone(), None);
        drop(writer);
        assert_eq!(fs::read_to_string(&one).expect("written"), "99");
        assert!(!other.exists());
        let mut writer = FileWriter::start().expect("a thread");
        writer.write(folder.path().join("no/such/folder"), Some(String::new()));
        while writer.check().is_ok() {
            std::thread::yield_now();
        }
        assert!(writer.check().is_ok(), "it is told once");
    }
}
