//! Whether a position is quiet: no capture or promotion makes it better than it is.

use search::{Evaluator, MoveList, Position, Score};

/// Whether the side to move is not in check and gains nothing by captures and promotions, as far as a plain quiescence
/// search sees.
pub(super) fn is_quiet(evaluator: &mut Evaluator, position: &Position) -> bool {
    let value = evaluator.evaluate(position);
    !position.is_check() && quiesce(evaluator, position, value, value + 1) <= value
}

/// The value of a position once the captures are over, within a window.
fn quiesce(evaluator: &mut Evaluator, position: &Position, mut alpha: Score, beta: Score) -> Score {
    let mut best = evaluator.evaluate(position);
    if best >= beta {
        return best;
    }
    alpha = alpha.max(best);
    let mut moves = MoveList::new();
    position.generate_tactical(&mut moves);
    for &m in moves.iter().filter(|&&m| position.see_at_least(m, 0)) {
        best = best.max(-quiesce(evaluator, &position.make(m), -beta, -alpha));
        if best >= beta {
            break;
        }
        alpha = alpha.max(best);
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_that_can_be_won_is_not_quiet() {
        let quiet = |fen| {
            let game = game::Game::from_fen(fen, game::CastlingMode::Standard).unwrap();
            is_quiet(&mut Evaluator::new(), &engine::root(&game).unwrap().position)
        };
        assert!(quiet("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"));
        assert!(quiet("4k3/2p5/3p4/8/8/8/3R4/3K4 w - - 0 1"));
        assert!(!quiet("4k3/8/3p4/8/8/8/3R4/3K4 w - - 0 1"));
        assert!(!quiet("8/P3k3/8/8/8/8/8/4K3 w - - 0 1"));
        assert!(!quiet("4k3/8/8/8/8/8/4r3/3K4 w - - 0 1"));
    }
}
