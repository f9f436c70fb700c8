//! The engine on its own thread: what it says, when it keeps silent, and that it can be stopped at any time.

use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use engine::{
    CastlingMode, Decision, Engine, Game, PathSetting, Purpose, Setting, SettingError, Task, TaskId, Thought,
    Variant, WallClock,
};
use search::{Limits, TimeLimit};

const PATIENCE: Duration = Duration::from_secs(20);

fn engine() -> (Engine, Receiver<(TaskId, Thought)>) {
    let (sender, thoughts) = mpsc::channel();
    let engine = Engine::new(move |id, thought| {
        let _ = sender.send((id, thought));
    });
    (engine.expect("an engine"), thoughts)
}

fn task(purpose: Purpose, limits: Limits) -> Task {
    Task { purpose, limits, allowed: None, clock: Arc::new(WallClock::default()) }
}

fn depth(depth: u32) -> Limits {
    Limits { depth: Some(depth), ..Limits::default() }
}

/// Waits for the decision of a task and counts the lines before it.
fn decision(thoughts: &Receiver<(TaskId, Thought)>, wanted: TaskId) -> (usize, Decision) {
    let mut lines = 0;
    loop {
        match thoughts.recv_timeout(PATIENCE).expect("a thought") {
            (id, Thought::Done(decision)) if id == wanted => return (lines, decision),
            (id, Thought::Line(_)) if id == wanted => lines += 1,
            _ => {}
        }
    }
}

#[test]
fn it_thinks_and_decides_once() {
    let (mut engine, thoughts) = engine();
    let game = Game::from_fen("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", CastlingMode::Standard).unwrap();
    let id = engine.think(&game, task(Purpose::Play, depth(5)));
    let (lines, decision) = decision(&thoughts, id);
    assert_eq!(decision.best.map(|m| game.san(m)).as_deref(), Some("Rd8#"));
    assert!(lines >= 1);
    assert!(thoughts.recv_timeout(Duration::from_millis(100)).is_err(), "the decision is the last word");
}

#[test]
fn an_abandoned_task_is_not_current() {
    let (mut engine, thoughts) = engine();
    let first = engine.think(&Game::default(), task(Purpose::Play, Limits::default()));
    assert!(engine.is_current(first) && engine.is_thinking());
    let second = engine.think(&Game::default(), task(Purpose::Play, depth(3)));
    assert!(!engine.is_current(first) && engine.is_current(second));
    decision(&thoughts, second);
    engine.abandon();
    assert!(!engine.is_thinking());
}

#[test]
fn an_analysis_waits_to_be_stopped_even_when_nothing_is_left_to_find() {
    let (mut engine, thoughts) = engine();
    let mated = Game::from_fen("7k/8/8/8/8/8/r7/1r4K1 w - - 0 1", CastlingMode::Standard).unwrap();
    let id = engine.think(&mated, task(Purpose::Analyse, Limits::default()));
    let early = thoughts.recv_timeout(Duration::from_millis(200));
    assert!(!matches!(early, Ok((_, Thought::Done(_)))), "{early:?}");
    engine.move_now();
    assert_eq!(decision(&thoughts, id).1.best, None);
}

#[test]
fn pondering_becomes_play_with_the_hit() {
    let (mut engine, thoughts) = engine();
    let limits = Limits { time: TimeLimit::PerMove(Duration::from_millis(30)), ..Limits::default() };
    let start = Instant::now();
    let id = engine.think(&Game::default(), task(Purpose::Ponder, limits));
    std::thread::sleep(Duration::from_millis(150));
    engine.ponder_hit();
    assert!(decision(&thoughts, id).1.best.is_some());
    assert!(start.elapsed() >= Duration::from_millis(150));
}

#[test]
fn settings_have_bounds_and_a_table_that_is_too_large_leaves_the_old_one() {
    let (mut engine, thoughts) = engine();
    for setting in Setting::ALL {
        assert_eq!(engine.get(setting), setting.default());
        assert!(setting.range().contains(&setting.default()));
        let beyond = setting.range().end() + 1;
        assert!(matches!(engine.set(setting, beyond), Err(SettingError::OutOfRange { .. })));
    }
    let before = engine.get(Setting::Hash);
    assert!(matches!(engine.set(Setting::Hash, *Setting::Hash.range().end()), Err(SettingError::Memory(_))));
    assert_eq!(engine.get(Setting::Hash), before);
    engine.set(Setting::Hash, 1).unwrap();
    engine.set(Setting::Threads, 2).unwrap();
    engine.settle();
    let id = engine.think(&Game::default(), task(Purpose::Play, depth(4)));
    assert!(decision(&thoughts, id).1.best.is_some());
}

