//! Herald under a GUI: the state machine of the specification's Appendix B.
//!
//! Where the specification is silent:
//! - A line that needs the engine's own move to be made first (`ping`, a move) waits for it; all others are obeyed
//!   at once, also while the engine thinks.
//! - A draw is accepted, and offered with a move that makes it claimable, if the engine's score is not above zero.
//! - A draw that can be claimed is claimed when the opponent's move has brought it about, not on `go`.
//! - The engine never resigns.
//! - Lines found while pondering are shown when the expected move comes, not before: a GUI would take them to be
//!   about the position on its board.

mod analysis;
mod game;
mod settings;

use std::collections::VecDeque;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use engine::{Decision, DrawReason, Game, Outcome, Purpose, Task, Thought};
use search::{Limits, Score, TimeLimit};
use shakmaty::{Color, Move};

use super::board::Board;
use super::clock::OwnClock;
use super::command::Command;
use super::message::Message;
use super::notation::GameResult;
use super::output::{Output, move_text, thinking_line};
use super::state::{Mode, Occupation, State};
use super::variants;
use super::work::Work;
use crate::host::{Event, Host};
use crate::input::Input;

/// Plays, analyses and answers until `quit` or the end of the input.
///
/// # Errors
/// If the output fails, other than by being closed.
pub fn serve(host: Host, output: &mut dyn Write) -> io::Result<()> {
    let mut session = Session {
        host,
        output: Output::new(output),
        board: Board::default(),
        state: State::default(),
        clock: OwnClock::default(),
        work: None,
        waiting: VecDeque::new(),
        held_report: None,
        draw_offered: false,
        excluded: Vec::new(),
        expected: None,
    };
    match session.run() {
        // The GUI has gone; nobody is left to tell.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

struct Session<'a> {
    host: Host,
    output: Output<'a>,
    board: Board,
    state: State,
    clock: OwnClock,
    /// The search that is under way.
    work: Option<Work>,
    /// Lines that wait for the engine's own move.
    waiting: VecDeque<String>,
    /// A report that the next line may make superfluous: see [`Session::report_illegal`].
    held_report: Option<Message>,
    /// The opponent has offered a draw since the engine's last move.
    draw_offered: bool,
    /// Root moves not to be searched in the present position.
    excluded: Vec<Move>,
    /// The reply that the engine expects in the present position.
    expected: Option<Move>,
}

/// How long to think about a hint.
const HINT_TIME: Duration = Duration::from_millis(300);

/// The loop of Appendix B.
impl Session<'_> {
    fn run(&mut self) -> io::Result<()> {
        loop {
            self.take_up()?;
            match self.next_event() {
                Event::Thought(id, thought) if self.host.engine.is_current(id) => self.hear(thought)?,
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
                self.state.occupation(game)
            }
            // Without a legal position, without a move, or with all moves excluded, there is only waiting.
            _ => Occupation::Nothing,
        }
    }

    /// Thinks, ponders or analyses as the state asks for, unless it is being done already.
    fn take_up(&mut self) -> io::Result<()> {
        self.end_finished_game()?;
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
        self.state.hint_wanted = false;
    }
}

/// What the engine says.
impl Session<'_> {
    fn hear(&mut self, thought: Thought) -> io::Result<()> {
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
            Thought::Done(decision) => self.conclude(decision),
        }
    }

    fn post(&mut self, line: &engine::Line) -> io::Result<()> {
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
            Occupation::Think => self.play(decision),
            Occupation::Hint => {
                self.work = None;
                self.state.hint_wanted = false;
                decision.best.map_or(Ok(()), |mv| self.send_hint(mv))
            }
            // They go on, though there is nothing more to find, until the state asks for something else.
            Occupation::Ponder | Occupation::Analyse | Occupation::Nothing => Ok(()),
        }
    }

    /// Makes the engine's move.
    fn play(&mut self, decision: Decision) -> io::Result<()> {
        let used = self.work.take().map_or(Duration::ZERO, |work| work.used());
        let (Some(mv), Some(game)) = (decision.best, self.board.game_mut()) else {
            self.state.mode = Mode::Force;
            return Ok(());
        };
        let text = move_text(game, mv);
        let claimable = game.claim_after(mv).is_some();
        let ply = game.ply();
        if game.play(mv).is_err() {
            self.state.mode = Mode::Force;
            return self.output.debug(format!("the search chose {text}, which is not legal"));
        }
        let outcome = game.outcome();
        let is_plain = outcome.is_some_and(|outcome| variants::is_plain(game.variant(), outcome));
        // A dead position is claimed with the move, like every draw that is not plain for all to see.
        let is_dead = outcome == Some(Outcome::Draw(DrawReason::InsufficientMaterial));
        let draws = claimable || is_dead || !is_plain && matches!(outcome, Some(Outcome::Draw(_)));
        if (self.draw_offered || draws) && decision.score <= Score::DRAW {
            self.output.send(&Message::OfferDraw)?;
        }
        self.output.send(&Message::Move(text))?;
        self.clock.make_move(used, ply);
        self.draw_offered = false;
        self.position_changed();
        self.expected = decision.ponder;
        match outcome {
            Some(outcome) if is_plain && !is_dead => self.announce_end(outcome),
            _ => Ok(()),
        }
    }

    /// If it is the engine's turn and the rules have ended the game, says so.
    fn end_finished_game(&mut self) -> io::Result<()> {
        match self.board.game() {
            Some(game) if self.state.mode == Mode::Play(game.turn()) => match game.outcome() {
                // A draw that the GUI can't see would be a false claim; the opponent may agree to it.
                Some(outcome @ Outcome::Draw(_)) if !variants::is_plain(game.variant(), outcome) => {
                    self.state.mode = Mode::Force;
                    self.output.send(&Message::OfferDraw)
                }
                Some(outcome) => self.announce_end(outcome),
                None => Ok(()),
            },
            _ => Ok(()),
        }
    }

    fn announce_end(&mut self, outcome: Outcome) -> io::Result<()> {
        self.state.mode = Mode::Force;
        let result = match outcome.winner() {
            Some(Color::White) => GameResult::WhiteWins,
            Some(Color::Black) => GameResult::BlackWins,
            None => GameResult::Draw,
        };
        self.output.send(&Message::Result { result, comment: Some(outcome.to_string()) })
    }
}

