//! A program that speaks CECP and plays random legal moves at once. It announces many features and does nothing about most of them,
//! so it may pass only those rules of `herald check` that it keeps. `--wreck` gives it a fault. With `--uci` it speaks UCI; with
//! `--probe` it knows how long it took, so that what a match charges beyond is the lag of the runner and of the machine.
//!
//! With `--pretend` it also acts as if it thought: it sleeps for the same time before each move, prints invented thinking output,
//! repeats scores that it is told, reserves memory that it never touches, and obeys what comes meanwhile.

mod pretence;
mod uci;

use std::io::{self, Write};
use std::sync::mpsc::{self, Receiver, TryRecvError};
use std::thread;
use std::time::{Duration, Instant};

use clap::{Parser, ValueEnum};
use game::{CastlingMode, Game};

use self::pretence::Pretence;

#[derive(Parser)]
struct Arguments {
    /// Speak UCI
    #[arg(long, conflicts_with_all = ["wreck", "pretend", "delay"])]
    uci: bool,
    /// Milliseconds that each move takes, with the microseconds that it took as its nodes
    #[arg(long, requires = "uci")]
    probe: Option<u64>,
    /// Fault
    #[arg(long, value_enum)]
    wreck: Option<Wreck>,
    /// Pretend to think
    #[arg(long)]
    pretend: bool,
    /// Milliseconds that it sleeps before each move, without reading
    #[arg(long, default_value_t = 0)]
    delay: u64,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Wreck {
    /// After `force` it obeys nothing up to the next `new`.
    SilentForce,
    /// It thinks for a second, and answers `ping` before its move.
    PongFirst,
    /// It knows no `undo` and no `remove`.
    NoUndo,
    /// It moves in analysis.
    AnalysisMover,
    /// It ends at an unknown command.
    Fragile,
    /// It claims to have won with each move.
    Boaster,
}

const FEATURES: &str = "feature ping=1 setboard=1 playother=1 colors=1 usermove=1 memory=1 smp=1 nps=1 draw=1 pause=1 exclude=1 \
     setscore=1 sigint=0 sigterm=0 egt=\"syzygy\" variants=\"normal\" myname=\"Random Mover\" done=1";

/// Which sides it plays.
#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Force,
    White,
    Black,
    Deaf,
}

struct Mover {
    arguments: Arguments,
    game: Game,
    mode: Mode,
    random: fastrand::Rng,
    /// Time of its move, if it is on move.
    due: Option<Instant>,
    pretence: Pretence,
}

fn say(text: impl std::fmt::Display) {
    let mut output = io::stdout().lock();
    // The reader may be gone.
    let _ = writeln!(output, "{text}").and_then(|()| output.flush());
}

impl Mover {
    fn is(&self, wreck: Wreck) -> bool {
        self.arguments.wreck == Some(wreck)
    }

    /// Notes whether it is on move.
    fn look(&mut self) {
        let own = if self.game.turn().is_white() { Mode::White } else { Mode::Black };
        let wait = match self.arguments.pretend {
            true => pretence::MILLIS,
            false if self.is(Wreck::PongFirst) => 1800,
            false => 0,
        };
        self.due = (self.mode == own).then(|| Instant::now() + Duration::from_millis(wait));
    }

    fn play(&mut self) {
        self.due = None;
        thread::sleep(Duration::from_millis(self.arguments.delay));
        let Some(&mv) = self.random.choice(self.game.legal_moves().iter()) else { return };
        let text = self.game.coordinate(mv);
        if self.game.play(mv).is_ok() {
            say(format!("move {text}"));
        }
        if self.is(Wreck::Boaster) {
            say(if self.mode == Mode::White { "1-0 {White mates}" } else { "0-1 {Black mates}" });
        }
    }

    /// Obeys a command. Returns whether it goes on.
    fn obey(&mut self, line: &str) -> bool {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        if self.arguments.pretend && self.pretend(word, rest) {
            return true;
        }
        if self.mode == Mode::Deaf && !["new", "quit"].contains(&word) {
            return true;
        }
        match word {
            "quit" => return false,
            "protover" => say(FEATURES),
            "ping" => say(format!("pong {rest}")),
            "new" => (self.game, self.mode) = (Game::default(), Mode::Black),
            "force" | "result" | "exit" => {
                self.mode = if self.is(Wreck::SilentForce) { Mode::Deaf } else { Mode::Force };
            }
            "go" => self.mode = if self.game.turn().is_white() { Mode::White } else { Mode::Black },
            "playother" => self.mode = if self.game.turn().is_white() { Mode::Black } else { Mode::White },
            "white" => self.mode = Mode::Black,
            "black" => self.mode = Mode::White,
            "analyze" if self.is(Wreck::AnalysisMover) => self.due = Some(Instant::now()),
            "analyze" => self.mode = Mode::Force,
            "setboard" => match Game::from_fen(rest, CastlingMode::Standard) {
                Ok(game) => self.game = game,
                Err(_) => say(format!("tellusererror Illegal position: {rest}")),
            },
            "usermove" => match self.game.parse_move(rest) {
                Ok(mv) => drop(self.game.play(mv)),
                Err(_) => say(format!("Illegal move: {rest}")),
            },
            // Under version 1 of the protocol moves come alone.
            _ if self.game.parse_move(line).is_ok() => return self.obey(&format!("usermove {line}")),
            "undo" | "remove" if self.is(Wreck::NoUndo) => {}
            "undo" => drop(self.game.undo()),
            "remove" => drop((self.game.undo(), self.game.undo())),
            "xboard" | "accepted" | "rejected" | "level" | "st" | "sd" | "nps" | "time" | "otim" | "post"
            | "nopost" | "hard" | "easy" | "memory" | "cores" | "egtpath" | "setscore" | "exclude"
            | "include" | "draw" | "pause" | "resume" | "random" | "computer" | "rating" | "name" | "?"
            | "." | "hint" | "bk" | "variant" | "" => {}
            _ if self.is(Wreck::Fragile) => return false,
            _ => say(format!("Error (unknown command): {line}")),
        }
        if ["new", "go", "playother", "white", "black", "force", "usermove", "result"].contains(&word) {
            self.look();
        }
        true
    }
}

/// Returns the next line, or `None` at the time of a move. Before a move it works, as if it thought.
fn next(lines: &Receiver<String>, due: Option<Instant>) -> Result<Option<String>, ()> {
    let Some(due) = due else { return lines.recv().map(Some).map_err(drop) };
    loop {
        match lines.try_recv() {
            Ok(line) => return Ok(Some(line)),
            Err(TryRecvError::Disconnected) => return Err(()),
            Err(TryRecvError::Empty) if Instant::now() >= due => return Ok(None),
            Err(TryRecvError::Empty) => std::hint::spin_loop(),
        }
    }
}

fn main() {
    let arguments = Arguments::parse();
    if arguments.uci {
        // The GUI may have gone.
        let _ = uci::run(arguments.probe.map(Duration::from_millis));
        return;
    }
    let (sender, lines) = mpsc::channel();
    thread::spawn(move || io::stdin().lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
    let (game, random) = (Game::default(), fastrand::Rng::with_seed(1));
    let pretence = Pretence::default();
    let mut mover = Mover { arguments, game, mode: Mode::Force, random, due: None, pretence };
    loop {
        let line = if mover.arguments.pretend { mover.next(&lines) } else { next(&lines, mover.due) };
        match line {
            Ok(None) => mover.play(),
            Ok(Some(line)) if mover.obey(line.trim_end()) => {}
            _ => return,
        }
    }
}
