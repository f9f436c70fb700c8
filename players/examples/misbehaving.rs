//! A program that plays random legal moves at once, in three protocols, and misbehaves if asked to. Used by tests, and to measure
//! the overhead of a move.

use std::io::{self, BufRead, Write};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use clap::{Parser, ValueEnum};
use game::{CastlingMode, Game};
use messages::cecp::{self, Message};
use messages::uci;
use platform::signals;

#[derive(Parser)]
struct Arguments {
    /// Protocol.
    #[arg(long, value_enum)]
    protocol: Spoken,
    /// Fault to commit.
    #[arg(long, value_enum)]
    fault: Option<Fault>,
    /// Number of its own move at which to commit a fault of a move.
    #[arg(long, default_value_t = 3)]
    at: u32,
    /// Seed of the random moves.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Additional features for CECP; the last value of a feature counts.
    #[arg(long, default_value = "")]
    features: String,
}

#[derive(Clone, Copy, ValueEnum)]
enum Spoken {
    Cecp,
    Uci,
    Cego,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Fault {
    /// A line of a megabyte before each move.
    LongLine,
    /// A line that never ends, in its own time.
    EndlessLine,
    /// Control characters and markup in its name and its lines.
    Markup,
    /// Random bytes in lines of their own before each move.
    Noise,
    /// Half a move, then nothing.
    HalfLine,
    /// A second move while the opponent thinks.
    OutOfTurn,
    /// Two moves at once.
    TwoMoves,
    /// A move that isn't legal.
    IllegalMove,
    /// A text that is no move.
    Gibberish,
    /// A false claim to have won.
    WrongClaim,
    /// The opponent's legal move is refused.
    Refusal,
    /// It ends in its own time.
    ExitThinking,
    /// It ends in the opponent's time.
    ExitWaiting,
    /// It ignores `quit`, the end of its input, and signals.
    IgnoreQuit,
    /// It starts children that outlive it.
    Fork,
    /// It never gets ready.
    NeverReady,
    /// It takes long to get ready, and asks to wait if the protocol allows it.
    SlowReady,
    /// It loses what it is told in its first seconds, in CECP.
    DeafAtFirst,
    /// It never moves.
    Hang,
    /// It closes its standard output in its own time.
    CloseOutput,
    /// It writes without end in its own time.
    Flood,
    /// A megabyte on standard error before each move.
    StandardError,
    /// It sends messages for persons: when it sets up a game, and with one of its moves.
    Talk,
}

/// How long [`Fault::DeafAtFirst`] lasts.
const DEAF: Duration = Duration::from_millis(2500);

const MARKUP: &str = "<b>\"Evil\"</b>\u{1b}[31m {1-0} [Event \"x\"]\u{7} ; %";

/// The player, in any protocol.
struct Mover {
    game: Game,
    random: fastrand::Rng,
    fault: Option<Fault>,
    at: u32,
    /// Number of moves that it was asked for.
    moves: u32,
}

/// Reaction to the request for a move.
enum Deed {
    Move(String),
    Nothing,
}

impl Mover {
    fn is(&self, fault: Fault) -> bool {
        self.fault == Some(fault)
    }

    /// Chooses a move, or commits a fault. `word` is the word before a move.
    fn think(&mut self, word: &str) -> Deed {
        self.moves += 1;
        match self.fault {
            Some(Fault::LongLine) => say(&"x".repeat(1_000_000)),
            Some(Fault::Noise) => self.make_noise(),
            Some(Fault::StandardError) => {
                let _ = io::stderr().write_all("so noisy\n".repeat(110_000).as_bytes());
            }
            _ => {}
        }
        let legal = self.game.legal_moves();
        let Some(&m) = self.random.choice(&legal) else { return Deed::Nothing };
        let text = self.game.coordinate(m);
        if self.moves == self.at { self.misbehave(&text, word) } else { Deed::Move(text) }
    }

    /// Commits a fault with one of its moves.
    fn misbehave(&mut self, text: &str, word: &str) -> Deed {
        match self.fault {
            Some(Fault::HalfLine) => {
                let _ = io::stdout().write_all(format!("{word}{}", &text[..2]).as_bytes());
                let _ = io::stdout().flush();
                Deed::Nothing
            }
            Some(Fault::EndlessLine) => loop {
                let _ = io::stdout().write_all(&[b'x'; 10_000]);
            },
            Some(Fault::Flood) => loop {
                say("nothing to say");
            },
            Some(Fault::IllegalMove) => Deed::Move("a1a8".into()),
            Some(Fault::Gibberish) => Deed::Move("castles".into()),
            Some(Fault::Talk) => {
                say("telluser I move\ntellopponent Good luck!\ntellother Look\ntellall Hello\ntellics who");
                say("tellicsnoalias who\naskuser really Shall I?");
                Deed::Move(text.to_owned())
            }
            Some(Fault::TwoMoves) => {
                say(&format!("{word}{text}\n{word}{text}"));
                Deed::Nothing
            }
            Some(Fault::ExitThinking) => std::process::exit(3),
            Some(Fault::Hang | Fault::WrongClaim) => Deed::Nothing,
            Some(Fault::CloseOutput) => {
                let nothing = std::fs::File::open("/dev/null").expect("/dev/null");
                let _ = rustix::stdio::dup2_stdout(nothing);
                Deed::Nothing
            }
            _ => Deed::Move(text.to_owned()),
        }
    }

