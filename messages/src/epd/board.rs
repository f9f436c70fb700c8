//! The board of a record, read and written (EPD specification, 4.1).

use game::epd::{Findings, Rule, Severity, Word};
use game::excerpt;
use shakmaty::{Bitboard, Board, ByColor, ByRole};

/// Reads the board from rank 8 to rank 1, each from the a-file to the h-file.
pub(super) fn read_board(word: Word<'_>, findings: &mut Findings<'_>) -> Option<Board> {
    Men::read(word.text).or_else(|| examine_board(word, findings))?.into_board()
}

/// Reads a board of which something is wrong, and tells what.
fn examine_board(word: Word<'_>, findings: &mut Findings<'_>) -> Option<Men> {
    let mut men = Men::default();
    let (mut rank, mut file) = (7, 0);
    let mut after_digit = false;
    for (offset, byte) in word.text.bytes().enumerate() {
        let at = word.at + offset;
        let letter = LETTERS.iter().position(|letter| *letter == byte);
        match (byte, letter) {
            (b'/', _) if file == 8 && rank > 0 => (rank, file) = (rank - 1, 0),
            (b'1'..=b'8', _) => {
                if after_digit {
                    let message = "two digits for one row of empty squares";
                    findings.report(at, Rule::F4, Severity::Warning, message);
                }
                file += u32::from(byte - b'0');
            }
            (_, Some(letter)) if file < 8 => {
                men.0[letter] |= 1 << (rank * 8 + file);
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
    Some(men)
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

/// The men, in the order of [`Men`].
const LETTERS: &[u8; 12] = b"pnbrqkPNBRQK";

/// Where the men of each letter stand; behind them where rows of empty squares begin, where ranks begin behind a `/`, and
/// what is neither.
#[derive(Default)]
struct Men([u64; 16]);

/// What a character of a board means: in its highest four bits, of which of the [`Men`] it tells, and what it adds to the
/// tally, whose lowest six bits are the next square.
type Meaning = u32;

/// What the men beyond those of the twelve letters are.
const EMPTY: Meaning = 12;
const RANK: Meaning = 13;
const NONE: Meaning = 15;
const MEN_SHIFT: u32 = 28;

/// A `/` and what has no place in a board don't move the next square. Counts of them have so much room in the tally that
/// those of [`LONGEST_BOARD`] characters can be told apart in the end.
const RANK_END: Meaning = 1 << 10;
const UNKNOWN: Meaning = 1 << 17;
/// The counts, without the sum of what tells of the men.
const COUNTS: Meaning = (1 << 24) - 1;

/// What each character means, so that boards can be read without a jump for each of them.
const MEANINGS: [Meaning; 256] = {
    let mut meanings = [UNKNOWN | NONE << MEN_SHIFT; 256];
    let mut digit = 1;
    while digit <= 8 {
        meanings[(b'0' + digit) as usize] = digit as Meaning | EMPTY << MEN_SHIFT;
        digit += 1;
    }
    let mut men = 0;
    while men < 12 {
        meanings[LETTERS[men] as usize] = 1 | (men as Meaning) << MEN_SHIFT;
        men += 1;
    }
    meanings[b'/' as usize] = RANK_END | RANK << MEN_SHIFT;
    meanings
};

impl Men {
    /// Reads a board that is as it should be.
    fn read(text: &str) -> Option<Men> {
        /// The a-file without a8, on a board that begins with a8.
        const RANK_BEGINS: u64 = 0x0101_0101_0101_0100;
        if text.len() > LONGEST_BOARD {
            return None;
        }
        let mut men = Men::default();
        // Squares are counted from a8 to h1.
        let mut tally: Meaning = 0;
        for byte in text.bytes() {
            let meaning = MEANINGS[usize::from(byte)];
            men.0[(meaning >> MEN_SHIFT) as usize] |= 1 << (tally & 0o77);
            tally = tally.wrapping_add(meaning);
        }
        let is_full = tally & COUNTS == 64 + 7 * RANK_END && men.0[RANK as usize] == RANK_BEGINS;
        let is_right = is_full && men.has_whole_rows();
        men.0 = men.0.map(u64::swap_bytes);
        is_right.then_some(men)
    }

    /// Whether no row of empty squares was cut in two by a second digit.
    fn has_whole_rows(&self) -> bool {
        /// All files but the a-file.
        const NOT_FIRST: u64 = 0xfefe_fefe_fefe_fefe;
        let empty = !self.0[..12].iter().fold(0, |all, men| all | men);
        let begins = empty & !(empty << 1 & NOT_FIRST);
        self.0[EMPTY as usize] == begins
    }

    fn into_board(self) -> Option<Board> {
        let men = |role: usize| Bitboard(self.0[role] | self.0[role + 6]);
        let all = |men: &[u64]| Bitboard(men.iter().fold(0, |all, men| all | men));
        let roles = ByRole {
            pawn: men(0),
            knight: men(1),
            bishop: men(2),
            rook: men(3),
            queen: men(4),
            king: men(5),
        };
        let colors = ByColor { black: all(&self.0[..6]), white: all(&self.0[6..12]) };
        Board::try_from_bitboards(roles, colors).ok()
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
        fn boards_are_read_quickly_if_nothing_is_wrong_with_them(
            text in "([pnbrqkPNBRQK1-8]{1,8}/){7}[pnbrqkPNBRQK1-8/]{1,8}|([pnP1-9/x ]{1,9}/){6,8}8|(8/){0,9}"
        ) {
            let mut findings = Findings::new(&text, 1);
            let examined = examine_board(Word { text: &text, at: 0 }, &mut findings);
            let men = |men: &Men| men.0[..12].to_vec();
            let right = examined.as_ref().filter(|_| findings.faults.is_empty());
            prop_assert_eq!(Men::read(&text).as_ref().map(men), right.map(men));
        }

        #[test]
        fn boards_are_written_as_they_were_read(text in "(8|[pnbrqkPNBRQK]{8}|[pQ]1[rP]3[kb]1|3K4)(/(8|k7|1p2P3|[rR]6[qQ]|7N)){7}") {
            let men = Men::read(&text).expect("eight ranks of eight squares");
            let mut written = String::new();
            write_board(&men.into_board().expect("a man a square"), &mut written);
            prop_assert_eq!(written, text);
        }
    }
}
