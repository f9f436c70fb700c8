//! The staged move picker: returns the moves of a node best first and generates each kind of move only when it is
//! needed.

use arrayvec::ArrayVec;
use shakmaty::{Bitboard, Role};

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

/// Moves with scores. Each score shares a number with the move's place, so that one pass without branches finds the best
/// move, several at a time.
#[derive(Default)]
struct Scored {
    moves: ArrayVec<Move, MAX_MOVES>,
    /// 256 times the score, plus 255 minus the place: of equal scores the first one is the greatest.
    keys: ArrayVec<i32, MAX_MOVES>,
}

const _: () = assert!(MAX_MOVES <= 256);

impl Scored {
    fn clear(&mut self) {
        self.moves.clear();
        self.keys.clear();
    }

    /// Adds a move with a score of at most 23 bits and a sign.
    #[inline]
    fn push(&mut self, mv: Move, score: i32) {
        self.keys.push(score * 256 + 255 - self.moves.len() as i32);
        self.moves.push(mv);
    }

    /// Removes and returns the move with the highest score. Of equal moves it is the one that comes first in the list,
    /// so that the order is the same in every run.
    #[inline]
    fn take_best(&mut self) -> Option<Move> {
        if self.keys.is_empty() {
            return None;
        }
        let best = self.keys.iter().fold(i32::MIN, |best, &key| best.max(key));
        let place = 255 - (best & 255);
        self.keys.swap_remove(place as usize);
        if let Some(moved) = self.keys.get_mut(place as usize) {
            *moved = (*moved & !255) + 255 - place;
        }
        Some(self.moves.swap_remove(place as usize))
    }
}

/// Returns the legal moves of a position in the order in which they should be searched.
pub(crate) struct Picker<'n> {
    stage: Stage,
    gain: Option<i32>,
    hash_move: Option<Move>,
    killer: Option<Move>,
    given: &'n MoveContext,
    /// Moves of the current stage that have not been returned yet.
    moves: Scored,
    /// Tactical moves that lose material, best first. They are returned last.
    bad: ArrayVec<Move, MAX_MOVES>,
    given_bad: usize,
    /// Whether the remaining quiet moves are skipped.
    pub(crate) skips_quiet: bool,
}

impl<'n> Picker<'n> {
    /// Creates a picker for `position`. Without `gain` it returns all legal moves, with `gain` only captures and
    /// promotions that win at least this many centipawns by static exchange evaluation (quiescence out of check, and
    /// `ProbCut`). `hash_move` and `killer` need not be legal.
    pub(crate) fn new(
        position: &Position,
        gain: Option<i32>,
        hash_move: Option<Move>,
        killer: Option<Move>,
        given: &'n MoveContext,
    ) -> Picker<'n> {
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
            moves: Scored::default(),
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
                Stage::GoodTactical => match self.moves.take_best() {
                    Some(mv) if position.see_at_least(mv, self.gain.unwrap_or(0)) => return Some(mv),
                    Some(mv) => self.bad.push(mv),
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
                Stage::Quiet => match self.moves.take_best() {
                    None => self.stage = Stage::BadTactical,
                    best => return best,
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
    #[inline(never)] // within `next`, each call of that would save all registers
    fn generate_tactical(&mut self, position: &Position, histories: &Histories, list: &mut MoveList) {
        list.clear();
        position.generate_tactical(list);
        let hash_move = self.hash_move;
        self.moves.clear();
        for &mv in list.iter().filter(|&&m| Some(m) != hash_move) {
            let victim = position.captured(mv).map_or(0, exchange_value);
            let promotion = match mv.promotion() {
                Some(Role::Queen) => exchange_value(Role::Queen),
                Some(_) => -exchange_value(Role::Queen),
                None => 0,
            };
            let exchange = (victim + promotion) * p::victim_per_centipawn();
            self.moves.push(mv, exchange + histories.capture(position, mv));
        }
    }

    #[inline(never)] // within `next`, each call of that would save all registers
    fn generate_quiet(&mut self, position: &Position, histories: &Histories, list: &mut MoveList) {
        list.clear();
        position.generate_quiet(list);
        let Picker { hash_move, killer, given, .. } = *self;
        let histories = histories.quiet(position, given);
        let safety = Safety::new(&given.threats);
        self.moves.clear();
        for &mv in list.iter().filter(|&&m| Some(m) != hash_move && Some(m) != killer) {
            let role = position.role_at(mv.from()).unwrap_or(Role::Pawn);
            let piece = PieceTo::new(position.turn(), role, mv.to());
            self.moves.push(mv, histories.of(mv, piece) + safety.of(role, mv));
        }
    }
}

/// What the order of quiet moves knows about attacks by less valuable pieces, by kind of the moved piece. Each node needs it for many
/// moves.
struct Safety {
    attacked: [Bitboard; 8],
    weights: [i32; 8],
}

impl Safety {
    #[inline]
    fn new(threats: &Threats) -> Safety {
        let (mut attacked, mut weights) = ([Bitboard::EMPTY; 8], [0; 8]);
        for role in Role::ALL {
            attacked[role as usize] = threats.to(role);
            weights[role as usize] = exchange_value(role) * p::safety_per_centipawn();
        }
        Safety { attacked, weights }
    }

    /// Returns the bonus of a quiet move for leaving a square that a less valuable piece attacks, minus the penalty for
    /// going to one.
    #[inline]
    fn of(&self, role: Role, m: Move) -> i32 {
        let attacked = self.attacked[role as usize % 8];
        let sign = i32::from(attacked.contains(m.from())) - i32::from(attacked.contains(m.to()));
        self.weights[role as usize % 8] * sign
    }
}
