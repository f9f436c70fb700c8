//! The test harness for all protocols: a program, the game that it was sent, and its messages.
//!
//! A `Harness` is no [`crate::Player`]: a player tolerates and hides irregular messages, whereas here every message counts. A
//! line is sent after the program has read the last one, because only some rules are about lines that arrive together.

use std::collections::HashSet;
use std::fmt::Display;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use game::{CastlingMode, Game, Move};
use messages::OptionKind;
use platform::Usage;

use super::{Candidate, Checked, Failure};
use crate::{Log, PlayerFault, Stream, Timed, Vocabulary};

/// Time for a program to read a line; one that is thinking may not read it yet.
const READING: Duration = Duration::from_millis(100);

/// Time to process a line that causes no work.
const DEALING: Duration = Duration::from_millis(5);

/// Number of received lines that are shown when another one was expected.
const SHOWN: usize = 3;

/// Number of lines at a time that no GUI could show; they are kept in memory.
const MOST_LINES: usize = 100_000;

/// Time limit for an immediate answer.
pub(super) const AT_ONCE: Duration = Duration::from_secs(2);

/// Time to wait for messages that should not come.
pub(super) const QUIET: Duration = Duration::from_millis(500);

/// Number of processors from which on a program works. Thinking is proved by work: anybody can print lines.
pub(super) const WORKING: f64 = 0.2;

/// Time more in which a program may be seen working.
const MORE_TIME: Duration = Duration::from_secs(1);

/// Time for a program to stop working.
const STOPPING: Duration = Duration::from_millis(50);

/// Share of a processor that a program uses at most when it rests: some, such as GNU Chess, look for input at intervals.
const RESTING: f64 = 0.1;

/// Time beyond a limit that may go into pipes and ticks of the system.
const ALLOWANCE: f64 = 0.1;

/// Number of attempts to observe a time on a busy machine.
const ATTEMPTS: u32 = 4;

/// Delay by the machine that doesn't count, in seconds.
const SMALL_DELAY: f64 = 0.03;

/// Nodes in a second of processor time from which on they are no thousands of nodes.
const FEW_NODES: f64 = 5000.0;

/// A protocol whose rules are checked.
pub(super) trait CheckedProtocol: Vocabulary<Message: PartialEq> {
    /// Data that a program announces before the first game.
    type Announced: Default;

    /// Returns the `n`th question whether a program has processed its input, and the answer; `None` if the protocol has none.
    fn ping(announced: &Self::Announced, n: i64) -> Option<(String, Self::Message)>;

    /// Whether a message answers the request for a move, even if it cannot be parsed.
    fn is_move(message: &Self::Message) -> bool;

    /// Returns the move of a message, if it is legal in a game.
    fn legal_move(message: &Self::Message, game: &Game) -> Option<Move>;
}

/// A program under test.
pub(super) struct Harness<P: CheckedProtocol> {
    /// Specification, to start it again.
    pub(super) candidate: Candidate,
    pub(super) stream: Stream<P>,
    /// Data that it has announced.
    pub(super) announced: P::Announced,
    /// Game that it should have on its board.
    pub(super) game: Game,
    /// Time limit for a move on a short clock, on a busy machine.
    pub(super) patience: Duration,
    /// It has shown thoughts when it was seen thinking at first.
    pub(super) has_shown: bool,
    /// Number of questions whether it is ready.
    pings: i64,
}

impl<P: CheckedProtocol> Harness<P> {
    /// Starts the program; nothing is sent yet.
    pub(super) fn launch(candidate: &Candidate) -> Checked<Self> {
        Harness::launch_with(candidate, candidate.next_log())
    }

    /// The same with a log of its own.
    pub(super) fn launch_with(candidate: &Candidate, log: Option<Arc<dyn Log>>) -> Checked<Self> {
        let stream = Stream::start(&candidate.spec, log)?;
        Ok(Harness::with(candidate, stream, P::Announced::default()))
    }

    /// Wraps a program that was started already.
    pub(super) fn with(candidate: &Candidate, stream: Stream<P>, announced: P::Announced) -> Self {
        let (candidate, patience) = (candidate.clone(), candidate.spec.patience);
        Harness { candidate, stream, announced, game: Game::default(), patience, has_shown: false, pings: 0 }
    }

    /// Sends lines one by one.
    pub(super) fn tell(&mut self, lines: impl IntoIterator<Item = impl Display>) -> Checked {
        lines.into_iter().try_for_each(|line| {
            self.stream.tell(line)?;
            self.stream.wait_until_read(Instant::now() + READING);
            thread::sleep(DEALING);
            Ok(())
        })
    }

