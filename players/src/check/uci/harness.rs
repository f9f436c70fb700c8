//! Test harness for UCI.

use std::time::Duration;

use game::{CastlingMode, Game, Move};
use messages::OptionKind;
use messages::uci::{Info, LineError, Message};
use shakmaty::uci::UciMove;

use crate::check::harness::{
    AT_ONCE, CheckedProtocol, Harness, QUIET, Transcript, WORKING, observe, require,
};
use crate::check::positions::MIDDLEGAME;
use crate::check::{Candidate, Checked, Failure};
use crate::uci::Uci;

/// A parsed line of the program.
type UciLine = Result<Message, LineError>;

pub(super) type UciTranscript = Transcript<UciLine>;

/// The announced data are the options.
pub(in crate::check) type UciHarness = Harness<Uci>;

/// A game after which Black has one legal move: whoever answers with another one has not followed.
pub(super) const FORCING: &str = "position startpos moves e2e4 f7f6 d1h5";

/// The position of that game.
pub(super) const ONLY_MOVE: &str = "rnbqkbnr/ppppp1pp/5p2/7Q/4P3/8/PPPP1PPP/RNB1KBNR b KQkq - 1 2";

/// Time for which a program ponders: more than its clock has.
pub(super) const PONDERING: Duration = Duration::from_millis(1500);

/// State of a program when its check begins.
#[derive(Clone, Copy)]
pub(in crate::check) enum UciStart {
    /// Nothing was sent yet.
    Launched,
    /// After `uciok`.
    Greeted,
    /// With a position.
    At(&'static str),
    /// Seen searching without a limit.
    Searching(&'static str),
    /// Seen pondering in the middlegame, with a second on the clock for the rest of the game.
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
        match self {
            UciStart::Launched | UciStart::Greeted => drop(program.settle()?),
            UciStart::At(fen) => {
                program.set_up(fen, CastlingMode::Standard, &[])?;
                program.settle()?;
            }
            UciStart::Searching(fen) => {
                program.search_in(fen)?;
                program.seen_thinking(QUIET)?;
            }
            UciStart::Pondering => {
                program.begin_pondering()?;
                program.seen_thinking(PONDERING)?;
            }
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
            Ok(Message::BestMove { best, .. }) => told_move(*best, game),
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

    /// Lets the program search a position without a limit.
    pub(super) fn search_in(&mut self, fen: &str) -> Checked {
        self.set_up(fen, CastlingMode::Standard, &[])?;
        self.settle()?;
        self.tell(["go infinite"])
    }

    /// Lets the program ponder.
    pub(super) fn begin_pondering(&mut self) -> Checked {
        self.needs("Ponder")?;
        self.tell(["setoption name Ponder value true"])?;
        self.set_up(MIDDLEGAME, CastlingMode::Standard, &[])?;
        self.settle()?;
        self.tell(["go ponder wtime 1000 btime 1000 winc 0 binc 0"])
    }

    /// Not seen unless the program thinks in a period: it works, and doesn't move. What it tells proves nothing.
    pub(super) fn seen_thinking(&mut self, time: Duration) -> Checked {
        let (heard, processors) = self.watch(time)?;
        observe(!heard.contains(Uci::is_move), format!("it moved: {}", heard.last_shown()))?;
        observe(processors >= WORKING, format!("it uses {processors:.2} processors"))
    }

    /// Sends `go` after [`FORCING`] moves. Fails unless the program finds the only move.
    pub(super) fn finds_forced(&mut self, go: &str) -> Checked {
        self.tell([go])?;
        self.hear_forced()
    }

    /// Waits for the only move.
    pub(super) fn hear_forced(&mut self) -> Checked {
        self.set_board(ONLY_MOVE, CastlingMode::Standard);
        self.hear_move(self.patience).map(drop)
    }

    /// Not seen unless the program mates in a position in which only castling does.
    pub(super) fn mates_by_castling(&mut self, fen: &str, moves: &[&str]) -> Checked {
        self.set_up(fen, CastlingMode::Standard, moves)?;
        self.settle()?;
        self.ask("go depth 4")?;
        self.has_mated()
    }

    /// Greatest value of an option that is a number.
    pub(super) fn most(&self, name: &str) -> Option<i64> {
        self.announced.iter().find_map(|(known, kind)| match kind {
            OptionKind::Spin { max, .. } if known == name => Some(*max),
            _ => None,
        })
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

    /// Not seen unless the program forgets at a command what it has searched: the next search of a position is as long as the first one,
    /// and not as those that came between.
    pub(super) fn forgets_at(&mut self, command: &str) -> Checked {
        if self.needs("Threads").is_ok() {
            self.deal(["setoption name Threads value 1"])?;
        }
        let [first, second, third] =
            [self.nodes_of_search()?, self.nodes_of_search()?, self.nodes_of_search()?];
        let is_as_first = |nodes: u64| nodes.abs_diff(first) <= first / 50;
        let remembers = !is_as_first(second) && !is_as_first(third);
        observe(remembers, "its searches of a position are alike, anyway")?;
        self.deal([command])?;
        let last = self.nodes_of_search()?;
        let seen = format!("{first} nodes at first, {second} and {third} again, {last} after `{command}`");
        observe(is_as_first(last), seen)
    }

    /// Returns the number of nodes of a search to a depth.
    fn nodes_of_search(&mut self) -> Checked<u64> {
        self.set_up(MIDDLEGAME, CastlingMode::Standard, &[])?;
        let heard = self.ask("go depth 8")?;
        let nodes = infos(&heard).filter_map(|info| info.nodes).max();
        nodes.ok_or_else(|| Failure::NotSeen("it tells no nodes".into()))
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

/// Returns a legal move that is told in the form of the game: castling is the king's move, but king takes rook in Chess960.
pub(super) fn told_move(told: UciMove, game: &Game) -> Option<Move> {
    told.to_move(game.position()).ok().filter(|legal| legal.to_uci(game.mode()) == told)
}

/// Fails if a line has an illegal move in this position.
pub(super) fn has_legal_lines(heard: &UciTranscript, root: &Game) -> Checked {
    for info in infos(heard) {
        let mut game = root.clone();
        for mv in &info.pv {
            let Some(legal) = told_move(*mv, &game) else {
                return Err(Failure::new("lines of legal moves", format!("`{mv}` in {}", game.fen())));
            };
            game.play(legal).expect("legal");
        }
    }
    Ok(())
}

/// Returns the `info` messages among those received.
pub(super) fn infos(heard: &UciTranscript) -> impl Iterator<Item = &Info> {
    heard.messages().filter_map(|line| match line {
        Ok(Message::Info(info)) => Some(&**info),
        _ => None,
    })
}
