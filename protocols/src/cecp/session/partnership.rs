//! Bughouse: requests from and to the partner, whose board Herald does not see.
//!
//! A side without a legal move that could have one with a piece in its pocket is not mated: the session waits on its
//! own time and asks the partner for a piece.

use std::time::Instant;

use game::PocketOwner;

use super::CecpSession;
use messages::cecp::{Audience, Message};

/// The partner and its requests.
#[derive(Debug, Default)]
pub(super) struct Partnership {
    /// The partner's name; `None` without a partner.
    pub(super) partner: Option<String>,
    /// Whether the partner has asked Herald not to move for now.
    is_asked_to_sit: bool,
    /// When Herald's turn began in which it waits without thinking.
    sitting_since: Option<Instant>,
}

impl Partnership {
    /// Resets the requests for a new game.
    pub(super) fn begin(&mut self) {
        *self = Partnership { partner: self.partner.take(), ..Partnership::default() };
    }

    /// Handles `ptell`: `sit` asks to wait, `go` and `fast` to continue. Other messages are ignored, because they
    /// can't be understood without the partner's board.
    pub(super) fn hear(&mut self, text: &str) {
        match text.trim().trim_end_matches(['!', '.']).to_ascii_lowercase().as_str() {
            "sit" => self.is_asked_to_sit = true,
            "go" | "fast" => self.is_asked_to_sit = false,
            _ => {}
        }
    }
}

impl CecpSession<'_> {
    /// Returns whether it is Herald's turn and the partner has asked it to wait.
    pub(super) fn is_asked_to_sit(&self) -> bool {
        self.persons.partnership.is_asked_to_sit
            && self.own_turn().is_some_and(|game| game.pocket_owner() == PocketOwner::Partner)
    }

    /// Starts or ends waiting on Herald's own time. It waits while the partner wants it to, or while no move is legal
    /// without a new piece; in the latter case it asks the partner for one.
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
