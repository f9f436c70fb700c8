//! `herald eval`: the evaluation of a position.

use std::io::{self, Write};

use anyhow::{Context, Result};
use clap::Args;
use game::{Color, Square, Variant};
use search::network::Network;
use search::{Position, Score};

use crate::perft::read_game;

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
