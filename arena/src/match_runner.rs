//! The match runner: plays a match from its first game, or resumes it.
//!
//! Each worker thread has its own game runner, takes games in pairs and reports their results. The statistics do not
//! depend on the order in which games end, so a resumed match has the same table as an uninterrupted one.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ScopedJoinHandle};
use std::time::{Duration, Instant};

use game::{Game, Outcome, WinReason};
use platform::affinity;
use players::Resources;
use shakmaty::ByColor;

use crate::match_store::{GameEntry, MatchStore, StoreError};
use crate::openings::{MatchOpenings, OpeningsError};
use crate::overheads::Overheads;
use crate::schedule::{Fixture, NextGames, Schedule};
use crate::standings::Standings;
use crate::statistics::{Hypothesis, Points, SequentialTest, Sprt};

/// Plays games one after the other.
pub trait GameRunner {
    /// Plays a game from the given opening. The game ends soon, and without an outcome, once `called_off` is set.
    ///
    /// # Errors
    /// The game was called off, or neither side could play; the text says which.
    fn play(
        &mut self,
        fixture: &Fixture,
        opening: Game,
        called_off: &AtomicBool,
    ) -> Result<PlayedGame, String>;

    /// Ends the players. Returns the resources that each player used, once for each process.
    fn close(self) -> Vec<(usize, Resources)>;
}

/// A finished game with its PGN.
#[derive(Clone, Debug)]
pub struct PlayedGame {
    /// The game for the state file.
    pub entry: GameEntry,
    /// The game in PGN, with an empty line at its end.
    pub pgn: String,
    /// The last position in EPD, a line.
    pub epd: String,
    /// Overhead of each move: the time from its arrival until the opponent was told.
    pub overheads: Vec<Duration>,
    /// Lag of the referee in each turn, as far as it is known. See [`GameRecord::lags`](crate::GameRecord::lags).
    pub lags: Vec<Duration>,
    /// Number of moves for which White and Black passed their limits of depth or nodes and had to be told to move.
    pub overruns: ByColor<u64>,
}

/// Concurrency of a match.
#[derive(Clone, Debug)]
pub struct Concurrency {
    /// Maximum number of games played at the same time; 0 counts as 1.
    pub games: usize,
    /// Whether each game gets its own share of the processor's cores.
    pub pin: bool,
    /// The cores to be used, by their numbers; `None`: all.
    pub cores: Option<Vec<usize>>,
    /// Pause of each worker after a pair of games.
    pub pause: Duration,
}

/// An event of a match.
#[derive(Debug)]
pub enum MatchEvent<'a> {
    /// A game has begun.
    Started(&'a Fixture),
    /// A game has ended and was stored.
    Finished(&'a GameEntry),
}

/// Why a match ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchEnd {
    /// All games have been played.
    Complete,
    /// The SPRT has reached a decision.
    Decided(Hypothesis),
    /// The match was interrupted and can be resumed.
    Interrupted,
}

