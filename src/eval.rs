//! `herald eval`: the evaluation, term by term.

use std::io::{self, Write as _};

use anyhow::{Context, Result};
use clap::Args;
use engine::{Color, Variant};
use search::{Breakdown, Term};

use crate::perft::read_game;

/// Show the evaluation of a position, term by term, in centipawns
#[derive(Args)]
#[command(after_help = "Example: herald eval \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"")]
pub(crate) struct Eval {
    /// The position, as one word or several; the start position by default
    fen: Vec<String>,
}

impl Eval {
    pub(crate) fn run(&self) -> Result<()> {
        let game = read_game(Variant::Chess, &self.fen, false)?;
        let position = game.root().context("only chess has terms to show")?.position;
        let breakdown = Breakdown::new(&position);
        let mut out = io::stdout().lock();
        writeln!(out, "{:<16}{:>8}{:>8}{:>8}", "Term", "White", "Black", "Sum")?;
        for term in Term::ALL {
            let [white, black] =
                [Color::White, Color::Black].map(|color| breakdown.taper(breakdown.get(term, color)));
            writeln!(out, "{:<16}{white:>8}{black:>8}{:>8}", words(&format!("{term:?}")), white - black)?;
        }
        let drive = breakdown.drive;
        writeln!(
            out,
            "{:<16}{:>8}{:>8}{:>8}",
            "Bare king",
            drive.white,
            drive.black,
            drive.white - drive.black
        )?;
        writeln!(
            out,
            "Middlegame {} of 24; of the endgame {} in 64 count",
            breakdown.phase, breakdown.scale
        )?;
        let score = search::evaluate(&position).value();
        writeln!(out, "{:<16}{:>24}", "For White", game.turn().fold_wb(score, -score))?;
        Ok(())
    }
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
