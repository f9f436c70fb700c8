//! Checks every setting of the engine in every variant: none may be supported by the chess search alone.
//!
//! It is a single test, so that the process's processor time is that of one engine.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::thread::sleep;
use std::time::{Duration, Instant};

use engine::{
    Decision, Engine, NumberSetting, Purpose, SearchLine, SearchTask, Strength, SwitchSetting, TaskId,
    Thought,
};
use game::{CastlingMode, Game, Move, Variant};
use search::{Limits, SearchClock, TimeLimit};
use shakmaty::Position as _;

const PATIENCE: Duration = Duration::from_secs(20);
/// More nodes than the search visits between two looks at the clock.
const POLL: u64 = 1024;

/// For each variant, its name, a game at its beginning, and a game in which pieces can move back and forth.
fn games() -> Vec<(String, Game, Game)> {
    let horde = "4k3/pppppppp/8/8/8/8/PPPPPPPP/RNBQ1BNR w - - 0 1";
    let horde = Game::from_variant_fen(Variant::Horde, horde, CastlingMode::Standard).expect("a position");
    let of = |variant| {
        let start = Game::new(variant);
        let shuffling = if variant == Variant::Horde { horde.clone() } else { start.clone() };
        (variant.to_string(), start, shuffling)
    };
    let bughouse = Game::bughouse();
    let all = Variant::ALL.into_iter().map(of);
    all.chain([("Bughouse".to_owned(), bughouse.clone(), bughouse)]).collect()
}

/// An engine and its last reports.
struct Player {
    engine: Engine,
    thoughts: Receiver<(TaskId, Thought)>,
    clock: Arc<NodeMeter>,
}

/// A clock that stands still and records the nodes reported to it.
#[derive(Default)]
struct NodeMeter(AtomicU64);

