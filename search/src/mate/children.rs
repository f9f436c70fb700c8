//! The moves of a node, and how much work each seems to be before anything is known about it.

use shakmaty::Role;

use super::prover::{Child, Node, Prover};
use super::{Known, Numbers};
use crate::moves::{Move, MoveList};
use crate::position::{Position, exact_halfmoves};
use crate::runtime::Stopped;

/// A defender's move, of whatever kind: to count captures as harder was worse.
const REPLY: Numbers = Numbers { phi: 1, delta: 1 };
/// A quiet attack is as hard to prove as a check with so many replies,
const QUIET_PROOF: u32 = 20;
/// and as hard to refute as so many checks.
const QUIET_REFUTATION: u32 = 2;
/// The more often an attack has mated, the easier it seems: a quarter with each doubling.
const EASIER_WITH_HISTORY: u32 = 4;

impl Prover<'_> {
    /// Adds the attacker's moves. Ends early if a move mates.
    pub(super) fn add_attacks(&mut self, node: &Node, moves: &MoveList) -> Result<Option<Known>, Stopped> {
        let allowed = self.allowed;
        for &m in moves.iter().filter(|m| node.allows(**m, allowed)) {
            let (key, known) = match node.position.gives_check(m) {
                true => self.look_at_check(node, m)?,
                false if node.moves > 1 => self.look_at_quiet(node, m)?,
                // The last move must mate.
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

    /// A check is the easier to prove the fewer replies there are.
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

    /// Quiet moves are not made before their turn comes: it was worse to make them and count the replies.
    fn look_at_quiet(&mut self, node: &Node, m: Move) -> Result<(u64, Known), Stopped> {
        let (key, _) = self.look_ahead(node, m)?;
        let known = self.table.probe(key, node.moves - 1).unwrap_or_else(|| {
            let doublings = self.times_mated(node.position, m).map_or(0, |times| (*times + 1).ilog2());
            let proof = QUIET_PROOF * EASIER_WITH_HISTORY / (EASIER_WITH_HISTORY + doublings);
            Known::Open(Numbers { phi: QUIET_REFUTATION, delta: proof })
        });
        Ok((key, known))
    }

    /// How often this attack has mated.
    pub(super) fn times_mated(&mut self, position: &Position, m: Move) -> Option<&mut u32> {
        let role = position.role_at(m.from())?;
        Some(&mut self.attacks[role as usize - 1][m.to() as usize])
    }

    /// The key of the position after a move; with the position itself, if it took making the move to tell.
    fn look_ahead(&mut self, node: &Node, m: Move) -> Result<(u64, Option<Position>), Stopped> {
        let position = node.position;
        // Before an attack there is one ply more than after it.
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

    /// The node's key in the table.
    pub(super) fn key(&self, node: &Node) -> u64 {
        key(node.position.keys().full, node.position.halfmoves(), self.plies_left(node))
    }

    /// Plies to the last mate that is asked about.
    fn plies_left(&self, node: &Node) -> u32 {
        (2 * u32::from(node.moves)).saturating_sub(self.is_attack(node).into())
    }
}

/// Where the fifty-move rule can end the line before the mate, the counter is part of the key: what is true with one
/// counter need not be with another.
fn key(full: u64, halfmoves: u8, plies_left: u32) -> u64 {
    if u32::from(halfmoves) + plies_left <= 100 {
        return full;
    }
    full ^ exact_halfmoves(halfmoves)
}
