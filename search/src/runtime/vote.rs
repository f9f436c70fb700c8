//! Whose move is played when several threads have searched.

use crate::runtime::deepening::RootMove;
use crate::score::Score;

/// What a thread has found.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    /// The last completed iteration, in plies.
    pub(crate) depth: i32,
    pub(crate) selective_depth: usize,
    /// The best move and its line.
    pub(crate) best: RootMove,
}

/// The finding to go by. Each thread votes for its move, the more the deeper it got and the better the score that it
/// found; of those with the elected move the one with the weightiest vote speaks. Known as voting, from Stockfish.
/// The first of equals wins, and a proven win needs no vote: the fastest is taken.
pub(crate) fn elect(all: &[Found]) -> Option<&Found> {
    if let Some(win) =
        first_max(all.iter().filter(|found| found.best.score.is_win()), |found| found.best.score)
    {
        return Some(win);
    }
    let lowest = all.iter().map(|found| found.best.score).min()?;
    let votes_of =
        |mv| all.iter().filter(|found| found.best.mv == mv).map(|found| weight(found, lowest)).sum::<i64>();
    first_max(all.iter(), |found| (votes_of(found.best.mv), weight(found, lowest)))
}

/// What the lowest score counts in centipawns, so that its depth still has a say.
const LEAST: i64 = 14;

fn weight(found: &Found, lowest: Score) -> i64 {
    (i64::from(found.best.score.value() - lowest.value()) + LEAST) * i64::from(found.depth.max(1))
}

/// The first of those with the greatest key.
fn first_max<'a, K: Ord>(
    all: impl Iterator<Item = &'a Found>,
    key: impl Fn(&Found) -> K,
) -> Option<&'a Found> {
    all.reduce(|best, next| if key(next) > key(best) { next } else { best })
}

#[cfg(test)]
mod tests {
    use shakmaty::Square;

    use super::*;
    use crate::moves::Move;

    fn found(to: Square, depth: i32, score: Score) -> Found {
        let mv = Move::new(Square::E1, to);
        Found {
            depth,
            selective_depth: 0,
            best: RootMove { mv, score, rank: score, line: vec![mv], nodes: 1 },
        }
    }

    fn elected(all: &[Found]) -> (Square, i32) {
        let found = elect(all).unwrap();
        (found.best.mv.to(), found.depth)
    }

    #[test]
    fn the_majority_and_the_depth_decide() {
        let cp = Score::from_value;
        let [d1, e2, f1] = [Square::D1, Square::E2, Square::F1];
        assert_eq!(elected(&[found(d1, 10, cp(20)), found(e2, 10, cp(20))]), (d1, 10));
        assert_eq!(elected(&[found(d1, 10, cp(20)), found(e2, 10, cp(20)), found(e2, 11, cp(20))]), (e2, 11));
        assert_eq!(elected(&[found(d1, 10, cp(20)), found(e2, 10, cp(15)), found(f1, 14, cp(30))]), (f1, 14));
        assert!(elect(&[]).is_none());
    }

    #[test]
    fn the_shortest_mate_wins() {
        let all = [
            found(Square::D1, 20, Score::from_value(900)),
            found(Square::E2, 5, Score::mate_at(7)),
            found(Square::F1, 5, Score::mate_at(3)),
        ];
        assert_eq!(elected(&all), (Square::F1, 5));
    }
}
