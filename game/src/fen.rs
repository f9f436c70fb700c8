//! Positions from FEN and from set-up boards: silent corrections and errors.

use std::num::NonZeroU32;

use shakmaty::fen::{Fen, ParseFenError};
use shakmaty::variant::{Variant, VariantPosition};
use shakmaty::{
    Bitboard, ByColor, ByRole, CastlingMode, Chess, Color, EnPassantMode, Position as _, PositionError,
    PositionErrorKinds, Setup, Square,
};

use crate::{PocketOwner, counted, excerpt};

/// Largest accepted value of the counters in a FEN.
const LARGEST_COUNTER: u32 = 65_535;

/// Error of a FEN or a position. Each variant carries the faulty text, shortened to at most 100 characters.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the message of each variant says all that its fields mean")]
pub enum FenError {
    /// Too few fields, or too many.
    #[error(
        "FEN `{text}` has {}; expected 4 to 6: board, side to move, castling, en passant, counters",
        counted(*count as u64, "field")
    )]
    Fields { text: String, count: usize },
    /// The first field is not a board.
    #[error(
        "FEN: board `{field}` is not eight ranks of eight squares in the letters pnbrqkPNBRQK and digits"
    )]
    Board { field: String },
    /// The second field is neither `w` nor `b`.
    #[error("FEN: side to move `{field}`; expected `w` or `b`")]
    Turn { field: String },
    /// The third field is not a notation of castling rights.
    #[error("FEN: castling rights `{field}`; expected `-`, letters of KQkq, or at most two files a side")]
    Castling { field: String },
    /// The fourth field is not a square.
    #[error("FEN: en passant square `{field}`; expected `-` or a square")]
    EnPassant { field: String },
    /// The fifth field is not a number in range.
    #[error("FEN: halfmove clock `{field}`; expected a number from 0 to 65535")]
    Halfmoves { field: String },
    /// The sixth field is not a number in range.
    #[error("FEN: move number `{field}`; expected a number from 0 to 65535")]
    Fullmoves { field: String },
    /// A side has no king, or more than one.
    #[error("illegal position `{text}`: {color} has {count} kings; expected one")]
    Kings { text: String, color: Color, count: usize },
    /// A pawn stands on the first or last rank.
    #[error("illegal position `{text}`: a pawn stands on the first or last rank")]
    PawnOnBackRank { text: String },
    /// The side to move could capture the king.
    #[error("illegal position `{text}`: {color} is in check, but it is not {color}'s move")]
    OpponentInCheck { text: String, color: Color },
    /// More than sixteen pieces of a side, or more promoted pieces than missing pawns.
    #[error(
        "illegal position `{text}`: a side has over 16 pieces, or more promoted pieces than pawns are missing"
    )]
    TooMuchMaterial { text: String },
    /// The field of checks in Three-check is faulty.
    #[error("FEN: checks left `{field}`; expected two numbers from 0 to 3 such as `3+3`")]
    Checks { field: String },
    /// The position is illegal in the variant.
    #[error("illegal position `{text}` in {variant}: {problem}")]
    Variant { text: String, variant: &'static str, problem: String },
}

/// Reads a FEN of four to six fields; missing counters are 0 and 1. See `Game::from_fen` for corrections.
///
/// In Crazyhouse, the pockets follow the board in brackets or as a ninth rank; by default they are empty. In Three-check, a
/// field before the counters holds the checks left (`3+3`), or a field after them the checks given (`+0+0`); by default none were
/// given.
pub(crate) fn read(
    variant: Variant,
    text: &str,
    mode: CastlingMode,
) -> Result<(VariantPosition, CastlingMode), FenError> {
    // Underscores replace spaces in web addresses; they don't occur in fields.
    let mut fields: Vec<&str> =
        text.split(|c: char| c.is_ascii_whitespace() || c == '_').filter(|field| !field.is_empty()).collect();
    let checks = take_checks(variant, &mut fields);
    if !(4..=6).contains(&fields.len()) {
        return Err(FenError::Fields { text: excerpt(text), count: fields.len() });
    }
    let mut setup = board_part(variant, &fields, checks)?;
    setup.halfmoves =
        counter(fields.get(4), 0).ok_or_else(|| FenError::Halfmoves { field: excerpt(fields[4]) })?;
    let fullmoves =
        counter(fields.get(5), 1).ok_or_else(|| FenError::Fullmoves { field: excerpt(fields[5]) })?;
    // Several programs number the first move 0.
    setup.fullmoves = NonZeroU32::new(fullmoves).unwrap_or(NonZeroU32::MIN);
    check(variant, setup, mode, || excerpt(text))
}

