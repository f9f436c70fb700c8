//! What the engine says.

use std::io;
use std::time::Duration;

use engine::{Decision, Thought};
use game::{DrawReason, Game, Outcome};
use shakmaty::Color;

use super::Session;
use crate::cecp::dialect::Dialect;
use crate::cecp::output::{move_text, thinking_line};
use crate::cecp::state::{Mode, Occupation};
use crate::cecp::variants;
use messages::cecp::GameResult;
use messages::cecp::Message;

impl Session<'_> {
    pub(super) fn hear(&mut self, thought: Thought) -> io::Result<()> {
        match thought {
            Thought::Line(line) => {
                if matches!(self.occupation(), Occupation::Think | Occupation::Analyse) {
                    self.post(&line)?;
                }
                if let Some(work) = &mut self.work {
                    work.note_line(line);
                }
                Ok(())
            }
            Thought::RootMove { mv, number, total, .. } => {
                if let Some(work) = &mut self.work {
                    work.note_root_move(mv, number, total);
                }
                Ok(())
            }
            Thought::Warning(text) => self.output.send(&Message::TellUserError(text)),
            Thought::Done(decision) => self.conclude(decision),
        }
    }

    pub(super) fn post(&mut self, line: &engine::Line) -> io::Result<()> {
        match self.board.game().filter(|_| self.output.posts) {
            Some(game) => {
                let line = thinking_line(game, line);
                self.output.send(&Message::Thinking(line))
            }
            None => Ok(()),
        }
    }

    fn conclude(&mut self, decision: Decision) -> io::Result<()> {
        self.host.engine.finish();
        match self.occupation() {
            Occupation::Think => self.decide(decision),
            Occupation::Hint => {
                self.work = None;
                self.hint_wanted = false;
                decision.best.map_or(Ok(()), |mv| self.send_hint(mv))
            }
            // They go on, though there is nothing more to find, until the state asks for something else.
            Occupation::Ponder | Occupation::Analyse | Occupation::Nothing => Ok(()),
        }
    }

    /// Resigns or makes the engine's move.
    fn decide(&mut self, decision: Decision) -> io::Result<()> {
        let used = self.work.take().map_or(Duration::ZERO, |work| work.used());
        self.agreements.note(decision.score, self.host.engine.settings());
        if self.agreements.is_time_to_resign(self.host.engine.settings()) {
            return self.resign();
        }
        self.play(decision, used)
    }

    fn play(&mut self, decision: Decision, used: Duration) -> io::Result<()> {
        let (Some(mv), Some(game)) = (decision.best, self.board.game_mut()) else {
            self.state.mode = Mode::Force;
            return Ok(());
        };
        let before = game.clone();
        if game.play(mv).is_err() {
            self.state.mode = Mode::Force;
            let text = move_text(&before, mv);
            return self.output.debug(format!("the search chose {text}, which is not legal"));
        }
        self.greet()?;
        self.talk_about_a_draw(&before, mv, decision.score)?;
        self.output.send(&self.dialect.own_move(&before, mv))?;
        self.clock.make_move(used, before.ply());
        if self.dialect == Dialect::Autoplayer {
            self.output.send(&Message::Time { centiseconds: self.clock.centiseconds() })?;
        }
        self.position_changed();
        self.expected = decision.ponder;
        self.end_game_by_own_move()
    }

    /// Says so if the engine's own move has ended the game, and nobody else will.
    fn end_game_by_own_move(&mut self) -> io::Result<()> {
        let Some(game) = self.board.game() else { return Ok(()) };
        let outcome = match self.dialect {
            // Other draws were claimed with the move.
            Dialect::XBoard => game.outcome().filter(|&outcome| {
                outcome != Outcome::Draw(DrawReason::InsufficientMaterial)
                    && variants::is_plain(game.variant(), outcome)
            }),
            // An autoplayer has only the engines to judge.
            Dialect::Autoplayer => game.outcome().or_else(|| game.claim().map(Outcome::Draw)),
        };
        outcome.map_or(Ok(()), |outcome| self.announce_end(outcome))
    }

    /// If it is the engine's turn and the rules have ended the game, says so.
    pub(super) fn end_finished_game(&mut self) -> io::Result<()> {
        match self.board.game() {
            Some(game) if self.state.mode == Mode::Play(game.turn()) => match game.outcome() {
                // A draw that the GUI can't see would be a false claim; the opponent may agree to it.
                Some(outcome @ Outcome::Draw(_))
                    if self.dialect == Dialect::XBoard && !variants::is_plain(game.variant(), outcome) =>
                {
                    self.state.mode = Mode::Force;
                    self.output.send(&Message::OfferDraw)
                }
                Some(outcome) => self.announce_end(outcome),
                None => Ok(()),
            },
            _ => Ok(()),
        }
    }

    pub(super) fn announce_end(&mut self, outcome: Outcome) -> io::Result<()> {
        self.state.mode = Mode::Force;
        let result = match outcome.winner() {
            Some(Color::White) => GameResult::WhiteWins,
            Some(Color::Black) => GameResult::BlackWins,
            None => GameResult::Draw,
        };
        self.output.send(&Message::Result { result, comment: Some(outcome.to_string()) })
    }

    fn resign(&mut self) -> io::Result<()> {
        let loser = self.board.game().map_or(Color::White, Game::turn);
        match self.dialect {
            Dialect::XBoard => {
                self.state.mode = Mode::Force;
                self.output.send(&Message::Resign)
            }
            Dialect::Autoplayer => {
                let reason = game::WinReason::Resignation;
                self.announce_end(Outcome::Win { winner: !loser, reason })
            }
        }
    }
}
