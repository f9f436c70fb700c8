//! `herald perft`: counting legal moves.

use anyhow::{Context, Result, anyhow};
use clap::Args;
use engine::{CastlingMode, Game};

use crate::WrongInput;

/// Count the sequences of legal moves of a length; the count stands alone on the last line
#[derive(Args)]
#[command(after_help = "Example: herald perft 4 --divide r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")]
pub(crate) struct Perft {
    /// Length of the sequences, in plies
    #[arg(value_parser = clap::value_parser!(u32).range(0..=100))]
    depth: u32,
    /// Show the count below each move
    #[arg(long)]
    divide: bool,
    /// Chess960: castling moves are shown as king takes rook
    #[arg(long)]
    chess960: bool,
    /// The position, as one word or several; the start position by default
    fen: Vec<String>,
}

impl Perft {
    pub(crate) fn run(&self) -> Result<()> {
        let game = read_game(&self.fen, self.chess960)?;
        if self.divide && self.depth > 0 {
            for m in game.legal_moves() {
                let mut next = game.clone();
                next.play(m).context("a legal move could not be played")?;
                println!("{}: {}", game.coordinate(m), search::perft(&next.root().position, self.depth - 1));
            }
            println!();
        }
        println!("{}", search::perft(&game.root().position, self.depth));
        Ok(())
    }
}

/// The game that starts from a FEN of the command line; without one, from the start position.
pub(crate) fn read_game(fen: &[String], chess960: bool) -> Result<Game> {
    let mode = CastlingMode::from_chess960(chess960);
    if fen.is_empty() && !chess960 {
        return Ok(Game::default());
    }
    let initial = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1".to_owned();
    let fen = if fen.is_empty() { initial } else { fen.join(" ") };
    Game::from_fen(&fen, mode).map_err(|error| anyhow!(WrongInput).context(error))
}
