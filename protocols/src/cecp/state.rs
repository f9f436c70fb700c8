//! The engine's state as Appendix B of the specification has it: mode, side to move, pondering; and what the engine
//! does in it.

use game::Game;
use shakmaty::Color;

use messages::cecp::Command;

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

/// The state, but for the game: the side to move is the game's.
#[derive(Debug)]
pub(super) struct State {
    pub(super) mode: Mode,
    pub(super) ponder: bool,
    /// Everything stands still until `resume`.
    pub(super) paused: bool,
    /// The choice of moves is to vary.
    pub(super) random: bool,
}

impl Default for State {
    /// Before any command the engine plays neither side, so that it does not think of its own accord.
    fn default() -> State {
        State { mode: Mode::Force, ponder: false, paused: false, random: false }
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
            Mode::Play(_) | Mode::Force => Occupation::Nothing,
        }
    }

    /// The body of Appendix B's loop, as far as it is not about the position; `turn` is the side to move, if there is a
    /// legal position. To be called for commands that were obeyed.
    ///
    /// Two entries are read more kindly than they stand there, for the sake of GUIs that set up positions in an analysis
    /// or say `exit` without one: `white` and `black` don't end an analysis, and `exit` ends nothing else.
    pub(super) fn obey(&mut self, command: &Command, turn: Option<Color>) {
        use Command as C;
        let is_analysing = self.mode == Mode::Analyze;
        let play = |side: Option<Color>| side.map(Mode::Play);
        let mode = match command {
            C::Force | C::Result { .. } => Some(Mode::Force),
            C::New | C::Variant(_) | C::White if !is_analysing => Some(Mode::Play(Color::Black)),
            C::Black if !is_analysing => Some(Mode::Play(Color::White)),
            C::Go => play(turn),
            C::PlayOther => play(turn.map(|turn| !turn)),
            C::Analyze => Some(Mode::Analyze),
            C::Exit if is_analysing => Some(Mode::Force),
            _ => None,
        };
        self.mode = mode.unwrap_or(self.mode);
        match command {
            C::Easy => self.ponder = false,
            C::Hard => self.ponder = true,
            C::Pause => self.paused = true,
            C::Resume => self.paused = false,
            C::Random => self.random = !self.random,
            C::New => self.random = false,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(mode: Mode, ponder: bool) -> State {
        State { mode, ponder, ..State::default() }
    }

    fn occupation(mode: Mode, ponder: bool, moves: &[&str]) -> Occupation {
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

    #[test]
    fn the_modes_of_appendix_b() {
        let (white, black) = (Mode::Play(Color::White), Mode::Play(Color::Black));
        let all = [white, black, Mode::Force, Mode::Analyze];
        // The command, the side to move, and the mode that follows each of all.
        for (command, turn, expected) in [
            ("force", Color::White, [Mode::Force; 4]),
            ("result *", Color::White, [Mode::Force; 4]),
            ("new", Color::White, [black, black, black, Mode::Analyze]),
            ("variant normal", Color::White, [black, black, black, Mode::Analyze]),
            ("white", Color::White, [black, black, black, Mode::Analyze]),
            ("black", Color::Black, [white, white, white, Mode::Analyze]),
            ("go", Color::White, [white; 4]),
            ("go", Color::Black, [black; 4]),
            ("playother", Color::White, [black; 4]),
            ("playother", Color::Black, [white; 4]),
            ("analyze", Color::White, [Mode::Analyze; 4]),
            ("exit", Color::White, [white, black, Mode::Force, Mode::Force]),
            ("usermove e2e4", Color::Black, all),
            ("setboard x", Color::Black, all),
            ("undo", Color::Black, all),
            ("ping 1", Color::White, all),
        ] {
            for (before, after) in all.into_iter().zip(expected) {
                let mut state = state(before, true);
                state.obey(&command.parse().unwrap(), Some(turn));
                assert_eq!(state.mode, after, "{command} in {before:?}");
            }
        }
        let mut state = state(white, false);
        state.obey(&Command::Go, None);
        assert_eq!(state.mode, white, "without a position there is no side to play");
    }
}
