//! `herald eval`: what a position is worth, to the evaluation by hand and to the network.

use std::io::{self, Write};

use anyhow::{Context, Result};
use clap::Args;
use game::{Color, Square, Variant};
use search::network::Network;
use search::{Breakdown, Position, Score, Term};

use crate::perft::read_game;

/// Show the evaluation of a position by hand, term by term, and by the network, piece by piece, in centipawns
///
/// The network plays. What a piece is worth to it is what it would miss without the piece.
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
        let mut out = io::stdout().lock();
        show_terms(&position, &mut out)?;
        writeln!(out)?;
        show_pieces(&position, &Network::embedded(), &mut out)?;
        Ok(())
    }
}

fn show_terms(position: &Position, out: &mut impl Write) -> io::Result<()> {
    let breakdown = Breakdown::new(position);
    writeln!(out, "{:<16}{:>8}{:>8}{:>8}", "Term", "White", "Black", "Sum")?;
    for term in Term::ALL {
        let [white, black] =
            [Color::White, Color::Black].map(|color| breakdown.taper(breakdown.get(term, color)));
        writeln!(out, "{:<16}{white:>8}{black:>8}{:>8}", words(&format!("{term:?}")), white - black)?;
    }
    let drive = breakdown.drive;
    let (white, black) = (drive.white, drive.black);
    writeln!(out, "{:<16}{white:>8}{black:>8}{:>8}", "Bare king", white - black)?;
    writeln!(out, "Middlegame {} of 24; of the endgame {} in 64 count", breakdown.phase, breakdown.scale)?;
    show_sum("By hand", for_white(position, search::evaluate(position)), out)
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

/// `PassedPawns` as `Passed pawns`.
fn words(name: &str) -> String {
    let mut words = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !words.is_empty() {
            words.push(' ');
            words.extend(letter.to_lowercase());
        } else {
            words.push(letter);
        }
    }
    words
}
