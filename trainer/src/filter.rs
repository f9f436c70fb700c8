//! Selection of the positions of a game that are used for training.

use search::{Position, Score};

use crate::record::Played;

/// First ply used. The opening is random, and the plies after it are still unusual.
const FIRST_PLY: usize = 16;
/// Positions with scores beyond this, in centipawns, are decided and excluded, mates too.
const DECIDED: i32 = 2500;
/// Minimum number of pieces. Fewer are left to rules and endgame tables.
const FEWEST_PIECES: usize = 4;

/// Returns the score of a position `ply` plies into its game if it is used for training: quiet (not in check, best move
/// neither capture nor promotion) and undecided.
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
