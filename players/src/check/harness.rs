//! The test harness of all protocols: a program, the game that it was sent, and its messages.
//!
//! A `Harness` is no [`crate::Player`]: a player tolerates and hides what an official can live with; here every message counts.
//! Lines are sent one after the other, each after the last one was read, because only some rules are about lines that arrive
//! together.

use std::collections::HashSet;
use std::fmt::Display;
use std::thread;
use std::time::{Duration, Instant};

use game::{CastlingMode, Game, Move};
use messages::OptionKind;

use super::{Candidate, Checked, Failure};
use crate::PlayerFault;
use crate::stream::{Stream, Timed, Vocabulary};

/// How long a program gets to read a line; one that is thinking may not read it yet.
const READING: Duration = Duration::from_millis(100);

/// How long it gets to deal with a line that takes no time.
const DEALING: Duration = Duration::from_millis(5);

/// How many of the lines heard are shown when another was expected.
const SHOWN: usize = 3;

/// How long something may take that takes no time.
pub(super) const AT_ONCE: Duration = Duration::from_secs(2);

/// How long to listen for messages that should not come.
pub(super) const QUIET: Duration = Duration::from_millis(500);

/// A protocol whose rules are checked.
pub(super) trait CheckedProtocol: Vocabulary<Message: PartialEq> {
    /// What a program announces before the first game.
    type Announced: Default;

    /// The question whether a program has dealt with all it was told, the `n`th, and the answer; `None` if it can't be asked.
    fn ping(announced: &Self::Announced, n: i64) -> Option<(String, Self::Message)>;

    /// Whether a message answers the request for a move, readable or not.
    fn is_move(message: &Self::Message) -> bool;

    /// The move of a message, if it is legal in a game.
    fn legal_move(message: &Self::Message, game: &Game) -> Option<Move>;
}

/// A program under test.
pub(super) struct Harness<P: CheckedProtocol> {
    /// How to start it once more.
    pub(super) candidate: Candidate,
    pub(super) stream: Stream<P>,
    /// What it has announced.
    pub(super) announced: P::Announced,
    /// The position that it should have on its board.
    pub(super) game: Game,
    /// How long it may take for a move on a short clock, on a busy machine.
    pub(super) patience: Duration,
    /// How often it was asked whether it is ready.
    pings: i64,
}

impl<P: CheckedProtocol> Harness<P> {
    /// Starts the program; nothing is sent yet.
    pub(super) fn launch(candidate: &Candidate) -> Checked<Self> {
        let stream = Stream::start(&candidate.spec, candidate.log.clone())?;
        Ok(Harness::with(candidate, stream, P::Announced::default()))
    }

    /// A program that was started already.
    pub(super) fn with(candidate: &Candidate, stream: Stream<P>, announced: P::Announced) -> Self {
        let (candidate, patience) = (candidate.clone(), candidate.spec.patience);
        Harness { candidate, stream, announced, game: Game::default(), patience, pings: 0 }
    }

    /// Sends lines, one after the other.
    pub(super) fn tell(&mut self, lines: impl IntoIterator<Item = impl Display>) -> Checked {
        lines.into_iter().try_for_each(|line| {
            self.stream.tell(line)?;
            self.stream.wait_until_read(Instant::now() + READING);
            thread::sleep(DEALING);
            Ok(())
        })
    }

    /// Sends lines, and waits until the program has dealt with them: all that it says meanwhile.
    pub(super) fn deal(
        &mut self,
        lines: impl IntoIterator<Item = impl Display>,
    ) -> Checked<Transcript<P::Message>> {
        self.tell(lines)?;
        self.settle()
    }

    /// All that is said until the program has dealt with everything, or for a time if it can't be asked.
    pub(super) fn settle(&mut self) -> Checked<Transcript<P::Message>> {
        self.pings += 1;
        let Some((question, answer)) = P::ping(&self.announced, self.pings) else {
            return self.hear_for(QUIET);
        };
        self.tell([&question])?;
        let expected = format!("the answer to `{question}`");
        let mut heard = self.hear_until(&expected, self.patience, |message| *message == answer)?;
        heard.0.pop();
        Ok(heard)
    }

