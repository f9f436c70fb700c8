//! Notation of moves: coordinates, SAN, and common variations of both.

use shakmaty::san::{San, SanPlus};
use shakmaty::uci::UciMove;
use shakmaty::variant::{Variant, VariantPosition};
use shakmaty::{Bitboard, CastlingMode, CastlingSide, Chess, Move, Position as _, Rank, Role, Square};

use crate::text::excerpt;

/// Maximum length of a move in bytes; no valid notation is longer.
const LONGEST: usize = 32;

/// Why a text is not a move here. Each variant carries the text, shortened to at most 100 characters.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the message of each variant says all that its fields mean")]
pub enum MoveError {
    /// The text is no move in any notation.
    #[error("unreadable move `{text}`: expected coordinates (e2e4, e7e8q) or SAN (Nf3, O-O)")]
    Unreadable { text: String },
    /// The text is a move, but not one that may be played here.
    #[error("illegal move `{text}`: {reason}")]
    Illegal { text: String, reason: IllegalReason },
    /// The text fits several moves, which are listed in SAN.
    #[error("ambiguous move `{text}`: it could be {candidates}")]
    Ambiguous { text: String, candidates: String },
}

/// Why a move is illegal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IllegalReason {
    /// The square that the move starts from is empty.
    #[error("there is no piece to move")]
    EmptySquare,
    /// The piece on the square that the move starts from is the opponent's.
    #[error("the piece belongs to the opponent")]
    OpponentsPiece,
    /// The piece does not move this way, or its path is blocked.
    #[error("no such piece can go there")]
    Unreachable,
    /// The side to move is in check, and the move does not parry it.
    #[error("the king is in check")]
    InCheck,
    /// The move would leave the own king in check.
    #[error("it leaves the king in check")]
    ExposesKing,
    /// The right to castle on that side is lost.
    #[error("the right to castle there is lost")]
    NoCastlingRight,
    /// Castling is prevented at the moment: by a piece in the way, by check, or by attacked squares.
    #[error("castling is not possible at the moment")]
    CastlingPrevented,
    /// The game is over by the rules of the variant.
    #[error("the game is over")]
    GameOver,
    /// There is no such piece in hand, or this is not a game with drops.
    #[error("there is no such piece in hand")]
    NotInHand,
    /// The piece in hand cannot be dropped there.
    #[error("it cannot be dropped there")]
    NoPlaceToDrop,
    /// A capture is possible and therefore compulsory (Antichess).
    #[error("captures are compulsory")]
    MustCapture,
    /// The rules of the variant forbid it: a check in Racing Kings, an explosion of the own king in Atomic.
    #[error("the rules of the variant forbid it")]
    Forbidden,
}

/// A parsed move text. Parts that the text leaves open are `None`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pattern {
    Castle(CastlingSide),
    /// A piece from the hand.
    Drop {
        role: Role,
        to: Square,
    },
    /// A move from one of several squares. Coordinates have one origin and no piece; they can also denote castling.
    Walk {
        role: Option<Role>,
        from: Bitboard,
        to: Square,
        promotion: Option<Role>,
    },
}

/// Parses a move of chess in coordinates, SAN or a common variation of both.
///
/// # Errors
/// The text is not a move, matches several moves, or denotes an illegal move.
pub fn read_move(chess: &Chess, mode: CastlingMode, text: &str) -> Result<Move, MoveError> {
    read(&VariantPosition::Chess(chess.clone()), mode, text)
}

/// Parses a move; see [`read_move`].
pub(crate) fn read(position: &VariantPosition, mode: CastlingMode, text: &str) -> Result<Move, MoveError> {
    let pattern = Pattern::read(text).ok_or_else(|| MoveError::Unreadable { text: excerpt(text) })?;
    let legal = position.legal_moves();
    let mut fitting: Vec<Move> = legal.iter().copied().filter(|m| pattern.fits(*m)).collect();
    if fitting.is_empty() {
        // Tested last, as a king move to c1 or g1 takes precedence over castling in Chess960.
        fitting.extend(legal.iter().copied().filter(|m| pattern.is_king_move_of(*m)));
    }
    match fitting[..] {
        [m] => Ok(m),
        [] => Err(MoveError::Illegal { text: excerpt(text), reason: pattern.why_illegal(position, mode) }),
        _ => {
            let names = fitting.iter().map(|m| san(position, position.castles().mode(), *m));
            let candidates = names.collect::<Vec<_>>().join(" or ");
            Err(MoveError::Ambiguous { text: excerpt(text), candidates })
        }
    }
}

