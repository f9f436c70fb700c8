//! `herald perft`: counts legal moves.

use std::io::{self, Write as _};

use anyhow::{Context, Result};
use clap::Args;
use game::{CastlingMode, Game, Variant, variant_from_name};

use crate::WrongInput;

/// Count the sequences of legal moves of a length; the count stands alone on the last line
#[derive(Args)]
#[command(after_help = "Example: herald perft 4 --divide r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")]
pub(crate) struct PerftArgs {
    /// Length of the sequences, in plies
    #[arg(value_parser = clap::value_parser!(u32).range(0..=100))]
    depth: u32,
    /// Show the count below each move
    #[arg(long)]
    divide: bool,
    /// Chess960: castling moves are shown as king takes rook
    #[arg(long)]
    chess960: bool,
    /// The rules: crazyhouse, 3check, atomic, antichess, kingofthehill, horde or racingkings
    #[arg(long, value_name = "NAME", value_parser = read_variant, default_value = "chess")]
    variant: Variant,
    /// The position, as one word or several; the start position by default
    fen: Vec<String>,
}

impl PerftArgs {
    pub(crate) fn run(&self) -> Result<()> {
        let game = read_game(self.variant, &self.fen, self.chess960)?;
        let count = |game: &Game, depth| engine::perft(game, depth, &mut || true).context("nobody ended it");
        if self.divide && self.depth > 0 {
            for m in game.legal_moves() {
                let mut next = game.clone();
                next.play(m).context("a legal move could not be played")?;
                writeln!(io::stdout(), "{}: {}", game.coordinate(m), count(&next, self.depth - 1)?)?;
            }
            writeln!(io::stdout())?;
        }
        writeln!(io::stdout(), "{}", count(&game, self.depth)?)?;
        Ok(())
    }
}

/// The game that starts from a FEN of the command line; without one, from the start position.
pub(crate) fn read_game(variant: Variant, fen: &[String], chess960: bool) -> Result<Game> {
    let mode = CastlingMode::from_chess960(chess960);
    if fen.is_empty() {
        return Ok(Game::with_mode(variant, mode));
    }
    Game::from_variant_fen(variant, &fen.join(" "), mode).map_err(WrongInput::of)
}

/// The variant of a name on the command line.
pub(crate) fn read_variant(name: &str) -> Result<Variant, String> {
    let is_chess = ["chess", "standard", "normal"].contains(&name);
    if is_chess { Some(Variant::Chess) } else { variant_from_name(name) }.ok_or_else(|| {
        "expected crazyhouse, 3check, atomic, antichess, kingofthehill, horde or racingkings".into()
    })
}
