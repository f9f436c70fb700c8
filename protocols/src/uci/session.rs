//! The engine's side of a UCI session.

use std::error::Error;
use std::io::{self, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use engine::{Decision, Limits, Purpose, SearchLine, SearchTask, Settings, Thought};
use game::{Game, Score, ScoreBound, Variant};
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Color, Move, Position as _};

mod tools;

use super::options::UciOption;
use crate::host::{Event, Host};
use crate::output::SessionOutput;
use game::diagram::Diagram;
use messages::input::{Input, MAX_LINE};
use messages::uci::{Command, EMPTY, Go, Info, InfoScore, Message, StartPosition};

/// `currmove` is not sent before this time has passed.
const CURRMOVE_AFTER: Duration = Duration::from_secs(1);

/// Speaks UCI until `quit` or the end of the input.
///
/// # Errors
/// If the output can't be written.
pub fn serve(host: Host, output: &mut dyn Write) -> io::Result<()> {
    UciSession::new(host, output).run()
}

/// Obeys a list of commands, such as a benchmark with its settings, that is the whole input.
///
/// # Errors
/// The output can't be written, or a command cannot be obeyed: the results of the later ones would be those of other settings.
pub fn obey_all(host: Host, output: &mut dyn Write) -> io::Result<()> {
    UciSession { is_script: true, ..UciSession::new(host, output) }.run()
}

struct UciSession<'a> {
    host: Host,
    output: SessionOutput<'a>,
    /// The position of the next search.
    game: Game,
    /// `UCI_Variant`; applies to the following positions.
    variant: Variant,
    /// `UCI_Chess960`
    mode: CastlingMode,
    debug: bool,
    /// Whether a command that cannot be obeyed ends the session.
    is_script: bool,
    /// The search in progress.
    search: Option<ActiveSearch>,
}

/// A search in progress.
struct ActiveSearch {
    purpose: Purpose,
    started: Instant,
    /// How castling moves are written in its output, even if the option changes meanwhile.
    mode: CastlingMode,
}

impl<'a> UciSession<'a> {
    fn new(host: Host, output: &'a mut dyn Write) -> UciSession<'a> {
        UciSession {
            host,
            output: SessionOutput::new(output),
            game: Game::default(),
            variant: Variant::Chess,
            mode: CastlingMode::Standard,
            debug: false,
            is_script: false,
            search: None,
        }
    }

    fn run(&mut self) -> io::Result<()> {
        loop {
            self.output.check()?;
            match self.host.next_event() {
                Event::Input(Input::End) => {
                    // Whoever typed `go` as the last line wants its move.
                    self.finish_search();
                    return Ok(());
                }
                Event::Input(Input::TooLong(beginning)) => {
                    self.note(format!("line too long, at most {MAX_LINE} bytes: {beginning}..."));
                }
                Event::Input(Input::Line(line)) => match self.read(&line)? {
                    Some(Command::Quit) => return Ok(()),
                    Some(command) => self.obey(command).or_else(|refusal| self.refuse(refusal))?,
                    None => {}
                },
                Event::Thought(_, thought) => self.tell(thought),
            }
        }
    }

    /// Reads a line; `None` if it is no command. What cannot be read is told.
    fn read(&mut self, line: &str) -> io::Result<Option<Command>> {
        let mut unread = Vec::new();
        let command = Command::read(line, &mut unread);
        for error in unread {
            self.refuse(error.to_string())?;
        }
        match command {
            Err(error) if !line.trim().is_empty() => self.refuse(error.to_string()).map(|()| None),
            command => Ok(command.ok()),
        }
    }

    /// Obeys a command; the arms are in the order of the UCI document. On an error nothing has changed.
    fn obey(&mut self, command: Command) -> Result<(), String> {
        match command {
            Command::Uci => self.introduce(),
            Command::Debug(on) => self.debug = on,
            Command::IsReady => self.is_ready(),
            Command::SetOption { name, value } => {
                self.set_option(&name, value.as_deref().unwrap_or_default())?;
            }
            Command::Register(_) => self.note("Herald is free and needs no registration".into()),
            Command::UciNewGame => self.new_game(),
            Command::Position { start, moves } => self.set_position(&start, &moves)?,
            Command::Go(go) => self.go(&go),
            Command::Stop => self.host.engine.move_now(),
            Command::PonderHit => self.ponder_hit(),
            Command::Quit => {}
            Command::Board => self.show_board(),
            Command::Evaluation => self.show_evaluation(),
            Command::Bench(depth) => self.bench(depth)?,
            Command::GenFens(request) => self.generate_positions(&request)?,
        }
        Ok(())
    }

    fn introduce(&mut self) {
        self.send(&Message::Name(concat!("Herald ", env!("CARGO_PKG_VERSION")).into()));
        self.send(&Message::Author("the Herald authors".into()));
        let offers = UciOption::all().map(|option| option.offer(self.host.engine.settings()));
        offers.collect::<Vec<_>>().iter().for_each(|offer| self.send(offer));
        self.send(&Message::UciOk);
    }

    fn is_ready(&mut self) {
        self.host.engine.settle();
        self.send(&Message::ReadyOk);
    }

    fn new_game(&mut self) {
        self.finish_search();
        self.host.engine.new_game();
        self.game = Game::with_mode(self.variant, self.mode);
    }

    fn send(&mut self, message: &Message) {
        self.output.line(message);
    }

    /// Answers a command that cannot be obeyed.
    fn refuse(&mut self, refusal: String) -> io::Result<()> {
        if self.is_script {
            return Err(io::Error::other(refusal));
        }
        self.note(refusal);
        Ok(())
    }

    fn note(&mut self, text: String) {
        self.send(&Message::note(text));
    }
}

/// Options.
impl UciSession<'_> {
    fn set_option(&mut self, name: &str, value: &str) -> Result<(), String> {
        let named = UciOption::named(name, self.host.engine.settings());
        let (option, name) = named.ok_or_else(|| format!("unknown option: {name}"))?;
        match option {
            UciOption::Engine(setting) => {
                let value = if value == EMPTY { "" } else { value };
                self.host.engine.change(setting, value).map_err(|error| error.to_string())?;
            }
            UciOption::Ponder => drop(read_check(name, value)?),
            UciOption::Chess960 => self.mode = CastlingMode::from_chess960(read_check(name, value)?),
            UciOption::Variant => self.set_variant(value)?,
            UciOption::ClearHash => self.host.engine.clear(),
            UciOption::Save => return self.save(),
            UciOption::Reset => {
                if let Some(problem) = self.host.engine.adopt(&Settings::default()).first() {
                    return Err(problem.to_string());
                }
            }
            UciOption::About => return Err("UCI_EngineAbout can't be changed".into()),
            #[cfg(feature = "tuning")]
            UciOption::Parameter(parameter) => match value.parse() {
                Ok(number) => parameter.set(number),
                Err(_) => return Err(format!("{name} needs a whole number, not \"{value}\"")),
            },
        }
        if self.debug {
            self.note(format!("{name} is set"));
        }
        Ok(())
    }

