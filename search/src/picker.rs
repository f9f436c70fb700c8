//! The staged move picker: returns the moves of a node best first and generates each kind of move only when it is
//! needed.

use arrayvec::ArrayVec;
use shakmaty::Role;

use crate::history::{Histories, MoveContext, PieceTo};
use crate::position::{Position, Threats, exchange_value};
use crate::{MAX_MOVES, Move, MoveList, parameters as p};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    HashMove,
    GenerateTactical,
    GoodTactical,
    Killer,
    GenerateQuiet,
    Quiet,
    BadTactical,
    Done,
}

#[derive(Clone, Copy)]
struct Scored {
    mv: Move,
    score: i32,
}

/// Returns the legal moves of a position in the order in which they should be searched.
pub(crate) struct Picker {
    stage: Stage,
    gain: Option<i32>,
    hash_move: Option<Move>,
    killer: Option<Move>,
    given: MoveContext,
    /// Moves of the current stage that have not been returned yet.
    moves: ArrayVec<Scored, MAX_MOVES>,
    /// Tactical moves that lose material, best first. They are returned last.
    bad: ArrayVec<Move, MAX_MOVES>,
    given_bad: usize,
    /// Whether the remaining quiet moves are skipped.
    pub(crate) skips_quiet: bool,
}

impl Picker {
    /// Creates a picker for `position`. Without `gain` it returns all legal moves, with `gain` only captures and
    /// promotions that win at least this many centipawns by static exchange evaluation (quiescence out of check, and
    /// `ProbCut`). `hash_move` and `killer` need not be legal.
    pub(crate) fn new(
        position: &Position,
        gain: Option<i32>,
        hash_move: Option<Move>,
        killer: Option<Move>,
        given: MoveContext,
    ) -> Picker {
        let is_wanted = |m| gain.is_none_or(|gain| position.is_tactical(m) && position.see_at_least(m, gain));
        let hash_move = hash_move.filter(|&m| position.is_legal(m) && is_wanted(m));
        let killer =
            killer.filter(|&m| Some(m) != hash_move && position.is_legal(m) && !position.is_tactical(m));
        Picker {
            stage: Stage::HashMove,
            gain,
            hash_move,
            killer,
            given,
            moves: ArrayVec::new(),
            bad: ArrayVec::new(),
            given_bad: 0,
            skips_quiet: false,
        }
    }

    /// Returns the next move. `scratch` is a buffer for generated moves with arbitrary contents; creating one on each
    /// call would often cost more than the generation.
    pub(crate) fn next(
        &mut self,
        position: &Position,
        histories: &Histories,
        scratch: &mut MoveList,
    ) -> Option<Move> {
        loop {
            match self.stage {
                Stage::HashMove => {
                    self.stage = Stage::GenerateTactical;
                    if self.hash_move.is_some() {
                        return self.hash_move;
                    }
                }
                Stage::GenerateTactical => {
                    self.generate_tactical(position, histories, scratch);
                    self.stage = Stage::GoodTactical;
                }
                Stage::GoodTactical => match self.take_best() {
                    Some(Scored { mv, .. }) if position.see_at_least(mv, self.gain.unwrap_or(0)) => {
                        return Some(mv);
                    }
                    Some(Scored { mv, .. }) => self.bad.push(mv),
                    None if self.gain.is_none() => self.stage = Stage::Killer,
                    None => self.stage = Stage::Done,
                },
                Stage::Killer | Stage::GenerateQuiet | Stage::Quiet if self.skips_quiet => {
                    self.stage = Stage::BadTactical;
                }
                Stage::Killer => {
                    self.stage = Stage::GenerateQuiet;
                    if self.killer.is_some() {
                        return self.killer;
                    }
                }
                Stage::GenerateQuiet => {
                    self.generate_quiet(position, histories, scratch);
                    self.stage = Stage::Quiet;
                }
                Stage::Quiet => match self.take_best() {
                    Some(Scored { mv, .. }) => return Some(mv),
                    None => self.stage = Stage::BadTactical,
                },
                Stage::BadTactical => {
                    let next = self.bad.get(self.given_bad).copied();
                    self.given_bad += 1;
                    if next.is_some() {
                        return next;
                    }
                    self.stage = Stage::Done;
                }
                Stage::Done => return None,
            }
        }
    }

    /// Generates and scores tactical moves: most valuable victim first, adjusted by the capture history.
    fn generate_tactical(&mut self, position: &Position, histories: &Histories, list: &mut MoveList) {
        list.clear();
        position.generate_tactical(list);
        let hash_move = self.hash_move;
        self.moves.clear();
        self.moves.extend(list.iter().filter(|&&m| Some(m) != hash_move).map(|&mv| {
            let victim = position.captured(mv).map_or(0, exchange_value);
            let promotion = match mv.promotion() {
                Some(Role::Queen) => exchange_value(Role::Queen),
                Some(_) => -exchange_value(Role::Queen),
                None => 0,
            };
            Scored {
                mv,
                score: (victim + promotion) * p::victim_per_centipawn() + histories.capture(position, mv),
            }
        }));
    }

    fn generate_quiet(&mut self, position: &Position, histories: &Histories, list: &mut MoveList) {
        list.clear();
        position.generate_quiet(list);
        let Picker { hash_move, killer, given, .. } = *self;
        let histories = histories.quiet(position, &given);
        self.moves.clear();
        self.moves.extend(list.iter().filter(|&&m| Some(m) != hash_move && Some(m) != killer).map(|&mv| {
            let role = position.role_at(mv.from()).unwrap_or(Role::Pawn);
            let piece = PieceTo::new(position.turn(), role, mv.to());
            Scored { mv, score: histories.of(mv, piece) + safety(role, mv, &given.threats) }
        }));
    }

    /// Removes and returns the move with the highest score. Of equal moves it is the one that comes first in the list,
    /// so that the order is the same in every run.
    fn take_best(&mut self) -> Option<Scored> {
        let (mut best, mut most) = (0, self.moves.first()?.score);
        for (index, scored) in self.moves.iter().enumerate() {
            // Without a branch, which would often be mispredicted.
            let is_better = scored.score > most;
            best = std::hint::select_unpredictable(is_better, index, best);
            most = most.max(scored.score);
        }
        Some(self.moves.swap_remove(best))
    }
}

/// Returns the bonus of a quiet move for leaving a square that a less valuable piece attacks, minus the penalty for
/// going to one.
fn safety(role: Role, m: Move, threats: &Threats) -> i32 {
    let attacked = threats.to(role);
    let weight = exchange_value(role) * p::safety_per_centipawn();
    weight * (i32::from(attacked.contains(m.from())) - i32::from(attacked.contains(m.to())))
}
