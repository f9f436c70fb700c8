//! A program that speaks UCI and moves at random: it announces options and has none, waits where it is told to, and thinks of
//! nothing. A check that passes more of it than that can be fooled.

use std::io::{self, BufRead, Write};
use std::thread;
use std::time::{Duration, Instant};

use game::{CastlingMode, Game, Variant};
use messages::uci::Command;

const OPTIONS: &str = "option name Hash type spin default 16 min 1 max 1024
option name Threads type spin default 1 min 1 max 64
option name MultiPV type spin default 1 min 1 max 64
option name Ponder type check default false
option name Clear Hash type button";

/// Speaks UCI. With `probe` each move takes this time, and its nodes are the microseconds that it took.
pub(super) fn run(probe: Option<Duration>) -> io::Result<()> {
    // The same moves in each run, so that nothing is kept by chance; two probes play different ones.
    fastrand::seed(probe.map_or(33, |_| u64::from(std::process::id())));
    let (mut game, mut is_waiting) = (Game::default(), false);
    for line in io::stdin().lock().lines() {
        let mut said = String::new();
        match line?.parse() {
            Ok(Command::Uci) => said = format!("id name Random\nid author Nobody\n{OPTIONS}\nuciok"),
            Ok(Command::IsReady) => "readyok".clone_into(&mut said),
            Ok(Command::Position { start, moves }) => {
                if let Ok(mut position) = start.game(Variant::Chess, CastlingMode::Standard)
                    && position.play_line(moves.iter().map(ToString::to_string)).is_ok()
                {
                    game = position;
                }
            }
            Ok(Command::Go(go)) => {
                is_waiting = go.infinite || go.ponder;
                if !is_waiting {
                    said = answer(&game, probe);
                }
            }
            Ok(Command::Stop | Command::PonderHit) if std::mem::take(&mut is_waiting) => {
                said = answer(&game, probe);
            }
            Ok(Command::Quit) => return Ok(()),
            _ => {}
        }
        if !said.is_empty() {
            writeln!(io::stdout(), "{said}")?;
        }
    }
    Ok(())
}

fn answer(game: &Game, probe: Option<Duration>) -> String {
    let asked = Instant::now();
    let moves = game.legal_moves();
    let chosen = fastrand::choice(&moves).map_or_else(|| "0000".to_owned(), |&mv| game.coordinate(mv));
    let Some(time) = probe else { return format!("bestmove {chosen}") };
    thread::sleep(time.saturating_sub(asked.elapsed()));
    let took = asked.elapsed().as_micros();
    format!("info depth 1 score cp 0 nodes {took} pv {chosen}\nbestmove {chosen}")
}