    fn save(&mut self) -> Result<(), String> {
        let saved = self.host.save_settings();
        let saved = saved.map_err(|problem| format!("settings not saved: {problem}"))?.display();
        self.output.line(&Message::note(format!("settings saved in {saved}")));
        Ok(())
    }

    fn set_variant(&mut self, value: &str) -> Result<(), String> {
        let named = |variant: &Variant| variant.uci().eq_ignore_ascii_case(value);
        let variant = Variant::ALL.into_iter().find(named);
        let variant = variant.ok_or_else(|| format!("UCI_Variant can't be \"{value}\""))?;
        if std::mem::replace(&mut self.variant, variant) != variant {
            self.game = Game::with_mode(variant, self.mode);
        }
        Ok(())
    }
}

fn read_check(name: &str, value: &str) -> Result<bool, String> {
    let check = value.to_ascii_lowercase().parse();
    check.map_err(|_| format!("{name} needs true or false, not \"{value}\""))
}

/// The position.
impl UciSession<'_> {
    /// Sets up a position; if it is invalid, the previous one is kept.
    fn set_position(&mut self, start: &StartPosition, moves: &[UciMove]) -> Result<(), String> {
        let refused = |problem: &dyn Error| format!("position not set up: {problem}");
        let mut game = start.game(self.variant, self.mode).map_err(|error| refused(&error))?;
        game.play_line(moves.iter().map(ToString::to_string)).map_err(|error| refused(&error))?;
        self.game = game;
        Ok(())
    }

    fn show_board(&mut self) {
        let drawing = Diagram::plain(self.game.position().board());
        self.output.line(&format_args!("{drawing}\nFen: {}", self.game.fen()));
    }

    fn show_evaluation(&mut self) {
        let score = self.host.engine.evaluate(&self.game);
        let score = if self.game.turn() == Color::White { score } else { -score };
        self.output.line(&format_args!("Evaluation: {} centipawns (White's side)", score.value()));
    }
}

/// Greatest depth of `go perft`, as of `herald perft`: beyond all that is ever counted to the end.
const DEEPEST_PERFT: u32 = 100;

