//! The match, as one end of a link sees it: what happens, and what is to be done about it. No I/O, no source of time.
//!
//! The master keeps the record: a game is over when the master says so, with the number of its moves. Moves alternate, and each end
//! adds only those of its own engine, so that both ends agree on the rest whatever the line does. Both ends know the rules and check
//! what the other one says; what they cannot confirm is told to both operators.

mod engine;
mod peer;
#[cfg(test)]
mod tests;
mod watch;

use std::time::{Duration, Instant};

use game::{Outcome, TimeControl};
use messages::autoplayer::{GameTerms, GameVerdict, Hello, LinkMessage, LinkRole, LinkThinking, MatchTerms};

use self::watch::GapSum;
use super::live::{self, LinkGame, LinkSeat, LinkStage};
use super::{LinkPlan, LinkReport};
use crate::NewGame;
use crate::limit::RateLimit;

/// What is to be done, in order.
#[derive(Debug)]
pub(crate) enum LinkAction {
    /// Send a message.
    Send(LinkMessage),
    /// Send a line that may be lost.
    Say(LinkMessage),
    /// Set up the game in the engine, and tell the match whether that went well.
    Present(Box<NewGame>),
    /// Ask the engine for its move, and start its clock.
    Think,
    /// Tell the engine that its move was accepted.
    Wait,
    /// Send the engine a draw offer, or its refusal, or the opponent's own clock.
    OfferDraw,
    DeclineDraw,
    OpponentClock(Duration),
    /// Tell the engine the outcome, or the reason why there is none.
    EndGame(Option<Outcome>, String),
    /// Tell the operator.
    Report(LinkReport),
    /// The match is over; the reason, if it is not complete.
    Leave(Option<String>),
}

/// One end of a match.
pub(crate) struct LinkMatch {
    role: LinkRole,
    own: LinkSeat,
    ponder: bool,
    plan: Option<LinkPlan>,
    /// The other end; `None` before the first connection.
    other: Option<Hello>,
    terms: Option<MatchTerms>,
    control: TimeControl,
    /// Number of the last game begun.
    number: u32,
    /// Points of our engine, doubled.
    points: u32,
    /// Games that ended without a result.
    without_result: u32,
    game: Option<LinkGame>,
    /// The thinking that was told last, and when.
    told_thinking: Option<(Instant, LinkThinking)>,
    thinking_pause: Duration,
    /// What the other end, and what our engine says to the operator.
    remarks: RateLimit,
    own_remarks: RateLimit,
    /// Differences between two readings of a clock in this match.
    gaps: [GapSum; 4],
    /// Whether there is a line.
    is_linked: bool,
    /// The message that is due from the other end, and since when.
    awaited: Option<(&'static str, Instant)>,
    patience: Duration,
    /// Why this end, a slave, leaves as soon as the master has ended the game, and until when that is awaited.
    leaving: Option<(String, Instant)>,
    is_over: bool,
    actions: Vec<LinkAction>,
}

/// Number of remarks in a second that are shown.
const MOST_REMARKS: u32 = 10;

/// Time for which a slave that leaves waits for the master's word about the game.
const LAST_WORD: Duration = Duration::from_secs(5);

/// The reason of games that the operator has ended.
pub(crate) const STOPPED: &str = "stopped by an operator";

impl LinkMatch {
    /// An end of a match that has not begun. The master has a plan. Thinking is told once in `thinking_pause`; a message that is
    /// due is awaited for `patience`.
    pub(crate) fn new(
        own: LinkSeat,
        ponder: bool,
        plan: Option<LinkPlan>,
        thinking_pause: Duration,
        patience: Duration,
    ) -> LinkMatch {
        LinkMatch {
            role: if plan.is_some() { LinkRole::Master } else { LinkRole::Slave },
            own,
            ponder,
            plan,
            other: None,
            terms: None,
            control: TimeControl::default(),
            number: 0,
            points: 0,
            without_result: 0,
            game: None,
            told_thinking: None,
            thinking_pause,
            remarks: RateLimit::new(MOST_REMARKS, Duration::from_secs(1)),
            own_remarks: RateLimit::new(MOST_REMARKS, Duration::from_secs(1)),
            gaps: Default::default(),
            is_linked: false,
            awaited: None,
            patience,
            leaving: None,
            is_over: false,
            actions: Vec::new(),
        }
    }

