//! The program behind a front: asked one question at a time, started again when it ends, and answered for when it fails.
//!
//! Whatever the program says, a front gets only what answers the present question: a legal move, lines of the position that was
//! asked about, true claims. Here are its start, its settings and its end.

mod asked;
mod faults;
mod hearing;
mod questions;

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use game::{Game, Move, TimeControl};
use platform::Source;

use super::player::{Abilities, MendedPlayer, Setting, Starter};
use super::question::Question;
use crate::limit::RateLimit;
use crate::{PlayerFault, Spec, Thinking};

/// Time for a program to read its input after it was interrupted. One that reads only between its searches is started again.
const LET_GO: Duration = Duration::from_secs(1);

/// Most lines and remarks of a program that are passed on in a second.
const MOST_LINES: u32 = 1000;

/// What a front learns from the program.
#[derive(Debug)]
pub(super) enum News {
    /// The answer to the question.
    Answer(Answer),
    /// A line of the position, with its rank from 1, and its legal moves.
    Line(u32, Thinking, Vec<Move>),
    /// The program offers or accepts a draw.
    Draw,
    /// The program resigns. A front whose protocol has no word for that makes this move.
    Resignation(Option<Answer>),
    /// The program claims a draw, rightly.
    DrawClaim(String),
    /// Text for persons.
    Remark(String),
    /// The program does not answer, for this reason. A front that has to move makes this move.
    GivenUp(String, Option<Answer>),
}

/// A move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Answer {
    pub(super) mv: Move,
    /// The reply that the program expects.
    pub(super) expected: Option<Move>,
}

/// A question that waits for its answer.
struct Asked {
    question: Question,
    /// Restarts and refused moves so far.
    starts: u32,
    refusals: u32,
    /// When the program has to be told to move, and when it was.
    due: Option<Instant>,
    hurried: Option<Instant>,
    /// When the program has claimed a wrong result, and has said nothing about the position since.
    silent_since: Option<Instant>,
    /// The program claims a draw with its next move.
    claims_draw: Option<String>,
    /// The best line so far.
    best: Thinking,
    line: Vec<Move>,
}

/// The game as far as the program knows it.
struct KnownGame {
    game: Game,
    /// It has moved: it can only be sent one more move.
    has_moved: bool,
    ponder: bool,
    /// A limit that stays until the next game.
    limit: Option<TimeControl>,
}

/// The process of a program.
enum Engine {
    Off,
    /// It gets ready on a thread of its own, so that no clock has to wait for it.
    Starting(Receiver<Result<Box<dyn MendedPlayer>, PlayerFault>>),
    On(Box<dyn MendedPlayer>),
}

/// A program and how to start it.
pub(super) struct Program {
    spec: Spec,
    starter: Starter,
    engine: Engine,
    /// Why it could not be started the first time.
    failure: Option<PlayerFault>,
    /// Empty before the first start.
    name: String,
    abilities: Abilities,
    settings: Vec<Setting>,
    known: Option<KnownGame>,
    asked: Option<Asked>,
    /// Whether it was thinking when it was last interrupted, so that it may not have read that yet.
    was_interrupted: bool,
    /// When it is looked at whether it has.
    look_at: Option<Instant>,
    /// A move was made in its place, and the game goes on.
    has_stand_in: bool,
    /// How long it was waited for when it got ready last.
    patience: Duration,
    told: RateLimit,
    news: VecDeque<News>,
}

impl Program {
    /// A program that is not started yet.
    pub(super) fn new(spec: Spec, starter: Starter) -> Program {
        Program {
            patience: spec.patience,
            spec,
            starter,
            engine: Engine::Off,
            failure: None,
            name: String::new(),
            abilities: Abilities::default(),
            settings: Vec::new(),
            known: None,
            asked: None,
            was_interrupted: false,
            look_at: None,
            has_stand_in: false,
            told: RateLimit::new(MOST_LINES, Duration::from_secs(1)),
            news: VecDeque::new(),
        }
    }

