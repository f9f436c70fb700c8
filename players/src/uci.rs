//! A player that speaks UCI, the Universal Chess Interface.

use std::os::fd::BorrowedFd;
use std::sync::Arc;
use std::time::{Duration, Instant};

use game::Score;
use game::{CastlingMode, Color, Game, Outcome, TimeControl};
use messages::uci::{Command, Go, Info, Message, MessageError, OptionKind, Start, Value};
use shakmaty::ByColor;
use shakmaty::uci::UciMove;

use crate::listen::{Listener, next_arrival};
use crate::log::Log;
use crate::options::{self, Kind, Setting};
use crate::player::score;
use crate::stream::{Said, Stream, Vocabulary};
use crate::{Account, Arrival, Departure, Event, Fault, Identity, NewGame, Player, Spec, Thinking, Turn};

/// UCI, as an engine is spoken to.
pub struct Uci;

impl Vocabulary for Uci {
    type Command = Command;
    type Message = Result<Message, MessageError>;
    const STRICT: bool = false;

    fn read(line: &str) -> Result<Message, MessageError> {
        line.parse()
    }
}

/// "No limit" for engines: without any clock, `go` would mean to think for ever.
const A_DAY: i64 = 24 * 60 * 60 * 1000;

/// How long `stop` waits for a sign that the search has begun: Ethereal hangs if it comes between `go` and that.
const BEGINNING: Duration = Duration::from_millis(100);

/// An engine behind UCI.
///
/// Each `go` is answered by one `bestmove`. The player counts those that are still to come of searches that no longer
/// matter, and begins no search before they have come: so no answer can be taken for that of another search.
pub struct UciPlayer {
    spec: Spec,
    stream: Stream<Uci>,
    identity: Identity,
    options: Vec<EngineOption>,
    state: State,
    ponders: bool,
    /// When the last search was asked for, and whether the engine has said something since.
    went: Instant,
    has_begun: bool,
    /// What the engine expects after its last move.
    expected: Option<UciMove>,
}

/// An option that the engine offers.
struct EngineOption {
    name: String,
    kind: OptionKind,
}

/// What the engine is doing.
enum State {
    /// Between games, or before the first move; nothing is searched.
    Idle,
    /// It has to move.
    Thinking,
    /// It has moved, and nothing is searched.
    Waiting,
    /// It searches the position after the expected move, the last of `game`.
    Pondering(Expectation),
    /// It was told to stop a search whose answer no longer matters; then this is to be searched, if anything.
    Stopping(Option<Box<Request>>),
}

/// The opponent's move that is pondered on.
struct Expectation {
    /// The ply before which it would be played.
    ply: usize,
    mv: UciMove,
    /// The answer, if it came too early.
    answer: Option<UciMove>,
}

/// A search to be begun.
struct Request {
    position: Command,
    go: Go,
    /// Whose clock is running since when.
    color: Color,
    since: Instant,
}

impl UciPlayer {
    /// Starts the engine, learns its options and sets them.
    ///
    /// # Errors
    /// [`Fault::Start`], or the engine ended or kept silent.
    pub fn start(spec: &Spec, log: Option<Arc<dyn Log>>) -> Result<UciPlayer, Fault> {
        let stream = Stream::start(spec, log)?;
        let mut player = UciPlayer {
            spec: spec.clone(),
            stream,
            identity: Identity::default(),
            options: Vec::new(),
            state: State::Idle,
            ponders: false,
            went: Instant::now(),
            has_begun: false,
            expected: None,
        };
        player.greet()?;
        player.set_options()?;
        player.wait_until_ready()?;
        Ok(player)
    }

    fn greet(&mut self) -> Result<(), Fault> {
        self.stream.tell(&Command::Uci)?;
        let until = Instant::now() + self.spec.patience;
        loop {
            let Some(said) = self.stream.wait(until)? else {
                return Err(self.stream.fail(Fault::Silence("uci")));
            };
            match said.message {
                Ok(Message::Name(name)) => self.identity.name = name.replace('\t', " "),
                Ok(Message::Author(author)) => self.identity.authors = Some(author.replace('\t', " ")),
                Ok(Message::Option { name, kind }) => self.options.push(EngineOption { name, kind }),
                Ok(Message::UciOk) => return Ok(()),
                _ => {}
            }
        }
    }

