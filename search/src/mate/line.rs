//! Extraction of a line from the proof in the table: the shortest mate that was found, against the longest resistance.

use super::{Known, Node, Numbers, Prover};
use crate::moves::Move;
use crate::runtime::Stopped;

/// A reply and the mate after it.
struct Reply {
    mv: Move,
    moves: u8,
    attack: Move,
}

impl Prover<'_> {
    /// Appends the line of a proven node, which begins with `attack` if the attacker is to move. Returns the number of
    /// attacks in it: `node.moves`, or fewer if a shorter proof of a part was found later.
    pub(super) fn follow(
        &mut self,
        node: &Node,
        attack: Option<Move>,
        line: &mut Vec<Move>,
    ) -> Result<u8, Stopped> {
        let Some(attack) = attack else { return self.resist(node, line) };
        line.push(attack);
        let next = self.make(node.position, attack)?;
        let next = Node { position: &next, moves: node.moves - 1, ply: node.ply + 1 };
        let moves = self.resist(&next, line)? + 1;
        self.store(node, Known::Mate(moves, Some(attack)), 0);
        Ok(moves)
    }

    fn resist(&mut self, node: &Node, line: &mut Vec<Move>) -> Result<u8, Stopped> {
        let (start, mut longest, mut best) = (line.len(), 0, Vec::new());
        for reply in self.replies(node)? {
            if reply.moves <= longest {
                break;
            }
            line.truncate(start);
            line.push(reply.mv);
            let next = self.make(node.position, reply.mv)?;
            let next = Node { position: &next, moves: reply.moves, ply: node.ply + 1 };
            let moves = self.follow(&next, Some(reply.attack), line)?;
            if moves > longest {
                longest = moves;
                best.clear();
                best.extend_from_slice(&line[start..]);
            }
        }
        line.truncate(start);
        line.append(&mut best);
        Ok(longest)
    }

    /// Returns the replies of a proven node, those with the longest resistance first. Proofs that the table has lost
    /// are repeated.
    fn replies(&mut self, node: &Node) -> Result<Vec<Reply>, Stopped> {
        let (mut replies, allowed) = (Vec::new(), self.allowed);
        for &mv in node.position.legal_moves().iter().filter(|m| node.allows(**m, allowed)) {
            let next = self.make(node.position, mv)?;
            let next = Node { position: &next, moves: node.moves, ply: node.ply + 1 };
            let known = match self.table.probe(self.key(&next), next.moves) {
                Some(known @ Known::Mate(..)) => known,
                _ => self.search(&next, Numbers::UNLIMITED)?,
            };
            // Fails only if two positions have the same key.
            let Known::Mate(moves, Some(attack)) = known else { return Err(Stopped) };
            replies.push(Reply { mv, moves, attack });
        }
        replies.sort_by_key(|reply| std::cmp::Reverse(reply.moves));
        Ok(replies)
    }
}
