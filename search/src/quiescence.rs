//! Quiescence search: captures and promotions only, until the position is quiet enough to be evaluated.

use crate::history::MoveContext;
use crate::parameters::{self as p, step};
use crate::picker::{Picker, Wanted};
use crate::position::{Position, exchange_value};
use crate::runtime::Stopped;
use crate::runtime::observer::Bound;
use crate::score::{MAX_PLY, Score};
use crate::table::Entry;
use crate::worker::ChessWorker;

impl ChessWorker<'_> {
    /// The value of the position once the captures are over, within the window from `alpha` to `beta` (fail-soft). In
    /// check all evasions are tried.
    pub(crate) fn quiesce(
        &mut self,
        position: &Position,
        mut alpha: Score,
        beta: Score,
        ply: usize,
    ) -> Result<Score, Stopped> {
        self.thread.poll()?;
        self.thread.progress.reach(ply);
        self.thread.variations.clear(ply);
        if self.thread.is_draw(position, ply) {
            return Ok(self.thread.draw(position));
        }
        if ply >= MAX_PLY - 1 {
            return Ok(if position.is_check() { Score::DRAW } else { self.evaluate(position, ply) });
        }
        if let Some(score) = self.thread.told_value(position) {
            return Ok(score);
        }

        let key = position.table_key();
        let known = step!(quiescence_hash_table, self.thread.shared.table.probe(key));
        if let Some(entry) = known {
            let score = entry.score.relative_to_root(ply);
            if beta.value() - alpha.value() == 1 && entry.bound.settles(score, alpha, beta) {
                return Ok(score);
            }
        }

        // Standing pat: out of check, the side to move need not capture at all.
        let previous = self.previous(ply);
        let is_check = step!(quiescence_evasions, position.is_check());
        let raw = (!is_check).then(|| {
            known.and_then(|entry| entry.evaluation).unwrap_or_else(|| self.evaluate(position, ply))
        });
        let evaluation = raw.map(|raw| self.histories.corrections.correct(position, &previous, raw));
        let mut best = evaluation.unwrap_or(Score::mated_at(ply));
        if best >= beta {
            return Ok(best);
        }
        let first_alpha = alpha;
        alpha = alpha.max(best);

        let (wanted, given) = if is_check {
            (Wanted::All, MoveContext { previous, threats: position.threats() })
        } else {
            (Wanted::Tactical { at_least: p::quiescence_see_threshold() }, MoveContext::default())
        };
        let hash_move = known.and_then(|entry| entry.best);
        let mut picker = Picker::new(position, wanted, hash_move, None, given);
        let mut best_move = None;
        while let Some(m) = picker.next(position, self.histories, &mut self.scratch) {
            // Delta pruning: what is captured must be able to matter. A check may be mate.
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
            let next = self.make(position, m, ply);
            let score = self.quiesce(&next, -beta, -alpha, ply + 1).map(|score| -score);
            self.unmake();
            let score = score?;
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
            // One evasion that does not lose at once is enough to know that it is not mate.
            if is_check && !best.is_loss() {
                picker.skip_quiet();
            }
        }

        let bound = Bound::of(best, first_alpha, beta);
        let entry = Entry {
            best: best_move,
            score: best.relative_to_node(ply),
            evaluation: raw,
            depth: 0,
            bound,
            was_pv: known.is_some_and(|entry| entry.was_pv),
        };
        self.thread.shared.table.store(key, entry);
        Ok(best)
    }
}