/// Why a match cannot be played.
#[derive(Debug, thiserror::Error)]
pub enum MatchError {
    /// An opening cannot be used.
    #[error(transparent)]
    Openings(#[from] OpeningsError),
    /// The files of the match cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The match cannot be played as it was set up. Carries the reason.
    #[error("{0}")]
    Unplayable(String),
    /// Both programs of a game failed to play it, so neither can be given the win. Carries the failures. A match with a state can
    /// go on later.
    #[error("{0}; the match stops here")]
    NobodyCanPlay(String),
    /// The operating system cannot start threads or list the cores.
    #[error("no threads for the games: {0}")]
    Threads(#[from] io::Error),
}

/// Time and resources used in this run of the match.
#[derive(Clone, Debug, Default)]
pub struct Usage {
    /// Overhead of the referee, over all moves.
    pub overheads: Overheads,
    /// Lag of the referee, over the turns for which it is known, those lost on time included.
    pub lags: Overheads,
    /// Number of games.
    pub games: u64,
    /// Number of plies.
    pub plies: u64,
    /// Number of moves for which each program passed its limit of depth or nodes and had to be told to move.
    pub overruns: Vec<u64>,
    /// Resources used by each program, over all its processes.
    pub resources: Vec<Resources>,
}

/// A match.
pub struct Match {
    /// The schedule as far as it is known.
    pub schedule: Schedule,
    /// Results so far.
    pub standings: Standings,
    /// Openings of the games.
    pub openings: MatchOpenings,
    /// Number of openings drawn so far. Beyond [`MatchOpenings::count`] openings are repeated, and deterministic
    /// programs repeat their games.
    pub openings_drawn: u64,
    /// The sequential test of the first program, if any.
    pub test: Option<SequentialTest>,
    /// Resources used in this run.
    pub usage: Usage,
    /// For each program, how many of its losses on time were within the lag of the referee.
    pub late_losses: Vec<u64>,
    store: MatchStore,
}

impl Match {
    /// Begins a match, or resumes the one whose games `open_store` finds.
    ///
    /// # Errors
    /// An SPRT was requested for other than two programs, or the stored games do not belong to this match.
    pub fn new(
        mut schedule: Schedule,
        openings: MatchOpenings,
        sprt: Option<Sprt>,
        open_store: impl FnOnce(&mut dyn FnMut(GameEntry) -> Result<(), String>) -> Result<MatchStore, StoreError>,
    ) -> Result<Match, MatchError> {
        let programs = schedule.settings.programs;
        if sprt.is_some() && programs != 2 {
            return Err(MatchError::Unplayable(format!("an SPRT with {programs} programs: expected 2")));
        }
        let mut standings = Standings::new(programs);
        let mut test = sprt.map(SequentialTest::new);
        let mut openings_drawn = 0;
        let mut late_losses = vec![0; programs];
        let store = open_store(&mut |entry| {
            let fixture = entry.fixture;
            if schedule.awaited(fixture.number) != Some(fixture) {
                // An odd number of games ends with single ones, which would be pairs in a longer match.
                return Err(format!(
                    "game {} is not in the schedule: fewer games are wanted now, or more after an odd number, \
                     or an older version played it",
                    fixture.number + 1
                ));
            }
            schedule.record(fixture.number, entry.white_points())?;
            standings.add(&fixture, entry.outcome.0);
            standings.follow(&schedule);
            count_late(&mut late_losses, &entry);
            if let Some(test) = &mut test {
                test.add(fixture.number, points_of_first(&entry));
            }
            openings_drawn = openings_drawn.max(fixture.opening + 1);
            Ok(())
        })?;
        let usage = Usage {
            overruns: vec![0; programs],
            resources: vec![Resources::default(); programs],
            ..Usage::default()
        };
        Ok(Match { schedule, standings, openings, openings_drawn, test, usage, late_losses, store })
    }

    /// Returns the decision of the test, if it has been reached.
    pub fn decision(&self) -> Option<Hypothesis> {
        self.test.as_ref()?.decision()
    }

    /// Plays until the match is complete, decided or `interrupted` is set. Each worker thread makes its own runner, and
    /// programs started there inherit its cores. Events are passed to `observe`.
    ///
    /// # Errors
    /// See [`MatchError`]. All games that ended before the error are stored.
    pub fn play<R: GameRunner>(
        &mut self,
        concurrency: Concurrency,
        make_runner: impl Fn() -> R + Sync,
        interrupted: &AtomicBool,
        observe: impl FnMut(&Match, MatchEvent<'_>) + Send,
    ) -> Result<MatchEnd, MatchError> {
        let (pause, cores) = (concurrency.pause, concurrency.cores()?);
        let progress = Progress { game: self, observe, playing: 0, workers: cores.len(), end: None };
        let play = Play {
            progress: Mutex::new(progress),
            changed: Condvar::new(),
            called_off: AtomicBool::new(false),
        };
        thread::scope(|scope| {
            let mut threads = Vec::new();
            for (number, cores) in cores.into_iter().enumerate() {
                let (play, make_runner) = (&play, &make_runner);
                let thread = thread::Builder::new().name(format!("games {}", number + 1));
                let work = move || play.work(cores.as_deref(), pause, make_runner);
                match thread.spawn_scoped(scope, work) {
                    Ok(thread) => threads.push(thread),
                    Err(error) => play.end(&mut play.lock(), Err(error.into())),
                }
            }
            let mut progress = play.lock();
            while progress.end.is_none() {
                // A worker that ends early has panicked; the scope propagates the panic.
                if interrupted.load(Ordering::Relaxed) || threads.iter().any(ScopedJoinHandle::is_finished) {
                    play.end(&mut progress, Ok(MatchEnd::Interrupted));
                } else {
                    progress = play.wait(progress, GLANCE);
                }
            }
        });
        let progress = play.progress.into_inner().unwrap_or_else(PoisonError::into_inner);
        progress.end.unwrap_or(Ok(MatchEnd::Interrupted))
    }

    /// Returns the next games that can be played now, with their openings.
    fn next_games(&mut self) -> Result<Option<Vec<GameJob>>, OpeningsError> {
        let NextGames::Games(fixtures) = self.schedule.take() else { return Ok(None) };
        let with_opening = |fixture: Fixture| Ok((fixture, self.openings.get(fixture.opening)?));
        fixtures.into_iter().map(with_opening).collect::<Result<_, _>>().map(Some)
    }

    /// Stores a game and adds it to the standings.
    fn finish(
        &mut self,
        fixture: &Fixture,
        played: Result<PlayedGame, String>,
    ) -> Result<GameEntry, MatchError> {
        let nobody = |detail| MatchError::NobodyCanPlay(format!("game {}: {detail}", fixture.number + 1));
        let PlayedGame { entry, pgn, epd, overheads, lags, overruns } = played.map_err(nobody)?;
        self.store.append(&entry, &pgn, &epd)?;
        // The game was taken from this schedule, exactly once.
        let recorded = self.schedule.record(fixture.number, entry.white_points());
        recorded.expect("the result of a game that was given out");
        self.standings.add(fixture, entry.outcome.0);
        self.standings.follow(&self.schedule);
        if let Some(test) = &mut self.test {
            test.add(fixture.number, points_of_first(&entry));
        }
        self.openings_drawn = self.openings_drawn.max(fixture.opening + 1);
        count_late(&mut self.late_losses, &entry);
        self.usage.overheads.extend(overheads);
        self.usage.lags.extend(lags);
        self.usage.games += 1;
        self.usage.plies += u64::from(entry.plies);
        for (program, count) in [fixture.white, fixture.black].into_iter().zip(overruns) {
            self.usage.overruns[program] += count;
        }
        Ok(entry)
    }
}

/// Counts a loss on time that was within the lag of the referee.
fn count_late(losses: &mut [u64], entry: &GameEntry) {
    if let (true, Some(winner)) = (entry.late, entry.outcome.0.winner()) {
        losses[winner.fold_wb(entry.fixture.black, entry.fixture.white)] += 1;
    }
}

/// Whether a program left a game.
fn is_abandoned(played: &PlayedGame) -> bool {
    matches!(played.entry.outcome.0, Outcome::Win { reason: WinReason::Abandoned, .. })
}

/// Returns the points of the first program in one of its games.
fn points_of_first(entry: &GameEntry) -> Points {
    let white = entry.white_points();
    if entry.fixture.white == 0 { white } else { white.opposite() }
}

/// A game to be played, with its opening.
type GameJob = (Fixture, Game);

/// Maximum number of games for each thread that wait for an earlier one of a test.
const MOST_AHEAD: usize = 16;
/// Interval at which an interruption is checked.
const GLANCE: Duration = Duration::from_millis(50);
/// Time in which an interruption makes an abandoned game not count: what ends all processes may end a program first.
const SHUTDOWN: Duration = Duration::from_millis(300);

/// The state that the worker threads of a match share.
struct Play<'a, F> {
    progress: Mutex<Progress<'a, F>>,
    /// Notified when games have ended, and at the end of the match.
    changed: Condvar,
    called_off: AtomicBool,
}

struct Progress<'a, F> {
    game: &'a mut Match,
    observe: F,
    /// Number of threads that are playing.
    playing: usize,
    /// Number of threads.
    workers: usize,
    end: Option<Result<MatchEnd, MatchError>>,
}

impl<F> Progress<'_, F> {
    /// Whether so many games wait for an earlier one in play that the test would be decided by what was known long before.
    fn is_far_ahead(&self) -> bool {
        let waiting = self.game.test.as_ref().map_or(0, SequentialTest::waiting);
        self.playing > 0 && waiting > MOST_AHEAD * self.workers
    }
}

