//! A crowd of scripted clients, to see what a referee bears: `crowd settings GAMES` writes the settings of an event,
//! `crowd play ADDRESS GAMES MOVES_PER_SECOND` plays it to its end and tells how long replies took to the opponents.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use protocols::referee::{Analysis, Conversation, Remark, Task, answer_with};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["settings", games] => settings(games.parse().expect("a number of games")),
        ["play", address, games, rate] => {
            play(address, games.parse().expect("a number of games"), rate.parse().expect("moves per second"));
        }
        _ => eprintln!("crowd settings GAMES | crowd play ADDRESS GAMES MOVES_PER_SECOND"),
    }
}

fn settings(games: usize) {
    println!("event = 'Crowd'\nformat = 'swiss'\nrounds = 1\ntc = '600+1'\nquiet = 0.0\nmax-moves = 30");
    println!("connections-per-address = {}", 2 * games + 10);
    for number in 0..2 * games {
        println!("[[program]]\nname = '{}'", name(number));
    }
}

fn name(number: usize) -> String {
    format!("P{number:05}")
}

/// When the last reply of each game was sent, and how long replies took.
#[derive(Default)]
struct Times {
    sent: HashMap<u32, Instant>,
    took: Vec<Duration>,
}

fn play(address: &str, games: usize, rate: f64) {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("threads");
    let times = Arc::new(Mutex::new(Times::default()));
    // Each game makes a move in so long a time.
    let pause = Duration::from_secs_f64(games as f64 / rate);
    let began = Instant::now();
    runtime.block_on(async {
        let clients: Vec<_> = (0..2 * games)
            .map(|number| tokio::spawn(client(address.to_owned(), number, pause, Arc::clone(&times))))
            .collect();
        for client in clients {
            client.await.expect("no panic");
        }
    });
    let mut times = times.lock().unwrap_or_else(PoisonError::into_inner);
    times.took.sort();
    let (moves, seconds) = (times.took.len(), began.elapsed().as_secs_f64());
    println!("{moves} moves in {seconds:.1} s, {:.0} a second", moves as f64 / seconds);
    for percentile in [50.0, 90.0, 99.0, 99.9, 100.0_f64] {
        let at = ((percentile / 100.0 * moves as f64) as usize).min(moves.saturating_sub(1));
        println!(
            "{percentile:>5} % of replies reached the opponent within {:?}",
            times.took.get(at).copied().unwrap_or_default()
        );
    }
}

async fn client(address: String, number: usize, pause: Duration, times: Arc<Mutex<Times>>) {
    // Not all at once: the system's queue of connections is short.
    tokio::time::sleep(Duration::from_millis(number as u64)).await;
    let stream = TcpStream::connect(address).await.expect("the referee listens");
    stream.set_nodelay(true).expect("a stream");
    let (input, mut output) = stream.into_split();
    let mut lines = BufReader::new(input).lines();
    let mut conversation = Conversation::new("5/move".parse().expect("a time control"));
    let sign_on = conversation.sign_on(&name(number), None, true);
    output.write_all(format!("{sign_on}\n").as_bytes()).await.expect("the referee listens");
    let mut random = fastrand::Rng::with_seed(number as u64);
    while let Ok(Some(line)) = lines.next_line().await {
        let arrived = Instant::now();
        let number =
            line.split(" tcgs ").nth(1).and_then(|rest| rest.trim_end_matches(';').parse::<u32>().ok());
        match conversation.hear(&line).expect("the referee makes sense") {
            Task::Disconnect => return,
            Task::Respond => {
                let number = number.expect("the number of the game");
                {
                    let mut times = times.lock().unwrap_or_else(PoisonError::into_inner);
                    if let Some(sent) = times.sent.remove(&number) {
                        times.took.push(arrived - sent);
                    }
                }
                tokio::time::sleep(pause.mul_f64(random.f64() + 0.5)).await;
                let game = conversation.game();
                let moves = game.legal_moves();
                let answer = answer_with(game, moves[random.usize(..moves.len())], Remark::None);
                let reply = conversation.reply(answer, Analysis::default()).expect("legal");
                times.lock().unwrap_or_else(PoisonError::into_inner).sent.insert(number, Instant::now());
                output.write_all(format!("{reply}\n").as_bytes()).await.expect("the referee listens");
            }
            _ => {}
        }
    }
}
