//! What our own engine does.

use std::time::{Duration, Instant};

use game::{Color, DrawReason, Outcome, WinReason, excerpt, millis_text};
use messages::autoplayer::{LinkMessage, LinkRole};

use super::{LinkAction, LinkMatch};
use crate::link::LinkReport;
use crate::link::live::{ClockGap, GapKind, LinkStage};
use crate::{Arrival, PlayerEvent, PlayerFault};

/// Time in which an engine must make the move that it has announced with a claim.
const CLAIM_PATIENCE: Duration = Duration::from_secs(1);

/// Difference between what an engine says of its clock and what its interface has measured, from which on it is told.
const CLOCK_TOLERANCE: Duration = Duration::from_secs(1);

impl LinkMatch {
    /// The engine is ready for the game, or is not.
    pub(crate) fn presented(&mut self, result: Result<(), PlayerFault>, at: Instant) {
        let Some(game) = &mut self.game else { return };
        if let Err(fault) = result {
            return self.lose(WinReason::Abandoned, fault.to_string(), at);
        }
        let number = game.terms.game;
        if let LinkStage::Setting { own, .. } = &mut game.stage {
            *own = true;
        }
        match self.role {
            LinkRole::Slave => self.send(LinkMessage::Ready { game: number }),
            LinkRole::Master => self.start_if_ready(at),
        }
    }

    pub(super) fn start_if_ready(&mut self, at: Instant) {
        let Some(game) = &self.game else { return };
        if game.stage == (LinkStage::Setting { own: true, other: true }) {
            let number = game.terms.game;
            self.send(LinkMessage::Start { game: number });
            self.begin(at);
        }
    }

    /// The engine can no longer be reached.
    pub(crate) fn engine_failed(&mut self, fault: &PlayerFault, at: Instant) {
        let is_breach = matches!(fault, PlayerFault::Malformed(_));
        let reason = if is_breach { WinReason::RulesInfraction } else { WinReason::Abandoned };
        self.lose(reason, fault.to_string(), at);
    }

    /// Takes an event of the engine.
    pub(crate) fn engine_says(&mut self, Arrival { at, event }: Arrival) {
        let Some(game) = &mut self.game else { return };
        if let PlayerEvent::Remark(text) = &event {
            if self.own_remarks.allows(at) {
                self.tell(format!("{} {text}", self.own.name));
            }
            return;
        }
        if let PlayerEvent::Fault(fault) = &event {
            return self.engine_failed(fault, at);
        }
        if game.stage != LinkStage::Playing {
            return;
        }
        let number = game.terms.game;
        match event {
            PlayerEvent::Move(text) if game.game.turn() == game.color => self.engine_moves(&text, at),
            PlayerEvent::Move(text) => {
                let detail = format!("move out of turn: {}", excerpt(&text));
                self.lose(WinReason::RulesInfraction, detail, at);
            }
            PlayerEvent::Thinking(thinking) if game.game.turn() == game.color => {
                game.thinking.update(thinking);
                self.tell_thinking(at);
            }
            PlayerEvent::DrawOffer => self.engine_offers_draw(at),
            PlayerEvent::DrawRefusal => {
                if let Some(ply) = game.offers.get_mut(!game.color).take() {
                    self.send(LinkMessage::Decline { game: number, ply: Some(ply) });
                }
            }
            PlayerEvent::Clock(left) => self.engine_tells_clock(left, at),
            PlayerEvent::Resignation => self.lose(WinReason::Resignation, String::new(), at),
            PlayerEvent::Claim { result, reason } => self.engine_claims(&result, &reason, at),
            PlayerEvent::Complaint(text) => {
                self.unconfirmed(&format!("rejects a legal move: {}", excerpt(&text)), at);
            }
            // Thinking in the opponent's time, and what was handled above.
            PlayerEvent::Thinking(_)
            | PlayerEvent::OtherLine(..)
            | PlayerEvent::Remark(_)
            | PlayerEvent::ServerMessage(_)
            | PlayerEvent::Fault(_) => {}
        }
    }

    fn engine_moves(&mut self, text: &str, at: Instant) {
        if self.check_flag(at) {
            return;
        }
        let Some(game) = &mut self.game else { return };
        let played = match game.play(text, at) {
            Ok(played) => played,
            Err(reason) => return self.lose(WinReason::IllegalMove, reason, at),
        };
        let announced = game.announced.take().filter(|_| game.ending().is_none());
        self.tell(format!("{} plays {}: {}", self.own.name, played.san, played.comment));
        self.send(LinkMessage::Move(played));
        if let Some((claim, _)) = announced {
            return self.unconfirmed(&claim, at);
        }
        self.actions.push(LinkAction::Wait);
        self.go_on(at);
    }

