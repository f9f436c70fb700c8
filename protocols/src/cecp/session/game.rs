//! The game: modes, positions, the opponent's moves.

use std::io;

use game::{MoveError, Outcome};

use super::Session;
use crate::agreements::Agreements;
use crate::cecp::board::Refusal;
use crate::cecp::clock::still_fits;
use crate::cecp::dialect::Dialect;
use crate::cecp::output::echo;
use crate::cecp::state::Mode;
use crate::cecp::variants;
use messages::cecp::EditLine;
use messages::cecp::Message;

impl Session<'_> {
    /// `new`, and `variant` for one that is played
    pub(super) fn start_game(&mut self, variant: &str) -> io::Result<()> {
        let Some((game, setup)) = variants::start(variant) else { return Ok(()) };
        self.board.start(game);
        self.board_replaced();
        self.partnership.begin();
        self.opponent.begin();
        self.host.engine.new_game();
        self.clock.new_game();
        setup.map_or(Ok(()), |setup| self.output.send(&setup))
    }

    /// Plays a move that the GUI has sent, usually the opponent's.
    pub(super) fn make_move(&mut self, text: &str) -> io::Result<()> {
        let Some(game) = self.board.game_mut() else {
            return self.report_illegal("there is no legal position".to_owned(), text);
        };
        let mv = match game.parse_move(text) {
            Ok(mv) => mv,
            Err(error) => {
                let reason = illegality(&error);
                return self.report_illegal(reason, text);
            }
        };
        if let Err(error) = game.play(mv) {
            return self.report_illegal(error.to_string(), text);
        }
        let (ply, claim) = (game.ply(), game.claim().filter(|_| self.state.mode == Mode::Play(game.turn())));
        self.position_changed();
        if let Some(reason) = claim {
            self.abandon();
            return self.announce_end(Outcome::Draw(reason));
        }
        let limits = self.clock.limits(ply);
        match &mut self.work {
            Some(work) if work.reply == Some(mv) && still_fits(&work.limits, &limits) => {
                work.hit();
                self.host.engine.ponder_hit();
                let found = work.latest().cloned();
                found.map_or(Ok(()), |line| self.post(&line))
            }
            _ => {
                self.abandon();
                Ok(())
            }
        }
    }

    /// Reports an illegal move.
    ///
    /// cutechess prepares Black's side of the board with `b2b3` before `setboard`, also where that is no legal move, and
    /// would count the report as a breach of the rules. So, before any move in force mode, the report waits for the
    /// next line, and a new position makes it superfluous.
    fn report_illegal(&mut self, reason: String, text: &str) -> io::Result<()> {
        let report = self.dialect.illegal_move(reason, echo(text));
        if self.dialect == Dialect::Autoplayer {
            self.abandon();
            self.state.mode = Mode::Force;
            return self.output.send(&report);
        }
        let untouched = self.board.game().is_some_and(|game| game.ply() == 0);
        if untouched && self.state.mode == Mode::Force {
            self.held_report = Some(report);
            return Ok(());
        }
        self.output.send(&report)
    }

    /// `setboard`
    pub(super) fn set_up(&mut self, fen: &str) -> io::Result<()> {
        let result = self.board.set_up(fen);
        self.board_replaced();
        self.tell_refusal(result)
    }

    fn board_replaced(&mut self) {
        self.abandon();
        self.position_changed();
        self.agreements = Agreements::default();
    }

    fn tell_refusal(&mut self, result: Result<(), Refusal>) -> io::Result<()> {
        match result {
            Ok(()) => Ok(()),
            Err(Refusal { fen, reason }) => {
                // With the whole position: pychess recognises its own by it.
                let text = format!("Illegal position {} ({reason})", echo(&fen));
                self.output.send(&Message::TellUserError(text))
            }
        }
    }

    /// Carries out what `white`, `black` or `edit` have left open.
    pub(super) fn settle(&mut self) -> io::Result<()> {
        match self.board.settle() {
            Ok(false) => Ok(()),
            settled => {
                self.board_replaced();
                self.tell_refusal(settled.map(|_| ()))
            }
        }
    }

    /// `holding`
    pub(super) fn hold(&mut self, white: &str, black: &str, line: &str) -> io::Result<()> {
        match self.board.hold(white, black) {
            None => self.output.error("no such piece", line),
            Some(Ok(false)) => Ok(()),
            Some(held) => {
                self.board_replaced();
                self.tell_refusal(held.map(|_| ()))
            }
        }
    }

    /// `edit`: the next lines are read by [`Session::edit`].
    pub(super) fn begin_edit(&mut self) {
        self.board_replaced();
        self.board.edit();
    }

    /// A line of edit mode.
    pub(super) fn edit(&mut self, line: &str) -> io::Result<()> {
        match line.parse::<EditLine>() {
            Ok(edit) => {
                self.board.obey(edit);
                // An analysis goes on at once; otherwise the side to move may still follow.
                if edit == EditLine::End && self.state.mode == Mode::Analyze { self.settle() } else { Ok(()) }
            }
            Err(error) => self.output.error(&format!("{error} in edit mode"), line),
        }
    }

    /// `undo` and `remove`
    pub(super) fn take_back(&mut self, plies: usize, line: &str) -> io::Result<()> {
        match self.board.game_mut().filter(|game| game.ply() >= plies) {
            Some(game) => {
                for _ in 0..plies {
                    game.undo();
                }
                self.board_replaced();
                Ok(())
            }
            None => self.output.error("command not legal now", line),
        }
    }
}

/// Why a text is no move, in the words for the parentheses of `Illegal move (...)`.
fn illegality(error: &MoveError) -> String {
    match error {
        MoveError::Unreadable { .. } => "unreadable".to_owned(),
        MoveError::Illegal { reason, .. } => reason.to_string(),
        MoveError::Ambiguous { candidates, .. } => format!("it could be {candidates}"),
    }
}
