//! A simple official, and functions to find programs and processes.

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use game::{CastlingMode, Clock, Color, Game, Outcome, TimeControl, WinReason};
use players::{
    CommandLine, Log, LogEntry, NewGame, Player, PlayerEvent, PlayerFault, Protocol, Speaker, Spec, Thinking,
    Turn,
};
use shakmaty::ByColor;

/// Long enough for anything on a busy machine.
pub(crate) const LONG: Duration = Duration::from_secs(30);

/// An example of this package, which cargo has built with the tests.
pub(crate) fn fixture(protocol: Protocol, arguments: &str) -> Spec {
    let tests = std::env::current_exe().expect("a path");
    let program =
        tests.parent().and_then(Path::parent).expect("a target folder").join("examples/misbehaving");
    assert!(program.is_file(), "not built: cargo build --examples");
    let name = match protocol {
        Protocol::Cecp => "cecp",
        Protocol::Uci => "uci",
        Protocol::Cego => "cego",
        Protocol::Autoplayer => "autoplayer",
    };
    let words = ["--protocol", name].into_iter().chain(arguments.split_whitespace());
    let words = std::iter::once(program.display().to_string()).chain(words.map(String::from));
    Spec::new(CommandLine::from_words(words).expect("words"), protocol)
}

/// Returns a number that no other test has: the seed of a program, by which its processes are recognised.
pub(crate) fn unique_seed() -> u32 {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    std::process::id() * 1000 + COUNT.fetch_add(1, Ordering::Relaxed)
}

/// Whether a process is running that has `text` in its command line, or will be in a moment: while it begins, its command line is
/// still empty.
pub(crate) fn is_running(text: &str) -> bool {
    comes_true(|| has_process(text))
}

/// Whether no such process is running, or none after the moment that it takes to die when killed.
pub(crate) fn is_gone(text: &str) -> bool {
    comes_true(|| !has_process(text))
}

fn comes_true(fact: impl Fn() -> bool) -> bool {
    (0..100).any(|_| {
        let is_true = fact();
        if !is_true {
            std::thread::sleep(Duration::from_millis(10));
        }
        is_true
    })
}

fn has_process(text: &str) -> bool {
    let processes = std::fs::read_dir("/proc").expect("Linux").flatten();
    processes.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok()).any(|line| {
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        line.contains(text)
    })
}

/// A log in memory.
#[derive(Default)]
pub(crate) struct Minutes(Mutex<Vec<(Speaker, String)>>);

impl Log for Minutes {
    fn record(&self, entry: &LogEntry) {
        self.0.lock().unwrap().push((entry.speaker, entry.text.to_owned()));
    }
}

impl Minutes {
    pub(crate) fn of(&self, speaker: Speaker) -> Vec<String> {
        let minutes = self.0.lock().unwrap();
        minutes.iter().filter(|(who, _)| *who == speaker).map(|(_, text)| text.clone()).collect()
    }
}

/// End of a game.
#[derive(Debug)]
pub(crate) enum End {
    /// By the rules.
    Over(Outcome),
    /// It reached the maximum length.
    LongEnough,
    Illegal(Color, String),
    OutOfTurn(Color),
    Claim(Color, String),
    Complaint(Color),
    Resigned,
    TooLate(Color),
    Faulty(Color, PlayerFault),
}

/// A game to be played.
pub(crate) struct Rules<'a> {
    pub(crate) start: Game,
    pub(crate) control: &'a str,
    pub(crate) ponder: bool,
    /// Time limit for a move.
    pub(crate) patience: Duration,
    pub(crate) plies: usize,
}

impl Default for Rules<'_> {
    fn default() -> Self {
        Rules { start: Game::default(), control: "60+1", ponder: false, patience: LONG, plies: 60 }
    }
}

pub(crate) fn position(fen: &str, mode: CastlingMode, moves: &str) -> Game {
    let mut game = Game::from_fen(fen, mode).expect("a position");
    for text in moves.split_whitespace() {
        game.play(game.parse_move(text).expect("legal")).expect("legal");
    }
    game
}

/// Record of a game.
pub(crate) struct Played {
    pub(crate) end: End,
    pub(crate) game: Game,
    /// Last thinking output of each side.
    pub(crate) thinking: ByColor<Option<Thinking>>,
    /// Messages of each side for persons.
    pub(crate) remarks: ByColor<Vec<String>>,
}

