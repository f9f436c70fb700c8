//! The proof itself: depth-first proof-number search (df-pn: A. Nagai, 2002; proof numbers: L. V. Allis, 1994) for a
//! mate in a bounded number of moves.
//!
//! The attacker needs one move that mates against all replies, so its nodes are OR nodes and the defender's are AND
//! nodes. The search always goes to the leaf that seems to bring a decision nearest. As the number of moves left falls
//! with every attack, no position can come back below itself with the same question, and what the table says holds on
//! every path.

use shakmaty::Color;

use super::{Known, Numbers, Table};
use crate::runtime::Stopped;
use crate::runtime::time_manager::TimeManager;
use crate::{Control, Limits, Move, MoveList, Position, SearchClock};

/// A move can't be searched for ever: the second best gets its turn when the numbers of the best exceed its own by this
/// fraction (the "1 + epsilon" of J. Pawlewicz and Ł. Lew, 2007).
const PATIENCE: u32 = 4;
/// Of what the defender's replies need, only the most counts in full, the others by this fraction: many of them fail in
/// the same way, so that the plain sum would be far too much (as in weak proof-number search, T. Ueda and others, 2008).
const LESSER_REPLIES: u32 = 2;
/// Nodes between two looks at the clock.
const POLL_INTERVAL: u64 = 1024;
/// More plies than any question is deep.
pub(super) const MAX_PLIES: usize = 2 * (super::MAX_MOVES as usize + 1);

/// A position and the question whether the attacker mates within so many moves.
#[derive(Clone, Copy)]
pub(super) struct Node<'p> {
    pub(super) position: &'p Position,
    /// Moves that the attacker has left.
    pub(super) moves: u8,
    /// Distance from the root.
    pub(super) ply: usize,
}

impl Node<'_> {
    /// Whether a legal move may be considered, with these moves allowed at the root.
    pub(super) fn allows(&self, m: Move, allowed: Option<&[Move]>) -> bool {
        self.ply > 0 || allowed.is_none_or(|allowed| allowed.contains(&m))
    }
}

/// A move of a node and what is known about it.
#[derive(Clone, Copy)]
pub(super) struct Child {
    pub(super) mv: Move,
    /// In the table.
    pub(super) key: u64,
    /// From the view of the other side.
    pub(super) numbers: Numbers,
    /// If the attacker mates: the moves that it needs after this one.
    pub(super) length: u8,
}

/// What is asked, when to give up, and how far the proof has come.
pub(super) struct Prover<'a> {
    pub(super) attacker: Color,
    /// The moves that are allowed at the root; `None` for all.
    pub(super) allowed: Option<&'a [Move]>,
    /// Keys of positions that would come up for the third time.
    pub(super) repeated: Vec<u64>,
    pub(super) limits: &'a Limits,
    pub(super) time: TimeManager,
    pub(super) control: &'a Control,
    pub(super) clock: &'a dyn SearchClock,
    pub(super) table: &'a mut Table,
    /// Moves made.
    pub(super) nodes: u64,
    /// The children of the nodes on the path, one after the other.
    pub(super) children: Vec<Child>,
    /// At each ply the move that last reached its side's goal.
    pub(super) killers: [Option<Move>; MAX_PLIES],
    /// How often a piece that goes to a square was the attack that mates.
    pub(super) attacks: [[u32; 64]; 6],
}

/// What the children of a node say about it.
struct Summary {
    numbers: Numbers,
    /// Which child to search next, or which one decides the node for its side.
    best: usize,
    /// The `delta` of the child after the best.
    second: u32,
}

