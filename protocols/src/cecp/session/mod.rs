//! Herald under a GUI: the state machine of the specification's Appendix B.
//!
//! Decisions where the specification is silent:
//! - `ping` and moves wait until the engine has made its own move; all other commands are obeyed at once, also while
//!   the engine thinks.
//! - Surplus parameters are ignored. Missing or wrong parameters are an error and change nothing.
//! - A draw is accepted, and offered with a move that makes it claimable, if the engine does not expect more.
//! - A claimable draw is claimed when the opponent's move has brought it about, not on `go`.
//! - Lines found while pondering begin with the expected move in parentheses, so that a GUI can relate them to the position on its
//!   board. The latest is shown again, without it, after that move.

mod analysis;
mod commands;
mod game;
mod partnership;
mod persons;
mod settings;
#[cfg(test)]
mod tests;
mod thoughts;

use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

use ::game::Game;
use engine::{Limits, Purpose, SearchTask, StopWatch, TimeLimit};
use messages::cecp::{CecpBoard, Message};
use messages::input::Input;
use shakmaty::{Move, Square};

use super::clock::TimeSettings;
use super::dialect::Dialect;
use super::output::CecpOutput;
use super::search::Search;
use crate::agreements::Agreements;
use crate::host::{Event, Host};
use crate::pondering::after;
use messages::cecp::{Occupation, SessionState, StateChange};
use persons::Persons;

