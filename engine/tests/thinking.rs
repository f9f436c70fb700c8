//! Tests of the engine on its own thread: its reports, its silence, and that it can be stopped at any time.

use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use engine::{
    Decision, Engine, NumberSetting, PathSetting, Purpose, SearchTask, Setting, SettingError, Settings,
    StopWatch, Strength, SwitchSetting, TaskId, Thought, TimeMeasure,
};
use game::{CastlingMode, Game, Score, Variant};
use search::network::{ACTIVATED_UNIT, INPUTS, Parameters};
use search::{Limits, TimeLimit};

const PATIENCE: Duration = Duration::from_secs(20);

fn engine() -> (Engine, Receiver<(TaskId, Thought)>) {
    let (sender, thoughts) = mpsc::channel();
    let engine = Engine::new(move |id, thought| {
        let _ = sender.send((id, thought));
    });
    (engine.expect("an engine"), thoughts)
}

fn task(purpose: Purpose, limits: Limits) -> SearchTask {
    SearchTask { purpose, limits, allowed: None, clock: Arc::new(StopWatch::start(TimeMeasure::Wall)) }
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
        let Setting::Number(setting) = setting else { continue };
        assert_eq!(engine.get(setting), setting.default());
        assert!(setting.range().contains(&setting.default()));
        let beyond = setting.range().end() + 1;
        assert!(matches!(engine.set(setting, beyond), Err(SettingError::OutOfRange { .. })));
    }
    let before = engine.get(NumberSetting::Hash);
    assert!(matches!(
        engine.set(NumberSetting::Hash, *NumberSetting::Hash.range().end()),
        Err(SettingError::Memory { .. })
    ));
    assert_eq!(engine.get(NumberSetting::Hash), before);
    engine.set(NumberSetting::Hash, 1).unwrap();
    engine.set(NumberSetting::Threads, 2).unwrap();
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
    engine.switch(SwitchSetting::OwnBook, true);
    for (allowed, expected) in [(None, &["Na3", "h4"][..]), (Some("h4"), &["h4"]), (Some("e4"), &["e4"])] {
        let allowed = allowed.map(|text| vec![game.parse_move(text).unwrap()]);
        let is_known = expected != ["e4"];
        let id = engine.think(&game, SearchTask { allowed, ..task(Purpose::Play, depth(2)) });
        let (lines, decision) = decision(&thoughts, id);
        assert!(expected.contains(&game.san(decision.best.unwrap()).as_str()), "{decision:?}");
        assert_eq!(lines == 0, is_known);
        assert!(!is_known || decision.score == engine.evaluate(&game));
    }
    // An analysis does not use the book.
    let id = engine.think(&game, task(Purpose::Analyse, depth(2)));
    engine.move_now();
    assert!(decision(&thoughts, id).0 > 0);
    engine.set_path(PathSetting::Book, "").unwrap();
    assert!(engine.book_moves(&game).unwrap().is_empty());
}

/// A network that evaluates every position at one pawn for the side to move.
fn a_pawn_ahead() -> Vec<u8> {
    let parameters = Parameters {
        feature_weights: vec![0; INPUTS * 32],
        feature_biases: vec![0; 32],
        output_weights: vec![0; 64],
        output_biases: vec![64 * ACTIVATED_UNIT / 4],
        output_unit: 64,
        centipawns: 400,
    };
    parameters.to_bytes()
}

#[test]
fn the_network_in_use_evaluates() {
    let (mut engine, thoughts) = engine();
    let game = Game::from_fen("4k3/pppp4/8/8/8/8/PPPPPPPP/4K3 w - - 0 1", CastlingMode::Standard).unwrap();
    let built_in = engine.evaluate(&game);
    assert!(built_in > Score::Centipawns(150), "{built_in:?}");
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), a_pawn_ahead()).unwrap();
    engine.set_path(PathSetting::Network, file.path().to_str().unwrap()).unwrap();
    assert_eq!(engine.evaluate(&game), Score::Centipawns(100));
    let id = engine.think(&game, task(Purpose::Play, depth(1)));
    let Score::Centipawns(score) = decision(&thoughts, id).1.score else { panic!("a mate") };
    assert!(
        (-100..-90).contains(&score),
        "{score}, whatever is played: the search scales evaluations a little"
    );
    engine.set_path(PathSetting::Network, "").unwrap();
    assert_eq!(engine.evaluate(&game), built_in);
}

#[test]
fn files_that_can_t_be_used_leave_the_old_ones() {
    let (mut engine, _) = engine();
    let file = tempfile::NamedTempFile::new().unwrap();
    let path = file.path().to_str().unwrap();
    engine.set_path(PathSetting::Book, path).unwrap();
    let error = engine.set_path(PathSetting::Book, "/no/book").unwrap_err().to_string();
    assert!(error.starts_with("can't use `/no/book` as a book: "), "{error}");
    assert_eq!(engine.settings().path(PathSetting::Book), path);
    let error = engine.set_path(PathSetting::Tablebases, "/no/tables").unwrap_err().to_string();
    assert!(error.starts_with("can't read `/no/tables`: "), "{error}");
    assert_eq!(engine.settings().path(PathSetting::Tablebases), "");
}