    /// Sends lines, waits until the program has processed them, and returns its messages.
    pub(super) fn deal(
        &mut self,
        lines: impl IntoIterator<Item = impl Display>,
    ) -> Checked<Transcript<P::Message>> {
        self.tell(lines)?;
        self.settle()
    }

    /// Returns all messages until the program has processed its input, or for a period if it can't be asked.
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

    /// Sends a line that asks for a move, and waits for the move.
    pub(super) fn ask(&mut self, line: &str) -> Checked<Transcript<P::Message>> {
        self.tell([line])?;
        self.hear_move(self.patience)
    }

    /// Sends settings one by one. Fails if the program refuses one.
    pub(super) fn take_each(&mut self, settings: &[String], is_refusal: fn(&P::Message) -> bool) -> Checked {
        require(!settings.is_empty(), "options")?;
        settings
            .iter()
            .try_for_each(|setting| self.deal([setting])?.has_no(&format!("`{setting}` taken"), is_refusal))
    }

    /// Sets up a position on the harness's board.
    pub(super) fn set_board(&mut self, fen: &str, mode: CastlingMode) {
        self.game = Game::from_fen(fen, mode).expect("the rules have legal positions");
    }

    /// Plays legal moves on the harness's board.
    pub(super) fn follow(&mut self, moves: &[&str]) {
        self.game.play_line(moves).expect("the rules have legal moves");
    }

    /// Returns a legal move in coordinate notation.
    ///
    /// [`Failure::NotSupported`] if there is none: the program has ended the game.
    pub(super) fn any_move(&self) -> Checked<String> {
        let moves = self.game.legal_moves();
        let first = moves.first().map(|&m| self.game.coordinate(m));
        first.ok_or_else(|| Failure::NotSupported("a longer game".into()))
    }

    /// Returns all messages up to and including the first one that is `wanted`.
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
                    heard.keep(said)?;
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

    /// Returns all messages up to the program's move, and plays it on the harness's board. Fails if it is illegal.
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

    /// Returns all messages of a period.
    pub(super) fn hear_for(&mut self, time: Duration) -> Checked<Transcript<P::Message>> {
        let until = Instant::now() + time;
        let mut heard = Transcript(Vec::new());
        while Instant::now() < until
            && let Some(said) = self.stream.wait(until)?
        {
            heard.keep(said)?;
        }
        Ok(heard)
    }

    /// Returns the messages of a period, and the number of processors that the program would have kept busy on an idle machine. The
    /// period is longer if the program isn't seen working and hasn't moved: on a busy machine it may get no processor for a while.
    ///
    /// [`Failure::NotSeen`] if the system doesn't tell.
    pub(super) fn watch(&mut self, time: Duration) -> Checked<(Transcript<P::Message>, f64)> {
        let (since, before) = (Instant::now(), self.stream.usage().ok_or_else(untold)?);
        let mut heard = self.hear_for(time)?;
        loop {
            let (after, period) = (self.stream.usage().ok_or_else(untold)?, since.elapsed());
            let processors = after.processors_since(&before, period);
            if processors >= WORKING || period >= time + MORE_TIME || heard.contains(P::is_move) {
                return Ok((heard, processors));
            }
            heard.0.extend(self.hear_for(MORE_TIME / 4)?.0);
        }
    }

    /// Returns the result of an action, and the number of processors that the program would have kept busy meanwhile on an idle
    /// machine.
    ///
    /// [`Failure::NotSeen`] if the system doesn't tell.
    pub(super) fn work_of<T>(&mut self, act: impl FnOnce(&mut Self) -> Checked<T>) -> Checked<(T, f64)> {
        let (since, before) = (Instant::now(), self.stream.usage());
        let done = act(self)?;
        let (after, period) = (self.stream.usage(), since.elapsed());
        let (before, after) = before.zip(after).ok_or_else(untold)?;
        Ok((done, after.processors_since(&before, period)))
    }

    /// Whether the program works in a period, as seen from its processor time.
    pub(super) fn works(&mut self, time: Duration) -> Checked<bool> {
        Ok(self.watch(time)?.1 >= WORKING)
    }