    fn engine_offers_draw(&mut self, at: Instant) {
        let Some(game) = &mut self.game else { return };
        let (number, ply) = (game.terms.game, game.ply());
        if game.offers.get_mut(game.color).replace(ply).is_some() {
            return;
        }
        let is_agreed = game.offers.get(!game.color).is_some();
        self.send(LinkMessage::Draw { game: number, ply });
        if is_agreed && self.role == LinkRole::Master {
            self.agree_draw(at);
        }
    }

    pub(super) fn agree_draw(&mut self, at: Instant) {
        self.decide(Some(Outcome::Draw(DrawReason::Agreement)), String::new(), String::new(), at);
    }

    /// Passes on what the engine says of its clock. The clock that counts is that of its interface.
    fn engine_tells_clock(&mut self, left: Duration, at: Instant) {
        let Some(game) = &self.game else { return };
        let number = game.terms.game;
        let measured = game.clock.remaining(game.color, at).filter(|_| !game.clock.is_running());
        self.send(LinkMessage::Time { game: number, centiseconds: (left.as_millis() / 10) as u64 });
        if let Some(measured) = measured.filter(|measured| measured.abs_diff(left) > CLOCK_TOLERANCE) {
            let told = [left, measured].map(millis_text);
            self.tell_gap(&ClockGap {
                kind: GapKind::Engine,
                size: measured.abs_diff(left),
                is_plain: true,
                text: format!(
                    "{} believes that it has {} left; measured are {}",
                    self.own.name, told[0], told[1]
                ),
            });
        }
    }

    fn engine_claims(&mut self, result: &str, reason: &str, at: Instant) {
        let Some(game) = &mut self.game else { return };
        let claim = format!("claims {result} {{{}}}", excerpt(reason));
        if result == game.color.fold_wb("0-1", "1-0") {
            return self.lose(WinReason::Resignation, format!("its engine {claim}"), at);
        }
        if result == "1/2-1/2" && game.offers.get(!game.color).is_some() {
            return self.engine_offers_draw(at);
        }
        let may_follow = result != "*" && game.is_our_turn() && game.announced.is_none();
        if may_follow {
            game.announced = at.checked_add(CLAIM_PATIENCE).map(|until| (claim, until));
        } else {
            self.unconfirmed(&claim, at);
        }
    }

    /// The engine has ended the game, and its interface cannot confirm why: nobody shall believe to have won or lost.
    fn unconfirmed(&mut self, claim: &str, at: Instant) {
        let text = format!("{} {claim}", self.own.name);
        self.alert(format!("not confirmed by the rules: {text}"));
        self.decide(None, text, String::new(), at);
    }

    fn lose(&mut self, reason: WinReason, detail: String, at: Instant) {
        let Some(game) = &self.game else { return };
        if game.stage == LinkStage::Claimed {
            return;
        }
        let outcome = Outcome::Win { winner: !game.color, reason };
        self.decide(Some(outcome), String::new(), detail, at);
    }

    /// When [`LinkMatch::tick`] has to be called.
    pub(crate) fn due(&self) -> Option<Instant> {
        let game = self.game.as_ref()?;
        let claim = game.announced.as_ref().map(|(_, until)| *until);
        // A flag falls only after its moment.
        let flag = game.clock.flag_falls().map(|at| at + Duration::from_nanos(1));
        claim.into_iter().chain(flag).min()
    }

    /// Time has passed.
    pub(crate) fn tick(&mut self, now: Instant) {
        if self.check_flag(now) {
            return;
        }
        if self.leaving.as_ref().is_some_and(|(_, until)| now >= *until) {
            self.abandon_game(
                &self.leaving.as_ref().map_or_else(String::new, |(reason, _)| reason.clone()),
                now,
            );
            self.leave_as_decided();
            return;
        }
        self.check_other(now);
        let claim = self.game.as_mut().and_then(|game| game.announced.take_if(|(_, until)| now > *until));
        if let Some((claim, _)) = claim {
            self.unconfirmed(&claim, now);
        }
    }

    /// Ends the game if the flag of our engine has fallen. Returns whether it has.
    fn check_flag(&mut self, at: Instant) -> bool {
        let Some(game) = self.game.as_ref().filter(|game| game.stage == LinkStage::Playing) else {
            return false;
        };
        if game.clock.flag_falls().is_none_or(|falls| at <= falls) {
            return false;
        }
        let loser: Color = game.color;
        let detail = format!("time overdrawn by {}", millis_text(game.clock.overrun(loser, at)));
        let outcome = game.game.flag_fall(loser);
        self.decide(Some(outcome), String::new(), detail, at);
        true
    }

    /// The operator at this end is told something about the line.
    pub(crate) fn report(&mut self, text: String) {
        self.actions.push(LinkAction::Report(LinkReport::Alert(text)));
    }
}
