//! The board of a record, read and written (EPD specification, 4.1).

use game::epd::{Findings, Rule, Severity, Word};
use game::excerpt;
use shakmaty::{Bitboard, Board, ByColor, ByRole, Piece, Square};

/// Reads the board from rank 8 to rank 1, each from the a-file to the h-file, and tells what is wrong with it.
pub(super) fn read_board(word: Word<'_>, findings: &mut Findings<'_>) -> Option<Board> {
    let (mut roles, mut colors) = (ByRole::<Bitboard>::default(), ByColor::<Bitboard>::default());
    let (mut rank, mut file) = (7, 0);
    let mut after_digit = false;
    for (at, byte) in (word.at..).zip(word.text.bytes()) {
        match (byte, Piece::from_char(byte.into())) {
            (b'/', _) if file == 8 && rank > 0 => (rank, file) = (rank - 1, 0),
            (b'1'..=b'8', _) => {
                if after_digit {
                    let message = "two digits for one row of empty squares";
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
            let message = format!("rank {} has over eight squares", rank + 1);
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

fn misplaced(byte: u8, board: &str) -> String {
    match byte {
        b'/' => "`/` where a rank is not full, or after the last".to_owned(),
        _ if byte.is_ascii_graphic() && !b"pnbrqkPNBRQK".contains(&byte) => {
            format!("`{}` in the board; expected `/`, 1 to 8, or a letter of pnbrqkPNBRQK", char::from(byte))
        }
        _ => format!("`{}` is no board of eight ranks of eight squares", excerpt(board)),
    }
}

/// Writes the board, from rank 8 to rank 1.
pub(super) fn write_board(board: &Board, out: &mut String) {
    let cipher = Cipher::new(board);
    // A digit is written before it is known whether there are empty squares: the next character may take its place.
    let (mut text, mut length) = ([0; LONGEST_BOARD], 0);
    for rank in (0..8).rev() {
        let mut men = cipher.rank(rank);
        let mut squares = 8;
        while men != 0 {
            let empty = men.trailing_zeros() / 4;
            text[length] = digit(empty);
            length += usize::from(empty > 0);
            men >>= 4 * empty;
            text[length] = CIPHERS[(men & 0xf) as usize];
            length += 1;
            men >>= 4;
            squares -= empty + 1;
        }
        text[length] = digit(squares);
        length += usize::from(squares > 0);
        text[length] = b'/';
        length += 1;
    }
    // There is no `/` behind the last rank.
    out.push_str(std::str::from_utf8(&text[..length - 1]).unwrap_or_default());
}

/// A letter for each man of 64, and a `/` behind each rank.
const LONGEST_BOARD: usize = 72;

fn digit(squares: u32) -> u8 {
    b'0' + squares as u8
}

/// The letters of the men by their numbers.
const CIPHERS: &[u8; 16] = b" pnbrqk  PNBRQK ";

/// The men as numbers of four bits, a bitboard for each bit: faster than asking for one role after the other.
struct Cipher([u64; 4]);

impl Cipher {
    fn new(board: &Board) -> Cipher {
        let any = |men: [Bitboard; 3]| men.into_iter().fold(0, |any, men| any | men.0);
        Cipher([
            any([board.pawns(), board.bishops(), board.queens()]),
            any([board.knights(), board.bishops(), board.kings()]),
            any([board.rooks(), board.queens(), board.kings()]),
            board.white().0,
        ])
    }

    /// The numbers of the men on a rank, that on the a-file in the lowest four bits; 0 where there is none.
    fn rank(&self, rank: usize) -> u32 {
        let bits = |bit: usize| SPREAD[usize::from(self.0[bit].to_le_bytes()[rank])] << bit;
        bits(0) | bits(1) | bits(2) | bits(3)
    }
}

/// Numbers of eight bits with room for three more behind each bit.
const SPREAD: [u32; 256] = {
    let mut spread = [0; 256];
    let mut number = 0;
    while number < 256 {
        let mut bit = 0;
        while bit < 8 {
            spread[number] |= ((number >> bit & 1) as u32) << (4 * bit);
            bit += 1;
        }
        number += 1;
    }
    spread
};

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
