//! One thread of the search of a variant: the runtime's part of it, and what it knows of moves.

use search::runtime::{Aspiration, RootSearch, SearchPosition, SearchThread, Stopped};
use search::{MAX_PLY, Observer, Reductions, Score};
use shakmaty::zobrist::Zobrist64;
use shakmaty::{Color, EnPassantMode, Move};

use crate::history::{Arrival, Histories};
use crate::moves::{find, short};
use crate::parameters::ASPIRATION;
use crate::rules::{Rules, decision, is_over};

/// Frames before the root, so that looking back needs no test.
const BEFORE_ROOT: usize = 2;

/// What a node leaves for those below it.
#[derive(Clone, Copy, Default)]
pub(crate) struct Frame {
    /// The static evaluation; `None` in check.
    pub(crate) evaluation: Option<Score>,
    /// Quiet moves that refuted siblings, latest first.
    pub(crate) killers: [Option<search::Move>; 2],
    /// The move that led here; `None` if it was a pass.
    pub(crate) moved: Option<Arrival>,
}

/// The key of a position for the rules of repetition.
pub(crate) fn key_of<P: Rules>(position: &P) -> u64 {
    position.zobrist_hash::<Zobrist64>(EnPassantMode::Legal).0
}

/// A position on the path, with its key.
pub(crate) struct Node<P> {
    pub(crate) position: P,
    pub(crate) key: u64,
}

impl<P: Rules> Node<P> {
    /// The node of a position.
    pub(crate) fn new(position: P) -> Node<P> {
        let key = key_of(&position);
        Node { position, key }
    }

    /// The node after a legal move.
    fn after_move(&self, m: Move) -> Node<P> {
        let mut position = self.position.clone();
        let key = self.position.update_zobrist_hash(Zobrist64(self.key), m, EnPassantMode::Legal);
        position.play_unchecked(m);
        let key = key.map_or_else(|| key_of(&position), |key| key.0);
        Node { position, key }
    }
}

impl<P: Rules> SearchPosition for Node<P> {
    const CAPTURES_COME_BACK: bool = P::CAPTURES_COME_BACK;

    fn repetition_key(&self) -> u64 {
        self.key
    }

    /// Positions of several variants may meet in the hash table.
    fn table_key(&self) -> u64 {
        self.key ^ (P::VARIANT as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15)
    }

    fn turn(&self) -> Color {
        self.position.turn()
    }

    fn halfmoves(&self) -> u32 {
        self.position.halfmoves()
    }

    fn is_check(&self) -> bool {
        self.position.is_check()
    }

    fn moves(&self) -> Vec<search::Move> {
        if is_over(&self.position) {
            return Vec::new();
        }
        self.position.legal_moves().into_iter().map(short).collect()
    }

    fn after(&self, m: search::Move) -> Option<Node<P>> {
        find(&self.position, m).map(|m| self.after_move(m))
    }

    fn final_score(&self) -> Score {
        decision(&self.position, 0).unwrap_or(Score::DRAW)
    }
}

pub(crate) struct Worker<'a, P> {
    pub(crate) thread: SearchThread<'a, Node<P>>,
    pub(crate) histories: &'a mut Histories,
    pub(crate) reductions: &'a Reductions,
    frames: Box<[Frame]>,
}

impl<'a, P: Rules> Worker<'a, P> {
    pub(crate) fn new(
        thread: SearchThread<'a, Node<P>>,
        histories: &'a mut Histories,
        reductions: &'a Reductions,
    ) -> Worker<'a, P> {
        let frames = vec![Frame::default(); MAX_PLY + BEFORE_ROOT + 2].into_boxed_slice();
        Worker { thread, histories, reductions, frames }
    }

    /// The frame of a node.
    pub(crate) fn frame(&mut self, ply: usize) -> &mut Frame {
        &mut self.frames[ply + BEFORE_ROOT]
    }

    /// The static evaluation two plies before a node, also before the root.
    pub(crate) fn earlier_evaluation(&self, ply: usize) -> Option<Score> {
        self.frames[ply + BEFORE_ROOT - 2].evaluation
    }

    /// Makes a move, does `search` with the node after it, and takes the move back.
    pub(crate) fn with_move<T>(
        &mut self,
        node: &Node<P>,
        m: Move,
        ply: usize,
        search: impl FnOnce(&mut Self, &Node<P>) -> T,
    ) -> T {
        let next = node.after_move(m);
        self.thread.shared.table.prefetch(next.table_key());
        self.thread.note_move(node);
        self.frame(ply + 1).moved = Some(Arrival::of(node.position.turn(), m));
        let result = search(self, &next);
        self.thread.take_back();
        result
    }

    /// Passes, does `search` with the node after it, and takes the pass back; `None` where nobody can pass.
    pub(crate) fn with_null_move<T>(
        &mut self,
        node: &Node<P>,
        ply: usize,
        search: impl FnOnce(&mut Self, &Node<P>) -> T,
    ) -> Option<T> {
        let next = Node::new(node.position.clone().pass()?);
        self.frame(ply + 1).moved = None;
        let floor = self.thread.note_null_move(node);
        let result = search(self, &next);
        self.thread.take_back_null_move(floor);
        Some(result)
    }

    /// What a position is worth at first sight.
    pub(crate) fn evaluate(&self, node: &Node<P>) -> Score {
        self.thread.in_style(Score::centipawns(node.position.evaluate()), node)
    }

    /// What a game that is over is worth.
    pub(crate) fn score_of_ending(&self, node: &Node<P>, ply: usize) -> Score {
        decision(&node.position, ply).unwrap_or_else(|| self.thread.draw(node))
    }
}

impl<'a, P: Rules> RootSearch<'a> for Worker<'a, P> {
    type Position = Node<P>;

    fn aspiration() -> Aspiration {
        ASPIRATION
    }

    fn thread(&mut self) -> &mut SearchThread<'a, Node<P>> {
        &mut self.thread
    }

    fn search_root(
        &mut self,
        alpha: Score,
        beta: Score,
        observer: &mut dyn Observer,
    ) -> Result<Score, Stopped> {
        self.search_root_node(alpha, beta, observer)
    }
}
