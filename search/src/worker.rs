//! One thread of the chess search: the runtime's thread with histories, accumulators and the stack of frames.

use std::sync::Arc;

use shakmaty::Color;

use crate::history::{CONTINUATIONS, Histories, PieceTo, Previous};
use crate::memory::Zeroed;
use crate::network::{Accumulators, Network};
use crate::parameters as p;
use crate::runtime::{SearchPosition, SearchThread, Stopped};
use crate::{MAX_PLY, Move, MoveList, Position, Reductions, Score, Tablebases, Wdl, endings};

/// Returns the static evaluation of a position for the side to move.
pub fn evaluate(network: &Network, position: &Position) -> Score {
    if position.has_lone_king() { endings::evaluate(position) } else { network.evaluate(position) }
}

/// Fades an evaluation, in centipawns: the longer no progress is made, the less an advantage counts, since after fifty moves the
/// game is drawn.
#[inline]
fn faded(position: &Position, evaluation: i32) -> i32 {
    evaluation * (10_000 - p::evaluation_fade() * i32::from(position.halfmoves())) / 10_000
}

/// The data that a thread keeps from one search to the next.
pub(crate) struct ThreadData {
    pub(crate) histories: Zeroed<Histories>,
    accumulators: Accumulators,
}

impl ThreadData {
    pub(crate) fn new(network: &Arc<Network>) -> ThreadData {
        ThreadData { histories: Zeroed::new(), accumulators: Accumulators::new(Arc::clone(network)) }
    }
}

/// Data of a node on the path that other nodes read.
#[derive(Clone, Copy, Default)]
pub(crate) struct Frame {
    /// The static evaluation; `None` in check.
    pub(crate) evaluation: Option<Score>,
    /// The piece that moved here and where it went; `None` for a null move.
    pub(crate) moved: Option<PieceTo>,
    /// Whether that move was a capture or promotion.
    pub(crate) was_tactical: bool,
    /// Killer move: a quiet move that caused a cutoff in a sibling.
    pub(crate) killer: Option<Move>,
    /// The move that the singular search excludes.
    pub(crate) excluded: Option<Move>,
    /// Plies by which the move that led here was reduced; negative if it was extended.
    pub(crate) reduction: i32,
    /// Cutoffs at this ply since the node two plies above was entered.
    pub(crate) cutoffs: u32,
}

/// Frames before the root, so that looking back needs no bounds check.
const BEFORE_ROOT: usize = 4;

pub(crate) struct ChessWorker<'a> {
    pub(crate) thread: SearchThread<'a, Position>,
    pub(crate) histories: &'a mut Histories,
    accumulators: &'a mut Accumulators,
    pub(crate) reductions: &'a Reductions,
    tablebases: Option<&'a dyn Tablebases>,
    /// Whether the search is for a mate, so that it must not prune what the evaluation does not see.
    pub(crate) seeks_mate: bool,
    pub(crate) prunes_late_moves: bool,
    /// Below this ply no null move is tried, while another one is verified.
    pub(crate) null_move_floor: usize,
    frames: Box<[Frame]>,
    /// Buffer in which the pickers generate moves.
    pub(crate) scratch: MoveList,
}

