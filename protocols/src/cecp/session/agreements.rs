//! Agreeing on draws.

use std::io;

use engine::NumberSetting;
use game::Score;
use game::{DrawReason, Game, Outcome};
use shakmaty::{Move, Position as _};

use super::Session;
use crate::cecp::dialect::Dialect;
use crate::cecp::variants;
use messages::cecp::Message;

impl Session<'_> {
    /// Offers, accepts, claims or declines a draw with a move of the engine.
    pub(super) fn talk_about_a_draw(&mut self, before: &Game, mv: Move, score: Score) -> io::Result<()> {
        let settings = self.host.engine.settings();
        let value = score.value();
        let was_offered = std::mem::take(&mut self.agreements.draw_offered);
        let accepts = was_offered && value <= settings.get(NumberSetting::DrawScore);
        // A draw by the rules is claimed if nothing better is in sight: what the search finds is then worth a draw.
        let claims = self.dialect == Dialect::XBoard
            && makes_a_draw(before, mv)
            && value <= (-settings.get(NumberSetting::Contempt)).max(0);
        let number = before.position().fullmoves().get();
        let offers = self.agreements.is_time_to_offer(number, settings);
        if accepts || claims || offers {
            self.output.send(&self.dialect.draw())
        } else if was_offered && self.dialect == Dialect::Autoplayer {
            self.output.send(&Message::Decline)
        } else {
            Ok(())
        }
    }
}

/// Whether a move makes a draw that is not plain for all to see: one that can be claimed, or a dead position.
fn makes_a_draw(before: &Game, mv: Move) -> bool {
    let mut after = before.clone();
    let outcome = after.play(mv).ok().and_then(|()| after.outcome());
    let is_hidden = outcome.is_some_and(|outcome| match outcome {
        Outcome::Draw(DrawReason::InsufficientMaterial) => true,
        Outcome::Draw(_) => !variants::is_plain(before.variant(), outcome),
        Outcome::Win { .. } => false,
    });
    is_hidden || before.claim_after(mv).is_some()
}
