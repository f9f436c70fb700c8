//! A player that speaks CEGO, Chess Engine Game Operation, revision 1.

use std::sync::Arc;
use std::time::Duration;

use game::{Color, Outcome, PlayedVariant, TimeControl};
use messages::cego::{EngineMessage, LongMove, MalformedMessage, MediatorMessage, SideClock, StrictFen};
use platform::Source;

use crate::log::Log;
use crate::player::{ProtocolPlayer, next_arrival, not_offered};
use crate::stream::{Stream, Timed, Vocabulary};
use crate::{Arrival, Departure, NewGame, Player, PlayerEvent, PlayerFault, Spec, Turn};

/// The vocabulary of CEGO, from the mediator's side.
pub struct Cego;

impl Vocabulary for Cego {
    type Message = Result<EngineMessage, MalformedMessage>;
    const STRICT: bool = true;

    fn read(line: &str) -> Result<EngineMessage, MalformedMessage> {
        line.parse()
    }
}

/// Time that is sent for a clock that doesn't run.
const A_DAY: Duration = Duration::from_hours(24);

/// A CEGO engine: one process for each game. Only `ready`, and a move or `forfeit` in its turn, are valid; any other message is a
/// fault and ends the process.
pub struct CegoPlayer {
    stream: Stream<Cego>,
    state: CegoState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CegoState {
    /// It has sent `ready`.
    Ready,
    /// It has to move.
    Thinking,
    /// It has moved.
    Waiting,
    /// The game is over.
    Over,
}

impl CegoPlayer {
    /// Starts the engine and waits until it is ready.
    ///
    /// # Errors
    /// [`PlayerFault::Start`]: the engine cannot be started, or options or lines of the user are given, which the protocol doesn't have. Other faults:
    /// the engine ended, didn't answer in time, or sent something else than `ready`.
    pub fn start(spec: &Spec, log: Option<Arc<dyn Log>>) -> Result<CegoPlayer, PlayerFault> {
        if let Some(name) = spec.options.keys().next() {
            return Err(PlayerFault::Start(format!("CEGO has no options: {name} cannot be set")));
        }
        if !spec.init.is_empty() {
            return Err(PlayerFault::Start("CEGO has no other messages: init cannot be sent".to_owned()));
        }
        Ok(CegoPlayer { stream: ready_process(spec, log)?, state: CegoState::Ready })
    }
}

impl ProtocolPlayer for CegoPlayer {
    type Vocabulary = Cego;

    fn stream(&mut self) -> &mut Stream<Cego> {
        &mut self.stream
    }

    fn understand(
        &mut self,
        said: Timed<Result<EngineMessage, MalformedMessage>>,
    ) -> Result<Option<PlayerEvent>, PlayerFault> {
        match (self.state, said.message) {
            (CegoState::Over, _) => Ok(None),
            (CegoState::Thinking, Ok(EngineMessage::Move(m))) => {
                self.state = CegoState::Waiting;
                Ok(Some(PlayerEvent::Move(m.to_string())))
            }
            (CegoState::Thinking, Ok(EngineMessage::Forfeit)) => Ok(Some(PlayerEvent::Resignation)),
            (_, Err(error)) => Err(reject(&mut self.stream, error.to_string())),
            (_, Ok(message)) => Err(reject(&mut self.stream, format!("`{message}` out of turn"))),
        }
    }
}

fn ready_process(spec: &Spec, log: Option<Arc<dyn Log>>) -> Result<Stream<Cego>, PlayerFault> {
    let mut stream = Stream::start(spec, log)?;
    match stream.answer("being started", stream.deadline())?.message {
        Ok(EngineMessage::Ready) => Ok(stream),
        Ok(message) => Err(reject(&mut stream, format!("`{message}` before `ready`"))),
        Err(error) => Err(reject(&mut stream, error.to_string())),
    }
}

/// Kills the process, as the protocol demands after a malformed message.
fn reject(stream: &mut Stream<Cego>, what: String) -> PlayerFault {
    stream.kill();
    stream.fail(PlayerFault::Malformed(what))
}

/// Clock of a side for the first message.
fn side_clock(turn: &Turn, color: Color) -> SideClock {
    SideClock { time: time(turn, color), increment: turn.clock.increment(color) }
}

fn time(turn: &Turn, color: Color) -> Duration {
    turn.clock.remaining(color, turn.at).unwrap_or(A_DAY)
}

/// Whether the protocol can express a time control: it has a remaining time and a constant increment.
fn can_say(control: &TimeControl) -> bool {
    match control {
        TimeControl::Clock(phases) => {
            phases.as_slice().windows(2).all(|two| two[0].increment == two[1].increment)
        }
        TimeControl::PerMove(_) => true,
        TimeControl::Unlimited | TimeControl::Depth(_) | TimeControl::Nodes(_) => false,
    }
}

impl Player for CegoPlayer {
    fn check_variant(&self, played: PlayedVariant) -> Result<(), PlayerFault> {
        if played == PlayedVariant::CHESS { Ok(()) } else { Err(not_offered(std::iter::empty(), played)) }
    }

    fn check_control(&self, control: &TimeControl) -> Result<(), PlayerFault> {
        if can_say(control) {
            return Ok(());
        }
        Err(PlayerFault::Unsupported(format!(
            "with {control}: CEGO has clocks only; use tc=CONTROL or st=SECONDS"
        )))
    }

    fn new_game(&mut self, game: &NewGame) -> Result<(), PlayerFault> {
        self.check_variant(PlayedVariant::of(&game.game))?;
        self.check_control(&game.controls[game.color])?;
        if self.state != CegoState::Ready {
            let stream = ready_process(&self.stream.spec, self.stream.log.0.clone())?;
            self.stream.terminate();
            self.stream.replace(stream);
            self.state = CegoState::Ready;
        }
        Ok(())
    }

    fn think(&mut self, turn: &Turn) -> Result<(), PlayerFault> {
        let us = turn.game.turn();
        let played = turn.game.moves().last().and_then(|&m| LongMove::of(m));
        let message = match played {
            Some(played) if self.state != CegoState::Ready => MediatorMessage::SubsequentMove {
                own_time: time(turn, us),
                opponent_time: time(turn, !us),
                played,
            },
            _ => {
                let position =
                    StrictFen::of(turn.game).map_err(|error| PlayerFault::Unsupported(error.to_string()))?;
                MediatorMessage::FirstMove {
                    own: side_clock(turn, us),
                    opponent: side_clock(turn, !us),
                    position,
                }
            }
        };
        self.state = CegoState::Thinking;
        self.stream.tell(message)
    }

    fn end_game(&mut self, _outcome: Outcome) -> Result<(), PlayerFault> {
        self.state = CegoState::Over;
        self.stream.expect_end();
        self.stream.terminate();
        Ok(())
    }

    fn take(&mut self) -> Option<Arrival> {
        next_arrival(self)
    }

    fn source(&self) -> Option<Source<'_>> {
        Some(self.stream.source())
    }

    fn quit(self: Box<Self>) -> Departure {
        // The protocol has no command for it.
        self.stream.terminate();
        let grace = self.stream.spec.grace;
        self.stream.quit(grace)
    }
}
