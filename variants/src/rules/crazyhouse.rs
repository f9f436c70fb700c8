//! Crazyhouse: captured pieces change sides and can be dropped. Material counts less, initiative and king safety more,
//! as a piece in the pocket can attack from any square.

use shakmaty::variant::{Crazyhouse, Variant};
use shakmaty::{Bitboard, Board, ByRole, Color, Move, Position, Role, attacks};

use super::Rules;
use crate::evaluation::{Activity, advantage, king_danger, king_place, material, pawns};
use crate::exchange::{self, Values};

/// Values on the board. Sliding pieces are worth less than in chess, as they are often blocked and captured.
pub(super) const VALUES: Values =
    ByRole { pawn: 100, knight: 270, bishop: 280, rook: 370, queen: 620, king: 0 };
/// Values in the pocket, from which pieces can go anywhere.
const IN_HAND: Values = ByRole { pawn: 120, knight: 310, bishop: 305, rook: 410, queen: 700, king: 0 };
/// Danger of a piece in the pocket to a king with weak squares around it.
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
        // Each captured piece is lost by one side and gained by the other, so everything counts twice.
        exchange::wins_at_least(self, m, &VALUES, threshold / 2)
    }
}

/// Evaluates a position with pockets for the side to move.
pub(super) fn evaluate(position: &impl Position) -> i32 {
    let (board, turn) = (position.board(), position.turn());
    let side = |color: Color, own: &Activity, their: &Activity| {
        let promoted = (position.promoted() & board.by_color(color)).into_iter();
        // A promoted piece goes to the opponent's pocket as a pawn.
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

/// Returns the material change of a capture or promotion on the board, and the value of the captured piece in the
/// pocket that it goes to.
pub(super) fn gain(position: &impl Position, m: Move) -> i32 {
    let promotion = m.promotion().map_or(0, |role| VALUES.get(role) - VALUES.pawn);
    let in_hand = |role| if position.promoted().contains(m.to()) { IN_HAND.pawn } else { *IN_HAND.get(role) };
    m.capture().map_or(0, |role| VALUES.get(role) + in_hand(role)) + promotion
}

fn hand(position: &impl Position, color: Color) -> ByRole<u8> {
    position.pockets().map(|pockets| *pockets.get(color)).unwrap_or_default()
}

/// Returns the danger to a king from the opponent's pocket: pieces that can be dropped, times squares next to the king
/// where they would be safe or give check.
fn drop_danger(board: &Board, color: Color, hand: ByRole<u8>, [own, their]: [&Activity; 2]) -> i32 {
    let Some(king) = board.king_of(color) else { return 0 };
    let threat = weigh(hand, &THREAT).min(60);
    if threat == 0 {
        return 0;
    }
    let empty = !board.occupied();
    let ring = attacks::king_attacks(king);
    let supported = (ring & empty & their.attacked).count() as i32;
    // Squares defended by the king alone; `own.attacked` includes the squares attacked by the king.
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

/// Returns the squares defended by pawns or pieces other than the king.
fn defended_by_others(board: &Board, color: Color) -> Bitboard {
    let pieces = board.by_color(color) & !board.kings() & !board.pawns();
    let reach =
        pieces.into_iter().map(|square| board.attacks_from(square)).fold(Bitboard::EMPTY, |a, b| a | b);
    reach | crate::evaluation::pawn_attacks(board, color)
}

fn weigh(hand: ByRole<u8>, values: &Values) -> i32 {
    Role::ALL.into_iter().map(|role| i32::from(*hand.get(role)) * values.get(role)).sum()
}
