//! Generation of a node's children, with initial estimates of the work that each needs.

use shakmaty::Role;

use super::prover::{Child, Node, Prover};
use super::{Known, Numbers};
use crate::moves::{Move, MoveList};
use crate::position::{Position, exact_halfmoves};
use crate::runtime::Stopped;

/// Initial numbers of a defender's move of any kind. Higher numbers for captures were worse.
const REPLY: Numbers = Numbers { phi: 1, delta: 1 };
/// A quiet attack is estimated to be as hard to prove as a check with this number of replies.
const QUIET_PROOF: u32 = 20;
/// A quiet attack is estimated to be as hard to refute as this number of checks.
const QUIET_REFUTATION: u32 = 2;
/// The estimate for the proof of a quiet attack is divided by 1 + d / this, where d is the binary logarithm of how
/// often it has mated.
const EASIER_WITH_HISTORY: u32 = 4;

impl Prover<'_> {
    /// Adds the attacker's moves. Returns the mate as soon as a move mates.
    pub(super) fn add_attacks(&mut self, node: &Node, moves: &MoveList) -> Result<Option<Known>, Stopped> {
        let allowed = self.allowed;
        for &m in moves.iter().filter(|m| node.allows(**m, allowed)) {
            let (key, known) = match node.position.gives_check(m) {
                true => self.look_at_check(node, m)?,
                false if node.moves > 1 => self.look_at_quiet(node, m)?,
                // The last move must give check.
                false => continue,
            };
            match known {
                Known::Mate(0, _) => return Ok(Some(Known::Mate(1, Some(m)))),
                Known::NoMate => {}
                _ => self.children.push(Child::new(m, key, known, false)),
            }
        }
        Ok(None)
    }

    /// Adds the defender's moves.
    pub(super) fn add_replies(&mut self, node: &Node, moves: &MoveList) -> Result<Option<Known>, Stopped> {
        let allowed = self.allowed;
        for &m in moves.iter().filter(|m| node.allows(**m, allowed)) {
            let (key, _) = self.look_ahead(node, m)?;
            let known = self.table.probe(key, node.moves).unwrap_or(Known::Open(REPLY));
            self.children.push(Child::new(m, key, known, true));
        }
        Ok(None)
    }

    /// Returns key and estimate of a check: the fewer replies, the easier the proof.
    fn look_at_check(&mut self, node: &Node, m: Move) -> Result<(u64, Known), Stopped> {
        let (key, next) = self.look_ahead(node, m)?;
        let left = node.moves - 1;
        if let Some(known) = self.table.probe(key, left) {
            return Ok((key, known));
        }
        let next = next.map_or_else(|| self.make(node.position, m), Ok)?;
        let known = match next.legal_moves().len() {
            0 => Known::Mate(0, None),
            _ if left == 0 => Known::NoMate,
            replies => Known::Open(Numbers { phi: 1, delta: replies as u32 }),
        };
        self.table.store(key, left, known, 0);
        Ok((key, known))
    }

    /// Returns key and estimate of a quiet move. Counting the replies of quiet moves, which requires making them, was
    /// slower overall.
    fn look_at_quiet(&mut self, node: &Node, m: Move) -> Result<(u64, Known), Stopped> {
        let (key, _) = self.look_ahead(node, m)?;
        let known = self.table.probe(key, node.moves - 1).unwrap_or_else(|| {
            let doublings = self.times_mated(node.position, m).map_or(0, |times| (*times + 1).ilog2());
            let proof = QUIET_PROOF * EASIER_WITH_HISTORY / (EASIER_WITH_HISTORY + doublings);
            Known::Open(Numbers { phi: QUIET_REFUTATION, delta: proof })
        });
        Ok((key, known))
    }

    /// Returns the counter of how often this attack has mated.
    pub(super) fn times_mated(&mut self, position: &Position, m: Move) -> Option<&mut u32> {
        let role = position.role_at(m.from())?;
        Some(&mut self.attacks[role as usize - 1][m.to() as usize])
    }

    /// Returns the key of the position after a move, and the position itself if the move had to be made for that.
    fn look_ahead(&mut self, node: &Node, m: Move) -> Result<(u64, Option<Position>), Stopped> {
        let position = node.position;
        // After a move one ply less is left.
        let plies = self.plies_left(node) - 1;
        let Some(full) = position.full_key_after(m) else {
            let next = self.make(position, m)?;
            let key = key(next.keys().full, next.halfmoves(), plies);
            return Ok((key, Some(next)));
        };
        let is_reversible = position.role_at(m.from()) != Some(Role::Pawn) && position.captured(m).is_none();
        let halfmoves = if is_reversible { position.halfmoves().saturating_add(1) } else { 0 };
        Ok((key(full, halfmoves, plies), None))
    }

    /// Returns the node's key in the table.
    pub(super) fn key(&self, node: &Node) -> u64 {
        key(node.position.keys().full, node.position.halfmoves(), self.plies_left(node))
    }

    /// Returns the number of plies within which the mate must occur.
    fn plies_left(&self, node: &Node) -> u32 {
        (2 * u32::from(node.moves)).saturating_sub(self.is_attack(node).into())
    }
}

/// Returns the key of a node in the table. If the fifty-move rule can end the line before the mate, the halfmove clock
/// is part of the key, as the result then depends on it.
fn key(full: u64, halfmoves: u8, plies_left: u32) -> u64 {
    if u32::from(halfmoves) + plies_left <= 100 {
        return full;
    }
    full ^ exact_halfmoves(halfmoves)
}
