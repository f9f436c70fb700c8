//! A program that speaks CECP, with the game that it was told.

use std::time::{Duration, Instant};

use game::Game;
use messages::cecp::{Message, Switch, ThinkingLine};

use crate::cecp::setup::{self, Word};
use crate::cecp::{Cecp, Features, former_move, handshake};
use crate::check::conversation::{Conversation, none, some};
use crate::check::positions::MIDDLEGAME;
use crate::check::{Candidate, Miss};
use crate::stream::Said;

/// What was heard.
pub(super) type Heard = Vec<Said<Message>>;

/// How long something may take that takes no time.
pub(super) const AT_ONCE: Duration = Duration::from_secs(2);

/// How many seconds it thinks where that is to be broken off. The specification lets a program read what it is told when
/// it has thought; so long it is waited for.
pub(super) const LONG_THINK: u32 = 3;

/// How long a program without `ping` gets for what it has to say, and anyone for what he should not say.
pub(super) const QUIET: Duration = Duration::from_millis(500);

pub(super) struct Bench {
    pub(super) talk: Conversation<Cecp>,
    pub(super) features: Features,
    pub(super) game: Game,
    /// How long the program may take for a move on a short clock, on a busy machine.
    patience: Duration,
    pings: i64,
}

impl Bench {
    /// The program after the handshake.
    pub(super) fn start(candidate: &Candidate) -> Result<Bench, Miss> {
        let (stream, features) = handshake::start(candidate.spec, candidate.log.clone())?;
        let talk = Conversation::new(stream);
        let patience = candidate.spec.patience;
        Ok(Bench { talk, features, game: Game::default(), patience, pings: 0 })
    }

    /// The same, if it has a feature.
    pub(super) fn with(candidate: &Candidate, switch: Switch) -> Result<Bench, Miss> {
        let bench = Bench::start(candidate)?;
        bench.needs(switch)?;
        Ok(bench)
    }

    /// In force mode at the beginning of a game.
    pub(super) fn forced(candidate: &Candidate) -> Result<Bench, Miss> {
        let mut bench = Bench::start(candidate)?;
        bench.tell(&["new", "force"])?;
        Ok(bench)
    }

    /// In force mode with a position.
    pub(super) fn at(candidate: &Candidate, fen: &str) -> Result<Bench, Miss> {
        let mut bench = Bench::forced(candidate)?;
        bench.set_up(fen)?;
        Ok(bench)
    }

    /// Thinking, with so many seconds for the move.
    ///
    /// [`Miss::NotSupported`] if it moves at once.
    pub(super) fn thinking(candidate: &Candidate, seconds: u32) -> Result<Bench, Miss> {
        let mut bench = Bench::at(candidate, MIDDLEGAME)?;
        bench.tell(&[&format!("st {seconds}"), "post", "easy"])?;
        bench.settle()?;
        bench.tell(&["go"])?;
        let heard = bench.talk.hear_for(Duration::from_millis(200))?;
        if heard.iter().any(|said| moved(&said.message).is_some()) {
            return Err(Miss::NotSupported(format!("a search of {seconds} s")));
        }
        Ok(bench)
    }

    /// Analysing, after thinking output was asked for.
    pub(super) fn analysing(candidate: &Candidate, fen: &str) -> Result<Bench, Miss> {
        let mut bench = Bench::at(candidate, fen)?;
        bench.needs(Switch::Analyze)?;
        bench.tell(&["post"])?;
        bench.settle()?;
        bench.tell(&["analyze"])?;
        Ok(bench)
    }

    pub(super) fn needs(&self, switch: Switch) -> Result<(), Miss> {
        if self.features.has(switch) {
            Ok(())
        } else {
            Err(Miss::NotSupported(format!("{}=1", switch.name())))
        }
    }

    pub(super) fn tell(&mut self, lines: &[&str]) -> Result<(), Miss> {
        self.talk.tell(lines)
    }

    /// Sets up a position after `new` and `force`, by `setboard` or `edit`.
    pub(super) fn set_up(&mut self, fen: &str) -> Result<(), Miss> {
        self.game = Game::from_fen(fen, self.game.mode()).expect("the rules have legal positions");
        let words = setup::position(&self.game, &self.features)
            .map_err(|_| Miss::NotSupported(format!("{}=1", Switch::SetBoard.name())))?;
        words.into_iter().try_for_each(|word| match word {
            Word::Command(command) => self.talk.tell_command(&command),
            Word::Edit(line) => self.talk.tell(&[&line.to_string()]),
        })
    }

    /// Tells a move as the program wants it. It may be illegal.
    pub(super) fn tell_move(&mut self, text: &str) -> Result<(), Miss> {
        let command = setup::told_move(text.to_owned(), &self.features);
        self.talk.tell_command(&command)
    }

    /// Tells legal moves, in coordinates or as the program wants them.
    pub(super) fn play(&mut self, moves: &[&str]) -> Result<(), Miss> {
        for text in moves {
            let m = self.game.parse_move(text).expect("the rules have legal moves");
            self.game.play(m).expect("a legal move");
            for told in setup::moves(&self.game, self.game.ply() - 1, &self.features) {
                self.tell_move(&told)?;
            }
        }
        Ok(())
    }

    /// All that is said until the program has dealt with everything.
    pub(super) fn settle(&mut self) -> Result<Heard, Miss> {
        if !self.features.has(Switch::Ping) {
            return self.talk.hear_for(QUIET);
        }
        self.pings += 1;
        let number = self.pings;
        self.talk.tell(&[&format!("ping {number}")])?;
        let pong = Message::Pong(number);
        let patience = self.patience;
        let mut heard = self.talk.hear_until(&format!("`{pong}`"), patience, |message| *message == pong)?;
        heard.pop();
        Ok(heard)
    }

