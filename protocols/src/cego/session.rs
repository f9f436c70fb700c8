//! The engine's side of the conversation.

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use engine::Limits;
use engine::{Decision, Purpose, Task, Thought};
use game::{Game, Move};

use super::conversation::{Breach, Conversation};
use crate::host::{Event, Host};
use messages::cego::EngineMessage;
use messages::cego::quoted;
use messages::input::Input;

/// What the protocol leaves to the engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Habits {
    /// Think in the opponent's time.
    pub ponder: bool,
    /// Forfeit as soon as a forced mate against the engine is seen.
    pub forfeit: bool,
}

/// Why a conversation did not last until the mediator ended it or the engine forfeited.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The mediator broke the protocol.
    #[error(transparent)]
    Breach(#[from] Breach),
    /// Nothing more can be written.
    #[error(transparent)]
    Output(#[from] io::Error),
}

/// Speaks CEGO: says `ready`, plays a game and ends with the input or after forfeiting.
///
/// The host must read its lines exactly as they are: see [`LineReader::exact`](messages::input::LineReader::exact).
///
/// # Errors
/// If the mediator breaks the protocol or nothing more can be written.
pub fn serve(host: Host, output: &mut dyn Write, habits: Habits) -> Result<(), SessionError> {
    host.engine.settle();
    let conversation = Conversation::default();
    let mut session = Session { host, output, habits, conversation, own_since: Instant::now(), guess: None };
    session.send(EngineMessage::Ready)?;
    while session.react()?.is_continue() {}
    Ok(())
}

struct Session<'a> {
    host: Host,
    output: &'a mut dyn Write,
    habits: Habits,
    conversation: Conversation,
    /// When the engine's time last began to run.
    own_since: Instant,
    /// What the engine ponders on.
    guess: Option<Guess>,
}

/// A guess at the next message from the mediator.
struct Guess {
    reply: Move,
    /// The engine's time at its next turn.
    remaining: Duration,
}

impl Guess {
    /// Whether it has come true: the move was played, and not much time is missing.
    fn holds(&self, conversation: &Conversation) -> bool {
        conversation.game().moves().last() == Some(&self.reply)
            && conversation.remaining() >= self.remaining.mul_f64(0.9)
    }
}

/// What a session does with the next event: go on or end.
type Reaction = Result<ControlFlow<()>, SessionError>;

const GO_ON: Reaction = Ok(ControlFlow::Continue(()));
const END: Reaction = Ok(ControlFlow::Break(()));

impl Session<'_> {
    fn react(&mut self) -> Reaction {
        match self.host.next_event() {
            // So mediators end a game, at whatever moment.
            Event::Input(Input::End) => END,
            Event::Input(Input::TooLong(beginning)) => Err(Breach::TooLong(quoted(&beginning)).into()),
            Event::Input(Input::Line(line)) => {
                self.own_since = Instant::now();
                self.conversation.hear(&line)?;
                self.take_turn();
                GO_ON
            }
            Event::Thought(id, Thought::Done(decision)) if self.host.engine.is_current(id) => {
                self.host.engine.finish();
                self.answer(&decision)
            }
            Event::Thought(..) => GO_ON,
        }
    }

    fn take_turn(&mut self) {
        match self.guess.take() {
            Some(guess) if guess.holds(&self.conversation) => self.host.engine.ponder_hit(),
            _ => self.think(&self.conversation.game().clone(), Purpose::Play),
        }
    }

    /// Starts thinking; what the engine was thinking about before is abandoned.
    fn think(&mut self, game: &Game, purpose: Purpose) {
        let limits = Limits { time: self.conversation.time_limit(), ..Limits::default() };
        let clock = Arc::new(Instant::now());
        self.host.engine.think(game, Task { purpose, limits, allowed: None, clock });
    }

    fn answer(&mut self, decision: &Decision) -> Reaction {
        let is_lost = self.habits.forfeit && decision.score.is_loss();
        let choice = decision.best.filter(|_| !is_lost);
        let message = self.conversation.answer(choice, self.own_since.elapsed());
        self.send(message)?;
        if message == EngineMessage::Forfeit {
            return END;
        }
        self.ponder(decision.ponder);
        GO_ON
    }

    fn ponder(&mut self, reply: Option<Move>) {
        let Some(reply) = reply.filter(|_| self.habits.ponder) else { return };
        let mut game = self.conversation.game().clone();
        if game.play(reply).is_ok() && game.outcome().is_none() {
            self.guess = Some(Guess { reply, remaining: self.conversation.remaining() });
            self.think(&game, Purpose::Ponder);
        }
    }

    /// Writes a message with its newline, in one piece.
    fn send(&mut self, message: EngineMessage) -> io::Result<()> {
        self.output.write_all(format!("{message}\n").as_bytes())?;
        self.output.flush()
    }
}
