//! The engine's reports: thinking output, its own move, the end of the game.

use std::time::Duration;

use engine::{Decision, Thought};
use game::{DrawReason, Game, Move, Outcome, Score, WinReason};
use messages::cecp::{GameResult, Message, variants};
use shakmaty::KnownOutcome;

use super::{CecpSession, PositionNotes};
use crate::agreements::is_content_with_a_draw;
use crate::cecp::Dialect;
use crate::cecp::output::{pondering_line, thinking_line};
use crate::cecp::search::Search;
use messages::cecp::{EngineMode, Occupation, StateChange};
use messages::cecp::{centiseconds, move_text};

impl CecpSession<'_> {
    pub(super) fn hear(&mut self, thought: Thought) -> StateChange {
        match thought {
            Thought::Line(line) => {
                match self.occupation() {
                    Occupation::Think | Occupation::Analyse => self.post(&line),
                    Occupation::Ponder => self.post_pondering(&line),
                    Occupation::Nothing | Occupation::Hint => {}
                }
                if let Some(search) = self.search.as_mut().filter(|_| line.number <= 1) {
                    search.latest = Some(line);
                }
            }
            Thought::RootMove { mv, number, total, .. } => {
                if let Some(search) = &mut self.search {
                    search.current = Some((mv, number, total));
                }
            }
            Thought::Warning(text) => self.output.send(&Message::TellUserError(text)),
            Thought::Done(decision) => return self.conclude(decision),
        }
        StateChange::Nothing
    }

    /// Shows a line if thinking output is on.
    pub(super) fn post(&mut self, line: &engine::SearchLine) {
        if let Some(game) = self.board.game().filter(|_| self.output.posts) {
            self.output.send(&Message::Thinking(thinking_line(game, line)));
        }
    }

    /// Shows a line of pondering if thinking output is on. Without an expected reply the line would be the opponent's.
    fn post_pondering(&mut self, line: &engine::SearchLine) {
        if let Some(game) = self.board.game().filter(|_| self.output.posts && self.dialect == Dialect::XBoard)
            && let Some(reply) = self.search.as_ref().and_then(|search| search.reply)
        {
            self.output.send(&Message::Thinking(pondering_line(game, reply, line)));
        }
    }

    fn conclude(&mut self, decision: Decision) -> StateChange {
        self.host.engine.finish();
        match self.occupation() {
            Occupation::Think => return self.decide(decision),
            Occupation::Hint => {
                self.search = None;
                self.position.hint_wanted = false;
                self.send_hint(decision.best);
            }
            // These continue until the state requires something else, though the search has finished.
            Occupation::Ponder | Occupation::Analyse | Occupation::Nothing => {}
        }
        StateChange::Nothing
    }

    /// Resigns or makes the engine's move.
    pub(super) fn decide(&mut self, decision: Decision) -> StateChange {
        let search = self.search.take();
        let used = search.as_ref().map_or(Duration::ZERO, Search::used);
        let depth_limit = search.as_ref().and_then(|search| search.limits.depth);
        self.clock.reserve.note_stall(search.map_or(Duration::ZERO, |search| search.clock.longest_stall()));
        let settings = self.host.engine.settings();
        self.agreements.note(&decision, depth_limit, settings);
        if self.agreements.is_time_to_resign(settings) { self.resign() } else { self.play(decision, used) }
    }

    fn resign(&mut self) -> StateChange {
        if self.dialect.is_autoplayer()
            && let Some(game) = self.board.game()
        {
            let outcome = Outcome::Win { winner: !game.turn(), reason: WinReason::Resignation };
            return self.announce_end(outcome);
        }
        self.output.send(&Message::Resign);
        StateChange::Mode(EngineMode::Force)
    }

    fn play(&mut self, decision: Decision, used: Duration) -> StateChange {
        let (Some(mv), Some(game)) = (decision.best, self.board.game_mut()) else {
            return StateChange::Mode(EngineMode::Force);
        };
        let before = game.clone();
        if game.play(mv).is_err() {
            let text = move_text(mv, before.mode());
            self.output.debug(format!("the search chose {text}, which is not legal"));
            return StateChange::Mode(EngineMode::Force);
        }
        self.greet();
        let word = self.word_about_a_draw(&before, mv, decision.score);
        self.output.send_all(word);
        self.output.send(&self.dialect.own_move(&before, mv));
        self.clock.make_move(used, before.ply());
        if self.dialect.is_autoplayer() {
            self.output.send(&Message::Time { centiseconds: centiseconds(self.clock.remaining()) });
        }
        self.position = PositionNotes { expected: decision.ponder, ..PositionNotes::default() };
        self.end_game_by_own_move()
    }

    /// Returns the message by which the engine offers, accepts, claims or declines a draw with its move.
    fn word_about_a_draw(&mut self, before: &Game, mv: Move, score: Score) -> Option<Message> {
        let settings = self.host.engine.settings();
        let was_offered = std::mem::take(&mut self.agreements.draw_offered);
        let accepts = was_offered && self.agreements.takes_a_draw(before, settings);
        let claims = self.dialect == Dialect::XBoard
            && makes_a_draw(before, mv)
            && is_content_with_a_draw(score, settings);
        let offers = self.agreements.is_time_to_offer(before, settings);
        if accepts || claims || offers {
            Some(self.dialect.draw())
        } else {
            (was_offered && self.dialect.is_autoplayer()).then_some(Message::Decline)
        }
    }

    /// Announces the end of the game by the engine's own move if the GUI does not recognise it.
    fn end_game_by_own_move(&mut self) -> StateChange {
        let Some(game) = self.board.game() else { return StateChange::Nothing };
        let outcome = match self.dialect {
            // Other draws were claimed with the move.
            Dialect::XBoard => game.outcome().filter(|&outcome| {
                outcome != Outcome::Draw(DrawReason::InsufficientMaterial)
                    && variants::is_plain(game.variant(), outcome)
            }),
            // An autoplayer leaves all adjudication to the engines.
            Dialect::Autoplayer(_) => game.outcome().or_else(|| game.claim().map(Outcome::Draw)),
        };
        outcome.map_or(StateChange::Nothing, |outcome| self.announce_end(outcome))
    }

    /// Announces the end of a game that has ended by the rules, if it is the engine's turn.
    pub(super) fn end_finished_game(&mut self) -> StateChange {
        let Some((game, outcome)) = self.own_turn().and_then(|game| Some((game, game.outcome()?))) else {
            return StateChange::Nothing;
        };
        let is_draw = matches!(outcome, Outcome::Draw(_));
        if is_draw && self.dialect == Dialect::XBoard && !variants::is_plain(game.variant(), outcome) {
            // Claiming a draw that the GUI does not recognise would be a false claim; the opponent may agree to an
            // offer.
            self.output.send(&Message::OfferDraw);
            return StateChange::Mode(EngineMode::Force);
        }
        self.announce_end(outcome)
    }

    /// Returns the game if it is the engine's turn.
    pub(super) fn own_turn(&self) -> Option<&Game> {
        self.board.game().filter(|game| self.state.mode == EngineMode::Play(game.turn()))
    }

    pub(super) fn announce_end(&mut self, outcome: Outcome) -> StateChange {
        let result = GameResult::Known(KnownOutcome::from_winner(outcome.winner()));
        self.output.send(&Message::Result { result, comment: Some(outcome.to_string()) });
        StateChange::Mode(EngineMode::Force)
    }
}

/// Returns whether a move leads to a draw that the GUI does not declare itself: a claimable draw or a dead position.
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
