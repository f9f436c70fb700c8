//! Move ordering: the legal moves of a node in the order in which they should be searched.

use arrayvec::ArrayVec;
use search::PieceTo;
use shakmaty::{Color, Move, MoveList};

use crate::history::Histories;
use crate::rules::{Rules, is_tactical};
use crate::{parameters as p, short};

/// Capacity of shakmaty's move list.
const MOST: usize = 450;

/// A move with the data that its place in the order depends on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    pub(crate) mv: Move,
    pub(crate) short: search::Move,
    /// Whether the move changes the material.
    pub(crate) is_tactical: bool,
    rank: i32,
}

/// Data about the moves of a node that is known before they are generated.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Hints {
    pub(crate) hash_move: Option<search::Move>,
    pub(crate) killers: [Option<search::Move>; 2],
    pub(crate) previous: Option<PieceTo>,
}

/// Iterator over moves, best first. Its size is several kilobytes: iterate by reference to avoid copies.
pub(crate) struct Ordered {
    moves: ArrayVec<Candidate, MOST>,
    given: usize,
}

/// Number of moves that are selected one by one; if none of them causes a cutoff, the rest is sorted.
const SOUGHT: usize = 4;

// Ranks: the hash move, captures that don't lose, killers, quiet moves, captures that lose.
const HASH_MOVE: i32 = 1 << 30;
const GOOD_CAPTURE: i32 = 1 << 25;
const KILLER: i32 = 1 << 20;
const BAD_CAPTURE: i32 = -(1 << 25);

impl Ordered {
    /// Ranks the given moves of a position.
    pub(crate) fn new<P: Rules>(
        position: &P,
        moves: &MoveList,
        hints: &Hints,
        histories: &Histories,
    ) -> Ordered {
        let turn = position.turn();
        let candidate = |&mv: &Move| {
            let (short, is_tactical) = (short(mv), is_tactical(mv));
            let rank = if Some(short) == hints.hash_move {
                HASH_MOVE
            } else if is_tactical {
                rank_of_capture(position, mv, histories, turn)
            } else if hints.killers.contains(&Some(short)) {
                KILLER + i32::from(hints.killers[0] == Some(short))
            } else {
                histories.quiet(turn, mv, hints.previous)
            };
            Candidate { mv, short, is_tactical, rank }
        };
        Ordered { moves: moves.iter().take(MOST).map(candidate).collect(), given: 0 }
    }
}

/// Returns the rank of a capture: most valuable victim first, adjusted by the capture history.
fn rank_of_capture<P: Rules>(position: &P, m: Move, histories: &Histories, turn: Color) -> i32 {
    let is_good = P::CAPTURES_ARE_FORCED || position.wins_at_least(m, 0);
    let class = if is_good { GOOD_CAPTURE } else { BAD_CAPTURE };
    class + p::GAIN_PER_CENTIPAWN * position.gain(m) + histories.capture(turn, m)
}

impl Candidate {
    /// Whether the move is a capture that loses material.
    pub(crate) fn is_bad_capture(&self) -> bool {
        self.rank < BAD_CAPTURE / 2
    }
}

impl Iterator for Ordered {
    type Item = Candidate;

    fn next(&mut self) -> Option<Candidate> {
        let rest = self.moves.get_mut(self.given..)?;
        if self.given < SOUGHT {
            let best =
                (0..rest.len()).reduce(|best, i| if rest[i].rank > rest[best].rank { i } else { best })?;
            rest.swap(0, best);
        } else if self.given == SOUGHT {
            rest.sort_by_key(|candidate| std::cmp::Reverse(candidate.rank));
        }
        let next = rest.first().copied();
        self.given += 1;
        next
    }
}
