//! A match from its first game, or from where it was left, to its end.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use game::{Game, Outcome};
use platform::affinity;
use players::Resources;

use crate::match_store::{GameEntry, MatchStore, RecordedOutcome, StoreError};
use crate::openings::{MatchOpenings, OpeningsError};
use crate::schedule::{Fixture, NextGames, Schedule, ScheduleError};
use crate::standings::Standings;
use crate::statistics::{Sprt, SprtDecision};

/// Where games are played, one after the other.
pub trait GameRunner {
    /// Plays a game from the position of the opening on. It ends soon, and without an outcome, once `called_off` is set.
    fn play(&mut self, fixture: &Fixture, opening: Game, called_off: &AtomicBool) -> PlayedGame;

    /// Sends the players away. Tells what each used, once for each time it was started.
    fn close(self) -> Vec<(usize, Resources)>;
}

/// A game that has been played.
#[derive(Clone, Debug)]
pub struct PlayedGame {
    /// How it ended; `None` if it was called off, or neither side could play.
    pub outcome: Option<Outcome>,
    /// What the outcome does not say; may be empty.
    pub detail: String,
    /// Plies that the players played, those of the opening not counted.
    pub plies: u32,
    /// How long it took.
    pub lasted: Duration,
    /// The game in PGN, an empty line at its end.
    pub pgn: String,
    /// For each move the time from its arrival until the opponent had been told of it.
    pub overheads: Vec<Duration>,
}

/// How games are played at the same time.
#[derive(Clone, Copy, Debug)]
pub struct Concurrency {
    /// How many games at a time; at least one is played.
    pub games: usize,
    /// Whether the processor's cores are divided among them, so that no game disturbs another.
    pub pin: bool,
}

/// Something that happened in a match.
#[derive(Debug)]
pub enum MatchEvent<'a> {
    /// A game begins.
    Started(&'a Fixture),
    /// A game has ended and is on record.
    Finished(&'a GameEntry),
}

/// Why a match is over, for now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchEnd {
    /// All games have been played.
    Complete,
    /// The SPRT has come to its decision.
    Decided(SprtDecision),
    /// It was interrupted and can go on later.
    Interrupted,
}

/// Why a match cannot be played.
#[derive(Debug, thiserror::Error)]
pub enum MatchError {
    /// There is no such schedule.
    #[error(transparent)]
    Schedule(#[from] ScheduleError),
    /// There is no opening to begin with.
    #[error(transparent)]
    Openings(#[from] OpeningsError),
    /// The record cannot be kept.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// An SPRT weighs two programs.
    #[error("an SPRT with {0} programs: expected 2")]
    SprtNeedsTwo(usize),
    /// Two programs failed at the same time; whose fault it is cannot be told.
    #[error("game {}: {detail}; the match stops here and can go on later", .number + 1)]
    NobodyCanPlay {
        /// The game, from 0.
        number: u64,
        /// What happened.
        detail: String,
    },
    /// Fewer cores than games at a time.
    #[error(
        "{games} games at a time on {cores} cores: to pin them, play no more games at a time than there are cores"
    )]
    TooFewCores {
        /// Games at a time.
        games: usize,
        /// Cores that this program may use.
        cores: usize,
    },
    /// The operating system gives no threads or no cores.
    #[error("no threads for the games: {0}")]
    Threads(#[from] io::Error),
}

/// What the officials needed and what the programs used, in this run of the match.
#[derive(Clone, Debug, Default)]
pub struct Usage {
    /// From each move's arrival until the opponent had been told of it.
    pub overheads: Overheads,
    /// What each program used, in all its processes.
    pub resources: Vec<Resources>,
}

/// A match.
pub struct Match {
    schedule: Schedule,
    standings: Standings,
    openings: MatchOpenings,
    openings_drawn: u64,
    store: MatchStore,
    sprt: Option<Sprt>,
    usage: Usage,
}

impl Match {
    /// Begins a match, or takes up the one whose games `open_store` finds on record.
    ///
    /// # Errors
    /// An SPRT needs two programs, and the record must belong to this match.
    pub fn new(
        mut schedule: Schedule,
        openings: MatchOpenings,
        sprt: Option<Sprt>,
        open_store: impl FnOnce(&mut dyn FnMut(GameEntry) -> Result<(), String>) -> Result<MatchStore, StoreError>,
    ) -> Result<Match, MatchError> {
        let programs = schedule.settings().programs;
        if sprt.is_some() && programs != 2 {
            return Err(MatchError::SprtNeedsTwo(programs));
        }
        let mut standings = Standings::new(programs);
        let mut openings_drawn = 0;
        let store = open_store(&mut |entry| {
            let fixture = entry.fixture();
            if schedule.awaited(fixture.number) != Some(fixture) {
                return Err(format!("game {} belongs to no schedule of these settings", fixture.number + 1));
            }
            schedule.record(fixture.number, entry.white_points()).map_err(|error| error.to_string())?;
            standings.add(&fixture, entry.outcome.0, entry.plies);
            openings_drawn = openings_drawn.max(fixture.opening + 1);
            Ok(())
        })?;
        let usage = Usage { resources: vec![Resources::default(); programs], ..Usage::default() };
        Ok(Match { schedule, standings, openings, openings_drawn, store, sprt, usage })
    }

