//! Analysis, hints, and what the user does with the mouse.

use std::io;

use game::Game;
use shakmaty::{Move, Square};

use super::CecpSession;
use crate::cecp::markers;
use crate::cecp::output::move_text;
use crate::cecp::search::Search;
use crate::cecp::state::{EngineMode, Occupation};
use crate::obeyed::{Obeyed, refuse};
use messages::cecp::{Message, Place, RootMoves, Status};

impl CecpSession<'_> {
    /// `.`
    pub(super) fn tell_status(&mut self) -> io::Result<()> {
        if self.state.mode != EngineMode::Analyze {
            return Ok(());
        }
        let status = match (&self.search, self.board.game()) {
            (Some(search), Some(game)) => search.status(game),
            // XBoard never asks again if it gets no answer.
            _ => Status { centiseconds: 0, nodes: 0, depth: 0, moves_left: 0, moves_total: 0, current: None },
        };
        self.output.send(&Message::Status(status))
    }

    /// `hint`: at once if a good move is known, else after a moment of thinking if the engine is free.
    pub(super) fn hint(&mut self) -> io::Result<()> {
        let known = self.search.as_ref().map_or(self.position.expected, Search::hint);
        self.position.hint_wanted |= known.is_none() && self.search.is_none();
        known.map_or(Ok(()), |mv| self.send_hint(mv))
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
    pub(super) fn exclude(&mut self, moves: &RootMoves) -> Obeyed {
        let found = self.find(moves)?;
        self.position.excluded.extend(found);
        self.search_anew();
        Ok(())
    }

    /// `include`
    pub(super) fn include(&mut self, moves: &RootMoves) -> Obeyed {
        let found = self.find(moves)?;
        self.position.excluded.retain(|mv| !found.contains(mv));
        self.search_anew();
        Ok(())
    }

    /// `setscore`: for as long as the analysis lasts, wherever the search comes upon the position.
    pub(super) fn set_score(&mut self, centipawns: i32) -> Obeyed {
        let Some(game) = self.board.game() else { return refuse("command not legal now") };
        self.host.engine.tell_value(game, centipawns);
        self.search_anew();
        Ok(())
    }

    /// `lift`: where a man can go.
    pub(super) fn lift(&mut self, from: Place) -> io::Result<()> {
        match from {
            Place::Square(from) => {
                self.position.lifted = Some(from);
                self.highlight(|game| markers::targets(game, from))
            }
            Place::Hand(man) => {
                self.position.lifted = None;
                self.highlight(|game| markers::drops(game, man))
            }
        }
    }

    /// `hover`: what is captured by going there, unless it stands there.
    pub(super) fn hover(&mut self, at: Square) -> io::Result<()> {
        match self.position.lifted {
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

    fn find(&self, moves: &RootMoves) -> Obeyed<Vec<Move>> {
        let found = self.board.game().and_then(|game| match moves {
            RootMoves::All => Some(game.legal_moves().into_iter().collect()),
            RootMoves::One(text) => game.parse_move(text).ok().map(|mv| vec![mv]),
        });
        found.map_or_else(|| refuse("not a legal move here"), Ok)
    }

    /// Lets an analysis begin again, with other root moves or settings.
    pub(super) fn search_anew(&mut self) {
        if self.occupation() == Occupation::Analyse {
            self.abandon();
        }
    }
}
