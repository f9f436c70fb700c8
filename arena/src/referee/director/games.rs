//! Orders about games.

use std::time::{Duration, Instant};

use game::{Color, Game, Outcome, counted};
use shakmaty::Position as _;

use super::instruction::ClockChange;
use super::{Done, PastFacts, with_reason};
use crate::match_store::RecordedOutcome;
use crate::referee::event::GameSummary;
use crate::referee::live_game::LiveGame;
use crate::referee::{EventState, Fact, FinishedGame, Side, report};
use crate::statistics::Points;

impl EventState {
    pub(super) fn pause(&mut self, games: &[u64], at: Instant) -> String {
        for &game in games {
            if let Some(live) = self.live_games.get_mut(&game).filter(|live| !live.paused) {
                live.stop_clock(at);
                self.record(Fact::Paused { game });
            }
        }
        format!("{} held", counted(games.len() as u64, "game"))
    }

    pub(super) fn resume(&mut self, games: &[u64], at: Instant) -> String {
        for &game in games {
            if self.live_games.get(&game).is_none_or(|live| !live.paused) {
                continue;
            }
            self.record(Fact::Resumed { game });
            let Some(live) = self.live_games.get_mut(&game) else { continue };
            live.run(at);
            let is_asked = live.asked;
            self.look_for_players(game, at);
            if is_asked { self.watch_flag(game) } else { self.ask(game, at) }
        }
        format!("{} may go on", counted(games.len() as u64, "game"))
    }

    /// Begins to count the absence of players who are not there.
    fn look_for_players(&mut self, game: u64, at: Instant) {
        for color in Color::ALL {
            if !self.is_present(self.live_games[&game].program(color)) {
                self.is_gone(game, color, at);
            }
        }
    }

    pub(super) fn adjudicate(&mut self, game: u64, outcome: Outcome, why: String, at: Instant) -> String {
        self.end(game, outcome, why, at);
        format!("game {}: {}", game + 1, outcome.result())
    }

    pub(super) fn restart(&mut self, game: u64, at: Instant) -> String {
        self.expect_late_reply(game);
        self.record(Fact::Restarted { game });
        self.present_anew(game, at);
        format!("game {} begins anew", game + 1)
    }

    /// Gives a finished game another result. The one before stays in the record.
    pub(super) fn correct(&mut self, game: u64, outcome: Outcome, reason: &str, past: PastFacts<'_>) -> Done {
        let before = self.may_correct(game, outcome)?.outcome;
        let facts = past(game)?;
        let correction = correction(&facts, before);
        let corrected = Fact::Corrected {
            game,
            outcome: RecordedOutcome(outcome),
            detail: with_reason(&correction, reason),
        };
        let mut live = self.recall_from(&facts)?;
        live.apply(&corrected)?;
        let follows = self.schedule.clone().correct(&live.fixture, points(before), points(outcome));
        self.record(corrected);
        let LiveGame { fixture, record, .. } = live;
        self.out.amended.push((game, Some(FinishedGame { fixture, record })));
        let told = format!("game {}: {}, no longer {}", game + 1, outcome.result(), before.result());
        self.tell(false, told.clone());
        let but = match follows {
            false => "; the bracket stays as it is",
            true if self.may_pair_again().is_ok() => "\nthe round has not begun: `repair` pairs it again",
            true => "",
        };
        Ok((told + but, Some(game)))
    }

    /// Returns the result that can be corrected.
    pub(super) fn may_correct(&self, game: u64, outcome: Outcome) -> Result<&GameSummary, String> {
        let result = self.results.iter().find(|result| result.fixture.number == game);
        let result = result.ok_or_else(|| format!("game {} has no result", game + 1))?;
        if result.outcome.result() == outcome.result() {
            return Err(format!("{} is its result", outcome.result()));
        }
        Ok(result)
    }

    /// Makes a game from its facts.
    fn recall_from(&self, facts: &[Fact]) -> Result<LiveGame, String> {
        let began = facts.first().and_then(|began| self.recall(began));
        let mut live = began.ok_or("the game is not in the store")?;
        facts[1..].iter().try_for_each(|fact| live.apply(fact))?;
        Ok(live)
    }

    /// Plays a game on from the position before a move. What was played up to there is told and stored anew.
    pub(super) fn rewind(
        &mut self,
        game: u64,
        mv: &str,
        clocks: Option<[Duration; 2]>,
        past: PastFacts<'_>,
        at: Instant,
    ) -> Done {
        let (facts, kept) = self.may_rewind(game, mv, clocks, past, at)?;
        if self.live_games.contains_key(&game) {
            self.expect_late_reply(game);
            self.record(Fact::Restarted { game });
        } else {
            self.record(Fact::Reopened { game });
            self.record(facts[0].clone());
            self.out.amended.push((game, None));
        }
        for fact in facts_before(&facts[1..], kept) {
            self.record(fact.clone());
        }
        for (color, time) in Color::ALL.into_iter().zip(clocks.into_iter().flatten()) {
            self.change_clock(game, color, time, at);
        }
        let (move_number, turn) =
            (self.live_games[&game].record.game.position().fullmoves(), self.live_games[&game].to_move());
        self.present_anew(game, at);
        if self.live_games.contains_key(&game) {
            self.look_for_players(game, at);
        }
        let told = format!("game {} goes on at move {move_number} of {turn}", game + 1);
        self.tell(false, told.clone());
        Ok((told, Some(game)))
    }

