//! Quiescence search: searches only captures and promotions until the position is quiet enough to be evaluated.

use crate::history::{MoveContext, Previous};
use crate::parameters::{self as p, step};
use crate::picker::Picker;
use crate::runtime::Stopped;
use crate::worker::ChessWorker;
use crate::{Bound, Entry, Move, Position, Score, exchange_value};

/// Data of a node that stays the same while its moves are searched.
#[derive(Clone, Copy)]
struct QuietNode<'p> {
    position: &'p Position,
    beta: Score,
    ply: usize,
    /// Whether the side to move is in check and all evasions are searched.
    is_check: bool,
    /// The static evaluation, faded and corrected; `None` in check.
    evaluation: Option<Score>,
    hash_move: Option<Move>,
    previous: Previous,
}

impl ChessWorker<'_> {
    /// Returns the score of a position for the window from `alpha` to `beta` (fail-soft). In check all evasions are
    /// searched.
    pub(crate) fn quiesce(
        &mut self,
        position: &Position,
        alpha: Score,
        beta: Score,
        ply: usize,
    ) -> Result<Score, Stopped> {
        if let Some(score) = self.enter(position, ply)? {
            return Ok(score);
        }
        let key = position.table_key();
        let known = step!(quiescence_hash_table, self.thread.shared.table.probe(key));
        if let Some(entry) = known
            && beta.value() - alpha.value() == 1
            && let Some(score) = entry.cutoff(ply, alpha, beta)
        {
            return Ok(score);
        }

        // Stand pat: out of check, the side to move need not capture.
        let previous = self.previous(ply);
        let is_check = step!(quiescence_evasions, position.is_check());
        let raw = (!is_check).then(|| {
            known.and_then(|entry| entry.evaluation).unwrap_or_else(|| self.evaluate(position, ply))
        });
        let evaluation = raw.map(|raw| self.correct(position, &previous, raw));
        let estimate = |evaluation| known.map_or(evaluation, |entry| entry.estimate(ply, evaluation));
        let stand_pat = evaluation.map_or(Score::mated_at(ply), estimate);
        if stand_pat >= beta {
            return Ok(stand_pat);
        }
        let hash_move = known.and_then(|entry| entry.best);
        let node = QuietNode { position, beta, ply, is_check, evaluation, hash_move, previous };
        let (best, best_move) = self.quiesce_moves(&node, alpha.max(stand_pat), stand_pat)?;
        // What the table says is not stored as if it had been found here.
        if best == stand_pat && evaluation.is_some_and(|evaluation| evaluation != stand_pat) {
            return Ok(best);
        }
        let entry = Entry {
            best: best_move,
            score: best.relative_to_node(ply),
            evaluation: raw,
            depth: 0,
            bound: Bound::of(best, alpha, beta),
            was_pv: known.is_some_and(|entry| entry.was_pv),
        };
        self.thread.shared.table.store(key, entry);
        Ok(best)
    }

    /// Searches the moves of a node. Returns the best score, and the last move that raised alpha.
    #[inline]
    fn quiesce_moves(
        &mut self,
        node: &QuietNode,
        mut alpha: Score,
        mut best: Score,
    ) -> Result<(Score, Option<Move>), Stopped> {
        let QuietNode { position, beta, ply, is_check, evaluation, hash_move, previous } = *node;
        let (gain, given) = if is_check {
            (None, MoveContext { previous, threats: position.threats() })
        } else {
            (Some(p::quiescence_see_threshold()), MoveContext::default())
        };
        let mut picker = Picker::new(position, gain, hash_move, None, &given);
        let mut best_move = None;
        while let Some(m) = picker.next(position, self.histories, &mut self.scratch) {
            self.prefetch(position, m);
            // Delta pruning: the captured piece must be able to raise alpha. Checks are kept, as they may mate.
            if let Some(evaluation) = evaluation
                && m.promotion().is_none()
            {
                let gain = position.captured(m).map_or(0, exchange_value);
                let hope = evaluation + p::quiescence_futility_margin() + gain;
                if hope <= alpha && !position.gives_check(m) {
                    best = best.max(hope);
                    continue;
                }
            }
            let score = -self
                .with_move(position, m, ply, |worker, next| worker.quiesce(next, -beta, -alpha, ply + 1))?;
            if score > best {
                best = score;
                if score > alpha {
                    alpha = score;
                    best_move = Some(m);
                    self.thread.variations.extend(ply, m);
                    if score >= beta {
                        break;
                    }
                }
            }
            // After one evasion that is not lost, quiet evasions need not be searched.
            if is_check && !best.is_loss() {
                picker.skips_quiet = true;
            }
        }
        Ok((best, best_move))
    }
}
