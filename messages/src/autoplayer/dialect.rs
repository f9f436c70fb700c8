//! The dialect of the engine. It is CECP with other words for a few messages; the types are those of [`crate::cecp`].

use std::str::FromStr;

use crate::cecp::Command;

/// Notation of the moves. The proposal prefers SAN and leaves coordinates as an option of the interface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MoveNotation {
    /// `Nf3`, `e8=Q`, `O-O`.
    #[default]
    San,
    /// `g1f3`, `e7e8q`, `e1g1`.
    Coordinates,
}

impl FromStr for MoveNotation {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<MoveNotation, &'static str> {
        match text.to_ascii_lowercase().as_str() {
            "san" => Ok(MoveNotation::San),
            "coordinates" => Ok(MoveNotation::Coordinates),
            _ => Err("expected san or coordinates"),
        }
    }
}

/// Writes a command to an engine of the dialect: positions are set up by `setpos` with the first four fields of the FEN.
pub fn write(command: &Command) -> String {
    match command {
        Command::SetBoard(fen) => {
            let fields: Vec<&str> = fen.split_whitespace().take(4).collect();
            format!("setpos {}", fields.join(" "))
        }
        other => other.to_string(),
    }
}

/// Completes the position of a `setpos`. Its fields may end after the side to move: castling rights and en passant square are
/// written "if possible" only. A single square in the third place is the en passant square. Other texts are returned as they are.
pub fn complete_fen(text: &str) -> String {
    let fields: Vec<&str> = text.split_whitespace().collect();
    match fields[..] {
        [board, turn] => format!("{board} {turn} - -"),
        [board, turn, square] if is_square(square) => format!("{board} {turn} - {square}"),
        [board, turn, castling] => format!("{board} {turn} {castling} -"),
        _ => text.to_owned(),
    }
}

fn is_square(text: &str) -> bool {
    matches!(text.as_bytes(), [b'a'..=b'h', b'3' | b'6'])
}
