//! Which positions of a game teach something.

use search::{Position, Score};

use crate::record::Played;

/// The opening is random, and what follows still has to become chess.
const FIRST_PLY: usize = 16;
/// Greater scores, in centipawns, are decided: they teach little, and mates nothing.
const DECIDED: i32 = 2500;
/// With fewer pieces, rules and endgame tables know better.
const FEWEST_PIECES: usize = 4;

/// Whether a position, `ply` plies into its game, is one that an evaluation should be able to judge: quiet, since what
/// was best in it was neither a capture nor a promotion nor a way out of check, and open. Returns the score.
pub(crate) fn quiet_score(ply: usize, position: &Position, played: Played) -> Option<i32> {
    let score = played.score?;
    let is_wanted = ply >= FIRST_PLY
        && score.abs() < DECIDED
        && !Score::from_value(score).is_mate()
        && !position.is_check()
        && !position.is_tactical(played.mv)
        && position.occupied().count() >= FEWEST_PIECES;
    is_wanted.then_some(score)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::GameResult;
    use crate::record::tests::game;

    #[test]
    fn quiet_positions_are_kept() {
        let shuffle = "g1f3 g8f6 f3g1 f6g8 ".repeat(4);
        let moves = "e2e4:20 d7d5:-5 e4d5:30 d8d5:-10 b1c3:40 d5e5:-30 f1e2:2600 g8f6:-40";
        let game = game(GameResult::Draw, &(shuffle + moves));
        let kept: Vec<i32> = game
            .positions()
            .enumerate()
            .filter_map(|(ply, (position, played))| quiet_score(ply, &position, played))
            .collect();
        assert_eq!(kept, [20, -5, 40, -30, -40], "captures, evasions and the decided are left out");
    }
}
