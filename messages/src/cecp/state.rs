//! The engine's state as in Appendix B of the specification: mode, side to move and pondering, and what the engine
//! does in each state.

use game::Game;
use shakmaty::Color;

/// The side that the engine plays, if any.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EngineMode {
    /// The engine plays this side.
    Play(Color),
    /// The engine plays neither side: the GUI sends the moves of both. This is also the mode before any command, so
    /// that the engine does not start to search by itself.
    #[default]
    Force,
    /// The engine plays neither side and analyses every position.
    Analyze,
}

/// What the engine does while it waits for the next line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occupation {
    /// It waits.
    Nothing,
    /// It searches for its own move.
    Think,
    /// It thinks on the opponent's time.
    Ponder,
    /// It analyses until a command ends the analysis.
    Analyse,
    /// It searches for a moment because the user has asked for a hint.
    Hint,
}

/// A change of the state by a command or a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateChange {
    /// None.
    Nothing,
    /// `force`, `go`, `playother`, `analyze`, `result`, and every end of the game.
    Mode(EngineMode),
    /// `white`, `black`, `variant`: the engine plays this side unless it is analysing.
    Side(Color),
    /// `new`
    NewGame,
    /// `exit`
    EndAnalysis,
    /// `hard`, `easy`
    Ponder(bool),
    /// `pause`, `resume`
    Paused(bool),
    /// `random`
    ToggleRandom,
}

/// The state without the game, which knows the side to move.
#[derive(Debug, Default)]
pub struct SessionState {
    /// The side that the engine plays.
    pub mode: EngineMode,
    /// Whether it thinks on the opponent's time.
    pub ponder: bool,
    /// Whether search and clock are suspended until `resume`.
    pub paused: bool,
    /// Whether moves are chosen with noise.
    pub random: bool,
}

impl SessionState {
    /// Returns what to do in the current position: the head of Appendix B's loop.
    pub fn occupation(&self, game: &Game) -> Occupation {
        match self.mode {
            EngineMode::Analyze => Occupation::Analyse,
            EngineMode::Play(side) if side == game.turn() => Occupation::Think,
            // The specification of `hard` excludes the start position.
            EngineMode::Play(_) if self.ponder && !game.is_start_position() => Occupation::Ponder,
            EngineMode::Play(_) | EngineMode::Force => Occupation::Nothing,
        }
    }

    /// Applies a change of state: the body of Appendix B's loop.
    ///
    /// Two entries are read more leniently than written, because some GUIs set up positions during an analysis or send
    /// `exit` outside of one: `white` and `black` don't end an analysis, and `exit` ends nothing else.
    pub fn apply(&mut self, change: StateChange) {
        let is_analysing = self.mode == EngineMode::Analyze;
        match change {
            StateChange::Mode(mode) => self.mode = mode,
            StateChange::Side(side) if !is_analysing => self.mode = EngineMode::Play(side),
            StateChange::NewGame => {
                self.apply(StateChange::Side(Color::Black));
                self.random = false;
            }
            StateChange::EndAnalysis if is_analysing => self.mode = EngineMode::Force,
            StateChange::Ponder(on) => self.ponder = on,
            StateChange::Paused(on) => self.paused = on,
            StateChange::ToggleRandom => self.random = !self.random,
            StateChange::Nothing | StateChange::Side(_) | StateChange::EndAnalysis => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(mode: EngineMode, ponder: bool) -> SessionState {
        SessionState { mode, ponder, ..SessionState::default() }
    }

    fn occupation(mode: EngineMode, ponder: bool, moves: &[&str]) -> Occupation {
        let mut game = Game::default();
        game.play_line(moves).unwrap();
        state(mode, ponder).occupation(&game)
    }

    #[test]
    fn the_loop_of_appendix_b() {
        use Occupation::{Analyse, Nothing, Ponder, Think};
        let white = EngineMode::Play(Color::White);
        let black = EngineMode::Play(Color::Black);
        for ponder in [false, true] {
            assert_eq!(occupation(EngineMode::Analyze, ponder, &[]), Analyse);
            assert_eq!(occupation(EngineMode::Force, ponder, &["e4"]), Nothing);
            assert_eq!(occupation(white, ponder, &[]), Think);
            assert_eq!(occupation(black, ponder, &["e4"]), Think);
            assert_eq!(occupation(white, ponder, &["e4"]), if ponder { Ponder } else { Nothing });
            assert_eq!(occupation(black, ponder, &[]), Nothing);
        }
    }
}