impl<'a, F: FnMut(&Match, MatchEvent<'_>)> Play<'a, F> {
    fn lock(&self) -> MutexGuard<'_, Progress<'a, F>> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'g>(
        &self,
        progress: MutexGuard<'g, Progress<'a, F>>,
        time: Duration,
    ) -> MutexGuard<'g, Progress<'a, F>> {
        self.changed.wait_timeout(progress, time).unwrap_or_else(PoisonError::into_inner).0
    }

    /// Ends the match and calls off the games in play.
    fn end(&self, progress: &mut Progress<'a, F>, end: Result<MatchEnd, MatchError>) {
        progress.end.get_or_insert(end);
        self.called_off.store(true, Ordering::Relaxed);
        self.changed.notify_all();
    }

    /// Plays games until the match is over.
    fn work<R: GameRunner>(&self, cores: Option<&[usize]>, pause: Duration, make_runner: impl Fn() -> R) {
        if let Some(cores) = cores {
            // Child processes inherit the affinity. If it cannot be set, the games are played without it.
            let _ = affinity::restrict(cores);
        }
        let mut runner = make_runner();
        while let Some(jobs) = self.take() {
            for (fixture, opening) in jobs {
                if !self.start(&fixture) {
                    break;
                }
                let played = runner.play(&fixture, opening, &self.called_off);
                let is_in_time = self.lock().end.is_none();
                if !played.as_ref().is_ok_and(|played| !is_abandoned(played)) {
                    self.rest(SHUTDOWN);
                }
                if is_in_time {
                    self.finish(&fixture, played);
                }
            }
            self.lock().playing -= 1;
            self.changed.notify_all();
            self.rest(pause);
        }
        for (program, resources) in runner.close() {
            self.lock().game.usage.resources[program] += resources;
        }
    }

    /// Waits for this time, or until the match is over.
    fn rest(&self, pause: Duration) {
        let until = Instant::now() + pause;
        let mut progress = self.lock();
        while progress.end.is_none() && Instant::now() < until {
            progress = self.wait(progress, until.saturating_duration_since(Instant::now()));
        }
    }

    /// Waits for games to play; `None` if the match is over.
    fn take(&self) -> Option<Vec<GameJob>> {
        let mut progress = self.lock();
        loop {
            self.end_if_decided(&mut progress);
            if progress.end.is_some() {
                return None;
            }
            if progress.is_far_ahead() {
                progress = self.wait(progress, GLANCE);
                continue;
            }
            match progress.game.next_games() {
                Ok(Some(jobs)) => {
                    progress.playing += 1;
                    return Some(jobs);
                }
                Ok(None) if progress.playing == 0 => self.end(&mut progress, Ok(MatchEnd::Complete)),
                Ok(None) => progress = self.wait(progress, GLANCE),
                Err(error) => self.end(&mut progress, Err(error.into())),
            }
        }
    }

    /// Announces a game; `false` if the match is over.
    fn start(&self, fixture: &Fixture) -> bool {
        let Progress { game, observe, end, .. } = &mut *self.lock();
        if end.is_none() {
            observe(game, MatchEvent::Started(fixture));
        }
        end.is_none()
    }

    /// Stores a game that ended before the match did, unless the match was interrupted since.
    fn finish(&self, fixture: &Fixture, played: Result<PlayedGame, String>) {
        let mut progress = self.lock();
        let Progress { game, observe, end, .. } = &mut *progress;
        if matches!(end, Some(Ok(MatchEnd::Interrupted))) {
            return;
        }
        match game.finish(fixture, played) {
            Ok(entry) => observe(game, MatchEvent::Finished(&entry)),
            Err(error) => self.end(&mut progress, Err(error)),
        }
        self.end_if_decided(&mut progress);
    }

    fn end_if_decided(&self, progress: &mut Progress<'a, F>) {
        if let Some(decision) = progress.game.decision() {
            self.end(progress, Ok(MatchEnd::Decided(decision)));
        }
    }
}

