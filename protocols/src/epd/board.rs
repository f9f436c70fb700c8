//! The board of a record, read and written (EPD specification, 4.1).

use engine::epd::{Findings, Rule, Severity, Word};
use engine::excerpt;
use shakmaty::{Bitboard, Board, ByColor, ByRole, Rank, Square};

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

/// Where men of each letter stand, from a1 to h8; and behind them, room for those that are none.
#[derive(Default)]
struct Men([u64; 13]);

/// What a character of a board means.
#[derive(Clone, Copy)]
struct Meaning {
    /// In which of the [`Men`] it goes.
    men: u8,
    /// How many squares it fills.
    squares: u8,
    is_digit: bool,
    is_known: bool,
}

/// What each character means, so that boards can be read without a jump for each of them.
const MEANINGS: [Meaning; 256] = {
    let mut meanings = [Meaning { men: 12, squares: 0, is_digit: false, is_known: false }; 256];
    let mut digit = 1;
    while digit <= 8 {
        meanings[(b'0' + digit) as usize] =
            Meaning { men: 12, squares: digit, is_digit: true, is_known: true };
        digit += 1;
    }
    let mut men = 0;
    while men < 12 {
        let meaning = Meaning { men: men as u8, squares: 1, is_digit: false, is_known: true };
        meanings[LETTERS[men] as usize] = meaning;
        men += 1;
    }
    meanings[b'/' as usize].is_known = true;
    meanings
};

impl Men {
    /// Reads a board that is as it should be.
    fn read(text: &str) -> Option<Men> {
        let mut men = Men::default();
        // Squares from a8 to h1, and how many of them there have to be at the next `/`.
        let (mut square, mut rank_end) = (0_u32, 8);
        let (mut is_right, mut after_digit) = (text.len() <= 71, false);
        for byte in text.bytes() {
            let meaning = MEANINGS[usize::from(byte)];
            men.0[usize::from(meaning.men)] |= 1 << ((square ^ 0o70) & 0o77);
            square += u32::from(meaning.squares);
            is_right &= meaning.is_known && !(meaning.is_digit && after_digit);
            after_digit = meaning.is_digit;
            if byte == b'/' {
                is_right &= square == rank_end;
                rank_end += 8;
            }
        }
        (is_right && (square, rank_end) == (64, 64)).then_some(men)
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
    for rank in Rank::ALL.into_iter().rev() {
        let mut next = 0;
        for square in Bitboard::from_rank(rank) & board.occupied() {
            let file = square.file() as u8;
            push_empty(file - next, out);
            out.push(char::from(letter(board, square)));
            next = file + 1;
        }
        push_empty(8 - next, out);
        if rank != Rank::First {
            out.push('/');
        }
    }
}

/// The letter of a man. Adding up is faster than asking for one role after the other.
fn letter(board: &Board, square: Square) -> u8 {
    let is_in = |men: Bitboard| usize::from(men.contains(square));
    let role = is_in(board.knights())
        + 2 * is_in(board.bishops())
        + 3 * is_in(board.rooks())
        + 4 * is_in(board.queens())
        + 5 * is_in(board.kings());
    LETTERS[role + 6 * is_in(board.white())]
}

fn push_empty(squares: u8, out: &mut String) {
    if squares > 0 {
        out.push(char::from(b'0' + squares));
    }
}
