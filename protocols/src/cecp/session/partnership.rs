//! Bughouse: requests from and to the partner, whose board Herald does not see.
//!
//! A side without a legal move that could have one with a piece in its pocket is not mated: the session waits on its own time and
//! asks the partner for a piece.

use std::time::Instant;

use game::PocketOwner;

use super::CecpSession;
use messages::cecp::{Audience, Message};

/// The partner, and what it has asked for.
#[derive(Debug, Default)]
pub(super) struct Partnership {
    /// Its name; `None` if there is no partner.
    pub(super) partner: Option<String>,
    /// Whether it wants no move from us for now.
    is_asked_to_sit: bool,
    /// Since when it has been our turn without our thinking.
    sitting_since: Option<Instant>,
}

impl Partnership {
    /// For a new game.
    pub(super) fn begin(&mut self) {
        *self = Partnership { partner: self.partner.take(), ..Partnership::default() };
    }

    /// `ptell`: `sit` asks to wait, `go` and `fast` to play on. Other messages are ignored:
    /// they can't be understood without the partner's board.
    pub(super) fn hear(&mut self, text: &str) {
        match text.trim().trim_end_matches(['!', '.']).to_ascii_lowercase().as_str() {
            "sit" => self.is_asked_to_sit = true,
            "go" | "fast" => self.is_asked_to_sit = false,
            _ => {}
        }
    }
}

impl CecpSession<'_> {
    /// Whether it is our turn, and the partner has asked us to wait.
    pub(super) fn is_asked_to_sit(&self) -> bool {
        self.persons.partnership.is_asked_to_sit
            && self.own_turn().is_some_and(|game| game.pocket_owner() == PocketOwner::Partner)
    }

    /// Begins or ends to sit, on our own time: as long as the partner wants it, or while every move needs a piece that
    /// is not there. Then the partner is asked for one.
    pub(super) fn sit(&mut self) {
        let needs_piece =
            self.own_turn().is_some_and(|game| game.legal_moves().is_empty() && game.outcome().is_none());
        let sits = needs_piece || self.is_asked_to_sit();
        match self.persons.partnership.sitting_since {
            None if sits => {
                self.persons.partnership.sitting_since = Some(Instant::now());
                if needs_piece && self.persons.partnership.partner.is_some() {
                    let text = "ptell I sit: I can't move without a piece".to_owned();
                    self.output.send(&Message::Tell(Audience::Ics, text));
                }
            }
            Some(since) if !sits => {
                self.persons.partnership.sitting_since = None;
                self.clock.spend(since.elapsed());
            }
            _ => {}
        }
    }
}