/// Thinking.
impl UciSession<'_> {
    fn go(&mut self, go: &Go) {
        self.finish_search();
        if let Some(depth) = go.perft {
            return self.perft(depth.min(DEEPEST_PERFT));
        }
        let allowed = self.read_allowed(&go.searchmoves);
        let limits = Limits { mate: go.mate, ..engine::limits(go.limits(self.game.turn())) };
        let purpose = purpose(go, &limits);
        if self.debug {
            self.note(format!("{purpose:?} within {limits:?}"));
        }
        if self.game.legal_moves().is_empty() {
            let winner = self.game.outcome().and_then(|outcome| outcome.winner());
            let is_lost = winner.is_some_and(|winner| winner != self.game.turn());
            let value = if is_lost { Score::MatedIn(0) } else { Score::DRAW };
            let score = Some(InfoScore { value, bound: ScoreBound::Exact });
            self.send(&Message::Info(Box::new(Info { depth: Some(0), score, ..Info::default() })));
        }
        let started = Instant::now();
        self.search = Some(ActiveSearch { purpose, started, mode: self.game.mode() });
        self.host.engine.think(&self.game, SearchTask { purpose, limits, allowed, clock: Arc::new(started) });
    }

    /// Reads the legal moves of `searchmoves`. Returns `None`, which stands for all moves, if none is legal.
    fn read_allowed(&mut self, searchmoves: &[UciMove]) -> Option<Vec<Move>> {
        let mut allowed = Vec::new();
        for m in searchmoves {
            match self.game.parse_move(&m.to_string()) {
                Ok(m) => allowed.push(m),
                Err(error) => self.note(format!("searchmoves: {error}")),
            }
        }
        if allowed.is_empty() && !searchmoves.is_empty() {
            self.note("searchmoves: no legal move given, all moves are searched".into());
        }
        Some(allowed).filter(|allowed| !allowed.is_empty())
    }

    fn ponder_hit(&mut self) {
        // Only a ponder search reacts: an analysis goes on until `stop`.
        if self.search.as_ref().is_some_and(|search| search.purpose == Purpose::Ponder) {
            self.host.engine.ponder_hit();
        }
    }

    /// Ends the search in progress, if any, and sends its `bestmove`.
    fn finish_search(&mut self) {
        self.host.engine.move_now();
        let mut later = Vec::new();
        while self.search.is_some() {
            match self.host.next_event() {
                Event::Thought(_, thought) => self.tell(thought),
                input @ Event::Input(_) => later.push(input),
            }
        }
        self.host.unread(later.into_iter());
    }

    fn tell(&mut self, thought: Thought) {
        let Some(search) = &self.search else { return };
        let message = match thought {
            Thought::Line(line) => Message::Info(Box::new(info(&line, search.mode))),
            Thought::RootMove { .. } if search.started.elapsed() < CURRMOVE_AFTER => return,
            Thought::RootMove { depth, mv, number, .. } => Message::Info(Box::new(Info {
                depth: Some(depth),
                currmove: Some(mv.to_uci(search.mode)),
                currmovenumber: Some(number as u32),
                ..Info::default()
            })),
            Thought::Warning(text) => Message::note(text),
            Thought::Done(decision) => {
                let message = best_move(&decision, search.mode);
                self.host.engine.finish();
                self.search = None;
                message
            }
        };
        self.send(&message);
    }
}

/// Returns the purpose of a `go`. Without any limit it waits for `stop`, as `go infinite` does.
fn purpose(go: &Go, limits: &Limits) -> Purpose {
    if go.ponder {
        Purpose::Ponder
    } else if go.infinite || *limits == Limits::default() {
        Purpose::Analyse
    } else {
        Purpose::Play
    }
}

fn info(line: &SearchLine, mode: CastlingMode) -> Info {
    Info {
        depth: Some(line.depth),
        seldepth: Some(line.selective_depth),
        multipv: Some(line.number as u32),
        score: Some(InfoScore { value: line.score, bound: line.bound }),
        nodes: Some(line.nodes),
        nps: Some(line.nodes_per_second()),
        hashfull: Some(line.hash_full),
        tbhits: Some(line.tablebase_hits),
        time: Some(u64::try_from(line.elapsed.as_millis()).unwrap_or(u64::MAX)),
        pv: line.moves.iter().map(|m| m.to_uci(mode)).collect(),
        ..Info::default()
    }
}

fn best_move(decision: &Decision, mode: CastlingMode) -> Message {
    let best = decision.best.map_or(UciMove::Null, |m| m.to_uci(mode));
    Message::BestMove { best, ponder: decision.ponder.map(|m| m.to_uci(mode)) }
}