    /// Commits a fault after one of its moves, while the opponent thinks.
    fn after_move(&self, word: &str) {
        if self.moves != self.at {
            return;
        }
        thread::sleep(Duration::from_millis(20));
        if self.is(Fault::OutOfTurn) {
            say(&format!("{word}e2e4"));
        } else if self.is(Fault::ExitWaiting) {
            std::process::exit(0);
        }
    }

    fn make_noise(&mut self) {
        let mut bytes = [0; 1000];
        self.random.fill(&mut bytes);
        let _ = io::stdout().write_all(&bytes);
        say("");
    }

    fn play(&mut self, text: &str) -> bool {
        self.game.play_text(text).is_ok()
    }

    fn name(&self) -> &'static str {
        if self.is(Fault::Markup) { MARKUP } else { "Misbehaving" }
    }

    /// Prepares. Returns false if it never gets ready.
    fn get_ready(&self) -> bool {
        if self.is(Fault::SlowReady) {
            thread::sleep(Duration::from_millis(700));
        }
        !self.is(Fault::NeverReady)
    }
}

fn say(line: &str) {
    // The reader may have closed the pipe.
    let _ = io::stdout().write_all(format!("{line}\n").as_bytes());
    let _ = io::stdout().flush();
}

fn main() {
    let arguments = Arguments::parse();
    let mut mover = Mover {
        game: Game::default(),
        random: fastrand::Rng::with_seed(arguments.seed),
        fault: arguments.fault,
        at: arguments.at,
        moves: 0,
    };
    if mover.is(Fault::Fork) {
        let _ = Command::new("sleep").arg(format!("1000.{}", arguments.seed)).stdin(Stdio::null()).spawn();
    }
    if mover.is(Fault::IgnoreQuit) {
        let flag = std::sync::Arc::default();
        let _ = signals::set_flag(&[signals::Signal::Terminate], &flag);
    }
    match arguments.protocol {
        Spoken::Cecp => Cecp { features: arguments.features, ..Cecp::default() }.serve(&mut mover),
        Spoken::Uci => Uci::new().serve(&mut mover),
        Spoken::Cego => serve_cego(&mut mover),
    }
    while mover.is(Fault::IgnoreQuit) {
        thread::sleep(Duration::from_secs(1));
    }
}

fn lines() -> impl Iterator<Item = String> {
    io::stdin().lock().lines().map_while(Result::ok)
}

/// The engine's end of CECP.
#[derive(Default)]
struct Cecp {
    features: String,
    /// Whether it replies to moves; false in force mode.
    plays: bool,
}

impl Cecp {
    fn serve(&mut self, mover: &mut Mover) {
        let begin = Instant::now();
        for line in lines() {
            match line.parse() {
                Ok(cecp::Command::Quit) => return,
                _ if mover.is(Fault::DeafAtFirst) && begin.elapsed() < DEAF => {}
                Ok(command) => self.obey(command, mover),
                Err(_) => say(&format!("Error (unknown command): {line}")),
            }
        }
    }

    fn obey(&mut self, command: cecp::Command, mover: &mut Mover) {
        use cecp::Command as C;
        match command {
            C::Protover(_) => self.announce(mover),
            C::New => {
                mover.game = Game::default();
                mover.moves = 0;
                self.plays = true;
                if mover.is(Fault::Talk) {
                    say("tellusererror No book");
                }
            }
            C::Variant(_) => mover.game = start(CastlingMode::Chess960),
            C::SetBoard(fen) => match Game::from_fen(&fen, mover.game.mode()) {
                Ok(game) => mover.game = game,
                Err(_) => say(&Message::TellUserError(format!("Illegal position: {fen}")).to_string()),
            },
            C::Force => self.plays = false,
            C::Go => {
                self.plays = true;
                Cecp::think(mover);
            }
            C::UserMove(mv) | C::BareMove(mv) => {
                let is_refused = mover.is(Fault::Refusal) && mover.moves + 1 == mover.at;
                if is_refused || !mover.play(&mv) {
                    say(&Message::IllegalMove { reason: None, mv }.to_string());
                } else if self.plays {
                    Cecp::think(mover);
                }
            }
            C::Ping(number) if !mover.is(Fault::NeverReady) => say(&Message::Pong(number).to_string()),
            C::Draw => say("offer draw"),
            _ => {}
        }
    }

