//! Analysis, hints, and the mouse actions of the user.

use game::Game;
use shakmaty::{Move, Square};

use super::CecpSession;
use crate::cecp::markers;
use crate::cecp::search::Search;
use messages::cecp::move_text;
use messages::cecp::{EngineMode, Occupation};
use messages::cecp::{Message, Place, RootMoves, Status};

impl CecpSession<'_> {
    /// Handles `.`.
    pub(super) fn tell_status(&mut self) {
        if self.state.mode != EngineMode::Analyze {
            return;
        }
        let status = match (&self.search, self.board.game()) {
            (Some(search), Some(game)) => search.status(game),
            // XBoard never asks again after a missing answer.
            _ => Status { centiseconds: 0, nodes: 0, depth: 0, moves_left: 0, moves_total: 0, current: None },
        };
        self.output.send(&Message::Status(status));
    }

    /// Handles `hint`. Answers at once if a good move is known, otherwise after a short search if the engine is idle.
    pub(super) fn hint(&mut self) {
        let known = self.search.as_ref().map_or(self.position.expected, Search::hint);
        self.position.hint_wanted |= known.is_none() && self.search.is_none();
        self.send_hint(known);
    }

    pub(super) fn send_hint(&mut self, mv: Option<Move>) {
        let hint = self.board.game().zip(mv).map(|(game, mv)| Message::Hint(move_text(mv, game.mode())));
        self.output.send_all(hint);
    }

    /// Handles `exclude`.
    pub(super) fn exclude(&mut self, moves: &RootMoves) -> Result<(), String> {
        let found = self.find(moves)?;
        self.position.excluded.extend(found);
        self.search_anew();
        Ok(())
    }

    /// Handles `include`.
    pub(super) fn include(&mut self, moves: &RootMoves) -> Result<(), String> {
        let found = self.find(moves)?;
        self.position.excluded.retain(|mv| !found.contains(mv));
        self.search_anew();
        Ok(())
    }

    /// Handles `setscore`. The score holds during the analysis wherever the search reaches the position.
    pub(super) fn set_score(&mut self, centipawns: i32) -> Result<(), String> {
        let game = self.board.game().ok_or("command not legal now")?;
        self.host.engine.tell_value(game, centipawns);
        self.search_anew();
        Ok(())
    }

    /// Handles `lift`: shows the target squares of the piece.
    pub(super) fn lift(&mut self, from: Place) {
        self.position.lifted = match from {
            Place::Square(from) => Some(from),
            Place::Hand(_) => None,
        };
        self.highlight(|game| match from {
            Place::Square(from) => markers::targets(game, from),
            Place::Hand(piece) => markers::drops(game, piece),
        });
    }

    /// Handles `hover`: marks a captured piece that does not stand on the square itself.
    pub(super) fn hover(&mut self, at: Square) {
        if let Some(from) = self.position.lifted {
            self.highlight(|game| markers::victim(game, from, at));
        }
    }

    fn highlight(&mut self, colors: impl FnOnce(&Game) -> Option<String>) {
        self.output.send_all(self.board.game().and_then(colors).map(Message::Highlight));
    }

    fn find(&self, moves: &RootMoves) -> Result<Vec<Move>, String> {
        let found = self.board.game().and_then(|game| match moves {
            RootMoves::All => Some(game.legal_moves().into_iter().collect()),
            RootMoves::One(text) => game.parse_move(text).ok().map(|mv| vec![mv]),
        });
        found.ok_or_else(|| "not a legal move here".into())
    }

    /// Restarts an analysis with other root moves or settings.
    pub(super) fn search_anew(&mut self) {
        if self.occupation() == Occupation::Analyse {
            self.abandon();
        }
    }
}
