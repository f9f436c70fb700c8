//! The engine's state as Appendix B of the specification has it: mode, side to move, pondering; and what the engine
//! does in it.

use engine::Game;
use shakmaty::Color;

/// Which side the engine plays, if any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// This side.
    Play(Color),
    /// Neither: moves for both sides come from the GUI.
    Force,
    /// Neither, but it thinks about every position.
    Analyze,
}

/// What the engine does while it waits for the next line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Occupation {
    Nothing,
    /// About its own move.
    Think,
    /// On the opponent's time.
    Ponder,
    /// Until told otherwise.
    Analyse,
    /// For a moment, because the user asked for a hint.
    Hint,
}

/// The state, but for the game.
#[derive(Debug)]
pub(super) struct State {
    pub(super) mode: Mode,
    pub(super) ponder: bool,
    pub(super) hint_wanted: bool,
}

impl Default for State {
    /// Before any command the engine plays neither side, so that it does not think of its own accord.
    fn default() -> State {
        State { mode: Mode::Force, ponder: false, hint_wanted: false }
    }
}

impl State {
    /// The head of Appendix B's loop: what to do in the present position.
    pub(super) fn occupation(&self, game: &Game) -> Occupation {
        match self.mode {
            Mode::Analyze => Occupation::Analyse,
            Mode::Play(side) if side == game.turn() => Occupation::Think,
            // Not in the start position, says the specification of `hard`.
            Mode::Play(_) if self.ponder && !game.is_start_position() => Occupation::Ponder,
            Mode::Play(_) | Mode::Force if self.hint_wanted => Occupation::Hint,
            Mode::Play(_) | Mode::Force => Occupation::Nothing,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn occupation(mode: Mode, ponder: bool, moves: &[&str]) -> Occupation {
        let mut game = Game::default();
        for mv in moves {
            let mv = game.parse_move(mv).unwrap();
            game.play(mv).unwrap();
        }
        State { mode, ponder, hint_wanted: false }.occupation(&game)
    }

    #[test]
    fn the_loop_of_appendix_b() {
        use Occupation::{Analyse, Nothing, Ponder, Think};
        let white = Mode::Play(Color::White);
        let black = Mode::Play(Color::Black);
        for ponder in [false, true] {
            assert_eq!(occupation(Mode::Analyze, ponder, &[]), Analyse);
            assert_eq!(occupation(Mode::Force, ponder, &["e4"]), Nothing);
            assert_eq!(occupation(white, ponder, &[]), Think);
            assert_eq!(occupation(black, ponder, &["e4"]), Think);
            assert_eq!(occupation(white, ponder, &["e4"]), if ponder { Ponder } else { Nothing });
            assert_eq!(occupation(black, ponder, &[]), Nothing);
        }
    }
}