#[test]
fn a_text_changes_a_setting_or_says_why_not() {
    let (mut engine, _) = engine();
    let mut change = |name: &str, text: &str| {
        let setting = Setting::named(name).expect("a setting");
        engine.change(setting, text).map_err(|error| error.to_string())
    };
    for setting in Setting::ALL {
        assert_eq!(Setting::named(&setting.name().to_uppercase()), Some(setting));
    }
    assert_eq!(change("contempt", " -30 "), Ok(()));
    assert_eq!(change("OwnBook", "1"), Ok(()));
    assert_eq!(change("ownbook", "False"), Ok(()));
    assert_eq!(change("MoveOverhead", "250"), Ok(()));
    for (name, text, error) in [
        ("Contempt", "201", "Contempt must be between -200 and 200, not 201"),
        ("Contempt", "some", "Contempt needs a whole number, not `some`"),
        ("Contempt", "", "Contempt needs a whole number, not ``"),
        ("OwnBook", "maybe", "OwnBook needs true or false (1 or 0), not `maybe`"),
        ("BookFile", "/no/book", "can't use `/no/book` as a book: "),
        ("EvalFile", "/no/network", "can't use `/no/network` as a network: "),
        ("EvalFile", "Cargo.toml", "can't use `Cargo.toml` as a network: not a Herald network"),
    ] {
        let found = change(name, text).unwrap_err();
        assert!(found.starts_with(error), "{found}");
    }
    assert_eq!(Setting::named("Hsah"), None);
    let settings = engine.settings().clone();
    assert_eq!((engine.get(NumberSetting::Contempt), engine.get(NumberSetting::Overhead)), (-30, 250));
    assert_eq!(engine.adopt(&Settings::default()).len(), 0);
    assert_eq!(*engine.settings(), Settings::default());
    assert_eq!(engine.adopt(&settings).len(), 0);
    assert_eq!(*engine.settings(), settings);
}

#[test]
fn a_limited_engine_looks_at_few_nodes_but_analyses_as_ever() {
    let (mut engine, thoughts) = engine();
    engine.switch(SwitchSetting::LimitStrength, true);
    let elo = 1500;
    engine.set(NumberSetting::Elo, elo).unwrap();
    let most = Strength::of_elo(elo).nodes;
    engine.think(&Game::default(), task(Purpose::Play, Limits::default()));
    let mut nodes = 0;
    loop {
        match thoughts.recv_timeout(PATIENCE).expect("a thought").1 {
            Thought::Line(line) => nodes = line.nodes,
            Thought::Done(_) => break,
            Thought::RootMove { .. } | Thought::Warning(_) => {}
        }
    }
    assert!((1..=most).contains(&nodes), "{nodes} of {most}");
    engine.think(&Game::default(), task(Purpose::Analyse, Limits::default()));
    while nodes <= 2 * most {
        if let Thought::Line(line) = thoughts.recv_timeout(PATIENCE).expect("a thought").1 {
            nodes = line.nodes;
        }
    }
}

#[test]
fn a_suspended_task_is_silent_until_it_is_resumed() {
    let (mut engine, thoughts) = engine();
    let id = engine.think(&Game::default(), task(Purpose::Analyse, Limits::default()));
    thoughts.recv_timeout(PATIENCE).expect("a thought");
    engine.suspend();
    // The search runs up to its next look at the clock, which may take some time on a busy machine.
    let began = Instant::now();
    while thoughts.recv_timeout(Duration::from_millis(300)).is_ok() {
        assert!(began.elapsed() < PATIENCE, "it goes on");
    }
    engine.resume();
    assert_eq!(thoughts.recv_timeout(PATIENCE).expect("a thought").0, id);
    engine.suspend();
    engine.move_now();
    assert!(decision(&thoughts, id).1.best.is_some());
}

#[test]
fn a_told_value_holds_until_it_is_forgotten() {
    let (mut engine, thoughts) = engine();
    let start = Game::default();
    let mut after = start.clone();
    after.play(start.parse_move("h4").unwrap()).unwrap();
    engine.tell_value(&after, -500);
    let id = engine.think(&start, task(Purpose::Play, depth(4)));
    let found = decision(&thoughts, id).1;
    assert_eq!((found.best.map(|m| start.san(m)).as_deref(), found.score.value()), (Some("h4"), 500));
    engine.forget_told_values();
    let id = engine.think(&start, task(Purpose::Play, depth(4)));
    assert!(decision(&thoughts, id).1.score.value() < 200);
}

/// Variants have another searcher with the same hash table: the order of use must make no difference.
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