    /// Sends a line that asks for a move, and hears it.
    pub(super) fn ask(&mut self, line: &str) -> Checked<Transcript<P::Message>> {
        self.tell([line])?;
        self.hear_move(self.patience)
    }

    /// Takes settings one by one: nothing that the program says to them is a refusal.
    pub(super) fn take_each(&mut self, settings: &[String], is_refusal: fn(&P::Message) -> bool) -> Checked {
        require(!settings.is_empty(), "options")?;
        settings
            .iter()
            .try_for_each(|setting| self.deal([setting])?.has_no(&format!("`{setting}` taken"), is_refusal))
    }

    /// Puts a position on our board.
    pub(super) fn set_board(&mut self, fen: &str, mode: CastlingMode) {
        self.game = Game::from_fen(fen, mode).expect("the rules have legal positions");
    }

    /// Plays legal moves on our board.
    pub(super) fn follow(&mut self, moves: &[&str]) {
        for text in moves {
            let m = self.game.parse_move(text).expect("the rules have legal moves");
            self.game.play(m).expect("a legal move");
        }
    }

    /// A legal move, in coordinates.
    ///
    /// [`Failure::NotSupported`] if there is none: the program has ended the game.
    pub(super) fn any_move(&self) -> Checked<String> {
        let moves = self.game.legal_moves();
        let first = moves.first().map(|&m| self.game.coordinate(m));
        first.ok_or_else(|| Failure::NotSupported("a longer game".into()))
    }

    /// All messages up to the first that is `wanted`, that one included.
    pub(super) fn hear_until(
        &mut self,
        expected: &str,
        patience: Duration,
        mut wanted: impl FnMut(&P::Message) -> bool,
    ) -> Checked<Transcript<P::Message>> {
        let until = Instant::now() + patience;
        let mut heard = Transcript(Vec::new());
        while Instant::now() < until {
            match self.stream.wait(until) {
                Ok(Some(said)) => {
                    let is_last = wanted(&said.message);
                    heard.0.push(said);
                    if is_last {
                        return Ok(heard);
                    }
                }
                Ok(None) => break,
                Err(fault) => return Err(Failure::new(expected, format!("it {fault}; {}", heard.shown()))),
            }
        }
        Err(Failure::new(expected, heard.shown()))
    }

    /// All messages up to the program's move. It is legal, and played on our board.
    pub(super) fn hear_move(&mut self, patience: Duration) -> Checked<Transcript<P::Message>> {
        let expected = format!("a move within {} ms", patience.as_millis());
        let heard = self.hear_until(&expected, patience, P::is_move)?;
        let legal = heard.last().and_then(|message| P::legal_move(message, &self.game));
        let Some(legal) = legal else {
            return Err(Failure::new(format!("a legal move in {}", self.game.fen()), heard.last_shown()));
        };
        self.game.play(legal).expect("a legal move");
        Ok(heard)
    }

    /// All messages of a period.
    pub(super) fn hear_for(&mut self, time: Duration) -> Checked<Transcript<P::Message>> {
        let until = Instant::now() + time;
        let mut heard = Vec::new();
        while Instant::now() < until
            && let Some(said) = self.stream.wait(until)?
        {
            heard.push(said);
        }
        Ok(Transcript(heard))
    }

    /// The program doesn't move for a period.
    pub(super) fn hear_no_move(&mut self, time: Duration) -> Checked<Transcript<P::Message>> {
        let heard = self.hear_for(time)?;
        heard.has_no("no move", P::is_move)?;
        Ok(heard)
    }

    /// The program ends by itself.
    pub(super) fn hear_end(&mut self, patience: Duration) -> Checked {
        let until = Instant::now() + patience;
        while Instant::now() < until {
            if let Err(PlayerFault::Died(_)) = self.stream.wait(until) {
                return Ok(());
            }
        }
        Err(runs_on(patience))
    }

    /// Closes the program's standard input; it ends by itself, before a signal asks it to.
    pub(super) fn end_input(&mut self, patience: Duration) -> Checked {
        if self.stream.end_input(patience) { Ok(()) } else { Err(runs_on(patience)) }
    }
}

