//! The four fields that describe a position (EPD specification, 4).

use std::num::NonZeroU32;

use game::epd::{Findings, Rule, Severity, Word};
use game::{CastlingMode, Chess, Color, FenError, Game, excerpt, legal_position};
use shakmaty::{Bitboard, Board, EnPassantMode, File, Position as _, Rank, Setup, Square};

use super::board::{read_board, write_board};

/// A position, legal or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EpdPosition {
    /// The pieces on their squares.
    pub board: Board,
    /// The side to move.
    pub turn: Color,
    /// Castling rights.
    pub castling: Castling,
    /// Square passed by the double step of a pawn, whether or not an en passant capture is possible.
    pub en_passant: Option<Square>,
}

/// Castling rights as letters in their order: those of `KQkq`, or in Chess960 the files of the rooks, `AHah` and so on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Castling {
    letters: String,
}

impl Castling {
    /// The letters in their order: White's before Black's, the king's side before the queen's.
    const ORDER: &str = "KHGFEDCBAQkhgfedcbaq";

    /// Reads letters in any order; `None` for unknown or duplicate letters and for more than four.
    fn read(text: &str) -> Option<Castling> {
        let letters: String = Castling::ORDER.chars().filter(|letter| text.contains(*letter)).collect();
        (letters.len() == text.len() && text.len() <= 4).then_some(Castling { letters })
    }

    /// Returns the rook of a letter; `None` if there is no such rook or no king to castle with it.
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

impl EpdPosition {
    /// Returns the current position of a game.
    ///
    /// # Panics
    /// Never: the fields of a game are well-formed.
    pub fn of(game: &Game) -> EpdPosition {
        let fields = game::epd::fields(game);
        let mut words = fields.split(' ').map(|text| Word { text, at: 0 });
        let fields = std::array::from_fn(|_| words.next().unwrap_or(Word { text: "", at: 0 }));
        EpdPosition::read(&fields, &mut Findings::new("", 0)).expect("a game's fields are well-formed")
    }

    /// Reads the fields; reports an error and returns `None` if one of them is invalid.
    pub(super) fn read(fields: &[Word<'_>; 4], findings: &mut Findings<'_>) -> Option<EpdPosition> {
        let [board, turn, castling, en_passant] = *fields;
        let board = read_board(board, findings);
        let turn = read_turn(turn, findings);
        let castling = read_castling(castling, findings);
        let en_passant = read_en_passant(en_passant, turn, findings);
        Some(EpdPosition { board: board?, turn: turn?, castling: castling?, en_passant: en_passant? })
    }

    /// Writes the fields.
    pub(super) fn write(&self, out: &mut String) {
        write_board(&self.board, out);
        out.push_str(self.turn.fold_wb(" w ", " b "));
        out.push_str(if self.castling.letters.is_empty() { "-" } else { &self.castling.letters });
        out.push(' ');
        match self.en_passant {
            Some(square) => out.extend([square.file().char(), square.rank().char()]),
            None => out.push('-'),
        }
    }

    /// Converts to shakmaty's setup, with the counters of a new game. Castling rights without a rook are dropped.
    pub fn setup(&self) -> Setup {
        let rooks = self.castling.letters.bytes();
        Setup {
            board: self.board.clone(),
            turn: self.turn,
            castling_rights: rooks.filter_map(|letter| Castling::rook(&self.board, letter)).collect(),
            ep_square: self.en_passant,
            ..Setup::empty()
        }
    }

    /// Returns the position if it is legal. Castling rights and en passant squares that contradict the board are
    /// dropped. The castling mode is that of Chess960 if the castling rights require it.
    ///
    /// # Errors
    /// The position is illegal.
    pub fn legal(&self) -> Result<(Chess, CastlingMode), FenError> {
        legal_position(&self.setup(), CastlingMode::Standard)
    }

    /// Creates a game that starts in the position, with these counters.
    ///
    /// # Errors
    /// The position is illegal, or a counter is over 65535.
    pub fn game(&self, halfmoves: u32, fullmoves: NonZeroU32) -> Result<Game, FenError> {
        let setup = Setup { halfmoves, fullmoves, ..self.setup() };
        Game::from_setup(game::Variant::Chess, setup, CastlingMode::Standard)
    }

    /// Returns the position if it is legal, and reports its faults.
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
                if (chess.castles().castling_rights() & rights).count() < self.castling.letters.len() {
                    let message = format!(
                        "castling rights `{}`: a king or a rook is not on its square",
                        self.castling.letters
                    );
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
        Some(castling) if castling.letters != word.text => (Severity::Warning, castling.letters.as_str()),
        Some(castling) if castling.letters.bytes().all(|letter| b"KQkq".contains(&letter)) => {
            return Some(castling.clone());
        }
        Some(_) => (Severity::Warning, "letters of KQkq; file letters are for Chess960"),
        None => (Severity::Error, "`-` or some of KQkq"),
    };
    let message = format!("castling rights `{}`; expected {expected}", excerpt(word.text));
    findings.report(word.at, Rule::F6, severity, message);
    castling
}

/// Reads an en passant field. The inner `None` stands for `-`.
#[expect(clippy::option_option, reason = "the outer `None` stands for an invalid field")]
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

    fn read(text: &str) -> (Option<EpdPosition>, Vec<String>) {
        let mut at = 0;
        let mut words = text.split(' ').map(|text| {
            at += text.len() + 1;
            Word { text, at: at - text.len() - 1 }
        });
        let fields = std::array::from_fn(|_| words.next().expect("four fields"));
        let mut findings = Findings::new(text, 1);
        let position = EpdPosition::read(&fields, &mut findings);
        if let Some(position) = &position {
            position.judge(&fields, &mut findings);
        }
        let told = |fault: &game::epd::Fault| format!("{} {} {}", fault.column, fault.rule, fault.severity);
        (position, findings.faults.iter().map(told).collect())
    }

    fn written(position: &EpdPosition) -> String {
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
        assert_eq!(EpdPosition::of(&Game::default()), position);
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
