//! The director's commands and their execution.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use game::{Color, Game, Outcome, WinReason, counted};
use messages::epd::{Position, RefereeCommand};
use messages::referee::Directive;
use shakmaty::Position as _;

use super::live_game::LiveGame;
use super::{EventState, Fact, Side};

/// The text shown by `help`.
const HELP: &str = "\
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
alone                      go on without the observer, if you know that it has not taken over
broadcast TEXT             tell all programs something
quit                       end the service and send all programs away; the same command goes on with the event later
quit pause                 the same, but the programs look for the referee until it is there again";

impl EventState {
    /// Executes a command of the director and returns the reply. `help` lists the commands; games are numbered from 1.
    ///
    /// # Errors
    /// The command cannot be understood or executed; the text says why.
    pub fn obey(&mut self, line: &str, at: Instant) -> Result<String, String> {
        let (order, text) = line.trim().split_once(char::is_whitespace).unwrap_or((line.trim(), ""));
        let done = if order == "broadcast" && !text.is_empty() {
            // The text is sent verbatim, apostrophes included.
            self.broadcast(text.trim(), at)
        } else {
            let words = shell_words::split(line).map_err(|_| "a quotation mark is not closed")?;
            self.obey_words(&words.iter().map(String::as_str).collect::<Vec<_>>(), at)?
        };
        self.begin_games(at);
        Ok(done)
    }

    fn obey_words(&mut self, words: &[&str], at: Instant) -> Result<String, String> {
        match words {
            ["status" | "s"] => Ok(self.status(at)),
            ["pairings" | "games"] => Ok(self.pairings()),
            ["next"] => self.next_round(),
            ["pair", one, other] => self.pair(one, other),
            ["pause"] => Ok(self.pause(&self.all_games(), at)),
            ["pause", game] => Ok(self.pause(&[self.playing(game)?], at)),
            ["resume"] => Ok(self.resume(&self.all_games(), at)),
            ["resume", game] => Ok(self.resume(&[self.playing(game)?], at)),
            ["adjudicate", game, result] => {
                Ok(self.adjudicate(self.playing(game)?, verdict(result)?, "by the director's word", at))
            }
            ["forfeit", name @ ..] => self.forfeit(&name.join(" "), at),
            ["restart", game] => Ok(self.restart(self.playing(game)?, at)),
            ["add", game, side, seconds] => {
                self.add_time(self.playing(game)?, color(side)?, time(seconds)?, at)
            }
            ["help" | "?"] => Ok(HELP.to_owned()),
            ["quit" | "exit", ..] => Err("the service is ended at the console".to_owned()),
            [word, ..] => Err(misunderstood(word)),
            [] => Err("no command; `help` shows what there is".to_owned()),
        }
    }

    fn all_games(&self) -> Vec<u64> {
        self.live_games.keys().copied().collect()
    }

    /// Returns the game with that number if it is in play.
    fn playing(&self, number: &str) -> Result<u64, String> {
        let game = number.parse::<u64>().ok().and_then(|number| number.checked_sub(1));
        let game = game.ok_or_else(|| format!("`{}` is no number of a game", game::excerpt(number)))?;
        let is_playing = self.live_games.contains_key(&game);
        is_playing.then_some(game).ok_or_else(|| format!("game {} is not being played", game + 1))
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

    fn pause(&mut self, games: &[u64], at: Instant) -> String {
        for game in games {
            if let Some(live) = self.live_games.get_mut(game).filter(|live| !live.paused) {
                live.pause(at);
            }
        }
        format!("{} held", counted(games.len() as u64, "game"))
    }

    fn resume(&mut self, games: &[u64], at: Instant) -> String {
        for &game in games {
            let Some(live) = self.live_games.get_mut(&game).filter(|live| live.paused) else { continue };
            live.resume(at);
            let (is_asked, players) = (live.asked, Color::ALL.map(|color| (live.program(color), color)));
            for (program, color) in players {
                if !self.is_present(program) {
                    self.is_gone(game, color, at);
                }
            }
            if is_asked { self.watch_flag(game) } else { self.ask(game, at) }
        }
        format!("{} may go on", counted(games.len() as u64, "game"))
    }

    fn adjudicate(&mut self, game: u64, outcome: Outcome, why: &str, at: Instant) -> String {
        self.end(game, outcome, why.to_owned(), at);
        format!("game {}: {}", game + 1, outcome.result())
    }

    fn forfeit(&mut self, name: &str, at: Instant) -> Result<String, String> {
        let program = self.known(name)?;
        let game = match self.programs[program].game {
            Some(game) => game,
            None => self.begin_next_of(program)?,
        };
        let winner = !self.live_games[&game].color_of(program);
        let outcome = Outcome::Win { winner, reason: WinReason::Adjudication };
        Ok(self.adjudicate(game, outcome, "forfeited by the director's word", at))
    }

    /// Begins the next game of a program, so that it can be ended at once.
    fn begin_next_of(&mut self, program: usize) -> Result<u64, String> {
        let plays = |white: usize, black: usize| program == white || program == black;
        let next = self.queue.iter().find(|fixture| plays(fixture.white, fixture.black)).copied();
        let next = next.ok_or("it has no game to lose")?;
        let busy =
            [next.white, next.black].into_iter().find(|&program| self.programs[program].game.is_some());
        match busy {
            Some(busy) => Err(format!("{} is still playing", self.name(busy))),
            None if self.begin_silently(next) => Ok(next.number),
            None => Err("the game cannot begin".to_owned()),
        }
    }

    fn restart(&mut self, game: u64, at: Instant) -> String {
        self.expect_late_reply(game);
        self.record(Fact::Restarted { game });
        self.present_anew(game, at);
        format!("game {} begins anew", game + 1)
    }

    fn add_time(&mut self, game: u64, color: Color, time: Duration, at: Instant) -> Result<String, String> {
        if self.live_games[&game].clock.remaining(color, at).is_none() {
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
            let game = self.programs[program].game.and_then(|game| self.live_games.get(&game));
            let position =
                game.map_or_else(|| Position::of(&Game::default()), |live| Position::of(&live.record.game));
            let inform = Directive::new(RefereeCommand::Inform, position);
            self.send(program, [Directive { reason: Some(text.to_owned()), ..inform }], None, at);
        }
        format!("told {}", counted(present.len() as u64, "program"))
    }
}

/// Reports for the director.
impl EventState {
    /// Returns the table, the programs present and the games in play.
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
