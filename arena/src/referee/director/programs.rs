//! Orders about programs.

use std::time::Instant;

use game::{Outcome, WinReason};

use super::instruction::quoted;
use super::{CONSOLE, Done, Order, as_sent, done, with_reason};
use crate::referee::{EventState, Fact};
use crate::schedule::{Fixture, TournamentFormat};

impl EventState {
    pub(super) fn known(&self, name: &str) -> Result<usize, String> {
        self.program(name).ok_or_else(|| takes_no_part(name))
    }

    /// Finds the program whose name begins a text, quoted or not; the rest is the director's reason.
    fn named<'a>(&self, text: &'a str) -> Result<(usize, &'a str), String> {
        let ends = text.match_indices(char::is_whitespace).map(|(at, _)| at).chain([text.len()]);
        let mut begun = ends.filter_map(|end| Some((self.program(&text[..end])?, text[end..].trim_start())));
        // The longest name counts: another program may have a part of it.
        match begun.next_back() {
            Some(named) => Ok(named),
            None if text.starts_with(['"', '\'']) => {
                let (name, reason) = quoted(text)?;
                Ok((self.known(&name)?, reason))
            }
            None => Err(takes_no_part(text)),
        }
    }

    pub(super) fn forfeit(&mut self, text: &str, at: Instant) -> Done {
        let (program, reason, next) = self.may_forfeit(text)?;
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
    pub(super) fn may_forfeit<'a>(&self, text: &'a str) -> Result<(usize, &'a str, Option<Fixture>), String> {
        let (program, reason) = self.named(text)?;
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
    pub(super) fn kick(&mut self, text: &str, at: Instant) -> Done {
        let (program, reason) = self.named(text)?;
        let name = self.name(program).to_owned();
        if !self.is_present(program) {
            return Err(format!("{name} is not here"));
        }
        let game = self.programs[program].game;
        let why = with_reason("the director closes this connection", reason);
        self.send_away(program, &why, at);
        let sent = as_sent(&why);
        Ok((format!("{name} is sent away; it may come back{sent}"), game))
    }

    pub(super) fn withdraw(&mut self, text: &str, at: Instant) -> Done {
        let (program, reason) = self.may_withdraw(text)?;
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
    pub(super) fn may_withdraw<'a>(&self, text: &'a str) -> Result<(usize, &'a str), String> {
        let (program, reason) = self.named(text)?;
        if self.programs[program].is_withdrawn {
            return Err(format!("{} has withdrawn already", self.name(program)));
        }
        Ok((program, reason))
    }

    pub(super) fn readmit(&mut self, text: &str) -> Done {
        let (program, _) = self.named(text)?;
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
            Err(_) if self.settings.schedule.format == TournamentFormat::Knockout => {
                "the games that it has lost stay lost"
            }
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
        self.schedule.may_enter()?;
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

fn takes_no_part(name: &str) -> String {
    format!("`{}` takes no part", game::excerpt(name))
}
