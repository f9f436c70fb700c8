//! The director's orders and their execution.
//!
//! An order that changes something is a fact ([`Fact::Ordered`]), followed by the facts that it brings about. So a referee
//! that goes on with the event knows every order, and who gave it.

mod games;
mod programs;
mod reports;

use std::time::{Duration, Instant, SystemTime};

use game::{Color, Game, Outcome, TimeControl, TimeControlError, counted};
use messages::epd::{Position, RefereeCommand};
use messages::referee::{Directive, Secret};

use super::view::unix_millis;
use super::{EventState, Fact, SecretHash, is_fit_secret};

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

/// The orders that can't be undone.
const GRAVE: [&str; 8] =
    ["adjudicate", "correct", "exit", "forfeit", "quit", "restart", "rewind", "withdraw"];

/// An order of the director.
#[derive(Clone, Debug)]
pub struct Order {
    words: String,
    by: String,
    secret: Option<SecretHash>,
    is_confirmed: bool,
}

impl Order {
    /// Makes an order of a text, and of who gives it. `--yes` at the end of an order that can't be undone confirms it.
    pub fn new(text: &str, by: &str) -> Order {
        let words: String = text.trim().chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let mut order = Order { words, by: by.to_owned(), secret: None, is_confirmed: false };
        if order.is_grave()
            && let Some(words) = order.words.strip_suffix(" --yes")
        {
            (order.words, order.is_confirmed) = (words.trim_end().to_owned(), true);
        }
        order
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
        !self.is_confirmed && self.is_grave()
    }

    /// The order, if it is one that ends with a text.
    fn worded(&self) -> Option<WordedOrder<'_>> {
        let (word, text) = first_word(&self.words);
        let (game, rest) = first_word(text);
        let (result, reason) = first_word(rest);
        match word {
            "adjudicate" if !result.is_empty() => Some(WordedOrder::Adjudicate { game, result, reason }),
            "correct" if !result.is_empty() => Some(WordedOrder::Correct { game, result, reason }),
            _ if text.is_empty() => None,
            "broadcast" => Some(WordedOrder::Broadcast(text)),
            "forfeit" => Some(WordedOrder::Forfeit(text)),
            "kick" | "drop" => Some(WordedOrder::Kick(text)),
            "withdraw" => Some(WordedOrder::Withdraw(text)),
            "readmit" => Some(WordedOrder::Readmit(text)),
            _ => None,
        }
    }

    fn is_grave(&self) -> bool {
        self.words.split_whitespace().next().is_some_and(|word| GRAVE.contains(&word))
    }
}

