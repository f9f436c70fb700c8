//! A writer of records about games.

use shakmaty::{EnPassantMode, Position as _};

use crate::Game;

/// Maximum length of a string in bytes (EPD specification, 5.1).
pub const LONGEST_STRING: usize = 255;

/// The four fields of the current position. The en passant square is written after every double step, whether or not a pawn can
/// capture (EPD specification, 4.4).
pub fn fields(game: &Game) -> String {
    let fen = crate::fen::write_with(game.position(), game.mode(), EnPassantMode::Always);
    fen.split(' ').take(4).collect::<Vec<_>>().join(" ")
}

/// Converts text to the content of a string operand: printing ASCII, apostrophes for quotation marks, at most 255 bytes. Letters of
/// other alphabets are written in Latin ones, without accents.
pub fn operand_text(text: &str) -> String {
    let printing = |c: char| match c {
        '"' => '\'',
        c if c.is_ascii_graphic() || c == ' ' => c,
        _ => '?',
    };
    let ascii = |c: char| match any_ascii::any_ascii_char(c) {
        // It knows no other way to write it.
        "" => "?",
        ascii => ascii,
    };
    text.chars()
        .flat_map(|c| if c.is_control() { "?" } else { ascii(c) }.chars())
        .map(printing)
        .take(LONGEST_STRING)
        .collect()
}

/// Text as a string operand, in quotation marks.
pub fn quoted(text: &str) -> String {
    format!("\"{}\"", operand_text(text))
}

/// The position on the board as a record, with its counters and some operations: opcodes and their operands.
pub fn record(game: &Game, operations: &[(&str, String)]) -> String {
    let counters = [
        ("fmvn", game.position().fullmoves().to_string()),
        ("hmvc", game.position().halfmoves().to_string()),
    ];
    let mut operations: Vec<String> = operations
        .iter()
        .chain(&counters)
        .map(|(opcode, operands)| format!(" {opcode} {operands};"))
        .collect();
    operations.sort();
    fields(game) + &operations.concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_written_in_printing_ascii() {
        for (text, written) in [
            ("Été, Łódź, Grüße", "Ete, Lodz, Grusse"),
            ("\"so\" \u{201e}so\u{201c}", "'so' 'so'"),
            ("a\u{7}b\n\u{85}", "a?b??"),
            ("\u{10ffff}", "?"),
        ] {
            assert_eq!(operand_text(text), written);
        }
        assert_eq!(operand_text(&"ß".repeat(200)).len(), LONGEST_STRING);
    }
}
