//! A game between a person and Herald: the commands that the person types, and Herald's moves.

use std::fmt::Display;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};

use engine::{Decision, Limits, Purpose, TimeLimit};
use game::{CastlingMode, Color, DrawReason, Game, Move, Outcome, Score, TimeControl, WinReason};
use shakmaty::Position as _;

use super::{TerminalTurn, level, save};
use crate::host::Host;
use crate::output::SessionOutput;
use crate::person::PersonGame;
use game::diagram::{Diagram, DiagramStyle};

/// A game between a person and Herald.
pub(super) struct TerminalSession<'a> {
    pub(super) host: Host,
    pub(super) output: SessionOutput<'a>,
    style: DiagramStyle,
    pub(super) game: Game,
    /// Its time control is the level.
    play: PersonGame,
    /// The time of the event that is being handled.
    now: Instant,
    /// Whether the board is drawn from Herald's side.
    flipped: bool,
}

/// The text of `help`.
const HELP: &str = "\
Type a move, such as e4, Nf3, exd5, O-O, e8=Q or e2e4, or one of these:
  hint              ask Herald for a good move
  takeback          take your last move back
  new [white|black] start a new game, playing that side
  level [LEVEL]     show or choose the strength: easy, normal, hard,
                    depth 6, time 2.5 (seconds a move), 300+2 (seconds a game
                    and for each move), 40/300 (moves/seconds)
  go                change sides: Herald plays the next move
  move now          make Herald play at once (also Ctrl-C)
  draw              offer a draw, or claim it
  resign            give up the game
  board, flip       show the board; turn it round
  eval              show the static evaluation of the position
  fen, setup FEN    show the position; play from another one
  pgn FILE          save the game
  quit              leave (also Ctrl-D)";

/// Thinking time for a hint.
const HINT_TIME: Duration = Duration::from_millis(700);
/// Highest score at which Herald always accepts a draw.
const DRAWN: Score = Score::Centipawns(-20);
/// Number of plies after which Herald accepts a draw at a score of zero or less.
const LONG_GAME: usize = 120;

impl<'a> TerminalSession<'a> {
    /// Creates a new game in which the person plays White.
    pub(super) fn new(host: Host, output: &'a mut dyn Write, style: DiagramStyle) -> TerminalSession<'a> {
        TerminalSession {
            host,
            output: SessionOutput::new(output),
            style,
            game: Game::default(),
            play: PersonGame::new(Color::White, TimeControl::PerMove(Duration::from_secs(1))),
            now: Instant::now(),
            flipped: false,
        }
    }

    /// Returns who has to act: Herald while it thinks, also about a hint.
    pub(super) fn turn(&self) -> TerminalTurn {
        if self.host.engine.is_thinking() { TerminalTurn::Herald } else { TerminalTurn::Person }
    }

    pub(super) fn say(&mut self, line: impl Display) {
        self.output.line(&line);
    }

    /// Shows the greeting and the board.
    pub(super) fn greet(&mut self) {
        self.say(format!(
            "Herald {}. You play {}.",
            env!("CARGO_PKG_VERSION"),
            capitalised(self.play.person)
        ));
        self.say("Type a move, such as e4 or Nf3; `help` lists the other commands.\n");
        self.show_board();
    }

    /// Handles a line that the person has typed: a command or a move. Breaks if the person leaves.
    pub(super) fn hear(&mut self, line: &str, at: Instant) -> ControlFlow<()> {
        self.now = at;
        let is_over_now = self.check_flag();
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        match word.to_ascii_lowercase().as_str() {
            "" => {}
            // It has just been told that the game is over.
            "hint" | "go" | "?" | "now" | "move" | "draw" | "resign" if is_over_now => {}
            "hint" => self.hint(),
            "takeback" | "undo" | "back" => self.take_back(),
            "new" => self.new_game(rest),
            "level" if rest.is_empty() => {
                self.say(format!("The level is {}. `help` shows the others.", level::describe(self.level())));
            }
            "level" => self.set_level(rest),
            "go" => self.change_sides(),
            "?" | "now" => self.move_now(),
            "move" if rest.is_empty() || rest.eq_ignore_ascii_case("now") => self.move_now(),
            "draw" => self.offer_draw(),
            "resign" => self.resign(),
            "board" | "show" => self.show_board(),
            "flip" => {
                self.flipped = !self.flipped;
                self.show_board();
            }
            "eval" => self.show_evaluation(),
            "fen" if rest.is_empty() => self.say(self.game.fen()),
            "setup" if rest.is_empty() => self.say("`setup` needs a position in FEN."),
            "setup" | "fen" => self.set_up(rest),
            "pgn" | "save" if rest.is_empty() => {
                self.say("`pgn` needs the name of a file, such as `pgn game.pgn`.");
            }
            "pgn" | "save" => self.save(Path::new(rest)),
            "help" => self.say(HELP),
            "quit" | "exit" | "bye" => {
                self.say("Goodbye.");
                return ControlFlow::Break(());
            }
            _ if is_over_now => {}
            _ => self.play_typed(line),
        }
        ControlFlow::Continue(())
    }

    fn is_heralds_turn(&self) -> bool {
        self.play.is_heralds_turn(&self.game)
    }

    fn level(&self) -> &TimeControl {
        self.play.control()
    }
}

/// Moves of the person.
impl TerminalSession<'_> {
    fn play_typed(&mut self, text: &str) {
        if let Some(outcome) = self.game.outcome() {
            self.say(format!("The game is over: {outcome}. `new` starts another, `takeback` goes back."));
        } else if self.is_heralds_turn() {
            self.say("It is Herald's turn; `move now` makes it play at once.");
        } else {
            match self.game.parse_move(text) {
                Ok(m) => {
                    self.host.engine.abandon();
                    self.make_move(m);
                }
                Err(error) => {
                    self.say(format!("{}. `help` shows what you can type.", capitalised(error)));
                }
            }
        }
    }