/// Removes the field with the checks of Three-check.
fn take_checks<'a>(variant: Variant, fields: &mut Vec<&'a str>) -> Option<&'a str> {
    let at = fields.iter().skip(4).position(|field| field.contains('+'))?;
    (variant == Variant::ThreeCheck).then(|| fields.remove(4 + at))
}

/// The first four fields, and the checks of Three-check.
fn board_part(variant: Variant, fields: &[&str], checks: Option<&str>) -> Result<Setup, FenError> {
    let error = |at: usize| excerpt(fields[at]);
    let has_pockets = variant == Variant::Crazyhouse;
    let ranks = fields[0].matches('/').count() + 1;
    // shakmaty would read pockets in every variant.
    if !has_pockets && fields[0].contains(['[', '~']) || ranks != 8 && !(has_pockets && ranks == 9) {
        return Err(FenError::Board { field: error(0) });
    }
    // XBoard writes a hyphen for empty pockets.
    let board = fields[0].replace("[-]", "[]");
    let text = [&[&*board], &fields[1..4], checks.as_slice()].concat().join(" ");
    let fen = Fen::from_ascii(text.as_bytes()).map_err(|e| match e {
        ParseFenError::InvalidTurn => FenError::Turn { field: error(1) },
        ParseFenError::InvalidCastling => FenError::Castling { field: error(2) },
        ParseFenError::InvalidEpSquare => FenError::EnPassant { field: error(3) },
        _ if checks.is_some() => FenError::Checks { field: excerpt(checks.unwrap_or_default()) },
        _ => FenError::Board { field: error(0) },
    })?;
    Ok(fen.into_setup())
}

/// Parses a counter; a missing one is `default`. `None` if the field is faulty.
fn counter(field: Option<&&str>, default: u32) -> Option<u32> {
    let Some(field) = field else { return Some(default) };
    field.parse().ok().filter(|&number| number <= LARGEST_COUNTER)
}

/// Creates a position from a set-up board.
pub(crate) fn from_setup(
    variant: Variant,
    setup: Setup,
    mode: CastlingMode,
) -> Result<(VariantPosition, CastlingMode), FenError> {
    if setup.halfmoves > LARGEST_COUNTER {
        return Err(FenError::Halfmoves { field: setup.halfmoves.to_string() });
    }
    if setup.fullmoves.get() > LARGEST_COUNTER {
        return Err(FenError::Fullmoves { field: setup.fullmoves.to_string() });
    }
    let original = setup.clone();
    check(variant, setup, mode, || shown(&original))
}

/// Creates a position of chess from a set-up board. Castling rights and en passant squares that the board contradicts are
/// dropped. In standard mode, rights that are only possible in Chess960 change the mode to Chess960.
///
/// # Errors
/// The position is illegal, as for [`Game::from_fen`](crate::Game::from_fen).
pub fn legal_position(setup: &Setup, mode: CastlingMode) -> Result<(Chess, CastlingMode), FenError> {
    match check(Variant::Chess, setup.clone(), mode, || shown(setup))? {
        (VariantPosition::Chess(chess), mode) => Ok((chess, mode)),
        _ => unreachable!("the variant was chess"),
    }
}

/// The FEN of a set-up board, for messages.
fn shown(setup: &Setup) -> String {
    let fen = Fen::try_from_setup(setup.clone()).unwrap_or_else(shakmaty::fen::LossyFenError::ignore);
    excerpt(&fen.to_string())
}

