//! Orders about programs.

use std::time::Instant;

use game::{Outcome, WinReason};

use super::{CONSOLE, Done, Order, as_sent, done, with_reason};
use crate::referee::{EventState, Fact};
use crate::schedule::{Fixture, ScheduleChangeError};

impl EventState {
    pub(super) fn known(&self, name: &str) -> Result<usize, String> {
        self.program(name).ok_or_else(|| format!("`{}` takes no part", game::excerpt(name)))
    }

    /// Finds the program whose name begins the words, quoted or not; the rest is the director's reason.
    fn named<'a>(&self, words: &'a [&'a str]) -> Result<(usize, &'a [&'a str]), String> {
        let named = |&count: &usize| self.program(&words[..count].join(" ")).is_some();
        let count = (1..=words.len()).rev().find(named).unwrap_or(words.len());
        Ok((self.known(&words[..count].join(" "))?, &words[count..]))
    }

    pub(super) fn forfeit(&mut self, words: &[&str], at: Instant) -> Done {
        let (program, reason, next) = self.may_forfeit(words)?;
        let game = match (self.programs[program].game, next) {
            (Some(game), _) => game,
            (None, Some(next)) if self.begin_silently(next) => next.number,
            _ => return Err("the game cannot begin".to_owned()),
        };
        let detail = with_reason("forfeited by the director's word", reason);
        Ok((self.lose_game(program, game, detail, at), Some(game)))
    }

    /// Ends the game of a program, which loses it.
    fn lose_game(&mut self, program: usize, game: u64, detail: String, at: Instant) -> String {
        let winner = !self.live_games[&game].color_of(program);
        self.adjudicate(game, Outcome::Win { winner, reason: WinReason::Adjudication }, detail, at)
    }

    /// Returns the program that may lose its game, the director's reason, and the game, if it has not begun.
    pub(super) fn may_forfeit<'a>(
        &self,
        words: &'a [&'a str],
    ) -> Result<(usize, &'a [&'a str], Option<Fixture>), String> {
        let (program, reason) = self.named(words)?;
        let is_playing = self.programs[program].game.is_some();
        Ok((program, reason, if is_playing { None } else { Some(self.next_of(program)?) }))
    }

    /// Returns the next game of a program that is free, if it can begin.
    fn next_of(&self, program: usize) -> Result<Fixture, String> {
        let plays = |white: usize, black: usize| program == white || program == black;
        let next = self.queue.iter().find(|fixture| plays(fixture.white, fixture.black)).copied();
        let next = next.ok_or("it has no game to lose")?;
        let busy =
            [next.white, next.black].into_iter().find(|&program| self.programs[program].game.is_some());
        match busy {
            Some(busy) => Err(format!("{} is still playing", self.name(busy))),
            None => Ok(next),
        }
    }

    /// Closes the connection of a program.
    pub(super) fn kick(&mut self, words: &[&str], at: Instant) -> Done {
        let (program, reason) = self.named(words)?;
        let name = self.name(program).to_owned();
        if !self.is_present(program) {
            return Err(format!("{name} is not here"));
        }
        let game = self.programs[program].game;
        self.send_away(program, &with_reason("the director closes this connection", reason), at);
        let sent = as_sent(&reason.join(" "));
        Ok((format!("{name} is sent away; it may come back{sent}"), game))
    }

    pub(super) fn withdraw(&mut self, words: &[&str], at: Instant) -> Done {
        let (program, reason) = self.may_withdraw(words)?;
        let name = self.name(program).to_owned();
        self.record(Fact::Withdrawn { program });
        let mut told = format!("{name} plays no further games");
        let game = self.programs[program].game;
        if let Some(game) = game {
            let detail = with_reason("withdrawn by the director's word", reason);
            told = format!("{told}\n{}", self.lose_game(program, game, detail, at));
        }
        if self.may_pair_again().is_ok() {
            told += "\nthe round has not begun: `repair` pairs it again";
        }
        self.tell(false, format!("{name} has withdrawn"));
        Ok((told, game))
    }

    /// Returns the program that may withdraw, and the director's reason.
    pub(super) fn may_withdraw<'a>(&self, words: &'a [&'a str]) -> Result<(usize, &'a [&'a str]), String> {
        let (program, reason) = self.named(words)?;
        if self.programs[program].is_withdrawn {
            return Err(format!("{} has withdrawn already", self.name(program)));
        }
        Ok((program, reason))
    }

    pub(super) fn readmit(&mut self, words: &[&str]) -> Done {
        let (program, _) = self.named(words)?;
        let name = self.name(program).to_owned();
        if !self.programs[program].is_withdrawn {
            return Err(format!("{name} has not withdrawn"));
        }
        self.record(Fact::Readmitted { program });
        self.tell(false, format!("{name} plays again"));
        let told = match self.schedule.may_pair_again() {
            _ if self.schedule.is_fixed() => "its games that were left out are to be played",
            Ok(()) if self.may_pair_again().is_ok() => {
                "it is paired from the next round on, or with `repair`"
            }
            Err(ScheduleChangeError::NotSwiss) => "the games that it has lost stay lost",
            _ => "it is paired from the next round on",
        };
        done(format!("{name} plays again; {told}"))
    }

    /// Lets a further program take part.
    pub(super) fn let_enter(&mut self, name: &str, order: &Order) -> Done {
        if order.by() != CONSOLE && order.secret.is_none() {
            return Err("on the page a program enters with `secret=SECRET`".to_owned());
        }
        let is_fit = name.chars().all(|c| c.is_ascii_graphic() || c == ' ') && !name.contains('"');
        if !is_fit || !(1..=100).contains(&name.len()) || name.trim() != name {
            return Err("expected a name of 1 to 100 printing ASCII characters".to_owned());
        }
        if self.program(name).is_some() {
            return Err(format!("{name} takes part already"));
        }
        self.schedule.may_enter().map_err(|error| error.to_string())?;
        let begun = if self.schedule.is_fixed() {
            self.begun_round.max(self.open_round)
        } else {
            self.schedule.known_round()
        };
        self.record(Fact::Entered { name: name.to_owned(), secret: order.secret.clone(), begun });
        self.tell(false, format!("{name} enters"));
        let hint = if self.may_pair_again().is_ok() { ", or in this one with `repair`" } else { "" };
        done(format!("{name} takes part from round {} on{hint}", begun + 1))
    }
}