    /// Plays a legal move on the board and on the clock, and continues.
    fn make_move(&mut self, m: Move) {
        let mover = self.game.turn();
        if self.game.play(m).is_err() {
            return; // never: all callers pass legal moves
        }
        self.play.end_turn(&mut self.game, mover, self.now);
        self.go_on();
    }

    /// Continues after a move: ends the game or gives the turn to the other side.
    fn go_on(&mut self) {
        self.play.settle(&mut self.game);
        if self.game.outcome().is_some() {
            self.show_board();
            return self.announce_end();
        }
        if self.is_heralds_turn() {
            return self.think_to_move();
        }
        self.show_board();
        if self.game.position().is_check() {
            self.say("You are in check.");
        }
        if let Some(reason) = self.game.claim() {
            self.say(format!("You may claim a draw ({}): type `draw`.", Outcome::Draw(reason)));
        }
    }

    /// Ends the game if a flag has fallen. Returns whether it did.
    fn check_flag(&mut self) -> bool {
        let falls = self.play.clock.flag_falls().filter(|_| self.play.has_clock());
        let has_fallen = self.game.outcome().is_none() && falls.is_some_and(|at| at < self.now);
        if has_fallen {
            self.host.engine.abandon();
            self.game.declare(self.game.flag_fall(self.game.turn()));
            self.announce_end();
        }
        has_fallen
    }

    fn announce_end(&mut self) {
        self.play.clock.stop(self.now);
        let Some(outcome) = self.game.outcome() else { return };
        let verdict = match outcome.winner() {
            Some(winner) if winner == self.play.person => "you win",
            Some(_) => "Herald wins",
            None => "a draw",
        };
        self.say(format!("{} {{{outcome}}}: {verdict}. `new` starts another game.", outcome.result()));
    }

    fn take_back(&mut self) {
        if self.play.take_back(&mut self.game, self.now).is_none() {
            return self.say("You have made no move to take back.");
        }
        self.host.engine.abandon();
        self.show_board();
    }

    fn resign(&mut self) {
        if self.game.outcome().is_none() {
            self.host.engine.abandon();
            self.game.declare(Outcome::Win { winner: !self.play.person, reason: WinReason::Resignation });
        }
        self.announce_end();
    }

    fn offer_draw(&mut self) {
        if self.game.outcome().is_some() {
            return self.announce_end();
        }
        let claimed = if self.is_heralds_turn() { None } else { self.game.claim() };
        let accepted = self
            .play
            .last_score
            .is_some_and(|score| score <= DRAWN || score <= Score::DRAW && self.game.ply() >= LONG_GAME);
        let reason = claimed.or(accepted.then_some(DrawReason::Agreement));
        let Some(reason) = reason else {
            return self.say("Herald declines the draw and plays on.");
        };
        self.host.engine.abandon();
        self.game.declare(Outcome::Draw(reason));
        self.announce_end();
    }
}

