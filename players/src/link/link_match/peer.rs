//! What the other end says.

use std::time::{Duration, Instant};

use game::{Outcome, WinReason, excerpt};
use messages::autoplayer::{GameVerdict, LinkMessage, LinkRole, PlayedMove};

use super::{LinkAction, LinkMatch};
use crate::link::live::{self, ClockGap, LinkGame, LinkStage, MoveFault};

/// Number of moves out of turn in a game that are told.
const MOST_IGNORED: u32 = 5;
/// Number of notes and lines of thinking in a second that are shown.
const MOST_REMARKS: u32 = 10;

impl LinkMatch {
    /// Takes a message of the other end. Messages about a game that is over came while that was on its way, and are dropped.
    pub(crate) fn hear(&mut self, message: LinkMessage, at: Instant) {
        if self.is_over {
            return;
        }
        match (self.role, message) {
            (LinkRole::Slave, LinkMessage::Match(terms)) => {
                self.abandon_game("the master has begun another match", at);
                (self.number, self.points) = (0, 0);
                self.agree(terms);
            }
            (LinkRole::Slave, LinkMessage::Game(terms)) if self.terms.is_some() => {
                self.abandon_game("the master has begun another game", at);
                self.set_up(terms);
            }
            (LinkRole::Slave, LinkMessage::Start { game }) if self.is_current(game) => self.begin(at),
            (LinkRole::Slave, LinkMessage::End(verdict)) if self.is_current(verdict.game) => {
                self.check_verdict(&verdict);
                self.conclude(&verdict, at);
            }
            (LinkRole::Master, LinkMessage::Ready { game }) if self.is_current(game) => {
                self.other_is_ready(at);
            }
            (LinkRole::Master, LinkMessage::Claim(verdict)) if self.is_current(verdict.game) => {
                self.judge_claim(verdict, at);
            }
            (_, LinkMessage::Move(played)) if self.is_current(played.game) => self.other_moves(&played, at),
            (_, LinkMessage::Draw { game, ply }) if self.is_current(game) => self.other_offers_draw(ply, at),
            (_, LinkMessage::Decline { game }) if self.is_current(game) => self.other_declines(),
            (_, LinkMessage::Time { game, centiseconds }) if self.is_current(game) => {
                let left = Duration::from_millis(centiseconds.saturating_mul(10));
                self.actions.push(LinkAction::OpponentClock(left));
            }
            (_, LinkMessage::Thinking(thinking)) if self.is_current(thinking.game) && self.may_remark(at) => {
                let name = self.other.as_ref().map(|other| other.name.clone()).unwrap_or_default();
                self.report_thinking(&name, &thinking);
            }
            (_, LinkMessage::Note { text }) if self.may_remark(at) => {
                self.report(format!("the other end: {}", excerpt(&text)));
            }
            (_, LinkMessage::Bye { reason }) => self.other_leaves(reason, at),
            _ => {}
        }
    }

    /// A message that cannot be read was counted as received, and does not come again: the game cannot go on.
    pub(crate) fn not_understood(&mut self, text: &str, at: Instant) {
        if self.is_over {
            return;
        }
        let reason = format!("a message is not understood: {text}");
        match &self.game {
            Some(game) if game.stage != LinkStage::Claimed => {
                self.alert(reason.clone());
                self.decide(None, reason, String::new(), at);
            }
            // Without a game nothing else can end the match; and after a claim, what cannot be read may be its answer.
            _ => self.stop(&reason, at),
        }
    }

    /// Whether the other end may say something to our operator, who must not be flooded.
    fn may_remark(&mut self, at: Instant) -> bool {
        let (since, count) = &mut self.remarks;
        if since.is_none_or(|since| at.saturating_duration_since(since) >= Duration::from_secs(1)) {
            (*since, *count) = (Some(at), 0);
        }
        *count += 1;
        *count <= MOST_REMARKS
    }

    fn is_current(&self, number: u32) -> bool {
        self.game.as_ref().is_some_and(|game| game.terms.game == number)
    }

    fn other_is_ready(&mut self, at: Instant) {
        if let Some(LinkStage::Setting { other, .. }) = self.game.as_mut().map(|game| &mut game.stage) {
            *other = true;
        }
        self.start_if_ready(at);
    }