/// A move in SAN, with `+` or `#`. An illegal move is written in coordinates, as SAN is undefined for it. A dropped pawn has its
/// letter (`P@e4`), which XBoard requires.
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
    /// Parses a text; `None` if it is not a move.
    fn read(text: &str) -> Option<Pattern> {
        let text = text.trim();
        if text.len() > LONGEST || !text.is_ascii() {
            return None;
        }
        let text = text.trim_end_matches(['+', '#', '!', '?']);
        let text = text.strip_suffix("e.p.").unwrap_or(text).trim_end();
        // `e5` is a pawn advance, never `dxe5`; `xe5` is a capture.
        let captures = text.contains(['x', ':']);
        let text: String = text.chars().filter(|c| !"x:-=()/".contains(*c)).collect();
        match text.replace(['0', 'o'], "O").as_str() {
            "OO" => Some(Pattern::Castle(CastlingSide::KingSide)),
            "OOO" => Some(Pattern::Castle(CastlingSide::QueenSide)),
            _ => Pattern::coordinates(&text).or_else(|| Pattern::san(&text, captures)),
        }
    }

    /// `e2e4`, `e7e8q`, `N@f3`, and the same in capitals; for a pawn `P@e4` or `@e4`. Mixed case is parsed as SAN: `B1c3` is a
    /// bishop move.
    fn coordinates(text: &str) -> Option<Pattern> {
        let pawn = if text.starts_with('@') { "P" } else { "" };
        match UciMove::from_ascii(format!("{pawn}{text}").to_ascii_lowercase().as_bytes()).ok()? {
            UciMove::Put { role, to } => Some(Pattern::Drop { role, to }),
            UciMove::Normal { from, to, promotion } => {
                let is_upper = |at: usize| text.as_bytes()[at].is_ascii_uppercase();
                let from = Bitboard::from(from);
                (is_upper(0) == is_upper(2)).then_some(Pattern::Walk { role: None, from, to, promotion })
            }
            UciMove::Null => None,
        }
    }

    /// `[piece] [file] [rank] to [promotion]`.
    fn san(text: &str, captures: bool) -> Option<Pattern> {
        let squares = text.strip_suffix(|c| Role::from_char(c).is_some()).unwrap_or(text);
        let promotion = text[squares.len()..].chars().next().and_then(Role::from_char);
        let San::Normal { role, file, rank, to, .. } = San::from_ascii(squares.as_bytes()).ok()? else {
            return None;
        };
        let goes_ahead = role == Role::Pawn && !captures;
        let file = file.or_else(|| goes_ahead.then(|| to.file()));
        let from = file.map_or(Bitboard::FULL, Bitboard::from) & rank.map_or(Bitboard::FULL, Bitboard::from);
        Some(Pattern::Walk { role: Some(role), from, to, promotion })
    }

    /// Whether the text denotes a legal move. In coordinates castling is written as king takes rook.
    fn fits(self, m: Move) -> bool {
        match self {
            Pattern::Castle(side) => m.castling_side() == Some(side),
            Pattern::Drop { role, to } => m == Move::Put { role, to },
            // A missing promotion matches every piece, so that `e7e8` is ambiguous rather than illegal.
            Pattern::Walk { role, from, to, promotion } => {
                m.to() == to
                    && m.from().is_some_and(|square| from.contains(square))
                    && role.is_none_or(|role| m.role() == role && !m.is_castle())
                    && promotion.is_none_or(|role| m.promotion() == Some(role))
            }
        }
    }

    /// Whether the text denotes castling `m` by the origin and target of the king (`e1g1`).
    fn is_king_move_of(self, m: Move) -> bool {
        let (Pattern::Walk { role: None, from, to, promotion: None }, Move::Castle { king, .. }) = (self, m)
        else {
            return false;
        };
        let target = m.castling_side().map(|side| Square::from_coords(side.king_to_file(), king.rank()));
        from == king.into() && target == Some(to)
    }

    /// The most telling reason why no legal move fits.
    fn why_illegal(self, position: &VariantPosition, mode: CastlingMode) -> IllegalReason {
        if position.is_variant_end() {
            return IllegalReason::GameOver;
        }
        let (role, origins, to, promotion) = match self {
            Pattern::Castle(side) => return castling_reason(position, side),
            Pattern::Drop { role, to } => return drop_reason(position, role, to),
            Pattern::Walk { role: Some(role), from, to, promotion } => {
                (role, position.our(role) & from, to, promotion)
            }
            Pattern::Walk { role: None, from, to, promotion } => {
                let piece =
                    from.single_square().and_then(|from| Some((from, position.board().role_at(from)?)));
                let Some((square, role)) = piece else { return IllegalReason::EmptySquare };
                if !position.us().contains(square) {
                    return IllegalReason::OpponentsPiece;
                }
                let takes_rook = position.our(Role::Rook).contains(to);
                let two_steps = mode.is_standard() && square.file().distance(to.file()) == 2;
                if role == Role::King && square.rank() == to.rank() && (takes_rook || two_steps) {
                    return castling_reason(position, CastlingSide::from_king_side(square < to));
                }
                (role, from, to, promotion)
            }
        };
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

fn castling_reason(position: &VariantPosition, side: CastlingSide) -> IllegalReason {
    if position.castles().has(position.turn(), side) {
        IllegalReason::CastlingPrevented
    } else {
        IllegalReason::NoCastlingRight
    }
}