    /// The schedule as far as it is known.
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// The results so far.
    pub fn standings(&self) -> &Standings {
        &self.standings
    }

    /// What this run of the match has used.
    pub fn usage(&self) -> &Usage {
        &self.usage
    }

    /// What games begin from.
    pub fn openings(&self) -> &MatchOpenings {
        &self.openings
    }

    /// How many openings have been played so far. Beyond [`MatchOpenings::count`] they have come again, and programs that
    /// always answer alike have played the same games.
    pub fn openings_drawn(&self) -> u64 {
        self.openings_drawn
    }

    /// The test of strength, if there is one.
    pub fn sprt(&self) -> Option<&Sprt> {
        self.sprt.as_ref()
    }

    /// What the test says so far.
    pub fn decision(&self) -> SprtDecision {
        self.sprt.map_or(SprtDecision::Continue, |sprt| sprt.decision(&self.standings.of(0).pairs))
    }

    /// Plays until the match is complete, decided or `interrupted`. Each worker thread makes a board of its own by
    /// `make_board`; programs that it starts there run on its cores.
    ///
    /// # Errors
    /// See [`MatchError`]. All games that ended before are on record.
    pub fn play<B: GameRunner>(
        &mut self,
        workers: Concurrency,
        make_board: impl Fn() -> B + Sync,
        interrupted: &AtomicBool,
        mut observe: impl FnMut(&Match, MatchEvent<'_>),
    ) -> Result<MatchEnd, MatchError> {
        let called_off = AtomicBool::new(false);
        let cores = workers.cores()?;
        thread::scope(|scope| {
            let (reports, inbox) = mpsc::channel();
            let mut workers = Vec::new();
            for (number, cores) in cores.into_iter().enumerate() {
                let (jobs, from_dispatcher) = mpsc::channel();
                let worker = MatchWorker {
                    number,
                    jobs: from_dispatcher,
                    reports: reports.clone(),
                    called_off: &called_off,
                };
                let make_board = &make_board;
                thread::Builder::new()
                    .name(format!("board {}", number + 1))
                    .spawn_scoped(scope, move || worker.work(cores.as_deref(), make_board))?;
                workers.push(jobs);
            }
            drop(reports);
            let mut office = Dispatcher { workers, inbox, interrupted, called_off: &called_off, running: 0 };
            let end = office.direct(self, &mut observe);
            // Whatever the reason, nobody plays on.
            called_off.store(true, Ordering::Relaxed);
            office.close(&mut self.usage);
            end
        })
    }

    /// Records a game.
    fn finish(&mut self, fixture: &Fixture, played: &PlayedGame) -> Result<GameEntry, MatchError> {
        let Some(outcome) = played.outcome else {
            return Err(MatchError::NobodyCanPlay { number: fixture.number, detail: played.detail.clone() });
        };
        let Fixture { number, round, white, black, opening } = *fixture;
        let entry = GameEntry {
            number,
            round,
            white,
            black,
            opening,
            outcome: RecordedOutcome(outcome),
            detail: played.detail.clone(),
            plies: played.plies,
            seconds: played.lasted.as_secs_f64(),
        };
        self.store.append(&entry, &played.pgn)?;
        // The game came from this schedule, and only once.
        self.schedule.record(number, entry.white_points()).expect("the result of a game that was given out");
        self.standings.add(fixture, outcome, played.plies);
        self.openings_drawn = self.openings_drawn.max(opening + 1);
        self.usage.overheads.extend(&played.overheads);
        Ok(entry)
    }
}

/// A game to play, with its opening.
type GameJob = (Fixture, Game);

/// What a worker has to say.
enum WorkerReport {
    Started(Fixture),
    Finished(Fixture, Box<PlayedGame>),
    /// All games that it was given are over.
    Idle(usize),
    Closed(Vec<(usize, Resources)>),
}

/// Where the games are given out and the results come in.
struct Dispatcher<'a> {
    /// The way to each worker.
    workers: Vec<Sender<Vec<GameJob>>>,
    inbox: Receiver<WorkerReport>,
    interrupted: &'a AtomicBool,
    called_off: &'a AtomicBool,
    /// How many workers have games.
    running: usize,
}

/// How long an interruption may go unnoticed.
const GLANCE: Duration = Duration::from_millis(50);

impl Dispatcher<'_> {
    fn direct(
        &mut self,
        the_match: &mut Match,
        observe: &mut impl FnMut(&Match, MatchEvent<'_>),
    ) -> Result<MatchEnd, MatchError> {
        let mut idle: Vec<usize> = (0..self.workers.len()).rev().collect();
        loop {
            if let decision @ (SprtDecision::AcceptH0 | SprtDecision::AcceptH1) = the_match.decision() {
                return Ok(MatchEnd::Decided(decision));
            }
            self.give_out(the_match, &mut idle)?;
            if self.running == 0 {
                return Ok(MatchEnd::Complete);
            }
            let report = loop {
                if self.interrupted.load(Ordering::Relaxed) {
                    return Ok(MatchEnd::Interrupted);
                }
                match self.inbox.recv_timeout(GLANCE) {
                    Ok(report) => break report,
                    Err(RecvTimeoutError::Timeout) => {}
                    // A worker that panicked: the scope hands the panic on.
                    Err(RecvTimeoutError::Disconnected) => return Ok(MatchEnd::Interrupted),
                }
            };
            match report {
                WorkerReport::Started(fixture) => observe(the_match, MatchEvent::Started(&fixture)),
                WorkerReport::Finished(fixture, played) => {
                    let entry = the_match.finish(&fixture, &played)?;
                    observe(the_match, MatchEvent::Finished(&entry));
                }
                WorkerReport::Idle(worker) => {
                    idle.push(worker);
                    self.running -= 1;
                }
                WorkerReport::Closed(_) => {}
            }
        }
    }

    /// Gives games to those who have none, as far as there are games that can be played now.
    fn give_out(&mut self, the_match: &mut Match, idle: &mut Vec<usize>) -> Result<(), OpeningsError> {
        while let Some(&worker) = idle.last() {
            let NextGames::Games(fixtures) = the_match.schedule.take() else { break };
            let with_opening = |fixture: Fixture| Ok((fixture, the_match.openings.get(fixture.opening)?));
            let jobs: Vec<GameJob> = fixtures.into_iter().map(with_opening).collect::<Result<_, _>>()?;
            if self.workers[worker].send(jobs).is_ok() {
                self.running += 1;
            }
            idle.pop();
        }
        Ok(())
    }

    /// Lets the workers go and takes note of what their players used.
    fn close(mut self, usage: &mut Usage) {
        debug_assert!(self.called_off.load(Ordering::Relaxed));
        self.workers.clear();
        for report in self.inbox {
            if let WorkerReport::Closed(left) = report {
                for (program, resources) in left {
                    usage.resources[program] += resources;
                }
            }
        }
    }
}

/// A thread that plays games.
struct MatchWorker<'a> {
    number: usize,
    jobs: Receiver<Vec<GameJob>>,
    reports: Sender<WorkerReport>,
    called_off: &'a AtomicBool,
}

