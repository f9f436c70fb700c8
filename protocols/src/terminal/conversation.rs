//! The conversation with the person at the board: what is said and done, without any terminal.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use engine::{Decision, Purpose, Task};
use engine::{Limits, TimeLimit};
use game::Score;
use game::{CastlingMode, Color, DrawReason, Game, GameClock, Move, Outcome, TimeControl, WinReason};
use shakmaty::Position as _;

use super::Turn;
use super::level::Level;
use super::order::{HELP, Order};
use game::diagram::{Drawing, Style};

/// What a conversation wants to be done by those who hold the engine.
pub enum Wish {
    /// Think about this; what was thought about before is no longer wanted.
    Think(Box<Game>, Task),
    /// Answer at once.
    MoveNow,
    /// Forget the task under way.
    Abandon,
    /// A new game has begun.
    NewGame,
    /// Evaluate this position for [`Conversation::show_evaluation`].
    Evaluate(Box<Game>),
    /// The person leaves.
    Leave,
}

/// What Herald thinks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Thinking {
    ToMove,
    ToHint,
}

/// A game between a person and Herald.
pub struct Conversation {
    game: Game,
    person: Color,
    level: Level,
    clock: GameClock,
    style: Style,
    /// Whether the board is drawn from Herald's side.
    flipped: bool,
    thinking: Option<Thinking>,
    /// What Herald thought of its own position when it moved last.
    opinion: Option<Score>,
    wishes: Vec<Wish>,
}

/// How long Herald thinks about a hint.
const HINT_TIME: Duration = Duration::from_millis(700);
/// Herald takes a draw when it thinks its position worth this or less, in centipawns ...
const DRAWN: Score = Score::Centipawns(-20);
/// ... or when it is even, after so many plies.
const LONG_GAME: usize = 120;

impl Conversation {
    /// A new game, in which the person plays White.
    pub fn new(style: Style) -> Conversation {
        let level = Level::default();
        Conversation {
            game: Game::default(),
            person: Color::White,
            clock: GameClock::new(level.0.clone()),
            level,
            style,
            flipped: false,
            thinking: None,
            opinion: None,
            wishes: Vec::new(),
        }
    }

    /// Who is to act: Herald as long as it thinks, be it about a hint.
    pub fn turn(&self) -> Turn {
        if self.thinking.is_some() { Turn::Herald } else { Turn::Person }
    }

    /// What is to be done now, in order.
    pub fn take_wishes(&mut self) -> Vec<Wish> {
        std::mem::take(&mut self.wishes)
    }

    /// Says good day.
    ///
    /// # Errors
    /// If nothing can be written.
    pub fn greet(&self, output: &mut dyn Write) -> io::Result<()> {
        writeln!(output, "Herald {}. You play {}.", env!("CARGO_PKG_VERSION"), name(self.person))?;
        writeln!(output, "Type a move, such as e4 or Nf3; `help` tells what else you can do.\n")?;
        self.show_board(output)
    }

    /// Reacts to a line that the person typed.
    ///
    /// # Errors
    /// If nothing can be written.
    pub fn hear(&mut self, line: &str, output: &mut dyn Write) -> io::Result<()> {
        if line.trim().is_empty() {
            return Ok(());
        }
        match line.parse() {
            Ok(order) => self.obey(order, output),
            Err(error) => writeln!(output, "{error}"),
        }
    }

    fn obey(&mut self, order: Order, output: &mut dyn Write) -> io::Result<()> {
        match order {
            Order::Move(text) => self.play_typed(&text, output),
            Order::TakeBack => self.take_back(output),
            Order::Hint => self.hint(output),
            Order::ShowLevel => writeln!(output, "The level is {}. `help` shows the others.", self.level),
            Order::SetLevel(level) => self.set_level(level, output),
            Order::Resign => self.resign(output),
            Order::Draw => self.offer_draw(output),
            Order::New(side) => self.start(Game::default(), side.unwrap_or(self.person), output),
            Order::Go => self.change_sides(output),
            Order::Flip => {
                self.flipped = !self.flipped;
                self.show_board(output)
            }
            Order::Board => self.show_board(output),
            Order::Evaluation => {
                self.wishes.push(Wish::Evaluate(Box::new(self.game.clone())));
                Ok(())
            }
            Order::Fen => writeln!(output, "{}", self.game.fen()),
            Order::SetUp(fen) => self.set_up(&fen, output),
            Order::Save(file) => self.save(Path::new(&file), output),
            Order::MoveNow => self.move_now(output),
            Order::Help => writeln!(output, "{HELP}"),
            Order::Quit => {
                self.wishes.push(Wish::Leave);
                writeln!(output, "Goodbye.")
            }
        }
    }

    fn is_heralds_turn(&self) -> bool {
        self.game.outcome().is_none() && self.game.turn() != self.person
    }
}

