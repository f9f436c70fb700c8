//! The engine's side of a CEGO game.

use std::io::{self, Write};
use std::time::Instant;

use engine::{Decision, Limits, Purpose, Thought};

use super::state::{MediatorError, ProtocolState};
use crate::host::{Event, Host};
use crate::output::SessionOutput;
use crate::pondering::PonderMove;
use messages::cego::{EngineMessage, quoted};
use messages::input::Input;

/// Choices that the protocol leaves to the engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CegoOptions {
    /// Whether to think on the opponent's time.
    pub ponder: bool,
    /// Whether to forfeit as soon as a forced mate against the engine is found.
    pub forfeit: bool,
}

/// Why a session ended before the mediator ended it or the engine forfeited.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The mediator violated the protocol.
    #[error(transparent)]
    Protocol(#[from] MediatorError),
    /// The output can't be written.
    #[error(transparent)]
    Output(#[from] io::Error),
}

/// Speaks CEGO: sends `ready` and plays a game until the end of the input or until it forfeits.
///
/// The host must read its lines unchanged; see [`LineReader::exact`](messages::input::LineReader::exact).
///
/// # Errors
/// If the mediator violates the protocol or the output can't be written.
pub fn serve(host: Host, output: &mut dyn Write, options: CegoOptions) -> Result<(), SessionError> {
    host.engine.settle();
    let state = ProtocolState::default();
    let mut session =
        CegoSession { host, output: SessionOutput::new(output), options, state, ponder_move: None };
    session.output.line(&EngineMessage::Ready);
    session.run()
}

struct CegoSession<'a> {
    host: Host,
    output: SessionOutput<'a>,
    options: CegoOptions,
    state: ProtocolState,
    ponder_move: Option<PonderMove>,
}

impl CegoSession<'_> {
    fn run(&mut self) -> Result<(), SessionError> {
        loop {
            self.output.check()?;
            match self.host.next_event() {
                // Mediators end a game by closing the input, at any moment.
                Event::Input(Input::End) => return Ok(()),
                Event::Input(Input::TooLong(beginning)) => {
                    return Err(MediatorError::TooLong(quoted(&beginning)).into());
                }
                Event::Input(Input::Line(line)) => {
                    let at = Instant::now();
                    self.state.hear(&line, at)?;
                    self.take_turn(at);
                }
                Event::Thought(_, Thought::Done(decision)) => {
                    self.host.engine.finish();
                    if self.answer(&decision) == EngineMessage::Forfeit {
                        return Ok(self.output.check()?);
                    }
                }
                Event::Thought(..) => {}
            }
        }
    }

    fn take_turn(&mut self, at: Instant) {
        let (game, remaining) = (&self.state.game, Some(self.state.remaining(at)));
        match self.ponder_move.take() {
            Some(expected) if expected.is_hit(game, remaining) => self.host.engine.ponder_hit(),
            _ => self.host.think(game, Purpose::Play, self.limits(at)),
        }
    }

    fn limits(&self, at: Instant) -> Limits {
        Limits { time: engine::time_limit(self.state.move_time(at)), ..Limits::default() }
    }

    fn answer(&mut self, decision: &Decision) -> EngineMessage {
        let is_lost = self.options.forfeit && decision.score.is_loss();
        let at = Instant::now();
        let message = self.state.answer(decision.best.filter(|_| !is_lost), at);
        self.output.line(&message);
        if let Some(reply) =
            decision.ponder.filter(|_| self.options.ponder && message != EngineMessage::Forfeit)
        {
            let (limits, remaining) = (self.limits(at), Some(self.state.remaining(at)));
            self.ponder_move = PonderMove::start(&mut self.host, &self.state.game, reply, limits, remaining);
        }
        message
    }
}
