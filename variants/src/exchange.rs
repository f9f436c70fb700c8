//! Static exchange evaluation on shakmaty's board: the material result of a sequence of captures on one square.

use shakmaty::{Bitboard, Board, ByRole, Color, Move, Position, Role, Square};

/// Piece values in centipawns.
pub(crate) type Values = ByRole<i32>;

/// The order in which pieces capture: least valuable first.
const ORDER: [Role; 6] = [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen, Role::King];

/// Whether a legal move wins at least `threshold` centipawns if both sides continue to capture on its target square
/// with their least valuable piece as long as it pays. Pins are ignored. For variants in which captures work as in
/// chess.
pub(crate) fn wins_at_least(position: &impl Position, m: Move, values: &Values, threshold: i32) -> bool {
    if m.is_castle() {
        return threshold <= 0;
    }
    let promotion = m.promotion().map_or(0, |role| values.get(role) - values.pawn);
    let mut balance = m.capture().map_or(0, |role| *values.get(role)) + promotion - threshold;
    if balance < 0 {
        return false;
    }
    balance -= values.get(m.promotion().unwrap_or(m.role()));
    if balance >= 0 {
        return true;
    }
    let (board, to) = (position.board(), m.to());
    let mut occupied = board.occupied().with(to);
    if let Some(from) = m.from() {
        occupied.discard(from);
        if m.is_en_passant() {
            occupied.discard(Square::from_coords(to.file(), from.rank()));
        }
    }
    let (mut side, mut ahead) = (!position.turn(), true);
    while let Some((role, capturer)) = least_valuable(board, side, to, occupied) {
        if role == Role::King && least_valuable(board, !side, to, occupied.without(capturer)).is_some() {
            break; // the king may not capture a defended piece
        }
        ahead = !ahead;
        occupied.discard(capturer);
        balance = -balance - 1 - values.get(role);
        side = !side;
        if balance >= 0 {
            break;
        }
    }
    ahead
}

fn least_valuable(board: &Board, side: Color, to: Square, occupied: Bitboard) -> Option<(Role, Square)> {
    let attackers = board.attacks_to(to, side, occupied) & occupied;
    ORDER.into_iter().find_map(|role| Some((role, (attackers & board.by_role(role)).first()?)))
}

#[cfg(test)]
mod tests {
    use shakmaty::{CastlingMode, Chess, fen::Fen, uci::UciMove};

    use super::*;
    use crate::evaluation::CHESS_VALUES;

    fn wins(fen: &str, uci: &str) -> i32 {
        let position: Chess = fen.parse::<Fen>().unwrap().into_position(CastlingMode::Standard).unwrap();
        let m = uci.parse::<UciMove>().unwrap().to_move(&position).unwrap();
        (-1500..1500).rev().find(|&goal| wins_at_least(&position, m, &CHESS_VALUES, goal)).expect("a value")
    }

    /// The expected values are sums of the captured pieces.
    #[test]
    fn exchanges_end_where_they_no_longer_pay() {
        let Values { pawn, knight, bishop, rook, .. } = CHESS_VALUES;
        assert_eq!(wins("1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1", "e1e5"), pawn);
        assert_eq!(wins("1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1", "d3e5"), pawn - knight);
        assert_eq!(wins("4k3/8/2n5/3p4/8/5B2/8/4K3 w - - 0 1", "f3d5"), pawn);
        assert_eq!(wins("4k3/4p3/3n4/8/8/3R4/8/4K3 w - - 0 1", "d3d6"), knight - rook);
        assert_eq!(wins("4k3/8/3b4/8/8/3R4/8/4K3 w - - 0 1", "d3d6"), bishop);
        assert_eq!(wins("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6"), pawn);
    }
}
