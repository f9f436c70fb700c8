//! The evaluation by hand: what a quiet position is worth, in centipawns, as a sum of named terms.
//!
//! A term is a sum of features ([`features`]), each with its weight ([`weights`], settled on Herald's own games). A weight has a value for the middlegame and one for the endgame; the pieces that are left say
//! how much of each counts ("tapered"). Pawns and kings are summed up apart, to be
//! remembered.

mod army;
mod endings;
mod features;
mod geometry;
mod king;
mod passed;
mod pawns;
mod pieces;
mod tapered;
mod threats;
mod weights;

use tapered::Tapered;

use shakmaty::{ByColor, Color, Role};

use crate::position::Position;
use crate::score::Score;
use army::Army;
use endings::FULL_SCALE;
use features::Feature;
use pawns::{PawnTable, Pawns};
use weights::WEIGHTS;

/// What a part of the evaluation is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Term {
    /// The pieces on the board, and the pair of bishops.
    Material,
    /// Where each piece stands, in relation to both kings.
    Placement,
    /// How many squares a piece can go to.
    Mobility,
    /// Pawns that stand well or badly among the other pawns.
    PawnStructure,
    /// Pawns that no pawn can stop.
    PassedPawns,
    /// Rooks on files without own pawns.
    OpenFiles,
    /// Outposts of knights and bishops, and how they get on with the pawns.
    MinorPieces,
    /// Own pawns before the king, and the enemy's that come to break them up.
    KingShelter,
    /// Pieces that bear on the enemy's king. Danger grows with the square of what is found: one attacker alone does
    /// little.
    KingDanger,
    /// Pieces that are attacked and could be lost.
    Threats,
    /// The right to move.
    Tempo,
}

/// How much each piece, pawn to king, keeps the game in the middlegame.
const PHASE: [i32; 6] = [0, 1, 1, 2, 4, 0];
/// The phase of the start position.
const FULL_PHASE: i32 = 24;

/// Where the features of one side go.
trait Sink {
    /// Books a feature that the side has `count` times.
    fn add(&mut self, feature: Feature, count: i32);
}

/// The value of one side's features, for the search.
#[derive(Clone, Copy, Default)]
struct Sum {
    value: Tapered,
    /// The danger to the enemy's king, not yet a value.
    danger: Tapered,
}

impl Sink for Sum {
    #[inline]
    fn add(&mut self, feature: Feature, count: i32) {
        let value = WEIGHTS[feature.index] * count;
        // Which of them is known where a feature is booked, so that this is no question at run time.
        if matches!(feature.term, Term::KingDanger) {
            self.danger += value;
        } else {
            self.value += value;
        }
    }
}

impl Sum {
    #[inline]
    fn total(self) -> Tapered {
        self.value + value_of_danger(self.danger)
    }
}

/// Danger becomes centipawns in the middlegame when its square is divided by this,
const DANGER_DIVISOR_MIDDLEGAME: i32 = 1024;
/// and in the endgame when it is divided by this.
const DANGER_DIVISOR_ENDGAME: i32 = 16;

/// What danger to the enemy's king is worth.
#[inline]
fn value_of_danger(danger: Tapered) -> Tapered {
    let (middlegame, endgame) = (danger.middlegame().max(0), danger.endgame().max(0));
    Tapered::new(middlegame * middlegame / DANGER_DIVISOR_MIDDLEGAME, endgame / DANGER_DIVISOR_ENDGAME)
}

/// How much of the middlegame is left, in 0 ..= 24.
#[inline]
fn phase(position: &Position) -> i32 {
    let of = |role: Role| PHASE[role as usize - 1] * position.by_role(role).count() as i32;
    (of(Role::Knight) + of(Role::Bishop) + of(Role::Rook) + of(Role::Queen)).min(FULL_PHASE)
}

/// A value in centipawns, `scale` saying how much of the endgame's share counts.
#[inline]
fn taper(value: Tapered, phase: i32, scale: i32) -> i32 {
    let endgame = value.endgame() * scale / FULL_SCALE;
    (value.middlegame() * phase + endgame * (FULL_PHASE - phase)) / FULL_PHASE
}

/// Books everything that the pawns and kings alone do not decide.
#[inline]
fn book_pieces<S: Sink>(position: &Position, pawns: &Pawns, sinks: &mut ByColor<S>) {
    let mut white = Army::new(position, Color::White, pawns);
    let mut black = Army::new(position, Color::Black, pawns);
    pieces::book(position, &mut white, &black, &mut sinks.white);
    pieces::book(position, &mut black, &white, &mut sinks.black);
    for (us, them, sink) in [(&white, &black, &mut sinks.white), (&black, &white, &mut sinks.black)] {
        king::book_danger(position, us, them, sink);
        threats::book(position, us, them, sink);
        passed::book(position, us, them, sink);
    }
    sinks.get_mut(position.turn()).add(features::TEMPO.only(), 1);
}

/// Evaluates positions, and remembers the pawn structures among them. Each search thread has its own.
#[derive(Clone, Default)]
pub(crate) struct Evaluator {
    pawns: PawnTable,
}

impl Evaluator {
    /// An evaluator that remembers nothing yet.
    pub(crate) fn new() -> Evaluator {
        Evaluator::default()
    }

    /// The value of a position for the side to move. What was evaluated before does not matter.
    pub(crate) fn evaluate(&mut self, position: &Position) -> Score {
        let pawns = self.pawns.of(position);
        let mut sums = ByColor::<Sum>::default();
        book_pieces(position, &pawns, &mut sums);
        let white = pawns.value + sums.white.total() - sums.black.total();
        let strong = Color::from_white(white.endgame() > 0);
        let value = taper(white, phase(position), endings::scale(position, strong))
            + endings::drive(position, Color::White)
            - endings::drive(position, Color::Black);
        Score::centipawns(position.turn().fold_wb(value, -value))
    }
}

#[cfg(test)]
mod tests;