impl MatchWorker<'_> {
    fn work<B: GameRunner>(self, cores: Option<&[usize]>, make_board: impl Fn() -> B) {
        if let Some(cores) = cores {
            // Programs that are started from here inherit it. If it can't be done, the games are played all the same.
            let _ = affinity::restrict(cores);
        }
        let mut board = make_board();
        while let Ok(jobs) = self.jobs.recv() {
            for (fixture, opening) in jobs {
                if self.called_off.load(Ordering::Relaxed) {
                    break;
                }
                self.report(WorkerReport::Started(fixture));
                let played = board.play(&fixture, opening, self.called_off);
                self.report(WorkerReport::Finished(fixture, Box::new(played)));
            }
            self.report(WorkerReport::Idle(self.number));
        }
        self.report(WorkerReport::Closed(board.close()));
    }

    /// The office listens as long as there are workers.
    fn report(&self, report: WorkerReport) {
        let _ = self.reports.send(report);
    }
}

impl Concurrency {
    /// The cores of each worker; `None` where it may use all.
    fn cores(self) -> Result<Vec<Option<Vec<usize>>>, MatchError> {
        let games = self.games.max(1);
        if !self.pin {
            return Ok(vec![None; games]);
        }
        let cores = affinity::allowed()?;
        if cores.len() < games {
            return Err(MatchError::TooFewCores { games, cores: cores.len() });
        }
        let shares = cores.chunks_exact(cores.len() / games).take(games);
        Ok(shares.map(|share| Some(share.to_vec())).collect())
    }
}

