//! Static exchange evaluation: the material result of a sequence of captures on one square.

use shakmaty::{Bitboard, Role};

use crate::{Move, Position, attacks};

/// Returns the value of a piece in an exchange, in centipawns. A king is never captured; it has no value and captures
/// last.
#[inline]
pub const fn exchange_value(role: Role) -> i32 {
    match role {
        Role::Pawn => 100,
        Role::Knight | Role::Bishop => 320,
        Role::Rook => 500,
        Role::Queen => 950,
        Role::King => 0,
    }
}

impl Position {
    /// Whether a legal move wins at least `threshold` centipawns if both sides continue to capture on its target square
    /// with their least valuable piece as long as it pays. Pins are ignored; castling counts as 0.
    ///
    /// The swap algorithm with a threshold instead of an exact value.
    pub fn see_at_least(&self, m: Move, threshold: i32) -> bool {
        if self.is_castling(m) {
            return threshold <= 0;
        }
        let (from, to) = (m.from(), m.to());
        let Some(mut standing) = self.role_at(from) else { return threshold <= 0 };
        let mut gain = self.captured(m).map_or(0, exchange_value);
        if let Some(role) = m.promotion() {
            gain += exchange_value(role) - exchange_value(Role::Pawn);
            standing = role;
        }
        // `balance` is by how much the side that captured last exceeds its goal if the exchange ends here.
        let mut balance = gain - threshold;
        if balance < 0 {
            return false;
        }
        balance -= exchange_value(standing);
        if balance >= 0 {
            return true;
        }
        let mut occupied = self.occupied().without(from).with(to);
        if self.is_en_passant(m) {
            occupied.discard(to.xor(shakmaty::Square::A2));
        }
        let (diagonal, straight) = (self.diagonal_sliders(), self.straight_sliders());
        let mut attackers = self.attackers(to, occupied) & occupied;
        let mut side = !self.turn;
        let mut ahead = true; // whether the side that moved first has reached its goal
        loop {
            let ours = attackers & self.by_color(side);
            let Some((role, capturer)) = self.least_valuable(ours) else { break };
            if role == Role::King && (attackers & self.by_color(!side)).any() {
                break; // the king may not capture a defended piece
            }
            ahead = !ahead;
            balance = -balance - 1 - exchange_value(role);
            if balance >= 0 {
                break; // the goal is reached even if the capturing piece is lost
            }
            occupied ^= capturer;
            if matches!(role, Role::Pawn | Role::Bishop | Role::Queen) {
                attackers |= attacks::bishop(to, occupied) & diagonal;
            }
            if matches!(role, Role::Rook | Role::Queen) {
                attackers |= attacks::rook(to, occupied) & straight;
            }
            attackers &= occupied;
            side = !side;
        }
        ahead
    }

    #[inline]
    fn least_valuable(&self, attackers: Bitboard) -> Option<(Role, Bitboard)> {
        Role::ALL.into_iter().find_map(|role| {
            let candidates = attackers & self.by_role(role);
            candidates.any().then(|| (role, candidates.isolate_first()))
        })
    }
}
