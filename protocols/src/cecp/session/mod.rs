//! Herald under a GUI: the state machine of the specification's Appendix B.
//!
//! Where the specification is silent:
//! - A line that needs the engine's own move to be made first (`ping`, a move) waits for it; all others are obeyed
//!   at once, also while the engine thinks.
//! - Parameters too many are passed over; parameters that are missing or wrong are an error and change nothing.
//! - A draw is accepted, and offered with a move that makes it claimable, if the engine has no more to hope for.
//! - A draw that can be claimed is claimed when the opponent's move has brought it about, not on `go`.
//! - Lines found while pondering are shown when the expected move comes, not before: a GUI would take them to be
//!   about the position on its board.

mod agreements;
mod analysis;
mod game;
mod listening;
mod orders;
mod partnership;
mod pause;
mod persons;
mod settings;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

use ::game::Game;
use engine::{Limits, TimeLimit};
use engine::{Purpose, Task};
use shakmaty::{Move, Square};

use super::board::Board;
use super::clock::OwnClock;
use super::dialect::Dialect;
use super::output::Output;
use super::state::{Occupation, State};
use super::work::Work;
use crate::agreements::Agreements;
use crate::host::{Event, Host};
use messages::cecp::Message;
use messages::input::Input;
use partnership::Partnership;
use persons::{Opponent, Question};

