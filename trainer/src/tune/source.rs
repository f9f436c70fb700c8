//! The weights as source code.

use std::fmt::Write as _;

use search::tuning::{GROUPS, Group};

use super::model::Weight;

const HEAD: &str = "\
//! The weights of the evaluation. Written by `herald-trainer tune`; CONTRIBUTING.md says how.

use super::Tapered;
use super::features::COUNT;

const fn s(middlegame: i32, endgame: i32) -> Tapered {
    Tapered::new(middlegame, endgame)
}

/// One weight for each feature, in the order of [`super::features::GROUPS`]. Boards begin with a1.
#[rustfmt::skip]
pub(super) static WEIGHTS: [Tapered; COUNT] = [
";

/// Weights in one line of the source: as many as a board has files.
const PER_LINE: usize = 8;
/// What a board has.
const SQUARES: usize = 64;
const PIECES: [&str; 6] = ["pawn", "knight", "bishop", "rook", "queen", "king"];

/// The file `weights.rs` with these weights, rounded.
pub(super) fn write(weights: &[Weight]) -> String {
    let mut text = String::from(HEAD);
    for group in &GROUPS {
        write_group(&mut text, group, &weights[group.range()]);
    }
    text + "];\n"
}

fn write_group(text: &mut String, group: &Group, weights: &[Weight]) {
    let mut line = |line: std::fmt::Arguments| {
        writeln!(text, "    {line}").expect("a string takes everything");
    };
    line(format_args!("// {}:{}", group.name, group.meaning));
    for (board, weights) in weights.chunks(SQUARES).enumerate() {
        if group.len > SQUARES {
            line(format_args!("// {}", PIECES[board]));
        }
        for weights in weights.chunks(PER_LINE) {
            let words: Vec<String> = weights
                .iter()
                .map(|weight| weight.map(|side| side.round() as i32))
                .map(|[middlegame, endgame]| format!("s({middlegame}, {endgame}),"))
                .collect();
            line(format_args!("{}", words.join(" ")));
        }
    }
}