/// An order that ends with a text, which is kept as it is typed, quotation marks and all. Some texts begin with a name.
#[derive(Clone, Copy)]
enum WordedOrder<'a> {
    Adjudicate { game: &'a str, result: &'a str, reason: &'a str },
    Correct { game: &'a str, result: &'a str, reason: &'a str },
    Broadcast(&'a str),
    Forfeit(&'a str),
    Kick(&'a str),
    Withdraw(&'a str),
    Readmit(&'a str),
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
        let (told, game) = if let Some(order) = order.worded() {
            self.obey_worded(&order, past, at)?
        } else {
            let words = split(&order.words)?;
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            if let ["status" | "s" | "pairings" | "games" | "help" | "?"] = words[..] {
                return Ok(self.show(words[0], at));
            }
            self.obey_words(&words, order, past, at)?
        };
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
        match order.worded() {
            Some(order) => self.may_obey_worded(&order),
            None => self.may_obey_words(&split(&order.words)?, past, at),
        }?;
        Ok(format!("{}: really?", order.words))
    }

    fn may_obey_words(&self, words: &[String], past: PastFacts<'_>, at: Instant) -> Result<(), String> {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match words[..] {
            ["restart", game] => self.in_play(game).map(drop),
            ["rewind", game, mv] => self.may_rewind(game, mv, None, past, at).map(drop),
            ["rewind", game, mv, white, black] => {
                self.may_rewind(game, mv, Some([clock(white)?, clock(black)?]), past, at).map(drop)
            }
            ["quit" | "exit"] | ["quit", "pause"] => Ok(()),
            [word, ..] => Err(misunderstood(word)),
            [] => Err(NOTHING.to_owned()),
        }
    }

    fn may_obey_worded(&self, order: &WordedOrder<'_>) -> Result<(), String> {
        match *order {
            WordedOrder::Adjudicate { game, result, .. } => {
                self.in_play(game).and_then(|_| verdict(result)).map(drop)
            }
            WordedOrder::Correct { game, result, .. } => self.may_correct(game, verdict(result)?).map(drop),
            WordedOrder::Forfeit(named) => self.may_forfeit(named).map(drop),
            WordedOrder::Withdraw(named) => self.may_withdraw(named).map(drop),
            WordedOrder::Broadcast(_) | WordedOrder::Kick(_) | WordedOrder::Readmit(_) => Ok(()),
        }
    }

    fn show(&self, word: &str, at: Instant) -> String {
        match word {
            "status" | "s" => self.status(at),
            "pairings" | "games" => self.pairings(),
            _ => HELP.to_owned(),
        }
    }

    fn obey_words(&mut self, words: &[&str], order: &Order, past: PastFacts<'_>, at: Instant) -> Done {
        match words {
            ["next"] => self.next_round(),
            ["pair", one, other] => self.pair(one, other),
            ["repair"] => self.pair_again(None),
            ["repair", round] => self.pair_again(Some(round)),
            ["tc", control] => self.set_control(control),
            ["pause"] => done(self.pause(&self.all_games(), at)),
            ["pause", game] => self.about(game, |event, game| Ok(event.pause(&[game], at))),
            ["resume"] => done(self.resume(&self.all_games(), at)),
            ["resume", game] => self.about(game, |event, game| Ok(event.resume(&[game], at))),
            ["restart", game] => self.about(game, |event, game| Ok(event.restart(game, at))),
            ["rewind", game, mv] => self.rewind(game, mv, None, past, at),
            ["rewind", game, mv, white, black] => {
                self.rewind(game, mv, Some([clock(white)?, clock(black)?]), past, at)
            }
            ["add", game, side, seconds] => {
                self.about(game, |event, game| event.add_time(game, color(side)?, span(seconds)?, at))
            }
            ["take", game, side, seconds] => {
                self.about(game, |event, game| event.take_time(game, color(side)?, span(seconds)?, at))
            }
            ["clock", game, side, seconds] => {
                self.about(game, |event, game| event.set_clock(game, color(side)?, clock(seconds)?, at))
            }
            ["enter", name] => self.let_enter(name, order),
            ["start" | "stop", _] => Err("no programs of this machine take part".to_owned()),
            [word, ..] => Err(misunderstood(word)),
            [] => Err(NOTHING.to_owned()),
        }
    }

    fn obey_worded(&mut self, order: &WordedOrder<'_>, past: PastFacts<'_>, at: Instant) -> Done {
        match *order {
            WordedOrder::Broadcast(text) => done(self.broadcast(text, at)),
            WordedOrder::Adjudicate { game, result, reason } => self.about(game, |event, game| {
                let detail = with_reason("by the director's word", reason);
                Ok(event.adjudicate(game, verdict(result)?, detail, at))
            }),
            WordedOrder::Correct { game, result, reason } => {
                self.correct(game, verdict(result)?, reason, past)
            }
            WordedOrder::Forfeit(named) => self.forfeit(named, at),
            WordedOrder::Kick(named) => self.kick(named, at),
            WordedOrder::Withdraw(named) => self.withdraw(named, at),
            WordedOrder::Readmit(named) => self.readmit(named),
        }
    }

    fn all_games(&self) -> Vec<u64> {
        self.live_games.keys().copied().collect()
    }

    /// Executes an order about a game in play.
    fn about(
        &mut self,
        game: &str,
        order: impl FnOnce(&mut EventState, u64) -> Result<String, String>,
    ) -> Done {
        let game = self.in_play(game)?;
        Ok((order(self, game)?, Some(game)))
    }

    /// Parses the number of a game in play.
    fn in_play(&self, game: &str) -> Result<u64, String> {
        let game = number(game)?;
        if self.live_games.contains_key(&game) {
            Ok(game)
        } else {
            Err(format!("game {} is not being played", game + 1))
        }
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

    fn set_control(&mut self, text: &str) -> Done {
        let control: TimeControl =
            text.parse().map_err(|error: TimeControlError| format!("{}: {error}", game::excerpt(text)))?;
        let round = self.begun_round + 1;
        let told = format!("{control} from round {round} on");
        self.record(Fact::Control { control: control.to_string(), round });
        done(told)
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

/// Why an empty order is refused.
const NOTHING: &str = "no command; `help` shows what there is";
/// Why an order can't be cut into words.
const UNCLOSED: &str = "a quotation mark is not closed";

/// Cuts an order into words.
fn split(order: &str) -> Result<Vec<String>, String> {
    platform::split_words(order).map_err(|_| UNCLOSED.to_owned())
}

/// A name at the end of an order, without its quotation marks, if it has some.
pub(super) fn last_name(text: &str) -> String {
    quoted(text).ok().filter(|(_, rest)| rest.is_empty()).map_or_else(|| text.to_owned(), |(name, _)| name)
}

/// Cuts the first word off a text.
fn first_word(text: &str) -> (&str, &str) {
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    (word, rest.trim_start())
}

/// Cuts a name in quotation marks off a text.
fn quoted(text: &str) -> Result<(String, &str), String> {
    let is_mark = |c: char| text.starts_with(c) && "\"'".contains(c);
    let mut ends = text.match_indices(is_mark).map(|(at, mark)| at + mark.len()).skip(1);
    let name = |end| match split(&text[..end]).ok()?.as_mut_slice() {
        [name] => Some((std::mem::take(name), text[end..].trim_start())),
        _ => None,
    };
    ends.find_map(name).ok_or_else(|| UNCLOSED.to_owned())
}

/// Parses the number of a game, which is counted from 1.
fn number(text: &str) -> Result<u64, String> {
    let game = text.parse::<u64>().ok().and_then(|number| number.checked_sub(1));
    game.ok_or_else(|| format!("`{}` is no number of a game", game::excerpt(text)))
}

/// Adds the director's reason, if there is one.
fn with_reason(text: &str, reason: &str) -> String {
    if reason.is_empty() { text.to_owned() } else { format!("{text}: {reason}") }
}

/// Returns the error for an unknown command or a wrong number of arguments.
fn misunderstood(word: &str) -> String {
    let known = HELP.lines().find(|line| line.split_whitespace().next() == Some(word));
    let known = known.and_then(|line| line.split("  ").next());
    known.map_or_else(
        || format!("`{}` is not understood; `help` shows what is", game::excerpt(word)),
        |known| format!("expected `{known}`"),
    )
}

fn verdict(text: &str) -> Result<Outcome, String> {
    let outcome = Outcome::adjudicated(if text == "1/2" { "1/2-1/2" } else { text });
    outcome.ok_or_else(|| format!("`{}`: expected 1-0, 0-1 or 1/2-1/2", game::excerpt(text)))
}

fn color(text: &str) -> Result<Color, String> {
    match text {
        "white" | "w" => Ok(Color::White),
        "black" | "b" => Ok(Color::Black),
        _ => Err(format!("`{}`: expected white or black", game::excerpt(text))),
    }
}

fn time(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().ok().filter(|seconds| (0.0..1e6).contains(seconds));
    let seconds = seconds.ok_or_else(|| format!("`{}`: expected seconds", game::excerpt(text)))?;
    Ok(Duration::from_secs_f64(seconds))
}

/// Parses a time that is given or taken.
fn span(text: &str) -> Result<Duration, String> {
    let time = time(text)?;
    if time.is_zero() { Err(format!("`{}`: expected more than 0 s", game::excerpt(text))) } else { Ok(time) }
}

/// Parses the time that a clock shall show. With none the side would have lost at once.
fn clock(text: &str) -> Result<Duration, String> {
    let time = time(text)?;
    if time.is_zero() {
        Err("a clock needs more than 0 s; `adjudicate` ends the game".to_owned())
    } else {
        Ok(time)
    }
}
