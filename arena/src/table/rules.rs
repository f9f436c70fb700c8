//! The rules by which a game is judged.

use std::time::{Duration, Instant};

use game::{Clock, DrawReason, Game, Outcome, WinReason};
use shakmaty::{Color, Position as _};

use super::adjudication::Adjudication;

/// Rules of a match.
#[derive(Clone, Debug)]
pub struct Rules {
    /// Rule for repetitions and moves without progress.
    pub draws: DrawRule,
    /// Maximum time for a move of a side without a clock.
    pub patience: Duration,
    /// Rules of adjudication.
    pub adjudication: Adjudication,
}

/// The numbers of repetitions, and of moves without capture or pawn move, that end a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DrawRule {
    /// Threefold repetition and fifty moves: the official claims every draw that a player could claim. Usual in engine
    /// matches, since most programs rely on it and few claim.
    #[default]
    Claimed,
    /// Fivefold repetition and seventy-five moves; earlier draws must be claimed (FIDE Laws 9.2, 9.3, 9.6).
    Automatic,
}

impl Default for Rules {
    /// The official claims draws, nothing is adjudicated, and a side without a clock has ten minutes for a move.
    fn default() -> Rules {
        Rules {
            draws: DrawRule::default(),
            patience: Duration::from_mins(10),
            adjudication: Adjudication::default(),
        }
    }
}

impl Rules {
    /// Returns the outcome if the position on the board ends the game.
    pub(crate) fn judge(&self, game: &Game) -> Option<Outcome> {
        game.outcome().or_else(|| {
            let draw = match self.draws {
                DrawRule::Claimed => game.claim(),
                DrawRule::Automatic => game.automatic_draw(),
            };
            draw.map(Outcome::Draw)
        })
    }
}

/// Whether the side to move can mate in one. A CEGO mediator must not declare a draw then ("the mediator must make sure
/// the playing engine could not deliver mate in their turn").
pub(super) fn can_mate_at_once(game: &Game) -> bool {
    game.legal_moves().into_iter().any(|m| {
        let mut next = game.position().clone();
        next.play_unchecked(m);
        next.is_checkmate()
    })
}

/// Returns the outcome, and a text with the overdrawn time, if the flag of the side to move has fallen by now.
pub(crate) fn check_flag(game: &Game, clock: &Clock, at: Instant) -> Option<(Outcome, String)> {
    if at <= clock.flag_falls()? {
        return None;
    }
    let mover = game.turn();
    Some((flag_fall(game, mover), format!("time overdrawn by {:?}", clock.overrun(mover, at))))
}

/// Returns the outcome when the flag of `loser` has fallen: a draw if the opponent could not mate by any series of
/// legal moves (FIDE Laws 6.9). Only the material is examined; permanently blocked positions are not recognised.
fn flag_fall(game: &Game, loser: Color) -> Outcome {
    if game.position().has_insufficient_material(!loser) {
        Outcome::Draw(DrawReason::TimeoutVsInsufficient)
    } else {
        Outcome::Win { winner: !loser, reason: WinReason::TimeForfeit }
    }
}

#[cfg(test)]
mod tests {
    use game::CastlingMode;

    use super::*;

    fn game(fen: &str, moves: &str) -> Game {
        let mut game = Game::from_fen(fen, CastlingMode::Standard).unwrap();
        for text in moves.split_whitespace() {
            game.play(game.parse_move(text).unwrap()).unwrap();
        }
        game
    }

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    const SHUFFLE: &str = "Nf3 Nf6 Ng1 Ng8 ";

    #[test]
    fn officials_claim_at_three_or_wait_for_five() {
        let (claimed, automatic) =
            (Rules::default(), Rules { draws: DrawRule::Automatic, ..Rules::default() });
        let three = game(START, &SHUFFLE.repeat(2));
        assert_eq!(claimed.judge(&three), Some(Outcome::Draw(DrawReason::Repetition)));
        assert_eq!(automatic.judge(&three), None);
        let five = game(START, &SHUFFLE.repeat(4));
        assert_eq!(automatic.judge(&five), Some(Outcome::Draw(DrawReason::FivefoldRepetition)));
        assert_eq!(claimed.judge(&game(START, SHUFFLE)), None);
    }

    #[test]
    fn a_mate_at_hand_is_seen() {
        assert!(can_mate_at_once(&game("6k1/Q7/5K2/8/8/8/8/8 b - - 99 80", "Kh8")));
        assert!(!can_mate_at_once(&game("6k1/8/8/8/8/8/8/K6Q b - - 99 80", "Kf8")));
    }

    #[test]
    fn mate_on_the_hundredth_ply_stands() {
        let mate = game("7k/8/5K2/8/8/8/8/6Q1 w - - 99 80", "Qg7");
        let won = Outcome::Win { winner: Color::White, reason: WinReason::Checkmate };
        assert_eq!(Rules::default().judge(&mate), Some(won));
    }

    #[test]
    fn time_runs_out_against_a_side_that_cannot_mate() {
        let draw = Outcome::Draw(DrawReason::TimeoutVsInsufficient);
        let lone_king = game("4k3/8/8/8/8/8/8/Q3K3 w - - 0 1", "");
        assert_eq!(flag_fall(&lone_king, Color::White), draw);
        assert_eq!(flag_fall(&lone_king, Color::Black).winner(), Some(Color::White));
        let knight_against_queen = game("4k1n1/8/8/8/8/8/8/Q3K3 w - - 0 1", "");
        assert_eq!(flag_fall(&knight_against_queen, Color::White), draw);
        let knight_against_rook = game("4k1n1/8/8/8/8/8/8/R3K3 w - - 0 1", "");
        assert_eq!(
            flag_fall(&knight_against_rook, Color::White).winner(),
            Some(Color::Black),
            "a helpmate exists"
        );
    }
}