/// Corrects what is unambiguous and checks the rest.
fn check(
    variant: Variant,
    setup: Setup,
    mode: CastlingMode,
    text: impl Fn() -> String,
) -> Result<(VariantPosition, CastlingMode), FenError> {
    let mode = if mode.is_standard() { CastlingMode::detect(&setup) } else { mode };
    let may_lack_kings = matches!(variant, Variant::Antichess | Variant::Atomic | Variant::Horde);
    for color in Color::ALL.into_iter().filter(|_| !may_lack_kings) {
        let count = (setup.board.kings() & setup.board.by_color(color)).count();
        if count != 1 {
            return Err(FenError::Kings { text: text(), color, count });
        }
    }
    let waiting = !setup.turn;
    let problem = |problem: &str| {
        let (text, variant) = (text(), variant.uci());
        FenError::Variant { text, variant, problem: problem.to_owned() }
    };
    if variant == Variant::Antichess && setup.board.by_color(waiting).is_empty() {
        return Err(problem("the side that is not to move has won already"));
    }
    let position = VariantPosition::from_setup(variant, setup, mode)
        .or_else(PositionError::ignore_invalid_ep_square)
        .or_else(PositionError::ignore_invalid_castling_rights)
        .or_else(PositionError::ignore_impossible_check)
        .map_err(|error| match error.kinds() {
            kinds if kinds.contains(PositionErrorKinds::PAWNS_ON_BACKRANK) => {
                FenError::PawnOnBackRank { text: text() }
            }
            kinds if kinds.contains(PositionErrorKinds::OPPOSITE_CHECK) => {
                FenError::OpponentInCheck { text: text(), color: waiting }
            }
            _ if variant == Variant::Chess => FenError::TooMuchMaterial { text: text() },
            kinds => problem(words(kinds)),
        })?;
    Ok((position, mode))
}

/// The position with other pieces in the pockets. In Bughouse, where they come from two boards, they may exceed one set.
///
/// # Errors
/// The variant has no pockets, or there are too many pieces.
pub(crate) fn with_pockets(
    position: &VariantPosition,
    pockets: ByColor<ByRole<u8>>,
    owner: PocketOwner,
) -> Result<VariantPosition, FenError> {
    let setup = Setup { pockets: Some(pockets), ..position.to_setup(EnPassantMode::Always) };
    let problem = |problem: &str| FenError::Variant {
        text: shown(&setup),
        variant: position.variant().uci(),
        problem: problem.to_owned(),
    };
    if position.pockets().is_none() {
        return Err(problem("this variant has no pockets"));
    }
    let held = VariantPosition::from_setup(position.variant(), setup.clone(), position.castles().mode());
    let allowed = match owner {
        PocketOwner::Captor => held,
        PocketOwner::Partner => held.or_else(PositionError::ignore_too_much_material),
    };
    allowed.or_else(PositionError::ignore_impossible_check).map_err(|error| problem(words(error.kinds())))
}

/// Describes an error of a position in a variant.
fn words(kinds: PositionErrorKinds) -> &'static str {
    const WORDS: [(PositionErrorKinds, &str); 4] = [
        (PositionErrorKinds::EMPTY_BOARD, "the board is empty"),
        (PositionErrorKinds::MISSING_KING, "a king is missing"),
        (PositionErrorKinds::TOO_MANY_KINGS, "there are too many kings"),
        (PositionErrorKinds::TOO_MUCH_MATERIAL, "there are more pieces than possible in a game"),
    ];
    let known = WORDS.into_iter().find(|(kind, _)| kinds.intersects(*kind));
    known.map_or("the rules of the variant do not allow it", |(_, words)| words)
}

/// The FEN of a position: the en passant square only where the capture is legal, castling rights as `KQkq`, in
/// Chess960 as the files of the rooks (Shredder-FEN).
pub(crate) fn write(position: &VariantPosition, mode: CastlingMode) -> String {
    write_with(position, mode, EnPassantMode::Legal)
}

/// The FEN with another rule for the en passant square.
pub(crate) fn write_with(
    position: &VariantPosition,
    mode: CastlingMode,
    en_passant: EnPassantMode,
) -> String {
    let fen = Fen::from_position(position, en_passant).to_string();
    if mode.is_standard() {
        return fen;
    }
    let mut fields: Vec<&str> = fen.split(' ').collect();
    let castling = castling_files(position.castles().castling_rights());
    if let Some(field) = fields.get_mut(2) {
        *field = &castling;
    }
    fields.join(" ")
}

/// Castling rights by the files of the rooks, king's side first as in `HAha`.
fn castling_files(rooks: Bitboard) -> String {
    let mut letters = String::new();
    for color in [Color::White, Color::Black] {
        let files = (rooks & color.backrank()).into_iter().rev().map(Square::file);
        letters.extend(files.map(|file| color.fold_wb(file.upper_char(), file.char())));
    }
    if letters.is_empty() { "-".to_owned() } else { letters }
}