/// How long the officials took, move by move, in memory that does not grow: a histogram whose steps are a sixteenth.
#[derive(Clone, Debug, Default)]
pub struct Overheads {
    counts: Vec<u64>,
    longest: Duration,
}

/// Steps to the double.
const STEPS: f64 = 16.0;

impl Overheads {
    fn extend(&mut self, times: &[Duration]) {
        for &time in times {
            let step = ((time.as_nanos().max(1) as f64).log2() * STEPS) as usize;
            if self.counts.len() <= step {
                self.counts.resize(step + 1, 0);
            }
            self.counts[step] += 1;
            self.longest = self.longest.max(time);
        }
    }

    /// The median, to within three per cent; `None` before the first move.
    pub fn median(&self) -> Option<Duration> {
        let mut left = self.counts.iter().sum::<u64>().div_ceil(2);
        let step = self.counts.iter().position(|&count| {
            left = left.saturating_sub(count);
            left == 0
        })?;
        Some(Duration::from_nanos(((step as f64 + 0.5) / STEPS).exp2() as u64))
    }

    /// The longest.
    pub fn longest(&self) -> Duration {
        self.longest
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use game::{Color, DrawReason, WinReason};

    use super::*;
    use crate::schedule::{ScheduleSettings, TournamentFormat};
    use crate::statistics::EloModel;

    /// A board without players: the outcome is a function of the game.
    struct Scripted<F>(F);

    impl<F: Fn(&Fixture) -> Option<Outcome>> GameRunner for Scripted<F> {
        fn play(&mut self, fixture: &Fixture, opening: Game, _: &AtomicBool) -> PlayedGame {
            assert_eq!(opening.ply(), 0);
            PlayedGame {
                outcome: (self.0)(fixture),
                detail: "scripted".to_owned(),
                plies: 10,
                lasted: Duration::from_millis(1),
                pgn: format!("[Event \"{}\"]\n\n*\n\n", fixture.number),
                overheads: vec![Duration::from_micros(100 + fixture.number)],
            }
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

    const ROUND_ROBIN: ScheduleSettings =
        ScheduleSettings { programs: 4, format: TournamentFormat::RoundRobin, games: 6 };

    fn begin(settings: ScheduleSettings, sprt: Option<Sprt>, folder: &Path) -> Result<Match, MatchError> {
        Match::new(Schedule::new(settings).unwrap(), MatchOpenings::none(), sprt, |restore| {
            let (state, pgn) = (folder.join("state"), folder.join("pgn"));
            MatchStore::open(Some(&state), Some(&pgn), &serde_json::json!({}), restore)
        })
    }

    fn workers(games: usize) -> Concurrency {
        Concurrency { games, pin: false }
    }

    static NEVER: AtomicBool = AtomicBool::new(false);

    #[test]
    fn an_interrupted_match_ends_with_the_same_table() {
        for format in
            [TournamentFormat::RoundRobin, TournamentFormat::Swiss { rounds: 3 }, TournamentFormat::Knockout]
        {
            let settings = ScheduleSettings { programs: 5, format, games: 6 };
            let folder = tempfile::tempdir().unwrap();
            let mut whole = begin(settings, None, folder.path()).unwrap();
            let end = whole.play(workers(3), || Scripted(outcome), &NEVER, |_, _| {}).unwrap();
            assert_eq!(end, MatchEnd::Complete);
            assert_eq!(whole.usage().resources[1].cpu, Duration::from_secs(3));

            let folder = tempfile::tempdir().unwrap();
            for at_least in (5..).step_by(5) {
                let mut part = begin(settings, None, folder.path()).unwrap();
                let interrupted = AtomicBool::new(false);
                let end = part.play(
                    workers(2),
                    || Scripted(outcome),
                    &interrupted,
                    |game, event| {
                        if matches!(event, MatchEvent::Finished(_)) && game.standings().games() >= at_least {
                            interrupted.store(true, Ordering::Relaxed);
                        }
                    },
                );
                if end.unwrap() == MatchEnd::Complete {
                    assert_eq!(part.standings(), whole.standings(), "{format:?}");
                    assert_eq!(part.openings_drawn(), whole.openings_drawn(), "{format:?}");
                    break;
                }
            }
            let pgn = fs::read_to_string(folder.path().join("pgn")).unwrap();
            let games: BTreeSet<&str> = pgn.lines().filter(|line| line.starts_with('[')).collect();
            assert_eq!(games.len() as u64, whole.standings().games());
            assert_eq!(pgn.lines().count() as u64, 4 * whole.standings().games());
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
        let settings = ScheduleSettings { programs: 2, format: TournamentFormat::RoundRobin, games: 100_000 };
        let sprt = Sprt::new(0.0, 50.0, 0.05, 0.05, EloModel::Logistic).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let decided = MatchEnd::Decided(SprtDecision::AcceptH1);
        let mut game = begin(settings, Some(sprt), folder.path()).unwrap();
        assert_eq!(game.play(workers(2), || Scripted(better), &NEVER, |_, _| {}).unwrap(), decided);
        let games = game.standings().games();
        assert!((10..1000).contains(&games), "{games}");
        drop(game);
        // Nothing is played once it is decided.
        let mut again = begin(settings, Some(sprt), folder.path()).unwrap();
        assert_eq!(again.play(workers(2), || Scripted(better), &NEVER, |_, _| {}).unwrap(), decided);
        assert_eq!(again.standings().games(), games);
        assert!(matches!(begin(ROUND_ROBIN, Some(sprt), folder.path()), Err(MatchError::SprtNeedsTwo(4))));
    }

    #[test]
    fn a_match_stops_where_nobody_can_play_and_can_go_on() {
        let folder = tempfile::tempdir().unwrap();
        let mut game = begin(ROUND_ROBIN, None, folder.path()).unwrap();
        let broken = |fixture: &Fixture| outcome(fixture).filter(|_| fixture.number != 7);
        let error = game.play(workers(1), || Scripted(broken), &NEVER, |_, _| {}).unwrap_err().to_string();
        assert_eq!(error, "game 8: scripted; the match stops here and can go on later");
        drop(game);
        let mut game = begin(ROUND_ROBIN, None, folder.path()).unwrap();
        assert_eq!(game.standings().games(), 7);
        assert_eq!(
            game.play(workers(1), || Scripted(outcome), &NEVER, |_, _| {}).unwrap(),
            MatchEnd::Complete
        );
        assert_eq!(game.standings().games(), 36);
    }

    #[test]
    fn a_record_of_another_schedule_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let mut game = begin(ROUND_ROBIN, None, folder.path()).unwrap();
        game.play(workers(1), || Scripted(outcome), &NEVER, |_, _| {}).unwrap();
        drop(game);
        let other = begin(ScheduleSettings { programs: 3, ..ROUND_ROBIN }, None, folder.path());
        assert!(other.err().unwrap().to_string().contains("belongs to no schedule of these settings"));
    }

    #[test]
    fn cores_are_divided_evenly() {
        let cores = |workers: Concurrency| workers.cores();
        assert!(cores(workers(3)).unwrap().iter().all(Option::is_none));
        let all = affinity::allowed().unwrap().len();
        let pinned = |games| cores(Concurrency { games, pin: true });
        let shares: Vec<Vec<usize>> = pinned(all).unwrap().into_iter().flatten().collect();
        assert_eq!(shares.len(), all);
        assert!(shares.iter().all(|share| share.len() == 1));
        assert_eq!(pinned(1).unwrap()[0].as_ref().unwrap().len(), all);
        assert!(matches!(pinned(all + 1), Err(MatchError::TooFewCores { .. })));
    }

    #[test]
    fn overheads_have_a_median_and_a_longest() {
        let mut overheads = Overheads::default();
        assert_eq!(overheads.median(), None);
        overheads.extend(&[10, 20, 50, 100, 4000].map(Duration::from_micros));
        let median = overheads.median().unwrap().as_nanos() as f64;
        assert!((median / 50_000.0 - 1.0).abs() < 0.03, "{median}");
        assert_eq!(overheads.longest(), Duration::from_millis(4));
    }
}
