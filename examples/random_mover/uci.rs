//! A program that speaks UCI and moves at random: it announces options and has none, waits where it is told to, and thinks of
//! nothing. A check that passes more of it than that can be fooled.

use std::io::{self, BufRead, Write};

use game::Game;
use messages::uci::{Command, StartPosition};

const OPTIONS: &str = "option name Hash type spin default 16 min 1 max 1024
option name Threads type spin default 1 min 1 max 64
option name MultiPV type spin default 1 min 1 max 64
option name Ponder type check default false
option name Clear Hash type button";

pub(super) fn run() -> io::Result<()> {
    // The same moves in each run, so that nothing is kept by chance.
    fastrand::seed(33);
    let (mut game, mut is_waiting) = (Game::default(), false);
    for line in io::stdin().lock().lines() {
        let mut said = String::new();
        match line?.parse() {
            Ok(Command::Uci) => said = format!("id name Random\nid author Nobody\n{OPTIONS}\nuciok"),
            Ok(Command::IsReady) => "readyok".clone_into(&mut said),
            Ok(Command::Position { start, moves }) => {
                if let Some(position) = position(start, &moves) {
                    game = position;
                }
            }
            Ok(Command::Go(go)) => {
                is_waiting = go.infinite || go.ponder;
                if !is_waiting {
                    said = answer(&game);
                }
            }
            Ok(Command::Stop | Command::PonderHit) if std::mem::take(&mut is_waiting) => said = answer(&game),
            Ok(Command::Quit) => return Ok(()),
            _ => {}
        }
        if !said.is_empty() {
            writeln!(io::stdout(), "{said}")?;
        }
    }
    Ok(())
}

fn position(start: StartPosition, moves: &[shakmaty::uci::UciMove]) -> Option<Game> {
    let mut game = match start {
        StartPosition::Initial => Game::default(),
        StartPosition::Fen(fen) => Game::from_fen(&fen, game::CastlingMode::Standard).ok()?,
    };
    for mv in moves {
        game.play(mv.to_move(game.position()).ok()?).ok()?;
    }
    Some(game)
}

fn answer(game: &Game) -> String {
    let moves = game.legal_moves();
    let chosen = fastrand::choice(&moves).map_or_else(|| "0000".to_owned(), |&mv| game.coordinate(mv));
    format!("bestmove {chosen}")
}
