//! Depth-first proof-number search (df-pn: A. Nagai, 2002; proof numbers: L. V. Allis, 1994) for a mate in a bounded
//! number of moves.
//!
//! The attacker needs one move that mates against all replies, so its nodes are OR nodes and the defender's are AND
//! nodes. The search always expands the leaf that seems closest to a decision. The number of moves left decreases with
//! each attack, so the same question can't recur below a node, and table entries are valid on every path.

use shakmaty::Color;

use super::{Known, Table};
use crate::runtime::Stopped;
use crate::runtime::time_manager::TimeManager;
use crate::{Control, Limits, Move, MoveList, Position, SearchClock};

/// Estimated number of leaves that must be solved to decide a node, from the view of the side to move: the `phi` and
/// `delta` of df-pn. The attacker's goal is to mate, the defender's is to avoid it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Numbers {
    /// Leaves to solve to prove that the side to move reaches its goal.
    pub(super) phi: u32,
    /// Leaves to solve to prove that it does not.
    pub(super) delta: u32,
}

impl Numbers {
    /// The number of something impossible.
    pub(super) const INFINITE: u32 = u32::MAX / 4;
    /// The side to move reaches its goal.
    pub(super) const WON: Numbers = Numbers { phi: 0, delta: Numbers::INFINITE };
    /// The side to move does not reach its goal.
    pub(super) const LOST: Numbers = Numbers { phi: Numbers::INFINITE, delta: 0 };
    /// As a limit: no limit until the node is decided.
    pub(super) const UNLIMITED: Numbers = Numbers { phi: Numbers::INFINITE, delta: Numbers::INFINITE };

    /// Whether a number has reached its limit, which is always so if the node is decided.
    pub(super) fn reach(self, limit: Numbers) -> bool {
        self.phi >= limit.phi || self.delta >= limit.delta
    }
}

/// The search switches to the second best move when the numbers of the best exceed it by this fraction (the "1 +
/// epsilon" of J. Pawlewicz and Ł. Lew, 2007).
const PATIENCE: u32 = 4;
/// In the sum over the defender's replies only the largest number counts in full, the others by this fraction: many
/// replies fail in the same way, so the plain sum would be far too large (as in weak proof-number search, T. Ueda and
/// others, 2008).
const LESSER_REPLIES: u32 = 2;
/// Nodes between two polls of clock and control.
const POLL_INTERVAL: u64 = 1024;
/// Exceeds the number of plies of any problem.
pub(super) const MAX_PLIES: usize = 2 * (super::MAX_MOVES as usize + 1);

/// A position and the question whether the attacker mates within so many moves.
#[derive(Clone, Copy)]
pub(super) struct Node<'p> {
    pub(super) position: &'p Position,
    /// Number of moves that the attacker has left.
    pub(super) moves: u8,
    /// Distance from the root.
    pub(super) ply: usize,
}

impl Node<'_> {
    /// Whether a legal move is searched if only these moves are allowed at the root.
    pub(super) fn allows(&self, m: Move, allowed: Option<&[Move]>) -> bool {
        self.ply > 0 || allowed.is_none_or(|allowed| allowed.contains(&m))
    }
}

/// A move of a node and its current state.
#[derive(Clone, Copy)]
pub(super) struct Child {
    pub(super) mv: Move,
    /// Key of the position after it in the table.
    pub(super) key: u64,
    /// The numbers from the view of the side to move after it.
    pub(super) numbers: Numbers,
    /// If the attacker mates: the number of its moves after this one.
    pub(super) length: u8,
}

/// State of a proof: the problem, the limits and the progress.
pub(super) struct Prover<'a> {
    pub(super) attacker: Color,
    /// The moves allowed at the root; `None` for all.
    pub(super) allowed: Option<&'a [Move]>,
    /// Keys of positions that have occurred twice in the game.
    pub(super) repeated: Vec<u64>,
    pub(super) limits: &'a Limits,
    pub(super) time: TimeManager,
    pub(super) control: &'a Control,
    pub(super) clock: &'a dyn SearchClock,
    pub(super) table: &'a mut Table,
    /// Number of moves made, and nodes of an adviser.
    pub(super) nodes: u64,
    /// Number of nodes at which the search of a part is given up.
    pub(super) pause_at: Option<u64>,
    /// Stack of the children of the nodes on the path.
    pub(super) children: Vec<Child>,
    /// By ply, the move that last reached its side's goal.
    pub(super) killers: [Option<Move>; MAX_PLIES],
    /// How often an attack mated, by kind of piece and target square.
    pub(super) attacks: [[u32; 64]; 6],
}

/// Numbers of a node, computed from its children.
struct Summary {
    numbers: Numbers,
    /// Index of the child to search next, or of the one that decides the node.
    best: usize,
    /// The `delta` of the second best child.
    second: u32,
}

impl Prover<'_> {
    /// Whether the attacker is to move.
    pub(super) fn is_attack(&self, node: &Node) -> bool {
        node.position.turn() == self.attacker
    }

    /// Makes a move. Fails if a limit is reached.
    pub(super) fn make(&mut self, position: &Position, m: Move) -> Result<Position, Stopped> {
        let is_limit = [self.limits.nodes, self.pause_at].iter().flatten().any(|limit| self.nodes >= *limit);
        if is_limit || self.nodes.is_multiple_of(POLL_INTERVAL) && self.is_over() {
            return Err(Stopped);
        }
        self.nodes += 1;
        Ok(position.make(m))
    }

    /// Whether the search has been stopped or is out of time.
    fn is_over(&self) -> bool {
        let Prover { time, control, clock, .. } = self;
        control.wait_while_suspended();
        let is_late = || time.is_over(clock.elapsed(self.nodes));
        control.is_stopped() || !control.is_pondering() && is_late()
    }

    /// Searches a node until it is decided or one of its numbers reaches its limit.
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

    /// Stores a result that took `nodes` nodes.
    pub(super) fn store(&mut self, node: &Node, known: Known, nodes: u64) {
        // With restricted root moves the result of the root does not hold for the same position elsewhere.
        if node.ply > 0 || self.allowed.is_none() {
            self.table.store(self.key(node), node.moves, known, nodes);
        }
    }

    /// Adds the children of a node, or returns its result if it is decided at once.
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
        // The killer goes first, since of equally good children the first is searched.
        let killer = self.killers[node.ply];
        if let Some(index) = self.children[first..].iter().position(|child| Some(child.mv) == killer) {
            self.children.swap(first, first + index);
        }
        Ok(known)
    }

    /// Returns the result of a node where the game is over or the attacker has no moves left. Mate on the hundredth ply
    /// takes precedence over the fifty-move rule.
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
            // Another path may have decided it in the meantime.
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

    /// Computes the numbers of a node from those of its children: `phi` is that of the easiest child, `delta` combines
    /// all children.
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

    /// Updates killer and attack history with the move by which a side has reached its goal.
    fn learn(&mut self, node: &Node, m: Move) {
        self.killers[node.ply] = Some(m);
        if self.is_attack(node)
            && let Some(times) = self.times_mated(node.position, m)
        {
            *times += 1;
        }
    }
}

/// Returns the result of a node whose numbers have reached their limits.
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

    /// Updates the child with a result; `is_attack` if the attacker is to move after it.
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
