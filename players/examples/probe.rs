//! A UCI engine that knows how long it took: it waits for a fixed time, plays a random legal move, and reports as its nodes the
//! microseconds from reading `go` to writing the move. What a match runner charges beyond that is the lag of the runner and of
//! the machine.
//!
//! `herald match --engine "cmd='target/release/examples/probe 5' name=A" ... --pgn-fields time,nodes,lag,clock`;
//! `tests/peers/lag.py` evaluates the PGN.

use std::io::{self, BufRead, Write};
use std::thread;
use std::time::{Duration, Instant};

use game::{CastlingMode, Game};
use messages::uci::{Command, StartPosition};

fn main() -> io::Result<()> {
    let millis = std::env::args().nth(1).map_or(0, |text| text.parse().expect("milliseconds"));
    let mut random = fastrand::Rng::with_seed(u64::from(std::process::id()));
    let mut game = Game::default();
    let mut output = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let line = line?;
        let read = Instant::now();
        match line.parse() {
            Ok(Command::Uci) => writeln!(output, "id name Probe\nuciok")?,
            Ok(Command::IsReady) => writeln!(output, "readyok")?,
            Ok(Command::Position { start, moves }) => {
                game = match start {
                    StartPosition::Initial => Game::default(),
                    StartPosition::Fen(fen) => {
                        Game::from_fen(&fen, CastlingMode::Standard).expect("a position")
                    }
                };
                for m in moves {
                    let m = m.to_move(game.position()).expect("a legal move");
                    game.play(m).expect("a legal move");
                }
            }
            Ok(Command::Go(_)) => {
                let m = game.coordinate(random.choice(game.legal_moves()).expect("the game goes on"));
                thread::sleep(Duration::from_millis(millis).saturating_sub(read.elapsed()));
                let took = read.elapsed().as_micros();
                writeln!(output, "info depth 1 score cp 0 nodes {took} pv {m}\nbestmove {m}")?;
            }
            Ok(Command::Quit) => break,
            _ => {}
        }
        output.flush()?;
    }
    Ok(())
}
