//! Moves as people and programs write them: coordinates, SAN, and what comes close enough to be understood.

use std::fmt;

use shakmaty::san::SanPlus;
use shakmaty::variant::{Variant, VariantPosition};
use shakmaty::{Bitboard, CastlingMode, CastlingSide, Chess, File, Move, Position as _, Rank, Role, Square};

use crate::text::excerpt;

/// The longest text that is looked at: nothing readable needs more bytes.
const LONGEST: usize = 32;

/// Why a text is not a move here. Each variant carries the text, shortened to at most 100 characters.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MoveError {
    /// The text is no move in any notation.
    #[error("unreadable move `{text}`: expected coordinates (e2e4, e7e8q) or SAN (Nf3, O-O)")]
    Unreadable {
        /// The text.
        text: String,
    },
    /// The text is a move, but not one that may be played here.
    #[error("illegal move `{text}`: {reason}")]
    Illegal {
        /// The text.
        text: String,
        /// What is wrong with the move.
        reason: IllegalReason,
    },
    /// The text fits several moves.
    #[error("ambiguous move `{text}`: it could be {candidates}")]
    Ambiguous {
        /// The text.
        text: String,
        /// The moves it fits, in SAN.
        candidates: String,
    },
}

/// What is wrong with an illegal move, as far as that is easy to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IllegalReason {
    /// The square that the move starts from is empty.
    EmptySquare,
    /// The piece on the square that the move starts from is the opponent's.
    OpponentsPiece,
    /// The piece does not move so, or something is in its way.
    Unreachable,
    /// The side to move is in check, and the move does not parry it.
    InCheck,
    /// The move would leave the own king in check.
    ExposesKing,
    /// The right to castle on that side is lost.
    NoCastlingRight,
    /// Castling is prevented at the moment: by a piece in the way, by check, or by attacked squares.
    CastlingPrevented,
    /// The game is over by the rules of the variant.
    GameOver,
    /// There is no such piece in hand, or this is not a game with drops.
    NotInHand,
    /// The piece in hand cannot be dropped there.
    NoPlaceToDrop,
    /// There is something to capture, and so the move must capture (Antichess).
    MustCapture,
    /// The rules of the variant forbid it: a check in Racing Kings, an explosion of the own king in Atomic.
    Forbidden,
}

impl fmt::Display for IllegalReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            IllegalReason::EmptySquare => "there is no piece to move",
            IllegalReason::OpponentsPiece => "the piece belongs to the opponent",
            IllegalReason::Unreachable => "no such piece can go there",
            IllegalReason::InCheck => "the king is in check",
            IllegalReason::ExposesKing => "it leaves the king in check",
            IllegalReason::NoCastlingRight => "the right to castle there is lost",
            IllegalReason::CastlingPrevented => "castling is not possible at the moment",
            IllegalReason::GameOver => "the game is over",
            IllegalReason::NotInHand => "there is no such piece in hand",
            IllegalReason::NoPlaceToDrop => "it cannot be dropped there",
            IllegalReason::MustCapture => "captures are compulsory",
            IllegalReason::Forbidden => "the rules of the variant forbid it",
        })
    }
}

/// What a text says about a move. What it leaves open is `None`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pattern {
    Castle(CastlingSide),
    /// A piece from the hand.
    Drop {
        role: Role,
        to: Square,
    },
    /// From one square to another, whatever stands there; castling can be written so too.
    Coordinates {
        from: Square,
        to: Square,
        promotion: Option<Role>,
    },
    San {
        role: Role,
        file: Option<File>,
        rank: Option<Rank>,
        to: Square,
        promotion: Option<Role>,
    },
}

/// Finds the legal move of a game of chess that `text` means: coordinates, SAN, or what comes close enough to be understood.
///
/// # Errors
/// The text is no move, fits several, or means one that is not legal.
pub fn read_move(chess: &Chess, mode: CastlingMode, text: &str) -> Result<Move, MoveError> {
    read(&VariantPosition::Chess(chess.clone()), mode, text)
}

