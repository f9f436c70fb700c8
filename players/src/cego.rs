//! A player that speaks CEGO, Chess Engine Game Operation, revision 1.

use std::os::fd::BorrowedFd;
use std::sync::Arc;
use std::time::{Duration, Instant};

use game::{CastlingMode, Outcome, TimeControl};
use messages::cego::{
    self, EngineMessage, FirstMove, LongMove, MediatorMessage, MessageError, StrictFen, SubsequentMove,
};

use crate::listen::{Listener, next_arrival};
use crate::log::Log;
use crate::stream::{Said, Stream, Vocabulary};
use crate::{Account, Arrival, Departure, Event, Fault, Identity, NewGame, Player, Resources, Spec, Turn};

/// CEGO, as an engine is spoken to.
pub struct Cego;

impl Vocabulary for Cego {
    type Command = MediatorMessage;
    type Message = Result<EngineMessage, MessageError>;
    const STRICT: bool = true;

    fn read(line: &str) -> Result<EngineMessage, MessageError> {
        line.parse()
    }
}

/// What is told of a clock that doesn't run.
const A_DAY: Duration = Duration::from_hours(24);

/// An engine behind CEGO: one process, one game. Whatever it says besides `ready`, and a move or `forfeit` when it is its
/// turn, ends the conversation, and the process.
pub struct CegoPlayer {
    spec: Spec,
    log: Option<Arc<dyn Log>>,
    stream: Stream<Cego>,
    /// What former processes used.
    used: Resources,
    /// The protocol has no names.
    identity: Identity,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// It has said `ready` and knows nothing yet.
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
    /// [`Fault::Start`]: it cannot be started, or options are given, which the protocol doesn't have. Or it ended, kept
    /// silent, or said something else than `ready`.
    pub fn start(spec: &Spec, log: Option<Arc<dyn Log>>) -> Result<CegoPlayer, Fault> {
        if let Some(name) = spec.options.keys().next() {
            return Err(Fault::Start(format!("CEGO has no options, {name} neither")));
        }
        Ok(CegoPlayer {
            spec: spec.clone(),
            stream: ready_process(spec, log.clone())?,
            log,
            used: Resources::default(),
            identity: Identity::default(),
            state: State::Ready,
        })
    }

    /// Ends the conversation, as the protocol demands it of what is malformed.
    fn reject(&mut self, what: String) -> Fault {
        reject(&mut self.stream, what)
    }
}

impl Listener for CegoPlayer {
    type Vocabulary = Cego;

    fn stream(&mut self) -> &mut Stream<Cego> {
        &mut self.stream
    }

    fn understand(
        &mut self,
        said: Said<Result<EngineMessage, MessageError>>,
    ) -> Result<Option<Event>, Fault> {
        match (self.state, said.message) {
            (State::Over, _) => Ok(None),
            (State::Thinking, Ok(EngineMessage::Move(m))) => {
                self.state = State::Waiting;
                Ok(Some(Event::Move(m.to_string())))
            }
            (State::Thinking, Ok(EngineMessage::Forfeit)) => Ok(Some(Event::Resignation)),
            (_, Err(error)) => Err(self.reject(error.to_string())),
            (_, Ok(message)) => Err(self.reject(format!("`{message}` out of turn"))),
        }
    }

    fn expects_end(&self) -> bool {
        self.state == State::Over
    }
}

fn ready_process(spec: &Spec, log: Option<Arc<dyn Log>>) -> Result<Stream<Cego>, Fault> {
    let mut stream = Stream::start(spec, log)?;
    let until = Instant::now() + spec.patience;
    match stream.wait(until)?.map(|said| said.message) {
        Some(Ok(EngineMessage::Ready)) => Ok(stream),
        Some(Ok(message)) => Err(reject(&mut stream, format!("`{message}` before `ready`"))),
        Some(Err(error)) => Err(reject(&mut stream, error.to_string())),
        None => Err(stream.fail(Fault::Silence("being started"))),
    }
}

fn reject(stream: &mut Stream<Cego>, what: String) -> Fault {
    stream.kill();
    stream.fail(Fault::Malformed(what))
}

fn say_goodbye(mut stream: Stream<Cego>, spec: &Spec) -> Departure {
    // The protocol has no word for it.
    stream.terminate();
    stream.quit(spec.grace)
}

/// What is told of a clock in the first message.
fn account(account: &Account) -> cego::Account {
    cego::Account { time: time(account), increment: account.control.increment(account.moves_made + 1).into() }
}

fn time(account: &Account) -> cego::Nanos {
    account.remaining.unwrap_or(A_DAY).into()
}

/// Whether an engine can be told of this time control: of a time left, and of an increment that never changes.
fn can_say(control: &TimeControl) -> bool {
    match control {
        TimeControl::Clock(phases) => {
            let mut increments = phases.as_slice().windows(2).map(|two| two[0].increment == two[1].increment);
            increments.all(|is_same| is_same)
        }
        TimeControl::PerMove(_) => true,
        TimeControl::Unlimited | TimeControl::Depth(_) | TimeControl::Nodes(_) => false,
    }
}

impl Player for CegoPlayer {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn new_game(&mut self, game: &NewGame) -> Result<(), Fault> {
        if game.mode() == CastlingMode::Chess960 {
            return Err(Fault::Unsupported("Chess960".into()));
        }
        let control = &game.controls[game.color];
        if !can_say(control) {
            return Err(Fault::Unsupported(format!("with the time control {control}")));
        }
        if self.state != State::Ready {
            let stream = ready_process(&self.spec, self.log.clone())?;
            let former = std::mem::replace(&mut self.stream, stream);
            self.used += say_goodbye(former, &self.spec).resources.unwrap_or_default();
            self.state = State::Ready;
        }
        Ok(())
    }

    fn think(&mut self, turn: &Turn) -> Result<(), Fault> {
        let us = turn.game.turn();
        let (own, opponent) = (&turn.accounts[us], &turn.accounts[!us]);
        let played = turn.game.moves().last().and_then(|&m| LongMove::of(m));
        let message = match played {
            Some(played) if self.state != State::Ready => MediatorMessage::SubsequentMove(SubsequentMove {
                own_time: time(own),
                opponent_time: time(opponent),
                played,
            }),
            _ => {
                let position =
                    StrictFen::of(turn.game).map_err(|error| Fault::Unsupported(error.to_string()))?;
                MediatorMessage::FirstMove(FirstMove {
                    own: account(own),
                    opponent: account(opponent),
                    position,
                })
            }
        };
        self.state = State::Thinking;
        self.stream.tell(&message)
    }

    fn wait(&mut self, _turn: &Turn) -> Result<(), Fault> {
        Ok(()) // it ponders as it likes
    }

    fn offer_draw(&mut self) -> Result<(), Fault> {
        Ok(()) // there is no word for it
    }

    fn end_game(&mut self, _outcome: Outcome) -> Result<(), Fault> {
        self.state = State::Over;
        self.stream.terminate();
        Ok(())
    }

    fn take(&mut self) -> Option<Arrival> {
        next_arrival(self)
    }

    fn source(&self) -> Option<BorrowedFd<'_>> {
        Some(self.stream.source())
    }

    fn quit(self: Box<Self>) -> Departure {
        say_goodbye(self.stream, &self.spec).after(self.used)
    }
}
