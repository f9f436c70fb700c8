//! A program that speaks CECP, with the game that it was told.

use std::time::{Duration, Instant};

use engine::Game;
use protocols::cecp::{Message, Switch, ThinkingLine};

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

/// How long a program may take for a move on a short clock, on a busy machine.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// How long a program without `ping` gets for what it has to say, and anyone for what he should not say.
pub(super) const QUIET: Duration = Duration::from_millis(500);

pub(super) struct Bench {
    pub(super) talk: Conversation<Cecp>,
    pub(super) features: Features,
    pub(super) game: Game,
    pings: i64,
}

impl Bench {
    /// The program after the handshake.
    pub(super) fn start(candidate: &Candidate) -> Result<Bench, Miss> {
        let (stream, features) = handshake::start(candidate.spec, candidate.log.clone())?;
        Ok(Bench { talk: Conversation::new(stream), features, game: Game::default(), pings: 0 })
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
        let mut heard = self.talk.hear_until(&format!("`{pong}`"), PATIENCE, |message| *message == pong)?;
        heard.pop();
        Ok(heard)
    }

    /// What was told is taken without a word, but for lines that may come at any time.
    pub(super) fn settle_silently(&mut self) -> Result<(), Miss> {
        none(&self.settle()?, "no answer", |message| {
            !matches!(message, Message::Debug(_) | Message::Thinking(_) | Message::Pong(_))
        })
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
    pub(super) fn hear_move(&mut self, patience: Duration) -> Result<Heard, Miss> {
        let expected = format!("a move within {} ms", patience.as_millis());
        let mut text = None;
        let heard = self.talk.hear_until(&expected, patience, |message| {
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

    /// The program is in force mode: it takes legal moves silently and refuses others, in whatever words, in the
    /// position that it should have on its board.
    pub(super) fn has_position(&mut self, legal: &str, illegal: &str) -> Result<(), Miss> {
        self.tell_move(illegal)?;
        some(&self.settle()?, &format!("`{illegal}` refused"), is_refusal)?;
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
        self.tell(&["new", "force", "st 1"])?;
        self.play(&["e2e4"])?;
        self.settle()?;
        self.tell(&["go"])?;
        self.hear_move(PATIENCE).map(drop)
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
