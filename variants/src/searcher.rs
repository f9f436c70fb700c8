//! The searcher for positions of all variants.

use search::runtime::{Root, Shared};
use search::{Answer, Control, Limits, Observer, Reductions, Score, SearchClock, Table};
use shakmaty::variant::{Crazyhouse, VariantPosition};

use crate::history::Histories;
use crate::keyed_position::{KeyedPosition, key_of};
use crate::perft::count_leaves;
use crate::rules::bughouse::Bughouse;
use crate::rules::{Rules, decision, is_over};
use crate::worker::VariantWorker;

/// A position to search.
#[derive(Clone, Debug)]
pub enum Board {
    /// A position of a game on one board, of any variant.
    Single(VariantPosition),
    /// One of the two boards of Bughouse. A captured piece goes to the captor's partner at the other board.
    Bughouse(Crazyhouse),
}

/// Evaluates an expression with the position as its concrete type.
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

/// Returns the key of a position for the repetition rule. It covers pieces, promoted pieces and pockets where relevant,
/// side to move, castling rights, legal en passant captures and remaining checks.
pub fn key(position: &VariantPosition) -> u64 {
    with_rules!(position, inner => key_of(inner))
}

/// Returns the number of move sequences of length `depth`; `None` if `goes_on` returns false, which is called
/// repeatedly.
pub fn perft(position: &VariantPosition, depth: u32, goes_on: &mut dyn FnMut() -> bool) -> Option<u64> {
    with_rules!(position, inner => count_leaves(inner, depth, goes_on))
}

/// Returns the static evaluation for the side to move, or the result if the game is over.
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
    /// The histories of each thread.
    histories: Vec<Histories>,
}

impl Default for Searcher {
    /// Creates a searcher with one thread.
    fn default() -> Searcher {
        Searcher { reductions: Reductions::new(), histories: vec![Histories::new()] }
    }
}

impl Searcher {
    /// Sets the number of threads, at least 1.
    pub fn use_threads(&mut self, threads: usize) {
        self.histories.resize_with(threads.max(1), Histories::new);
    }

    /// Searches until a limit is reached or `control` stops the search. Uses the calling thread, which needs
    /// [`search::STACK_SIZE`], and helper threads, which end before this returns.
    ///
    /// With one thread and without a time limit the result depends only on the histories, the table and the arguments.
    /// In the answer and the reports, a mate score stands for any win by the variant's rules.
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
