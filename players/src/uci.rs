//! A player that speaks UCI, the Universal Chess Interface.

use std::sync::Arc;
use std::time::{Duration, Instant};

use game::{CastlingMode, Color, Game, Move, Outcome, PlayedVariant, ScoreBound, TimeControl};
use messages::OptionKind;
use messages::cecp::OptionDefinition;
use messages::uci::{Command, Go, Info, LineError, Message, StartPosition};
use platform::Source;
use shakmaty::uci::UciMove;

use crate::mend::{Abilities, MendedPlayer, Setting};
use crate::player::{ProtocolPlayer, next_arrival, not_offered, offered_name, score};
use crate::{
    Arrival, Capacity, Departure, Log, NewGame, OptionValue, Player, PlayerEvent, PlayerFault, Spec, Stream,
    Thinking, Timed, Turn, Vocabulary, spec,
};

/// The vocabulary of UCI, from the GUI's side.
pub struct Uci;

impl Vocabulary for Uci {
    type Message = Result<Message, LineError>;
    const STRICT: bool = false;

    fn read(line: &str) -> Result<Message, LineError> {
        line.parse()
    }
}

/// Clock of a game without a limit, in milliseconds: `go` without any clock would search for ever.
const A_DAY: i64 = 24 * 60 * 60 * 1000;

/// The options that choose what is played.
const VARIANT: &str = "UCI_Variant";
const CHESS960: &str = "UCI_Chess960";

/// Longest delay of `stop` until the search has shown output: Ethereal hangs if `stop` comes between `go` and that.
const BEGINNING: Duration = Duration::from_millis(100);

/// A UCI engine.
///
/// Each `go` is answered by one `bestmove`. No search is begun before the answer to the last one has arrived, so that no answer
/// is taken for that of another search.
pub struct UciPlayer {
    stream: Stream<Uci>,
    name: String,
    /// Options of the engine, by name.
    options: Vec<(String, OptionKind)>,
    /// Present value of `UCI_Variant`; `None` if the engine does not have it.
    variant: Option<String>,
    state: UciState,
    ponders: bool,
    /// Time of the last `go`, and whether the engine has sent anything since.
    went: Instant,
    has_begun: bool,
    /// Reply that the engine expects to its last move.
    expected: Option<UciMove>,
}

/// State of the engine.
enum UciState {
    /// Between games, or before the first move; no search runs.
    Idle,
    /// It has to move.
    Thinking,
    /// It has moved; no search runs.
    Waiting,
    /// It searches the position after the expected move.
    Pondering(Expectation),
    /// It was sent `stop` and its answer will be dropped; the next search waits for that.
    Stopping(Option<Box<SearchRequest>>),
}

/// The ponder move.
struct Expectation {
    /// Number of plies before the move.
    ply: usize,
    mv: UciMove,
    /// Answer of the engine, if it came too early.
    answer: Option<UciMove>,
}

/// A search that waits for the end of the last one.
struct SearchRequest {
    position: Command,
    go: Go,
    /// Side whose clock runs, and since when.
    color: Color,
    since: Instant,
}

impl UciPlayer {
    /// Starts the engine, reads its options and sets them.
    ///
    /// # Errors
    /// The engine cannot be started, ended, or didn't answer in time; or an option is invalid.
    pub fn start(spec: &Spec, log: Option<Arc<dyn Log>>) -> Result<UciPlayer, PlayerFault> {
        let stream = Stream::start(spec, log)?;
        let mut player = UciPlayer {
            stream,
            name: String::new(),
            options: Vec::new(),
            variant: None,
            state: UciState::Idle,
            ponders: false,
            went: Instant::now(),
            has_begun: false,
            expected: None,
        };
        player.greet()?;
        player.set_options()?;
        match player.wait_until_ready()? {
            Some(refusal) => Err(player.stream.fail(PlayerFault::Start(refusal))),
            None => Ok(player),
        }
    }

    /// Whether an engine says that it can't use the value of an option of the specification. UCI has no message for it; engines say it
    /// as information.
    fn refuses_option(&self, said: &str) -> bool {
        let lower = said.to_lowercase();
        let refuses = ["can't", "cannot", "could not", "error", "fail", "invalid"]
            .iter()
            .any(|word| lower.contains(word));
        let mut values = self.stream.spec.options.values().map(ToString::to_string);
        // Short values would be found by chance.
        refuses && values.any(|value| value.len() > 3 && said.contains(&value))
    }