/// Plays, analyses and answers until `quit` or the end of the input.
///
/// # Errors
/// If the output fails for another reason than being closed.
pub fn serve(host: Host, output: &mut dyn Write, dialect: Dialect) -> io::Result<()> {
    match CecpSession::new(host, output, dialect).run() {
        // The GUI has closed the output; the failure can't be reported to anybody.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

struct CecpSession<'a> {
    host: Host,
    output: CecpOutput<'a>,
    dialect: Dialect,
    /// The state of Appendix B, without the game.
    state: SessionState,
    board: CecpBoard,
    position: PositionNotes,
    clock: TimeSettings,
    /// The search in progress.
    search: Option<Search>,
    deferred: Deferred,
    agreements: Agreements,
    persons: Persons,
    /// What `memory` allows, in MiB; `None` before the command.
    memory: Option<u64>,
}

/// Data that apply to the current position only.
#[derive(Debug, Default)]
struct PositionNotes {
    /// Root moves excluded from the search.
    excluded: Vec<Move>,
    /// The reply that the engine expects.
    expected: Option<Move>,
    /// Whether the user has asked for a hint for which the engine has yet to think.
    hint_wanted: bool,
    /// The square of the piece that the user has picked up.
    lifted: Option<Square>,
}

/// Input and output that is held back.
#[derive(Debug, Default)]
struct Deferred {
    /// Lines waiting for the engine's own move.
    lines: VecDeque<String>,
    /// Reports of the engine that came during a pause.
    thoughts: Vec<Event>,
    /// A report that the next line may cancel; see [`CecpSession::report_illegal`].
    report: Option<Message>,
}

/// Time between two looks at a search whose time is limited.
const LOOK_INTERVAL: Duration = Duration::from_millis(20);

/// Thinking time for a hint.
const HINT_TIME: Duration = Duration::from_millis(300);

/// The loop of Appendix B.
impl<'a> CecpSession<'a> {
    fn new(mut host: Host, output: &'a mut dyn Write, dialect: Dialect) -> CecpSession<'a> {
        // Noise is used only after `random`.
        host.engine.use_noise(false);
        CecpSession {
            host,
            // The dialect has no word that asks for thinking output.
            output: CecpOutput::new(output, dialect.is_autoplayer()),
            dialect,
            state: SessionState::default(),
            board: CecpBoard::new(Game::default()),
            position: PositionNotes::default(),
            clock: TimeSettings::default(),
            search: None,
            deferred: Deferred::default(),
            agreements: Agreements::default(),
            persons: Persons::default(),
            memory: None,
        }
    }

    fn run(&mut self) -> io::Result<()> {
        loop {
            self.take_up();
            self.output.lines.check()?;
            match self.next_event() {
                Some(thought @ Event::Thought(..)) if self.state.paused => {
                    self.deferred.thoughts.push(thought);
                }
                Some(Event::Thought(_, thought)) => {
                    let change = self.hear(thought);
                    self.apply(change);
                }
                Some(Event::Input(Input::Line(line))) => {
                    if self.read(&line).is_break() {
                        return Ok(());
                    }
                }
                Some(Event::Input(Input::TooLong(beginning))) => {
                    self.output.error("line too long", &beginning);
                }
                Some(Event::Input(Input::End)) => return Ok(()),
                None => self.decide_in_time(),
            }
        }
    }

    /// Returns the next event; `None` if the search can't be waited for any longer.
    fn next_event(&mut self) -> Option<Event> {
        let line = if self.is_on_move() { None } else { self.deferred.lines.pop_front() };
        if let Some(line) = line {
            return Some(Event::Input(Input::Line(line)));
        }
        while let Some(left) = self.time_left() {
            // A stall that is seen meanwhile shortens the time that is left.
            let event = self.host.event_within(left.min(LOOK_INTERVAL));
            if event.is_some() || left.is_zero() {
                return event;
            }
        }
        Some(self.host.next_event())
    }

    /// Returns how long the search for a move can be waited for; `None` if there is none, or if it has yet to find a move.
    fn time_left(&self) -> Option<Duration> {
        let search = self.search.as_ref().filter(|_| self.is_on_move() && !self.state.paused)?;
        search.decision()?;
        let deadline = self.clock.deadline(search.granted, search.clock.longest_stall())?;
        Some(deadline.saturating_sub(search.used()))
    }

    /// Makes the move that the search has found so far. Its own thread stands still: other programs use the processors.
    fn decide_in_time(&mut self) {
        if let Some(decision) = self.search.as_ref().and_then(Search::decision) {
            self.output.debug("the search was late".to_owned());
            self.host.engine.abandon();
            let change = self.decide(decision);
            self.apply(change);
        }
    }

    fn apply(&mut self, change: StateChange) {
        self.state.apply(change);
        self.host.engine.use_noise(self.state.random);
    }

    fn is_on_move(&self) -> bool {
        self.occupation() == Occupation::Think
    }

    fn occupation(&self) -> Occupation {
        self.search.as_ref().map_or(Occupation::Nothing, |search| search.occupation)
    }

    /// Returns what the state requires the engine to do.
    fn wanted(&self) -> Occupation {
        // Nothing can be searched without a legal position, without a legal move, or with all moves excluded.
        let Some(game) = self.board.game().filter(|game| !self.root_moves(game).is_empty()) else {
            return Occupation::Nothing;
        };
        match self.state.occupation(game) {
            Occupation::Think if self.is_asked_to_sit() => Occupation::Nothing,
            Occupation::Nothing if self.position.hint_wanted => Occupation::Hint,
            occupation => occupation,
        }
    }

    /// Starts thinking, pondering or analysing as the state requires, unless that is already in progress.
    fn take_up(&mut self) {
        if self.state.paused {
            return;
        }
        let change = self.end_finished_game();
        self.apply(change);
        self.sit();
        let wanted = self.wanted();
        if wanted == self.occupation() {
            return;
        }
        self.abandon();
        self.search = self.begin(wanted);
    }

    /// Starts a search.
    fn begin(&mut self, occupation: Occupation) -> Option<Search> {
        let mut game = self.board.game()?.clone();
        let mut allowed = (!self.position.excluded.is_empty()).then(|| self.root_moves(&game));
        let mut reply = None;
        let (purpose, limits) = match occupation {
            Occupation::Nothing => return None,
            Occupation::Think => {
                let limits = self.clock.limits(game.ply());
                (Purpose::Play, Limits { time: self.clock.without_delay(limits.time), ..limits })
            }
            Occupation::Hint => {
                let time = TimeLimit::PerMove(HINT_TIME);
                (Purpose::Play, Limits { time, ..self.clock.analysis_limits() })
            }
            Occupation::Analyse => (Purpose::Analyse, self.clock.analysis_limits()),
            Occupation::Ponder => {
                // Searches the position after the expected reply; without one, the position of the opponent's choice.
                let next = self.position.expected.and_then(|reply| Some((Some(reply), after(&game, reply)?)));
                (reply, game) = next.unwrap_or((None, game));
                let purpose = if reply.is_some() { Purpose::Ponder } else { Purpose::Analyse };
                // Exclusions apply to the position on the board.
                allowed = None;
                // The node limit does not apply on the opponent's time.
                (purpose, Limits { nodes: None, ..self.clock.limits(game.ply()) })
            }
        };
        let clock = Arc::new(StopWatch::start(self.clock.measure));
        let task = SearchTask { purpose, limits: limits.clone(), allowed, clock: Arc::clone(&clock) as _ };
        self.host.engine.think(&game, task);
        let (own_since, granted) = (Duration::ZERO, self.clock.without_delay(self.clock.granted(self.ply())));
        Some(Search { occupation, reply, limits, granted, clock, own_since, latest: None, current: None })
    }

    /// Returns the legal moves that are not excluded.
    fn root_moves(&self, game: &Game) -> Vec<Move> {
        let excluded = &self.position.excluded;
        game.legal_moves().into_iter().filter(|mv| !excluded.contains(mv)).collect()
    }

    /// Abandons the search; its further reports are dropped.
    fn abandon(&mut self) {
        if let Some(search) = self.search.take() {
            self.clock.spend(search.used());
            self.host.engine.abandon();
        }
    }
}
