//! Static exchange evaluation: what a sequence of captures on one square is worth.

use shakmaty::{Bitboard, Role};

use crate::{Move, Position, attacks};

/// What a piece counts in an exchange, in centipawns. The king's capture never happens; it is merely last in line.
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
    /// Whether a legal move wins at least `threshold` centipawns, if both sides go on capturing on its target square
    /// with their least valuable piece for as long as it pays. Pins are not looked at; castling counts as even.
    ///
    /// The swap algorithm, in the form that only answers yes or no.
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
        // `balance` is what the side that has just captured is ahead of its goal, were the exchange to end here.
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
        let mut ahead = true; // whether the side that moved first stands at its goal or above
        loop {
            let ours = attackers & self.by_color(side);
            let Some((role, capturer)) = self.least_valuable(ours) else { break };
            if role == Role::King && (attackers & self.by_color(!side)).any() {
                break; // the king may not capture a defended piece
            }
            ahead = !ahead;
            balance = -balance - 1 - exchange_value(role);
            if balance >= 0 {
                break; // even if the capturer is lost, its side stands well enough
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