    fn greet(&mut self) -> Result<(), PlayerFault> {
        self.stream.tell(Command::Uci)?;
        let until = self.stream.deadline();
        loop {
            match self.stream.answer("uci", until)?.message {
                Ok(Message::Name(name)) => self.name = name.replace('\t', " "),
                Ok(Message::Option { name, kind }) => self.options.push((name, kind)),
                Ok(Message::UciOk) => break,
                _ => {}
            }
        }
        if let Some(OptionKind::Combo { value, .. }) = self.option(VARIANT) {
            self.variant = Some(value.clone());
        }
        Ok(())
    }

    /// Names of the variants that the engine offers.
    fn variants(&self) -> impl Iterator<Item = &str> {
        let choices = match self.option(VARIANT) {
            Some(OptionKind::Combo { choices, .. }) => choices.as_slice(),
            _ => &[],
        };
        let chess960 = self.option(CHESS960).map(|_| PlayedVariant::CHESS960.name());
        // Without the option it plays chess.
        let chess = choices.is_empty().then_some(PlayedVariant::CHESS.name());
        choices.iter().map(String::as_str).chain(chess960).chain(chess)
    }

    /// Sets the variant, unless it is set already.
    fn set_variant(&mut self, played: PlayedVariant) -> Result<(), PlayerFault> {
        let rules = PlayedVariant { mode: CastlingMode::Standard, ..played };
        let wanted = offered_name(self.variants(), rules).map(str::to_owned);
        if self.variant.is_some() && wanted.is_some() && self.variant != wanted {
            self.set_if_offered(VARIANT, wanted.clone().unwrap_or_default())?;
            self.variant = wanted;
        }
        Ok(())
    }

    /// Sets the options of the specification, and memory, threads and number of lines if the engine offers them.
    fn set_options(&mut self) -> Result<(), PlayerFault> {
        for (name, value) in self.stream.spec.options.clone() {
            let value = self.setting(&name, &value).map_err(|fault| self.stream.fail(fault))?;
            self.stream.tell(Command::SetOption { name, value })?;
        }
        let Spec { memory, threads, lines, .. } = self.stream.spec;
        let limits = [("Hash", memory), ("Threads", threads), ("MultiPV", lines)];
        for (name, limit) in limits {
            let Some(limit) = limit else { continue };
            match self.option(name) {
                Some(&OptionKind::Spin { min, max, .. }) => {
                    let limit = i64::try_from(limit).unwrap_or(max).clamp(min, max.max(min));
                    self.set_if_offered(name, limit.to_string())?;
                }
                _ => self.stream.log.note(&format!("does not offer {name}")),
            }
        }
        self.stream.tell_all(self.stream.spec.init.clone())
    }

    /// Converts the value of an option for `setoption`.
    fn setting(&self, name: &str, value: &OptionValue) -> Result<Option<String>, PlayerFault> {
        let Some(kind) = self.option(name) else {
            return Err(spec::unknown_option(name, self.options.iter().map(|(known, _)| known.as_str())));
        };
        spec::option_setting(name, kind, ["false", "true"], value)
    }