    /// A short clock, on which nobody thinks for long.
    pub(super) fn hurry(&mut self) -> Result<(), Miss> {
        self.tell(&["level 0 1 0"])?;
        if self.features.has(Switch::Time) { self.tell(&["time 500", "otim 500"]) } else { Ok(()) }
    }

    /// The program takes commands that no feature asked for: those that it doesn't know are errors, but no moves.
    ///
    /// [`Miss::NotSupported`] if one is an error.
    pub(super) fn takes(&mut self, commands: &[&str]) -> Result<(), Miss> {
        self.tell(commands)?;
        let heard = self.settle()?;
        match heard.iter().find(|said| is_refusal(&said.message)) {
            None => Ok(()),
            Some(said) if matches!(said.message, Message::Error { .. }) => {
                Err(Miss::NotSupported(format!("`{}`", said.line)))
            }
            Some(said) => {
                Err(Miss::failed(format!("`{}` taken", commands.join("`, `")), format!("`{}`", said.line)))
            }
        }
    }

    /// Breaks off the search with a command: no move comes after the next `pong`.
    ///
    /// [`Miss::NotSupported`] if one comes before it: the specification allows for a move that is on its way, and knows
    /// by `ping` which search it is from.
    pub(super) fn break_off(&mut self, command: &str) -> Result<(), Miss> {
        self.tell(&[command])?;
        let is_late = |heard: &Heard| heard.iter().any(|said| moved(&said.message).is_some());
        let mut moves_late = is_late(&self.settle()?);
        if !moves_late && !self.features.has(Switch::Ping) {
            moves_late = is_late(&self.talk.hear_for(Duration::from_secs(LONG_THINK.into()))?);
        }
        if moves_late {
            return Err(Miss::NotSupported("reading while it thinks".into()));
        }
        self.hear_no_move(QUIET).map(drop)
    }

    /// The program answers a command with `Error`, or with what is `wanted`.
    ///
    /// [`Miss::NotSupported`] if it is an error.
    pub(super) fn hear_answer(
        &mut self,
        expected: &str,
        wanted: impl Fn(&Message) -> bool,
    ) -> Result<Heard, Miss> {
        let heard = self.talk.hear_until(expected, AT_ONCE, |message| {
            wanted(message) || matches!(message, Message::Error { .. })
        })?;
        match heard.last() {
            Some(said) if !wanted(&said.message) => Err(Miss::NotSupported(format!("`{}`", said.line))),
            _ => Ok(heard),
        }
    }

    /// The program moves, legally; the move is played.
    pub(super) fn hear_move(&mut self) -> Result<Heard, Miss> {
        self.hear_move_within(self.patience)
    }

    /// It does so in this time.
    pub(super) fn hear_move_within(&mut self, time: Duration) -> Result<Heard, Miss> {
        let expected = format!("a move within {} ms", time.as_millis());
        let mut text = None;
        let heard = self.talk.hear_until(&expected, time, |message| {
            text = moved(message).map(str::to_owned);
            text.is_some()
        })?;
        let text = text.unwrap_or_default();
        match self.game.parse_move(&text) {
            Ok(m) => {
                self.game.play(m).expect("a legal move");
                Ok(heard)
            }
            Err(_) => Err(Miss::failed(format!("a legal move in {}", self.game.fen()), format!("`{text}`"))),
        }
    }

    /// The program doesn't move for a time.
    pub(super) fn hear_no_move(&mut self, time: Duration) -> Result<Heard, Miss> {
        let heard = self.talk.hear_for(time)?;
        none(&heard, "no move", |message| moved(message).is_some())?;
        Ok(heard)
    }

    /// The program is in force mode: it takes a move silently that is legal in the position that it should have on its
    /// board, and not in those that it may have otherwise.
    pub(super) fn has_position(&mut self, legal: &str) -> Result<(), Miss> {
        self.play(&[legal])?;
        none(&self.settle()?, &format!("`{legal}` taken silently"), |message| {
            is_refusal(message) || moved(message).is_some()
        })
    }

    /// The program refuses a move.
    pub(super) fn hear_refusal(&mut self, text: &str) -> Result<(), Miss> {
        let heard = self.settle()?;
        some(
            &heard,
            &format!("`Illegal move: {text}`"),
            |message| matches!(message, Message::IllegalMove { mv, .. } if mv.contains(text)),
        )
    }

    /// It takes part in a game as if nothing had happened.
    pub(super) fn still_plays(&mut self) -> Result<(), Miss> {
        self.game = Game::default();
        self.tell(&["new", "force"])?;
        self.hurry()?;
        self.play(&["e2e4"])?;
        self.settle()?;
        self.tell(&["go"])?;
        self.hear_move().map(drop)
    }
}

/// The move of a message, in the form of any version.
pub(super) fn moved(message: &Message) -> Option<&str> {
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

/// The lines of thinking among what was heard.
pub(super) fn thoughts(heard: &Heard) -> Vec<&ThinkingLine> {
    let thought = |said| match said {
        &Said { message: Message::Thinking(ref line), .. } => Some(line),
        _ => None,
    };
    heard.iter().filter_map(thought).collect()
}

/// How long the program took from `since` to what it said last.
pub(super) fn took(since: Instant, heard: &Heard) -> Duration {
    heard.last().map_or(Duration::ZERO, |said| said.at.saturating_duration_since(since))
}
