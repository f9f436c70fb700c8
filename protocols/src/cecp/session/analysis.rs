//! Analysis, hints, and what the user does with the mouse.

use std::io;

use game::Game;
use shakmaty::{Move, Square};

use super::{Session, Work};
use crate::cecp::markers;
use crate::cecp::output::move_text;
use crate::cecp::state::{Mode, Occupation};
use messages::cecp::{Message, Status};
use messages::cecp::{Place, RootMoves};

impl Session<'_> {
    /// `.`
    pub(super) fn tell_status(&mut self) -> io::Result<()> {
        if self.state.mode != Mode::Analyze {
            return Ok(());
        }
        let status = match (&self.work, self.board.game()) {
            (Some(work), Some(game)) => work.status(game),
            // XBoard never asks again if it gets no answer.
            _ => Status { centiseconds: 0, nodes: 0, depth: 0, moves_left: 0, moves_total: 0, current: None },
        };
        self.output.send(&Message::Status(status))
    }

    /// `hint`: at once if a good move is known, else after a moment of thinking if the engine is free.
    pub(super) fn hint(&mut self) -> io::Result<()> {
        let known = self.work.as_ref().map_or(self.expected, Work::hint);
        if let Some(mv) = known {
            return self.send_hint(mv);
        }
        self.hint_wanted = self.work.is_none();
        Ok(())
    }

    pub(super) fn send_hint(&mut self, mv: Move) -> io::Result<()> {
        match self.board.game() {
            Some(game) => {
                let text = move_text(game, mv);
                self.output.send(&Message::Hint(text))
            }
            None => Ok(()),
        }
    }

    /// `exclude`
    pub(super) fn exclude(&mut self, moves: &RootMoves, line: &str) -> io::Result<()> {
        match self.find(moves) {
            Some(found) => {
                self.excluded.extend(found);
                self.search_anew();
                Ok(())
            }
            None => self.output.error("not a legal move here", line),
        }
    }

    /// `include`
    pub(super) fn include(&mut self, moves: &RootMoves, line: &str) -> io::Result<()> {
        match self.find(moves) {
            Some(found) => {
                self.excluded.retain(|mv| !found.contains(mv));
                self.search_anew();
                Ok(())
            }
            None => self.output.error("not a legal move here", line),
        }
    }

    /// `setscore`: for as long as the analysis lasts, wherever the search comes upon the position.
    pub(super) fn set_score(&mut self, centipawns: i32, line: &str) -> io::Result<()> {
        let Some(game) = self.board.game() else {
            return self.output.error("command not legal now", line);
        };
        self.host.engine.tell_value(game, centipawns);
        self.search_anew();
        Ok(())
    }

    /// `lift`: where a man can go.
    pub(super) fn lift(&mut self, from: Place) -> io::Result<()> {
        match from {
            Place::Square(from) => {
                self.lifted = Some(from);
                self.highlight(|game| markers::targets(game, from))
            }
            Place::Hand(man) => {
                self.lifted = None;
                self.highlight(|game| markers::drops(game, man))
            }
        }
    }

    /// `hover`: what is captured by going there, unless it stands there.
    pub(super) fn hover(&mut self, at: Square) -> io::Result<()> {
        match self.lifted {
            Some(from) => self.highlight(|game| markers::victim(game, from, at)),
            None => Ok(()),
        }
    }

    fn highlight(&mut self, colors: impl FnOnce(&Game) -> Option<String>) -> io::Result<()> {
        match self.board.game().and_then(colors) {
            Some(colors) => self.output.send(&Message::Highlight(colors)),
            None => Ok(()),
        }
    }

    fn find(&self, moves: &RootMoves) -> Option<Vec<Move>> {
        let game = self.board.game()?;
        match moves {
            RootMoves::All => Some(game.legal_moves().into_iter().collect()),
            RootMoves::One(text) => game.parse_move(text).ok().map(|mv| vec![mv]),
        }
    }

    /// Lets an analysis begin again, with other root moves or settings.
    pub(super) fn search_anew(&mut self) {
        if self.occupation() == Occupation::Analyse {
            self.abandon();
        }
    }
}
