//! The four fields that describe a position (EPD specification, 4).

use std::num::NonZeroU32;

use engine::epd::{Findings, Rule, Severity, Word};
use engine::{CastlingMode, Chess, Color, FenError, Game, excerpt, legal_position};
use shakmaty::{Bitboard, Board, ByColor, ByRole, EnPassantMode, File, Position as _, Rank, Setup, Square};

/// A position, legal or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// What stands where.
    pub board: Board,
    /// The side to move.
    pub turn: Color,
    /// Who may castle.
    pub castling: Castling,
    /// The square that a pawn has just passed in a double step, whether or not it can be taken there.
    pub en_passant: Option<Square>,
}

/// Castling rights as letters in their order: those of `KQkq`, or in Chess960 the files of the rooks, `AHah` and so on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Castling {
    letters: [u8; 4],
    count: usize,
}

impl Castling {
    /// White's before Black's, the king's side before the queen's.
    const ORDER: &[u8] = b"KHGFEDCBAQkhgfedcbaq";

    /// Reads letters in any order; `None` if one is none, comes twice, or there are more than four.
    fn read(text: &str) -> Option<Castling> {
        let mut castling = Castling::default();
        let mut taken = 0;
        for &letter in Castling::ORDER {
            if text.as_bytes().contains(&letter) {
                *castling.letters.get_mut(taken)? = letter;
                taken += 1;
            }
        }
        castling.count = taken;
        (taken == text.len()).then_some(castling)
    }

    /// The letters; empty if nobody may castle.
    pub fn letters(&self) -> &str {
        std::str::from_utf8(&self.letters[..self.count]).unwrap_or_default()
    }

    /// The rook that a letter means; `None` if there is no such rook, or no king that could castle with it.
    fn rook(board: &Board, letter: u8) -> Option<Square> {
        let color = Color::from_white(letter.is_ascii_uppercase());
        let home = Bitboard::from_rank(color.backrank());
        let king = board.king_of(color).filter(|king| home.contains(*king))?;
        let rooks = home & board.by_color(color) & board.rooks();
        match letter.to_ascii_lowercase() {
            b'k' => rooks.last().filter(|rook| *rook > king),
            b'q' => rooks.first().filter(|rook| *rook < king),
            file => {
                let rook = Square::from_coords(File::from_char(char::from(file))?, color.backrank());
                rooks.contains(rook).then_some(rook)
            }
        }
    }
}

impl Position {
    /// The position on the board of a game.
    ///
    /// # Panics
    /// Never: the fields of a game are well-formed.
    pub fn of(game: &Game) -> Position {
        let fields = engine::epd::fields(game);
        let mut words = fields.split(' ').map(|text| Word { text, at: 0 });
        let fields = std::array::from_fn(|_| words.next().unwrap_or(Word { text: "", at: 0 }));
        Position::read(&fields, &mut Findings::new("", 0)).expect("a game's fields are well-formed")
    }