impl Prover<'_> {
    /// Whether it is the attacker's turn.
    pub(super) fn is_attack(&self, node: &Node) -> bool {
        node.position.turn() == self.attacker
    }

    /// Makes a move, if the limits allow it.
    pub(super) fn make(&mut self, position: &Position, m: Move) -> Result<Position, Stopped> {
        let is_limit = self.limits.nodes.is_some_and(|limit| self.nodes >= limit);
        if is_limit || self.nodes.is_multiple_of(POLL_INTERVAL) && self.is_over() {
            return Err(Stopped);
        }
        self.nodes += 1;
        Ok(position.make(m))
    }

    /// Whether somebody, or the clock, says stop.
    fn is_over(&self) -> bool {
        let Prover { time, control, clock, .. } = self;
        control.wait_while_suspended();
        let is_late = || time.is_over(clock.elapsed(self.nodes));
        control.is_stopped() || !control.is_pondering() && is_late()
    }

    /// Works on a node until it is decided or one of its numbers reaches its limit.
    pub(super) fn search(&mut self, node: &Node, limit: Numbers) -> Result<Known, Stopped> {
        let (first, nodes) = (self.children.len(), self.nodes);
        let found = match self.expand(node) {
            Ok(None) => self.deepen(node, limit, first),
            Ok(Some(known)) => Ok(known),
            Err(stopped) => Err(stopped),
        };
        self.children.truncate(first);
        let known = found?;
        self.store(node, known, self.nodes - nodes);
        Ok(known)
    }

    /// Notes what `nodes` nodes have found out.
    pub(super) fn store(&mut self, node: &Node, known: Known, nodes: u64) {
        // With some root moves forbidden, the root is not the same question as the same position elsewhere.
        if node.ply > 0 || self.allowed.is_none() {
            self.table.store(self.key(node), node.moves, known, nodes);
        }
    }

    /// Finds the moves of a node and adds them to the children, unless the node is decided at once.
    fn expand(&mut self, node: &Node) -> Result<Option<Known>, Stopped> {
        let first = self.children.len();
        let moves = node.position.legal_moves();
        if let Some(known) = self.judge(node, &moves) {
            return Ok(Some(known));
        }
        let known = if self.is_attack(node) {
            self.add_attacks(node, &moves)?
        } else {
            self.add_replies(node, &moves)?
        };
        // Of equally good children the first is searched.
        let killer = self.killers[node.ply];
        if let Some(index) = self.children[first..].iter().position(|child| Some(child.mv) == killer) {
            self.children.swap(first, first + index);
        }
        Ok(known)
    }

    /// The end of the game, and of the attacker's moves. Mate on the hundredth ply comes before the fifty-move rule.
    fn judge(&self, node: &Node, moves: &MoveList) -> Option<Known> {
        let position = node.position;
        if moves.is_empty() {
            let is_mate = position.is_check() && !self.is_attack(node);
            return Some(if is_mate { Known::Mate(0, None) } else { Known::NoMate });
        }
        let is_drawn = position.has_insufficient_material()
            || node.ply > 0 && (position.halfmoves() >= 100 || self.repeated.contains(&position.keys().full));
        (is_drawn || node.moves == 0).then_some(Known::NoMate)
    }

    fn deepen(&mut self, node: &Node, limit: Numbers, first: usize) -> Result<Known, Stopped> {
        let is_attack = self.is_attack(node);
        let moves = node.moves - u8::from(is_attack);
        loop {
            let summary = self.summarise(first, is_attack);
            let numbers = summary.numbers;
            let best = first + summary.best;
            if numbers.reach(limit) {
                if numbers == Numbers::WON {
                    self.learn(node, self.children[best].mv);
                }
                return Ok(conclude(&self.children[first..], numbers, is_attack));
            }
            let child = self.children[best];
            // Another path may have decided it meanwhile.
            let decided = self.table.probe(child.key, moves).filter(|known| !matches!(known, Known::Open(_)));
            let known = if let Some(known) = decided {
                known
            } else {
                let limit = Numbers {
                    phi: child.numbers.phi + (limit.delta - numbers.delta),
                    delta: limit.phi.min(summary.second.saturating_add(1 + summary.second / PATIENCE)),
                };
                let next = self.make(node.position, child.mv)?;
                self.search(&Node { position: &next, moves, ply: node.ply + 1 }, limit)?
            };
            self.children[best].learn(known, !is_attack);
        }
    }

    /// The numbers of a node from those of its children: to reach one's goal the easiest way will do, while the other
    /// side has to close them all.
    fn summarise(&self, first: usize, is_attack: bool) -> Summary {
        let (mut best, mut phi, mut second) = (0, Numbers::INFINITE, Numbers::INFINITE);
        let (mut sum, mut most) = (0_u64, 0);
        for (index, child) in self.children[first..].iter().enumerate() {
            let numbers = child.numbers;
            if numbers.delta < phi {
                (best, phi, second) = (index, numbers.delta, phi);
            } else {
                second = second.min(numbers.delta);
            }
            sum += u64::from(numbers.phi);
            most = most.max(numbers.phi);
        }
        let lesser = sum - u64::from(most);
        let lesser = if is_attack { lesser } else { lesser.div_ceil(LESSER_REPLIES.into()) };
        let open = (u64::from(most) + lesser).min(u64::from(Numbers::INFINITE) - 1) as u32;
        let numbers = match (phi, open) {
            (0, _) => Numbers::WON,
            (_, 0) => Numbers::LOST,
            _ => Numbers { phi, delta: open },
        };
        Summary { numbers, best, second }
    }

    /// Remembers the move by which a side has reached its goal.
    fn learn(&mut self, node: &Node, m: Move) {
        self.killers[node.ply] = Some(m);
        if self.is_attack(node)
            && let Some(times) = self.times_mated(node.position, m)
        {
            *times += 1;
        }
    }
}

/// What a node has come to, once its numbers have reached their limits.
fn conclude(children: &[Child], numbers: Numbers, is_attack: bool) -> Known {
    match (numbers, is_attack) {
        (Numbers::WON, true) => {
            let mates = children.iter().filter(|child| child.numbers == Numbers::LOST);
            let quickest = mates.min_by_key(|child| child.length);
            quickest.map_or(Known::NoMate, |child| Known::Mate(child.length + 1, Some(child.mv)))
        }
        (Numbers::LOST, false) => {
            let longest = children.iter().map(|child| child.length).max();
            longest.map_or(Known::NoMate, |length| Known::Mate(length, None))
        }
        (Numbers::WON | Numbers::LOST, _) => Known::NoMate,
        (open, _) => Known::Open(open),
    }
}

impl Child {
    pub(super) fn new(mv: Move, key: u64, known: Known, is_attack: bool) -> Child {
        let mut child = Child { mv, key, numbers: Numbers::UNLIMITED, length: 0 };
        child.learn(known, is_attack);
        child
    }

    /// Takes over what is known; `is_attack` if it is the attacker's turn after the move.
    fn learn(&mut self, known: Known, is_attack: bool) {
        self.numbers = match (known, is_attack) {
            (Known::Mate(..), true) | (Known::NoMate, false) => Numbers::WON,
            (Known::Mate(..), false) | (Known::NoMate, true) => Numbers::LOST,
            (Known::Open(numbers), _) => numbers,
        };
        if let Known::Mate(length, _) = known {
            self.length = length;
        }
    }
}
