//! The encounters of a wave, computed instead of stored where possible.

/// Encounters of two programs each, numbered from 0.
#[derive(Clone, Debug)]
pub(super) enum Encounters {
    RoundRobin {
        programs: usize,
    },
    Gauntlet {
        challengers: usize,
        programs: usize,
    },
    Listed(Vec<[usize; 2]>),
    /// A program that comes late to a round robin meets the `opponents` programs before it, one in a round; the first of
    /// them is that of number `first`.
    Late {
        newcomer: usize,
        opponents: usize,
        first: usize,
    },
}

/// An encounter of two programs.
pub(super) struct Encounter {
    pub(super) programs: [usize; 2],
    /// Round within the wave, from 0.
    pub(super) round: u64,
    /// Whether the second program has White in a single game.
    pub(super) swaps: bool,
}

impl Encounters {
    pub(super) fn len(&self) -> u64 {
        match self {
            Encounters::RoundRobin { programs } => (programs * (programs - 1) / 2) as u64,
            Encounters::Gauntlet { challengers, programs } => (challengers * (programs - challengers)) as u64,
            Encounters::Listed(encounters) => encounters.len() as u64,
            Encounters::Late { opponents, .. } => *opponents as u64,
        }
    }

    /// Returns the number of rounds in which all programs complete their encounters.
    pub(super) fn rounds(&self) -> u64 {
        match self {
            Encounters::RoundRobin { programs } => (programs.next_multiple_of(2) - 1) as u64,
            Encounters::Late { opponents, .. } => *opponents as u64,
            // The encounters of a challenger do not form rounds in which all programs play.
            Encounters::Gauntlet { .. } | Encounters::Listed(_) => 1,
        }
    }

    pub(super) fn get(&self, index: u64) -> Encounter {
        let index = index as usize;
        match self {
            Encounters::RoundRobin { programs } => berger(*programs, index),
            Encounters::Gauntlet { challengers, .. } => {
                let (challenger, opponent) = (index % challengers, index / challengers);
                let programs = [challenger, challengers + opponent];
                Encounter { programs, round: 0, swaps: (challenger + opponent) % 2 == 1 }
            }
            // The order of the programs in the list already assigns the colours.
            Encounters::Listed(encounters) => {
                Encounter { programs: encounters[index], round: 0, swaps: false }
            }
            Encounters::Late { newcomer, opponents, first } => {
                let programs = [*newcomer, (first + index) % opponents];
                Encounter { programs, round: index as u64, swaps: index % 2 == 1 }
            }
        }
    }
}

/// The circle method: the last program keeps its place while the others rotate by one place a round. With an odd number
/// of programs the last place is empty, and the program opposite it is free.
///
/// In single games colours alternate from board to board, and those of the last program from round to round. Each
/// program's colours then alternate from round to round with one exception, as in Berger's tables, and are balanced.
fn berger(programs: usize, index: usize) -> Encounter {
    let boards = programs / 2;
    let (round, board) = (index / boards, index % boards);
    let last = programs.next_multiple_of(2) - 1;
    let distance = board + programs % 2;
    let (programs, swaps) = match distance {
        0 => ([round, last], round % 2 == 1),
        _ => ([(round + distance) % last, (round + last - distance) % last], distance.is_multiple_of(2)),
    };
    Encounter { programs, round: round as u64, swaps }
}
