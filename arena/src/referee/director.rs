//! What the director of an event says, and what comes of it.

use std::fmt::Write as _;
use std::str::FromStr;
use std::time::{Duration, Instant};

use game::{Color, DrawReason, Outcome, WinReason};
use messages::epd::{Position, RefereeCommand};
use messages::referee::Directive;
use shakmaty::Position as _;

use super::event::EventState;
use super::fact::{Fact, Side};
use super::live_game::LiveGame;

/// An order of the director. Games are named by their numbers, from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DirectorCommand {
    /// Shows the table, who is there and what is being played.
    Status,
    /// Shows the games that come next.
    Pairings,
    /// Lets the next round begin.
    NextRound,
    /// Lets the next game of two programs begin before its round.
    Pair(String, String),
    /// Holds a game, or all.
    Pause(Option<u64>),
    /// Lets a game go on, or all.
    Resume(Option<u64>),
    /// Ends a game.
    Adjudicate(u64, DirectorVerdict),
    /// A program loses its game, or its next one if it has none.
    Forfeit(String),
    /// Plays a game again from its beginning.
    Restart(u64),
    /// Gives a side more time.
    AddTime(u64, Color, Duration),
    /// Tells all programs something.
    Broadcast(String),
    /// Ends the service. The event can go on later.
    Quit,
    /// Shows what can be said.
    Help,
}

/// How a director ends a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DirectorVerdict {
    /// A side has won.
    Won(Color),
    /// Nobody has.
    Drawn,
}