/// Finds the legal move that `text` means.
pub(crate) fn read(position: &VariantPosition, mode: CastlingMode, text: &str) -> Result<Move, MoveError> {
    let pattern = Pattern::read(text).ok_or_else(|| MoveError::Unreadable { text: excerpt(text) })?;
    let legal = position.legal_moves();
    let mut fitting: Vec<Move> = legal.iter().copied().filter(|m| pattern.fits(*m)).collect();
    if fitting.is_empty() {
        // Only now: in Chess960 the king's own move to c1 or g1 has precedence over castling.
        fitting.extend(legal.iter().copied().filter(|m| pattern.is_king_move_of(*m)));
    }
    match fitting[..] {
        [m] => Ok(m),
        [] => Err(MoveError::Illegal { text: excerpt(text), reason: pattern.why_illegal(position, mode) }),
        _ => Err(MoveError::Ambiguous { text: excerpt(text), candidates: list(position, &fitting) }),
    }
}

fn list(position: &VariantPosition, moves: &[Move]) -> String {
    let mode = position.castles().mode();
    let names: Vec<String> = moves.iter().map(|m| san(position, mode, *m)).collect();
    names.join(" or ")
}

/// A move in SAN, with `+` or `#`; an illegal one in coordinates, since SAN has no words for it. A dropped pawn has its
/// letter (`P@e4`): XBoard does not understand it without.
pub(crate) fn san(position: &VariantPosition, mode: CastlingMode, m: Move) -> String {
    if !position.is_legal(m) {
        return m.to_uci(mode).to_string();
    }
    let san = SanPlus::from_move(position.clone(), m).to_string();
    if matches!(m, Move::Put { role: Role::Pawn, .. }) && !san.starts_with('P') {
        format!("P{san}")
    } else {
        san
    }
}

impl Pattern {
    /// Takes a text apart; `None` if it is no move.
    fn read(text: &str) -> Option<Pattern> {
        let text = text.trim();
        if text.len() > LONGEST || !text.is_ascii() {
            return None;
        }
        let text = text.trim_end_matches(['+', '#', '!', '?']);
        let text = text.strip_suffix("e.p.").unwrap_or(text).trim_end();
        Pattern::castling(text).or_else(|| Pattern::drop(text)).or_else(|| Pattern::squares(text))
    }

    fn castling(text: &str) -> Option<Pattern> {
        match text.replace(['0', 'o'], "O").as_str() {
            "O-O" | "OO" => Some(Pattern::Castle(CastlingSide::KingSide)),
            "O-O-O" | "OOO" => Some(Pattern::Castle(CastlingSide::QueenSide)),
            _ => None,
        }
    }

    /// `N@f3`, and for a pawn `P@e4` or `@e4`.
    fn drop(text: &str) -> Option<Pattern> {
        let (piece, to) = text.split_once('@')?;
        let role = match piece.as_bytes() {
            [] => Role::Pawn,
            [letter] => Role::from_char(char::from(*letter))?,
            _ => return None,
        };
        Some(Pattern::Drop { role, to: square(to.to_ascii_lowercase().as_bytes())? })
    }

    /// Everything but castling and drops: `[piece] [file] [rank] to [promotion]`, with ornaments between.
    fn squares(text: &str) -> Option<Pattern> {
        let captures = text.contains(['x', ':']);
        let bytes: Vec<u8> = text.bytes().filter(|b| !b"x:-=()/".contains(b)).collect();
        if let Some(coordinates) = Pattern::coordinates(&bytes) {
            return Some(coordinates);
        }
        let (role, rest) = match bytes.split_first()? {
            (letter @ (b'K' | b'Q' | b'R' | b'B' | b'N' | b'P'), rest) => {
                (Role::from_char(char::from(*letter))?, rest)
            }
            _ => (Role::Pawn, &bytes[..]),
        };
        let (rest, promotion) = split_promotion(rest)?;
        let (origin, to) = rest.split_at_checked(rest.len().checked_sub(2)?)?;
        let to = square(to)?;
        let (mut file, rank) = match *origin {
            [] => (None, None),
            [b] if b.is_ascii_digit() => (None, Some(rank(b)?)),
            [b] => (Some(self::file(b)?), None),
            [f, r] => (Some(self::file(f)?), Some(self::rank(r)?)),
            _ => return None,
        };
        // `e5` is a pawn going ahead, never `dxe5`; `xe5` would be the capture.
        if role == Role::Pawn && file.is_none() && !captures {
            file = Some(to.file());
        }
        Some(Pattern::San { role, file, rank, to, promotion })
    }

