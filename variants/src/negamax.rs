//! The main search: principal variation search in negamax form (fail-soft), with those pruning steps that are sound, or
//! have been adapted, for variants. A mate score stands for any win by the variant's rules.

use arrayvec::ArrayVec;
use search::runtime::{Aspiration, RootAttempt, RootSearch, SearchPosition as _, SearchThread, Stopped};
use search::{Bound, Entry, Score};
use shakmaty::Move;

use crate::keyed_position::KeyedPosition;
use crate::ordering::{Candidate, Hints, Ordered};
use crate::quiescence::Trail;
use crate::rules::{Rules, gives_direct_check};
use crate::worker::VariantWorker;
use crate::{find, parameters as p, short};

/// Data of a node that stays the same while its moves are searched.
struct Node<'p, P> {
    keyed: &'p KeyedPosition<P>,
    beta: Score,
    depth: i32,
    ply: usize,
    /// Whether the window is open: the node may be on the principal variation.
    is_pv: bool,
    is_check: bool,
    /// Whether the static evaluation has risen since the last move of the side to move.
    is_improving: bool,
    evaluation: Option<Score>,
    hints: Hints,
}

/// Moves that caused no cutoff; they are penalised if a later one does. The capacity is rarely exceeded.
type Tried = ArrayVec<Candidate, 64>;

impl<'a, P: Rules> RootSearch<'a> for VariantWorker<'a, P> {
    type Position = KeyedPosition<P>;

    fn aspiration() -> Aspiration {
        p::ASPIRATION
    }

    fn thread(&mut self) -> &mut SearchThread<'a, KeyedPosition<P>> {
        &mut self.thread
    }

    fn search_root(&mut self, alpha: Score, beta: Score) -> Result<Score, Stopped> {
        let keyed = &self.thread.shared.root.position;
        let assessed = self.assess(keyed, beta, self.thread.progress.depth, 0, None);
        let node = Node { is_pv: true, is_improving: true, ..assessed };
        let (best, best_move) = self.try_root_moves(alpha, beta, |worker, root| {
            let RootAttempt { mv, number, alpha, .. } = root;
            let mv = find(&keyed.position, mv).expect("a root move is legal");
            worker.search_move(&node, mv, number, alpha)
        })?;
        if self.thread.progress.line == 0 {
            self.store(&node, best, best_move, Bound::of(best, alpha, beta));
        }
        Ok(best)
    }
}

