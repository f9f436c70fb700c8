//! The main search: principal variation search in negamax form (fail-soft), with the steps that keep the tree small.
//!
//! Every score is from the view of the side to move; a node returns a bound if it lies outside its window.

use arrayvec::ArrayVec;

use crate::history::{MoveContext, PieceTo};
use crate::parameters::{self as p, step};
use crate::picker::Picker;
use crate::position::Threats;
use crate::runtime::{Aspiration, RootAttempt, RootSearch, SearchThread, Shared, Stopped};
use crate::worker::ChessWorker;
use crate::{Bound, Entry, Move, Position, Score, exchange_value};

/// Data of a node that stays the same while its moves are searched.
#[derive(Clone, Copy)]
struct Node<'p> {
    position: &'p Position,
    beta: Score,
    depth: i32,
    ply: usize,
    /// Whether the window is open: the node may be on the principal variation.
    is_pv: bool,
    /// Whether a cutoff is expected (cut node).
    is_cut: bool,
    /// Whether the static evaluation has risen since the last move of the side to move.
    is_improving: bool,
    /// The static evaluation as it is, for the hash table; `None` in check.
    raw: Option<Score>,
    /// The static evaluation, faded and corrected; `None` in check.
    evaluation: Option<Score>,
    known: Option<Entry>,
    /// The move that the singular search excludes (step 14).
    excluded: Option<Move>,
    /// Its threats are filled in before the moves are searched: many nodes are settled before.
    given: MoveContext,
}

impl Node<'_> {
    fn hash_move(&self) -> Option<Move> {
        self.known.and_then(|entry| entry.best)
    }

    /// Whether the node is, or ever was, on the principal variation.
    fn was_pv(&self) -> bool {
        self.is_pv || step!(remembered_pv, self.known.is_some_and(|entry| entry.was_pv))
    }
}

/// A move of a node and the data that its search depends on.
#[derive(Clone, Copy)]
struct Attempt {
    mv: Move,
    /// Its number in the order of searched moves, from 1.
    number: usize,
    is_tactical: bool,
    /// Extension in plies; negative for a reduction.
    extension: i32,
    /// The best score of the earlier moves.
    best: Score,
}

/// Moves that caused no cutoff; they are penalised if a later one does. The capacity is rarely exceeded.
#[derive(Default)]
struct Tried {
    quiet: ArrayVec<Move, 64>,
    tactical: ArrayVec<Move, 32>,
}

impl<'a> RootSearch<'a> for ChessWorker<'a> {
    type Position = Position;

    fn aspiration() -> Aspiration {
        Aspiration {
            depth: p::aspiration_depth(),
            margin: p::aspiration_margin(),
            limit: p::aspiration_limit(),
        }
    }

    fn thread(&mut self) -> &mut SearchThread<'a, Position> {
        &mut self.thread
    }

    fn search_root(&mut self, alpha: Score, beta: Score) -> Result<Score, Stopped> {
        let Shared { root, table, .. } = self.thread.shared;
        let position = &root.position;
        let known = table.probe(position.table_key());
        let depth = self.thread.progress.depth;
        let mut node = Node { is_pv: true, ..self.open_node(position, beta, depth, 0, false, known) };
        node.given.threats = position.threats();
        let (best, best_move) = self.try_root_moves(alpha, beta, |worker, root| {
            let RootAttempt { mv, number, alpha, best } = root;
            let attempt = Attempt { mv, number, is_tactical: position.is_tactical(mv), extension: 0, best };
            worker.search_move(&node, &attempt, alpha)
        })?;
        if self.thread.progress.line == 0 {
            self.store(&node, best, best_move, Bound::of(best, alpha, beta));
        }
        Ok(best)
    }
}

