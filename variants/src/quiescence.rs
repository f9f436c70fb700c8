//! Quiescence search: captures and what else is urgent, until the position is quiet enough to be evaluated.

use search::runtime::{SearchPosition as _, Stopped};
use search::{Bound, Entry, MAX_PLY, Score};
use shakmaty::{Bitboard, Move, Position};

use crate::keyed_position::KeyedPosition;
use crate::moves::short;
use crate::ordering::{Hints, Ordered};
use crate::rules::{Rules, gives_direct_check, is_tactical};
use crate::worker::VariantWorker;

/// How often in a line forced captures that leave a choice are looked at: where all of them are, there may be a million
/// lines.
const MOST_CHOICES: u32 = 5;

/// What led from the first ply of a quiescence search to a node.
#[derive(Clone, Copy)]
pub(crate) struct Trail {
    /// Nothing: here checks are looked at in variants in which they are urgent.
    begins: bool,
    /// So many choices among forced captures.
    choices: u32,
}

impl Trail {
    /// The first ply.
    pub(crate) const START: Trail = Trail { begins: true, choices: 0 };

    fn after(self, is_choice: bool) -> Trail {
        Trail { begins: false, choices: self.choices + u32::from(is_choice) }
    }
}

impl<P: Rules> VariantWorker<'_, P> {
    /// The value of the position once the captures are over, within the window from `alpha` to `beta` (fail-soft). In
    /// check all evasions are tried, and where captures are forced, all captures. `trail` is what led here from the first
    /// ply of it.
    pub(crate) fn quiesce(
        &mut self,
        keyed: &KeyedPosition<P>,
        mut alpha: Score,
        beta: Score,
        ply: usize,
        trail: Trail,
    ) -> Result<Score, Stopped> {
        self.thread.poll()?;
        self.thread.progress.reach(ply);
        self.thread.variations.clear(ply);
        let position = &keyed.position;
        if position.is_variant_end() {
            return Ok(self.score_of_ending(keyed, ply));
        }
        if self.thread.is_draw(keyed, ply) {
            return Ok(self.thread.draw(keyed));
        }
        let is_check = position.is_check();
        if ply >= MAX_PLY - 1 {
            return Ok(if is_check { Score::DRAW } else { self.evaluate(keyed) });
        }
        if let Some(score) = self.thread.told_value(keyed) {
            return Ok(score);
        }
        let known = self.thread.shared.table.probe(keyed.table_key());
        if let Some(entry) = known {
            let score = entry.score.relative_to_root(ply);
            if beta.value() - alpha.value() == 1 && entry.bound.settles(score, alpha, beta) {
                return Ok(score);
            }
        }

        // Where captures are forced, the moves say whether the position is quiet; and who has little left may be stalemated.
        let mut moves = if P::CAPTURES_ARE_FORCED || is_check || may_be_stuck(position) {
            let moves = position.legal_moves();
            if moves.is_empty() {
                return Ok(self.score_of_ending(keyed, ply));
            }
            Some(moves)
        } else {
            None
        };
        let captures = moves.as_ref().filter(|moves| P::CAPTURES_ARE_FORCED && moves[0].is_capture());
        let next_trail = trail.after(captures.is_some_and(|captures| captures.len() > 1));
        let is_forced = is_check || captures.is_some() && next_trail.choices <= MOST_CHOICES;
        let evaluation = (!is_forced).then(|| {
            let stored = known.and_then(|entry| entry.evaluation);
            stored.unwrap_or_else(|| self.evaluate(keyed))
        });
        let first_alpha = alpha;
        let mut best = evaluation.unwrap_or(-Score::INFINITE);
        if best >= beta || !is_forced && P::CAPTURES_ARE_FORCED {
            return Ok(best);
        }
        alpha = alpha.max(best);

        let moves = moves.get_or_insert_with(|| position.legal_moves());
        if !is_forced {
            let with_checks = trail.begins && P::CHECKS_ARE_URGENT;
            let is_wanted = |m: Move| {
                is_tactical(m) || position.is_urgent(m) || with_checks && gives_direct_check(position, m)
            };
            moves.retain(|m| is_wanted(*m));
        }
        let hints = Hints { hash_move: known.and_then(|entry| entry.best), ..Hints::default() };
        let mut best_move = None;
        let mut ordered = Ordered::new(position, moves, &hints, self.histories);
        for candidate in ordered.by_ref() {
            if !is_forced && candidate.is_bad_capture() {
                continue;
            }
            // Delta pruning: what is captured must be able to matter.
            if let Some(evaluation) = evaluation
                && candidate.is_tactical
            {
                let hope = evaluation + 2 * P::SWING + position.gain(candidate.mv);
                if hope <= alpha {
                    best = best.max(hope);
                    continue;
                }
            }
            let score = self
                .with_move(keyed, candidate.mv, ply, |worker, next| {
                    worker.quiesce(next, -beta, -alpha, ply + 1, next_trail)
                })
                .map(|score| -score)?;
            if score > best {
                best = score;
                if score > alpha {
                    alpha = score;
                    best_move = Some(short(candidate.mv));
                    self.thread.variations.extend(ply, short(candidate.mv));
                    if score >= beta {
                        break;
                    }
                }
            }
            // One evasion that does not lose at once is enough to know that it is not mate.
            if is_check && !candidate.is_tactical && !best.is_loss() {
                break;
            }
        }
        let entry = Entry {
            best: best_move,
            score: best.relative_to_node(ply),
            evaluation,
            depth: 0,
            bound: Bound::of(best, first_alpha, beta),
            was_pv: false,
        };
        self.thread.shared.table.store(keyed.table_key(), entry);
        Ok(best)
    }
}

/// Whether the side to move has nothing but a king and pawns, none of which can go ahead.
fn may_be_stuck(position: &impl Position) -> bool {
    let board = position.board();
    let pawns = position.us() & board.pawns();
    let ahead = Bitboard(position.turn().fold_wb(pawns.0 << 8, pawns.0 >> 8));
    (ahead & !board.occupied()).is_empty() && (position.us() & !board.pawns() & !board.kings()).is_empty()
}