/// Plays, analyses and answers until `quit` or the end of the input.
///
/// # Errors
/// If the output fails, other than by being closed.
pub fn serve(host: Host, output: &mut dyn Write, dialect: Dialect) -> io::Result<()> {
    match Session::new(host, output, dialect).run() {
        // The GUI has gone; nobody is left to tell.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

struct Session<'a> {
    host: Host,
    output: Output<'a>,
    dialect: Dialect,
    board: Board,
    state: State,
    clock: OwnClock,
    /// The search that is under way.
    work: Option<Work>,
    /// Lines that wait for the engine's own move.
    waiting: VecDeque<String>,
    /// What the engine had still to say when it was paused.
    paused_thoughts: Vec<Event>,
    /// A report that the next line may make superfluous: see [`Session::report_illegal`].
    held_report: Option<Message>,
    agreements: Agreements,
    partnership: Partnership,
    opponent: Opponent,
    /// What the user was asked and hasn't answered yet.
    question: Option<Question>,
    /// The settings were reset, and nobody was asked yet whether to save them.
    was_reset: bool,
    /// Root moves not to be searched in the present position.
    excluded: Vec<Move>,
    /// The reply that the engine expects in the present position.
    expected: Option<Move>,
    /// The user has asked for a hint that the engine has still to think about.
    hint_wanted: bool,
    /// Where the user has grabbed a man.
    lifted: Option<Square>,
}

/// How long to think about a hint.
const HINT_TIME: Duration = Duration::from_millis(300);

/// The loop of Appendix B.
impl<'a> Session<'a> {
    fn new(mut host: Host, output: &'a mut dyn Write, dialect: Dialect) -> Session<'a> {
        // Only after `random`.
        host.engine.use_noise(false);
        Session {
            host,
            output: Output::new(output),
            dialect,
            board: Board::default(),
            state: State::default(),
            clock: OwnClock::default(),
            work: None,
            waiting: VecDeque::new(),
            paused_thoughts: Vec::new(),
            held_report: None,
            agreements: Agreements::default(),
            partnership: Partnership::default(),
            opponent: Opponent::default(),
            question: None,
            was_reset: false,
            excluded: Vec::new(),
            expected: None,
            hint_wanted: false,
            lifted: None,
        }
    }

    fn run(&mut self) -> io::Result<()> {
        loop {
            self.take_up()?;
            match self.next_event() {
                Event::Thought(id, thought) if self.host.engine.is_current(id) => {
                    if self.state.paused {
                        self.paused_thoughts.push(Event::Thought(id, thought));
                    } else {
                        self.hear(thought)?;
                    }
                }
                Event::Thought(..) => {}
                Event::Input(Input::Line(line)) => {
                    if self.read(&line)?.is_break() {
                        return Ok(());
                    }
                }
                Event::Input(Input::TooLong(beginning)) => self.output.error("line too long", &beginning)?,
                Event::Input(Input::End) => return Ok(()),
            }
        }
    }

    fn next_event(&mut self) -> Event {
        match self.waiting.pop_front() {
            Some(line) if !self.is_on_move() => Event::Input(Input::Line(line)),
            Some(line) => {
                self.waiting.push_front(line);
                self.host.next_event()
            }
            None => self.host.next_event(),
        }
    }

    fn is_on_move(&self) -> bool {
        self.occupation() == Occupation::Think
    }

    fn occupation(&self) -> Occupation {
        self.work.as_ref().map_or(Occupation::Nothing, |work| work.occupation)
    }

    /// What the state asks for.
    fn wanted(&self) -> Occupation {
        match self.board.game() {
            Some(game)
                if self.allowed().is_none_or(|moves| !moves.is_empty()) && !game.legal_moves().is_empty() =>
            {
                match self.state.occupation(game) {
                    Occupation::Think if self.is_asked_to_sit() => Occupation::Nothing,
                    Occupation::Nothing if self.hint_wanted => Occupation::Hint,
                    occupation => occupation,
                }
            }
            // Without a legal position, without a move, or with all moves excluded, there is only waiting.
            _ => Occupation::Nothing,
        }
    }

    /// Thinks, ponders or analyses as the state asks for, unless it is being done already.
    fn take_up(&mut self) -> io::Result<()> {
        if self.state.paused {
            return Ok(());
        }
        self.end_finished_game()?;
        self.sit()?;
        let wanted = self.wanted();
        if wanted == self.occupation() {
            return Ok(());
        }
        self.abandon();
        if let Some(game) = self.board.game().cloned() {
            self.work = match wanted {
                Occupation::Nothing => None,
                Occupation::Think | Occupation::Hint => Some(self.start(&game, wanted, Purpose::Play)),
                Occupation::Analyse => Some(self.start(&game, wanted, Purpose::Analyse)),
                Occupation::Ponder => Some(self.ponder(&game)),
            };
        }
        Ok(())
    }

    /// Thinks about the position after the expected reply; without one, about the opponent's choice.
    fn ponder(&mut self, game: &Game) -> Work {
        let mut next = game.clone();
        match self.expected.filter(|&reply| next.play(reply).is_ok()) {
            Some(reply) if next.outcome().is_none() => {
                let mut work = self.start(&next, Occupation::Ponder, Purpose::Ponder);
                work.reply = Some(reply);
                work
            }
            _ => self.start(game, Occupation::Ponder, Purpose::Analyse),
        }
    }

    fn start(&mut self, game: &Game, occupation: Occupation, purpose: Purpose) -> Work {
        let limits = match occupation {
            Occupation::Think => self.clock.limits(game.ply()),
            // Nodes on the opponent's time are free.
            Occupation::Ponder => Limits { nodes: None, ..self.clock.limits(game.ply()) },
            Occupation::Hint => {
                Limits { time: TimeLimit::PerMove(HINT_TIME), ..self.clock.analysis_limits() }
            }
            Occupation::Analyse | Occupation::Nothing => self.clock.analysis_limits(),
        };
        let clock = self.clock.start();
        // Exclusions are about the position on the board, which a ponder search has left.
        let allowed = if occupation == Occupation::Ponder { None } else { self.allowed() };
        let task = Task { purpose, limits: limits.clone(), allowed, clock: Arc::clone(&clock) as _ };
        self.host.engine.think(game, task);
        Work::new(occupation, limits, clock)
    }

    /// The root moves to search; `None` for all.
    fn allowed(&self) -> Option<Vec<Move>> {
        let game = self.board.game().filter(|_| !self.excluded.is_empty())?;
        Some(game.legal_moves().into_iter().filter(|mv| !self.excluded.contains(mv)).collect())
    }

    /// Ends the search, of which nothing more will be heard.
    fn abandon(&mut self) {
        if let Some(work) = self.work.take() {
            self.clock.spend(work.used());
            self.host.engine.abandon();
        }
    }

    /// To be called after every change of the position.
    fn position_changed(&mut self) {
        self.excluded.clear();
        self.expected = None;
        self.lifted = None;
        self.hint_wanted = false;
    }
}