    fn announce(&self, mover: &Mover) {
        if mover.is(Fault::SlowReady) {
            say("feature done=0");
            mover.get_ready();
        }
        let name = mover.name().replace('"', "'");
        say(&format!("feature ping=1 setboard=1 usermove=1 draw=1 sigint=0 sigterm=0 myname=\"{name}\""));
        say(
            "feature variants=\"normal,fischerandom\" option=\"Style -combo calm /// *wild\" option=\"Hash -spin 1 1 64\"",
        );
        say(&format!("feature {} done=1", self.features));
    }

    fn think(mover: &mut Mover) {
        if mover.is(Fault::WrongClaim) && mover.moves + 1 == mover.at {
            say("1-0 {White mates}");
        }
        if mover.is(Fault::Markup) {
            say(&format!("1 10 0 20\t{MARKUP}"));
        } else {
            say("1 10 0 20 e2e4");
        }
        if let Deed::Move(text) = mover.think("move ") {
            mover.play(&text);
            say(&format!("move {text}"));
            mover.after_move("move ");
        }
    }
}

fn start(mode: CastlingMode) -> Game {
    Game::from_fen("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", mode)
        .expect("the start position")
}

/// The engine's end of UCI.
struct Uci {
    mode: CastlingMode,
    start: Option<uci::StartPosition>,
    played: Vec<String>,
    ponders: bool,
}

impl Uci {
    fn new() -> Uci {
        Uci { mode: CastlingMode::Standard, start: None, played: Vec::new(), ponders: false }
    }

    fn serve(&mut self, mover: &mut Mover) {
        for line in lines() {
            match line.parse() {
                Ok(uci::Command::Quit) => return,
                Ok(command) => self.obey(command, mover),
                Err(_) => say(&format!("info string unknown: {line}")),
            }
        }
    }

    fn obey(&mut self, command: uci::Command, mover: &mut Mover) {
        use uci::Command as C;
        match command {
            C::Uci => {
                say(&format!(
                    "id name {}\nid author Nobody\noption name UCI_Chess960 type check default false",
                    mover.name()
                ));
                say(
                    "option name Ponder type check default false\noption name Hash type spin default 16 min 1 max 64",
                );
                if !mover.is(Fault::NeverReady) {
                    say("uciok");
                }
            }
            C::IsReady if mover.get_ready() => say("readyok"),
            C::SetOption { name, value } if name == "UCI_Chess960" => {
                let is_on = value.as_deref() == Some("true");
                self.mode = if is_on { CastlingMode::Chess960 } else { CastlingMode::Standard };
            }
            C::UciNewGame => mover.moves = 0,
            C::Position { start, moves: line } => {
                self.set_up(start, line.iter().map(ToString::to_string).collect(), mover);
            }
            C::Go(go) if go.ponder => {
                self.ponders = true;
                say("info depth 1");
            }
            C::Go(_) => Uci::think(mover),
            C::Stop | C::PonderHit if std::mem::take(&mut self.ponders) => Uci::think(mover),
            _ => {}
        }
    }

    /// Plays only the new moves, as a quick engine does.
    fn set_up(&mut self, start: uci::StartPosition, line: Vec<String>, mover: &mut Mover) {
        let goes_on = self.start.as_ref() == Some(&start) && line.starts_with(&self.played);
        if !goes_on {
            self.played.clear();
            mover.game = match &start {
                uci::StartPosition::Initial => self::start(self.mode),
                uci::StartPosition::Fen(fen) => Game::from_fen(fen, self.mode).expect("a legal position"),
            };
        }
        for text in &line[self.played.len()..] {
            assert!(mover.play(text), "{text} is illegal");
        }
        self.start = Some(start);
        self.played = line;
    }

    fn think(mover: &mut Mover) {
        let markup = if mover.is(Fault::Markup) { MARKUP } else { "" };
        say(&format!("info depth 1 seldepth 2 score cp 10 nodes 20 time 1 pv e2e4 {markup}"));
        if mover.game.legal_moves().is_empty() {
            say("bestmove 0000");
        } else if let Deed::Move(text) = mover.think("bestmove ") {
            let mut after = mover.game.clone();
            let guess = after.parse_move(&text).ok().and_then(|m| {
                after.play(m).ok()?;
                let replies = after.legal_moves();
                Some(format!(" ponder {}", after.coordinate(*mover.random.choice(&replies)?)))
            });
            say(&format!("bestmove {text}{}", guess.unwrap_or_default()));
            mover.after_move("bestmove ");
        }
    }
}

/// The engine's end of CEGO.
fn serve_cego(mover: &mut Mover) {
    if mover.get_ready() {
        say("ready");
    }
    for line in lines() {
        let fields: Vec<&str> = line.splitn(5, ' ').collect();
        match fields[..] {
            [_, _, text] => assert!(mover.play(text), "{text} is illegal"),
            [_, _, _, _, fen] => mover.game = Game::from_fen(fen, CastlingMode::Standard).expect("a FEN"),
            _ => panic!("malformed: {line}"),
        }
        if let Deed::Move(text) = mover.think("") {
            mover.play(&text);
            say(&text);
            mover.after_move("");
        }
    }
}