/// Moves of the person.
impl Conversation {
    fn play_typed(&mut self, text: &str, output: &mut dyn Write) -> io::Result<()> {
        if let Some(outcome) = self.game.outcome() {
            return writeln!(
                output,
                "The game is over: {outcome}. `new` starts another, `takeback` goes back."
            );
        }
        if self.is_heralds_turn() {
            return writeln!(output, "It is Herald's turn; `move now` makes it play at once.");
        }
        match self.game.parse_move(text) {
            Ok(m) => {
                self.abandon();
                self.play(m);
                self.go_on(output)
            }
            Err(error) => {
                writeln!(output, "{}. `help` shows what you can type.", capitalised(&error.to_string()))
            }
        }
    }

    /// Plays a legal move on the board and on the clock.
    fn play(&mut self, m: Move) {
        let mover = self.game.turn();
        if self.game.play(m).is_err() {
            return; // only legal moves come here
        }
        self.clock.end_turn();
        if self.is_clock_judged() && self.clock.flag_fallen(mover) {
            self.game.declare(Outcome::Win { winner: !mover, reason: WinReason::TimeForfeit });
        }
        if self.game.outcome().is_none() {
            self.clock.start_turn(self.game.turn());
        }
    }

    /// A time for each move is an advice to Herald; only a clock for many moves can be lost on.
    fn is_clock_judged(&self) -> bool {
        matches!(self.level.0, TimeControl::Clock(_))
    }

    /// What comes after a move: the end, or the other side's turn.
    fn go_on(&mut self, output: &mut dyn Write) -> io::Result<()> {
        if let Some(reason) = self.game.automatic_draw() {
            self.game.declare(Outcome::Draw(reason));
        }
        if self.is_heralds_turn() && self.opinion.is_none_or(|score| score <= Score::DRAW) {
            // Nobody must claim a draw; Herald does unless it thinks it is better.
            if let Some(reason) = self.game.claim() {
                self.game.declare(Outcome::Draw(reason));
            }
        }
        if self.game.outcome().is_some() {
            self.show_board(output)?;
            return self.announce_end(output);
        }
        if self.is_heralds_turn() {
            self.think_to_move();
            return Ok(());
        }
        self.show_board(output)?;
        if self.game.position().is_check() {
            writeln!(output, "You are in check.")?;
        }
        match self.game.claim() {
            Some(reason) => {
                writeln!(output, "You may claim a draw ({}): type `draw`.", Outcome::Draw(reason))
            }
            None => Ok(()),
        }
    }

    fn announce_end(&mut self, output: &mut dyn Write) -> io::Result<()> {
        self.clock.stop();
        let Some(outcome) = self.game.outcome() else { return Ok(()) };
        let verdict = match outcome.winner() {
            Some(winner) if winner == self.person => "you win",
            Some(_) => "Herald wins",
            None => "a draw",
        };
        writeln!(output, "{} {{{outcome}}}: {verdict}. `new` starts another game.", outcome.result())
    }

    fn take_back(&mut self, output: &mut dyn Write) -> io::Result<()> {
        // Back to the last position in which the person was to move.
        let moves = if self.game.turn() == self.person { 2 } else { 1 };
        if self.game.ply() < moves {
            return writeln!(output, "You have made no move to take back.");
        }
        self.abandon();
        for _ in 0..moves {
            self.game.undo();
        }
        self.clock.start_turn(self.person);
        self.show_board(output)
    }

    fn resign(&mut self, output: &mut dyn Write) -> io::Result<()> {
        if self.game.outcome().is_none() {
            self.abandon();
            self.game.declare(Outcome::Win { winner: !self.person, reason: WinReason::Resignation });
        }
        self.announce_end(output)
    }

    fn offer_draw(&mut self, output: &mut dyn Write) -> io::Result<()> {
        if self.game.outcome().is_some() {
            return self.announce_end(output);
        }
        let claimed = if self.is_heralds_turn() { None } else { self.game.claim() };
        let accepted = self
            .opinion
            .is_some_and(|score| score <= DRAWN || score <= Score::DRAW && self.game.ply() >= LONG_GAME);
        let reason = claimed.or(accepted.then_some(DrawReason::Agreement));
        let Some(reason) = reason else {
            return writeln!(output, "Herald declines the draw and plays on.");
        };
        self.abandon();
        self.game.declare(Outcome::Draw(reason));
        self.announce_end(output)
    }
}

/// Games and levels.
impl Conversation {
    /// Starts a game in which the person plays `side`.
    fn start(&mut self, game: Game, side: Color, output: &mut dyn Write) -> io::Result<()> {
        self.abandon();
        self.wishes.push(Wish::NewGame);
        self.game = game;
        self.person = side;
        self.opinion = None;
        self.flipped = false;
        self.clock = GameClock::new(self.level.0.clone());
        writeln!(output, "A new game. You play {}.", name(side))?;
        if self.is_heralds_turn() {
            self.show_board(output)?;
        }
        self.go_on(output)
    }

    fn set_up(&mut self, fen: &str, output: &mut dyn Write) -> io::Result<()> {
        match Game::from_fen(fen, CastlingMode::Standard) {
            Ok(game) => {
                let side = game.turn();
                self.start(game, side, output)
            }
            Err(error) => writeln!(output, "{}. The position is as before.", capitalised(&error.to_string())),
        }
    }