impl<P: Rules> VariantWorker<'_, P> {
    /// Searches a position to `depth` plies, then with the quiescence search, and returns its score.
    fn search(
        &mut self,
        keyed: &KeyedPosition<P>,
        mut alpha: Score,
        mut beta: Score,
        depth: i32,
        ply: usize,
    ) -> Result<Score, Stopped> {
        let position = &keyed.position;
        let may_extend = (ply as i32) < p::EXTENSION_SPAN * self.thread.progress.depth;
        // Step 1: check extension. Replies to a check are forced.
        let depth = depth + i32::from(position.is_check() && may_extend);
        if depth <= 0 {
            return self.quiesce(keyed, alpha, beta, ply, Trail::START);
        }
        // Step 2: end of the game, draws, values set by the user, and maximum ply.
        if let Some(score) = self.enter(keyed, ply)? {
            return Ok(score);
        }

        // Step 3: mate distance pruning. No score of this node can beat a shorter win found elsewhere.
        alpha = alpha.max(Score::mated_at(ply));
        beta = beta.min(Score::mate_at(ply + 1));
        if alpha >= beta {
            return Ok(alpha);
        }

        // Step 4: hash table cutoff. Not near the fifty-move limit, which entries of the table do not take into
        // account.
        let is_pv = beta.value() - alpha.value() > 1;
        let known = self.thread.shared.table.probe(keyed.table_key());
        if let Some(entry) = known
            && !is_pv
            && entry.depth >= depth
            && position.halfmoves() < p::HASH_CUTOFF_HALFMOVES
            && let Some(score) = entry.cutoff(ply, alpha, beta)
        {
            return Ok(score);
        }

        let mut node = self.assess(keyed, beta, depth, ply, known);
        node.is_pv = is_pv;
        self.frame(ply + 1).killers = [None; 2];
        if !is_pv && let Some(score) = self.prune_node(&node)? {
            return Ok(score);
        }
        // Step 8: internal iterative reduction. Without a hash move the move order is poor; the next iteration will
        // have one.
        if depth >= p::INTERNAL_REDUCTION_DEPTH && node.hints.hash_move.is_none() {
            node.depth -= 1;
        }
        self.search_moves(&node, alpha)
    }

    /// Step 5: static evaluation, from the hash table if it is stored there.
    fn assess<'p>(
        &mut self,
        keyed: &'p KeyedPosition<P>,
        beta: Score,
        depth: i32,
        ply: usize,
        known: Option<Entry>,
    ) -> Node<'p, P> {
        let is_check = keyed.position.is_check();
        let evaluation = (!is_check).then(|| {
            let stored = known.and_then(|entry| entry.evaluation);
            stored.unwrap_or_else(|| self.evaluate(keyed))
        });
        self.frame(ply).evaluation = evaluation;
        let is_improving =
            evaluation.zip(self.earlier_evaluation(ply)).is_some_and(|(now, before)| now > before);
        let frame = *self.frame(ply);
        let hints = Hints {
            hash_move: known.and_then(|entry| entry.best),
            killers: frame.killers,
            previous: frame.moved,
        };
        Node { keyed, beta, depth, ply, is_pv: false, is_check, is_improving, evaluation, hints }
    }

    /// Tries to settle a node before any move is searched, and returns its score if it does. Only out of check and off
    /// the principal variation, and not in variants with forced captures, where the evaluation is unreliable and
    /// passing would be the best move.
    fn prune_node(&mut self, node: &Node<P>) -> Result<Option<Score>, Stopped> {
        let Node { keyed, beta, depth, ply, .. } = *node;
        let Some(evaluation) = node.evaluation.filter(|_| !P::CAPTURES_ARE_FORCED) else {
            return Ok(None);
        };
        // Step 6: reverse futility. The evaluation is so far above beta that the remaining plies will hardly bring it
        // below.
        let margin = P::SWING * (depth - i32::from(node.is_improving));
        if depth <= p::REVERSE_FUTILITY_DEPTH_LIMIT && evaluation - margin >= beta && !beta.is_loss() {
            return Ok(Some(evaluation));
        }
        // Step 7: null move. If the score stays above beta even after passing, it will after some move.
        let just_passed = self.frame(ply).moved.is_none();
        if depth < p::NULL_MOVE_DEPTH
            || just_passed
            || evaluation < beta
            || beta.is_loss()
            || !keyed.position.may_pass()
        {
            return Ok(None);
        }
        let reduction = p::NULL_MOVE_REDUCTION + depth / p::NULL_MOVE_PLIES_PER_REDUCTION;
        let passed = self.with_null_move(keyed, ply, |worker, next| {
            worker.search(next, -beta, -beta + 1, depth - reduction, ply + 1).map(|score| -score)
        });
        let score = passed.transpose()?.filter(|&score| score >= beta);
        // A win found after a null move is not proven.
        Ok(score.map(|score| if score.is_win() { beta } else { score }))
    }

    /// Searches the moves of a node and returns its score.
    fn search_moves(&mut self, node: &Node<P>, mut alpha: Score) -> Result<Score, Stopped> {
        let Node { keyed, ply, .. } = *node;
        let moves = keyed.position.legal_moves();
        if moves.is_empty() {
            return Ok(self.score_of_ending(keyed, ply));
        }
        // An only move is extended like a reply to a check.
        let is_only = moves.len() == 1 && (ply as i32) < p::EXTENSION_SPAN * self.thread.progress.depth;
        let node = &Node { depth: node.depth + i32::from(is_only), ..*node };
        let mut tried = Tried::new();
        let (first_alpha, mut best, mut best_move) = (alpha, -Score::INFINITE, None);
        let mut ordered = Ordered::new(&keyed.position, &moves, &node.hints, self.histories);
        for (index, candidate) in ordered.by_ref().enumerate() {
            let number = index + 1;
            if number > 1 && !best.is_loss() && is_hopeless(node, &candidate, number, alpha) {
                continue;
            }
            let score = self.search_move(node, candidate.mv, number, alpha)?;
            if score > best {
                best = score;
                if score > alpha {
                    best_move = Some(short(candidate.mv));
                    if node.is_pv {
                        self.thread.variations.extend(ply, short(candidate.mv));
                    }
                    if score >= node.beta {
                        self.learn(node, &candidate, &tried);
                        break;
                    }
                    alpha = score;
                }
            }
            // Moves beyond the capacity are not penalised.
            let _ = tried.try_push(candidate);
        }
        let bound = Bound::of(best, first_alpha, node.beta);
        self.store(node, best, best_move, bound);
        Ok(best)
    }

    /// Step 10: late move reductions. Returns by how many plies the first search of a move is reduced.
    fn reduction(&self, node: &Node<P>, m: Move, number: usize) -> i32 {
        let (position, depth) = (&node.keyed.position, node.depth);
        if depth < p::LATE_MOVE_REDUCTION_DEPTH || number <= 1 + usize::from(node.is_pv) {
            return 0;
        }
        let base = self.reductions.get(depth, number);
        if m.is_capture() {
            return if P::CAPTURES_ARE_FORCED { 0 } else { base / p::REDUCTION_CAPTURE_DIVISOR / 1024 };
        }
        let history = self.histories.quiet(position.turn(), m, node.hints.previous);
        let reduction = base - history * 1024 / p::REDUCTION_HISTORY
            + p::REDUCTION_NOT_IMPROVING * i32::from(!node.is_improving)
            - p::REDUCTION_PV * i32::from(node.is_pv)
            - p::REDUCTION_EVASION * i32::from(node.is_check)
            - p::REDUCTION_CHECK * i32::from(gives_direct_check(position, m));
        (reduction / 1024).max(0)
    }

    /// Step 11: principal variation search. The first move is searched with the full window, the others first with
    /// reduced depth and a null window.
    fn search_move(
        &mut self,
        node: &Node<P>,
        m: Move,
        number: usize,
        alpha: Score,
    ) -> Result<Score, Stopped> {
        let reduction = self.reduction(node, m, number);
        let Node { beta, is_pv, .. } = *node;
        let (depth, ply) = (node.depth - 1, node.ply + 1);
        self.with_move(node.keyed, m, node.ply, |worker, next| {
            if number == 1 {
                return Ok(-worker.search(next, -beta, -alpha, depth, ply)?);
            }
            let reduced = (depth - reduction).max(depth.min(1));
            let mut score = -worker.search(next, -alpha - 1, -alpha, reduced, ply)?;
            if score > alpha && reduced < depth {
                score = -worker.search(next, -alpha - 1, -alpha, depth, ply)?;
            }
            if is_pv && score > alpha {
                score = -worker.search(next, -beta, -alpha, depth, ply)?;
            }
            Ok(score)
        })
    }

    /// Step 12: updates the histories after a cutoff. The move gets a bonus, the moves searched before it a penalty.
    fn learn(&mut self, node: &Node<P>, refutation: &Candidate, tried: &Tried) {
        let (turn, previous) = (node.keyed.turn(), node.hints.previous);
        let bonus = (p::HISTORY_BONUS_PER_PLY * node.depth).min(p::HISTORY_BONUS_LIMIT);
        if !refutation.is_tactical {
            let killers = &mut self.frame(node.ply).killers;
            if killers[0] != Some(refutation.short) {
                *killers = [Some(refutation.short), killers[0]];
            }
        }
        let failed = tried.iter().filter(|failed| failed.is_tactical || !refutation.is_tactical);
        for (candidate, bonus) in
            [(refutation, bonus)].into_iter().chain(failed.map(|failed| (failed, -bonus)))
        {
            if candidate.is_tactical {
                self.histories.update_capture(turn, candidate.mv, bonus);
            } else {
                self.histories.update_quiet(turn, candidate.mv, previous, bonus);
            }
        }
    }

    /// Step 13: stores the result in the hash table.
    fn store(&self, node: &Node<P>, best: Score, best_move: Option<search::Move>, bound: Bound) {
        let entry = Entry {
            best: best_move,
            score: best.relative_to_node(node.ply),
            evaluation: node.evaluation,
            depth: node.depth,
            bound,
            was_pv: node.is_pv,
        };
        self.thread.shared.table.store(node.keyed.table_key(), entry);
    }
}

