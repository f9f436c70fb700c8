//! Measures the overhead of a move: the time from asking a player that moves at once to its answer, for each protocol, in
//! microseconds. Most of it is the player's: reading, choosing at random, two context switches.
//!
//! `cargo run --release -p herald-players --example overhead [MOVES [HERALD]]`; with the executable `herald`, through `herald mend`, in
//! each protocol: the difference is the time that the adapter takes.

use std::path::Path;
use std::time::{Duration, Instant};

use game::{Clock, Color, Game, TimeControl};
use players::{CommandLine, NewGame, Player, PlayerEvent, Protocol, Spec, Turn};

fn main() {
    let moves = std::env::args().nth(1).map_or(20_000, |text| text.parse().expect("a number of moves"));
    let herald = std::env::args().nth(2);
    for (name, protocol) in [("cecp", Protocol::Cecp), ("uci", Protocol::Uci), ("cego", Protocol::Cego)] {
        if herald.is_some() && protocol == Protocol::Cego {
            continue;
        }
        let mut times = measure(name, protocol, moves, herald.as_deref());
        times.sort_unstable();
        let at = |permille: usize| times[(times.len() - 1) * permille / 1000].as_secs_f64() * 1e6;
        println!("{name:5} median {:6.1}  90% {:6.1}  99% {:6.1}", at(500), at(900), at(990));
    }
}

/// Measures the answers of a program that moves at once and plays both sides of its games.
fn measure(name: &str, protocol: Protocol, moves: usize, herald: Option<&str>) -> Vec<Duration> {
    let here = std::env::current_exe().expect("a path");
    let program = here.parent().map(|folder| folder.join("misbehaving")).expect("a folder");
    let mut times = Vec::with_capacity(moves);
    let mut players = [1, 2].map(|seed| start(&program, name, protocol, seed, herald));
    while times.len() < moves {
        play(&mut players, &mut times);
    }
    for player in players {
        player.quit();
    }
    times
}

fn start(program: &Path, name: &str, protocol: Protocol, seed: u32, herald: Option<&str>) -> Box<dyn Player> {
    let seed = seed.to_string();
    let words = [program.to_str().expect("a plain path"), "--protocol", name, "--seed", &seed];
    let adapter = herald.map(|herald| [herald, "mend", "--protocol", name, "--"]);
    let words = adapter.into_iter().flatten().chain(words);
    let command = CommandLine::from_words(words.map(String::from)).expect("words");
    players::start(&Spec::new(command, protocol), None).expect("the example `misbehaving` was built")
}

fn play(players: &mut [Box<dyn Player>; 2], times: &mut Vec<Duration>) {
    let control: TimeControl = "60+1".parse().expect("a time control");
    let clock = Clock::new(control.clone());
    let mut game = Game::default();
    for (player, color) in players.iter_mut().zip([Color::White, Color::Black]) {
        let new = NewGame { color, opponent: "x".into(), ..NewGame::new(game.clone(), &control) };
        player.new_game(&new).expect("it is ready");
    }
    while game.outcome().is_none() && game.ply() < 200 {
        let player = &mut players[usize::from(game.turn() == Color::Black)];
        let begin = Instant::now();
        player.think(&Turn { game: &game, clock: &clock, at: begin }).expect("it listens");
        let text = answer(player.as_mut());
        times.push(begin.elapsed());
        game.play_text(&text).expect("a legal move");
    }
}

fn answer(player: &mut dyn Player) -> String {
    loop {
        match player.take().map(|arrival| arrival.event) {
            Some(PlayerEvent::Move(text)) => return text,
            Some(PlayerEvent::Fault(fault)) => panic!("{fault}"),
            Some(_) => {}
            None => {
                let source = player.source().expect("a program");
                platform::wait(&[source], Instant::now() + Duration::from_mins(1));
            }
        }
    }
}
