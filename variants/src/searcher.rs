//! The way in: a position of whichever variant, searched by its rules.

use search::parts::{Budget, Deepening as _};
use search::{Answer, Clock, Control, Limits, Observer, Score, Table};
use shakmaty::variant::VariantPosition;

use crate::history::Histories;
use crate::perft::count_leaves;
use crate::quiescence::score_of_ending;
use crate::rules::Rules;
use crate::rules::bughouse::Bughouse;
use crate::worker::{Node, Orders, Worker, key_of};

/// The position to search from, with what came before it.
#[derive(Clone, Debug)]
pub struct Root {
    /// The position.
    pub position: VariantPosition,
    /// Keys ([`key`]) of the earlier positions of the game, oldest first, as far back as they can be repeated.
    pub earlier_keys: Vec<u64>,
    /// The moves that may be played; `None` means all legal ones. Illegal ones among them are passed over.
    pub allowed: Option<Vec<search::Move>>,
    /// Who gets captured pieces, where they can be dropped.
    pub captives: Captives,
}

/// Who gets captured pieces, where they can be dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Captives {
    /// The captor (Crazyhouse).
    #[default]
    Captor,
    /// The captor's partner, at another board (Bughouse).
    Partner,
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
    if is_over(position) { score_of_ending(position, 0) } else { Score::centipawns(position.evaluate()) }
}

fn is_over(position: &impl Rules) -> bool {
    position.is_variant_end() || position.legal_moves().is_empty()
}

/// Searches positions of all variants, one at a time, on the calling thread.
pub struct Searcher {
    histories: Histories,
}

impl Default for Searcher {
    fn default() -> Searcher {
        Searcher::new()
    }
}

impl Searcher {
    /// A searcher that has learnt nothing yet.
    pub fn new() -> Searcher {
        Searcher { histories: Histories::new() }
    }

    /// Forgets what earlier searches taught it, as for a new game. The hash table is its owner's to clear.
    pub fn clear(&mut self) {
        self.histories = Histories::new();
    }

    /// Searches until a limit is reached or `control` says stop. The calling thread needs [`search::STACK_SIZE`].
    ///
    /// Without a time limit the result depends on the searcher's memory and the arguments alone. In the answer and in
    /// the reports, a mate is any end by which the variant is won.
    pub fn think(
        &mut self,
        table: &mut Table,
        root: &Root,
        limits: &Limits,
        control: &Control,
        clock: &dyn Clock,
        observer: &mut dyn Observer,
    ) -> Answer {
        table.begin_search();
        let orders =
            Orders { table, limits, budget: Budget::new(limits.time, limits.overhead), control, clock };
        match (&root.position, root.captives) {
            (VariantPosition::Crazyhouse(board), Captives::Partner) => {
                self.think_by_rules(&Bughouse::new(board.clone()), root, orders, observer)
            }
            (position, _) => {
                with_rules!(position, position => self.think_by_rules(position, root, orders, observer))
            }
        }
    }

    fn think_by_rules<P: Rules>(
        &mut self,
        position: &P,
        root: &Root,
        orders: Orders,
        observer: &mut dyn Observer,
    ) -> Answer {
        let table = orders.table;
        let allowed = root.allowed.as_deref();
        let mut worker = Worker::new(orders, &mut self.histories, position, &root.earlier_keys, allowed);
        let depth = worker.deepen(observer) as u32;
        let nodes = worker.nodes;
        let Some(best) = worker.progress.root_moves.into_iter().next() else {
            // Unless the game is over, moves were there, but none was allowed.
            let score = if is_over(position) { score_of_ending(position, 0) } else { Score::DRAW };
            return Answer { best: None, ponder: None, score, depth: 0, nodes };
        };
        // The expected reply may be known to the table if the line ends with the move.
        let expected = || {
            let mut next = position.clone();
            next.play_unchecked(crate::find(position, best.mv)?);
            let known = table.probe(Node::new(next.clone()).table_key())?.best;
            known.filter(|&m| crate::find(&next, m).is_some())
        };
        let ponder = best.line.get(1).copied().or_else(expected);
        Answer { best: Some(best.mv), ponder, score: best.score, depth, nodes }
    }
}
