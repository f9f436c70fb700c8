//! The test stand for CECP.

use std::time::Duration;

use messages::cecp::{Message, Switch, ThinkingLine};

use crate::cecp::setup;
use crate::cecp::{Cecp, Features, former_move, handshake};
use crate::check::harness::{AT_ONCE, CheckedProtocol, Harness, QUIET, Transcript, demand, require};
use crate::check::positions::MIDDLEGAME;
use crate::check::{Candidate, Failure};

/// How many seconds it thinks where that is to be broken off. The specification lets a program read what it is told when
/// it has thought; so long it is waited for.
pub(super) const LONG_THINK: u32 = 3;

pub(super) type CecpHarness = Harness<Cecp>;

impl CheckedProtocol for Cecp {
    type Announced = Features;

    fn is_move(message: &Message) -> bool {
        moved(message).is_some()
    }
}

impl CecpHarness {
    /// The program after the handshake.
    pub(super) fn start(candidate: &Candidate) -> Result<CecpHarness, Failure> {
        let (stream, features) = handshake::start(candidate.spec, candidate.log.clone())?;
        Ok(Harness::with(candidate, stream, features))
    }

    /// The same, if it has a feature.
    pub(super) fn with_feature(candidate: &Candidate, switch: Switch) -> Result<CecpHarness, Failure> {
        let harness = CecpHarness::start(candidate)?;
        harness.needs(switch)?;
        Ok(harness)
    }

    /// In force mode at the beginning of a game.
    pub(super) fn forced(candidate: &Candidate) -> Result<CecpHarness, Failure> {
        let mut harness = CecpHarness::start(candidate)?;
        harness.tell(&["new", "force"])?;
        Ok(harness)
    }

    /// In force mode with a position.
    pub(super) fn at(candidate: &Candidate, fen: &str) -> Result<CecpHarness, Failure> {
        let mut harness = CecpHarness::forced(candidate)?;
        harness.set_up(fen)?;
        Ok(harness)
    }

    /// Thinking, with so many seconds for the move.
    ///
    /// [`Failure::NotSupported`] if it moves at once.
    pub(super) fn thinking(candidate: &Candidate, seconds: u32) -> Result<CecpHarness, Failure> {
        let mut harness = CecpHarness::at(candidate, MIDDLEGAME)?;
        harness.tell(&[&format!("st {seconds}"), "post", "easy"])?;
        harness.settle()?;
        harness.tell(&["go"])?;
        let heard = harness.hear_for(Duration::from_millis(200))?;
        require(!heard.contains(Cecp::is_move), format!("a search of {seconds} s"))?;
        Ok(harness)
    }

    /// Analysing, after thinking output was asked for.
    pub(super) fn analysing(candidate: &Candidate, fen: &str) -> Result<CecpHarness, Failure> {
        let mut harness = CecpHarness::at(candidate, fen)?;
        harness.needs(Switch::Analyze)?;
        harness.tell(&["post"])?;
        harness.settle()?;
        harness.tell(&["analyze"])?;
        Ok(harness)
    }

    pub(super) fn needs(&self, switch: Switch) -> Result<(), Failure> {
        require(self.announced.has(switch), format!("{}=1", switch.name()))
    }

    /// Sets up a position after `new` and `force`, by `setboard` or `edit`.
    pub(super) fn set_up(&mut self, fen: &str) -> Result<(), Failure> {
        self.set_board(fen, self.game.mode());
        let lines = setup::position(&self.game, &self.announced)
            .map_err(|_| Failure::NotSupported(format!("{}=1", Switch::SetBoard.name())))?;
        lines.iter().try_for_each(|line| self.tell(&[line]))
    }

    /// Tells a move as the program wants it. It may be illegal.
    pub(super) fn tell_move(&mut self, text: &str) -> Result<(), Failure> {
        let command = setup::told_move(text.to_owned(), &self.announced);
        self.tell(&[&command.to_string()])
    }

    /// Tells legal moves, in coordinates or as the program wants them.
    pub(super) fn play(&mut self, moves: &[&str]) -> Result<(), Failure> {
        for text in moves {
            self.follow(&[text]);
            for told in setup::moves(&self.game, self.game.ply() - 1, &self.announced) {
                self.tell_move(&told)?;
            }
        }
        Ok(())
    }

    /// All that is said until the program has dealt with everything; without `ping`, for a time.
    pub(super) fn settle(&mut self) -> Result<Transcript<Message>, Failure> {
        if !self.announced.has(Switch::Ping) {
            return self.hear_for(QUIET);
        }
        self.pings += 1;
        let pong = Message::Pong(self.pings);
        self.tell(&[&format!("ping {}", self.pings)])?;
        let mut heard = self.hear_until(&format!("`{pong}`"), self.patience, |message| *message == pong)?;
        heard.0.pop();
        Ok(heard)
    }

    /// Nothing that the program says until it has settled is unwanted.
    pub(super) fn settle_without(
        &mut self,
        expected: &str,
        is_unwanted: fn(&Message) -> bool,
    ) -> Result<(), Failure> {
        self.settle()?.has_no(expected, is_unwanted)
    }

