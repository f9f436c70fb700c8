//! The way in: a position of whichever variant, searched by its rules.

use search::runtime::{Root, Shared};
use search::{Answer, Control, Limits, Observer, Reductions, Score, SearchClock, Table};
use shakmaty::variant::{Crazyhouse, VariantPosition};

use crate::history::Histories;
use crate::keyed_position::{KeyedPosition, key_of};
use crate::perft::count_leaves;
use crate::rules::bughouse::Bughouse;
use crate::rules::{Rules, decision, is_over};
use crate::worker::VariantWorker;

/// What can be searched.
#[derive(Clone, Debug)]
pub enum Board {
    /// A position of a game on one board, of whichever variant.
    Single(VariantPosition),
    /// One of the two boards of Bughouse: who captures a piece gives it to his partner at the other one.
    Bughouse(Crazyhouse),
}

/// Does something with the position of whichever variant, as what it is.
macro_rules! with_rules {
    ($position:expr, $inner:ident => $body:expr) => {
        match $position {
            VariantPosition::Chess($inner) => $body,
            VariantPosition::Atomic($inner) => $body,
            VariantPosition::Antichess($inner) => $body,
            VariantPosition::KingOfTheHill($inner) => $body,
            VariantPosition::ThreeCheck($inner) => $body,
            VariantPosition::Crazyhouse($inner) => $body,
            VariantPosition::RacingKings($inner) => $body,
            VariantPosition::Horde($inner) => $body,
        }
    };
}

/// A number that identifies a position for the rules of repetition: pieces, promoted ones and pockets where they matter,
/// side to move, castling rights, legal en passant captures, checks left.
pub fn key(position: &VariantPosition) -> u64 {
    with_rules!(position, inner => key_of(inner))
}

/// The number of move sequences of length `depth`, while `goes_on` says so; `None` once it does not.
pub fn perft(position: &VariantPosition, depth: u32, goes_on: &mut dyn FnMut() -> bool) -> Option<u64> {
    with_rules!(position, inner => count_leaves(inner, depth, goes_on))
}

/// What a position is worth at first sight, for the side to move. A game that is over counts as won, lost or drawn.
pub fn evaluate(position: &VariantPosition) -> Score {
    with_rules!(position, inner => evaluate_by_rules(inner))
}

fn evaluate_by_rules(position: &impl Rules) -> Score {
    if is_over(position) {
        decision(position, 0).unwrap_or(Score::DRAW)
    } else {
        Score::centipawns(position.evaluate())
    }
}

/// Searches positions of all variants, one at a time, on any number of threads.
pub struct Searcher {
    reductions: Reductions,
    /// One for each thread.
    histories: Vec<Histories>,
}

impl Default for Searcher {
    /// A searcher with one thread.
    fn default() -> Searcher {
        Searcher { reductions: Reductions::new(), histories: vec![Histories::new()] }
    }
}

impl Searcher {
    /// Sets the number of threads, at least 1.
    pub fn use_threads(&mut self, threads: usize) {
        self.histories.resize_with(threads.max(1), Histories::new);
    }

    /// Searches until a limit is reached or `control` says stop, on the calling thread and, if there are more, on
    /// others that end before this returns. The calling thread needs [`search::STACK_SIZE`].
    ///
    /// With one thread and without a time limit the result depends on the searcher's memory, the table and the arguments
    /// alone. In the answer and in the reports, a mate is any end by which the variant is won.
    pub fn think(
        &mut self,
        table: &mut Table,
        root: &Root<Board>,
        limits: &Limits,
        control: &Control,
        clock: &dyn SearchClock,
        observer: &mut dyn Observer,
    ) -> Answer {
        match &root.position {
            Board::Bughouse(board) => {
                let root = root.with_position(KeyedPosition::new(Bughouse::new(board.clone())));
                self.search(&Shared::new(table, &root, limits, control, clock), observer)
            }
            Board::Single(position) => with_rules!(position, position => {
                let root = root.with_position(KeyedPosition::new(position.clone()));
                self.search(&Shared::new(table, &root, limits, control, clock), observer)
            }),
        }
    }

    fn search<P: Rules>(&mut self, shared: &Shared<KeyedPosition<P>>, observer: &mut dyn Observer) -> Answer {
        let Searcher { reductions, histories } = self;
        shared.search(histories, observer, |thread, histories| {
            VariantWorker::new(thread, histories, reductions)
        })
    }
}
