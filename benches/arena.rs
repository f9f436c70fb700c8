//! Cost of officiating: plies per second between players that move at once, and the overhead per move.
//!
//! `cargo bench -p herald-arena --bench arena` measures a game between simulated players (the table alone), between two
//! UCI processes of this program (started with `mover`), and, if it is installed, between two Stockfish processes at
//! one node per move. The lines `OVERHEAD` give the plies per second and the time from the arrival of a move until it was
//! sent to the opponent. For figures on one core, run it under `taskset -c 0`.
//!
//! fastchess publishes how many games its own time losses cost at 0.2+0.002, with many games at a time. The movers play
//! under that clock, too: what they lose to it is the referee's.

use std::io::{BufRead, Write};
use std::num::NonZeroU32;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use arena::simulated::{Occasion, Simulated, SimulatedTime};
use arena::{Adjudication, DrawRule, GameRecord, GameSetup, Overheads, Rules, Seat, play, play_by};
use criterion::{BenchmarkId, Criterion, SamplingMode, Throughput};
use game::{Game, PgnTags};
use players::{CommandLine, PgnField, PgnFields, PlayerEvent, Protocol, Spec};
use shakmaty::ByColor;

/// The clock at which fastchess counts time losses.
const FASTEST_CLOCK: &str = "0.2+0.002";

/// Moves of each side in the scripted game.
const MOVES: u32 = 100;

fn main() {
    if std::env::args().nth(1).as_deref() == Some("mover") {
        return serve();
    }
    let mut criterion = Criterion::default().configure_from_args();
    simulated(&mut criterion);
    let this = std::env::current_exe().expect("the path of this program");
    let mover = CommandLine::from_words([this.display().to_string(), "mover".to_owned()]);
    let mover = mover.expect("a program");
    programs(&mut criterion, "instant movers", &mover, "nodes=1");
    programs(&mut criterion, "instant movers under a clock", &mover, FASTEST_CLOCK);
    let stockfish = ["/usr/games/stockfish", "/usr/bin/stockfish"]
        .into_iter()
        .find(|path| std::path::Path::new(path).exists());
    match stockfish {
        Some(path) => {
            programs(&mut criterion, "stockfish, one node", &path.parse().expect("a program"), "nodes=1");
        }
        None => println!("stockfish is not installed: left out"),
    }
    criterion.final_summary();
}

/// Returns a legal game of this length that does not end early. The moves are the same in each run.
fn script() -> Vec<String> {
    let mut game = Game::default();
    let mut moves = Vec::new();
    // A multiplicative generator (Park and Miller, 1988).
    let mut random: u64 = 1;
    while moves.len() < 2 * MOVES as usize {
        random = random * 48_271 % 0x7fff_ffff;
        let legal = game.legal_moves();
        let m = legal[random as usize % legal.len()];
        let text = game.coordinate(m);
        game.play(m).expect("a legal move");
        if game.outcome().is_some() {
            game.undo();
        } else {
            moves.push(text);
        }
    }
    moves
}

fn setup(control: &str) -> GameSetup {
    let seat = |name: &str| Seat {
        name: name.to_owned(),
        protocol: Some(Protocol::Uci),
        control: control.parse().expect("a time control"),
        margin: Duration::ZERO,
        ponder: false,
        white_view: false,
    };
    let adjudication = Adjudication { longest: NonZeroU32::new(MOVES), ..Adjudication::default() };
    GameSetup {
        game: Game::default(),
        seats: ByColor { white: seat("White"), black: seat("Black") },
        rules: Rules { draws: DrawRule::Automatic, adjudication, ..Rules::default() },
    }
}

/// Measures the table alone and the PGN of the game.
fn simulated(criterion: &mut Criterion) {
    let script = script();
    let setup = setup("60+1");
    let mut group = criterion.benchmark_group("simulated");
    group.throughput(Throughput::Elements(script.len() as u64));
    let game = || {
        let time = SimulatedTime::default();
        let mut players = ByColor::new_with(|_| {
            let script = &script;
            Simulated::new("", time.clone(), move |occasion| match occasion {
                Occasion::Think(turn) => {
                    vec![(Duration::from_micros(1), PlayerEvent::Move(script[turn.game.ply()].clone()))]
                }
                _ => Vec::new(),
            })
        });
        let ByColor { white, black } = &mut players;
        play_by(&time, &setup, ByColor { white, black }, &AtomicBool::new(false))
    };
    group.bench_function("plies", |bencher| bencher.iter(game));
    let record = game();
    assert_eq!(record.moves.len(), script.len(), "{}", record.detail);
    let usual = PgnFields::default();
    for (name, fields) in [("pgn", usual.clone()), ("pgn with variations", usual.with(PgnField::Variation))] {
        group.bench_function(name, |bencher| bencher.iter(|| record.pgn(&PgnTags::default(), &fields)));
    }
    group.finish();
}

/// Measures games between two processes of the same program.
fn programs(criterion: &mut Criterion, name: &str, program: &CommandLine, control: &str) {
    let start =
        || players::start(&Spec::new(program.clone(), Protocol::Uci), None).expect("the program starts");
    let mut players = ByColor::new_with(|_| start());
    let setup = setup(control);
    let mut overheads = Overheads::default();
    let (mut played, mut lasted) = (0, Duration::ZERO);
    let mut game = || -> GameRecord {
        let ByColor { white, black } = &mut players;
        let record =
            play(&setup, ByColor { white: &mut **white, black: &mut **black }, &AtomicBool::new(false));
        overheads.extend(record.moves.iter().filter_map(|m| m.overhead));
        played += record.moves.len();
        lasted += record.lasted;
        record
    };
    // With fixed nodes the program always plays the same game, so each has as many plies as the first.
    let plies = game().moves.len() as u64;
    let mut group = criterion.benchmark_group("programs");
    group.throughput(Throughput::Elements(plies)).sampling_mode(SamplingMode::Flat).sample_size(20);
    group.bench_function(BenchmarkId::from_parameter(name), |bencher| bencher.iter(&mut game));
    group.finish();
    if let Some(median) = overheads.median() {
        let speed = played as f64 / lasted.as_secs_f64();
        println!("OVERHEAD {name}: {speed:.0} plies/s, median {median:?}, longest {:?}", overheads.longest);
    }
    for player in players {
        player.quit();
    }
}

/// A minimal UCI engine that plays the script without thinking.
fn serve() {
    let script = script();
    let mut ply = 0;
    let mut output = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let answer = match line.split(' ').next() {
            Some("uci") => "id name Mover\nuciok",
            Some("isready") => "readyok",
            Some("position") => {
                // `position startpos moves e2e4 …`
                ply = line.split(' ').count().saturating_sub(3);
                continue;
            }
            Some("go") => &format!("info depth 1 score cp 0 nodes 1 pv {0}\nbestmove {0}", script[ply]),
            Some("quit") => return,
            _ => continue,
        };
        let _ = output.write_all(format!("{answer}\n").as_bytes());
        let _ = output.flush();
    }
}
