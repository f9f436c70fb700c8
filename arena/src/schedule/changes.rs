//! What an arbiter may change in a schedule that is being played.

use super::{Encounters, Fixture, GameSet, Later, Schedule, TournamentFormat, Wave};
use crate::statistics::Points;

impl Schedule {
    /// Whether no game depends on the results of others.
    pub fn is_fixed(&self) -> bool {
        matches!(self.later, Later::Nothing)
    }

    /// Returns the number of the round that is being played in a format whose rounds rest on results.
    pub fn known_round(&self) -> u32 {
        self.wave.first_round
    }

    /// Whether a game with that number and those programs can be one of the schedule, as far as its rounds are known.
    pub fn may_have(&self, number: u64, white: usize, black: usize) -> bool {
        let is_fixture = |wave: &Wave| {
            let fixture = wave.index(number).map(|game| wave.fixture(game));
            fixture.is_some_and(|fixture| (fixture.white, fixture.black) == (white, black))
        };
        !self.is_fixed() || self.waves().any(is_fixture)
    }

    /// Whether a further program may enter.
    ///
    /// # Errors
    /// The format has no place for it, or there is no round left.
    pub fn may_enter(&self) -> Result<(), &'static str> {
        match (&self.later, self.settings.format) {
            (Later::Knockout(_), _) => Err("nobody can enter a knockout late: its bracket is fixed"),
            (Later::Swiss { now, .. }, _) if now.is_last() => {
                Err("the last round is paired; nobody can enter any more")
            }
            (_, TournamentFormat::Gauntlet { .. }) => Err("nobody can enter a gauntlet late"),
            _ => Ok(()),
        }
    }

    /// Adds a program; its number follows those of the others. In a Swiss tournament it has no points and is paired from the
    /// next round on. In a round robin it meets all programs before it, one in each round after `begun`, the latest that has
    /// begun; its games are taken with [`Schedule::take_late`].
    ///
    /// # Errors
    /// See [`Schedule::may_enter`]. The schedule is unchanged.
    pub fn enter(&mut self, begun: u32) -> Result<(), &'static str> {
        self.may_enter()?;
        if let Later::Swiss { now, before } = &mut self.later {
            now.enter();
            before.enter();
            return Ok(());
        }
        let newcomer = self.settings.programs + self.late.len();
        let last = self.late.last().unwrap_or(&self.wave);
        let wave = Wave {
            // In a round robin of an odd number of programs this is the one that is free in the round.
            encounters: Encounters::Late { newcomer, opponents: newcomer, first: begun as usize % newcomer },
            games_each: self.settings.games,
            colours: self.settings.colours,
            first_game: last.first_game + last.games(),
            first_round: begun + 1,
            // All games of a round have the same opening.
            first_opening: u64::from(begun),
            next_game: 0,
            played: GameSet::default(),
        };
        self.late.push(wave);
        Ok(())
    }

    /// Takes the next games of programs that have entered late, if there are any that have not been taken.
    pub fn take_late(&mut self) -> Option<Vec<Fixture>> {
        self.late.iter_mut().find_map(Wave::take)
    }

    /// Leaves a program out of the pairings to come, or no longer. Games that are known stay.
    pub fn set_absent(&mut self, program: usize, is_absent: bool) {
        if let Later::Swiss { now, before } = &mut self.later {
            now.set_absent(program, is_absent);
            before.set_absent(program, is_absent);
        }
    }

    /// Changes White's points in a finished game. Returns whether the pairings to come follow: the bracket of a knockout
    /// stays as it is when its round is over.
    pub fn correct(&mut self, fixture: &Fixture, before: Points, now: Points) -> bool {
        let [old, new] = [before, now].map(|points| u64::from(points.halves()));
        match self.scored(fixture.number).filter(|_| !self.wave.is_complete()) {
            Some((encounter, is_first_white)) => {
                let [old, new] = if is_first_white { [old, new] } else { [2 - old, 2 - new] };
                self.scores[encounter] = self.scores[encounter] + new - old;
                true
            }
            None => match &mut self.later {
                Later::Nothing => true,
                Later::Swiss { now: swiss, before } => {
                    for swiss in [swiss, &mut **before] {
                        swiss.correct([fixture.white, fixture.black], old, new);
                    }
                    true
                }
                Later::Knockout(_) => false,
            },
        }
    }

    /// Whether a finished game may get another result by being played on.
    ///
    /// # Errors
    /// It has no result, or a later round rests on it.
    pub fn may_reopen(&self, number: u64) -> Result<(), &'static str> {
        if !self.is_fixed() && number < self.wave.first_game {
            return Err("the next round rests on its result; `correct` can change that");
        }
        // Otherwise the next one would have been paired.
        if !self.is_fixed() && self.wave.is_complete() {
            return Err("the last round is over; `correct` can change the result");
        }
        let has_result = |wave: &Wave| wave.index(number).is_some_and(|game| wave.played.contains(game));
        if self.waves().any(has_result) { Ok(()) } else { Err("the game has no result") }
    }

    /// Takes the result of a game back, in which White had so many points.
    ///
    /// # Errors
    /// See [`Schedule::may_reopen`]. The schedule is unchanged.
    pub fn reopen(&mut self, number: u64, white: Points) -> Result<(), &'static str> {
        self.may_reopen(number)?;
        if let Some((encounter, is_first_white)) = self.scored(number) {
            let points = if is_first_white { white } else { white.opposite() };
            self.scores[encounter] -= u64::from(points.halves());
        }
        for wave in [&mut self.wave].into_iter().chain(&mut self.late) {
            if let Some(game) = wave.index(number) {
                wave.played.remove(game);
            }
        }
        Ok(())
    }

    /// Whether the known round may be paired again, as far as results go.
    ///
    /// # Errors
    /// There are no such rounds, or a game of this one has a result.
    pub fn may_pair_again(&self) -> Result<(), String> {
        match &self.later {
            // After the last round there is none left to pair.
            Later::Swiss { before, .. } if self.wave.played.len() == 0 && !before.is_last() => Ok(()),
            Later::Swiss { .. } => Err(format!("round {} has begun", self.wave.first_round)),
            _ => Err("only a Swiss tournament is paired round by round".to_owned()),
        }
    }

    /// Pairs the known round again, with present scores, absences and entries. Its games have to be taken anew. Returns the
    /// number of its first game.
    ///
    /// # Errors
    /// See [`Schedule::may_pair_again`]. The schedule is unchanged.
    pub fn pair_again(&mut self) -> Result<u64, String> {
        self.may_pair_again()?;
        let first = self.wave.first_game;
        if let Later::Swiss { now, before } = &mut self.later {
            now.clone_from(&**before);
            self.wave.encounters = Encounters::Listed(now.pair());
            self.wave.next_game = 0;
            self.reset_scores();
            self.advance_all();
        }
        Ok(first)
    }
}
