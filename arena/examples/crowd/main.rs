//! A crowd of scripted clients, to see what a referee bears: `crowd settings GAMES` writes the settings of an event,
//! `crowd play ADDRESS[,ADDRESS] GAMES MOVES_PER_SECOND SECONDS` plays it to its end, all clients having come within so many
//! seconds, and tells how long replies took to the opponents and how right the clocks were: while games are still set up, and
//! when all of them are played. A client whose connection breaks goes on to the next address. `crowd relay ADDRESS GAMES` takes
//! the referee's place and does as little as possible, to see what of this is the crowd's own.

mod relay;

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use messages::referee::{Analysis, ClientRecord, ClientState, ClientTask, Remark, Response, answer_with};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["settings", games] => settings(games.parse().expect("a number of games")),
        ["play", addresses, games, rate, seconds] => {
            play(
                addresses,
                games.parse().expect("a number of games"),
                rate.parse().expect("moves per second"),
                Duration::from_secs_f64(seconds.parse().expect("seconds")),
            );
        }
        ["relay", address, games] => relay::relay(address, games.parse().expect("a number of games")),
        _ => eprintln!(
            "crowd settings GAMES | crowd play ADDRESS[,ADDRESS] GAMES MOVES_PER_SECOND SECONDS | crowd relay ADDRESS GAMES"
        ),
    }
}

/// The moves of each side, after which a game is drawn.
const MOVES: usize = 30;
/// The time of a game and what each move adds, in seconds.
const TIME: u64 = 600;
const INCREMENT: u64 = 1;

fn settings(games: usize) {
    println!(
        "event = 'Crowd'\nformat = 'swiss'\nrounds = 1\ngames = 1\ntc = '{TIME}+{INCREMENT}'\nquiet = 0.0\nmax-moves = {MOVES}"
    );
    println!("connections-per-address = {}", 2 * games + 10);
    for number in 0..2 * games {
        println!("[[program]]\nname = '{}'", name(number));
    }
}

fn name(number: usize) -> String {
    format!("P{number:05}")
}

/// What the crowd has seen.
#[derive(Default)]
struct Seen {
    /// How many games there are to be.
    games: usize,
    /// The games that have begun.
    begun: HashSet<u32>,
    /// When the last of them began.
    complete: Option<Instant>,
    /// When the last reply of each game was sent.
    sent: HashMap<u32, Instant>,
    /// While games were still set up, and after that.
    phases: [Phase; 2],
    /// When the last reply reached its opponent, and the longest time in which none did.
    last: Option<Instant>,
    silence: Duration,
    /// The final positions of the games that were concluded, by number, and their plies.
    concluded: HashMap<u32, (String, usize)>,
    connections: usize,
}

/// What was measured in a part of the event.
#[derive(Default)]
struct Phase {
    /// How long replies took to the opponent.
    took: Vec<Duration>,
    /// By how much the referee's account of a move differs from the client's own. What the way there and back takes is in it.
    clock_errors: Vec<Duration>,
}

impl Seen {
    fn phase(&mut self) -> &mut Phase {
        &mut self.phases[usize::from(self.complete.is_some())]
    }
}

type Shared = Arc<Mutex<Seen>>;

fn lock(seen: &Shared) -> std::sync::MutexGuard<'_, Seen> {
    seen.lock().unwrap_or_else(PoisonError::into_inner)
}

fn play(addresses: &str, games: usize, rate: f64, coming: Duration) {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("threads");
    let seen: Shared = Arc::new(Mutex::new(Seen { games, ..Seen::default() }));
    let addresses: Arc<[String]> = addresses.split(',').map(str::to_owned).collect();
    // Each game makes a move in so long a time.
    let pause = Duration::from_secs_f64(games as f64 / rate);
    let between = coming / (2 * games) as u32;
    let began = Instant::now();
    runtime.block_on(async {
        let clients: Vec<_> = (0..2 * games)
            .map(|number| {
                let (addresses, seen) = (Arc::clone(&addresses), Arc::clone(&seen));
                tokio::spawn(async move {
                    tokio::time::sleep(between * number as u32).await;
                    client(&addresses, number, pause, seen).await;
                })
            })
            .collect();
        for client in clients {
            client.await.expect("no panic");
        }
    });
    let mut seen = lock(&seen);
    let (moves, ended) = (seen.phases.iter().map(|phase| phase.took.len()).sum::<usize>(), began.elapsed());
    println!("{moves} moves in {:.1} s", ended.as_secs_f64());
    let concluded = seen.concluded.len();
    let plies = seen.concluded.values().map(|(_, plies)| plies).sum::<usize>();
    println!("{concluded} games concluded, {plies} plies; {} connections", seen.connections);
    println!("the longest time in which no reply reached an opponent: {:?}", seen.silence);
    let set_up = seen.complete.map_or(ended, |complete| complete.saturating_duration_since(began));
    let lengths = [set_up, ended.saturating_sub(set_up)];
    for ((what, length), phase) in
        ["while games are set up", "when all are played"].iter().zip(lengths).zip(&mut seen.phases)
    {
        let moves = phase.took.len();
        println!("{what}: {moves} moves in {:.1} s", length.as_secs_f64());
        show("replies reached the opponent within", &mut phase.took);
        show("clocks were right within", &mut phase.clock_errors);
    }
}

