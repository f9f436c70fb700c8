//! Crazyhouse: what is captured changes sides and is dropped. Material counts less, the initiative and the king more:
//! a piece in the hand attacks from wherever it likes.

use shakmaty::variant::{Crazyhouse, Variant};
use shakmaty::{Bitboard, Board, ByRole, Color, Move, Position, Role, attacks};

use super::Rules;
use crate::evaluation::{Activity, advantage, king_danger, king_place, material, pawns};
use crate::exchange::{self, Values};

/// On the board. The long-range pieces lose by being blocked and captured so often.
pub(super) const VALUES: Values =
    ByRole { pawn: 100, knight: 270, bishop: 280, rook: 370, queen: 620, king: 0 };
/// In the hand, where they can still go anywhere.
const IN_HAND: Values = ByRole { pawn: 120, knight: 310, bishop: 305, rook: 410, queen: 700, king: 0 };
/// How dangerous a piece in the hand is to a king with weak squares around it.
const THREAT: Values = ByRole { pawn: 4, knight: 9, bishop: 8, rook: 11, queen: 16, king: 0 };

impl Rules for Crazyhouse {
    const VARIANT: Variant = Variant::Crazyhouse;
    const SWING: i32 = 150;
    const CAPTURES_COME_BACK: bool = true;
    const CHECKS_ARE_URGENT: bool = true;

    fn evaluate(&self) -> i32 {
        evaluate(self)
    }

    fn may_pass(&self) -> bool {
        true
    }

    /// A captured piece is lost to one side and gained by the other.
    fn gain(&self, m: Move) -> i32 {
        gain(self, m)
    }

    fn wins_at_least(&self, m: Move, threshold: i32) -> bool {
        // On both sides of the scales everything counts twice.
        exchange::wins_at_least(self, m, &VALUES, threshold / 2)
    }
}

/// What a position with pieces in hand is worth for the side to move.
pub(super) fn evaluate(position: &impl Position) -> i32 {
    let (board, turn) = (position.board(), position.turn());
    let side = |color: Color, own: &Activity, their: &Activity| {
        let promoted = (position.promoted() & board.by_color(color)).into_iter();
        // A promoted piece goes to the other hand as a pawn.
        let demoted: i32 =
            promoted.filter_map(|square| board.role_at(square)).map(|role| VALUES.get(role) / 6).sum();
        material(board, color, &VALUES)
            + weigh(hand(position, color), &IN_HAND)
            + demoted
            + pawns(board, color) / 2
            + own.mobility
            + king_place(board, color, 256)
            - king_danger(board, color, their)
            - drop_danger(board, color, hand(position, !color), [own, their])
    };
    advantage(board, turn, side) + 20
}

/// What a capture or promotion changes on the board, and what a captured piece is worth to whoever gets it into his hand.
pub(super) fn gain(position: &impl Position, m: Move) -> i32 {
    let promotion = m.promotion().map_or(0, |role| VALUES.get(role) - VALUES.pawn);
    let in_hand = |role| if position.promoted().contains(m.to()) { IN_HAND.pawn } else { *IN_HAND.get(role) };
    m.capture().map_or(0, |role| VALUES.get(role) + in_hand(role)) + promotion
}

fn hand(position: &impl Position, color: Color) -> ByRole<u8> {
    position.pockets().map(|pockets| *pockets.get(color)).unwrap_or_default()
}

/// The danger to a king from the other hand: pieces that can be dropped, times squares next to it where they would
/// stand safely or give check.
fn drop_danger(board: &Board, color: Color, hand: ByRole<u8>, [own, their]: [&Activity; 2]) -> i32 {
    let Some(king) = board.king_of(color) else { return 0 };
    let threat = weigh(hand, &THREAT).min(60);
    if threat == 0 {
        return 0;
    }
    let empty = !board.occupied();
    let ring = attacks::king_attacks(king);
    let supported = (ring & empty & their.attacked).count() as i32;
    // Defended by the king alone: `own.attacked` holds the king's own squares, so only others are safe for it.
    let holes = (ring & empty & !defended_by_others(board, color)).count() as i32;
    let mut checks = 0;
    if hand.knight > 0 {
        checks += (attacks::knight_attacks(king) & empty & !own.attacked).count() as i32;
    }
    if hand.bishop > 0 || hand.queen > 0 {
        let diagonals = attacks::bishop_attacks(king, board.occupied()) & empty;
        checks += (diagonals & !own.attacked).count().min(4) as i32;
    }
    if hand.rook > 0 || hand.queen > 0 {
        let lines = attacks::rook_attacks(king, board.occupied()) & empty;
        checks += (lines & !own.attacked).count().min(4) as i32;
    }
    (threat * (2 + 2 * supported + holes + checks) / 8).min(500)
}

/// Squares that are defended by something else than the king: by pawns and pieces.
fn defended_by_others(board: &Board, color: Color) -> Bitboard {
    let pieces = board.by_color(color) & !board.kings() & !board.pawns();
    let reach =
        pieces.into_iter().map(|square| board.attacks_from(square)).fold(Bitboard::EMPTY, |a, b| a | b);
    reach | crate::evaluation::pawn_attacks(board, color)
}

fn weigh(hand: ByRole<u8>, values: &Values) -> i32 {
    Role::ALL.into_iter().map(|role| i32::from(*hand.get(role)) * values.get(role)).sum()
}