    /// Lets the program get ready, unless it is or does.
    fn begin_start(&mut self) {
        if matches!(self.engine, Engine::Off) {
            let (sender, receiver) = mpsc::channel();
            let (starter, spec) = (Arc::clone(&self.starter), self.spec.clone());
            let start = move || {
                // Without a listener the program goes.
                let _ = sender.send(starter(&spec));
            };
            // Without a thread nothing will come.
            let _ = thread::Builder::new().name("starting".into()).spawn(start);
            self.engine = Engine::Starting(receiver);
        }
    }

    /// The program. It is started if it doesn't run, and waited for as long as the present question allows.
    fn player(&mut self) -> Result<&mut dyn MendedPlayer, PlayerFault> {
        self.begin_start();
        if let Engine::Starting(starting) = &self.engine {
            let limit = self.asked.as_ref().and_then(|asked| asked.question.last_moment());
            let limit = limit.map_or(Duration::MAX, |limit| limit.saturating_duration_since(Instant::now()));
            let started = match starting.recv_timeout(limit) {
                Err(RecvTimeoutError::Timeout) => return Err(PlayerFault::Start("it takes too long".into())),
                Err(RecvTimeoutError::Disconnected) => Err(PlayerFault::Start("there is no thread".into())),
                Ok(started) => started,
            };
            self.engine = Engine::Off;
            let mut player = started?;
            self.was_interrupted = false;
            self.abilities = player.abilities();
            let own = Some(player.name()).filter(|name| !name.is_empty());
            let name = self.spec.name.as_deref().or(own).unwrap_or(self.spec.command.file_name());
            self.name = name.to_owned();
            self.settings.iter().try_for_each(|setting| player.set(setting))?;
            self.engine = Engine::On(player);
        }
        match &mut self.engine {
            Engine::On(player) => Ok(&mut **player),
            Engine::Off | Engine::Starting(_) => Err(PlayerFault::Start("it was not waited for".into())),
        }
    }

    fn running(&mut self) -> Option<&mut dyn MendedPlayer> {
        if let Engine::On(player) = &mut self.engine { Some(&mut **player) } else { None }
    }

    /// Starts the program if it never ran: then its name and abilities are known.
    ///
    /// # Errors
    /// It can't be started, now or ever.
    pub(super) fn meet(&mut self) -> Result<(), PlayerFault> {
        if !self.name.is_empty() {
            return Ok(());
        }
        let met = self.player().map(drop);
        self.failure = met.clone().err();
        met
    }

    /// Why the program could not be started the first time: then there is nothing to be mended.
    pub(super) fn failure(&self) -> Option<&PlayerFault> {
        self.failure.as_ref()
    }

    /// Name of the program, once it was started.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// What the program can do, once it was started.
    pub(super) fn abilities(&self) -> &Abilities {
        &self.abilities
    }

    /// Changes a setting, now and after each restart.
    ///
    /// # Errors
    /// The program has no such option, or the value is invalid, in words.
    pub(super) fn set(&mut self, setting: Setting) -> Result<(), String> {
        let set = self.player().and_then(|player| player.set(&setting));
        set.map_err(|fault| match fault {
            PlayerFault::Start(reason) => reason,
            fault => format!("the program {fault}"),
        })?;
        if let Setting::Option { name, value: Some(_) } = &setting {
            self.settings
                .retain(|known| !matches!(known, Setting::Option { name: other, .. } if other == name));
        }
        if !matches!(setting, Setting::Option { value: None, .. }) {
            self.settings.push(setting);
        }
        Ok(())
    }

    /// Ends the program. One that was thinking and does not read is killed.
    pub(super) fn quit(&mut self) {
        if self.asked.take().is_some() {
            self.was_interrupted = true;
            // It will be seen whether that was read.
            let _ = self.running().map(|player| player.call_off("the end"));
        }
        if self.is_deaf() {
            self.engine = Engine::Off;
        }
        if let Engine::On(player) = std::mem::replace(&mut self.engine, Engine::Off) {
            player.quit();
        }
    }

    /// Source that is ready when the program has said something.
    pub(super) fn source(&self) -> Option<Source<'_>> {
        if let Engine::On(player) = &self.engine { player.source() } else { None }
    }

    fn note(&mut self, text: String) {
        self.news.push_back(News::Remark(text));
    }

    /// Passes on what the program may say without end: the GUI has to read it.
    fn pass_on(&mut self, news: News) {
        if self.told.allows(Instant::now()) {
            self.news.push_back(news);
        }
    }
}