fn runs_on(patience: Duration) -> Failure {
    Failure::new(format!("that it ends within {} s", patience.as_secs()), "it runs on")
}

/// Messages of a program.
pub(super) struct Transcript<M>(pub(super) Vec<Timed<M>>);

impl<M> Transcript<M> {
    pub(super) fn messages(&self) -> impl DoubleEndedIterator<Item = &M> {
        self.0.iter().map(|said| &said.message)
    }

    pub(super) fn last(&self) -> Option<&M> {
        self.0.last().map(|said| &said.message)
    }

    /// The last lines.
    pub(super) fn shown(&self) -> String {
        let last = &self.0[self.0.len().saturating_sub(SHOWN)..];
        let lines: Vec<String> = last.iter().map(show).collect();
        if lines.is_empty() { "nothing".into() } else { lines.join(" ") }
    }

    /// The last line alone.
    pub(super) fn last_shown(&self) -> String {
        self.0.last().map_or_else(|| "nothing".into(), show)
    }

    pub(super) fn contains(&self, is_wanted: impl Fn(&M) -> bool) -> bool {
        self.messages().any(is_wanted)
    }

    /// None of it is unwanted.
    pub(super) fn has_no(&self, expected: &str, is_unwanted: impl Fn(&M) -> bool) -> Checked {
        match self.0.iter().find(|said| is_unwanted(&said.message)) {
            Some(said) => Err(Failure::new(expected, show(said))),
            None => Ok(()),
        }
    }

    /// Something of it is wanted.
    pub(super) fn has(&self, expected: &str, is_wanted: impl Fn(&M) -> bool) -> Checked {
        demand(self.contains(is_wanted), expected, self.shown())
    }
}

fn show<M>(said: &Timed<M>) -> String {
    format!("`{}`", game::excerpt(&said.line))
}

/// The rule is broken unless this holds.
pub(super) fn demand(holds: bool, expected: impl Into<String>, seen: impl Into<String>) -> Checked {
    if holds { Ok(()) } else { Err(Failure::new(expected, seen)) }
}

/// The rule is about something that the program doesn't offer unless this holds.
pub(super) fn require(holds: bool, offer: impl Into<String>) -> Checked {
    if holds { Ok(()) } else { Err(Failure::NotSupported(offer.into())) }
}

/// A move took no longer than a limit in seconds, which is generous to a busy machine.
pub(super) fn within(seconds: f64, taken: Duration) -> Checked {
    let taken = taken.as_secs_f64();
    demand(taken <= seconds, format!("a move within {seconds} s"), format!("one after {taken:.2} s"))
}

/// The names of options differ.
pub(super) fn differ(names: impl Iterator<Item = String>) -> Checked {
    let mut known = HashSet::new();
    for name in names {
        let second = format!("a second `{name}`");
        demand(known.insert(name), "one option of a name", second)?;
    }
    require(!known.is_empty(), "options")
}

/// What is asked for of memory and threads: a machine may not have as much as a program would use.
const ENOUGH: i64 = 32;

/// The values to set an option to: the ends of its range and the present one, on and off in the words of the protocol.
pub(super) fn trial_values(name: &str, kind: &OptionKind, [off, on]: [&str; 2]) -> Vec<String> {
    match kind {
        OptionKind::Spin { value, min, max } => trial_numbers(name, *value, *min, *max),
        OptionKind::Check(true) => [off, on].map(str::to_owned).to_vec(),
        OptionKind::Check(false) => [on, off].map(str::to_owned).to_vec(),
        OptionKind::Combo { value, choices } => [&choices[..], std::slice::from_ref(value)].concat(),
        OptionKind::Button | OptionKind::Text(_) => Vec::new(),
    }
}

/// The values to set a number to: the least, the greatest that costs little, and the present one.
fn trial_numbers(name: &str, present: i64, min: i64, max: i64) -> Vec<String> {
    let name = name.to_lowercase();
    let is_costly =
        ["hash", "cache", "memory", "threads", "cores", "cpu"].iter().any(|word| name.contains(word));
    let most = if is_costly { max.min(ENOUGH).max(present) } else { max };
    [min, most, present].iter().map(ToString::to_string).collect()
}
