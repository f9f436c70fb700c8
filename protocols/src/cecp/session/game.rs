//! The game: new games, positions, the opponent's moves.

use game::{Game, Outcome};
use shakmaty::Color;

use super::{CecpSession, PositionNotes};
use crate::agreements::Agreements;
use crate::cecp::Dialect;
use crate::cecp::clock::still_fits;
use crate::cecp::output::echo;
use messages::cecp::{
    CecpBoard, EditLine, EngineMode, NULL_MOVE, PREPARING_MOVE, PositionRefusal, StateChange, illegality,
    variants,
};

impl CecpSession<'_> {
    /// Handles `new`.
    pub(super) fn new_game(&mut self) -> StateChange {
        self.start_game("normal");
        self.ask_about_reset();
        StateChange::NewGame
    }

    /// Handles `variant` for a variant that Herald plays.
    pub(super) fn variant(&mut self, name: &str) -> StateChange {
        self.start_game(name);
        StateChange::Side(Color::Black)
    }

    fn start_game(&mut self, variant: &str) {
        let Some((game, setup)) = variants::start(variant) else { return };
        self.board = CecpBoard::new(game);
        self.board_replaced();
        self.agreements = Agreements::default();
        self.persons.begin();
        self.host.engine.new_game();
        self.clock.new_game();
        self.output.send_all(setup);
    }

    /// Handles a move from the GUI, usually the opponent's. Null moves belong to an analysis: no rule of a game allows them.
    pub(super) fn user_move(&mut self, text: &str) -> StateChange {
        if text == NULL_MOVE && !matches!(self.state.mode, EngineMode::Play(_)) && self.board.pass() {
            self.board_replaced();
            return StateChange::Nothing;
        }
        let Some(game) = self.board.game_mut() else {
            return self.report_illegal("no legal position".to_owned(), text);
        };
        let mv = match game.parse_move(text) {
            Ok(mv) => mv,
            Err(error) => return self.report_illegal(illegality(&error), text),
        };
        if let Err(error) = game.play(mv) {
            return self.report_illegal(error.to_string(), text);
        }
        self.position = PositionNotes::default();
        let claim = self.own_turn().filter(|game| !game.can_mate_at_once()).and_then(Game::claim);
        if let Some(reason) = claim {
            self.abandon();
            return self.announce_end(Outcome::Draw(reason));
        }
        let (limits, granted) = (self.clock.limits(self.ply()), self.clock.granted(self.ply()));
        match &mut self.search {
            Some(search) if search.reply == Some(mv) && still_fits(&search.limits, &limits) => {
                search.hit(granted);
                self.host.engine.ponder_hit();
                if let Some(line) = search.latest.clone() {
                    self.post(&line);
                }
            }
            _ => self.abandon(),
        }
        StateChange::Nothing
    }

    /// Reports an illegal move. Of [`PREPARING_MOVE`] in force mode before the first move the report waits for the next line, and a
    /// new position cancels it.
    fn report_illegal(&mut self, reason: String, text: &str) -> StateChange {
        let report = self.dialect.illegal_move(reason, echo(text));
        if self.dialect.is_autoplayer() {
            self.abandon();
            self.output.send(&report);
            return StateChange::Mode(EngineMode::Force);
        }
        let untouched = self.board.game().is_some_and(|game| game.ply() == 0);
        if untouched && self.state.mode == EngineMode::Force && text == PREPARING_MOVE {
            self.deferred.report = Some(report);
        } else {
            self.output.send(&report);
        }
        StateChange::Nothing
    }

    /// Handles `setboard`, and the `setpos` of an autoplayer. After the latter the engine answers moves also if its side is
    /// not on move: only the program with the first move gets `go`.
    pub(super) fn set_board(&mut self, fen: &str) -> StateChange {
        let changed = self.board.set_up(&self.dialect.fen(fen));
        self.take_over(changed);
        match (self.dialect, self.state.mode, self.board.game()) {
            (Dialect::Autoplayer(_), EngineMode::Play(_), Some(game)) => {
                StateChange::Mode(EngineMode::Play(!game.turn()))
            }
            (Dialect::Autoplayer(_), _, None) => StateChange::Mode(EngineMode::Force),
            _ => StateChange::Nothing,
        }
    }

    fn board_replaced(&mut self) {
        self.abandon();
        self.clock.forget_last_move();
        self.position = PositionNotes::default();
        self.agreements.forget_moves();
    }

    /// Completes a change left open by `white`, `black` or `edit`.
    pub(super) fn settle(&mut self) {
        let settled = self.board.settle();
        self.take_over(settled);
    }

    /// Handles `holding`.
    pub(super) fn holding(&mut self, white: &str, black: &str) -> Result<(), String> {
        let is_empty = white.is_empty() && black.is_empty();
        if !self.board.has_pockets() && !is_empty {
            return Err("no pieces in hand in this variant".into());
        }
        let changed = self.board.set_pockets(white, black).ok_or("no such piece")?;
        self.take_over(changed);
        Ok(())
    }

    /// Restarts from the board if it has changed.
    fn take_over(&mut self, changed: Result<bool, PositionRefusal>) {
        if !matches!(changed, Ok(false)) {
            self.board_replaced();
            self.clock.position_replaced(self.ply());
        }
        if let Err(PositionRefusal { fen, reason }) = changed {
            self.output.send(&self.dialect.illegal_position(&echo(&fen), &reason));
        }
    }

    /// Handles `edit`: the following lines are read by [`CecpSession::edit_line`].
    pub(super) fn begin_edit(&mut self) {
        self.board_replaced();
        self.board.edit();
    }

    /// Handles a line of edit mode.
    pub(super) fn edit_line(&mut self, line: &str) -> Result<StateChange, String> {
        let edit: EditLine = line.parse().map_err(|error| format!("{error} in edit mode"))?;
        self.board.obey(edit);
        // An analysis continues at once; otherwise the side to move may still follow.
        if edit == EditLine::End && self.state.mode == EngineMode::Analyze {
            self.settle();
        }
        Ok(StateChange::Nothing)
    }

    /// Handles `undo` and `remove`.
    pub(super) fn take_back(&mut self, plies: usize) -> Result<(), String> {
        if !self.board.take_back(plies) {
            return Err("command not legal now".into());
        }
        self.board_replaced();
        Ok(())
    }
}