/// Games and levels.
impl TerminalSession<'_> {
    /// Handles `new`. Without an argument the person keeps the same side.
    fn new_game(&mut self, side: &str) {
        let side = match side.to_ascii_lowercase().as_str() {
            "" => self.play.person,
            "white" | "w" => Color::White,
            "black" | "b" => Color::Black,
            _ => {
                let wanted = "`new` takes `white` or `black`, the side that you want to play";
                return self.say(format!("{wanted}, not `{side}`."));
            }
        };
        self.start(Game::default(), side);
    }

    /// Starts a game in which the person plays `side`.
    fn start(&mut self, game: Game, side: Color) {
        self.host.engine.abandon();
        self.host.engine.new_game();
        self.game = game;
        self.play = PersonGame::new(side, self.level().clone());
        self.flipped = false;
        self.say(format!("A new game. You play {}.", capitalised(side)));
        if self.is_heralds_turn() {
            self.show_board();
        }
        self.go_on();
    }

    fn set_up(&mut self, fen: &str) {
        match Game::from_fen(fen, CastlingMode::Standard) {
            Ok(game) => {
                let side = game.turn();
                self.start(game, side);
            }
            Err(error) => {
                self.say(format!("{}. The position was not changed.", capitalised(error)));
            }
        }
    }

    fn change_sides(&mut self) {
        if self.is_heralds_turn() {
            return self.move_now();
        }
        if self.game.outcome().is_some() {
            return self.announce_end();
        }
        self.host.engine.abandon();
        self.play.person = !self.play.person;
        self.play.last_score = None;
        self.say(format!("You play {} now.", capitalised(self.play.person)));
        self.go_on();
    }

    fn set_level(&mut self, text: &str) {
        match level::parse(text) {
            Ok(level) => self.play.set_control(level),
            Err(error) => return self.say(error),
        }
        if self.game.outcome().is_none() && self.game.ply() > 0 {
            self.play.clock.start_turn(self.game.turn(), self.now);
        }
        self.say(format!("The level is {} from the next move on.", level::describe(self.level())));
    }

    fn save(&mut self, file: &Path) {
        match save::append(file, &self.game, self.play.person, self.level()) {
            Ok(()) => self.say(format!("Saved to {}.", file.display())),
            Err(error) => {
                self.say(format!("{} can't be written ({error}); try another name.", file.display()));
            }
        }
    }
}

/// Herald's thinking.
impl TerminalSession<'_> {
    fn think_to_move(&mut self) {
        let herald = self.game.turn();
        if self.play.clock.turn().is_none() {
            self.play.clock.start_turn(herald, self.now);
        }
        let limits = engine::limits(self.play.clock.move_limits(herald, self.now));
        self.host.think(&self.game, Purpose::Play, limits);
    }

    fn hint(&mut self) {
        if self.game.outcome().is_some() {
            self.say("The game is over; `new` starts another.");
        } else if self.is_heralds_turn() {
            self.say("It is Herald's turn; ask again when it is yours.");
        } else if !self.host.engine.is_thinking() {
            let limits = Limits { time: TimeLimit::PerMove(HINT_TIME), ..Limits::default() };
            self.host.think(&self.game, Purpose::Play, limits);
        }
    }

    fn move_now(&mut self) {
        if self.host.engine.is_thinking() {
            return self.host.engine.move_now();
        }
        self.say("It is your turn. `hint` asks for a move, `go` lets Herald play it, `quit` leaves.");
    }

    /// Handles the engine's decision about its move or a hint.
    pub(super) fn decided(&mut self, decision: &Decision, at: Instant) {
        self.now = at;
        self.host.engine.finish();
        let Some(best) = decision.best else { return };
        let san = self.game.san(best);
        if !self.is_heralds_turn() {
            return self.say(format!("Hint: {san}."));
        }
        self.play.last_score = Some(decision.score);
        let number = self.game.position().fullmoves();
        let dots = if self.game.turn().is_white() { "." } else { "..." };
        self.say(format!("Herald plays {number}{dots} {san}"));
        self.make_move(best);
    }
}

/// Output.
impl TerminalSession<'_> {
    fn show_board(&mut self) {
        let viewpoint = if self.flipped { !self.play.person } else { self.play.person };
        self.output.line(&format_args!("{}\n", Diagram::of(&self.game, viewpoint, self.style)));
        if self.play.has_clock() {
            let time = |color| {
                let seconds = self.play.clock.remaining(color, self.now).unwrap_or_default().as_secs();
                format!("{}:{:02}", seconds / 60, seconds % 60)
            };
            self.say(format!("White {}   Black {}", time(Color::White), time(Color::Black)));
        }
    }

    /// Handles `eval`: shows the engine's static evaluation of the position.
    fn show_evaluation(&mut self) {
        let score = self.host.engine.evaluate(&self.game);
        let score = if self.game.turn().is_white() { score } else { -score };
        let pawns = score.value() as f64 / 100.0;
        self.say(format!("Static evaluation: {pawns:+.2} pawns (positive: White is better)."));
    }
}

fn capitalised(text: impl Display) -> String {
    let text = text.to_string();
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