    /// Fails if the program works in a period, after a moment in which it may stop.
    pub(super) fn rests(&mut self, when: &str, time: Duration) -> Checked<Transcript<P::Message>> {
        let mut heard = self.hear_for(STOPPING)?;
        let since = Instant::now();
        let mut usages = vec![self.stream.usage().ok_or_else(untold)?];
        for _ in 0..4 {
            heard.0.extend(self.hear_for(time / 4)?.0);
            usages.push(self.stream.usage().ok_or_else(untold)?);
        }
        let (before, after, period) = (&usages[0], &usages[4], since.elapsed());
        // A program that wakes up now and then waits long for a processor on a busy machine.
        let share = after.run_since(before).as_secs_f64() / period.as_secs_f64();
        let seen = format!("{:.0} % of a processor in use", 100.0 * share);
        demand(share <= RESTING, format!("that it rests {when}"), seen)?;
        let rests = after.processors_since(before, period) < WORKING && !Usage::is_always_ready(&usages);
        observe(rests, "the machine is too busy to tell rest from work")?;
        Ok(heard)
    }

    /// Measures an action of the program: the seconds that it took, and for how many of these the machine kept it or the check
    /// waiting.
    pub(super) fn measure<T>(&mut self, act: impl FnOnce(&mut Self) -> Checked<T>) -> Checked<(T, f64, f64)> {
        let (usage, delay, since) = (self.stream.usage(), platform::run_delay(), Instant::now());
        let done = act(self)?;
        let taken = since.elapsed().as_secs_f64();
        let between = |(before, after): (Duration, Duration)| after.saturating_sub(before);
        let own = delay.zip(platform::run_delay()).map(between);
        let its = usage.zip(self.stream.usage()).map(|(before, after)| after.delay_since(&before));
        let delayed = own.unwrap_or_default() + its.unwrap_or_default();
        Ok((done, taken, delayed.as_secs_f64().min(taken)))
    }

    /// Not seen unless the program, which was told to think, is still at work when it would have moved under a shorter limit, after a
    /// number of seconds.
    pub(super) fn outlasts(&mut self, seconds: f64, limit: &str) -> Checked {
        let ((heard, processors), _, delayed) = self.measure(|program| program.watch(longer(seconds)))?;
        let rest = self.hear_for(Duration::from_secs_f64(delayed))?;
        let has_moved = heard.contains(P::is_move) || rest.contains(P::is_move);
        observe(!has_moved, format!("it moves after {seconds:.2} s, and hardly later under `{limit}`"))?;
        observe(processors >= WORKING, format!("it uses {processors:.2} processors under `{limit}`"))
    }

    /// Not seen unless the program has mated with its last move.
    pub(super) fn has_mated(&self) -> Checked {
        observe(self.game.outcome().is_some(), "it doesn't see mate in one")
    }

    /// Fails if the program moves within a period.
    pub(super) fn hear_no_move(&mut self, time: Duration) -> Checked<Transcript<P::Message>> {
        let heard = self.hear_for(time)?;
        heard.has_no("no move", P::is_move)?;
        Ok(heard)
    }

    /// Fails unless the program ends by itself.
    pub(super) fn hear_end(&mut self, patience: Duration) -> Checked {
        let until = Instant::now() + patience;
        while Instant::now() < until {
            match self.stream.wait(until) {
                Err(PlayerFault::Died(_)) => return Ok(()),
                Err(_) if self.stream.has_ended() => return Ok(()),
                // It has closed its output, and may end yet.
                Err(_) => thread::sleep(DEALING),
                Ok(_) => {}
            }
        }
        Err(runs_on(patience))
    }

    /// Closes the program's standard input. Fails unless it ends without a signal.
    pub(super) fn end_input(&mut self, patience: Duration) -> Checked {
        if self.stream.end_input(patience) { Ok(()) } else { Err(runs_on(patience)) }
    }
}

/// Fails if what the program does takes longer than a limit in seconds and a small allowance, and returns the time. `act` gets the
/// number of the attempt. On a busy machine it is tried again.
pub(super) fn in_time(limit: f64, mut act: impl FnMut(u32) -> Checked<(f64, f64)>) -> Checked<f64> {
    for attempt in 1.. {
        let (taken, delayed) = act(attempt)?;
        let over = taken - limit - ALLOWANCE;
        if over <= 0.0 {
            return Ok(taken);
        }
        let is_late = over > delayed;
        let is_clear = delayed <= SMALL_DELAY || over - delayed > 3.0 * ALLOWANCE;
        if is_late && (is_clear || attempt == ATTEMPTS) {
            return Err(Failure::new(format!("{limit} s at most"), format!("{taken:.2} s")));
        }
        observe(attempt < ATTEMPTS, format!("{taken:.2} s, {delayed:.2} of them lost by the busy machine"))?;
    }
    unreachable!("the last attempt returns")
}