impl Concurrency {
    /// Returns the cores of each worker; `None` for a worker that may use all cores.
    fn cores(self) -> Result<Vec<Option<Vec<usize>>>, MatchError> {
        let games = self.games.max(1);
        if !self.pin && self.cores.is_none() {
            return Ok(vec![None; games]);
        }
        let allowed = affinity::allowed()?;
        let cores = self.cores.unwrap_or_else(|| allowed.clone());
        if let Some(&core) = cores.iter().find(|core| !allowed.contains(core)) {
            let problem = format!("core {core} cannot be used: this process may use {allowed:?}");
            return Err(MatchError::Unplayable(problem));
        }
        if !self.pin {
            return Ok(vec![Some(cores); games]);
        }
        if cores.len() < games {
            return Err(MatchError::Unplayable(format!(
                "{games} games at a time on {}: to pin them, play no more games at a time than \
                 there are cores",
                game::counted(cores.len() as u64, "core")
            )));
        }
        let shares = cores.chunks_exact(cores.len() / games).take(games);
        Ok(shares.map(|share| Some(share.to_vec())).collect())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use game::{Color, DrawReason};

    use super::*;
    use crate::match_store::{MatchFiles, RecordedOutcome};
    use crate::schedule::{ColourOrder, ScheduleSettings, TournamentFormat};
    use crate::statistics::EloModel;

    /// A runner without players: the outcome is a function of the fixture.
    struct Scripted<F>(F);

    impl<F: Fn(&Fixture) -> Option<Outcome>> GameRunner for Scripted<F> {
        fn play(&mut self, fixture: &Fixture, opening: Game, _: &AtomicBool) -> Result<PlayedGame, String> {
            assert_eq!(opening.ply(), 0);
            let outcome = (self.0)(fixture).ok_or("scripted")?;
            let entry = GameEntry {
                fixture: *fixture,
                outcome: RecordedOutcome(outcome),
                detail: "scripted".to_owned(),
                plies: 10,
                seconds: 0.001,
                late: fixture.number.is_multiple_of(7),
            };
            let pgn = format!("[Event \"{}\"]\n\n*\n\n", fixture.number);
            let overheads = vec![Duration::from_micros(100 + fixture.number)];
            Ok(PlayedGame {
                entry,
                pgn,
                epd: "\n".to_owned(),
                overheads,
                lags: Vec::new(),
                overruns: ByColor::default(),
            })
        }

        fn close(self) -> Vec<(usize, Resources)> {
            vec![(1, Resources { cpu: Duration::from_secs(1), peak_memory: 7 })]
        }
    }

    #[expect(clippy::unnecessary_wraps, reason = "other scripts know no outcome")]
    fn outcome(fixture: &Fixture) -> Option<Outcome> {
        Some(match fastrand::Rng::with_seed(fixture.number).u32(..4) {
            0 => Outcome::Win { winner: Color::White, reason: WinReason::Checkmate },
            1 => Outcome::Win { winner: Color::Black, reason: WinReason::TimeForfeit },
            _ => Outcome::Draw(DrawReason::Repetition),
        })
    }

    const ROUND_ROBIN: ScheduleSettings = ScheduleSettings {
        programs: 4,
        format: TournamentFormat::RoundRobin,
        games: 6,
        colours: ColourOrder::Pairs,
    };

    fn begin(settings: ScheduleSettings, sprt: Option<Sprt>, folder: &Path) -> Result<Match, MatchError> {
        Match::new(Schedule::new(settings).unwrap(), MatchOpenings::none(), sprt, |restore| {
            let (state, pgn) = (folder.join("state"), folder.join("pgn"));
            let files = MatchFiles { state: Some(&state), pgn: Some(&pgn), epd: None };
            MatchStore::open(files, &serde_json::json!({}), &[], restore)
        })
    }

    fn workers(games: usize) -> Concurrency {
        Concurrency { games, pin: false, cores: None, pause: Duration::ZERO }
    }

    static NEVER: AtomicBool = AtomicBool::new(false);

    #[test]
    fn an_interrupted_match_ends_with_the_same_table() {
        for format in
            [TournamentFormat::RoundRobin, TournamentFormat::Swiss { rounds: 3 }, TournamentFormat::Knockout]
        {
            let settings = ScheduleSettings { programs: 5, format, games: 6, colours: ColourOrder::Pairs };
            let folder = tempfile::tempdir().unwrap();
            let mut whole = begin(settings, None, folder.path()).unwrap();
            let end = whole.play(workers(3), || Scripted(outcome), &NEVER, |_, _| {}).unwrap();
            assert_eq!(end, MatchEnd::Complete);
            assert_eq!(whole.usage.resources[1].cpu, Duration::from_secs(3));

            let folder = tempfile::tempdir().unwrap();
            for at_least in (5..).step_by(5) {
                let mut part = begin(settings, None, folder.path()).unwrap();
                let interrupted = AtomicBool::new(false);
                let end = part.play(
                    workers(2),
                    || Scripted(outcome),
                    &interrupted,
                    |game, event| {
                        if matches!(event, MatchEvent::Finished(_)) && game.standings.games >= at_least {
                            interrupted.store(true, Ordering::Relaxed);
                        }
                    },
                );
                if end.unwrap() == MatchEnd::Complete {
                    assert_eq!(part.standings, whole.standings, "{format:?}");
                    assert_eq!(part.openings_drawn, whole.openings_drawn, "{format:?}");
                    assert_eq!(part.late_losses, whole.late_losses, "{format:?}");
                    break;
                }
            }
            let pgn = fs::read_to_string(folder.path().join("pgn")).unwrap();
            let games: BTreeSet<&str> = pgn.lines().filter(|line| line.starts_with('[')).collect();
            assert_eq!(games.len() as u64, whole.standings.games);
            assert_eq!(pgn.lines().count() as u64, 4 * whole.standings.games);
        }
    }

    #[test]
    fn a_program_that_a_shutdown_ends_first_loses_no_game() {
        static INTERRUPTED: AtomicBool = AtomicBool::new(false);
        // Where it ends both, nobody can play.
        let abandoned = Some(Outcome::Win { winner: Color::White, reason: WinReason::Abandoned });
        for fourth in [abandoned, None] {
            INTERRUPTED.store(false, Ordering::Relaxed);
            let folder = tempfile::tempdir().unwrap();
            let abandons = |fixture: &Fixture| {
                if fixture.number < 3 {
                    return outcome(fixture);
                }
                thread::spawn(|| {
                    thread::sleep(SHUTDOWN / 6);
                    INTERRUPTED.store(true, Ordering::Relaxed);
                });
                fourth
            };
            let mut game = begin(ROUND_ROBIN, None, folder.path()).unwrap();
            let end = game.play(workers(1), || Scripted(abandons), &INTERRUPTED, |_, _| {}).unwrap();
            assert_eq!((end, game.standings.games), (MatchEnd::Interrupted, 3));
        }
    }

    #[test]
    fn a_test_of_strength_ends_as_soon_as_it_is_decided() {
        let better = |fixture: &Fixture| {
            let winner = if fixture.white == 0 { Color::White } else { Color::Black };
            let draw = fixture.number.is_multiple_of(5);
            Some(if draw {
                Outcome::Draw(DrawReason::Agreement)
            } else {
                Outcome::Win { winner, reason: WinReason::Checkmate }
            })
        };
        let settings = ScheduleSettings {
            programs: 2,
            format: TournamentFormat::RoundRobin,
            games: 100_000,
            colours: ColourOrder::Pairs,
        };
        let sprt = Sprt::new(0.0, 50.0, 0.05, 0.05, EloModel::Logistic).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let decided = MatchEnd::Decided(Hypothesis::H1);
        let mut game = begin(settings, Some(sprt), folder.path()).unwrap();
        assert_eq!(game.play(workers(2), || Scripted(better), &NEVER, |_, _| {}).unwrap(), decided);
        let games = game.standings.games;
        assert!((10..1000).contains(&games), "{games}");
        drop(game);
        // A decided match plays no further games.
        let mut again = begin(settings, Some(sprt), folder.path()).unwrap();
        assert_eq!(again.play(workers(2), || Scripted(better), &NEVER, |_, _| {}).unwrap(), decided);
        assert_eq!(again.standings.games, games);
        let refused = begin(ROUND_ROBIN, Some(sprt), folder.path()).err().unwrap();
        assert_eq!(refused.to_string(), "an SPRT with 4 programs: expected 2");
    }

    #[test]
    fn a_match_stops_where_nobody_can_play_and_can_go_on() {
        let folder = tempfile::tempdir().unwrap();
        let mut game = begin(ROUND_ROBIN, None, folder.path()).unwrap();
        let broken = |fixture: &Fixture| outcome(fixture).filter(|_| fixture.number != 7);
        let error = game.play(workers(1), || Scripted(broken), &NEVER, |_, _| {}).unwrap_err().to_string();
        assert_eq!(error, "game 8: scripted; the match stops here");
        drop(game);
        let mut game = begin(ROUND_ROBIN, None, folder.path()).unwrap();
        assert_eq!(game.standings.games, 7);
        assert_eq!(
            game.play(workers(1), || Scripted(outcome), &NEVER, |_, _| {}).unwrap(),
            MatchEnd::Complete
        );
        assert_eq!(game.standings.games, 36);
    }

    #[test]
    fn a_record_of_another_schedule_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let mut game = begin(ROUND_ROBIN, None, folder.path()).unwrap();
        game.play(workers(1), || Scripted(outcome), &NEVER, |_, _| {}).unwrap();
        drop(game);
        let other = begin(ScheduleSettings { programs: 3, ..ROUND_ROBIN }, None, folder.path());
        assert!(other.err().unwrap().to_string().contains("is not in the schedule: fewer games"));
    }