    fn set_options(&mut self) -> Result<(), Fault> {
        for (name, value) in self.spec.options.clone() {
            let Some(option) = self.option(&name) else {
                let fault = options::unknown(&name, self.options.iter().map(|option| option.name.as_str()));
                return Err(self.stream.fail(fault));
            };
            let kind = match &option.kind {
                OptionKind::Check { .. } => Kind::Check,
                OptionKind::Spin { min, max, .. } => Kind::Number { min: *min, max: *max },
                OptionKind::Combo { choices, .. } => Kind::Choice(choices),
                OptionKind::Button => Kind::Button,
                OptionKind::String { .. } => Kind::Text,
            };
            let setting = options::fit(&name, &kind, &value).map_err(|fault| self.stream.fail(fault))?;
            let value = match setting {
                Setting::Switch(on) => Some(on.to_string()),
                Setting::Value(value) => Some(value),
                Setting::Press => None,
            };
            self.stream.tell(&Command::SetOption { name, value })?;
        }
        let limits = [("Hash", self.spec.memory), ("Threads", self.spec.threads)];
        for (name, limit) in limits {
            let Some(limit) = limit else { continue };
            match self.option(name).map(|option| &option.kind) {
                Some(&OptionKind::Spin { min, max, .. }) => {
                    let limit = i64::try_from(limit).unwrap_or(max).clamp(min, max.max(min));
                    self.set(name, limit.to_string())?;
                }
                _ => self.stream.note(&format!("does not offer {name}")),
            }
        }
        Ok(())
    }

    /// An option by its name; capitals don't matter.
    fn option(&self, name: &str) -> Option<&EngineOption> {
        self.options.iter().find(|option| option.name.eq_ignore_ascii_case(name))
    }

    fn set(&mut self, name: &str, value: String) -> Result<(), Fault> {
        self.stream.tell(&Command::SetOption { name: name.to_owned(), value: Some(value) })
    }

    /// Sets an option that the engine may have.
    fn set_if_offered(&mut self, name: &str, value: String) -> Result<(), Fault> {
        if self.option(name).is_some() { self.set(name, value) } else { Ok(()) }
    }

    fn wait_until_ready(&mut self) -> Result<(), Fault> {
        self.stream.tell(&Command::IsReady)?;
        let until = Instant::now() + self.spec.patience;
        while let Some(said) = self.stream.wait(until)? {
            if said.message == Ok(Message::ReadyOk) {
                return Ok(());
            }
        }
        Err(self.stream.fail(Fault::Silence("isready")))
    }

    /// Breaks off the search that is going on, if any; its answer will be dropped.
    fn stop(&mut self) -> Result<(), Fault> {
        self.wait_for_beginning()?;
        let state = std::mem::replace(&mut self.state, State::Idle);
        self.state = match state {
            State::Thinking | State::Pondering(Expectation { answer: None, .. }) => {
                self.stream.tell(&Command::Stop)?;
                State::Stopping(None)
            }
            State::Stopping(_) => State::Stopping(None),
            State::Idle | State::Waiting | State::Pondering(_) => State::Idle,
        };
        Ok(())
    }

    /// Waits until the search that was begun last shows that it is going on, for a moment at most.
    fn wait_for_beginning(&mut self) -> Result<(), Fault> {
        let until = self.went + BEGINNING;
        while self.is_searching() && !self.has_begun {
            let Some(said) = self.stream.wait(until)? else { break };
            self.understand(said)?;
        }
        Ok(())
    }

    fn wait_until_stopped(&mut self) -> Result<(), Fault> {
        let until = Instant::now() + self.spec.patience;
        while matches!(self.state, State::Stopping(_)) {
            let Some(said) = self.stream.wait(until)? else {
                return Err(self.stream.fail(Fault::Silence("stop")));
            };
            self.understand(said)?;
        }
        self.state = State::Idle;
        Ok(())
    }

    /// Begins a search.
    fn go(&mut self, position: Command, go: Go) -> Result<(), Fault> {
        self.went = Instant::now();
        self.has_begun = false;
        self.stream.tell_all(&[position, Command::Go(Box::new(go))])
    }

