//! Test harness for CECP.

use std::time::Duration;

use game::{Color, Game, Move};
use messages::cecp::{Message, Switch, ThinkingLine};

use crate::cecp::{Cecp, Features, former_move, handshake, setup};
use crate::check::harness::{
    AT_ONCE, CheckedProtocol, Harness, QUIET, Transcript, WORKING, observe, require,
};
use crate::check::positions::MIDDLEGAME;
use crate::check::{Candidate, Checked, Failure, longest_start};

/// Seconds for a move whose search is to be interrupted. The specification allows a program to read its input after the search,
/// so the check waits as long.
pub(super) const LONG_THINK: u32 = 3;

/// Time after which a program that has to think should be thinking.
const BEGINNING: Duration = Duration::from_millis(100);

/// Time in which the work of a program that thinks is seen.
const PROOF: Duration = Duration::from_millis(250);

pub(in crate::check) type CecpHarness = Harness<Cecp>;

/// Factor of time for a program that uses little of it.
const FRUGAL: u32 = 5;

/// What a program does that has to think.
#[derive(PartialEq)]
enum Thought {
    /// It works, and hasn't moved.
    Seen,
    /// It has moved.
    Moved,
}

/// State of a program when its check begins. Except in the first, it has processed its input.
#[derive(Clone, Copy)]
pub(in crate::check) enum CecpStart {
    /// Nothing was sent yet.
    Launched,
    /// After the handshake.
    Greeted,
    /// In force mode at the beginning of a game.
    Forced,
    /// In force mode with a position.
    At(&'static str),
    /// Thinking in the middlegame, with [`LONG_THINK`] for the move, or more for a program that uses little of its time. Not seen if
    /// it moves at once or does nothing.
    Thinking,
    /// The same with this number of seconds.
    ThinkingFor(u32),
    /// Pondering, after a move of its own. Not seen if it does nothing then.
    Pondering,
    /// Analysing the middlegame, with thinking output. Not seen if it does nothing then.
    Analysing,
    /// Analysing another position.
    AnalysingAt(&'static str),
}

impl CecpStart {
    pub(in crate::check) fn reach(self, candidate: &Candidate) -> Checked<CecpHarness> {
        if let CecpStart::Launched = self {
            return CecpHarness::launch(candidate);
        }
        let (stream, features) =
            handshake::start(&candidate.spec, candidate.next_log(), longest_start(&candidate.spec))?;
        let mut program = Harness::with(candidate, stream, features);
        if !matches!(self, CecpStart::Greeted) {
            program.tell(["new", "force"])?;
        }
        match self {
            CecpStart::Launched | CecpStart::Greeted | CecpStart::Forced => drop(program.settle()?),
            CecpStart::At(fen) => {
                program.set_up(fen)?;
                program.settle()?;
            }
            CecpStart::Thinking => program = program.thinking(LONG_THINK)?,
            CecpStart::ThinkingFor(seconds) => program = program.thinking(seconds)?,
            CecpStart::Pondering => {
                program.tell(["hard", "post"])?;
                program.hurry()?;
                program.play(&["a2a3", "h7h6", "h2h3"])?;
                program.settle()?;
                program.ask("go")?;
                program.hear_no_move(BEGINNING)?;
                program.proves_thought("in the opponent's time")?;
            }
            CecpStart::Analysing => program.analyse(MIDDLEGAME)?,
            CecpStart::AnalysingAt(fen) => program.analyse(fen)?,
        }
        Ok(program)
    }
}

impl CheckedProtocol for Cecp {
    type Announced = Features;

    fn ping(announced: &Features, n: i64) -> Option<(String, Message)> {
        announced.has(Switch::Ping).then(|| (format!("ping {n}"), Message::Pong(n)))
    }

    fn is_move(message: &Message) -> bool {
        moved(message).is_some()
    }

    fn legal_move(message: &Message, game: &Game) -> Option<Move> {
        game.parse_move(moved(message)?).ok()
    }
}

impl CecpHarness {
    /// Lets the program think about the middlegame, and sees that it does. Returns it, or another one that thinks longer if it moves at
    /// once.
    fn thinking(mut self, seconds: u32) -> Checked<Self> {
        if self.begins_to_think(seconds)? != Thought::Moved {
            return Ok(self);
        }
        let mut other = CecpStart::Forced.reach(&self.candidate)?;
        other.think(FRUGAL * seconds)?;
        Ok(other)
    }

    /// The same with one program, which gets more time if it moves at once.
    pub(super) fn think_for_long(&mut self, seconds: u32) -> Checked {
        if self.begins_to_think(seconds)? == Thought::Moved {
            self.tell(["new", "force"])?;
            self.think(FRUGAL * seconds)?;
        }
        Ok(())
    }

    /// Lets the program think about the middlegame, and sees that it does.
    pub(super) fn think(&mut self, seconds: u32) -> Checked {
        let moved = format!("it moves at once under `st {seconds}`");
        observe(self.begins_to_think(seconds)? == Thought::Seen, moved)
    }

    fn begins_to_think(&mut self, seconds: u32) -> Checked<Thought> {
        self.set_up(MIDDLEGAME)?;
        self.deal([&format!("st {seconds}"), "post", "easy"])?;
        self.tell(["go"])?;
        self.thought(&format!("under `st {seconds}`"))
    }

    /// Not seen unless the program thinks: it works, and doesn't move. What it shows proves nothing.
    pub(super) fn proves_thought(&mut self, when: &str) -> Checked {
        observe(self.thought(when)? == Thought::Seen, format!("it moves at once {when}"))
    }

    /// Sees whether the program thinks. Not seen if it does nothing.
    fn thought(&mut self, when: &str) -> Checked<Thought> {
        let mut heard = self.hear_for(BEGINNING)?;
        let (more, processors) = self.watch(PROOF)?;
        heard.0.extend(more.0);
        if heard.contains(Cecp::is_move) {
            return Ok(Thought::Moved);
        }
        self.has_shown |= heard.contains(is_thinking);
        observe(processors >= WORKING, format!("it uses {processors:.2} processors {when}"))?;
        Ok(Thought::Seen)
    }

    /// Lets the program analyse.
    pub(super) fn begin_analysis(&mut self) -> Checked {
        self.needs(Switch::Analyze)?;
        self.deal(["post"])?;
        self.tell(["analyze"])
    }

    fn analyse(&mut self, fen: &str) -> Checked {
        self.set_up(fen)?;
        self.begin_analysis()?;
        if self.game.outcome().is_none() { self.proves_thought("in analysis") } else { Ok(()) }
    }

    pub(super) fn needs(&self, switch: Switch) -> Checked {
        require(self.announced.has(switch), format!("{}=1", switch.name()))
    }

    /// Sets up a position after `new` and `force`, by `setboard` or `edit`.
    pub(super) fn set_up(&mut self, fen: &str) -> Checked {
        self.set_board(fen, self.game.mode());
        let lines = setup::position(&self.game, &self.announced)
            .map_err(|_| Failure::NotSupported(format!("{}=1", Switch::SetBoard.name())))?;
        self.tell(lines)
    }

    /// Sends a move in the program's notation. It may be illegal.
    pub(super) fn tell_move(&mut self, text: &str) -> Checked {
        let command = self.move_command(text);
        self.tell([command])
    }

    /// Returns the line of a move: with `usermove` if the program has asked for it.
    pub(super) fn move_command(&self, text: &str) -> String {
        setup::told_move(text.to_owned(), &self.announced).to_string()
    }

    /// Sends legal moves in the program's notation, and plays them on the harness's board.
    pub(super) fn play(&mut self, moves: &[&str]) -> Checked {
        for text in moves {
            self.follow(&[text]);
            for told in setup::moves(&self.game, self.game.ply() - 1, &self.announced) {
                self.tell_move(&told)?;
            }
        }
        Ok(())
    }

    /// Lets the program play the side that is not on move, in force mode.
    pub(super) fn play_other(&mut self) -> Checked {
        if self.announced.has(Switch::PlayOther) {
            return self.tell(["playother"]);
        }
        self.needs(Switch::Colors)?;
        self.tell([if self.game.turn() == Color::White { "white" } else { "black" }])
    }

    /// Sets a short clock.
    pub(super) fn hurry(&mut self) -> Checked {
        self.tell(["level 0 1 0"])?;
        if self.announced.has(Switch::Time) { self.tell(["time 500", "otim 500"]) } else { Ok(()) }
    }

    /// Sends commands that no feature asked for: an unknown one may be an error, but no move.
    ///
    /// [`Failure::NotSupported`] if one is an error, or what the program answers to any unknown command: a rule of its own is about
    /// that.
    pub(super) fn takes(&mut self, commands: &[&str]) -> Checked<Transcript<Message>> {
        let heard = self.deal(commands)?;
        let Some(said) = heard.0.iter().find(|said| is_refusal(&said.message)) else { return Ok(heard) };
        let is_unknown = is_error(&said.message)
            || self
                .deal(["xyzzy 7"])
                .is_ok_and(|heard| heard.contains(is_refusal) && !heard.contains(is_error));
        require(!is_unknown, format!("the command: it says `{}`", game::excerpt(&said.line)))?;
        heard.has_taken(&format!("`{}`", commands.join("`, `")))?;
        Ok(heard)
    }

    /// Not seen unless the program shows that it reads a command of which nothing else is seen: it has answered, or it refuses the
    /// same command in a malformed form. Some programs end at that, so it comes last.
    pub(super) fn reads(&mut self, answer: &Transcript<Message>, malformed: &str) -> Checked {
        let is_read =
            !answer.0.is_empty() || self.deal([malformed]).is_ok_and(|heard| heard.contains(is_refusal));
        let word = malformed.split(' ').next().unwrap_or_default();
        observe(is_read, format!("it goes on, but nothing shows that it reads `{word}`"))
    }

    /// Not seen unless the program, which has the move after the next, stops playing at `result`: it doesn't answer a move.
    pub(super) fn stops_at(&mut self, result: &str) -> Checked {
        self.tell(["new", "easy"])?;
        self.game = Game::default();
        self.hurry()?;
        self.play(&["a2a3"])?;
        self.hear_move(self.patience)?;
        self.deal([result])?.has_no("no move", Cecp::is_move)?;
        let reply = self.any_move()?;
        self.play(&[&reply])?;
        self.hear_no_move(AT_ONCE).map(drop).map_err(Failure::unseen)
    }

    /// Interrupts the search with a command. Fails if a move comes after the next `pong`.
    ///
    /// [`Failure::NotSupported`] if a move comes before it: the specification allows for a move that was on its way, and tells by
    /// `ping` to which search it belongs.
    pub(super) fn break_off(&mut self, command: &str) -> Checked {
        let mut moves_late = self.deal([command])?.contains(Cecp::is_move);
        if !moves_late && !self.announced.has(Switch::Ping) {
            moves_late = self.hear_for(Duration::from_secs(LONG_THINK.into()))?.contains(Cecp::is_move);
        }
        require(!moves_late, "reading while it thinks")?;
        self.hear_no_move(QUIET).map(drop)
    }

    /// Fails unless the program is in force mode with the right position: it accepts a move silently that is illegal in the
    /// positions that it may have otherwise.
    pub(super) fn has_position(&mut self, legal: &str) -> Checked {
        self.play(&[legal])?;
        let expected = format!("`{legal}` taken silently");
        self.settle()?.has_no(&expected, |message| is_refusal(message) || Cecp::is_move(message))
    }

    /// Fails unless the program makes a legal move: one that says nothing takes any position silently.
    pub(super) fn goes_on(&mut self) -> Checked {
        self.hurry()?;
        self.ask("go").map(drop)
    }

    /// Fails unless the program plays another game.
    pub(super) fn still_plays(&mut self) -> Checked {
        self.game = Game::default();
        self.tell(["new", "force"])?;
        self.hurry()?;
        self.play(&["e2e4"])?;
        self.settle()?;
        self.ask("go").map(drop)
    }
}

impl Transcript<Message> {
    /// Fails if one of the messages is a refusal.
    pub(super) fn has_taken(&self, what: &str) -> Checked {
        self.has_no(&format!("{what} taken"), is_refusal)
    }
}

/// Returns the move of a message, in the form of any version.
fn moved(message: &Message) -> Option<&str> {
    match message {
        Message::Move(text) => Some(text),
        Message::Other(line) => former_move(line),
        _ => None,
    }
}

/// Whether a message is a refusal, in the words of the specification or of GNU Chess and others.
pub(super) fn is_refusal(message: &Message) -> bool {
    match message {
        Message::IllegalMove { .. } | Message::Error { .. } => true,
        Message::Other(line) => {
            ["illegal", "invalid"].iter().any(|word| line.to_lowercase().starts_with(word))
        }
        _ => false,
    }
}

pub(super) fn is_error(message: &Message) -> bool {
    matches!(message, Message::Error { .. })
}

pub(super) fn is_thinking(message: &Message) -> bool {
    matches!(message, Message::Thinking(_))
}

/// Returns the thinking output among the messages.
pub(super) fn thoughts(heard: &Transcript<Message>) -> impl DoubleEndedIterator<Item = &ThinkingLine> {
    heard.messages().filter_map(|message| match message {
        Message::Thinking(line) => Some(line),
        _ => None,
    })
}
