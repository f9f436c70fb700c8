//! By which rules a game is judged.

use std::time::{Duration, Instant};

use game::{Clock, DrawReason, Game, Outcome, WinReason};
use shakmaty::{Color, Position as _};

use super::adjudication::Adjudication;

/// What the officials of a match agreed on.
#[derive(Clone, Debug)]
pub struct Rules {
    /// Which repetitions and moves without progress end the game.
    pub draws: DrawRule,
    /// How long a side without a clock may think about a move before it counts as silent.
    pub patience: Duration,
    /// When an official ends the game by its own judgement.
    pub adjudication: Adjudication,
}

/// Which repetitions and how many moves without capture or pawn move end a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DrawRule {
    /// Threefold repetition and fifty moves: the official claims what a player could. The custom of engine matches,
    /// since most programs count on it and few claim.
    #[default]
    Claimed,
    /// Fivefold repetition and seventy-five moves; draws before that have to be claimed (FIDE Laws 9.2, 9.3, 9.6).
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
    /// How the position on the board ends the game, if it does.
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

/// Whether the side to move has a move that mates. A CEGO mediator must not end a game by a draw then ("the mediator
/// must make sure the playing engine could not deliver mate in their turn").
pub(super) fn can_mate_at_once(game: &Game) -> bool {
    game.legal_moves().into_iter().any(|m| {
        let mut next = game.position().clone();
        next.play_unchecked(m);
        next.is_checkmate()
    })
}

/// How the game ends, and by how much time was overdrawn, if the flag of the side to move has fallen by now.
pub(crate) fn check_flag(game: &Game, clock: &Clock, at: Instant) -> Option<(Outcome, String)> {
    if at <= clock.flag_falls()? {
        return None;
    }
    let mover = game.turn();
    Some((flag_fall(game, mover), format!("time overdrawn by {:?}", clock.overrun(mover, at))))
}

/// What it means that the time of `loser` ran out: a draw if the opponent could not mate by any series of legal moves
/// (FIDE Laws 6.9), as far as the material tells; positions that are blocked for ever are not recognised.
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
