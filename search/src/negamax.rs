//! The main search: principal variation search in negamax form (fail-soft), with the steps that keep the tree small.
//!
//! Every score is from the view of the side to move; a node returns a bound if it lies outside its window.

use arrayvec::ArrayVec;

use crate::evaluation::evaluate;
use crate::moves::Move;
use crate::observer::Observer;
use crate::parameters as p;
use crate::picker::{Picker, Wanted};
use crate::position::Position;
use crate::quiescence::{bound_of, is_decided};
use crate::score::{MAX_PLY, Score};
use crate::table::Entry;
use crate::worker::{Stopped, Worker};

/// What is fixed about a node while its moves are tried.
#[derive(Clone, Copy)]
struct Node {
    beta: Score,
    depth: i32,
    ply: usize,
    /// Whether the window is open: the node may be on the principal variation.
    is_pv: bool,
    /// Whether a move that refutes the previous one is expected.
    is_cut: bool,
    /// The static evaluation rose since our last move: the side to move is doing well.
    is_improving: bool,
    evaluation: Option<Score>,
    known: Option<Entry>,
}

/// Moves that did not cut, to be penalised if a later one does. More than these are hardly ever tried before.
#[derive(Default)]
struct Tried {
    quiet: ArrayVec<Move, 64>,
    tactical: ArrayVec<Move, 32>,
}

