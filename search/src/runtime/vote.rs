//! The vote of the threads for the move to play.

use super::progress::Progress;
use crate::{Score, parameters as p};

/// Returns the elected result. Each thread votes for its best move, with a weight that grows with depth and score. Of the
/// threads with the elected move, the one with the greatest weight is returned; of equals, the first. If a thread has found
/// a win, the fastest win is returned without a vote. The scheme is from Stockfish.
pub(super) fn elect(all: &[Progress]) -> Option<&Progress> {
    // `max_by_key` returns the last of equals; reversed, that is the first.
    let wins = all.iter().rev().filter(|result| result.best().score.is_win());
    if let Some(win) = wins.max_by_key(|result| result.best().score) {
        return Some(win);
    }
    let lowest = all.iter().map(|result| result.best().score).min()?;
    let votes_of = |mv| {
        all.iter().filter(|result| result.best().mv == mv).map(|result| weight(result, lowest)).sum::<i64>()
    };
    all.iter().rev().max_by_key(|result| (votes_of(result.best().mv), weight(result, lowest)))
}

fn weight(result: &Progress, lowest: Score) -> i64 {
    (i64::from(result.best().score.value() - lowest.value()) + i64::from(p::vote_of_lowest_score()))
        * i64::from(result.depth.max(1))
}

#[cfg(test)]
mod tests {
    use shakmaty::Square;

    use super::*;
    use crate::moves::Move;

    fn result(to: Square, depth: i32, score: Score) -> Progress {
        let mut progress = Progress { depth, ..Progress::new([Move::new(Square::E1, to)]) };
        progress.root_moves[0].score = score;
        progress
    }

    fn elected(all: &[Progress]) -> (Square, i32) {
        let result = elect(all).unwrap();
        (result.best().mv.to(), result.depth)
    }

    #[test]
    fn the_majority_and_the_depth_decide() {
        let cp = Score::from_value;
        let [d1, e2, f1] = [Square::D1, Square::E2, Square::F1];
        assert_eq!(elected(&[result(d1, 10, cp(20)), result(e2, 10, cp(20))]), (d1, 10));
        assert_eq!(
            elected(&[result(d1, 10, cp(20)), result(e2, 10, cp(20)), result(e2, 11, cp(20))]),
            (e2, 11)
        );
        assert_eq!(
            elected(&[result(d1, 10, cp(20)), result(e2, 10, cp(15)), result(f1, 14, cp(30))]),
            (f1, 14)
        );
        assert!(elect(&[]).is_none());
    }

    #[test]
    fn the_shortest_mate_wins() {
        let all = [
            result(Square::D1, 20, Score::from_value(900)),
            result(Square::E2, 5, Score::mate_at(7)),
            result(Square::F1, 5, Score::mate_at(3)),
        ];
        assert_eq!(elected(&all), (Square::F1, 5));
    }
}