/// Plays a game, and tells the players that it has ended.
pub(crate) fn play(players: &mut ByColor<Box<dyn Player>>, rules: Rules) -> Played {
    let control: TimeControl = rules.control.parse().expect("a time control");
    let mut table = Table {
        clock: Clock::new(control.clone()),
        played: Played {
            end: End::LongEnough,
            game: rules.start,
            thinking: ByColor::default(),
            remarks: ByColor::default(),
        },
        patience: rules.patience,
        plies: rules.plies,
    };
    let controls = ByColor { white: control.clone(), black: control.clone() };
    for color in Color::ALL {
        let opponent = "The \"Opponent\"\nquit".to_owned();
        let game = table.played.game.clone();
        let (controls, ratings) = (controls.clone(), ByColor::default());
        let new = NewGame { game, color, controls, opponent, ratings, ponder: rules.ponder };
        if let Err(fault) = players.get_mut(color).new_game(&new) {
            table.played.end = End::Faulty(color, fault);
            return table.played;
        }
    }
    table.played.end = table.play(players);
    let outcome = match table.played.end {
        End::Over(outcome) => outcome,
        _ => Outcome::Win { winner: Color::White, reason: WinReason::Adjudication },
    };
    for color in Color::ALL {
        // A player that has ended cannot be told.
        let _ = players.get_mut(color).end_game(outcome);
    }
    table.played
}

struct Table {
    clock: Clock,
    played: Played,
    patience: Duration,
    plies: usize,
}

impl Table {
    fn play(&mut self, players: &mut ByColor<Box<dyn Player>>) -> End {
        loop {
            let game = &self.played.game;
            if let Some(outcome) = game.outcome() {
                return End::Over(outcome);
            } else if game.ply() >= self.plies {
                return End::LongEnough;
            }
            let turn = Turn { game, clock: &self.clock, at: Instant::now() };
            let mover = game.turn();
            if let Err(fault) = players.get_mut(mover).think(&turn) {
                return End::Faulty(mover, fault);
            }
            if game.ply() > 0
                && let Err(fault) = players.get_mut(!mover).wait(&turn)
            {
                return End::Faulty(!mover, fault);
            }
            if let Some(end) = self.hear_move(players) {
                return end;
            }
        }
    }

    /// Waits for a move; `Some` if the game is over.
    fn hear_move(&mut self, players: &mut ByColor<Box<dyn Player>>) -> Option<End> {
        let asked = Instant::now();
        loop {
            let mover = self.played.game.turn();
            for color in [mover, !mover] {
                while let Some(arrival) = players.get_mut(color).take() {
                    match self.judge(color, arrival.event) {
                        Judgement::Moved => return self.second_thoughts(players, color),
                        Judgement::End(end) => return Some(end),
                        Judgement::Nothing => {}
                    }
                    if asked.elapsed() > self.patience {
                        return Some(End::TooLate(mover));
                    }
                }
            }
            let Some(left) = self.patience.checked_sub(asked.elapsed()) else {
                return Some(End::TooLate(mover));
            };
            wait_for(players, left);
        }
    }

    /// Records the events that came together with a move.
    fn second_thoughts(&mut self, players: &mut ByColor<Box<dyn Player>>, color: Color) -> Option<End> {
        while let Some(arrival) = players.get_mut(color).take() {
            if let Judgement::End(end) = self.judge(color, arrival.event) {
                return self.played.game.outcome().map(End::Over).or(Some(end));
            }
        }
        None
    }

    fn judge(&mut self, color: Color, event: PlayerEvent) -> Judgement {
        Judgement::End(match event {
            PlayerEvent::Move(_) if color != self.played.game.turn() => End::OutOfTurn(color),
            PlayerEvent::Move(text) => match self.played.game.parse_move(&text) {
                Ok(m) => {
                    self.played.game.play(m).expect("a legal move");
                    self.clock.set_moves_made(color, self.clock.moves_made(color) + 1);
                    return Judgement::Moved;
                }
                Err(_) => End::Illegal(color, text),
            },
            PlayerEvent::Thinking(thinking) => {
                *self.played.thinking.get_mut(color) = Some(thinking);
                return Judgement::Nothing;
            }
            PlayerEvent::Remark(text) | PlayerEvent::ServerMessage(text) => {
                self.played.remarks.get_mut(color).push(text);
                return Judgement::Nothing;
            }
            PlayerEvent::DrawOffer
            | PlayerEvent::OtherLine(..)
            | PlayerEvent::DrawRefusal
            | PlayerEvent::Clock(_) => return Judgement::Nothing,
            PlayerEvent::Resignation => End::Resigned,
            PlayerEvent::Claim { result, .. } => End::Claim(color, result),
            PlayerEvent::Complaint(_) => End::Complaint(color),
            PlayerEvent::Fault(fault) => End::Faulty(color, fault),
        })
    }
}

enum Judgement {
    Moved,
    Nothing,
    End(End),
}

fn wait_for(players: &ByColor<Box<dyn Player>>, left: Duration) {
    let sources = [players.white.source(), players.black.source()];
    let sources: Vec<_> = sources.into_iter().flatten().collect();
    platform::wait(&sources, Instant::now() + left);
}

pub(crate) fn start(spec: &Spec) -> Box<dyn Player> {
    players::start(spec, None).unwrap_or_else(|fault| panic!("{}: {fault}", spec.command))
}