impl Worker<'_> {
    /// Searches the root moves that are not settled yet, in their order.
    pub(crate) fn search_root(
        &mut self,
        mut alpha: Score,
        beta: Score,
        observer: &mut dyn Observer,
    ) -> Result<Score, Stopped> {
        let position = &self.shared.root.position;
        let known = self.shared.table.probe(position.keys().full);
        let evaluation = (!position.is_check()).then(|| evaluate(position));
        self.frame(0).evaluation = evaluation;
        let (first_alpha, mut best, mut best_move) = (alpha, -Score::INFINITE, None);
        let node = Node {
            beta,
            depth: self.depth,
            ply: 0,
            is_pv: true,
            is_cut: false,
            is_improving: false,
            evaluation,
            known,
        };
        let total = self.root_moves.len();
        for index in self.line..total {
            let (m, number) = (self.root_moves[index].mv, index - self.line + 1);
            if self.is_first {
                observer.root_move(self.depth as u32, m, index + 1, total);
            }
            let nodes_before = self.nodes;
            let reduction = self.reduction(&node, position, m, number);
            let score = self.search_move(&node, position, m, number, alpha, reduction)?;
            let line = (number == 1 || score > alpha).then(|| self.variations.get(1).collect::<Vec<_>>());
            let root = &mut self.root_moves[index];
            root.nodes += self.nodes - nodes_before;
            if let Some(line) = line {
                (root.score, root.rank) = (score, score);
                root.line.truncate(1);
                root.line.extend(line);
            }
            if score > best {
                best = score;
                if score > alpha {
                    (alpha, best_move) = (score, Some(m));
                    if score >= beta {
                        break;
                    }
                }
            }
        }
        if self.line == 0 {
            self.store(position, &node, best, best_move, first_alpha);
        }
        Ok(best)
    }

    /// The value of a position, searched `depth` plies deep and then until it is quiet.
    fn search(
        &mut self,
        position: &Position,
        mut alpha: Score,
        mut beta: Score,
        depth: i32,
        ply: usize,
        is_cut: bool,
    ) -> Result<Score, Stopped> {
        let is_check = position.is_check();
        // Step 1: check extension. A forced reply is worth seeing.
        let mut depth = depth + i32::from(is_check);
        if depth <= 0 {
            return self.quiesce(position, alpha, beta, ply);
        }
        self.poll()?;
        self.selective_depth = self.selective_depth.max(ply);
        self.variations.clear(ply);

        // Step 2: draws, and the end of the stack.
        if self.is_draw(position, ply) {
            return Ok(Score::DRAW);
        }
        if ply >= MAX_PLY - 1 {
            return Ok(if is_check { Score::DRAW } else { evaluate(position) });
        }

        // Step 3: mate distance pruning. Nothing here can beat a shorter mate found elsewhere.
        alpha = alpha.max(Score::mated_at(ply));
        beta = beta.min(Score::mate_at(ply + 1));
        if alpha >= beta {
            return Ok(alpha);
        }

        // Step 4: the hash table may know enough. Near the fifty-move limit it knows too little.
        let is_pv = beta.value() - alpha.value() > 1;
        let known = self.shared.table.probe(position.keys().full);
        if let Some(entry) = known
            && !is_pv
            && entry.depth >= depth
            && position.halfmoves() < p::HASH_CUTOFF_HALFMOVES
        {
            let score = entry.score.relative_to_root(ply);
            if is_decided(entry.bound, score, alpha, beta) {
                return Ok(score);
            }
        }

        // Step 4b: endgame tables. What they know need not be searched; how to win is found once the root is in them.
        if let Some(score) = self.probe_tablebases(position, ply) {
            return Ok(score);
        }

        // Step 5: static evaluation, from the table where it is known.
        let evaluation = (!is_check)
            .then(|| known.and_then(|entry| entry.evaluation).unwrap_or_else(|| evaluate(position)));
        self.frame(ply).evaluation = evaluation;
        let is_improving = self.is_improving(evaluation, ply);
        let mut node = Node { beta, depth, ply, is_pv, is_cut, is_improving, evaluation, known };

        if let Some(evaluation) = evaluation
            && !is_pv
            && let Some(score) = self.prune_node(position, &node, evaluation)?
        {
            return Ok(score);
        }

        // Step 8: internal iterative reduction. Without a hash move the order is poor; better to come back with one.
        if depth >= p::INTERNAL_REDUCTION_DEPTH && known.is_none_or(|entry| entry.best.is_none()) {
            depth -= 1;
        }
        node.depth = depth;
        self.search_moves(position, &node, alpha)
    }

    /// Whether the side to move stands better than when it was last to move out of check.
    fn is_improving(&self, evaluation: Option<Score>, ply: usize) -> bool {
        let before = self.frame_before(ply, 2).evaluation.or(self.frame_before(ply, 4).evaluation);
        evaluation.zip(before).is_some_and(|(now, before)| now > before)
    }

    /// Steps that can settle a node before any of its moves is tried. Only out of check and off the principal
    /// variation.
    fn prune_node(
        &mut self,
        position: &Position,
        node: &Node,
        evaluation: Score,
    ) -> Result<Option<Score>, Stopped> {
        let Node { beta, depth, ply, .. } = *node;

        // Step 6: reverse futility. So far above beta that no few moves will bring it down.
        let margin = p::REVERSE_FUTILITY_MARGIN_PER_PLY * (depth - i32::from(node.is_improving));
        if depth <= p::REVERSE_FUTILITY_DEPTH_LIMIT
            && evaluation - margin >= beta
            && !beta.is_loss()
            && !evaluation.is_win()
        {
            return Ok(Some(evaluation));
        }

        // Step 7: null move. If even passing keeps the score above beta, some move will too. Not twice in a row, and
        // not with pawns alone, where passing may be the best move there is (zugzwang).
        let just_passed = self.frame(ply).moved.is_none();
        if depth >= p::NULL_MOVE_DEPTH
            && evaluation >= beta
            && !just_passed
            && !beta.is_loss()
            && position.has_pieces(position.turn())
        {
            let above = evaluation.value() - beta.value();
            let reduction = p::NULL_MOVE_REDUCTION
                + depth / p::NULL_MOVE_PLIES_PER_REDUCTION
                + (above / p::NULL_MOVE_MARGIN_PER_REDUCTION).min(p::NULL_MOVE_MAX_BY_MARGIN);
            let score = self.with_null_move(position, ply, |worker, next| {
                worker
                    .search(next, -beta, -beta + 1, depth - reduction, ply + 1, !node.is_cut)
                    .map(|score| -score)
            })?;
            if score >= beta {
                // A mate found by passing is no mate.
                return Ok(Some(if score.is_win() { beta } else { score }));
            }
        }
        Ok(None)
    }

    /// Tries the moves of a node.
    fn search_moves(&mut self, position: &Position, node: &Node, mut alpha: Score) -> Result<Score, Stopped> {
        let ply = node.ply;
        self.frame(ply + 1).killer = None;
        let (hash_move, killer) = (node.known.and_then(|entry| entry.best), self.frame(ply).killer);
        let mut picker = Picker::new(position, Wanted::All, hash_move, killer, self.previous(ply));
        let mut tried = Tried::default();
        let (first_alpha, mut best, mut best_move, mut number) = (alpha, -Score::INFINITE, None, 0);
        while let Some(m) = picker.next(position, self.histories, &mut self.scratch) {
            number += 1;
            if number > 1 && !best.is_loss() && is_hopeless(position, node, m, number, alpha, &mut picker) {
                continue;
            }
            let reduction = self.reduction(node, position, m, number);
            let score = self.search_move(node, position, m, number, alpha, reduction)?;
            if score > best {
                best = score;
                if score > alpha {
                    best_move = Some(m);
                    if node.is_pv {
                        self.variations.extend(ply, m);
                    }
                    if score >= node.beta {
                        self.learn(position, node, m, &tried);
                        break;
                    }
                    alpha = score;
                }
            }
            // Beyond the capacity, nothing more is learnt.
            let _ =
                if position.is_tactical(m) { tried.tactical.try_push(m) } else { tried.quiet.try_push(m) };
        }
        if number == 0 {
            return Ok(if position.is_check() { Score::mated_at(ply) } else { Score::DRAW });
        }
        self.store(position, node, best, best_move, first_alpha);
        Ok(best)
    }

    /// Step 13: late move reductions. Moves far down the order are first searched less deep, by how many plies?
    fn reduction(&self, node: &Node, position: &Position, m: Move, number: usize) -> i32 {
        if node.depth < p::LATE_MOVE_REDUCTION_DEPTH || number <= 1 + usize::from(node.is_pv) {
            return 0;
        }
        let mut reduction = self.shared.reductions.get(node.depth, number);
        if position.is_tactical(m) {
            reduction /= 2;
        } else {
            let history = self.histories.quiet(position, m, self.previous(node.ply));
            reduction -= history * 1024 / p::REDUCTION_HISTORY;
        }
        reduction += 1024 * (i32::from(node.is_cut) - i32::from(node.is_pv) - i32::from(position.is_check()));
        reduction += 512 * i32::from(!node.is_improving);
        (reduction / 1024).max(0)
    }

    /// Step 14: principal variation search. The first move gets the full window; the others must first show, reduced
    /// and with a null window, that they are better.
    fn search_move(
        &mut self,
        node: &Node,
        position: &Position,
        m: Move,
        number: usize,
        alpha: Score,
        reduction: i32,
    ) -> Result<Score, Stopped> {
        let next = self.make(position, m, node.ply);
        let result = self.search_made(node, &next, number, alpha, reduction);
        self.unmake();
        result
    }

    fn search_made(
        &mut self,
        node: &Node,
        next: &Position,
        number: usize,
        alpha: Score,
        reduction: i32,
    ) -> Result<Score, Stopped> {
        let (depth, ply) = (node.depth - 1, node.ply + 1);
        if number == 1 {
            let is_cut = !node.is_pv && !node.is_cut;
            return Ok(-self.search(next, -node.beta, -alpha, depth, ply, is_cut)?);
        }
        let reduced = (depth - reduction).max(depth.min(1));
        let mut score = -self.search(next, -alpha - 1, -alpha, reduced, ply, true)?;
        if score > alpha && reduced < depth {
            score = -self.search(next, -alpha - 1, -alpha, depth, ply, !node.is_cut)?;
        }
        if node.is_pv && score > alpha {
            score = -self.search(next, -node.beta, -alpha, depth, ply, false)?;
        }
        Ok(score)
    }

    /// Step 15: a move refuted the previous one. It is rewarded, and those tried in vain before it are penalised.
    fn learn(&mut self, position: &Position, node: &Node, m: Move, tried: &Tried) {
        let bonus = (p::HISTORY_BONUS_PER_PLY * node.depth).min(p::HISTORY_BONUS_LIMIT);
        if position.is_tactical(m) {
            self.histories.update_capture(position, m, bonus);
        } else {
            self.frame(node.ply).killer = Some(m);
            let previous = self.previous(node.ply);
            self.histories.update_quiet(position, m, previous, bonus);
            for &failed in &tried.quiet {
                self.histories.update_quiet(position, failed, previous, -bonus);
            }
        }
        for &failed in &tried.tactical {
            self.histories.update_capture(position, failed, -bonus);
        }
    }

    /// Step 16: what was found out goes into the hash table.
    fn store(&self, position: &Position, node: &Node, best: Score, best_move: Option<Move>, alpha: Score) {
        let entry = Entry {
            best: best_move,
            score: best.relative_to_node(node.ply),
            evaluation: node.evaluation,
            depth: node.depth,
            bound: bound_of(best, alpha, node.beta),
            was_pv: node.is_pv || node.known.is_some_and(|entry| entry.was_pv),
        };
        self.shared.table.store(position.keys().full, entry);
    }
}