/// What can be said, for the director.
pub const HELP: &str = "\
status                     the table, who is there, what is being played
pairings                   the games that come next
next                       let the next round begin
pair NAME NAME             let the next game of these two begin now (blanks in names: \"Toga II\")
pause [GAME]               hold a game, or all; no clock runs
resume [GAME]              let it go on
adjudicate GAME RESULT     end a game: 1-0, 0-1 or 1/2-1/2
forfeit NAME               the program loses its game, or its next one
restart GAME               play a game again from its beginning
add GAME white|black SECONDS
                           give a side more time
broadcast TEXT             tell all programs something
quit                       end the service; the same command goes on with the event later";

impl FromStr for DirectorCommand {
    type Err = String;

    fn from_str(line: &str) -> Result<DirectorCommand, String> {
        let (order, text) = line.trim().split_once(char::is_whitespace).unwrap_or((line.trim(), ""));
        if order == "broadcast" && !text.is_empty() {
            // Said as it is written, apostrophes and all.
            return Ok(DirectorCommand::Broadcast(text.trim().to_owned()));
        }
        let words = shell_words::split(line).map_err(|_| "a quotation mark is not closed".to_owned())?;
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        Ok(match words.as_slice() {
            ["status" | "s"] => DirectorCommand::Status,
            ["pairings" | "games"] => DirectorCommand::Pairings,
            ["next"] => DirectorCommand::NextRound,
            ["pair", one, other] => DirectorCommand::Pair((*one).to_owned(), (*other).to_owned()),
            ["pause"] => DirectorCommand::Pause(None),
            ["pause", game] => DirectorCommand::Pause(Some(number(game)?)),
            ["resume"] => DirectorCommand::Resume(None),
            ["resume", game] => DirectorCommand::Resume(Some(number(game)?)),
            ["adjudicate", game, result] => DirectorCommand::Adjudicate(number(game)?, verdict(result)?),
            ["forfeit", ..] => DirectorCommand::Forfeit(words[1..].join(" ")),
            ["restart", game] => DirectorCommand::Restart(number(game)?),
            ["add", game, side, seconds] => {
                DirectorCommand::AddTime(number(game)?, color(side)?, time(seconds)?)
            }
            ["quit" | "exit"] => DirectorCommand::Quit,
            ["help" | "?"] => DirectorCommand::Help,
            [word, ..] => return Err(misunderstood(word)),
            [] => return Err(String::new()),
        })
    }
}

/// What to tell who has given no order, or one with words too few or too many.
fn misunderstood(word: &str) -> String {
    let known = HELP.lines().find(|line| line.split_whitespace().next() == Some(word));
    let known = known.and_then(|line| line.split("  ").next());
    known.map_or_else(
        || format!("`{}` is not understood; `help` shows what is", game::excerpt(word)),
        |known| format!("expected `{known}`"),
    )
}

/// The number of a game in the schedule.
fn number(text: &str) -> Result<u64, String> {
    let number = text.parse::<u64>().ok().and_then(|number| number.checked_sub(1));
    number.ok_or_else(|| format!("`{}` is no number of a game", game::excerpt(text)))
}

fn verdict(text: &str) -> Result<DirectorVerdict, String> {
    match text {
        "1-0" => Ok(DirectorVerdict::Won(Color::White)),
        "0-1" => Ok(DirectorVerdict::Won(Color::Black)),
        "1/2-1/2" | "1/2" => Ok(DirectorVerdict::Drawn),
        _ => Err(format!("`{}`: expected 1-0, 0-1 or 1/2-1/2", game::excerpt(text))),
    }
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

/// `1 game`, `2 games`.
fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

impl EventState {
    /// Does what the director wants, and says what came of it. [`DirectorCommand::Quit`] and [`DirectorCommand::Help`] are for who listens to the
    /// director.
    ///
    /// # Errors
    /// It can't be done; the text says why.
    pub fn obey(&mut self, order: &DirectorCommand, at: Instant) -> Result<String, String> {
        let done = match order {
            DirectorCommand::Status => self.status(at),
            DirectorCommand::Pairings => self.pairings(),
            DirectorCommand::NextRound => self.next_round()?,
            DirectorCommand::Pair(one, other) => self.pair(one, other)?,
            DirectorCommand::Pause(game) => self.pause(*game, at)?,
            DirectorCommand::Resume(game) => self.resume(*game, at)?,
            DirectorCommand::Adjudicate(game, verdict) => self.adjudicate(*game, *verdict, at)?,
            DirectorCommand::Forfeit(name) => self.forfeit(name, at)?,
            DirectorCommand::Restart(game) => self.restart(*game, at)?,
            DirectorCommand::AddTime(game, color, time) => self.add_time(*game, *color, *time)?,
            DirectorCommand::Broadcast(text) => self.broadcast(text, at),
            DirectorCommand::Quit | DirectorCommand::Help => String::new(),
        };
        self.begin_games(at);
        Ok(done)
    }

    fn playing(&self, game: u64) -> Result<&LiveGame, String> {
        self.live_games.get(&game).ok_or_else(|| format!("game {} is not being played", game + 1))
    }

    fn known(&self, name: &str) -> Result<usize, String> {
        self.program(name).ok_or_else(|| format!("`{}` takes no part", game::excerpt(name)))
    }

    fn next_round(&mut self) -> Result<String, String> {
        if !self.settings.rounds_by_hand {
            return Err("rounds begin by themselves".to_owned());
        }
        let next =
            self.queue.iter().map(|fixture| fixture.round).filter(|round| *round > self.open_round).min();
        let round = next.ok_or("there is no further round yet")?;
        self.record(Fact::Round { round });
        Ok(format!("round {round} begins"))
    }

    fn pair(&mut self, one: &str, other: &str) -> Result<String, String> {
        let pair = [self.known(one)?, self.known(other)?];
        let is_theirs = |white: usize, black: usize| pair == [white, black] || pair == [black, white];
        let fixture = self.queue.iter().find(|fixture| is_theirs(fixture.white, fixture.black));
        let game = fixture.ok_or("they have no game to play")?.number;
        self.record(Fact::Released { game });
        Ok(format!("game {} begins as soon as both are free", game + 1))
    }

    /// The games that an order is about.
    fn chosen(&self, game: Option<u64>) -> Result<Vec<u64>, String> {
        match game {
            Some(game) => self.playing(game).map(|live| vec![live.fixture.number]),
            None => Ok(self.live_games.values().map(|live| live.fixture.number).collect()),
        }
    }

    fn pause(&mut self, game: Option<u64>, at: Instant) -> Result<String, String> {
        let games = self.chosen(game)?;
        for game in &games {
            if let Some(live) = self.live_games.get_mut(game).filter(|live| !live.paused) {
                live.pause(at);
            }
        }
        Ok(format!("{} held", counted(games.len(), "game")))
    }

    fn resume(&mut self, game: Option<u64>, at: Instant) -> Result<String, String> {
        let games = self.chosen(game)?;
        for game in &games {
            let Some(live) = self.live_games.get_mut(game).filter(|live| live.paused) else { continue };
            live.resume(at);
            let (is_asked, gone) = (live.asked, Color::ALL.map(|color| (live.program(color), color)));
            for (program, color) in gone {
                if !self.is_present(program) {
                    self.is_gone(*game, color, at);
                }
            }
            if is_asked { self.watch_flag(*game) } else { self.ask(*game, at) }
        }
        Ok(format!("{} may go on", counted(games.len(), "game")))
    }

    fn adjudicate(&mut self, game: u64, verdict: DirectorVerdict, at: Instant) -> Result<String, String> {
        self.playing(game)?;
        let outcome = match verdict {
            DirectorVerdict::Won(winner) => Outcome::Win { winner, reason: WinReason::Adjudication },
            DirectorVerdict::Drawn => Outcome::Draw(DrawReason::Adjudication),
        };
        self.end(game, outcome, "by the director's word".to_owned(), at);
        Ok(format!("game {}: {}", game + 1, outcome.result()))
    }

    fn forfeit(&mut self, name: &str, at: Instant) -> Result<String, String> {
        let program = self.known(name)?;
        let game = match self.game_of(program) {
            Some(game) => game,
            None => self.begin_next_of(program)?,
        };
        let winner = !self.playing(game)?.color_of(program);
        let outcome = Outcome::Win { winner, reason: WinReason::Adjudication };
        self.end(game, outcome, "forfeited by the director's word".to_owned(), at);
        Ok(format!("game {}: {}", game + 1, outcome.result()))
    }

    /// Begins the next game of a program, which is to end at once.
    fn begin_next_of(&mut self, program: usize) -> Result<u64, String> {
        let plays = |white: usize, black: usize| program == white || program == black;
        let next = self.queue.iter().find(|fixture| plays(fixture.white, fixture.black)).copied();
        let next = next.ok_or("it has no game to lose")?;
        let busy = [next.white, next.black].into_iter().find(|&program| self.game_of(program).is_some());
        match busy {
            Some(busy) => Err(format!("{} is still playing", self.name(busy))),
            None if self.begin_silently(next) => Ok(next.number),
            None => Err("the game cannot begin".to_owned()),
        }
    }

    fn restart(&mut self, game: u64, at: Instant) -> Result<String, String> {
        self.playing(game)?;
        self.expect_late_reply(game);
        self.record(Fact::Restarted { game });
        self.present_anew(game, at);
        Ok(format!("game {} begins anew", game + 1))
    }

    fn add_time(&mut self, game: u64, color: Color, time: Duration) -> Result<String, String> {
        let live = self.playing(game)?;
        if live.clock.remaining(color, Instant::now()).is_none() {
            return Err("no clock runs in this event".to_owned());
        }
        let nanos = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        self.record(Fact::TimeAdded { game, side: Side::from(color), nanos });
        self.watch_flag(game);
        Ok(format!("{color} has {time:?} more in game {}", game + 1))
    }

    fn broadcast(&mut self, text: &str, at: Instant) -> String {
        let present: Vec<usize> =
            (0..self.settings.programs.len()).filter(|&program| self.is_present(program)).collect();
        for &program in &present {
            let position = self.position_of(program);
            let reason = Some(text.to_owned());
            self.send(
                program,
                Directive { reason, ..Directive::new(RefereeCommand::Inform, position) },
                None,
                at,
            );
        }
        format!("told {}", counted(present.len(), "program"))
    }

    /// The position on the board of a program's game.
    fn position_of(&self, program: usize) -> Position {
        let live = self.game_of(program).and_then(|game| self.live_games.get(&game));
        live.map_or_else(|| Position::of(&game::Game::default()), |live| Position::of(&live.record.game))
    }
}

/// What the director sees.
impl EventState {
    /// The table, who is there, and what is being played.
    fn status(&self, at: Instant) -> String {
        let mut text = super::report::standings_table(self).text();
        let absent: Vec<&str> = (0..self.settings.programs.len())
            .filter(|&program| !self.is_present(program))
            .map(|program| self.name(program))
            .collect();
        if !absent.is_empty() {
            let _ = writeln!(text, "not here: {}", absent.join(", "));
        }
        for live in self.live_games.values() {
            let _ = writeln!(text, "{}", self.line_about(live, at));
        }
        text.trim_end().to_owned()
    }

    fn line_about(&self, live: &LiveGame, at: Instant) -> String {
        let clock = |color: Color| {
            let left = live.clock.remaining(color, at);
            let clock = left.map_or_else(|| "-".to_owned(), |left| format!("{:.1}", left.as_secs_f64()));
            let name = self.name(live.program(color));
            let is_running = live.clock.is_running() && live.to_move() == color;
            let gone = if self.is_present(live.program(color)) { "" } else { " (gone)" };
            format!("{name}{gone} {clock}{}", if is_running { "*" } else { "" })
        };
        let last = live.record.game.position().fullmoves();
        let paused = if live.paused { ", held" } else { "" };
        format!(
            "game {}, round {}: {} - {}, move {last}{paused}",
            live.fixture.number + 1,
            live.fixture.round,
            clock(Color::White),
            clock(Color::Black)
        )
    }

    fn pairings(&self) -> String {
        let mut text = String::new();
        for fixture in self.queue.iter().take(50) {
            let (white, black) = (self.name(fixture.white), self.name(fixture.black));
            let _ = writeln!(text, "game {}, round {}: {white} - {black}", fixture.number + 1, fixture.round);
        }
        if text.is_empty() { "no games are waiting".to_owned() } else { text.trim_end().to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_and_what_is_none() {
        let order = |text: &str| text.parse::<DirectorCommand>();
        assert_eq!(order(" pause 3 "), Ok(DirectorCommand::Pause(Some(2))));
        assert_eq!(
            order("pair \"Toga II\" Herald"),
            Ok(DirectorCommand::Pair("Toga II".into(), "Herald".into()))
        );
        assert_eq!(order("adjudicate 1 1/2"), Ok(DirectorCommand::Adjudicate(0, DirectorVerdict::Drawn)));
        assert_eq!(
            order("add 2 black 30.5"),
            Ok(DirectorCommand::AddTime(1, Color::Black, Duration::from_millis(30_500)))
        );
        assert_eq!(
            order("broadcast  Lunch is  served"),
            Ok(DirectorCommand::Broadcast("Lunch is  served".into()))
        );
        assert_eq!(order("broadcast It's lunch"), Ok(DirectorCommand::Broadcast("It's lunch".into())));
        assert_eq!(order("forfeit Toga II"), Ok(DirectorCommand::Forfeit("Toga II".into())));
        for wrong in
            ["", "pause 0", "pause x", "add 1 red 3", "add 1 white -3", "adjudicate 1 2-0", "jump", "pair 'a"]
        {
            assert!(order(wrong).is_err(), "{wrong}");
        }
        assert_eq!(order("pair Bob"), Err("expected `pair NAME NAME`".to_owned()));
        assert_eq!(order("broadcast"), Err("expected `broadcast TEXT`".to_owned()));
    }
}
