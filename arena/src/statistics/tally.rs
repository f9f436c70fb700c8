//! Counts of game results.

use game::{Color, Outcome};

use super::estimate::Sample;

/// Points of one player in a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Points {
    /// A loss.
    Zero,
    /// A draw.
    Half,
    /// A win.
    One,
}

impl Points {
    /// Returns the points of the player of `color`.
    pub fn of(outcome: Outcome, color: Color) -> Points {
        match outcome.winner() {
            None => Points::Half,
            Some(winner) if winner == color => Points::One,
            Some(_) => Points::Zero,
        }
    }

    /// Returns the opponent's points in the same game.
    #[must_use]
    pub fn opposite(self) -> Points {
        match self {
            Points::Zero => Points::One,
            Points::Half => Points::Half,
            Points::One => Points::Zero,
        }
    }

    /// Returns the half points: 0, 1 or 2.
    pub fn halves(self) -> u32 {
        self as u32
    }
}

/// Counts of single games, from one player's point of view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WinDrawLoss {
    /// Number of wins.
    pub wins: u64,
    /// Number of draws.
    pub draws: u64,
    /// Number of losses.
    pub losses: u64,
}

impl WinDrawLoss {
    /// Adds a game.
    pub fn add(&mut self, points: Points) {
        match points {
            Points::Zero => self.losses += 1,
            Points::Half => self.draws += 1,
            Points::One => self.wins += 1,
        }
    }

    /// Returns the number of games.
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Returns the half points won.
    pub fn halves(&self) -> u64 {
        2 * self.wins + self.draws
    }

    /// Returns the share of drawn games; `None` without games.
    pub fn draw_ratio(&self) -> Option<f64> {
        (self.games() > 0).then(|| self.draws as f64 / self.games() as f64)
    }

    /// Returns the games as a statistical sample; `None` without games.
    pub fn sample(&self) -> Option<Sample> {
        Sample::new(&[self.losses, self.draws, self.wins], 1)
    }
}

/// Counts of game pairs (the same opening twice, with colours reversed), from one player's point of view.
///
/// The two games of a pair are not independent, since an opening that favours White favours each player once. In the
/// sum of a pair this effect cancels out, so fewer games prove the same difference (the pentanomial model).
///
/// Holds the numbers of pairs with 0, 1, 2, 3 and 4 half points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pentanomial(pub [u64; 5]);

impl Pentanomial {
    /// Adds a pair of games.
    pub fn add(&mut self, first: Points, second: Points) {
        self.0[(first.halves() + second.halves()) as usize] += 1;
    }

    /// Returns the number of pairs.
    pub fn pairs(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Returns the pairs as a statistical sample; `None` without pairs.
    pub fn sample(&self) -> Option<Sample> {
        Sample::new(&self.0, 2)
    }
}