/// What the GUI says.
impl Session<'_> {
    fn read(&mut self, line: &str) -> io::Result<ControlFlow<()>> {
        if line.trim().is_empty() {
            return Ok(ControlFlow::Continue(()));
        }
        let command = line.parse::<Command>();
        if command == Ok(Command::Quit) {
            return Ok(ControlFlow::Break(()));
        }
        if self.board.is_edited() {
            return self.edit(line).map(ControlFlow::Continue);
        }
        if let Some(report) = self.held_report.take()
            && !matches!(command, Ok(Command::SetBoard(_) | Command::Edit))
        {
            self.output.send(&report)?;
        }
        match command {
            Ok(command) if self.is_on_move() && needs_own_move(&command) => {
                self.waiting.push_back(line.to_owned());
            }
            Ok(command) => self.obey(command, line)?,
            Err(error) => self.output.error(&error.to_string(), line)?,
        }
        Ok(ControlFlow::Continue(()))
    }

    /// The commands that may be answered, if only with an error.
    fn obey(&mut self, command: Command, line: &str) -> io::Result<()> {
        use Command as C;
        if !leaves_turn_open(&command) {
            self.settle()?;
        }
        match command {
            C::Protover(_) => self.announce(),
            C::New => self.start_game("normal", line),
            C::Variant(name) => self.start_game(&name, line),
            C::UserMove(mv) | C::BareMove(mv) => self.make_move(&mv),
            C::SetBoard(fen) => self.set_up(&fen),
            C::Undo => self.take_back(1, line),
            C::Remove => self.take_back(2, line),
            C::Ping(n) => {
                self.host.engine.settle();
                self.output.send(&Message::Pong(n))
            }
            C::Status => self.tell_status(),
            C::Hint => self.hint(),
            C::Book => self.tell_book(),
            C::Exclude(moves) => self.exclude(&moves, line),
            C::Include(moves) => self.include(&moves, line),
            C::Memory(mebibytes) => self.set_memory(mebibytes, line),
            C::Cores(cores) => self.set_cores(cores, line),
            C::EgtPath { flavor, path } => self.set_tablebases(&flavor, &path, line),
            C::Holding { white, black, .. } => self.hold(&white, &black, line),
            C::Option { name, value } => self.set_option(&name, value.as_deref(), line),
            // Not announced, so that no GUI should ask for them.
            C::Pause | C::Resume | C::SetScore { .. } | C::Lift(_) | C::Put(_) | C::Hover(_) => {
                self.output.error(UNKNOWN, line)
            }
            silent => {
                self.obey_silently(&silent);
                Ok(())
            }
        }
    }

    /// The commands that have no answer: modes, clocks, and what is only taken note of.
    fn obey_silently(&mut self, command: &Command) {
        use Command as C;
        let ply = self.board.game().map_or(0, Game::ply);
        match *command {
            C::Accepted(ref feature) => self.answer_feature(feature, true),
            C::Rejected(ref feature) => self.answer_feature(feature, false),
            C::Force => self.state.mode = Mode::Force,
            C::Result { .. } => self.end_game(),
            C::White => self.put_on_move(Color::White),
            C::Black => self.put_on_move(Color::Black),
            C::Go => self.play_side(|turn| turn),
            C::PlayOther => self.play_side(|turn| !turn),
            C::Analyze => self.state.mode = Mode::Analyze,
            C::Exit if self.state.mode == Mode::Analyze => self.state.mode = Mode::Force,
            C::Edit => self.begin_edit(),
            C::MoveNow if self.is_on_move() => self.host.engine.move_now(),
            C::Draw => self.draw_offered = true,
            C::Level { moves, base, increment } => self.clock.set_level(moves, base, increment, ply),
            C::TimePerMove(time) => self.clock.set_time_per_move(time, ply),
            C::Depth(depth) => self.clock.set_depth(depth),
            C::NodeRate(rate) => self.clock.set_node_rate(rate),
            C::Time { centiseconds } => self.clock.synchronise(centiseconds),
            C::Easy => self.state.ponder = false,
            C::Hard => self.state.ponder = true,
            C::Post => self.output.posts = true,
            C::NoPost => self.output.posts = false,
            // Without effect on play: the opponent and its clock, the server, and XBoard's `random` for every game,
            // which would only weaken the engine.
            _ => {}
        }
    }
}

/// The kind of error for commands that Herald does not obey.
const UNKNOWN: &str = "unknown command";

/// Whether a command can only be obeyed once the engine has made its move.
fn needs_own_move(command: &Command) -> bool {
    matches!(command, Command::Ping(_) | Command::UserMove(_) | Command::BareMove(_))
}

/// Whether `white` or `black` may follow and take back what another `white` or `black` has done.
fn leaves_turn_open(command: &Command) -> bool {
    use Command as C;
    matches!(command, C::White | C::Black | C::Time { .. } | C::OpponentTime { .. })
}