    /// Finds an option by its name, case-insensitively.
    fn option(&self, name: &str) -> Option<&OptionKind> {
        self.options.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, kind)| kind)
    }

    /// The number of an option: the limit if there is one, which is set last, the user's, or the engine's own.
    fn number(&self, name: &str, limit: Option<u64>) -> Option<u64> {
        let &OptionKind::Spin { value, min, max } = self.option(name)? else { return None };
        let limit = limit.map(|limit| i64::try_from(limit).unwrap_or(max).clamp(min, max.max(min)));
        let given = self.stream.spec.options.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        let given = given.and_then(|(_, value)| value.to_string().parse().ok());
        u64::try_from(limit.or(given).unwrap_or(value)).ok()
    }

    /// Sets an option if the engine offers it.
    fn set_if_offered(&mut self, name: &str, value: String) -> Result<(), PlayerFault> {
        if self.option(name).is_none() {
            return Ok(());
        }
        self.stream.tell(Command::SetOption { name: name.to_owned(), value: Some(value) })
    }

    /// Waits until the engine is ready. Returns the first refusal of an option's value that it says meanwhile.
    fn wait_until_ready(&mut self) -> Result<Option<String>, PlayerFault> {
        self.stream.tell(Command::IsReady)?;
        let until = self.stream.deadline();
        let mut refusal = None;
        loop {
            match self.stream.answer("isready", until)?.message {
                Ok(Message::ReadyOk) => return Ok(refusal),
                Ok(Message::Info(info)) if refusal.is_none() => {
                    refusal = info.string.filter(|said| self.refuses_option(said));
                }
                _ => {}
            }
        }
    }

    /// Stops the current search, if any; its answer will be dropped.
    fn stop(&mut self) -> Result<(), PlayerFault> {
        self.wait_for_beginning()?;
        let state = std::mem::replace(&mut self.state, UciState::Idle);
        self.state = match state {
            UciState::Thinking | UciState::Pondering(Expectation { answer: None, .. }) => {
                self.stream.tell(Command::Stop)?;
                UciState::Stopping(None)
            }
            UciState::Stopping(_) => UciState::Stopping(None),
            UciState::Idle | UciState::Waiting | UciState::Pondering(_) => UciState::Idle,
        };
        Ok(())
    }

    /// Waits for output of the search that was begun last, for [`BEGINNING`] at most.
    fn wait_for_beginning(&mut self) -> Result<(), PlayerFault> {
        let until = self.stream.deadline().min(self.went + BEGINNING);
        while self.is_searching() && !self.has_begun {
            let Some(said) = self.stream.wait(until)? else { break };
            self.understand(said)?;
        }
        Ok(())
    }

    fn wait_until_stopped(&mut self) -> Result<(), PlayerFault> {
        let until = self.stream.deadline();
        while matches!(self.state, UciState::Stopping(_)) {
            let said = self.stream.answer("stop", until)?;
            self.understand(said)?;
        }
        self.state = UciState::Idle;
        Ok(())
    }

    /// Begins a search.
    fn go(&mut self, position: Command, go: Go) -> Result<(), PlayerFault> {
        self.went = Instant::now();
        self.has_begun = false;
        self.stream.tell_all([position, Command::Go(Box::new(go))])
    }

    fn begin(&mut self, request: SearchRequest) -> Result<(), PlayerFault> {
        let SearchRequest { position, mut go, color, since } = request;
        // The time needed to stop the last search is the engine's own.
        let lost = i64::try_from(since.elapsed().as_millis()).unwrap_or(i64::MAX);
        for left in [color.fold_wb(&mut go.wtime, &mut go.btime), &mut go.movetime].into_iter().flatten() {
            *left = left.saturating_sub(lost).max(1);
        }
        self.state = UciState::Thinking;
        self.go(position, go)
    }

    fn is_searching(&self) -> bool {
        matches!(self.state, UciState::Thinking | UciState::Pondering(_))
    }

    /// Handles a `bestmove`. The official judges its text, even if it cannot be parsed.
    fn answered(
        &mut self,
        text: String,
        best: UciMove,
        ponder: Option<UciMove>,
    ) -> Result<Option<PlayerEvent>, PlayerFault> {
        match &mut self.state {
            UciState::Thinking => {
                self.state = UciState::Waiting;
                self.expected = ponder;
                Ok(Some(PlayerEvent::Move(text)))
            }
            UciState::Stopping(next) => {
                match next.take() {
                    Some(request) => self.begin(*request)?,
                    None => self.state = UciState::Idle,
                }
                Ok(None)
            }
            UciState::Pondering(expectation) if expectation.answer.is_none() => {
                expectation.answer = Some(best);
                Ok(None)
            }
            // The engine was not asked for a move: the official judges that.
            UciState::Waiting | UciState::Pondering(_) => Ok(Some(PlayerEvent::Move(text))),
            UciState::Idle => Ok(None),
        }
    }
}

impl ProtocolPlayer for UciPlayer {
    type Vocabulary = Uci;

    fn stream(&mut self) -> &mut Stream<Uci> {
        &mut self.stream
    }

    fn understand(
        &mut self,
        said: Timed<Result<Message, LineError>>,
    ) -> Result<Option<PlayerEvent>, PlayerFault> {
        let Timed { at: _, line, message } = said;
        self.has_begun = true;
        match message {
            Ok(Message::BestMove { best, ponder }) => {
                // A null move has several spellings.
                let mut words = line.split_whitespace().skip_while(|word| *word != "bestmove");
                let text = words.nth(1).filter(|_| best == UciMove::Null);
                self.answered(text.map_or_else(|| best.to_string(), str::to_owned), best, ponder)
            }
            Err(LineError::Malformed { message: "bestmove", found, .. }) => {
                // Nothing is quoted as the line.
                let text = if found.is_empty() { line.trim().to_owned() } else { found };
                self.answered(text, UciMove::Null, None)
            }
            Ok(Message::Info(info)) if self.is_searching() => {
                let rank = info.multipv.unwrap_or(1).max(1);
                Ok(thinking(&info, &line).map(|thinking| match rank {
                    1 => PlayerEvent::Thinking(thinking),
                    _ => PlayerEvent::OtherLine(rank, thinking),
                }))
            }
            _ => Ok(None),
        }
    }
}