    /// Reads the fields; `None`, and an error, if one of them can't be understood.
    pub(super) fn read(fields: &[Word<'_>; 4], findings: &mut Findings<'_>) -> Option<Position> {
        let [board, turn, castling, en_passant] = *fields;
        let board = read_board(board, findings);
        let turn = read_turn(turn, findings);
        let castling = read_castling(castling, findings);
        let en_passant = read_en_passant(en_passant, turn, findings);
        Some(Position { board: board?, turn: turn?, castling: castling?, en_passant: en_passant? })
    }

    /// Writes the fields.
    pub(super) fn write(&self, out: &mut String) {
        write_board(&self.board, out);
        out.push_str(self.turn.fold_wb(" w ", " b "));
        out.push_str(if self.castling.count == 0 { "-" } else { self.castling.letters() });
        out.push(' ');
        match self.en_passant {
            Some(square) => out.extend([square.file().char(), square.rank().char()]),
            None => out.push('-'),
        }
    }

    /// The position for shakmaty, with the counters of a new game. Castling rights without a rook are left out.
    pub fn setup(&self) -> Setup {
        let rooks = self.castling.letters[..self.castling.count].iter();
        Setup {
            board: self.board.clone(),
            turn: self.turn,
            castling_rights: rooks.filter_map(|letter| Castling::rook(&self.board, *letter)).collect(),
            ep_square: self.en_passant,
            ..Setup::empty()
        }
    }

    /// The position if it is legal; castling rights and en passant squares that the board contradicts are dropped. It
    /// is one of Chess960 if its castling rights are.
    ///
    /// # Errors
    /// The position is illegal.
    pub fn legal(&self) -> Result<(Chess, CastlingMode), FenError> {
        legal_position(&self.setup(), CastlingMode::Standard)
    }

    /// A game that begins here, with these counters.
    ///
    /// # Errors
    /// The position is illegal, or a counter is over 65535.
    pub fn game(&self, halfmoves: u32, fullmoves: NonZeroU32) -> Result<Game, FenError> {
        let setup = Setup { halfmoves, fullmoves, ..self.setup() };
        Game::from_setup(engine::Variant::Chess, setup, CastlingMode::Standard)
    }

    /// The position if it is legal, and what is wrong with it.
    pub(super) fn judge(
        &self,
        fields: &[Word<'_>; 4],
        findings: &mut Findings<'_>,
    ) -> Option<(Chess, CastlingMode)> {
        let mut report = |at, rule, message: String| findings.report(at, rule, Severity::Error, message);
        let [board, _, castling, en_passant] = fields.map(|word| word.at);
        let setup = self.setup();
        let rights = setup.castling_rights;
        match legal_position(&setup, CastlingMode::Standard) {
            Err(error) => {
                report(board, Rule::V1, error.to_string());
                None
            }
            Ok((chess, mode)) => {
                if chess.castles().castling_rights().count() < self.castling.count
                    || rights.count() < self.castling.count
                {
                    let message = format!("`{}`: a king or a rook has moved", self.castling.letters());
                    report(castling, Rule::F6, message);
                }
                if let Some(square) =
                    self.en_passant.filter(|_| chess.ep_square(EnPassantMode::Always).is_none())
                {
                    report(en_passant, Rule::F7, format!("no pawn can just have passed {square}"));
                }
                Some((chess, mode))
            }
        }
    }
}

/// Reads the board from rank 8 to rank 1, each from the a-file to the h-file.
fn read_board(word: Word<'_>, findings: &mut Findings<'_>) -> Option<Board> {
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

fn write_board(board: &Board, out: &mut String) {
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

fn read_turn(word: Word<'_>, findings: &mut Findings<'_>) -> Option<Color> {
    let (turn, severity) = match word.text {
        "w" => return Some(Color::White),
        "b" => return Some(Color::Black),
        "W" => (Some(Color::White), Severity::Warning),
        "B" => (Some(Color::Black), Severity::Warning),
        _ => (None, Severity::Error),
    };
    let message = format!("side to move `{}`; expected `w` or `b`", excerpt(word.text));
    findings.report(word.at, Rule::F5, severity, message);
    turn
}

fn read_castling(word: Word<'_>, findings: &mut Findings<'_>) -> Option<Castling> {
    if word.text == "-" {
        return Some(Castling::default());
    }
    let castling = Castling::read(word.text);
    let (severity, expected) = match &castling {
        Some(castling) if castling.letters() != word.text => (Severity::Warning, castling.letters()),
        Some(castling) if castling.letters().bytes().all(|letter| b"KQkq".contains(&letter)) => {
            return Some(*castling);
        }
        Some(_) => (Severity::Warning, "letters of KQkq; those of files are for Chess960"),
        None => (Severity::Error, "`-` or some of KQkq"),
    };
    let message = format!("castling rights `{}`; expected {expected}", excerpt(word.text));
    findings.report(word.at, Rule::F6, severity, message);
    castling
}

/// The inner `None` is for no square.
#[expect(clippy::option_option, reason = "a field that can't be read, and one that says there is no square")]
fn read_en_passant(
    word: Word<'_>,
    turn: Option<Color>,
    findings: &mut Findings<'_>,
) -> Option<Option<Square>> {
    if word.text == "-" {
        return Some(None);
    }
    let square = Square::from_ascii(word.text.as_bytes()).ok();
    let behind = |turn: Color| turn.fold_wb(Rank::Sixth, Rank::Third);
    if square.is_some_and(|square| turn.is_none_or(|turn| square.rank() == behind(turn))) {
        return Some(square);
    }
    let rank = turn.map_or("3 or 6".to_owned(), |turn| behind(turn).char().to_string());
    let message =
        format!("en passant square `{}`; expected `-` or a square on rank {rank}", excerpt(word.text));
    findings.report(word.at, Rule::F7, Severity::Error, message);
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Option<Position>, Vec<String>) {
        let mut at = 0;
        let mut words = text.split(' ').map(|text| {
            at += text.len() + 1;
            Word { text, at: at - text.len() - 1 }
        });
        let fields = std::array::from_fn(|_| words.next().expect("four fields"));
        let mut findings = Findings::new(text, 1);
        let position = Position::read(&fields, &mut findings);
        if let Some(position) = &position {
            position.judge(&fields, &mut findings);
        }
        let told = |fault: &engine::epd::Fault| format!("{} {} {}", fault.column, fault.rule, fault.severity);
        (position, findings.faults().iter().map(told).collect())
    }

    fn written(position: &Position) -> String {
        let mut text = String::new();
        position.write(&mut text);
        text
    }

    #[test]
    fn the_start_position_is_written_as_the_specification_has_it() {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
        let (position, faults) = read(start);
        let position = position.expect("a position");
        assert_eq!((written(&position).as_str(), faults), (start, vec![]));
        assert_eq!(Position::of(&Game::default()), position);
        assert_eq!(position.legal().expect("legal"), (Chess::default(), CastlingMode::Standard));
    }

    #[test]
    fn the_square_after_a_double_step_is_kept() {
        let text = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3";
        let (position, faults) = read(text);
        assert_eq!((written(&position.expect("a position")).as_str(), faults), (text, vec![]));
        assert_eq!(read(&text.replace("e3", "d3")).1, ["54 F7 error"]);
        assert_eq!(read(&text.replace("e3", "e6")), (None, vec!["54 F7 error".into()]));
        assert_eq!(read(&text.replace("e3", "e")), (None, vec!["54 F7 error".into()]));
    }

    #[test]
    fn boards_that_are_none() {
        for (board, fault) in [
            ("8/8/8/8/8/8/8", "14 F4 error"),
            ("8/8/8/8/8/8/8/8/", "16 F4 error"),
            ("/8/8/8/8/8/8/8/8", "1 F4 error"),
            ("8/8/8/8/8/8/8/9", "15 F4 error"),
            ("8/8/8/8/8/8/8/71p", "17 F4 error"),
            ("8/8/8/8/8/8/8/7", "16 F4 error"),
            ("8/8/8/8/8/8/8/7x", "16 F4 error"),
            ("8/8/8/8/8/8/8/8[]", "16 F4 error"),
            ("8/8/8/8/8/8/8/pppppppPP", "23 F4 error"),
        ] {
            assert_eq!(read(&format!("{board} w - -")).0, None, "{board}");
            assert!(
                read(&format!("{board} w - -")).1.contains(&fault.to_owned()),
                "{board}: {:?}",
                read(&format!("{board} w - -")).1
            );
        }
    }

    #[test]
    fn what_can_be_put_right() {
        let (position, faults) = read("4k2r/44/8/8/8/8/8/R3K2R W kQK -");
        assert_eq!(written(&position.expect("a position")), "4k2r/8/8/8/8/8/8/R3K2R w KQk -");
        assert_eq!(faults, ["7 F4 warning", "25 F5 warning", "27 F6 warning"]);
        let (position, faults) = read("4k3/8/8/8/8/8/8/1R2KR2 w BF -");
        let position = position.expect("a position");
        assert_eq!(
            (written(&position).as_str(), faults),
            ("4k3/8/8/8/8/8/8/1R2KR2 w FB -", vec!["26 F6 warning".into()])
        );
        assert_eq!(position.legal().expect("legal").1, CastlingMode::Chess960);
    }

    #[test]
    fn positions_that_are_illegal_are_carried_and_reported() {
        for (text, fault) in [
            ("8/8/8/8/8/8/8/8 w - -", "1 V1 error"),
            ("4k3/8/8/8/8/8/4R3/4K3 w - -", "1 V1 error"),
            ("4k2P/8/8/8/8/8/8/4K3 w - -", "1 V1 error"),
            ("4k3/8/8/8/8/8/8/4K3 w K -", "23 F6 error"),
            ("4k3/8/8/8/8/8/4K3/7R w K -", "24 F6 error"),
        ] {
            let (position, faults) = read(text);
            assert_eq!(
                (written(&position.expect(text)).as_str(), faults),
                (text, vec![fault.to_owned()]),
                "{text}"
            );
        }
        for (castling, rule) in [("KK", "F6"), ("x", "F6"), ("KQkqA", "F6"), ("--", "F6")] {
            let (position, faults) = read(&format!("4k3/8/8/8/8/8/8/4K3 w {castling} -"));
            assert!(position.is_none() && faults == [format!("23 {rule} error")], "{faults:?}");
        }
    }
}
