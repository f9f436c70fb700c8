//! Quiescence search: searches only captures and other urgent moves until the position is quiet enough to be evaluated.

use search::runtime::{SearchPosition as _, Stopped};
use search::{Bound, Entry, Score};
use shakmaty::{Bitboard, Move, MoveList, Position};

use crate::keyed_position::KeyedPosition;
use crate::ordering::{Hints, Ordered};
use crate::parameters as p;
use crate::rules::{Rules, gives_direct_check, is_tactical};
use crate::worker::VariantWorker;

/// Properties of the path from the first ply of a quiescence search to a node.
#[derive(Clone, Copy)]
pub(crate) struct Trail {
    /// Whether the path is empty. Checks are searched only here, in variants in which they are urgent.
    begins: bool,
    /// Number of nodes on the path with several forced captures.
    choices: u32,
}

impl Trail {
    /// The path of the first ply.
    pub(crate) const START: Trail = Trail { begins: true, choices: 0 };

    fn after(self, is_choice: bool) -> Trail {
        Trail { begins: false, choices: self.choices + u32::from(is_choice) }
    }
}

/// Data of a node that stays the same while its moves are searched.
struct QuietNode<'p, P> {
    keyed: &'p KeyedPosition<P>,
    beta: Score,
    ply: usize,
    is_check: bool,
    /// Whether all moves are searched because the side to move can't stand pat.
    is_forced: bool,
    /// The static evaluation; `None` if `is_forced`.
    evaluation: Option<Score>,
    hash_move: Option<search::Move>,
    /// The path to the child nodes.
    trail: Trail,
}

impl<P: Rules> VariantWorker<'_, P> {
    /// Returns the score of a position for the window from `alpha` to `beta` (fail-soft). In check all evasions are
    /// searched, and if captures are forced, all captures. `trail` describes the path from the first ply.
    pub(crate) fn quiesce(
        &mut self,
        keyed: &KeyedPosition<P>,
        alpha: Score,
        beta: Score,
        ply: usize,
        trail: Trail,
    ) -> Result<Score, Stopped> {
        if let Some(score) = self.enter(keyed, ply)? {
            return Ok(score);
        }
        let (table, key) = (self.thread.shared.table, keyed.table_key());
        let known = table.probe(key);
        if let Some(entry) = known
            && beta.value() - alpha.value() == 1
            && let Some(score) = entry.cutoff(ply, alpha, beta)
        {
            return Ok(score);
        }

        // The moves are needed if captures are forced, to tell whether the position is quiet, and if a stalemate is
        // possible.
        let position = &keyed.position;
        let is_check = position.is_check();
        let are_needed = P::CAPTURES_ARE_FORCED || is_check || may_be_stuck(position);
        let mut moves = are_needed.then(|| position.legal_moves());
        if matches!(&moves, Some(moves) if moves.is_empty()) {
            return Ok(self.score_of_ending(keyed, ply));
        }
        let captures = moves.as_ref().filter(|moves| P::CAPTURES_ARE_FORCED && moves[0].is_capture());
        let next_trail = trail.after(captures.is_some_and(|captures| captures.len() > 1));
        let is_forced = is_check || captures.is_some() && next_trail.choices <= p::MAX_CHOICES;
        let evaluation = (!is_forced).then(|| {
            let stored = known.and_then(|entry| entry.evaluation);
            stored.unwrap_or_else(|| self.evaluate(keyed))
        });
        let stand_pat = evaluation.unwrap_or(-Score::INFINITE);
        if stand_pat >= beta || !is_forced && P::CAPTURES_ARE_FORCED {
            return Ok(stand_pat);
        }
        let moves = moves.get_or_insert_with(|| position.legal_moves());
        if !is_forced {
            moves.retain(|m| is_wanted(position, *m, trail));
        }
        let hash_move = known.and_then(|entry| entry.best);
        let node =
            QuietNode { keyed, beta, ply, is_check, is_forced, evaluation, hash_move, trail: next_trail };
        let (best, best_move) = self.quiesce_moves(&node, moves, alpha.max(stand_pat), stand_pat)?;
        let (score, bound) = (best.relative_to_node(ply), Bound::of(best, alpha, beta));
        table.store(key, Entry { best: best_move, score, evaluation, depth: 0, bound, was_pv: false });
        Ok(best)
    }

    /// Searches these moves. Returns the best score, and the last move that raised alpha.
    fn quiesce_moves(
        &mut self,
        node: &QuietNode<P>,
        moves: &MoveList,
        mut alpha: Score,
        mut best: Score,
    ) -> Result<(Score, Option<search::Move>), Stopped> {
        let (position, hints) =
            (&node.keyed.position, Hints { hash_move: node.hash_move, ..Hints::default() });
        let mut ordered = Ordered::new(position, moves, &hints, self.histories);
        let mut best_move = None;
        for candidate in ordered.by_ref() {
            if !node.is_forced && candidate.is_bad_capture() {
                continue;
            }
            // Delta pruning: the captured piece must be able to raise alpha.
            if let Some(evaluation) = node.evaluation
                && candidate.is_tactical
            {
                let hope =
                    evaluation + p::QUIESCENCE_FUTILITY_SWINGS * P::SWING + position.gain(candidate.mv);
                if hope <= alpha {
                    best = best.max(hope);
                    continue;
                }
            }
            let score = -self.with_move(node.keyed, candidate.mv, node.ply, |worker, next| {
                worker.quiesce(next, -node.beta, -alpha, node.ply + 1, node.trail)
            })?;
            if score > best {
                best = score;
                if score > alpha {
                    alpha = score;
                    best_move = Some(candidate.short);
                    self.thread.variations.extend(node.ply, candidate.short);
                    if score >= node.beta {
                        break;
                    }
                }
            }
            // After one evasion that is not lost, quiet evasions need not be searched.
            if node.is_check && !candidate.is_tactical && !best.is_loss() {
                break;
            }
        }
        Ok((best, best_move))
    }
}

/// Whether a move is searched although the side to move may stand pat.
fn is_wanted<P: Rules>(position: &P, m: Move, trail: Trail) -> bool {
    let with_checks = trail.begins && P::CHECKS_ARE_URGENT;
    is_tactical(m) || position.is_urgent(m) || with_checks && gives_direct_check(position, m)
}

/// Whether the side to move has only its king and blocked pawns.
fn may_be_stuck(position: &impl Position) -> bool {
    let board = position.board();
    let pawns = position.us() & board.pawns();
    let ahead = Bitboard(position.turn().fold_wb(pawns.0 << 8, pawns.0 >> 8));
    (ahead & !board.occupied()).is_empty() && (position.us() & !board.pawns() & !board.kings()).is_empty()
}