    /// Takes what is to be done.
    pub(crate) fn actions(&mut self) -> Vec<LinkAction> {
        std::mem::take(&mut self.actions)
    }

    pub(crate) fn game(&self) -> Option<&LinkGame> {
        self.game.as_ref()
    }

    fn send(&mut self, message: LinkMessage) {
        self.actions.push(LinkAction::Send(message));
    }

    fn tell(&mut self, text: String) {
        self.actions.push(LinkAction::Report(LinkReport::Event(text)));
    }

    /// Tells both operators.
    fn alert(&mut self, text: String) {
        self.send(LinkMessage::Note { text: text.clone() });
        self.actions.push(LinkAction::Report(LinkReport::Alert(text)));
    }

    /// A connection to the other end is established; `is_new` if it is not the program that was there before.
    pub(crate) fn connected(&mut self, other: &Hello, is_new: bool, at: Instant) {
        (self.is_linked, self.awaited) = (true, None);
        if !is_new {
            if let Some(game) = self.game.as_mut().filter(|game| game.game.turn() != game.color) {
                game.their_turn = Some(at);
            }
            self.tell("the line is there again".to_owned());
            return;
        }
        if self.other.is_some() {
            self.abandon_game("the interface at the other end was started again", at);
        }
        if self.leave_as_decided() {
            return;
        }
        if self.role == LinkRole::Slave {
            (self.terms, self.number, self.points, self.without_result) = (None, 0, 0, 0);
        }
        let rating = other.rating.map_or_else(String::new, |rating| format!(" ({rating})"));
        // Names are shown on a terminal.
        let other = Hello { name: game::excerpt(&other.name), ..other.clone() };
        self.tell(format!("linked with the {}: {}{rating}", other.role.word(), other.name));
        self.other = Some(other);
        if let Some(plan) = &self.plan {
            let terms = plan.terms.clone();
            self.send(LinkMessage::Match(terms.clone()));
            self.agree(terms);
            self.next_game();
        }
    }

    /// The line was damaged: how long the other end has really taken cannot be told any more.
    pub(crate) fn line_disturbed(&mut self) {
        if let Some(game) = &mut self.game {
            game.handed_over = None;
        }
    }

    /// The line is broken.
    pub(crate) fn line_broken(&mut self) {
        self.line_disturbed();
        self.is_linked = false;
        if let Some(game) = &mut self.game {
            game.their_turn = None;
        }
    }

    fn agree(&mut self, terms: MatchTerms) {
        match terms.control.parse() {
            Ok(control) => {
                let games = game::counted(terms.games.into(), "game");
                self.control = control;
                self.tell(format!("the match: {games}, {}", self.control.in_words()));
                (self.terms, self.gaps) = (Some(terms), Default::default());
            }
            Err(error) => self.leave(format!("the time control of the match: {error}")),
        }
    }

    /// Begins the next game, or ends the match. Only the master does.
    fn next_game(&mut self) {
        let Some(plan) = &mut self.plan else { return };
        if self.number >= plan.terms.games {
            self.tell_end();
            self.send(LinkMessage::Bye { reason: None });
            self.is_over = true;
            self.actions.push(LinkAction::Leave(None));
            return;
        }
        // Each opening is played with both colours.
        let opening = match (plan.opening)(self.number / 2) {
            Ok(opening) => opening,
            Err(reason) => return self.leave(reason),
        };
        self.number += 1;
        let white = if self.number % 2 == 1 { LinkRole::Master } else { LinkRole::Slave };
        let terms = live::terms_of(self.number, white, &opening, (plan.date)());
        if terms.chess960 && !self.other.as_ref().is_some_and(Hello::plays_chess960) {
            return self.leave("the other end does not play Chess960".to_owned());
        }
        self.send(LinkMessage::Game(terms.clone()));
        self.set_up(terms);
    }