impl ChessWorker<'_> {
    /// Searches a position to `depth` plies, then with the quiescence search, and returns its score.
    fn search(
        &mut self,
        position: &Position,
        mut alpha: Score,
        mut beta: Score,
        depth: i32,
        ply: usize,
        is_cut: bool,
    ) -> Result<Score, Stopped> {
        // Step 1: check extension. Replies to a check are forced.
        let depth = depth + p::check_extension() * i32::from(position.is_check());
        if depth <= 0 {
            return self.quiesce(position, alpha, beta, ply);
        }
        // Step 2: draws, values set by the user, and maximum ply. If the side to move can repeat a position with its
        // next move, the score is at least a draw.
        if let Some(score) = self.enter(position, ply)? {
            return Ok(score);
        }
        let draw = self.thread.draw(position);
        if alpha < draw && step!(upcoming_repetition, self.can_repeat(position, ply)) {
            alpha = draw;
        }

        // Step 3: mate distance pruning. No score of this node can beat a shorter mate found elsewhere.
        let nearer = (alpha.max(Score::mated_at(ply)), beta.min(Score::mate_at(ply + 1)));
        (alpha, beta) = step!(mate_distance_pruning, nearer, else (alpha, beta));
        if alpha >= beta {
            return Ok(alpha);
        }

        // Step 4: hash table cutoff. Not near the fifty-move limit, which entries of the table do not take into
        // account.
        let is_pv = beta.value() - alpha.value() > 1;
        let excluded = self.frame(ply).excluded;
        let known = self.thread.shared.table.probe(position.table_key());
        if let Some(entry) = known
            && !is_pv
            && excluded.is_none()
            && entry.depth >= depth
            && i32::from(position.halfmoves()) < p::hash_cutoff_halfmoves()
            && let Some(score) = entry.cutoff(ply, alpha, beta)
        {
            return Ok(score);
        }

        // Step 5: endgame tables. Their positions need no search; the winning line is found once the root itself is in
        // the tables.
        if let Some(score) = self.probe_tablebases(position, ply) {
            return Ok(score);
        }

        let mut node = self.open_node(position, beta, depth, ply, is_cut, known);
        node.is_pv = is_pv;
        self.frame(ply + 1).excluded = None;
        self.frame(ply + 2).cutoffs = 0;
        self.adjust_depth(&mut node);
        self.search_node(&mut node, alpha)
    }

    /// Searches a node that steps 1 to 5 have not settled.
    #[inline]
    fn search_node(&mut self, node: &mut Node, alpha: Score) -> Result<Score, Stopped> {
        let Node { is_pv, is_cut, .. } = *node;
        if !is_pv
            && node.excluded.is_none()
            && let Some(score) = self.prune_node(node, alpha)?
        {
            return Ok(score);
        }
        // Step 12: internal iterative reduction. Without a hash move the move order is poor; the next iteration will
        // have one.
        if node.depth >= p::internal_reduction_depth() && node.hash_move().is_none() && (is_pv || is_cut) {
            node.depth -= 1;
        }
        node.given.threats = node.position.threats();
        self.search_moves(node, alpha)
    }

    /// Step 6: static evaluation, from the hash table if it is stored there, faded and corrected.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "measured: a node is too large to be handed over")]
    fn open_node<'p>(
        &mut self,
        position: &'p Position,
        beta: Score,
        depth: i32,
        ply: usize,
        is_cut: bool,
        known: Option<Entry>,
    ) -> Node<'p> {
        let given = MoveContext { previous: self.previous(ply), threats: Threats::default() };
        let raw = (!position.is_check()).then(|| {
            known.and_then(|entry| entry.evaluation).unwrap_or_else(|| self.evaluate(position, ply))
        });
        let evaluation = raw.map(|raw| self.correct(position, &given.previous, raw));
        let excluded = self.frame(ply).excluded;
        self.frame(ply).evaluation = evaluation;
        let is_improving = self.is_improving(evaluation, ply);
        Node {
            position,
            beta,
            depth,
            ply,
            is_pv: false,
            is_cut,
            is_improving,
            raw,
            evaluation,
            known,
            excluded,
            given,
        }
    }

    /// A parameter of a search for the best move, or of one for a mate.
    fn by_goal(&self, best_move: i32, mate: i32) -> i32 {
        if self.seeks_mate { mate } else { best_move }
    }

    /// Whether the static evaluation exceeds that of the side's last node out of check. Near the root, where there is none, it counts as
    /// if it did, so that few replies to the root's moves are pruned.
    fn is_improving(&self, evaluation: Option<Score>, ply: usize) -> bool {
        let before = self.frame_before(ply, 2).evaluation.or(self.frame_before(ply, 4).evaluation);
        step!(improving, evaluation.is_some_and(|now| before.is_none_or(|before| now > before)))
    }

    /// Step 7: hindsight extension and reduction. The reduction of the move that led here is reconsidered now that the
    /// evaluation after it is known.
    fn adjust_depth(&mut self, node: &mut Node) {
        let reduction = self.frame(node.ply).reduction;
        let before = self.frame_before(node.ply, 1).evaluation;
        let Some((now, before)) = node.evaluation.zip(before) else { return };
        if node.excluded.is_some() {
            return;
        }
        let opponent_lost = now.value() + before.value();
        if reduction >= p::hindsight_extension_reduction() && opponent_lost <= 0 {
            node.depth += 1;
        } else if reduction >= p::hindsight_reduction_reduction()
            && node.depth >= p::hindsight_reduction_depth()
            && opponent_lost > p::hindsight_margin()
        {
            node.depth -= 1;
        }
    }

    /// Tries to settle a node before any move is searched, and returns its score if it does. Only out of check and off
    /// the principal variation.
    fn prune_node(&mut self, node: &Node, alpha: Score) -> Result<Option<Score>, Stopped> {
        let Node { position, beta, depth, ply, .. } = *node;
        let Some(evaluation) = node.evaluation else { return Ok(None) };
        let estimate = node.known.map_or(evaluation, |entry| entry.estimate(ply, evaluation));

        // Step 8: razoring. The evaluation is so far below alpha that at most captures can help.
        let margin = p::razoring_margin() + p::razoring_margin_per_squared_ply() * depth * depth;
        let depth_limit = self.by_goal(p::razoring_depth_limit(), p::mate_razoring_depth_limit());
        if depth <= depth_limit && estimate + margin <= alpha && !alpha.is_mate() {
            let score = self.quiesce(position, alpha, alpha + 1, ply)?;
            if score <= alpha {
                return Ok(Some(score));
            }
        }

        // Step 9: reverse futility. The evaluation is so far above beta that the remaining plies will hardly bring it
        // below.
        let margin = p::reverse_futility_margin_per_ply() * depth
            - p::reverse_futility_improving_margin() * i32::from(node.is_improving);
        let depth_limit =
            self.by_goal(p::reverse_futility_depth_limit(), p::mate_reverse_futility_depth_limit());
        if depth <= depth_limit
            && estimate - margin >= beta
            && node.hash_move().is_none_or(|m| position.is_tactical(m))
            && !beta.is_loss()
            && !estimate.is_win()
        {
            return Ok(Some(Score::from_value(i32::midpoint(estimate.value(), beta.value()))));
        }
        if self.seeks_mate {
            return Ok(None);
        }
        // A hash entry that is hardly too shallow, and far above beta, settles the node as well.
        let goal = beta + p::hash_margin();
        if let Some(entry) = node.known
            && entry.bound == Bound::Lower
            && entry.depth >= depth - p::hash_margin_plies()
            && !beta.is_mate()
            && let score = entry.score.relative_to_root(ply)
            && !score.is_mate()
            && score >= goal
        {
            return Ok(Some(goal));
        }
        match self.try_null_move(node, evaluation, estimate)? {
            Some(score) => Ok(Some(score)),
            None => self.probcut(node, evaluation),
        }
    }

    /// Step 10: null move. If the score stays above beta even after passing, it will after some move. Not twice in a
    /// row, and not with pawns alone, where passing may be the best move (zugzwang). At great depth the result is
    /// verified by a search without null moves.
    fn try_null_move(
        &mut self,
        node: &Node,
        evaluation: Score,
        estimate: Score,
    ) -> Result<Option<Score>, Stopped> {
        let Node { position, beta, depth, ply, .. } = *node;
        let just_passed = self.frame(ply).moved.is_none();
        if depth < p::null_move_depth()
            || !node.is_cut
            || just_passed
            || ply < self.null_move_floor
            || estimate < beta
            || evaluation + p::null_move_margin_per_ply() * depth < beta + p::null_move_margin()
            || beta.is_loss()
            || !position.has_pieces(position.turn())
        {
            return Ok(None);
        }
        let above = estimate.value() - beta.value();
        let reduction = (p::null_move_reduction() + p::null_move_reduction_per_ply() * depth) / 1024
            + (above / p::null_move_margin_per_reduction()).min(p::null_move_max_by_margin());
        let score = -self.with_null_move(position, ply, |worker, next| {
            worker.search(next, -beta, -beta + 1, depth - reduction, ply + 1, false)
        })?;
        if score < beta {
            return Ok(None);
        }
        // A win found after a null move is not proven.
        let score = if score.is_win() { beta } else { score };
        if depth < p::null_move_verification_depth() || self.null_move_floor > 0 {
            return Ok(Some(score));
        }
        let without_null_move = p::null_move_verification_quarters() * (depth - reduction) / 4;
        self.null_move_floor = ply + without_null_move.max(1) as usize;
        let verified = self.search(position, beta - 1, beta, depth - reduction, ply, false);
        self.null_move_floor = 0;
        Ok((verified? >= beta).then_some(score))
    }

    /// Step 11: `ProbCut` (M. Buro, 1995). A capture that exceeds beta by a margin in a shallower search very likely
    /// exceeds beta in the full one.
    fn probcut(&mut self, node: &Node, evaluation: Score) -> Result<Option<Score>, Stopped> {
        let Node { position, beta, depth, ply, .. } = *node;
        let goal = beta + p::probcut_margin() - p::probcut_improving_margin() * i32::from(node.is_improving);
        let reduced = depth - p::probcut_reduction();
        let is_unlikely = node.known.is_some_and(|entry| {
            entry.depth >= reduced && entry.bound != Bound::Lower && entry.score.relative_to_root(ply) < goal
        });
        if depth < p::probcut_depth() || beta.is_mate() || is_unlikely {
            return Ok(None);
        }
        let gain = Some(goal.value() - evaluation.value());
        let mut picker = Picker::new(position, gain, node.hash_move(), None, &node.given);
        while let Some(m) = picker.next(position, self.histories, &mut self.scratch) {
            self.prefetch(position, m);
            let score = -self.with_move(position, m, ply, |worker, next| {
                let score = worker.quiesce(next, -goal, -goal + 1, ply + 1)?;
                if -score < goal || reduced <= 1 {
                    return Ok(score);
                }
                worker.search(next, -goal, -goal + 1, reduced - 1, ply + 1, !node.is_cut)
            })?;
            if score >= goal {
                let node = Node { depth: reduced, ..*node };
                self.store(&node, score, Some(m), Bound::Lower);
                let excess = if score.is_mate() { 0 } else { goal.value() - beta.value() };
                return Ok(Some(score - excess));
            }
        }
        Ok(None)
    }

    /// Searches the moves of a node and returns its score.
    fn search_moves(&mut self, node: &Node, mut alpha: Score) -> Result<Score, Stopped> {
        let Node { position, ply, .. } = *node;
        self.frame(ply + 1).killer = None;
        let killer = self.frame(ply).killer;
        let mut picker = Picker::new(position, None, node.hash_move(), killer, &node.given);
        let mut tried = Tried::default();
        let (first_alpha, mut best, mut best_move, mut number) = (alpha, -Score::INFINITE, None, 0);
        while let Some(mv) = picker.next(position, self.histories, &mut self.scratch) {
            if Some(mv) == node.excluded {
                continue;
            }
            self.prefetch(position, mv); // long before it is needed
            number += 1;
            let mut attempt =
                Attempt { mv, number, is_tactical: position.is_tactical(mv), extension: 0, best };
            if number > 1 && !best.is_loss() && self.is_hopeless(node, &attempt, alpha, &mut picker) {
                continue;
            }
            match self.singularity(node, mv)? {
                Singularity::Extension(extension) => attempt.extension = extension,
                Singularity::Cut(score) => return Ok(score),
            }
            let score = self.search_move(node, &attempt, alpha)?;
            if score > best {
                best = score;
                if score > alpha {
                    best_move = Some(mv);
                    if node.is_pv {
                        self.thread.variations.extend(ply, mv);
                    }
                    if score >= node.beta {
                        self.frame(ply).cutoffs += 1;
                        self.learn(node, mv, &tried);
                        break;
                    }
                    alpha = score;
                }
            }
            // Moves beyond the capacity are not penalised.
            let _ = if attempt.is_tactical { tried.tactical.try_push(mv) } else { tried.quiet.try_push(mv) };
        }
        if number == 0 {
            return Ok(match node.excluded {
                Some(_) => alpha,
                None if position.is_check() => Score::mated_at(ply),
                None => self.thread.draw(position),
            });
        }
        if node.excluded.is_none() {
            let bound = Bound::of(best, first_alpha, node.beta);
            self.learn_error(node, best, best_move, bound);
            if best_move.is_none() {
                self.learn_unrefuted(node);
            }
            self.store(node, best, best_move, bound);
        }
        Ok(best)
    }

    /// Step 13: pruning of single moves, once a move has been found that is not lost. Not with pawns alone, because of
    /// zugzwang.
    fn is_hopeless(&self, node: &Node, attempt: &Attempt, alpha: Score, picker: &mut Picker) -> bool {
        let (Node { position, depth, .. }, m) = (*node, attempt.mv);
        if !position.has_pieces(position.turn()) {
            return false;
        }
        // The depth after the late move reduction.
        let reduction = self.reductions.get(depth, attempt.number) / 1024;
        let reduced = (depth - reduction).max(0);
        if attempt.is_tactical {
            return is_hopeless_capture(node, m, reduced, alpha);
        }
        // Late move pruning: after this many quiet moves the rest will hardly be better.
        let by_depth = p::late_move_pruning_per_squared_ply() * depth * depth / 100;
        let share = if node.is_improving { 100 } else { p::late_move_pruning_not_improving() };
        let enough = (p::late_move_pruning_base() + by_depth) * share / 100;
        if self.prunes_late_moves
            && depth <= p::late_move_pruning_depth_limit()
            && attempt.number as i32 > enough
        {
            picker.skips_quiet = true;
            return !position.gives_check(m);
        }
        // History pruning: moves that have failed repeatedly after the same earlier moves.
        let history = self.histories.continuation(position, m, &node.given.previous);
        if reduced <= p::history_pruning_depth_limit() && history < -p::history_pruning_per_ply() * depth {
            return true;
        }
        // Futility pruning: the evaluation is so far below alpha that a quiet move will not raise it enough.
        if let Some(evaluation) = node.evaluation {
            let margin = p::futility_margin()
                + p::futility_margin_per_ply() * reduced
                + history / p::futility_history_per_centipawn();
            if reduced <= p::futility_depth_limit()
                && evaluation + margin <= alpha
                && !alpha.is_mate()
                && !position.gives_check(m)
            {
                return true;
            }
        }
        // Static exchange pruning: quiet moves that lose the moved piece.
        reduced <= self.by_goal(p::see_pruning_depth_limit(), p::mate_see_pruning_depth_limit())
            && !position.see_at_least(m, -p::see_quiet_margin_per_squared_ply() * reduced * reduced)
    }

    /// Step 14: singular extension (T. Anantharaman, M. Campbell and F. Hsu, 1988). If all other moves are clearly
    /// worse than the hash move, it is extended; by two plies if they are much worse. If another move reaches beta too,
    /// the node is cut (multicut). Otherwise the hash move may be reduced.
    fn singularity(&mut self, node: &Node, m: Move) -> Result<Singularity, Stopped> {
        let Node { depth, ply, beta, .. } = *node;
        let Some(entry) = node.known.filter(|entry| entry.best == Some(m)) else {
            return Ok(Singularity::Extension(0));
        };
        let score = entry.score.relative_to_root(ply);
        if node.excluded.is_some()
            || depth < p::singular_depth()
            || ply as i32 >= p::singular_ply_limit() * self.thread.progress.depth
            || entry.depth < depth - p::singular_entry_depth()
            || entry.bound == Bound::Upper
            || score.is_mate()
        {
            return Ok(Singularity::Extension(0));
        }
        let goal = score - p::singular_margin_per_ply() * depth / 16;
        self.frame(ply).excluded = Some(m);
        let others = self.search_again(node, goal, (depth - 1) / p::singular_depth_divisor());
        self.frame(ply).excluded = None;
        let others = others?;
        Ok(if others < goal {
            let is_far = !node.is_pv && others < goal - p::double_extension_margin();
            Singularity::Extension(1 + i32::from(is_far))
        } else if goal >= beta + p::multicut_margin() && !self.seeks_mate {
            Singularity::Cut(goal)
        } else if score >= beta {
            Singularity::Extension(-p::negative_extension())
        } else {
            Singularity::Extension(-p::negative_extension_in_cut_nodes() * i32::from(node.is_cut))
        })
    }

    /// Searches a node without the move that its frame excludes.
    fn search_again(&mut self, node: &Node, goal: Score, depth: i32) -> Result<Score, Stopped> {
        let Node { position, ply, is_cut, .. } = *node;
        // The nested search of the same node overwrites the frame, which is restored afterwards.
        let frame = *self.frame(ply);
        // The search adds the check extension again.
        let depth = depth - i32::from(position.is_check());
        let result = self.search(position, goal - 1, goal, depth.max(1), ply, is_cut);
        *self.frame(ply) = frame;
        result
    }

    /// Step 15: late move reductions. Returns by how many plies the first search of a move is reduced; negative for an
    /// extension.
    fn reduction(&mut self, node: &Node, attempt: &Attempt) -> i32 {
        let (position, number) = (node.position, attempt.number);
        if node.depth < p::late_move_reduction_depth() || number <= 1 + usize::from(node.is_pv) {
            return 0;
        }
        let mut reduction = self.reductions.get(node.depth, number);
        if attempt.is_tactical {
            reduction = reduction * p::reduction_tactical() / 1024;
            reduction -= self.histories.capture(position, attempt.mv) * 1024 / p::reduction_capture_history();
        } else {
            let piece = PieceTo::of(position, attempt.mv);
            let history = self.histories.quiet(position, &node.given).of(attempt.mv, piece);
            reduction -= history * 1024 / p::reduction_history();
        }
        let hash_move_is_tactical = node.hash_move().is_some_and(|m| position.is_tactical(m));
        let many_cutoffs = self.frame(node.ply + 1).cutoffs as i32 > p::many_cutoffs();
        reduction += p::reduction_cut() * i32::from(node.is_cut);
        reduction -= p::reduction_pv() * i32::from(node.was_pv());
        reduction -= p::reduction_evasion() * i32::from(position.is_check());
        let by_check = self.by_goal(p::reduction_check(), p::mate_reduction_check());
        reduction -= by_check * i32::from(position.gives_check(attempt.mv));
        // Errors are most expensive at the root.
        reduction -= p::reduction_root() * i32::from(node.ply == 0);
        reduction += p::reduction_not_improving() * i32::from(!node.is_improving);
        reduction += p::reduction_tactical_hash_move() * i32::from(hash_move_is_tactical);
        reduction += p::reduction_many_cutoffs() * i32::from(many_cutoffs);
        // As singular extensions, not for ever; and not at the root, where most moves would be.
        let may_extend =
            (1..p::singular_ply_limit() * self.thread.progress.depth).contains(&(node.ply as i32));
        (reduction / 1024).max(if may_extend { -p::late_move_extension() } else { 0 })
    }

    /// Step 16: principal variation search. The first move is searched with the full window, the others first with
    /// reduced depth and a null window.
    fn search_move(&mut self, node: &Node, attempt: &Attempt, alpha: Score) -> Result<Score, Stopped> {
        let reduction = self.reduction(node, attempt);
        self.with_move(node.position, attempt.mv, node.ply, |worker, next| {
            let (mut depth, ply) = (node.depth - 1 + attempt.extension, node.ply + 1);
            if attempt.number == 1 {
                let is_cut = !node.is_pv && !node.is_cut;
                return Ok(-worker.search(next, -node.beta, -alpha, depth, ply, is_cut)?);
            }
            let reduced = (depth - reduction).max(depth.min(1));
            worker.frame(ply).reduction = depth - reduced;
            let result = worker.search(next, -alpha - 1, -alpha, reduced, ply, true);
            worker.frame(ply).reduction = 0;
            let mut score = -result?;
            if score > alpha && reduced < depth {
                // Much better than expected: search deeper. Hardly better than the best move: search less deep.
                let deeper_margin = p::deeper_margin() + p::deeper_margin_per_ply() * depth;
                depth += i32::from(score > attempt.best + deeper_margin);
                depth -= i32::from(score < attempt.best + p::shallower_margin());
                if reduced < depth {
                    score = -worker.search(next, -alpha - 1, -alpha, depth, ply, !node.is_cut)?;
                }
            }
            if node.is_pv && score > alpha {
                score = -worker.search(next, -node.beta, -alpha, depth, ply, false)?;
            }
            Ok(score)
        })
    }

    /// Step 17: updates the histories after a cutoff. The move gets a bonus, the moves searched before it a penalty.
    fn learn(&mut self, node: &Node, m: Move, tried: &Tried) {
        let position = node.position;
        let bonus = history_bonus(node.depth);
        let penalty = -bonus * p::history_penalty() / 100;
        if position.is_tactical(m) {
            self.histories.update_capture(position, m, bonus);
        } else {
            self.frame(node.ply).killer = step!(killer_moves, Some(m));
            self.histories.update_quiet(position, m, &node.given, bonus);
            for &failed in &tried.quiet {
                self.histories.update_quiet(position, failed, &node.given, penalty);
            }
        }
        for &failed in &tried.tactical {
            self.histories.update_capture(position, failed, penalty);
        }
    }

    /// The last move, if quiet, gets a bonus where no reply refutes it.
    fn learn_unrefuted(&mut self, node: &Node) {
        let bonus = history_bonus(node.depth) * p::history_unrefuted_bonus() / 100;
        let Some(moved) = node.given.previous[0] else { return };
        if !self.frame(node.ply).was_tactical {
            let before = self.previous(node.ply - 1);
            self.histories.update_continuation(moved, &before, bonus);
        }
    }

    /// Step 18: updates the correction histories with the difference of score and static evaluation. Only if the best
    /// move is quiet and the bound shows on which side of the evaluation the score lies.
    fn learn_error(&mut self, node: &Node, best: Score, best_move: Option<Move>, bound: Bound) {
        let (position, Some(evaluation)) = (node.position, node.evaluation) else { return };
        let is_quiet = best_move.is_none_or(|m| !position.is_tactical(m));
        if bound.corrects(best, evaluation) && !best.is_mate() && is_quiet {
            let error = best.value() - evaluation.value();
            self.histories.corrections.update(position, &node.given.previous, node.depth, error);
        }
    }

    /// Step 19: stores the result in the hash table.
    fn store(&self, node: &Node, best: Score, best_move: Option<Move>, bound: Bound) {
        let entry = Entry {
            best: best_move,
            score: best.relative_to_node(node.ply),
            evaluation: node.raw,
            depth: node.depth,
            bound,
            was_pv: node.was_pv(),
        };
        self.thread.shared.table.store(node.position.table_key(), entry);
    }
}

