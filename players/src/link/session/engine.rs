//! What the engine says, and what the match wants to be done.

use std::collections::VecDeque;
use std::time::Instant;

use messages::autoplayer::LinkRole;

use super::{LINGERING, LinkSession, PARTING, Parting, text};
use crate::link::link_match::LinkAction;
use crate::{PlayerEvent, PlayerFault};

impl LinkSession<'_> {
    pub(super) fn take_engine_events(&mut self) {
        while let Some(arrival) = self.engine.player.as_mut().and_then(|player| player.take()) {
            let is_fault = matches!(arrival.event, PlayerEvent::Fault(_));
            self.contest.engine_says(arrival);
            if is_fault {
                self.engine.quit();
            }
            // A move has to be answered before the next event.
            self.act();
        }
    }

    /// Does what the match wants to be done.
    pub(super) fn act(&mut self) {
        let mut actions = VecDeque::from(self.contest.actions());
        while let Some(action) = actions.pop_front() {
            match action {
                LinkAction::Send(message) => self.stream.send(text(&message)),
                LinkAction::Say(message) => {
                    let is_free = self.connections.first().is_some_and(|line| !line.writer.is_busy());
                    if is_free && self.is_open() && self.stream.is_settled() {
                        self.say(&message);
                    }
                }
                LinkAction::Report(report) => (self.report)(report),
                LinkAction::Leave(reason) => self.part(reason),
                LinkAction::Present(game) => {
                    // What was decided before is sent before the engine takes its time.
                    self.write(Instant::now());
                    let result = self.engine.player().and_then(|player| player.new_game(&game));
                    if result.is_err() {
                        self.engine.quit();
                    }
                    self.contest.presented(result, Instant::now());
                }
                action => {
                    if let Err(fault) = self.command_engine(action) {
                        self.contest.engine_failed(&fault, Instant::now());
                        self.engine.quit();
                    }
                }
            }
            actions.extend(self.contest.actions());
        }
    }

    fn command_engine(&mut self, action: LinkAction) -> Result<(), PlayerFault> {
        let Some(player) = &mut self.engine.player else { return Ok(()) };
        let at = Instant::now();
        match (action, self.contest.game()) {
            (LinkAction::Think, Some(game)) if game.is_our_turn() => {
                player.think(&game.turn(at))?;
                self.contest.thinking_began(Instant::now());
                Ok(())
            }
            (LinkAction::Wait, Some(game)) => player.wait(&game.turn(at)),
            (LinkAction::OfferDraw, Some(_)) => player.offer_draw(),
            (LinkAction::DeclineDraw, Some(_)) => player.decline_draw(),
            (LinkAction::OpponentClock(left), Some(_)) => player.opponent_clock(left),
            (LinkAction::EndGame(Some(outcome), _), _) => player.end_game(outcome),
            (LinkAction::EndGame(None, reason), _) => player.call_off(&reason),
            _ => Ok(()),
        }
    }

    pub(super) fn part(&mut self, reason: Option<String>) {
        let now = Instant::now();
        let lingers = self.hello.role == LinkRole::Slave && reason.is_none();
        let earliest = if lingers { now + LINGERING } else { now };
        self.parting.get_or_insert(Parting { reason, earliest, latest: now + PARTING });
    }
}
