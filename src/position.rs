//! `herald perft` and `herald eval`, and how commands read positions and variants.

use std::io::{self, Write};

use anyhow::{Context, Result};
use clap::Args;
use game::{CastlingMode, Color, Game, PlayedVariant, Square, Variant};
use search::network::Network;
use search::{Position, Score};

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
    let named = PlayedVariant::named(name).filter(|&played| played != PlayedVariant::CHESS960);
    named.map(|played| played.variant).ok_or_else(|| {
        "expected crazyhouse, 3check, atomic, antichess, kingofthehill, horde or racingkings".into()
    })
}

/// Show the evaluation of a position, piece by piece, in centipawns
///
/// The value of a piece is the change of the network's output when the piece is removed. The evaluation is the network's output,
/// except against a lone king, where rules for endings replace it.
#[derive(Args)]
#[command(after_help = "Example: herald eval \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"")]
pub(crate) struct Eval {
    /// The position, as one word or several; the start position by default
    fen: Vec<String>,
}

impl Eval {
    pub(crate) fn run(&self) -> Result<()> {
        let game = read_game(Variant::Chess, &self.fen, false)?;
        let position = engine::root(&game).context("only chess can be evaluated")?.position;
        let network = Network::embedded();
        let mut out = io::stdout().lock();
        show_pieces(&position, &network, &mut out)?;
        let evaluation = search::evaluate(&network, &position);
        show_sum("Evaluation", for_white(&position, evaluation), &mut out)?;
        Ok(())
    }
}

/// A board on which each piece but the kings has its value to its side.
fn show_pieces(position: &Position, network: &Network, out: &mut impl Write) -> io::Result<()> {
    let value = |pieces| for_white(position, network.evaluate_pieces(position, pieces));
    let whole = value(position.occupied());
    for rank in (0..8).rev() {
        for file in 0..8 {
            let square = Square::new(8 * rank + file);
            let Some(role) = position.role_at(square) else {
                write!(out, "{:>8}", "-")?;
                continue;
            };
            let color = Color::from_white(position.by_color(Color::White).contains(square));
            let letter = role.of(color).char();
            if position.king(color) == square {
                write!(out, "{letter:>8}")?;
                continue;
            }
            let worth = whole - value(position.occupied().without(square));
            write!(out, "{:>8}", format!("{letter} {}", color.fold_wb(worth, -worth)))?;
        }
        writeln!(out)?;
    }
    show_sum("Network", whole, out)
}

fn show_sum(name: &str, centipawns: i32, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "{:<16}{centipawns:>24}", format!("{name}, White"))
}

fn for_white(position: &Position, score: Score) -> i32 {
    position.turn().fold_wb(score.value(), -score.value())
}