/// Returns the bonus of the histories for a cutoff at this depth.
fn history_bonus(depth: i32) -> i32 {
    (p::history_bonus_per_ply() * depth).min(p::history_bonus_limit())
}

/// Step 13 for captures and promotions. `reduced` is the depth after the late move reduction.
#[inline]
fn is_hopeless_capture(node: &Node, m: Move, reduced: i32, alpha: Score) -> bool {
    let position = node.position;
    // Futility pruning: even with the captured piece the evaluation stays below alpha.
    if let Some(evaluation) = node.evaluation
        && reduced <= p::futility_depth_limit()
        && m.promotion().is_none()
        && evaluation
            + p::tactical_futility_margin()
            + p::tactical_futility_margin_per_ply() * reduced
            + position.captured(m).map_or(0, exchange_value)
            <= alpha
        && !alpha.is_mate()
        && !position.gives_check(m)
    {
        return true;
    }
    // Static exchange pruning: captures that lose more material than the margin of this depth.
    node.depth <= p::see_pruning_depth_limit()
        && !position.see_at_least(m, -p::see_tactical_margin_per_ply() * node.depth)
}

/// Result of the singular search.
enum Singularity {
    /// The hash move is extended by this number of plies; negative for a reduction.
    Extension(i32),
    /// The node is settled with this score.
    Cut(Score),
}
