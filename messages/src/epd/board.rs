//! Reader and writer of the board field (EPD specification, 4.1). Unlike shakmaty's, the reader reports the column of a fault,
//! and the writer visits the pieces instead of asking for each square.

use game::epd::{Findings, Rule, Severity, Word};
use game::excerpt;
use shakmaty::{Bitboard, Board, ByColor, ByRole, Piece, Rank, Square};

/// Reads the board from rank 8 to rank 1, each rank from the a-file to the h-file, and reports its faults.
pub(super) fn read_board(word: Word<'_>, findings: &mut Findings<'_>) -> Option<Board> {
    let (mut roles, mut colors) = (ByRole::<Bitboard>::default(), ByColor::<Bitboard>::default());
    let (mut rank, mut file) = (7, 0);
    let mut after_digit = false;
    for (at, byte) in (word.at..).zip(word.text.bytes()) {
        match (byte, Piece::from_char(byte.into())) {
            (b'/', _) if file == 8 && rank > 0 => (rank, file) = (rank - 1, 0),
            (b'1'..=b'8', _) => {
                if after_digit {
                    let message = "two digits for adjacent empty squares";
                    findings.report(at, Rule::F4, Severity::Warning, message);
                }
                file += u32::from(byte - b'0');
            }
            (_, Some(piece)) if file < 8 => {
                let square = Square::new(rank * 8 + file);
                roles.get_mut(piece.role).add(square);
                colors.get_mut(piece.color).add(square);
                file += 1;
            }
            _ => {
                findings.report(at, Rule::F4, Severity::Error, misplaced(byte, word.text));
                return None;
            }
        }
        if file > 8 {
            let message = format!("rank {} has more than eight squares", rank + 1);
            findings.report(at, Rule::F4, Severity::Error, message);
            return None;
        }
        after_digit = byte.is_ascii_digit();
    }
    if (rank, file) != (0, 8) {
        let at = word.at + word.text.len();
        let message = format!(
            "the board ends on rank {} after {file} squares; expected eight ranks of eight",
            rank + 1
        );
        findings.report(at, Rule::F4, Severity::Error, message);
        return None;
    }
    Board::try_from_bitboards(roles, colors).ok()
}

/// Writes the board from rank 8 to rank 1, each rank from the a-file to the h-file.
pub(super) fn write_board(board: &Board, out: &mut String) {
    let push_empty =
        |out: &mut String, squares: u32| out.extend(char::from_digit(squares, 10).filter(|_| squares > 0));
    for rank in Rank::ALL.into_iter().rev() {
        let mut next_file = 0;
        for square in board.occupied() & rank {
            let file = u32::from(square.file());
            push_empty(out, file - next_file);
            out.extend(board.piece_at(square).map(Piece::char));
            next_file = file + 1;
        }
        push_empty(out, 8 - next_file);
        out.push_str(if rank == Rank::First { "" } else { "/" });
    }
}

fn misplaced(byte: u8, board: &str) -> String {
    match byte {
        b'/' => "`/` before a rank is full or after the last rank".to_owned(),
        _ if byte.is_ascii_graphic() && !b"pnbrqkPNBRQK".contains(&byte) => {
            format!("`{}` in the board; expected `/`, 1 to 8, or a letter of pnbrqkPNBRQK", char::from(byte))
        }
        _ => format!("`{}` is not a board of eight ranks of eight squares", excerpt(board)),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn boards_are_read_as_shakmaty_reads_them(
            text in "([pnbrqkPNBRQK1-8]{1,8}/){7}[pnbrqkPNBRQK1-8/]{1,8}|([pnP1-9/x ]{1,9}/){6,8}8|(8/){0,9}"
        ) {
            let mut findings = Findings::new(&text, 1);
            let board = read_board(Word { text: &text, at: 0 }, &mut findings);
            let has_error = findings.faults.iter().any(|fault| fault.severity == Severity::Error);
            prop_assert_eq!(has_error, board.is_none());
            prop_assert_eq!(board, text.parse::<Board>().ok());
        }

        #[test]
        fn boards_are_written_as_they_were_read(text in "(8|[pnbrqkPNBRQK]{8}|[pQ]1[rP]3[kb]1|3K4)(/(8|k7|1p2P3|[rR]6[qQ]|7N)){7}") {
            let mut findings = Findings::new(&text, 1);
            let board = read_board(Word { text: &text, at: 0 }, &mut findings);
            let mut written = String::new();
            write_board(&board.expect("eight ranks of eight squares"), &mut written);
            prop_assert_eq!(&written, &text);
            prop_assert_eq!(findings.faults, []);
        }
    }
}