    fn set_up(&mut self, terms: GameTerms) {
        let Some(other) = &self.other else { return };
        let other = LinkSeat { name: other.name.clone(), rating: other.rating };
        let number = terms.game;
        match LinkGame::new(terms, self.role, self.own.clone(), other, self.control.clone()) {
            Ok(game) => {
                let games = self.terms.as_ref().map_or(number, |terms| terms.games);
                self.tell(format!(
                    "game {number} of {games}: {} - {}",
                    game.seats.white.name, game.seats.black.name
                ));
                self.actions.push(LinkAction::Present(Box::new(game.presented(self.ponder))));
                (self.number, self.game) = (number, Some(game));
            }
            Err(reason) => self.leave(format!("game {number} cannot begin: {reason}")),
        }
    }

    /// Both engines are ready: White's is asked for its move.
    fn begin(&mut self, at: Instant) {
        if let Some(game) = &mut self.game {
            game.stage = LinkStage::Playing;
            self.go_on(at);
        }
    }

    /// After a move, or at the beginning: the game is over, or our engine has to move, or the other one has.
    fn go_on(&mut self, at: Instant) {
        let Some(game) = &mut self.game else { return };
        if let Some(outcome) = game.ending() {
            game.stage = LinkStage::Claimed;
            // The other end sees the same on its board; only the master says so.
            if self.role == LinkRole::Master {
                self.decide(Some(outcome), String::new(), String::new(), at);
            }
        } else if game.is_our_turn() {
            self.actions.push(LinkAction::Think);
        } else {
            game.their_turn = Some(at);
        }
    }

    /// The engine was asked for its move: its clock runs.
    pub(crate) fn thinking_began(&mut self, at: Instant) {
        if let Some(game) = &mut self.game {
            game.clock.start_turn(game.color, at);
        }
    }

    /// Ends the game, or as the slave proposes its end. `None` is a game without a result, which has a reason.
    fn decide(&mut self, outcome: Option<Outcome>, reason: String, detail: String, at: Instant) {
        let Some(game) = &mut self.game else { return };
        let verdict = game.verdict(outcome, reason, detail);
        match self.role {
            LinkRole::Master => {
                self.send(LinkMessage::End(verdict.clone()));
                self.conclude(&verdict, at);
                self.next_game();
            }
            LinkRole::Slave => {
                game.stage = LinkStage::Claimed;
                game.clock.stop(at);
                self.send(LinkMessage::Claim(verdict));
            }
        }
    }

    /// Ends the game as the verdict says, and writes it down.
    fn conclude(&mut self, verdict: &GameVerdict, at: Instant) {
        let Some(mut game) = self.game.take() else { return };
        let mut verdict = verdict.clone();
        let outcome = match game.close(&verdict, at) {
            Ok(outcome) => outcome,
            Err(reason) => {
                self.alert(format!("game {}: {reason}", verdict.game));
                verdict = game.verdict(None, reason, String::new());
                None
            }
        };
        self.actions.push(LinkAction::EndGame(outcome, verdict.reason.clone()));
        self.without_result += u32::from(outcome.is_none());
        self.points += match outcome.map(|outcome| outcome.winner()) {
            Some(Some(winner)) => 2 * u32::from(winner == game.color),
            Some(None) => 1,
            None => 0,
        };
        let [reason, detail] = [&verdict.reason, &verdict.detail].map(|text| game::excerpt(text));
        let detail = if detail.is_empty() { detail } else { format!(": {detail}") };
        let result = outcome.map_or("*", |outcome| outcome.result());
        let (number, moves) = (verdict.game, game.moves_made().div_ceil(2) as u64);
        self.tell(format!("game {number}: {result} {{{reason}{detail}}}, {}", game::counted(moves, "move")));
        if let Some(terms) = &self.terms {
            self.actions.push(LinkAction::Report(LinkReport::Game(game.pgn(terms, &verdict))));
        }
    }