/// Extracts the thinking output from an `info` about a line, or about the search as a whole.
fn thinking(info: &Info, line: &str) -> Option<Thinking> {
    let has_line = info.score.is_some() || !info.pv.is_empty();
    let is_summary = info.currmove.is_none() && (info.nodes.is_some() || info.hashfull.is_some());
    if !(has_line || is_summary) {
        return None;
    }
    Some(Thinking {
        // A depth without a line is one that has only begun.
        depth: info.depth.filter(|_| has_line),
        // A bound is no score: it is far away where a search has failed.
        score: info.score.filter(|of| of.bound == ScoreBound::Exact).map(|of| score(of.value)),
        nodes: info.nodes,
        selective_depth: info.seldepth.filter(|_| has_line),
        speed: info.nps,
        hash_full: info.hashfull,
        tablebase_hits: info.tbhits,
        time: info.time.map(Duration::from_millis),
        // The engine's own text, since it may continue with something that is no move.
        line: match line.split_once(" pv ") {
            Some((_, pv)) if !info.pv.is_empty() => pv.trim().to_owned(),
            _ => String::new(),
        },
    })
}

/// Returns the `position` command of a game, with `another` move appended.
fn position(game: &Game, another: Option<UciMove>) -> Command {
    let start =
        if game.has_standard_start() { StartPosition::Initial } else { StartPosition::Fen(game.start_fen()) };
    let moves = game.moves().iter().map(|m| m.to_uci(game.mode())).chain(another).collect();
    Command::Position { start, moves }
}

/// Returns the `go` command with the limits of `color`.
fn go(color: Color, turn: &Turn) -> Go {
    let clock = turn.clock;
    let millis = |duration: Duration| i64::try_from(duration.as_millis()).unwrap_or(i64::MAX);
    match clock.control(color) {
        TimeControl::Depth(depth) => Go { depth: Some(depth.get()), ..Go::default() },
        TimeControl::Nodes(nodes) => Go { nodes: Some(nodes.get()), ..Go::default() },
        TimeControl::PerMove(time) => Go { movetime: Some(millis(*time).max(1)), ..Go::default() },
        TimeControl::Clock(_) | TimeControl::Unlimited => {
            let left = |color: Color| match clock.control(color) {
                TimeControl::Unlimited => Some(A_DAY),
                _ => turn.clock.remaining(color, turn.at).map(|remaining| millis(remaining).max(1)),
            };
            let increment = |color: Color| left(color).map(|_| millis(clock.increment(color)));
            Go {
                wtime: left(Color::White),
                btime: left(Color::Black),
                winc: increment(Color::White),
                binc: increment(Color::Black),
                movestogo: clock.moves_to_go(color),
                ..Go::default()
            }
        }
    }
}

impl Player for UciPlayer {
    fn name(&self) -> &str {
        &self.name
    }

    fn capacity(&self) -> Capacity {
        let Spec { memory, threads, .. } = self.stream.spec;
        Capacity { memory: self.number("Hash", memory), threads: self.number("Threads", threads) }
    }

    fn check_variant(&self, played: PlayedVariant) -> Result<(), PlayerFault> {
        let offers = offered_name(self.variants(), played).is_some();
        if offers { Ok(()) } else { Err(not_offered(self.variants(), played)) }
    }

    fn move_now(&mut self) -> Result<(), PlayerFault> {
        if matches!(self.state, UciState::Thinking) { self.stream.tell(Command::Stop) } else { Ok(()) }
    }

    fn check_ready(&mut self) -> Result<(), PlayerFault> {
        self.stop()?;
        self.wait_until_stopped()?;
        self.wait_until_ready().map(drop)
    }

    fn new_game(&mut self, game: &NewGame) -> Result<(), PlayerFault> {
        self.stop()?;
        self.wait_until_stopped()?;
        self.expected = None;
        let played = PlayedVariant::of(&game.game);
        self.check_variant(played)?;
        self.set_variant(played)?;
        self.stream.tell(Command::UciNewGame)?;
        self.set_if_offered(CHESS960, (played.mode == CastlingMode::Chess960).to_string())?;
        self.set_if_offered("Ponder", game.ponder.to_string())?;
        if !game.opponent.trim().is_empty() {
            self.set_if_offered("UCI_Opponent", format!("none none computer {}", game.opponent))?;
        }
        self.ponders = game.ponder && self.option("Ponder").is_some();
        self.wait_until_ready().map(drop)
    }