    /// `e2e4`, `e7e8q`, and the same in capitals. Mixed case is left to SAN: `B1c3` is a bishop's move.
    fn coordinates(bytes: &[u8]) -> Option<Pattern> {
        let (squares, promotion) = split_promotion(bytes)?;
        let [from_file, _, to_file, _] = *squares else { return None };
        if from_file.is_ascii_uppercase() != to_file.is_ascii_uppercase() {
            return None;
        }
        let squares = squares.to_ascii_lowercase();
        Some(Pattern::Coordinates { from: square(&squares[..2])?, to: square(&squares[2..])?, promotion })
    }

    /// Whether a legal move is meant. Castling fits coordinates as king takes rook.
    fn fits(self, m: Move) -> bool {
        match self {
            Pattern::Castle(side) => m.castling_side() == Some(side),
            Pattern::Drop { role, to } => m == Move::Put { role, to },
            // Pieces are not asked for a missing promotion, so that `e7e8` is ambiguous rather than illegal.
            Pattern::Coordinates { from, to, promotion } => {
                m.from() == Some(from) && m.to() == to && promotion.is_none_or(|p| m.promotion() == Some(p))
            }
            Pattern::San { role, file, rank, to, promotion } => {
                !m.is_castle()
                    && m.role() == role
                    && m.to() == to
                    && m.from().is_some_and(|from| {
                        file.is_none_or(|f| f == from.file()) && rank.is_none_or(|r| r == from.rank())
                    })
                    && promotion.is_none_or(|p| m.promotion() == Some(p))
            }
        }
    }

    /// Whether castling `m` is meant by the squares that the king leaves and reaches (`e1g1`).
    fn is_king_move_of(self, m: Move) -> bool {
        let (Pattern::Coordinates { from, to, promotion: None }, Move::Castle { king, .. }) = (self, m)
        else {
            return false;
        };
        let target = m.castling_side().map(|side| Square::from_coords(side.king_to_file(), king.rank()));
        from == king && target == Some(to)
    }

    /// The most telling reason why no legal move fits.
    fn why_illegal(self, position: &VariantPosition, mode: CastlingMode) -> IllegalReason {
        let us = position.us();
        if position.is_variant_end() {
            return IllegalReason::GameOver;
        }
        match self {
            Pattern::Castle(side) => castling_reason(position, side),
            Pattern::Drop { role, to } => drop_reason(position, role, to),
            Pattern::Coordinates { from, to, promotion } => {
                let Some(role) = position.board().role_at(from) else { return IllegalReason::EmptySquare };
                if !us.contains(from) {
                    return IllegalReason::OpponentsPiece;
                }
                if let Some(side) = castling_attempt(position, mode, from, to) {
                    return castling_reason(position, side);
                }
                king_reason(position, role, Bitboard::from_square(from), to, promotion)
            }
            Pattern::San { role, file, rank, to, promotion } => {
                let origins = position
                    .our(role)
                    .into_iter()
                    .filter(|from| {
                        file.is_none_or(|f| f == from.file()) && rank.is_none_or(|r| r == from.rank())
                    })
                    .collect();
                king_reason(position, role, origins, to, promotion)
            }
        }
    }
}