/// Step 9: pruning of single moves, once a move has been found that is not lost.
fn is_hopeless<P: Rules>(node: &Node<P>, candidate: &Candidate, number: usize, alpha: Score) -> bool {
    let Node { keyed, depth, is_pv, is_check, is_improving, evaluation, .. } = *node;
    if P::CAPTURES_ARE_FORCED || is_pv || is_check {
        return false;
    }
    if candidate.is_tactical {
        // Static exchange pruning: captures that lose more material than the margin of this depth.
        return candidate.is_bad_capture()
            && depth <= p::EXCHANGE_DEPTH_LIMIT
            && !keyed.position.wins_at_least(candidate.mv, -p::EXCHANGE_MARGIN_PER_PLY * depth);
    }
    // Late move pruning: after this many quiet moves the rest will hardly be better.
    let enough = (p::LATE_MOVE_PRUNING_BASE + depth * depth) / (2 - i32::from(is_improving));
    let is_late = depth <= p::LATE_MOVE_PRUNING_DEPTH_LIMIT && number as i32 > enough;
    // Futility pruning: the evaluation is so far below alpha that a quiet move will not raise it enough.
    let margin = P::SWING * (depth + 1);
    let is_futile = depth <= p::FUTILITY_DEPTH_LIMIT
        && evaluation.is_some_and(|evaluation| evaluation + margin <= alpha)
        && !alpha.is_mate();
    (is_late || is_futile)
        && !keyed.position.is_urgent(candidate.mv)
        && !gives_direct_check(&keyed.position, candidate.mv)
}