    fn change_sides(&mut self, output: &mut dyn Write) -> io::Result<()> {
        if self.is_heralds_turn() {
            return self.move_now(output);
        }
        if self.game.outcome().is_some() {
            return self.announce_end(output);
        }
        self.abandon();
        self.person = !self.person;
        self.opinion = None;
        writeln!(output, "You play {} now.", name(self.person))?;
        self.go_on(output)
    }

    fn set_level(&mut self, level: Level, output: &mut dyn Write) -> io::Result<()> {
        self.clock = GameClock::new(level.0.clone());
        self.level = level;
        if self.game.outcome().is_none() && self.game.ply() > 0 {
            self.clock.start_turn(self.game.turn());
        }
        writeln!(output, "The level is {} from the next move on.", self.level)
    }

    fn save(&mut self, file: &Path, output: &mut dyn Write) -> io::Result<()> {
        match super::save::append(file, &self.game, self.person) {
            Ok(()) => writeln!(output, "Saved to {}.", file.display()),
            Err(error) => {
                writeln!(output, "{} can't be written ({error}); try another name.", file.display())
            }
        }
    }
}

/// Herald's thinking.
impl Conversation {
    fn think_to_move(&mut self) {
        let herald = self.game.turn();
        if self.clock.turn().is_none() {
            self.clock.start_turn(herald);
        }
        let mut limits =
            Limits { time: engine::time_limit(self.clock.move_time(herald)), ..Limits::default() };
        match self.level.0 {
            TimeControl::Depth(plies) => limits.depth = Some(plies.get()),
            TimeControl::Nodes(nodes) => limits.nodes = Some(nodes.get()),
            _ => {}
        }
        self.think(Thinking::ToMove, limits);
    }

    fn hint(&mut self, output: &mut dyn Write) -> io::Result<()> {
        if self.game.outcome().is_some() {
            return writeln!(output, "The game is over; `new` starts another.");
        }
        if self.is_heralds_turn() {
            return writeln!(output, "It is Herald's turn; ask again when it is yours.");
        }
        if self.thinking.is_none() {
            self.think(Thinking::ToHint, Limits { time: TimeLimit::PerMove(HINT_TIME), ..Limits::default() });
        }
        Ok(())
    }

    fn think(&mut self, thinking: Thinking, limits: Limits) {
        self.thinking = Some(thinking);
        let task = Task { purpose: Purpose::Play, limits, allowed: None, clock: Arc::new(Instant::now()) };
        self.wishes.push(Wish::Think(Box::new(self.game.clone()), task));
    }

    fn abandon(&mut self) {
        if self.thinking.take().is_some() {
            self.wishes.push(Wish::Abandon);
        }
    }

    fn move_now(&mut self, output: &mut dyn Write) -> io::Result<()> {
        if self.thinking.is_some() {
            self.wishes.push(Wish::MoveNow);
            return Ok(());
        }
        writeln!(output, "It is your turn. `hint` asks for a move, `go` lets Herald play it, `quit` leaves.")
    }

    /// Reacts to the engine's decision about the last [`Wish::Think`].
    ///
    /// # Errors
    /// If nothing can be written.
    pub fn decided(&mut self, decision: &Decision, output: &mut dyn Write) -> io::Result<()> {
        let Some(best) = decision.best else { return Ok(()) };
        match self.thinking.take() {
            None => Ok(()),
            Some(Thinking::ToHint) => writeln!(output, "Hint: {}.", self.game.san(best)),
            Some(Thinking::ToMove) => {
                self.opinion = Some(decision.score);
                let number = self.game.position().fullmoves();
                let dots = if self.game.turn().is_white() { "." } else { "..." };
                writeln!(output, "Herald plays {number}{dots} {}", self.game.san(best))?;
                self.play(best);
                self.go_on(output)
            }
        }
    }
}

/// Showing.
impl Conversation {
    fn show_board(&self, output: &mut dyn Write) -> io::Result<()> {
        let marked = self.game.moves().last().map(|m| m.from().into_iter().chain([m.to()]).collect());
        let drawing = Drawing {
            board: self.game.position().board(),
            viewpoint: if self.flipped { !self.person } else { self.person },
            marked: marked.unwrap_or_default(),
            style: self.style,
        };
        writeln!(output, "{drawing}\n")?;
        if !self.is_clock_judged() {
            return Ok(());
        }
        let time = |color| self.clock.remaining(color).unwrap_or_default().as_secs();
        let (white, black) = (time(Color::White), time(Color::Black));
        writeln!(output, "White {}:{:02}   Black {}:{:02}", white / 60, white % 60, black / 60, black % 60)
    }

    /// Shows the engine's evaluation of the position, which is for the side to move.
    ///
    /// # Errors
    /// If nothing can be written.
    pub fn show_evaluation(&self, score: Score, output: &mut dyn Write) -> io::Result<()> {
        let score = if self.game.turn().is_white() { score } else { -score };
        let pawns = score.value() as f64 / 100.0;
        writeln!(output, "At first sight {pawns:+.2} pawns (above zero: White is better).")
    }
}

fn name(color: Color) -> &'static str {
    color.fold_wb("White", "Black")
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