    fn other_moves(&mut self, played: &PlayedMove, at: Instant) {
        let Some(game) = &mut self.game else { return };
        match game.stage {
            LinkStage::Setting { .. } => return,
            LinkStage::Playing => {}
            // It has crossed our claim. The master counts it, and its word about the end follows.
            LinkStage::Claimed => {
                let _ = game.take(played, at);
                return;
            }
        }
        let is_offered = *game.offers.get(!game.color);
        let name = game.seats.get(!game.color).name.clone();
        let gap = match game.take(played, at) {
            Ok(gap) => gap,
            Err(MoveFault::OutOfTurn) => {
                game.ignored += 1;
                if game.ignored > MOST_IGNORED {
                    return;
                }
                let (san, ply) = (excerpt(&played.san), played.ply);
                return self
                    .alert(format!("ignored: {san} of {name} out of turn, as move {ply} of the game"));
            }
            // Its own interface should have stopped it.
            Err(MoveFault::Illegal(reason)) => {
                self.alert(format!("{name} plays a move that is not legal here: {reason}"));
                return self.decide(None, format!("illegal move over the link: {reason}"), String::new(), at);
            }
        };
        self.tell(format!("{name} plays {}: {}", played.san, excerpt(&played.comment)));
        if let Some(gap) = gap {
            let text = format!("clocks run apart: {name} {}", gap.text);
            self.tell_gap(&ClockGap { text, ..gap });
        }
        self.go_on(at);
        if is_offered && self.game.as_ref().is_some_and(LinkGame::is_our_turn) {
            self.actions.push(LinkAction::OfferDraw);
        }
    }

    fn other_offers_draw(&mut self, ply: u32, at: Instant) {
        let Some(game) = &mut self.game else { return };
        // An offer that our move has crossed has lapsed at the other end, too.
        if game.stage != LinkStage::Playing || ply != game.ply() {
            return;
        }
        *game.offers.get_mut(!game.color) = true;
        if *game.offers.get(game.color) {
            if self.role == LinkRole::Master {
                self.agree_draw(at);
            }
        } else if game.is_our_turn() {
            self.actions.push(LinkAction::OfferDraw);
        }
        // Otherwise the offer goes with the move that is still to come.
    }

    fn other_declines(&mut self) {
        if let Some(game) = &mut self.game {
            *game.offers.get_mut(game.color) = false;
            self.actions.push(LinkAction::DeclineDraw);
        }
    }

    /// The master judges what the slave says of the end of the game.
    fn judge_claim(&mut self, verdict: GameVerdict, at: Instant) {
        let Some(game) = &self.game else { return };
        // A game that is over by the board has ended here before.
        let is_fit = match live::outcome(&verdict) {
            None => true,
            Some(outcome) => may_claim(game, outcome),
        };
        let outcome = live::outcome(&verdict).filter(|_| is_fit);
        if !is_fit {
            self.alert(format!("not confirmed by the master: {} {{{}}}", verdict.result, verdict.reason));
        }
        let reason = if is_fit { verdict.reason } else { format!("unconfirmed claim: {}", verdict.reason) };
        self.decide(outcome, reason, verdict.detail, at);
    }

    /// The slave accepts what the master says, and tells both operators if it cannot be.
    fn check_verdict(&mut self, verdict: &GameVerdict) {
        let Some(game) = &self.game else { return };
        let Some(outcome) = live::outcome(verdict) else { return };
        let is_on_board = game.ply() == verdict.ply && game.ending() == Some(outcome);
        // What ends a game beside the board: the fault of an engine, time, agreement. We have claimed ours.
        let is_claimed = game.stage == LinkStage::Claimed && outcome.winner() != Some(game.color);
        let is_theirs = outcome.winner() == Some(game.color) && !is_decided_on_board(outcome);
        let is_agreed = outcome == Outcome::Draw(game::DrawReason::Agreement) && *game.offers.get(game.color);
        let is_time = outcome == game.game.flag_fall(!game.color);
        if !(is_on_board || is_claimed || is_theirs || is_agreed || is_time) {
            let (result, reason) = (&verdict.result, excerpt(&verdict.reason));
            self.alert(format!(
                "the master ends game {}: {result} {{{reason}}}, not confirmed here",
                verdict.game
            ));
        }
    }

    fn other_leaves(&mut self, reason: Option<String>, at: Instant) {
        self.is_over = true;
        // Both ends write the same reason into the game.
        let reason = reason.map(|reason| excerpt(&reason));
        if let Some(reason) = &reason {
            self.abandon_game(reason, at);
        } else {
            self.abandon_game("the other end has left", at);
            self.tell_end();
        }
        let reason = reason.map(|reason| format!("the other end has left: {reason}"));
        self.actions.push(LinkAction::Leave(reason));
    }
}

/// Whether the slave may claim an outcome: that its own engine loses, or that its time is up and nobody wins.
fn may_claim(game: &LinkGame, outcome: Outcome) -> bool {
    let is_own_loss = outcome.winner() == Some(game.color) && !is_decided_on_board(outcome);
    is_own_loss || outcome == game.game.flag_fall(!game.color)
}

/// Whether both ends would see the outcome on the board.
fn is_decided_on_board(outcome: Outcome) -> bool {
    matches!(outcome, Outcome::Win { reason: WinReason::Checkmate, .. })
}
