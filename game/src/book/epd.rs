//! Opening books in EPD: positions with moves to play (EPD specification, 6).

use std::io::BufRead;
use std::iter;

use shakmaty::CastlingMode;

use super::{BookError, PolyglotBuilder};
use crate::epd::{Escapes, Lexer, position_part};
use crate::game::Game;
use crate::lines::{LineRead, NumberedLines};

/// Reads a file of records, one per line. Empty lines and lines that begin with `#` are skipped.
///
/// The moves of a record are its supplied move (`sm`), otherwise all its best moves (`bm`), otherwise the first move of its
/// predicted variation (`pv`). The weight of a move is the number of records with this move.
///
/// # Errors
/// The input can't be read, or a record has an illegal position or an illegal move.
pub(super) fn read(input: impl BufRead) -> Result<PolyglotBuilder, BookError> {
    let mut book = PolyglotBuilder::default();
    let (mut lines, mut line) = (NumberedLines::new(input), String::new());
    loop {
        let added = match lines.read(&mut line)? {
            LineRead::End => return Ok(book),
            LineRead::TooLong => Err("longer than a megabyte".to_owned()),
            LineRead::Line if line.trim().is_empty() || line.starts_with('#') => Ok(()),
            LineRead::Line => add(&mut book, &line),
        };
        added.map_err(|problem| BookError::Epd { line: lines.number, problem })?;
    }
}

fn add(book: &mut PolyglotBuilder, record: &str) -> Result<(), String> {
    let game = Game::from_fen(position_part(record), CastlingMode::Standard);
    let game = game.map_err(|error| error.to_string())?;
    for text in moves_to_play(record) {
        let m = game.parse_move(text).map_err(|error| error.to_string())?;
        let Some(chess) = game.chess() else { break };
        book.count(chess, m, 1);
    }
    Ok(())
}

/// The operands of `sm`, otherwise of `bm`, otherwise the first operand of `pv`.
fn moves_to_play(record: &str) -> Vec<&str> {
    let mut lexer = Lexer::new(record, 0, Escapes::None);
    lexer.fields();
    lexer.counters();
    let [mut supplied, mut best, mut predicted] = [const { Vec::new() }; 3];
    while let Some(opcode) = lexer.opcode() {
        let moves = match opcode.text {
            "sm" => &mut supplied,
            "bm" => &mut best,
            "pv" => &mut predicted,
            _ => continue,
        };
        moves.clear();
        moves.extend(iter::from_fn(|| lexer.operand()).map(|operand| operand.text));
    }
    predicted.truncate(1);
    [supplied, best, predicted].into_iter().find(|moves| !moves.is_empty()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;
    use crate::book::PolyglotBook;

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";

    fn moves(records: &str) -> Vec<(String, u16)> {
        let mut bytes = Vec::new();
        read(records.as_bytes()).unwrap().write(1, &mut bytes).unwrap();
        let mut book = PolyglotBook::new(Cursor::new(bytes)).unwrap();
        let game = Game::default();
        book.moves(game.chess().unwrap()).unwrap().iter().map(|m| (game.san(m.mv), m.weight)).collect()
    }

    #[test]
    fn the_move_to_play_goes_before_the_best_ones_and_these_before_the_line() {
        let named = |san: &str| (san.to_owned(), 1);
        let best = format!("{START} acd 5; bm Nf3 e4; id \"a; bm d4;\"; pv c4;");
        assert_eq!(moves(&best), [named("Nf3"), named("e4")]);
        assert_eq!(moves(&format!("{START} bm Nf3; sm d4;")), [named("d4")]);
        assert_eq!(moves(&format!("{START} pv c4 e5; ce 12;")), [named("c4")]);
        assert_eq!(moves(&format!("{START} id \"\"; noop ;; bm e4")), [named("e4")]);
    }

    #[test]
    fn records_of_the_same_position_add_up() {
        let records = format!("# openings\n\n{START} bm e4 d4;\n{START} 0 1; bm e4;\n{START} id \"x\";\n");
        assert_eq!(moves(&records), [("e4".to_owned(), 2), ("d4".to_owned(), 1)]);
    }

    #[test]
    fn faults_name_their_line() {
        let fault = |records: String| read(records.as_bytes()).map(drop).unwrap_err().to_string();
        assert!(fault(format!("{START} bm e4;\n{START} bm e5;")).starts_with("line 2: illegal move `e5`"));
        assert!(fault("k7/8 w;".to_owned()).starts_with("line 1: FEN `k7/8 w` has 2 fields"));
    }
}
