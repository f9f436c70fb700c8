//! Results, counted.

use game::{Color, Outcome};

use super::estimate::Sample;

/// What a game is worth to one of its players.
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
    /// What an outcome is worth to the player of `color`.
    pub fn of(outcome: Outcome, color: Color) -> Points {
        match outcome.winner() {
            None => Points::Half,
            Some(winner) if winner == color => Points::One,
            Some(_) => Points::Zero,
        }
    }

    /// What the same game is worth to the opponent.
    #[must_use]
    pub fn opposite(self) -> Points {
        match self {
            Points::Zero => Points::One,
            Points::Half => Points::Half,
            Points::One => Points::Zero,
        }
    }

    /// 0, 1 or 2 half points.
    pub fn halves(self) -> u32 {
        self as u32
    }
}

/// Games counted one by one, from one player's point of view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WinDrawLoss {
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
}

impl WinDrawLoss {
    /// Counts a game.
    pub fn add(&mut self, points: Points) {
        match points {
            Points::Zero => self.losses += 1,
            Points::Half => self.draws += 1,
            Points::One => self.wins += 1,
        }
    }

    /// How many games were counted.
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Half points won.
    pub fn halves(&self) -> u64 {
        2 * self.wins + self.draws
    }

    /// The part of the games that was drawn; `None` without games.
    pub fn draw_ratio(&self) -> Option<f64> {
        (self.games() > 0).then(|| self.draws as f64 / self.games() as f64)
    }

    /// The games as observations of strength; `None` without games.
    pub fn sample(&self) -> Option<Sample> {
        Sample::new(&[self.losses, self.draws, self.wins], 1)
    }
}

/// Games counted in pairs: the same opening twice, with colours reversed, from one player's point of view.
///
/// The two games of a pair are not independent, since an opening that favours White favours each player once. Counted
/// by the sum of a pair, that cancels out, and fewer games prove the same (the pentanomial model).
///
/// Holds how many pairs brought 0, 1, 2, 3 and 4 half points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pentanomial(pub [u64; 5]);

impl Pentanomial {
    /// Counts a pair of games.
    pub fn add(&mut self, first: Points, second: Points) {
        self.0[(first.halves() + second.halves()) as usize] += 1;
    }

    /// How many pairs were counted.
    pub fn pairs(&self) -> u64 {
        self.0.iter().sum()
    }

    /// The pairs as observations of strength; `None` without pairs.
    pub fn sample(&self) -> Option<Sample> {
        Sample::new(&self.0, 2)
    }
}
