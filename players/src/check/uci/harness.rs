//! Test harness for UCI.

use std::time::Duration;

use game::{CastlingMode, Game, Move};
use messages::OptionKind;
use messages::uci::{Info, LineError, Message};

use crate::check::harness::{AT_ONCE, CheckedProtocol, Harness, QUIET, Transcript, require};
use crate::check::positions::MIDDLEGAME;
use crate::check::{Candidate, Checked};
use crate::uci::Uci;

/// A parsed line of the program.
type UciLine = Result<Message, LineError>;

pub(super) type UciTranscript = Transcript<UciLine>;

/// The announced data are the options.
pub(in crate::check) type UciHarness = Harness<Uci>;

/// State of a program when its check begins.
#[derive(Clone, Copy)]
pub(in crate::check) enum UciStart {
    /// Nothing was sent yet.
    Launched,
    /// After `uciok`.
    Greeted,
    /// With a position.
    At(&'static str),
    /// Searching without a limit.
    Searching(&'static str),
    /// Pondering in the middlegame.
    Pondering,
}

impl UciStart {
    pub(in crate::check) fn reach(self, candidate: &Candidate) -> Checked<UciHarness> {
        let mut program = UciHarness::launch(candidate)?;
        if let UciStart::Launched = self {
            return Ok(program);
        }
        let options = program.greet()?.0.into_iter().filter_map(|said| match said.message {
            Ok(Message::Option { name, kind }) => Some((name, kind)),
            _ => None,
        });
        program.announced = options.collect();
        if let UciStart::At(fen) | UciStart::Searching(fen) = self {
            program.set_up(fen, CastlingMode::Standard, &[])?;
        }
        if let UciStart::Pondering = self {
            program.set_up(MIDDLEGAME, CastlingMode::Standard, &[])?;
            program.needs("Ponder")?;
            program.tell(["setoption name Ponder value true"])?;
        }
        program.settle()?;
        if let UciStart::Searching(_) = self {
            program.tell(["go infinite"])?;
            program.hear_no_move(QUIET)?;
        }
        if let UciStart::Pondering = self {
            program.tell(["go ponder wtime 1000 btime 1000 winc 0 binc 0"])?;
            program.hear_no_move(Duration::from_millis(1500))?;
        }
        Ok(program)
    }
}

impl CheckedProtocol for Uci {
    type Announced = Vec<(String, OptionKind)>;

    fn ping(_announced: &Self::Announced, _n: i64) -> Option<(String, UciLine)> {
        Some(("isready".to_owned(), Ok(Message::ReadyOk)))
    }

    fn is_move(line: &UciLine) -> bool {
        let is_unreadable = || matches!(line, Err(LineError::Malformed { message: "bestmove", .. }));
        matches!(line, Ok(Message::BestMove { .. })) || is_unreadable()
    }

    fn legal_move(line: &UciLine, game: &Game) -> Option<Move> {
        match line {
            Ok(Message::BestMove { best, .. }) => best.to_move(game.position()).ok(),
            _ => None,
        }
    }
}

impl UciHarness {
    /// Returns all messages up to `uciok`.
    pub(super) fn greet(&mut self) -> Checked<UciTranscript> {
        self.tell(["uci"])?;
        self.hear_until("`uciok`", self.patience, |line| *line == Ok(Message::UciOk))
    }

    /// Sets up a position and plays moves in it.
    pub(super) fn set_up(&mut self, fen: &str, mode: CastlingMode, moves: &[&str]) -> Checked {
        self.set_board(fen, mode);
        self.follow(moves);
        let played = if moves.is_empty() { String::new() } else { format!(" moves {}", moves.join(" ")) };
        self.tell([format!("position fen {fen}{played}")])
    }

    /// Not supported unless the program has the option.
    pub(super) fn needs(&self, name: &str) -> Checked {
        require(self.announced.iter().any(|(known, _)| known == name), format!("the option {name}"))
    }

    /// Fails unless the program answers a command that ends a search at once, with one `bestmove`.
    pub(super) fn answers_once(&mut self, command: &str) -> Checked {
        self.tell([command])?;
        self.hear_move(AT_ONCE)?;
        self.hear_no_more()
    }

    /// Fails if a second answer comes.
    pub(super) fn hear_no_more(&mut self) -> Checked {
        self.hear_for(QUIET)?.has_no("one `bestmove`", Uci::is_move)
    }

    /// Fails unless the program plays another game.
    pub(super) fn still_plays(&mut self) -> Checked {
        self.game = Game::default();
        self.deal(["ucinewgame", "position startpos"])?;
        self.ask("go movetime 100").map(drop)
    }
}

/// Returns the `info` messages among those received.
pub(super) fn infos(heard: &UciTranscript) -> impl Iterator<Item = &Info> {
    heard.messages().filter_map(|line| match line {
        Ok(Message::Info(info)) => Some(&**info),
        _ => None,
    })
}