impl<'a> ChessWorker<'a> {
    pub(crate) fn new(
        thread: SearchThread<'a, Position>,
        data: &'a mut ThreadData,
        reductions: &'a Reductions,
        tablebases: Option<&'a dyn Tablebases>,
    ) -> ChessWorker<'a> {
        let ThreadData { histories, accumulators } = data;
        accumulators.begin();
        ChessWorker {
            seeks_mate: thread.shared.limits.mate.is_some(),
            prunes_late_moves: true,
            thread,
            histories,
            accumulators,
            reductions,
            tablebases,
            null_move_floor: 0,
            frames: vec![Frame::default(); MAX_PLY + BEFORE_ROOT + 2].into_boxed_slice(),
            scratch: MoveList::default(),
        }
    }

    /// Enters a node. Returns its score if its moves need not be searched: draw, fixed value, or maximum ply.
    #[inline]
    pub(crate) fn enter(&mut self, position: &Position, ply: usize) -> Result<Option<Score>, Stopped> {
        let settled = self.thread.enter(position, ply)?;
        if settled.is_some() || ply < MAX_PLY - 1 {
            return Ok(settled);
        }
        Ok(Some(if position.is_check() { Score::DRAW } else { self.evaluate(position, ply) }))
    }

    /// Returns the frame of a node.
    #[inline]
    pub(crate) fn frame(&mut self, ply: usize) -> &mut Frame {
        &mut self.frames[ply + BEFORE_ROOT]
    }

    /// Returns the frame `back` plies before a node, also before the root.
    #[inline]
    pub(crate) fn frame_before(&self, ply: usize, back: usize) -> &Frame {
        &self.frames[ply + BEFORE_ROOT - back]
    }

    /// Returns the moves that led to a node.
    #[inline]
    pub(crate) fn previous(&self, ply: usize) -> Previous {
        CONTINUATIONS.map(|back| self.frame_before(ply, back - 1).moved)
    }

    /// Makes a move, calls `search` with the position after it, and unmakes the move.
    #[inline]
    pub(crate) fn with_move(
        &mut self,
        position: &Position,
        m: Move,
        ply: usize,
        search: impl FnOnce(&mut Self, &Position) -> Result<Score, Stopped>,
    ) -> Result<Score, Stopped> {
        self.thread.note_move(position);
        self.accumulators.note_move(position, m, ply);
        let moved = Some(PieceTo::of(position, m));
        let frame = self.frame(ply + 1);
        (frame.moved, frame.reduction) = (moved, 0);
        frame.was_tactical = position.is_tactical(m);
        let mut next = position.clone(); // what `make` returns would be copied once more
        next.play(m);
        self.histories.corrections.prefetch(&next);
        let result = search(self, &next);
        self.thread.take_back();
        result
    }

    /// Prefetches the hash table's entries of the position after a move.
    #[inline]
    pub(crate) fn prefetch(&self, position: &Position, m: Move) {
        self.thread.shared.table.prefetch(position.approximate_table_key_after(m));
    }

    /// Makes a null move, calls `search` with the position after it, and unmakes it.
    pub(crate) fn with_null_move(
        &mut self,
        position: &Position,
        ply: usize,
        search: impl FnOnce(&mut Self, &Position) -> Result<Score, Stopped>,
    ) -> Result<Score, Stopped> {
        self.accumulators.note_null_move(ply);
        let frame = self.frame(ply + 1);
        (frame.moved, frame.reduction) = (None, 0);
        let floor = self.thread.note_null_move(position);
        let next = position.make_null();
        self.thread.shared.table.prefetch(next.table_key());
        self.histories.corrections.prefetch(&next);
        let result = search(self, &next);
        self.thread.take_back_null_move(floor);
        result
    }

    /// Whether the side to move can repeat a position of the path below the root with its next move.
    pub(crate) fn can_repeat(&self, position: &Position, ply: usize) -> bool {
        self.thread.keys_within_a_move(position, ply).any(|key| position.reaches(key))
    }

    /// Returns the static evaluation of the position at a ply.
    #[inline]
    pub(crate) fn evaluate(&mut self, position: &Position, ply: usize) -> Score {
        let evaluation = if position.has_lone_king() {
            endings::evaluate(position)
        } else {
            self.accumulators.evaluate(position, ply)
        };
        self.thread.in_style(evaluation, position)
    }

    /// Returns the static evaluation that the search works with: faded, and corrected by the correction histories.
    #[inline]
    pub(crate) fn correct(&self, position: &Position, previous: &Previous, raw: Score) -> Score {
        Score::centipawns(faded(position, raw.value()) + self.histories.corrections.get(position, previous))
    }

    /// Probes the endgame tables. Their values hold for a halfmove clock of 0, so that they are probed only directly after a
    /// capture or pawn move.
    #[inline]
    pub(crate) fn probe_tablebases(&self, position: &Position, ply: usize) -> Option<Score> {
        let tables = self.tablebases?;
        if position.halfmoves() > 0
            || position.has_castling_rights()
            || position.occupied().count() > tables.max_pieces()
        {
            return None;
        }
        let value = tables.probe_wdl(position)?;
        self.thread.shared.note_tablebase_hit();
        Some(match value {
            Wdl::Loss => -Score::tablebase_win_at(ply),
            Wdl::Draw => self.thread.draw(position),
            Wdl::Win => Score::tablebase_win_at(ply),
        })
    }
}

impl SearchPosition for Position {
    #[inline]
    fn repetition_key(&self) -> u64 {
        self.keys().full
    }

    #[inline]
    fn table_key(&self) -> u64 {
        self.table_key()
    }

    #[inline]
    fn turn(&self) -> Color {
        self.turn()
    }

    #[inline]
    fn halfmoves(&self) -> u32 {
        self.halfmoves().into()
    }

    #[inline]
    fn is_check(&self) -> bool {
        self.is_check()
    }

    #[inline]
    fn has_insufficient_material(&self) -> bool {
        self.has_insufficient_material()
    }

    fn moves(&self) -> Vec<Move> {
        self.legal_moves().to_vec()
    }

    fn after(&self, m: Move) -> Option<Position> {
        Some(self.make(m))
    }

    fn final_score(&self) -> Score {
        if self.is_check() { Score::mated_at(0) } else { Score::DRAW }
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::fen::Fen;
    use shakmaty::{CastlingMode, Chess};

    use super::*;

    #[test]
    fn an_advantage_counts_less_without_progress() {
        let faded = |fen: &str| {
            let chess: Chess = fen.parse::<Fen>().unwrap().into_position(CastlingMode::Standard).unwrap();
            faded(&Position::from(&chess), 1000)
        };
        let stuck = faded("4k3/8/8/8/8/8/4P3/R3K3 w - - 80 60");
        assert_eq!(faded("4k3/8/8/8/8/8/4P3/R3K3 w - - 0 1"), 1000);
        assert!((500..1000).contains(&stuck), "{stuck}");
        assert!(faded("4k3/8/8/8/8/8/4P3/R3K3 w - - 255 200") > 0, "an advantage stays one");
    }
}