/// Not seen if a program tells so few nodes for its processor time, in seconds, that they may be thousands of nodes.
pub(super) fn plausible_speed(nodes: u64, work: f64) -> Checked {
    let speed = nodes as f64 / work;
    observe(speed >= FEW_NODES, format!("{speed:.0} nodes a second may be thousands of nodes"))
}

/// A time that is clearly longer than a number of seconds.
pub(super) fn longer(seconds: f64) -> Duration {
    Duration::from_secs_f64((1.5 * seconds).max(seconds + 0.2))
}

/// The system doesn't tell what another process uses.
pub(super) fn untold() -> Failure {
    Failure::NotSeen("this system doesn't tell what a process uses".into())
}

fn runs_on(patience: Duration) -> Failure {
    Failure::new(format!("that it ends within {} s", patience.as_secs()), "it runs on")
}

/// Messages of a program.
pub(super) struct Transcript<M>(pub(super) Vec<Timed<M>>);

impl<M> Transcript<M> {
    /// Adds a message. Fails if the program floods its GUI.
    fn keep(&mut self, said: Timed<M>) -> Checked {
        if self.0.len() >= MOST_LINES {
            return Err(Failure::new(format!("fewer than {MOST_LINES} lines at a time"), show(&said)));
        }
        self.0.push(said);
        Ok(())
    }

    pub(super) fn messages(&self) -> impl DoubleEndedIterator<Item = &M> {
        self.0.iter().map(|said| &said.message)
    }

    pub(super) fn last(&self) -> Option<&M> {
        self.0.last().map(|said| &said.message)
    }

    /// Formats the last lines.
    pub(super) fn shown(&self) -> String {
        let last = &self.0[self.0.len().saturating_sub(SHOWN)..];
        let lines: Vec<String> = last.iter().map(show).collect();
        if lines.is_empty() { "nothing".into() } else { lines.join(" ") }
    }

    /// Formats the last line.
    pub(super) fn last_shown(&self) -> String {
        self.0.last().map_or_else(|| "nothing".into(), show)
    }

    pub(super) fn contains(&self, is_wanted: impl Fn(&M) -> bool) -> bool {
        self.messages().any(is_wanted)
    }

    /// Fails if one of the messages is unwanted.
    pub(super) fn has_no(&self, expected: &str, is_unwanted: impl Fn(&M) -> bool) -> Checked {
        match self.0.iter().find(|said| is_unwanted(&said.message)) {
            Some(said) => Err(Failure::new(expected, show(said))),
            None => Ok(()),
        }
    }

    /// Fails unless one of the messages is wanted.
    pub(super) fn has(&self, expected: &str, is_wanted: impl Fn(&M) -> bool) -> Checked {
        demand(self.contains(is_wanted), expected, self.shown())
    }
}

fn show<M>(said: &Timed<M>) -> String {
    format!("`{}`", game::excerpt(&said.line))
}

/// Fails unless a condition holds.
pub(super) fn demand(holds: bool, expected: impl Into<String>, seen: impl Into<String>) -> Checked {
    if holds { Ok(()) } else { Err(Failure::new(expected, seen)) }
}

/// Returns [`Failure::NotSupported`] unless a condition holds.
pub(super) fn require(holds: bool, offer: impl Into<String>) -> Checked {
    if holds { Ok(()) } else { Err(Failure::NotSupported(offer.into())) }
}

/// Returns [`Failure::NotSeen`] unless a condition holds. The reason says what prevented an observation.
pub(super) fn observe(holds: bool, reason: impl Into<String>) -> Checked {
    if holds { Ok(()) } else { Err(Failure::NotSeen(reason.into())) }
}

/// Fails if two options have the same name.
pub(super) fn differ(names: impl Iterator<Item = String>) -> Checked {
    let mut known = HashSet::new();
    for name in names {
        let second = format!("a second `{name}`");
        demand(known.insert(name), "one option of a name", second)?;
    }
    require(!known.is_empty(), "options")
}

/// Limit for settings of memory and threads: a machine may have less than the program's maximum.
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

/// Returns the values to test for a number: the minimum, the greatest that costs little, and the default.
fn trial_numbers(name: &str, present: i64, min: i64, max: i64) -> Vec<String> {
    let name = name.to_lowercase();
    let is_costly =
        ["hash", "cache", "memory", "threads", "cores", "cpu"].iter().any(|word| name.contains(word));
    let most = if is_costly { max.min(ENOUGH).max(present) } else { max };
    [min, most, present].iter().map(ToString::to_string).collect()
}