    fn begin(&mut self, request: Request) -> Result<(), Fault> {
        let Request { position, mut go, color, since } = request;
        // The time that the engine needed to stop is its own.
        let lost = i64::try_from(since.elapsed().as_millis()).unwrap_or(i64::MAX);
        for left in [color.fold_wb(&mut go.wtime, &mut go.btime), &mut go.movetime].into_iter().flatten() {
            *left = left.saturating_sub(lost).max(1);
        }
        self.state = State::Thinking;
        self.go(position, go)
    }

    fn is_searching(&self) -> bool {
        matches!(self.state, State::Thinking | State::Pondering(_))
    }

    fn answered(&mut self, best: UciMove, ponder: Option<UciMove>) -> Result<Option<Event>, Fault> {
        match &mut self.state {
            State::Thinking => {
                self.state = State::Waiting;
                self.expected = ponder;
                Ok(Some(Event::Move(best.to_string())))
            }
            State::Stopping(next) => {
                match next.take() {
                    Some(request) => self.begin(*request)?,
                    None => self.state = State::Idle,
                }
                Ok(None)
            }
            State::Pondering(expectation) if expectation.answer.is_none() => {
                expectation.answer = Some(best);
                Ok(None)
            }
            // It was not asked for a move: that is for the official to judge.
            State::Waiting | State::Pondering(_) => Ok(Some(Event::Move(best.to_string()))),
            State::Idle => Ok(None),
        }
    }
}

impl Listener for UciPlayer {
    type Vocabulary = Uci;

    fn stream(&mut self) -> &mut Stream<Uci> {
        &mut self.stream
    }

    fn understand(&mut self, said: Said<Result<Message, MessageError>>) -> Result<Option<Event>, Fault> {
        let Said { at: _, line, message } = said;
        self.has_begun = true;
        match message {
            Ok(Message::BestMove { best, ponder }) => self.answered(best, ponder),
            // A move that cannot be read is still an answer, for the official to judge.
            Err(MessageError::Malformed { message: "bestmove", found, .. }) => match self.state {
                State::Thinking => {
                    self.state = State::Waiting;
                    self.expected = None;
                    Ok(Some(Event::Move(found)))
                }
                _ => self.answered(UciMove::Null, None),
            },
            Ok(Message::Info(info)) if self.is_searching() => Ok(thinking(&info, &line).map(Event::Thinking)),
            _ => Ok(None),
        }
    }
}

/// What an `info` tells of the best line; `None` if it tells nothing of it.
fn thinking(info: &Info, line: &str) -> Option<Thinking> {
    let is_best_line = info.multipv.is_none_or(|place| place <= 1);
    if !is_best_line || (info.score.is_none() && info.pv.is_empty()) {
        return None;
    }
    Some(Thinking {
        depth: info.depth,
        selective_depth: info.seldepth,
        score: info.score.map(|score_of| score(told(score_of.value))),
        nodes: info.nodes,
        time: info.time.map(Duration::from_millis),
        line: if info.pv.is_empty() { String::new() } else { after_pv(line) },
    })
}

/// The line as the engine wrote it: it may go on with what is no move.
fn after_pv(line: &str) -> String {
    line.split_once(" pv ").map(|(_, pv)| pv.trim().to_owned()).unwrap_or_default()
}

fn told(value: Value) -> Score {
    match value {
        Value::Centipawns(centipawns) => Score::Centipawns(centipawns),
        Value::Mate(moves) if moves > 0 => Score::MateIn(moves.unsigned_abs()),
        Value::Mate(moves) => Score::MatedIn(moves.unsigned_abs()),
    }
}

/// The position of a game, with another move played if there is one.
fn position(game: &Game, another: Option<UciMove>) -> Command {
    let start = if game.has_standard_start() { Start::Initial } else { Start::Fen(game.start_fen()) };
    let moves = game.moves().iter().map(|m| m.to_uci(game.mode())).chain(another).collect();
    Command::Position { start, moves }
}

