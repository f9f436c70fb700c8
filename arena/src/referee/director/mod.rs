//! The director's orders and their execution.
//!
//! An order that changes something is a fact ([`Fact::Ordered`]), followed by the facts that it brings about. So a referee
//! that goes on with the event knows every order, and who gave it.

mod games;
mod instruction;
mod programs;
mod reports;

use std::time::{Instant, SystemTime};

use game::{Game, TimeControl, counted};
use messages::epd::{Position, RefereeCommand};
use messages::referee::{Directive, Secret};

use super::view::unix_millis;
use super::{EventState, Fact, SecretHash, is_fit_secret};
pub(super) use instruction::Instruction;
use instruction::{color, first_word, is_grave, misunderstood, split, verdict};

/// The text shown by `help`.
const HELP: &str = "\
status                     the table, who is there, what is being played
pairings                   the games that come next
next                       let the next round begin
pair NAME NAME             let the next game of these two begin now (blanks in names: \"Toga II\")
repair [ROUND]             pair a round of a Swiss tournament again, if it has not begun
tc CONTROL                 time control of the games from the next round on
pause [GAME]               hold a game, or all; no clock runs
resume [GAME]              let it go on
adjudicate GAME RESULT [REASON]
                           end a game: 1-0, 0-1 or 1/2-1/2
correct GAME RESULT [REASON]
                           give a finished game another result
restart GAME               play a game again from its beginning
rewind GAME MOVE [SECONDS SECONDS]
                           play a game on from a move: 17 or 17b (17...), with the clocks of then, or White's and Black's as given
add GAME white|black SECONDS
                           give a side more time
take GAME white|black SECONDS
                           take time from a side
clock GAME white|black SECONDS
                           set the clock of a side
forfeit NAME [REASON]      the program loses its game, or its next one
kick NAME [REASON]         close the connection of a program; it may come back (also: drop)
withdraw NAME [REASON]     the program loses its game and plays no others
readmit NAME [REASON]      a withdrawn program plays again
enter NAME [secret-file=FILE | secret=SECRET]
                           a further program takes part, from the next round on; on the page only with secret=
start NAME                 start a program of this machine again
stop NAME                  end a program of this machine
alone [lost]               go on without the observer, if you know that it has not taken over (lost: or all that it has is lost)
broadcast TEXT             tell all programs something
quit                       end the service and send all programs away; the same command goes on with the event later
quit pause                 the same, but the programs look for the referee until it is there again
`--yes` behind an order that can't be undone answers the question whether you mean it.";

/// The author of the console's orders.
pub const CONSOLE: &str = "console";

/// An order of the director.
#[derive(Clone, Debug)]
pub struct Order {
    words: String,
    instruction: Result<Instruction, String>,
    by: String,
    secret: Option<SecretHash>,
    is_confirmed: bool,
}

impl Order {
    /// Makes an order of a text, and of who gives it. `--yes` at the end of an order that can't be undone confirms it.
    pub fn new(text: &str, by: &str) -> Order {
        let typed: String = text.trim().chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let (words, is_confirmed) = match typed.strip_suffix(" --yes") {
            Some(words) if is_grave(&typed) => (words.trim_end().to_owned(), true),
            _ => (typed, false),
        };
        let instruction = Instruction::parse(&words);
        Order { words, instruction, by: by.to_owned(), secret: None, is_confirmed }
    }

    /// Makes an order like [`Order::new`]. The secret of a program that enters (`secret=SECRET`) is replaced by its hash.
    ///
    /// # Errors
    /// The entry can't be understood; the text says why.
    pub fn with_secret_in(text: &str, by: &str) -> Result<Order, String> {
        if text.split_whitespace().next() != Some("enter") {
            return Ok(Order::new(text, by));
        }
        let words = split(text)?;
        let (secrets, names): (Vec<&String>, Vec<&String>) = words[1..]
            .iter()
            .partition(|word| word.starts_with("secret=") || word.starts_with("secret-file="));
        let name = names.iter().map(|word| word.as_str()).collect::<Vec<_>>().join(" ");
        let order = Order::new(&format!("enter {}", shell_words::quote(&name)), by);
        match secrets[..] {
            [] => Ok(order),
            [secret] => {
                let secret = secret.strip_prefix("secret=").ok_or("expected secret=SECRET")?;
                if !is_fit_secret(secret) {
                    return Err(
                        "expected a secret of at least 8 characters, and at most 255 bytes".to_owned()
                    );
                }
                Ok(order.with_secret(SecretHash::of(&Secret::new(secret))))
            }
            _ => Err("expected one secret".to_owned()),
        }
    }

    /// Whether a program that enters has a secret.
    pub fn has_secret(&self) -> bool {
        self.secret.is_some()
    }

    /// Adds the secret of a program that enters.
    #[must_use]
    pub fn with_secret(self, secret: SecretHash) -> Order {
        Order { secret: Some(secret), ..self }
    }

    /// The words of the order, without `--yes`.
    pub fn words(&self) -> &str {
        &self.words
    }

    /// Who gives the order.
    pub fn by(&self) -> &str {
        &self.by
    }

    /// The order, confirmed.
    #[must_use]
    pub fn confirmed(self) -> Order {
        Order { is_confirmed: true, ..self }
    }

    /// Whether the order can't be undone and has not been confirmed.
    pub fn needs_confirmation(&self) -> bool {
        !self.is_confirmed && is_grave(&self.words)
    }

    /// What the order wants, or why it can't be understood.
    pub(super) fn instruction(&self) -> Result<&Instruction, String> {
        self.instruction.as_ref().map_err(Clone::clone)
    }
}

/// Returns the facts of a game since it last began, from the store.
pub type PastFacts<'a> = &'a dyn Fn(u64) -> Result<Vec<Fact>, String>;

/// An order's reply, and the game that it is about.
type Done = Result<(String, Option<u64>), String>;

#[expect(clippy::unnecessary_wraps, reason = "it is the value of a branch among others that can fail")]
fn done(text: impl Into<String>) -> Done {
    Ok((text.into(), None))
}

impl EventState {
    /// Executes an order of the director and returns the reply. `help` lists the orders; games are numbered from 1.
    ///
    /// # Errors
    /// The order cannot be understood or executed; the text says why. Nothing has changed.
    pub fn obey(&mut self, order: &Order, past: PastFacts<'_>, at: Instant) -> Result<String, String> {
        let before = self.out.facts.len();
        let (told, game) = match order.instruction()? {
            Instruction::Status => return Ok(self.status(at)),
            Instruction::Pairings => return Ok(self.pairings()),
            Instruction::Help => return Ok(HELP.to_owned()),
            Instruction::Next => self.next_round(),
            Instruction::Pair([one, other]) => self.pair(one, other),
            Instruction::Repair(round) => self.pair_again(round.as_deref()),
            Instruction::Control(control) => done(self.set_control(control)),
            Instruction::Pause(None) => done(self.pause(&self.all_games(), at)),
            Instruction::Pause(Some(game)) => self.about(*game, |event| Ok(event.pause(&[*game], at))),
            Instruction::Resume(None) => done(self.resume(&self.all_games(), at)),
            Instruction::Resume(Some(game)) => self.about(*game, |event| Ok(event.resume(&[*game], at))),
            Instruction::Restart(game) => self.about(*game, |event| Ok(event.restart(*game, at))),
            Instruction::Rewind { game, mv, clocks } => self.rewind(*game, mv, *clocks, past, at),
            Instruction::Clock { change, game, side, seconds } => {
                self.about(*game, |event| event.adjust_clock(*game, color(side)?, *change, seconds, at))
            }
            Instruction::Adjudicate { game, result, reason } => self.about(*game, |event| {
                let detail = with_reason("by the director's word", reason);
                Ok(event.adjudicate(*game, verdict(result)?, detail, at))
            }),
            Instruction::Correct { game, outcome, reason } => self.correct(*game, *outcome, reason, past),
            Instruction::Forfeit(named) => self.forfeit(named, at),
            Instruction::Kick(named) => self.kick(named, at),
            Instruction::Withdraw(named) => self.withdraw(named, at),
            Instruction::Readmit(named) => self.readmit(named),
            Instruction::Enter(name) => self.let_enter(name, order),
            Instruction::Start(_) | Instruction::Stop(_) => {
                Err("no programs of this machine take part".to_owned())
            }
            Instruction::Broadcast(text) => done(self.broadcast(text, at)),
            Instruction::Alone { .. } | Instruction::Quit { .. } => {
                Err(misunderstood(first_word(&order.words).0))
            }
        }?;
        self.note_order_before(before, order, game);
        self.begin_games(at);
        Ok(told)
    }

    /// Notes an order that is executed elsewhere.
    pub(super) fn note_order(&mut self, order: &Order) {
        self.note_order_before(self.out.facts.len(), order, None);
    }

    /// Notes an order before the facts that it has brought about.
    fn note_order_before(&mut self, place: usize, order: &Order, game: Option<u64>) {
        let (by, words) = (order.by.clone(), order.words.clone());
        self.record(Fact::Ordered { by, order: words, game, at: unix_millis(SystemTime::now()) });
        self.out.facts[place..].rotate_right(1);
    }

    /// Checks an order that can't be undone, and returns the question whether it is meant.
    ///
    /// # Errors
    /// The order can't be understood or executed; the text says why.
    pub fn question(&self, order: &Order, past: PastFacts<'_>, at: Instant) -> Result<String, String> {
        match order.instruction()? {
            Instruction::Restart(game) => self.check_in_play(*game),
            Instruction::Rewind { game, mv, clocks } => {
                self.may_rewind(*game, mv, *clocks, past, at).map(drop)
            }
            Instruction::Adjudicate { game, result, .. } => {
                self.check_in_play(*game).and_then(|()| verdict(result)).map(drop)
            }
            Instruction::Correct { game, outcome, .. } => self.may_correct(*game, *outcome).map(drop),
            Instruction::Forfeit(named) => self.may_forfeit(named).map(drop),
            Instruction::Withdraw(named) => self.may_withdraw(named).map(drop),
            _ => Ok(()),
        }?;
        Ok(format!("{}: really?", order.words))
    }

    fn all_games(&self) -> Vec<u64> {
        self.live_games.keys().copied().collect()
    }

    /// Executes an order about a game in play.
    fn about(&mut self, game: u64, order: impl FnOnce(&mut EventState) -> Result<String, String>) -> Done {
        self.check_in_play(game)?;
        Ok((order(self)?, Some(game)))
    }

    /// Refuses a game that is not in play.
    fn check_in_play(&self, game: u64) -> Result<(), String> {
        let is_played = self.live_games.contains_key(&game);
        if is_played { Ok(()) } else { Err(format!("game {} is not being played", game + 1)) }
    }

    fn next_round(&mut self) -> Done {
        if !self.settings.rounds_by_hand {
            return Err("rounds begin by themselves".to_owned());
        }
        let round = self.coming_round().ok_or("there is no further round yet")?;
        self.record(Fact::Round { round });
        done(format!("round {round} begins"))
    }

    fn pair(&mut self, one: &str, other: &str) -> Done {
        let pair = [self.known(one)?, self.known(other)?];
        let is_theirs = |white: usize, black: usize| pair == [white, black] || pair == [black, white];
        let fixture = self.queue.iter().find(|fixture| is_theirs(fixture.white, fixture.black));
        let game = fixture.ok_or("they have no game to play")?.number;
        self.record(Fact::Released { game });
        Ok((format!("game {} begins as soon as both are free", game + 1), Some(game)))
    }

    fn pair_again(&mut self, round: Option<&str>) -> Done {
        self.may_pair_again()?;
        let known = self.schedule.known_round();
        if let Some(round) = round
            && round.parse() != Ok(known)
        {
            return Err(format!("only round {known} can be paired again"));
        }
        self.record(Fact::PairedAgain { round: known });
        done(format!("round {known} is paired again\n{}", self.pairings()))
    }

    /// Whether the known round can be paired again.
    fn may_pair_again(&self) -> Result<(), String> {
        self.schedule.may_pair_again()?;
        let known = self.schedule.known_round();
        let has_begun = self.live_games.values().any(|live| live.fixture.round == known);
        if has_begun { Err(format!("round {known} has begun")) } else { Ok(()) }
    }

    fn set_control(&mut self, control: &TimeControl) -> String {
        let (control, round) = (control.to_string(), self.begun_round + 1);
        let told = format!("{control} from round {round} on");
        self.record(Fact::Control { control, round });
        told
    }

    fn broadcast(&mut self, text: &str, at: Instant) -> String {
        let present: Vec<usize> =
            (0..self.settings.programs.len()).filter(|&program| self.is_present(program)).collect();
        for &program in &present {
            let game = self.programs[program].game.and_then(|game| self.live_games.get(&game));
            let position =
                game.map_or_else(|| Position::of(&Game::default()), |live| Position::of(&live.record.game));
            let inform = Directive::new(RefereeCommand::Inform, position);
            self.send(program, [Directive { reason: Some(text.to_owned()), ..inform }], None, at);
        }
        format!("told {}{}", counted(present.len() as u64, "program"), as_sent(text))
    }
}

/// Says how a text is written in a record, if it is not written as it is: in ASCII, without quotation marks, and not longer than
/// a string may be.
fn as_sent(text: &str) -> String {
    let sent = game::epd::operand_text(text);
    if sent == text { String::new() } else { format!(", as records have it: {sent}") }
}

/// Adds the director's reason, if there is one.
fn with_reason(text: &str, reason: &str) -> String {
    if reason.is_empty() { text.to_owned() } else { format!("{text}: {reason}") }
}
