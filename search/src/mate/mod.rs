//! The mate solver: proves that one side mates in so many moves, or that it does not.
//!
//! The playing search finds mates by the way, and prunes what looks hopeless; this one asks about nothing else. It
//! follows first the lines in which the defender has the fewest replies, believes nothing that is not proven, and so
//! needs a fraction of the nodes (docs/EXPERIMENTS.md, the mate solver).

mod children;
mod line;
mod numbers;
mod prover;
mod table;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use shakmaty::Color;

use self::numbers::Numbers;
use self::prover::{MAX_PLIES, Node, Prover};
use self::table::{Known, Table};
use crate::runtime::Stopped;
use crate::runtime::time_manager::TimeManager;
use crate::{Bound, Control, Limits, MAX_PLY, Move, Observer, Report, Root, Score, SearchClock, TableError};

/// The longest mate that can be asked about, in moves of the attacker.
pub const MAX_MOVES: u32 = MAX_PLY as u32 / 2 - 1;

/// What is to be proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The side that mates, whoever is to move.
    pub attacker: Color,
    /// Its moves, at most; more than [`MAX_MOVES`] count as that. With 0 the only question is whether it is mate.
    pub moves: u32,
    /// When to be content.
    pub goal: Goal,
}

/// When a mate is short enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// When it is within the moves of the problem.
    Within,
    /// When it is proven that there is no shorter one.
    Shortest,
}

/// What was found out about a problem, and what it took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    /// The answer.
    pub finding: Finding,
    /// Moves made.
    pub nodes: u64,
}

/// The answer to a problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// The attacker mates.
    Mate(Mate),
    /// The attacker does not mate within the moves of the problem.
    NoMate,
    /// A limit was reached, or the control said stop.
    Undecided,
}

/// A proven mate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mate {
    /// Moves of the attacker, 0 if the defender is mated already.
    pub moves: u32,
    /// The line from the first move to the mate, with the longest resistance to the proof that was found: `2 * moves`
    /// plies, less one if the attacker begins.
    pub line: Vec<Move>,
    /// Whether it is proven that there is no shorter mate.
    pub is_shortest: bool,
}

/// Solves problems, one at a time, on one thread.
pub struct Solver {
    table: Table,
}

impl Solver {
    /// A solver that keeps what it finds out in so many MiB, at least 1. With less memory than a problem takes it goes on,
    /// only slower.
    ///
    /// # Errors
    /// If the memory is not to be had.
    pub fn new(mebibytes: usize) -> Result<Solver, TableError> {
        Ok(Solver { table: Table::new(mebibytes)? })
    }

    /// Searches for a mate until the goal is reached, or one of the limits for nodes and time, or `control` says stop; the
    /// other limits are nothing to it. The calling thread needs [`crate::STACK_SIZE`].
    ///
    /// The observer hears of each mate that is shorter than the one before. A position counts as drawn when fifty moves
    /// have passed (mate comes first), and when it comes up for the third time in the game.
    ///
    /// Without a time limit the result depends on the arguments alone.
    pub fn solve(
        &mut self,
        root: &Root,
        problem: Problem,
        limits: &Limits,
        control: &Control,
        clock: &dyn SearchClock,
        observer: &mut dyn Observer,
    ) -> Solution {
        self.table.clear();
        let mut prover = Prover {
            attacker: problem.attacker,
            allowed: root.allowed.as_deref(),
            repeated: repeated(root),
            limits,
            time: TimeManager::new(limits),
            control,
            clock,
            table: &mut self.table,
            nodes: 0,
            children: Vec::with_capacity(1 << 12),
            killers: [None; MAX_PLIES],
            attacks: [[0; 64]; 6],
        };
        let finding = prover.solve(root, problem, observer);
        Solution { finding, nodes: prover.nodes }
    }
}

/// The keys that have been on the board twice, so that they end the game when they come again.
fn repeated(root: &Root) -> Vec<u64> {
    let mut counts: HashMap<u64, u32> = HashMap::new();
    for &key in root.earlier_keys.iter().chain([&root.position.keys().full]) {
        *counts.entry(key).or_default() += 1;
    }
    counts.into_iter().filter(|&(_, count)| count >= 2).map(|(key, _)| key).collect()
}

impl Prover<'_> {
    /// Proves a mate, then shorter ones as long as the goal asks for them.
    fn solve(&mut self, root: &Root, problem: Problem, observer: &mut dyn Observer) -> Finding {
        let mut mate = match self.prove(root, problem.moves.min(MAX_MOVES)) {
            Ok(Some(mate)) => mate,
            Ok(None) => return Finding::NoMate,
            Err(Stopped) => return Finding::Undecided,
        };
        let fewest = u32::from(root.position.turn() == problem.attacker);
        loop {
            self.report(&mate, observer);
            mate.is_shortest = mate.moves == fewest;
            if mate.is_shortest || problem.goal == Goal::Within {
                return Finding::Mate(mate);
            }
            match self.prove(root, mate.moves - 1) {
                Ok(Some(shorter)) => mate = shorter,
                Ok(None) => return Finding::Mate(Mate { is_shortest: true, ..mate }),
                Err(Stopped) => return Finding::Mate(mate),
            }
        }
    }

    /// A mate in at most so many moves, unless there is none.
    fn prove(&mut self, root: &Root, moves: u32) -> Result<Option<Mate>, Stopped> {
        let node = Node { position: &root.position, moves: moves as u8, ply: 0 };
        let Known::Mate(moves, attack) = self.search(&node, Numbers::UNLIMITED)? else { return Ok(None) };
        let mut line = Vec::new();
        let moves = self.follow(&Node { moves, ..node }, attack, &mut line)?;
        Ok(Some(Mate { moves: moves.into(), line, is_shortest: false }))
    }

    fn report(&self, mate: &Mate, observer: &mut dyn Observer) {
        let plies = mate.line.len();
        if plies == 0 {
            return;
        }
        observer.report(&Report {
            depth: plies as u32,
            selective_depth: plies as u32,
            line: 1,
            score: if plies % 2 == 1 { Score::mate_at(plies) } else { Score::mated_at(plies) },
            bound: Bound::Exact,
            nodes: self.nodes,
            elapsed: self.clock.elapsed(self.nodes),
            hash_full: self.table.permille_full(),
            tablebase_hits: 0,
            principal_variation: &mate.line,
        });
    }
}
