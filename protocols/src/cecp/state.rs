//! The engine's state as Appendix B of the specification has it: mode, side to move, pondering; and what the engine
//! does in it.

use game::Game;
use shakmaty::Color;

/// Which side the engine plays, if any.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum EngineMode {
    /// This side.
    Play(Color),
    /// Neither: moves for both sides come from the GUI. So it is before any command: the engine does not start to search by itself.
    #[default]
    Force,
    /// Neither, but it thinks about every position.
    Analyze,
}

/// What the engine does while it waits for the next line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Occupation {
    Nothing,
    /// It searches its own move.
    Think,
    /// It searches on the opponent's time.
    Ponder,
    /// It analyses until a command ends it.
    Analyse,
    /// It searches for a moment, because the user asked for a hint.
    Hint,
}

/// What a command or a move changes in the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StateChange {
    Nothing,
    /// `force`, `go`, `playother`, `analyze`, `result`, and every end of the game.
    Mode(EngineMode),
    /// `white`, `black`, `variant`: the engine plays this side, unless it analyses.
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

/// The state, but for the game: the side to move is the game's.
#[derive(Debug, Default)]
pub(super) struct SessionState {
    pub(super) mode: EngineMode,
    pub(super) ponder: bool,
    /// Search and clock are suspended until `resume`.
    pub(super) paused: bool,
    /// Moves are chosen with noise.
    pub(super) random: bool,
}

impl SessionState {
    /// The head of Appendix B's loop: what to do in the present position.
    pub(super) fn occupation(&self, game: &Game) -> Occupation {
        match self.mode {
            EngineMode::Analyze => Occupation::Analyse,
            EngineMode::Play(side) if side == game.turn() => Occupation::Think,
            // Not in the start position, says the specification of `hard`.
            EngineMode::Play(_) if self.ponder && !game.is_start_position() => Occupation::Ponder,
            EngineMode::Play(_) | EngineMode::Force => Occupation::Nothing,
        }
    }

    /// The body of Appendix B's loop: moves on to the state that a command or a move leads to.
    ///
    /// Two entries are read more leniently than they are written, for the sake of GUIs that set up positions in an analysis
    /// or say `exit` without one: `white` and `black` don't end an analysis, and `exit` ends nothing else.
    pub(super) fn apply(&mut self, change: StateChange) {
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
        for mv in moves {
            let mv = game.parse_move(mv).unwrap();
            game.play(mv).unwrap();
        }
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
