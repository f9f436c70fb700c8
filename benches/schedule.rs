//! Cost of officiating a long match: a round robin of 200 simulated players with 100,000 games, whose state and PGN are
//! written to disk.
//!
//! `cargo bench -p herald-arena --bench schedule` prints a line `GAMES` for each tenth of the match: the time per game
//! and the memory in use. Both stay constant if nothing grows with the number of games.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use arena::schedule::{ColourOrder, Fixture, Schedule, ScheduleSettings, TournamentFormat};
use arena::{
    Concurrency, GameEntry, GameRunner, Match, MatchEvent, MatchFiles, MatchOpenings, MatchStore, PlayedGame,
    RecordedOutcome,
};
use game::{Color, DrawReason, Game, Outcome, WinReason};
use players::Resources;
use shakmaty::ByColor;

const SETTINGS: ScheduleSettings = ScheduleSettings {
    programs: 200,
    format: TournamentFormat::RoundRobin,
    games: 6,
    colours: ColourOrder::Pairs,
};
const GAMES: u64 = 100_000;

/// Players whose games end at once.
struct Simulated;

impl GameRunner for Simulated {
    fn play(&mut self, fixture: &Fixture, _: Game, _: &AtomicBool) -> Result<PlayedGame, String> {
        let outcome = match fastrand::Rng::with_seed(fixture.number).u32(..3) {
            0 => Outcome::Draw(DrawReason::Agreement),
            1 => Outcome::Win { winner: Color::White, reason: WinReason::Checkmate },
            _ => Outcome::Win { winner: Color::Black, reason: WinReason::Resignation },
        };
        let entry = GameEntry {
            fixture: *fixture,
            outcome: RecordedOutcome(outcome),
            detail: String::new(),
            plies: 80,
            seconds: 1.0,
            late: false,
        };
        // As long as the PGN of a game with comments.
        let pgn =
            format!("[Event \"{}\"]\n{}\n*\n\n", fixture.number, "1. e4 {+0.25/14 0.100s} ".repeat(160));
        let overheads = vec![Duration::from_micros(50); 80];
        Ok(PlayedGame {
            entry,
            pgn,
            epd: String::new(),
            overheads,
            lags: Vec::new(),
            overruns: ByColor::default(),
        })
    }

    fn close(self) -> Vec<(usize, Resources)> {
        Vec::new()
    }
}

fn main() {
    let mut schedule = Schedule::new(SETTINGS).expect("a schedule");
    let began = Instant::now();
    let games = std::iter::from_fn(|| Some(schedule.take())).take(GAMES as usize / 2).count();
    println!("SCHEDULE {} games taken in {:?}", 2 * games, began.elapsed());

    let folder = tempfile::tempdir().expect("a folder");
    let schedule = Schedule::new(SETTINGS).expect("a schedule");
    let mut game = Match::new(schedule, MatchOpenings::none(), None, |restore| {
        let (state, pgn) = (folder.path().join("state"), folder.path().join("pgn"));
        let files = MatchFiles { state: Some(&state), pgn: Some(&pgn), epd: None };
        MatchStore::open(files, &serde_json::json!({}), &[], restore)
    })
    .expect("a match");
    let interrupted = AtomicBool::new(false);
    let mut began = Instant::now();
    let workers = Concurrency { games: 2, pin: false, cores: None, pause: Duration::ZERO };
    let end = game.play(
        workers,
        || Simulated,
        &interrupted,
        |game, event| {
            let games = game.standings.games;
            if matches!(event, MatchEvent::Finished(_)) && games % (GAMES / 10) == 0 {
                let each = began.elapsed() / (GAMES / 10) as u32;
                println!("GAMES {games:>6} {each:?} a game, {} in use", memory());
                interrupted.store(games >= GAMES, std::sync::atomic::Ordering::Relaxed);
                began = Instant::now();
            }
        },
    );
    end.expect("the match is played");
}

/// Returns the memory in use by this process, as reported by the system.
fn memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.map_or_else(|| "unknown memory".to_owned(), |text| text.trim().to_owned())
}