#[test]
fn it_thinks_in_chess960() {
    let (mut engine, thoughts) = engine();
    let game =
        Game::from_fen("1rk2r2/ppp2ppp/8/8/8/8/PPP2PPP/1RK2R2 w FBfb - 0 1", CastlingMode::Chess960).unwrap();
    let castling = game.parse_move("O-O").unwrap();
    let mut task = task(Purpose::Play, depth(4));
    task.allowed = Some(vec![castling]);
    let id = engine.think(&game, task);
    assert_eq!(decision(&thoughts, id).1.best, Some(castling));
}

#[test]
fn dropping_a_thinking_engine_ends_it() {
    let (mut engine, _thoughts) = engine();
    engine.think(&Game::default(), task(Purpose::Analyse, Limits::default()));
    let start = Instant::now();
    drop(engine);
    assert!(start.elapsed() < Duration::from_secs(5));
}

#[test]
fn book_moves_are_played_without_thinking() {
    let file = tempfile::Builder::new().suffix(".epd").tempfile().unwrap();
    std::fs::write(&file, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - bm Na3 h4;").unwrap();
    let (mut engine, thoughts) = engine();
    engine.set_path(PathSetting::Book, file.path().to_str().unwrap()).unwrap();
    let game = Game::default();
    assert_eq!(engine.book_moves(&game).unwrap().len(), 2);
    engine.use_own_book(true);
    for (allowed, expected) in [(None, &["Na3", "h4"][..]), (Some("h4"), &["h4"]), (Some("e4"), &["e4"])] {
        let allowed = allowed.map(|text| vec![game.parse_move(text).unwrap()]);
        let is_known = expected != ["e4"];
        let id = engine.think(&game, Task { allowed, ..task(Purpose::Play, depth(2)) });
        let (lines, decision) = decision(&thoughts, id);
        assert!(expected.contains(&game.san(decision.best.unwrap()).as_str()), "{decision:?}");
        assert_eq!(lines == 0, is_known);
    }
    // An analysis is not about what the book says.
    let id = engine.think(&game, task(Purpose::Analyse, depth(2)));
    engine.move_now();
    assert!(decision(&thoughts, id).0 > 0);
    engine.set_path(PathSetting::Book, "").unwrap();
    assert!(engine.book_moves(&game).unwrap().is_empty());
}

#[test]
fn files_that_can_t_be_used_leave_the_old_ones() {
    let (mut engine, _) = engine();
    let file = tempfile::NamedTempFile::new().unwrap();
    let path = file.path().to_str().unwrap();
    engine.set_path(PathSetting::Book, path).unwrap();
    let error = engine.set_path(PathSetting::Book, "/no/book").unwrap_err().to_string();
    assert!(error.starts_with("can't use `/no/book` as a book: "), "{error}");
    assert_eq!(engine.path(PathSetting::Book), path);
    let error = engine.set_path(PathSetting::Tablebases, "/no/tables").unwrap_err().to_string();
    assert!(error.starts_with("can't read `/no/tables`: "), "{error}");
    assert_eq!(engine.path(PathSetting::Tablebases), "");
}

/// Variants have another searcher, which shares the hash table: it must make no difference which came before.
#[test]
fn it_plays_by_the_rules_of_the_game() {
    let (mut engine, thoughts) = engine();
    let fen = "6rk/6pp/8/8/8/8/6PP/6K1[N] w - - 0 1";
    let crazyhouse = Game::from_variant_fen(Variant::Crazyhouse, fen, CastlingMode::Standard).unwrap();
    let chess = Game::from_fen("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", CastlingMode::Standard).unwrap();
    for (game, best) in [(&crazyhouse, "N@f7#"), (&chess, "Rd8#"), (&crazyhouse, "N@f7#")] {
        let id = engine.think(game, task(Purpose::Play, depth(4)));
        let (lines, decision) = decision(&thoughts, id);
        assert_eq!(decision.best.map(|m| game.san(m)).as_deref(), Some(best));
        assert!(lines >= 1);
    }
    let id = engine.think(&Game::new(Variant::Horde), task(Purpose::Analyse, Limits::default()));
    assert!(matches!(thoughts.recv_timeout(PATIENCE), Ok((of, _)) if of == id));
    engine.move_now();
    assert!(decision(&thoughts, id).1.best.is_some());
}