/// How the player of `color` may think about its next move.
fn go(color: Color, accounts: &ByColor<Account>) -> Go {
    let own = &accounts[color];
    let n = own.moves_made + 1;
    let millis = |duration: Duration| i64::try_from(duration.as_millis()).unwrap_or(i64::MAX);
    match &own.control {
        TimeControl::Depth(depth) => Go { depth: Some(depth.get()), ..Go::default() },
        TimeControl::Nodes(nodes) => Go { nodes: Some(nodes.get()), ..Go::default() },
        TimeControl::PerMove(time) => Go { movetime: Some(millis(*time).max(1)), ..Go::default() },
        TimeControl::Clock(_) | TimeControl::Unlimited => {
            let left = |color: Color| match (&accounts[color].control, accounts[color].remaining) {
                (TimeControl::Unlimited, _) => Some(A_DAY),
                (_, remaining) => remaining.map(|remaining| millis(remaining).max(1)),
            };
            let increment = |color: Color| {
                let account = &accounts[color];
                left(color).map(|_| millis(account.control.increment(account.moves_made + 1)))
            };
            Go {
                wtime: left(Color::White),
                btime: left(Color::Black),
                winc: increment(Color::White),
                binc: increment(Color::Black),
                movestogo: own.control.moves_to_go(n),
                ..Go::default()
            }
        }
    }
}

impl Player for UciPlayer {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn new_game(&mut self, game: &NewGame) -> Result<(), Fault> {
        self.stop()?;
        self.wait_until_stopped()?;
        self.expected = None;
        let is_chess960 = game.mode() == CastlingMode::Chess960;
        if is_chess960 && self.option("UCI_Chess960").is_none() {
            return Err(Fault::Unsupported("Chess960".into()));
        }
        self.stream.tell(&Command::UciNewGame)?;
        self.set_if_offered("UCI_Chess960", is_chess960.to_string())?;
        self.set_if_offered("Ponder", game.ponder.to_string())?;
        if !game.opponent.trim().is_empty() {
            self.set_if_offered("UCI_Opponent", format!("none none computer {}", game.opponent))?;
        }
        self.ponders = game.ponder && self.option("Ponder").is_some();
        self.wait_until_ready()
    }

    fn think(&mut self, turn: &Turn) -> Result<(), Fault> {
        let since = Instant::now();
        let color = turn.game.turn();
        let request =
            || Request { position: position(turn.game, None), go: go(color, turn.accounts), color, since };
        if let State::Pondering(expectation) = &mut self.state {
            let played = turn.game.moves().last().map(|m| m.to_uci(turn.game.mode()));
            let is_hit = turn.game.ply() == expectation.ply + 1 && played == Some(expectation.mv);
            if is_hit && expectation.answer.is_none() {
                self.state = State::Thinking;
                return self.stream.tell(&Command::PonderHit);
            }
            // An answer that came too early is worth nothing: the engine may not have thought to the end.
        }
        self.stop()?;
        match &mut self.state {
            State::Stopping(next) => {
                *next = Some(Box::new(request()));
                Ok(())
            }
            _ => self.begin(request()),
        }
    }

    fn wait(&mut self, turn: &Turn) -> Result<(), Fault> {
        let (State::Waiting, true, Some(expected)) = (&self.state, self.ponders, self.expected.take()) else {
            return Ok(());
        };
        // A guess that is no legal move is no reason to complain.
        if expected.to_move(turn.game.position()).is_err() {
            return Ok(());
        }
        let go = Go { ponder: true, ..go(!turn.game.turn(), turn.accounts) };
        self.state = State::Pondering(Expectation { ply: turn.game.ply(), mv: expected, answer: None });
        self.go(position(turn.game, Some(expected)), go)
    }

    fn offer_draw(&mut self) -> Result<(), Fault> {
        Ok(()) // UCI has no words for it
    }

    fn end_game(&mut self, _outcome: Outcome) -> Result<(), Fault> {
        self.stop()
    }

    fn take(&mut self) -> Option<Arrival> {
        next_arrival(self)
    }

    fn source(&self) -> Option<BorrowedFd<'_>> {
        Some(self.stream.source())
    }

    fn quit(mut self: Box<Self>) -> Departure {
        // That it has gone already is no matter here.
        let _ = self.stop().and_then(|()| self.stream.tell(&Command::Quit));
        self.stream.quit(self.spec.grace)
    }
}