    /// Returns the facts of a game that can be rewound, and the number of moves that stay.
    pub(super) fn may_rewind(
        &self,
        game: u64,
        mv: &str,
        clocks: Option<[Duration; 2]>,
        past: PastFacts<'_>,
        at: Instant,
    ) -> Result<(Vec<Fact>, usize), String> {
        if !self.live_games.contains_key(&game) {
            self.may_reopen(game)?;
        }
        let facts = past(game)?;
        let played = self.recall_from(&facts)?;
        let kept = moves_before(&played, mv)?;
        if clocks.is_some() && played.clock.remaining(Color::White, at).is_none() {
            return Err("no clock runs in this game".to_owned());
        }
        Ok((facts, kept))
    }

    /// Whether a finished game can be played on now.
    fn may_reopen(&self, game: u64) -> Result<(), String> {
        let result = self.results.iter().find(|result| result.fixture.number == game);
        let fixture = result.ok_or_else(|| format!("game {} has not been played", game + 1))?.fixture;
        self.schedule.may_reopen(game)?;
        for program in [fixture.white, fixture.black] {
            let (name, state) = (self.name(program), &self.programs[program]);
            if let Some(other) = state.game {
                return Err(format!("{name} is playing game {}", other + 1));
            }
            if state.is_withdrawn {
                return Err(format!("{name} has withdrawn; `readmit` it first"));
            }
        }
        Ok(())
    }
}

/// Clocks.
impl EventState {
    /// Changes the clock of a side by so many seconds, or sets it.
    pub(super) fn adjust_clock(
        &mut self,
        game: u64,
        color: Color,
        change: ClockChange,
        seconds: &str,
        at: Instant,
    ) -> Result<String, String> {
        let time = change.time(seconds)?;
        let remaining = self.live_games[&game].clock.remaining(color, at);
        let remaining = remaining.ok_or("no clock runs in this event")?;
        let (wanted, more) = match change {
            ClockChange::Take if remaining <= time => {
                return Err(format!("{color} has only {:.1} s", remaining.as_secs_f64()));
            }
            ClockChange::Add => (remaining.saturating_add(time), " more"),
            ClockChange::Take => (remaining.saturating_sub(time), " less"),
            ClockChange::Set => (time, ""),
        };
        self.change_clock(game, color, wanted, at);
        Ok(format!("{color} has {time:?}{more} in game {}", game + 1))
    }

    /// Gives a side so much time. The fact is the difference, because a referee that goes on with the event lets a turn
    /// begin again.
    fn change_clock(&mut self, game: u64, color: Color, time: Duration, at: Instant) {
        let clock = &self.live_games[&game].clock;
        let (Some(remaining), overrun) = (clock.remaining(color, at), clock.overrun(color, at)) else {
            return;
        };
        let nanos = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let side = Side::from(color);
        match time.checked_sub(remaining) {
            Some(more) => self.record(Fact::TimeAdded { game, side, nanos: nanos(more + overrun) }),
            None => self.record(Fact::TimeTaken { game, side, nanos: nanos(remaining.saturating_sub(time)) }),
        }
        self.watch_flag(game);
    }
}

/// Tells the first result of a game, with its reason, and the last one, if that is another correction.
fn correction(facts: &[Fact], before: Outcome) -> String {
    let first = facts.iter().find_map(|fact| match fact {
        Fact::Ended { outcome, detail, .. } => Some((outcome.0, detail.as_str())),
        _ => None,
    });
    let (first, detail) = first.unwrap_or((before, ""));
    let told = format!("corrected from {} ({})", first.result(), report::reason(first, detail));
    let is_again = facts.iter().any(|fact| matches!(fact, Fact::Corrected { .. }));
    if is_again { format!("{told}, last from {}", before.result()) } else { told }
}

/// White's points.
fn points(outcome: Outcome) -> Points {
    Points::of(outcome, Color::White)
}

/// Returns the number of moves after the opening that were made before a move such as `17`, `17b` or `17...`.
fn moves_before(played: &LiveGame, text: &str) -> Result<usize, String> {
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let color = match &text[digits.len()..] {
        "" | "." | "w" => Color::White,
        "b" | "..." | "…" => Color::Black,
        _ => return Err(format!("`{}`: expected a move such as 17 or 17b", game::excerpt(text))),
    };
    let wanted: u32 = digits
        .parse()
        .map_err(|_| format!("`{}`: expected a move such as 17 or 17b", game::excerpt(text)))?;
    let game: &Game = &played.record.game;
    let mut positions = game.positions();
    let ply = positions.position(|board| u32::from(board.fullmoves()) == wanted && board.turn() == color);
    let ply = ply.ok_or_else(|| format!("the game has no move {}", game::excerpt(text)))?;
    ply.checked_sub(played.record.opening).ok_or_else(|| "that move belongs to the opening".to_owned())
}

/// Returns the facts up to a move that make the game: moves, and changes of clocks.
fn facts_before(facts: &[Fact], moves: usize) -> impl Iterator<Item = &Fact> {
    let mut made = 0;
    let is_before = move |fact: &&Fact| {
        made += usize::from(matches!(fact, Fact::Moved { .. }));
        made <= moves
    };
    let makes_game =
        |fact: &&Fact| matches!(fact, Fact::Moved { .. } | Fact::TimeAdded { .. } | Fact::TimeTaken { .. });
    facts.iter().take_while(is_before).filter(makes_game)
}