    fn think(&mut self, turn: &Turn) -> Result<(), PlayerFault> {
        let since = Instant::now();
        let color = turn.game.turn();
        let request =
            || SearchRequest { position: position(turn.game, None), go: go(color, turn), color, since };
        if let UciState::Pondering(expectation) = &mut self.state {
            let played = turn.game.moves().last().map(|m| m.to_uci(turn.game.mode()));
            let is_hit = turn.game.ply() == expectation.ply + 1 && played == Some(expectation.mv);
            if is_hit && expectation.answer.is_none() {
                self.state = UciState::Thinking;
                return self.stream.tell(Command::PonderHit);
            }
            // An answer that came too early is dropped: the engine may not have completed its search.
        }
        self.stop()?;
        match &mut self.state {
            UciState::Stopping(next) => {
                *next = Some(Box::new(request()));
                Ok(())
            }
            _ => self.begin(request()),
        }
    }

    fn wait(&mut self, turn: &Turn) -> Result<(), PlayerFault> {
        let (UciState::Waiting, true, Some(expected)) = (&self.state, self.ponders, self.expected.take())
        else {
            return Ok(());
        };
        // An illegal ponder move is ignored.
        if expected.to_move(turn.game.position()).is_err() {
            return Ok(());
        }
        let go = Go { ponder: true, ..go(!turn.game.turn(), turn) };
        self.state = UciState::Pondering(Expectation { ply: turn.game.ply(), mv: expected, answer: None });
        self.go(position(turn.game, Some(expected)), go)
    }

    fn end_game(&mut self, _outcome: Outcome) -> Result<(), PlayerFault> {
        self.stop()
    }

    fn take(&mut self) -> Option<Arrival> {
        next_arrival(self)
    }

    fn source(&self) -> Option<Source<'_>> {
        Some(self.stream.source())
    }

    fn quit(mut self: Box<Self>) -> Departure {
        // The engine may have ended already.
        let _ = self.stop().and_then(|()| self.stream.tell(Command::Quit));
        let grace = self.stream.spec.grace;
        self.stream.quit(grace)
    }
}

impl MendedPlayer for UciPlayer {
    fn abilities(&self) -> Abilities {
        let options = self.options.iter().map(|(name, kind)| OptionDefinition {
            name: name.clone(),
            kind: kind.clone(),
            purpose: None,
        });
        Abilities {
            analyses: true,
            agrees: false,
            rounds_up: false,
            counts_nodes: true,
            restricts: true,
            memory: self.option("Hash").is_some(),
            threads: self.option("Threads").is_some(),
            variants: PlayedVariant::all().filter(|&played| self.check_variant(played).is_ok()).collect(),
            tables: self.option("SyzygyPath").map(|_| "syzygy".to_owned()).into_iter().collect(),
            options: options.collect(),
        }
    }

    fn analyse(&mut self, game: &NewGame, roots: &[Move]) -> Result<(), PlayerFault> {
        let (game, since) = (&game.game, Instant::now());
        self.stop()?;
        self.set_variant(PlayedVariant::of(game))?;
        let searchmoves = roots.iter().map(|root| root.to_uci(game.mode())).collect();
        let go = Go { infinite: true, searchmoves, ..Go::default() };
        let request = SearchRequest { position: position(game, None), go, color: game.turn(), since };
        match &mut self.state {
            UciState::Stopping(next) => {
                *next = Some(Box::new(request));
                Ok(())
            }
            _ => self.begin(request),
        }
    }

    fn wait_no_longer_than(&mut self, until: Option<Instant>) {
        self.stream.limit = until;
    }

    fn set(&mut self, setting: &Setting) -> Result<(), PlayerFault> {
        let (name, value) = match setting {
            Setting::Option { name, value } => (name.as_str(), value.clone().unwrap_or_default()),
            Setting::Memory(mebibytes) => ("Hash", mebibytes.to_string()),
            Setting::Threads(threads) => ("Threads", threads.to_string()),
            Setting::Tables { path, .. } => ("SyzygyPath", path.clone()),
        };
        let value = self.setting(name, &OptionValue::Text(value))?;
        self.stream.tell(Command::SetOption { name: name.to_owned(), value })
    }
}