impl NodeMeter {
    fn nodes(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl SearchClock for NodeMeter {
    fn elapsed(&self, nodes: u64) -> Duration {
        self.0.store(nodes, Ordering::Relaxed);
        Duration::ZERO
    }
}

impl Player {
    fn new() -> Player {
        let (sender, thoughts) = mpsc::channel();
        let engine = Engine::new(move |id, thought| {
            let _ = sender.send((id, thought));
        });
        let mut engine = engine.expect("an engine");
        engine.set(NumberSetting::Hash, 4).expect("memory");
        Player { engine, thoughts, clock: Arc::default() }
    }

    /// Creates a player with one number that differs from its default.
    fn with(setting: NumberSetting, value: i64) -> Player {
        let mut player = Player::new();
        player.engine.set(setting, value).expect("a value");
        player
    }

    fn start(&mut self, game: &Game, limits: Limits, allowed: Option<Vec<Move>>) -> TaskId {
        self.clock = Arc::default();
        let clock = Arc::clone(&self.clock) as _;
        self.engine.think(game, SearchTask { purpose: Purpose::Play, limits, allowed, clock })
    }

    fn finish(&mut self, wanted: TaskId) -> (Vec<SearchLine>, Decision) {
        let mut lines = Vec::new();
        loop {
            match self.thoughts.recv_timeout(PATIENCE).expect("a thought") {
                (id, Thought::Done(decision)) if id == wanted => return (lines, decision),
                (id, Thought::Line(line)) if id == wanted => lines.push(line),
                _ => {}
            }
        }
    }

    fn think(&mut self, game: &Game, limits: Limits) -> (Vec<SearchLine>, Decision) {
        let id = self.start(game, limits, None);
        self.finish(id)
    }

    /// Waits until the search has visited more nodes.
    fn wait_for_nodes(&self) {
        let (before, began) = (self.clock.nodes(), Instant::now());
        while self.clock.nodes() <= before {
            assert!(began.elapsed() < PATIENCE, "nothing is searched");
            sleep(Duration::from_millis(1));
        }
    }
}

fn depth(depth: u32) -> Limits {
    Limits { depth: Some(depth), ..Limits::default() }
}

fn nodes(nodes: u64) -> Limits {
    Limits { nodes: Some(nodes), ..Limits::default() }
}

/// Returns limits that are never reached.
fn endless() -> Limits {
    Limits { time: TimeLimit::PerMove(Duration::from_hours(1)), ..Limits::default() }
}

fn last_move(game: &Game) -> Move {
    *game.legal_moves().last().expect("a move")
}

fn after(game: &Game, m: Move) -> Game {
    let mut next = game.clone();
    next.play(m).expect("a legal move");
    next
}

/// Returns the game before the move that causes the third repetition, and that move.
fn before_the_third_time(game: &Game) -> (Game, Move) {
    let back = |game: &Game, m: Move| game.parse_move(&format!("{}{}", m.to(), m.from()?)).ok();
    for first in game.legal_moves() {
        let one = after(game, first);
        for second in one.legal_moves() {
            let two = after(&one, second);
            let Some(third) = back(&two, first) else { continue };
            let three = after(&two, third);
            let Some(fourth) = back(&three, second) else { continue };
            if after(&three, fourth).position().board() != game.position().board() {
                continue;
            }
            let mut twice = after(&three, fourth);
            for m in [first, second, third] {
                twice = after(&twice, m);
            }
            return (twice, fourth);
        }
    }
    panic!("nothing goes back and forth in {}", game.fen());
}

/// A suspended search on two threads visits no nodes and uses no processor time.
fn pause(game: &Game, _: &Game) {
    let mut player = Player::with(NumberSetting::Threads, 2);
    player.engine.settle();
    let id = player.start(game, endless(), None);
    player.wait_for_nodes();
    player.engine.suspend();
    // The search runs up to its next look at the clock, which may take some time on a busy machine.
    sleep(Duration::from_millis(100));
    let (nodes, time) = (player.clock.nodes(), platform::process_cpu_time());
    sleep(Duration::from_millis(250));
    let spent = platform::process_cpu_time().saturating_sub(time);
    assert!(spent < Duration::from_millis(50), "{spent:?}");
    assert_eq!(player.clock.nodes(), nodes);
    player.engine.resume();
    player.wait_for_nodes();
    player.engine.move_now();
    player.finish(id);
}

fn stop(game: &Game, _: &Game) {
    let mut player = Player::new();
    let id = player.start(game, endless(), None);
    player.wait_for_nodes();
    player.engine.move_now();
    assert!(player.finish(id).1.best.is_some());
}

fn node_limit(game: &Game, _: &Game) {
    let mut player = Player::new();
    player.think(game, nodes(20 * POLL));
    let seen = player.clock.nodes();
    assert!((19 * POLL..=20 * POLL).contains(&seen), "{seen}");
}

fn strength(game: &Game, _: &Game) {
    let mut player = Player::with(NumberSetting::Elo, 2000);
    player.engine.switch(SwitchSetting::LimitStrength, true);
    player.think(game, Limits::default());
    let seen = player.clock.nodes();
    assert!((1..=Strength::of_elo(2000).nodes).contains(&seen), "{seen}");
}

/// Searches differ with noise and don't differ without.
fn noise(game: &Game, _: &Game) {
    for (noise, differs) in [(0, false), (200, true)] {
        let mut player = Player::with(NumberSetting::Noise, noise);
        let mut scores: Vec<String> = (0..6)
            .map(|_| {
                player.engine.new_game();
                format!("{:?}", player.think(game, depth(3)).1)
            })
            .collect();
        scores.dedup();
        assert_eq!(scores.len() > 1, differs, "{scores:?}");
    }
}

/// With contempt a draw is worth less.
fn contempt(_: &Game, game: &Game) {
    let (game, third_time) = before_the_third_time(game);
    for contempt in [0, 35] {
        let mut player = Player::with(NumberSetting::Contempt, contempt);
        let id = player.start(&game, depth(3), Some(vec![third_time]));
        assert_eq!(player.finish(id).1.score.value(), -contempt);
    }
}

/// One thread gives the same result in every run; several don't.
fn threads(game: &Game, _: &Game) {
    let run = |threads| {
        let lines = Player::with(NumberSetting::Threads, threads).think(game, nodes(100_000)).0;
        lines.iter().map(|line| (line.depth, line.nodes)).collect::<Vec<_>>()
    };
    let alone = run(1);
    assert_eq!(run(1), alone);
    assert!((0..10).any(|_| run(2) != alone), "the second thread does not search");
}

fn allowed_moves(game: &Game, _: &Game) {
    let (mut player, only) = (Player::new(), last_move(game));
    let id = player.start(game, depth(4), Some(vec![only]));
    let (lines, decision) = player.finish(id);
    assert_eq!(decision.best, Some(only));
    assert!(!lines.is_empty() && lines.iter().all(|line| line.moves[0] == only));
}

fn lines(game: &Game, _: &Game) {
    let (lines, decision) = Player::with(NumberSetting::Lines, 3).think(game, depth(4));
    let last: Vec<&SearchLine> = lines.iter().filter(|line| line.depth == 4).collect();
    assert_eq!(last.iter().map(|line| line.number).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(decision.best, Some(last[0].moves[0]));
    assert!(last[0].moves[0] != last[1].moves[0] && last[1].moves[0] != last[2].moves[0]);
}

fn told_value(game: &Game, _: &Game) {
    let (mut player, told) = (Player::new(), last_move(game));
    player.engine.tell_value(&after(game, told), -900);
    let decision = player.think(game, depth(2)).1;
    assert_eq!((decision.best, decision.score.value()), (Some(told), 900));
    player.engine.forget_told_values();
    assert_ne!(player.think(game, depth(2)).1.score.value(), 900);
}

/// A check of a setting, given a game at its beginning and one in which pieces can move back and forth.
type Check = fn(&Game, &Game);

const SETTINGS: [(&str, Check); 10] = [
    ("pause", pause),
    ("stop", stop),
    ("node limit", node_limit),
    ("strength", strength),
    ("noise", noise),
    ("contempt", contempt),
    ("threads", threads),
    ("allowed moves", allowed_moves),
    ("lines", lines),
    ("told value", told_value),
];

#[test]
fn every_setting_holds_in_every_variant() {
    for (variant, start, shuffling) in games() {
        for (setting, check) in SETTINGS {
            println!("{variant}: {setting}");
            check(&start, &shuffling);
        }
    }
}