    /// Ends the game at this end only: nobody at the other end knows of it any more.
    fn abandon_game(&mut self, reason: &str, at: Instant) {
        if let Some(game) = &self.game {
            self.conclude(&game.verdict(None, reason.to_owned(), String::new()), at);
        }
    }

    fn tell_end(&mut self) {
        let games = game::counted(self.number.into(), "game");
        let without_result = match self.without_result {
            0 => String::new(),
            number => format!("{number} without a result, "),
        };
        self.tell(format!("the match is over: {games}, {without_result}{}", points_text(self.points)));
    }

    /// The operator, or the time without a line, ends the match. A slave first hears how the game has ended for the master.
    pub(crate) fn stop(&mut self, reason: &str, at: Instant) {
        if self.is_over || self.leaving.is_some() {
            return;
        }
        if let (LinkRole::Slave, true, Some(game)) = (self.role, self.is_linked, &mut self.game) {
            game.stage = LinkStage::Claimed;
            game.clock.stop(at);
            self.send(LinkMessage::Bye { reason: Some(reason.to_owned()) });
            self.leaving = Some((reason.to_owned(), at + LAST_WORD));
        } else {
            self.stop_at_once(reason, at);
        }
    }

    /// Leaves if that was decided before. Returns whether it was.
    fn leave_as_decided(&mut self) -> bool {
        let Some((reason, _)) = self.leaving.take() else { return false };
        self.is_over = true;
        self.actions.push(LinkAction::Leave(Some(reason)));
        true
    }

    /// Ends the match, without another word of the other end.
    fn stop_at_once(&mut self, reason: &str, at: Instant) {
        if self.is_over {
            return;
        }
        if let (LinkRole::Master, Some(game)) = (self.role, &self.game) {
            self.send(LinkMessage::End(game.verdict(None, reason.to_owned(), String::new())));
        }
        self.abandon_game(reason, at);
        self.leave(reason.to_owned());
    }

    fn leave(&mut self, reason: String) {
        self.is_over = true;
        self.send(LinkMessage::Bye { reason: Some(reason.clone()) });
        self.actions.push(LinkAction::Leave(Some(reason)));
    }

    /// Tells both operators what an engine thinks, if that was not told a moment ago.
    fn tell_thinking(&mut self, at: Instant) {
        let pause = self.thinking_pause;
        let last = self.told_thinking.as_ref();
        if last.is_some_and(|(told, _)| at.saturating_duration_since(*told) < pause) {
            return;
        }
        let Some(game) = &self.game else { return };
        let thinking = LinkThinking {
            game: game.terms.game,
            ply: game.ply(),
            score: game.thinking.evaluation(),
            line: live::short_line(&game.thinking, &game.game),
        };
        if last.is_some_and(|(_, last)| *last == thinking) {
            return;
        }
        self.told_thinking = Some((at, thinking.clone()));
        let name = self.own.name.clone();
        self.report_thinking(&name, &thinking);
        self.actions.push(LinkAction::Say(LinkMessage::Thinking(thinking)));
    }

    fn report_thinking(&mut self, name: &str, thinking: &LinkThinking) {
        let text = format!("{name} thinks {} {}", thinking.score, thinking.line);
        self.actions.push(LinkAction::Report(LinkReport::Thinking(game::excerpt(&text))));
    }
}

/// Points from half points: `1 point`, `1.5 points`.
fn points_text(halves: u32) -> String {
    match halves {
        even if even.is_multiple_of(2) => game::counted((even / 2).into(), "point"),
        odd => format!("{}.5 points", odd / 2),
    }
}
