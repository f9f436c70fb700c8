//! The mate solver: proves that one side mates within a number of moves, or that it does not.
//!
//! Unlike the playing search it searches only for mate and prunes nothing without proof. It searches the lines in which
//! the defender has the fewest replies first and so needs a fraction of the nodes (docs/EXPERIMENTS.md, the mate
//! solver).

mod children;
mod few_men;
mod line;
mod prover;
mod table;
#[cfg(test)]
mod tests;
mod told;

use std::collections::HashMap;

use shakmaty::Color;

pub use self::few_men::FewMen;
use self::prover::{MAX_PLIES, Node, Numbers, Prover};
use self::table::{Known, Table};
pub use self::told::Adviser;
use crate::runtime::Stopped;
use crate::runtime::time_manager::TimeManager;
use crate::{Bound, Control, Limits, MAX_PLY, Move, Observer, Report, Root, Score, SearchClock, TableError};

/// The longest mate that can be searched for, in moves of the attacker.
pub const MAX_MOVES: u32 = MAX_PLY as u32 / 2 - 1;

/// Mates of more moves are searched for only if there is none within so many. The greater the number, the longer the search wanders
/// among quiet moves that lead to nothing (docs/EXPERIMENTS.md, the mate solver).
const NEAR: u32 = 30;

/// A mate to be proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The side that is to mate; either side may be to move.
    pub attacker: Color,
    /// Maximum number of its moves, clamped to [`MAX_MOVES`]. With 0 the solver only tests whether the defender is
    /// mated already.
    pub moves: u32,
    /// When the search is finished.
    pub goal: Goal,
}

/// Which mates end the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// Any mate within the moves of the problem.
    Within,
    /// Only a mate that is proven to be the shortest.
    Shortest,
}

/// The result of a search for a mate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    /// The answer.
    pub finding: Finding,
    /// Number of moves made.
    pub nodes: u64,
}

/// The answer to a problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// The attacker mates.
    Mate(Mate),
    /// The attacker can't mate within the moves of the problem.
    NoMate,
    /// A limit was reached, or the control stopped the search.
    Undecided,
}

/// A proven mate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mate {
    /// Number of the attacker's moves, 0 if the defender is mated already.
    pub moves: u32,
    /// The line from the first move to the mate, in which the defender resists the proof that was found as long as
    /// possible: `2 * moves` plies, one less if the attacker begins.
    pub line: Vec<Move>,
    /// Whether there is provably no shorter mate.
    pub is_shortest: bool,
}

/// Solves problems, one at a time, on one thread.
pub struct Solver {
    table: Table,
}

impl Solver {
    /// Creates a solver with a table of this size in MiB, at least 1. A table smaller than a problem needs only makes
    /// the solver slower.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn new(mebibytes: usize) -> Result<Solver, TableError> {
        Ok(Solver { table: Table::new(mebibytes)? })
    }

    /// Searches for a mate until the goal or a limit of nodes or time is reached or `control` stops it; other limits
    /// are ignored. The calling thread needs [`crate::STACK_SIZE`].
    ///
    /// Each mate that is shorter than the previous one is reported to the observer. A position counts as drawn after
    /// fifty moves without capture or pawn move (mate takes precedence), and when it occurs for the third time in the
    /// game.
    ///
    /// Without a time limit the result depends only on the arguments.
    pub fn solve(
        &mut self,
        root: &Root,
        problem: Problem,
        limits: &Limits,
        control: &Control,
        clock: &dyn SearchClock,
        observer: &mut dyn Observer,
    ) -> Solution {
        self.run(root, problem, None, limits, control, clock, observer)
    }

    /// Like [`Solver::solve`], but first proves the mate along a line that a search or another program tells; the line may end
    /// before the mate. The adviser is asked for lines after the defender's other moves. Its nodes count.
    pub fn solve_told(
        &mut self,
        root: &Root,
        problem: Problem,
        (line, adviser): (&[Move], &mut dyn Adviser),
        limits: &Limits,
        control: &Control,
        clock: &dyn SearchClock,
    ) -> Solution {
        self.run(root, problem, Some((line, adviser)), limits, control, clock, &mut ())
    }

    #[expect(clippy::too_many_arguments, reason = "those of `solve` and the line")]
    fn run(
        &mut self,
        root: &Root,
        problem: Problem,
        told: Option<(&[Move], &mut dyn Adviser)>,
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
            time: TimeManager::new(limits, root.move_number),
            control,
            clock,
            table: &mut self.table,
            nodes: 0,
            pause_at: None,
            children: Vec::with_capacity(1 << 12),
            killers: [None; MAX_PLIES],
            attacks: [[0; 64]; 6],
        };
        let finding = prover.solve(root, problem, told, observer);
        Solution { finding, nodes: prover.nodes }
    }
}

/// Returns the keys of positions that have occurred twice, so that another occurrence ends the game.
fn repeated(root: &Root) -> Vec<u64> {
    let mut counts: HashMap<u64, u32> = HashMap::new();
    for &key in root.earlier_keys.iter().chain([&root.position.keys().full]) {
        *counts.entry(key).or_default() += 1;
    }
    counts.into_iter().filter(|&(_, count)| count >= 2).map(|(key, _)| key).collect()
}

impl Prover<'_> {
    /// Proves a mate, then shorter ones if the goal is the shortest.
    fn solve(
        &mut self,
        root: &Root,
        problem: Problem,
        told: Option<(&[Move], &mut dyn Adviser)>,
        observer: &mut dyn Observer,
    ) -> Finding {
        let first = match told {
            Some((line, adviser)) => self.prove_told(root, problem, line, adviser),
            None => self.prove_near(root, problem.moves.min(MAX_MOVES)),
        };
        let mut mate = match first {
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

    /// Like [`Prover::prove`], but searches for a near mate first.
    fn prove_near(&mut self, root: &Root, moves: u32) -> Result<Option<Mate>, Stopped> {
        let near = self.prove(root, moves.min(NEAR))?;
        if near.is_some() || moves <= NEAR { Ok(near) } else { self.prove(root, moves) }
    }

    /// Searches for a mate in at most this number of moves. Returns `None` if there is none.
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