    #[test]
    fn cores_are_divided_evenly() {
        let cores = |workers: Concurrency| workers.cores().map_err(|error| error.to_string());
        assert!(cores(workers(3)).unwrap().iter().all(Option::is_none));
        let all = affinity::allowed().unwrap().len();
        let pinned = |games| cores(Concurrency { pin: true, ..workers(games) });
        let shares: Vec<Vec<usize>> = pinned(all).unwrap().into_iter().flatten().collect();
        assert_eq!(shares.len(), all);
        assert!(shares.iter().all(|share| share.len() == 1));
        assert_eq!(pinned(1).unwrap()[0].as_ref().unwrap().len(), all);
        assert!(pinned(all + 1).unwrap_err().contains("no more games at a time than there are cores"));
        let first = affinity::allowed().unwrap()[0];
        let listed =
            |listed: &[usize], pin| cores(Concurrency { pin, cores: Some(listed.to_vec()), ..workers(2) });
        assert_eq!(listed(&[first], false).unwrap(), vec![Some(vec![first]); 2]);
        assert!(listed(&[first], true).unwrap_err().starts_with("2 games at a time on 1 core: "));
        let unknown = listed(&[first, 100_000], false).unwrap_err();
        assert!(unknown.starts_with("core 100000 cannot be used: "), "{unknown}");
    }
}