fn show(what: &str, times: &mut [Duration]) {
    times.sort();
    for percentile in [50.0, 90.0, 99.0, 99.9, 100.0_f64] {
        let at = ((percentile / 100.0 * times.len() as f64) as usize).min(times.len().saturating_sub(1));
        println!("{percentile:>5} % of {what} {:?}", times.get(at).copied().unwrap_or_default());
    }
}

/// A client: it connects, to one referee or the next, until it is told to go.
async fn client(addresses: &[String], number: usize, pause: Duration, seen: Shared) {
    let mut player = Player {
        conversation: ClientState::new("5/move".parse().expect("a time control")),
        name: name(number),
        pause,
        random: fastrand::Rng::with_seed(number as u64),
        account: None,
        seen,
    };
    for address in addresses.iter().cycle() {
        if let Ok(stream) = TcpStream::connect(address).await
            && player.take_part(stream).await.is_ok_and(|is_over| is_over)
        {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

struct Player {
    conversation: ClientState,
    name: String,
    pause: Duration,
    random: fastrand::Rng,
    /// The game, and what is to be left when the next move is asked for.
    account: Option<(u32, Duration)>,
    seen: Shared,
}

impl Player {
    /// Plays over a connection; `true` if that was all.
    async fn take_part(&mut self, stream: TcpStream) -> std::io::Result<bool> {
        stream.set_nodelay(true)?;
        lock(&self.seen).connections += 1;
        let (input, mut output) = stream.into_split();
        let mut lines = BufReader::new(input).lines();
        let sign_on = self.conversation.sign_on(&self.name, None, true);
        output.write_all(format!("{sign_on}\n").as_bytes()).await?;
        // Over another connection the referee's account of a move is another one.
        self.account = None;
        while let Some(line) = lines.next_line().await? {
            let arrived = Instant::now();
            let game = line.split(" tcgs ").nth(1).and_then(|rest| rest.trim_end_matches(';').parse().ok());
            match self.conversation.hear(&line).expect("the referee makes sense") {
                ClientTask::Disconnect(_) => return Ok(true),
                ClientTask::Conclude(_) => {
                    self.note_end(game.expect("a number"));
                }
                ClientTask::Respond => {
                    let game = game.expect("the number of the game");
                    self.note_arrival(game, arrived);
                    tokio::time::sleep(self.pause.mul_f64(self.random.f64() + 0.5)).await;
                    let reply = self.think(game);
                    lock(&self.seen).sent.insert(game, Instant::now());
                    output.write_all(format!("{reply}\n").as_bytes()).await?;
                    self.account =
                        self.account.map(|(game, left)| (game, left.saturating_sub(arrived.elapsed())));
                }
                ClientTask::Repeat(reply) => {
                    output.write_all(format!("{reply}\n").as_bytes()).await?;
                }
                _ => {}
            }
        }
        Ok(false)
    }

    fn note_arrival(&mut self, game: u32, arrived: Instant) {
        let mut seen = lock(&self.seen);
        if seen.begun.insert(game) && seen.begun.len() == seen.games {
            seen.complete = Some(arrived);
        }
        if let Some(sent) = seen.sent.remove(&game) {
            seen.phase().took.push(arrived.saturating_duration_since(sent));
        }
        if let Some(last) = seen.last.replace(arrived) {
            seen.silence = seen.silence.max(arrived.saturating_duration_since(last));
        }
        let remaining = self.conversation.remaining(self.conversation.game().turn());
        if let (Some((before, expected)), Some(told)) = (self.account.take(), remaining)
            && before == game
        {
            seen.phase().clock_errors.push(expected.abs_diff(told));
        }
    }

    fn note_end(&self, number: u32) {
        let game = self.conversation.game();
        let mut seen = lock(&self.seen);
        let (fen, plies) = seen.concluded.entry(number).or_insert_with(|| (game.fen(), 0));
        assert_eq!(*fen, game.fen(), "both have the same game");
        // Who has not made the last move knows the position, but not how it came about.
        *plies = game.ply().max(*plies);
    }

    /// A move at random, if there is one, and what will be left after it but for the time that it took.
    fn think(&mut self, number: u32) -> ClientRecord {
        let game = self.conversation.game();
        let (mover, legal) = (game.turn(), game.legal_moves());
        let chosen = self.random.choice(legal);
        let answer = chosen.map_or(Response::NoMove, |mv| answer_with(game, mv, Remark::None));
        let left = self.conversation.remaining(mover).map(|left| left + self.conversation.increment(mover));
        self.account = left.map(|left| (number, left));
        self.conversation.reply(answer, Analysis::default()).expect("legal")
    }
}
