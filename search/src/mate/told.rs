//! Proof of a mate along a line that a search or another program tells.
//!
//! The line is followed: only the defender's other replies remain to be decided. The solver settles most of them in a few nodes; for
//! the others an adviser, usually a playing search, is asked for a line, which is followed in the same way.

use super::prover::{Node, Numbers, Prover};
use super::{Known, MAX_MOVES, Mate, Problem};
use crate::runtime::Stopped;
use crate::{Move, Position, Root};

/// Tells lines that may lead to mate.
pub trait Adviser {
    /// Returns a line that mates in at most so many moves of the side to move, and the nodes that were searched for it. The line may
    /// end before the mate or be wrong; `None` if no such mate is known.
    fn advise(&mut self, position: &Position, moves: u32) -> (Option<Vec<Move>>, u64);
}

/// Nodes for the solver to decide a position without advice.
const UNADVISED: u64 = 4_000;

/// Answer about a position on the way of a told line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Followed {
    Mate,
    NoMate,
    Unknown,
}

impl Prover<'_> {
    /// Proves a mate in the moves of the problem along a told line; the line may be wrong. `None` if there is no such mate.
    pub(super) fn prove_told(
        &mut self,
        root: &Root,
        problem: Problem,
        line: &[Move],
        adviser: &mut dyn Adviser,
    ) -> Result<Option<Mate>, Stopped> {
        let moves = problem.moves.min(MAX_MOVES);
        let node = Node { position: &root.position, moves: moves as u8, ply: 0 };
        if self.is_attack(&node) {
            self.follow_told(&node, line, adviser)?;
        } else {
            self.answer_all(&node, line, adviser)?;
        }
        self.prove(root, moves)
    }

    /// Follows a line with the attacker to move. What is decided is in the table afterwards.
    fn follow_told(
        &mut self,
        node: &Node,
        line: &[Move],
        adviser: &mut dyn Adviser,
    ) -> Result<Followed, Stopped> {
        let is_legal = |m: &Move| node.position.legal_moves().contains(m) && node.allows(*m, self.allowed);
        let Some(&attack) = line.first().filter(|m| node.moves > 0 && is_legal(m)) else {
            return self.decide(node, UNADVISED);
        };
        let next = self.make(node.position, attack)?;
        let next = Node { position: &next, moves: node.moves - 1, ply: node.ply + 1 };
        let found = self.answer_all(&next, &line[1..], adviser)?;
        if found == Followed::Mate
            && let Some(Known::Mate(length, _)) = self.table.probe(self.key(&next), next.moves)
        {
            self.store(node, Known::Mate(length + 1, Some(attack)), 0);
        }
        Ok(if found == Followed::Mate { found } else { Followed::Unknown })
    }

    /// Decides all replies of the defender, that of the line first.
    fn answer_all(
        &mut self,
        node: &Node,
        line: &[Move],
        adviser: &mut dyn Adviser,
    ) -> Result<Followed, Stopped> {
        let told = line.first().copied();
        let mut replies: Vec<Move> = node.position.legal_moves().iter().copied().collect();
        if replies.is_empty() || node.moves == 0 {
            return self.decide(node, UNADVISED);
        }
        replies.sort_by_key(|reply| Some(*reply) != told);
        for reply in replies {
            let next = self.make(node.position, reply)?;
            let next = Node { position: &next, moves: node.moves, ply: node.ply + 1 };
            let known = if Some(reply) == told && line.len() > 1 {
                match self.follow_told(&next, &line[1..], adviser)? {
                    Followed::Unknown => self.decide_advised(&next, adviser)?,
                    decided => decided,
                }
            } else {
                self.decide_advised(&next, adviser)?
            };
            if known == Followed::NoMate {
                return Ok(known);
            }
            if known == Followed::Unknown {
                return Ok(known);
            }
        }
        // All of them are in the table.
        self.decide(node, UNADVISED)
    }

    /// Decides a position with the attacker to move, if need be with advice.
    fn decide_advised(&mut self, node: &Node, adviser: &mut dyn Adviser) -> Result<Followed, Stopped> {
        let found = self.decide(node, UNADVISED)?;
        if found != Followed::Unknown {
            return Ok(found);
        }
        let (line, nodes) = adviser.advise(node.position, node.moves.into());
        self.nodes += nodes;
        match line {
            Some(line) => self.follow_told(node, &line, adviser),
            None => Ok(Followed::Unknown),
        }
    }

    /// Searches a node with so many nodes at most.
    fn decide(&mut self, node: &Node, nodes: u64) -> Result<Followed, Stopped> {
        let before = self.pause_at.replace(self.nodes + nodes);
        let found = match self.table.probe(self.key(node), node.moves) {
            Some(known @ (Known::Mate(..) | Known::NoMate)) => Ok(known),
            _ => self.search(node, Numbers::UNLIMITED),
        };
        let is_paused = self.pause_at.is_some_and(|pause| self.nodes >= pause);
        self.pause_at = before;
        match found {
            Ok(Known::Mate(..)) => Ok(Followed::Mate),
            Ok(Known::NoMate) => Ok(Followed::NoMate),
            Ok(Known::Open(_)) => Ok(Followed::Unknown),
            Err(Stopped) if is_paused => Ok(Followed::Unknown),
            Err(stopped) => Err(stopped),
        }
    }
}