/// Why a move of ordinary pieces is illegal: because of the king, or because none of them goes there.
fn king_reason(
    position: &VariantPosition,
    role: Role,
    origins: Bitboard,
    to: Square,
    promotion: Option<Role>,
) -> IllegalReason {
    let last_rank = (Bitboard::BACKRANKS).contains(to);
    let is_possible = promotion != Some(Role::King) || position.variant() == Variant::Antichess;
    let promotion_fits = promotion.is_none() || (role == Role::Pawn && last_rank && is_possible);
    if !promotion_fits || !origins.into_iter().any(|from| reaches(position, role, from, to)) {
        IllegalReason::Unreachable
    } else if position.is_check() {
        IllegalReason::InCheck
    } else {
        match position.variant() {
            Variant::Antichess => IllegalReason::MustCapture,
            Variant::Atomic | Variant::RacingKings => IllegalReason::Forbidden,
            _ => IllegalReason::ExposesKing,
        }
    }
}

/// Why a piece from the hand cannot go there.
fn drop_reason(position: &VariantPosition, role: Role, to: Square) -> IllegalReason {
    let is_in_hand = position.pockets().is_some_and(|hands| *hands.get(position.turn()).get(role) > 0);
    if !is_in_hand {
        IllegalReason::NotInHand
    } else if position.is_check() && !position.board().occupied().contains(to) {
        IllegalReason::InCheck
    } else {
        IllegalReason::NoPlaceToDrop
    }
}

/// Whether a piece of the side to move could go from `from` to `to`, its king left out of account.
fn reaches(position: &VariantPosition, role: Role, from: Square, to: Square) -> bool {
    let board = position.board();
    if role != Role::Pawn {
        return board.attacks_from(from).contains(to) && !position.us().contains(to);
    }
    if from.file() != to.file() {
        let takes = position.them().contains(to) || position.maybe_ep_square() == Some(to);
        return takes && board.attacks_from(from).contains(to);
    }
    let forward = position.turn().fold_wb(8, -8);
    let Some(next) = from.offset(forward).filter(|square| !board.occupied().contains(*square)) else {
        return false;
    };
    let second = position.turn().relative_rank(Rank::Second);
    to == next
        || (from.rank() == second && next.offset(forward) == Some(to) && !board.occupied().contains(to))
}

/// The side on which a king's move by coordinates looks like castling.
fn castling_attempt(
    position: &VariantPosition,
    mode: CastlingMode,
    from: Square,
    to: Square,
) -> Option<CastlingSide> {
    if position.board().role_at(from) != Some(Role::King) {
        return None;
    }
    let takes_rook = position.our(Role::Rook).contains(to) && from.rank() == to.rank();
    let two_steps = mode.is_standard() && from.rank() == to.rank() && from.file().distance(to.file()) == 2;
    (takes_rook || two_steps).then_some(CastlingSide::from_king_side(from < to))
}

fn castling_reason(position: &VariantPosition, side: CastlingSide) -> IllegalReason {
    if position.castles().has(position.turn(), side) {
        IllegalReason::CastlingPrevented
    } else {
        IllegalReason::NoCastlingRight
    }
}

/// Parts a trailing promotion piece from the squares; `None` if a letter stands there that is no such piece.
fn split_promotion(bytes: &[u8]) -> Option<(&[u8], Option<Role>)> {
    match bytes {
        [.., b'1'..=b'8'] => Some((bytes, None)),
        [squares @ .., letter @ (b'q' | b'r' | b'b' | b'n' | b'k' | b'Q' | b'R' | b'B' | b'N' | b'K')] => {
            Some((squares, Role::from_char(char::from(*letter))))
        }
        _ => None,
    }
}

fn square(bytes: &[u8]) -> Option<Square> {
    Square::from_ascii(bytes).ok()
}

fn file(byte: u8) -> Option<File> {
    byte.is_ascii_lowercase().then(|| File::from_char(char::from(byte)))?
}

fn rank(byte: u8) -> Option<Rank> {
    Rank::from_char(char::from(byte))
}