/// Steps that pass over a single move, once there is one that does not lose at once. Never with bare pawns, where
/// zugzwang lurks.
fn is_hopeless(
    position: &Position,
    node: &Node,
    m: Move,
    number: usize,
    alpha: Score,
    picker: &mut Picker,
) -> bool {
    let depth = node.depth;
    if !position.has_pieces(position.turn()) {
        return false;
    }
    if position.is_tactical(m) {
        // Step 9: captures that lose more than the depth can make up for.
        return depth <= p::SEE_PRUNING_DEPTH_LIMIT
            && !position.see_at_least(m, -p::SEE_TACTICAL_MARGIN_PER_SQUARED_PLY * depth * depth);
    }
    // Step 10: late move pruning. After so many quiet moves the rest will hardly be better.
    let enough = (p::LATE_MOVE_PRUNING_BASE + depth * depth) / (2 - i32::from(node.is_improving));
    if depth <= p::LATE_MOVE_PRUNING_DEPTH_LIMIT && number as i32 > enough {
        picker.skip_quiet();
        return !position.gives_check(m);
    }
    // Step 11: futility. So far below alpha that a quiet move will not bring it up.
    if let Some(evaluation) = node.evaluation {
        let margin = p::FUTILITY_MARGIN + p::FUTILITY_MARGIN_PER_PLY * depth;
        if depth <= p::FUTILITY_DEPTH_LIMIT
            && evaluation + margin <= alpha
            && !alpha.is_mate()
            && !position.gives_check(m)
        {
            picker.skip_quiet();
            return true;
        }
    }
    // Step 12: quiet moves to squares where they are simply lost.
    depth <= p::SEE_PRUNING_DEPTH_LIMIT && !position.see_at_least(m, -p::SEE_QUIET_MARGIN_PER_PLY * depth)
}
