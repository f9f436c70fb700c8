//! What the other end says.

use std::time::{Duration, Instant};

use game::{Outcome, WinReason, excerpt};
use messages::autoplayer::{GameTerms, GameVerdict, LinkMessage, LinkRole, MatchTerms, PlayedMove};

use super::{LinkAction, LinkMatch};
use crate::link::live::{self, ClockGap, LinkGame, LinkStage, MoveFault};

/// Number of moves out of turn in a game that are told.
const MOST_IGNORED: u32 = 5;

impl LinkMatch {
    /// Takes a message of the other end. Messages about a game that is over came while that was on its way, and are dropped.
    pub(crate) fn hear(&mut self, message: LinkMessage, at: Instant) {
        if self.is_over {
            return;
        }
        match (self.role, message) {
            (LinkRole::Slave, LinkMessage::Match(terms)) => self.take_terms(terms, at),
            (LinkRole::Slave, LinkMessage::Game(terms)) => self.take_game(terms, at),
            (LinkRole::Slave, LinkMessage::Start { game }) if self.is_current(game) && self.is_set() => {
                self.begin(at);
            }
            (LinkRole::Slave, LinkMessage::End(verdict)) if self.is_current(verdict.game) => {
                self.check_verdict(&verdict);
                self.conclude(&verdict, at);
                self.leave_as_decided();
            }
            (LinkRole::Master, LinkMessage::Ready { game }) if self.is_current(game) => {
                self.other_is_ready(at);
            }
            (LinkRole::Master, LinkMessage::Claim(verdict)) if self.is_current(verdict.game) => {
                self.judge_claim(verdict, at);
            }
            (_, LinkMessage::Move(played)) if self.is_current(played.game) => self.other_moves(&played, at),
            (_, LinkMessage::Draw { game, ply }) if self.is_current(game) => self.other_offers_draw(ply, at),
            (_, LinkMessage::Decline { game, ply }) if self.is_current(game) => self.other_declines(ply),
            (_, LinkMessage::Time { game, centiseconds }) if self.is_current(game) => {
                self.other_tells_clock(Duration::from_millis(centiseconds.saturating_mul(10)));
            }
            (_, LinkMessage::Thinking(thinking))
                if self.is_current(thinking.game) && self.remarks.allows(at) =>
            {
                let name = self.other.as_ref().map(|other| other.name.clone()).unwrap_or_default();
                self.report_thinking(&name, &thinking);
            }
            (_, LinkMessage::Note { text }) if self.remarks.allows(at) => {
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
            _ => self.stop_at_once(&reason, at),
        }
    }

    /// Takes the settings of the match, which come once.
    fn take_terms(&mut self, terms: MatchTerms, at: Instant) {
        if self.terms.is_some() {
            return self.refuse("it begins another match", at);
        }
        self.agree(terms);
    }

    /// Takes the next game of the match.
    fn take_game(&mut self, terms: GameTerms, at: Instant) {
        let Some(games) = self.terms.as_ref().map(|terms| terms.games) else { return };
        let number = terms.game;
        if self.game.is_some() {
            self.refuse("it begins another game before the end of this one", at);
        } else if number <= self.number || number > games {
            self.refuse(&format!("it begins game {number} of {games} after game {}", self.number), at);
        } else {
            self.set_up(terms);
        }
    }

    /// Ends the match with a master that does not follow the protocol.
    fn refuse(&mut self, what: &str, at: Instant) {
        if self.leaving.is_none() {
            self.stop_at_once(&format!("the master breaks the protocol: {what}"), at);
        }
    }

    /// Whether our engine is ready for a game that has not begun.
    fn is_set(&self) -> bool {
        let stage = self.game.as_ref().map(|game| game.stage);
        matches!(stage, Some(LinkStage::Setting { own: true, .. }))
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
        let is_offered = game.offers.get(!game.color).is_some();
        let name = game.seats.get(!game.color).name.clone();
        let gaps = match game.take(played, at) {
            Ok(gaps) => gaps,
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
        for gap in gaps {
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
        // One that stands is not passed on again: an engine that thinks need not read.
        if game.offers.get_mut(!game.color).replace(ply).is_some() {
            return;
        }
        if game.offers.get(game.color).is_some() {
            if self.role == LinkRole::Master {
                self.agree_draw(at);
            }
        } else if game.is_our_turn() {
            self.actions.push(LinkAction::OfferDraw);
        }
        // Otherwise the offer goes with the move that is still to come.
    }

    /// Takes the refusal of our offer, if that one stands.
    fn other_declines(&mut self, ply: Option<u32>) {
        let Some(game) = &mut self.game else { return };
        let is_meant = |offer: &mut u32| ply.is_none_or(|ply| ply == *offer);
        if game.offers.get_mut(game.color).take_if(is_meant).is_some() {
            self.actions.push(LinkAction::DeclineDraw);
        }
    }

    /// Passes on what the other engine says of its clock, once a move.
    fn other_tells_clock(&mut self, left: Duration) {
        let Some(game) = &mut self.game else { return };
        let ply = game.ply();
        if game.clock_told.replace(ply) != Some(ply) {
            self.actions.push(LinkAction::OpponentClock(left));
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
        let on_board = game.ending().filter(|_| game.ply() == verdict.ply);
        let is_fit = match (live::outcome(verdict), on_board) {
            (outcome, Some(_)) => outcome == on_board,
            (None, None) => verdict.result == "*",
            (Some(outcome), None) => may_decide(game, outcome),
        };
        if !is_fit {
            let [result, reason] = [&verdict.result, &verdict.reason].map(|text| excerpt(text));
            self.alert(format!(
                "the master ends game {}: {result} {{{reason}}}, not confirmed here",
                verdict.game
            ));
        }
    }

    fn other_leaves(&mut self, reason: Option<String>, at: Instant) {
        let is_last = self.terms.as_ref().is_some_and(|terms| self.number >= terms.games);
        let is_complete = self.role == LinkRole::Slave && is_last && self.game.is_none();
        let (why, told) = match reason {
            None if is_complete => {
                self.tell_end();
                self.is_over = true;
                return self.actions.push(LinkAction::Leave(None));
            }
            None => {
                let why = "the other end has left before the end of the match".to_owned();
                (why.clone(), why)
            }
            Some(reason) => (excerpt(&reason), format!("the other end has left: {}", excerpt(&reason))),
        };
        if let Some(game) = &self.game {
            let verdict = game.verdict(None, why, String::new());
            // The slave waits for it: both ends write the same game.
            if self.role == LinkRole::Master {
                self.send(LinkMessage::End(verdict.clone()));
            }
            self.conclude(&verdict, at);
        }
        self.is_over = true;
        self.actions.push(LinkAction::Leave(Some(told)));
    }
}

/// Whether the master may end a game beside the board: by the fault of an engine, time, agreement, or as we have claimed.
fn may_decide(game: &LinkGame, outcome: Outcome) -> bool {
    let is_claimed = game.stage == LinkStage::Claimed && outcome.winner() != Some(game.color);
    let is_theirs = outcome.winner() == Some(game.color) && !is_decided_on_board(outcome);
    let is_offered = game.offers.get(game.color).is_some();
    let is_agreed = outcome == Outcome::Draw(game::DrawReason::Agreement) && is_offered;
    is_claimed || is_theirs || is_agreed || outcome == game.game.flag_fall(!game.color)
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