    /// A short clock, on which nobody thinks for long.
    pub(super) fn hurry(&mut self) -> Result<(), Failure> {
        self.tell(&["level 0 1 0"])?;
        if self.announced.has(Switch::Time) { self.tell(&["time 500", "otim 500"]) } else { Ok(()) }
    }

    /// The program takes commands that no feature asked for: those that it doesn't know are errors, but no moves.
    ///
    /// [`Failure::NotSupported`] if one is an error.
    pub(super) fn takes(&mut self, commands: &[&str]) -> Result<(), Failure> {
        self.tell(commands)?;
        let heard = self.settle()?;
        match heard.0.iter().find(|said| is_refusal(&said.message)) {
            None => Ok(()),
            Some(said) if matches!(said.message, Message::Error { .. }) => {
                Err(Failure::NotSupported(format!("`{}`", said.line)))
            }
            Some(said) => {
                Err(Failure::new(format!("`{}` taken", commands.join("`, `")), format!("`{}`", said.line)))
            }
        }
    }

    /// Breaks off the search with a command: no move comes after the next `pong`.
    ///
    /// [`Failure::NotSupported`] if one comes before it: the specification allows for a move that is on its way, and knows
    /// by `ping` which search it is from.
    pub(super) fn break_off(&mut self, command: &str) -> Result<(), Failure> {
        self.tell(&[command])?;
        let mut moves_late = self.settle()?.contains(Cecp::is_move);
        if !moves_late && !self.announced.has(Switch::Ping) {
            moves_late = self.hear_for(Duration::from_secs(LONG_THINK.into()))?.contains(Cecp::is_move);
        }
        require(!moves_late, "reading while it thinks")?;
        self.hear_no_move(QUIET).map(drop)
    }

    /// The program answers a command with `Error`, or with what is `wanted`.
    ///
    /// [`Failure::NotSupported`] if it is an error.
    pub(super) fn hear_answer(
        &mut self,
        expected: &str,
        wanted: impl Fn(&Message) -> bool,
    ) -> Result<Transcript<Message>, Failure> {
        let is_answer = |message: &Message| wanted(message) || matches!(message, Message::Error { .. });
        let heard = self.hear_until(expected, AT_ONCE, is_answer)?;
        require(heard.last().is_some_and(wanted), heard.last_shown())?;
        Ok(heard)
    }

    /// The program moves, legally; the move is played.
    pub(super) fn hear_move(&mut self) -> Result<Transcript<Message>, Failure> {
        let expected = format!("a move within {} ms", self.patience.as_millis());
        let heard = self.hear_until(&expected, self.patience, Cecp::is_move)?;
        let text = heard.last().and_then(moved).unwrap_or_default();
        let legal = self.game.parse_move(text);
        demand(legal.is_ok(), format!("a legal move in {}", self.game.fen()), format!("`{text}`"))?;
        self.follow(&[text]);
        Ok(heard)
    }

    /// The program moves after `go`.
    pub(super) fn go(&mut self) -> Result<Transcript<Message>, Failure> {
        self.tell(&["go"])?;
        self.hear_move()
    }

    /// The program is in force mode: it takes a move silently that is legal in the position that it should have on its
    /// board, and not in those that it may have otherwise.
    pub(super) fn has_position(&mut self, legal: &str) -> Result<(), Failure> {
        self.play(&[legal])?;
        let expected = format!("`{legal}` taken silently");
        self.settle_without(&expected, |message| is_refusal(message) || Cecp::is_move(message))
    }

    /// It takes part in a game as if nothing had happened.
    pub(super) fn still_plays(&mut self) -> Result<(), Failure> {
        self.game = game::Game::default();
        self.tell(&["new", "force"])?;
        self.hurry()?;
        self.play(&["e2e4"])?;
        self.settle()?;
        self.go().map(drop)
    }
}

/// The move of a message, in the form of any version.
fn moved(message: &Message) -> Option<&str> {
    match message {
        Message::Move(text) => Some(text),
        Message::Other(line) => former_move(line),
        _ => None,
    }
}

/// Whether something was not accepted, in the words of the specification or in those of GNU Chess and others.
pub(super) fn is_refusal(message: &Message) -> bool {
    match message {
        Message::IllegalMove { .. } | Message::Error { .. } => true,
        Message::Other(line) => {
            ["illegal", "invalid"].iter().any(|word| line.to_lowercase().starts_with(word))
        }
        _ => false,
    }
}

pub(super) fn is_thinking(message: &Message) -> bool {
    matches!(message, Message::Thinking(_))
}

/// The lines of thinking among what was heard.
pub(super) fn thoughts(heard: &Transcript<Message>) -> Vec<&ThinkingLine> {
    let lines = heard.messages().filter_map(|message| match message {
        Message::Thinking(line) => Some(line),
        _ => None,
    });
    lines.collect()
}
