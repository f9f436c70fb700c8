//! The most likely ratings, by Newton's method.
//!
//! Ratings are in natural units here: the expected score is `1 / (1 + exp(-difference))`. The information matrix is a
//! sparse one with an entry for each encounter, so that each step is solved by conjugate gradients, for any number of
//! players.

/// The games of a player with White against another.
#[derive(Clone, Copy, Debug)]
pub(super) struct FittedEncounter {
    pub(super) white: usize,
    pub(super) black: usize,
    pub(super) games: f64,
    /// White's points.
    pub(super) points: f64,
}

/// Ratings and the advantage of the first move, which are not yet, or no longer, changed where they are fixed.
#[derive(Clone, Debug)]
pub(super) struct Fit {
    /// The ratings of the players, and behind them the advantage of the first move.
    pub(super) values: Vec<f64>,
    pub(super) is_fixed: Vec<bool>,
    pub(super) encounters: Vec<FittedEncounter>,
}

/// Largest change of a value in one step. Newton's method may go astray from far away.
const LONGEST_STEP: f64 = 1.5;
/// Maximum number of steps; about ten are usual.
const MOST_STEPS: usize = 500;

/// Returns the expected score at a difference in natural units.
pub(super) fn expected(difference: f64) -> f64 {
    1.0 / (1.0 + (-difference).exp())
}

impl Fit {
    /// Returns the index of the advantage.
    pub(super) fn advantage(&self) -> usize {
        self.values.len() - 1
    }

    /// Returns White's expected score in an encounter.
    pub(super) fn expectation(&self, white: usize, black: usize) -> f64 {
        expected(self.values[white] - self.values[black] + self.values[self.advantage()])
    }

    /// Finds the most likely values. An advantage that cannot be told from the ratings is left as it is, and fixed.
    pub(super) fn run(&mut self) {
        let advantage = self.advantage();
        if !self.is_fixed[advantage] && !self.advantage_is_known() {
            self.is_fixed[advantage] = true;
        }
        for _ in 0..MOST_STEPS {
            let mut gradient = vec![0.0; self.values.len()];
            for e in &self.encounters {
                let lead = e.points - e.games * self.expectation(e.white, e.black);
                gradient[e.white] += lead;
                gradient[e.black] -= lead;
                gradient[advantage] += lead;
            }
            let step = self.information().solve(&gradient);
            let longest = step.iter().fold(0.0, |longest: f64, change| longest.max(change.abs()));
            let factor = (LONGEST_STEP / longest).min(1.0);
            for (value, change) in self.values.iter_mut().zip(&step) {
                *value += factor * change;
            }
            if longest < 1e-8 {
                break;
            }
        }
    }

    /// Whether the results have a most likely advantage. They have none if, for some change of the ratings, a growing or a
    /// falling advantage makes no result less likely: if nobody had both colours, or if one colour won everything.
    fn advantage_is_known(&self) -> bool {
        !self.is_unlimited(1) && !self.is_unlimited(-1)
    }

    /// Whether changes of the ratings exist with which a change of the advantage by `change` makes no result less likely.
    ///
    /// White's lead may not fall where White got points, and not grow where Black did. This limits the differences of the
    /// changes of two ratings, so that they exist if no cycle of the limits is negative (Bellman and Ford).
    fn is_unlimited(&self, change: i64) -> bool {
        // All fixed players are one that does not change.
        let fixed = self.is_fixed.iter().position(|fixed| *fixed);
        let place = |player: usize| if self.is_fixed[player] { fixed.unwrap_or(player) } else { player };
        let mut limits = Vec::new();
        for e in &self.encounters {
            let (white, black) = (place(e.white), place(e.black));
            if e.points > 0.0 {
                limits.push((white, black, change));
            }
            if e.points < e.games {
                limits.push((black, white, -change));
            }
        }
        let mut changes = vec![0; self.values.len()];
        let mut origins: Vec<usize> = (0..changes.len()).collect();
        loop {
            let mut is_done = true;
            for &(from, to, limit) in &limits {
                if changes[from] + limit < changes[to] {
                    changes[to] = changes[from] + limit;
                    // A player who limits himself.
                    if from == to {
                        return false;
                    }
                    origins[to] = from;
                    is_done = false;
                }
            }
            if is_done {
                return true;
            }
            if has_cycle(&origins) {
                return false;
            }
        }
    }

    /// Returns the information matrix.
    pub(super) fn information(&self) -> Information {
        let weight = |e: &FittedEncounter| {
            let expected = self.expectation(e.white, e.black);
            (e.white, e.black, e.games * expected * (1.0 - expected))
        };
        Information { weights: self.encounters.iter().map(weight).collect(), is_fixed: self.is_fixed.clone() }
    }
}

/// Whether the way back to the origins goes round in a circle somewhere. Who is his own origin is an end.
fn has_cycle(origins: &[usize]) -> bool {
    let mut seen_from = vec![usize::MAX; origins.len()];
    for start in 0..origins.len() {
        let mut place = start;
        while seen_from[place] == usize::MAX {
            seen_from[place] = start;
            if origins[place] == place {
                break;
            }
            place = origins[place];
        }
        if seen_from[place] == start && origins[place] != place {
            return true;
        }
    }
    false
}

/// The information that games give about the values: a weight for the square of each encounter's difference.
#[derive(Debug)]
pub(super) struct Information {
    weights: Vec<(usize, usize, f64)>,
    is_fixed: Vec<bool>,
}

impl Information {
    /// Solves the equations for `right`, by conjugate gradients. Fixed values stay 0. What is undetermined, such as the
    /// mean of players who are only compared with each other, is arbitrary.
    pub(super) fn solve(&self, right: &[f64]) -> Vec<f64> {
        let diagonal = self.diagonal();
        let masked = |values: &[f64]| -> Vec<f64> {
            let value = |(value, fixed): (&f64, &bool)| if *fixed { 0.0 } else { *value };
            values.iter().zip(&self.is_fixed).map(value).collect()
        };
        let scaled = |values: &[f64]| -> Vec<f64> {
            values.iter().zip(&diagonal).map(|(value, d)| if *d > 0.0 { value / d } else { 0.0 }).collect()
        };
        let product = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
        let mut solution = vec![0.0; right.len()];
        let mut residual = masked(right);
        let mut conditioned = scaled(&residual);
        let mut direction = conditioned.clone();
        let mut square = product(&residual, &conditioned);
        // Beyond it are the rounding errors, which no values explain. The square is in units of log-likelihood.
        let enough = (square * 1e-20).max(1e-18);
        for _ in 0..2 * right.len() + 50 {
            if square <= enough {
                break;
            }
            let image = masked(&self.times(&direction));
            let curvature = product(&direction, &image);
            if curvature <= 0.0 {
                break;
            }
            let length = square / curvature;
            for i in 0..right.len() {
                solution[i] += length * direction[i];
                residual[i] -= length * image[i];
            }
            conditioned = scaled(&residual);
            let next = product(&residual, &conditioned);
            for (direction, conditioned) in direction.iter_mut().zip(&conditioned) {
                *direction = conditioned + next / square * *direction;
            }
            square = next;
        }
        solution
    }

    fn times(&self, values: &[f64]) -> Vec<f64> {
        let advantage = values.len() - 1;
        let mut product = vec![0.0; values.len()];
        for &(white, black, weight) in &self.weights {
            let pull = weight * (values[white] - values[black] + values[advantage]);
            product[white] += pull;
            product[black] -= pull;
            product[advantage] += pull;
        }
        product
    }

    fn diagonal(&self) -> Vec<f64> {
        let mut diagonal = vec![0.0; self.is_fixed.len()];
        let advantage = diagonal.len() - 1;
        for &(white, black, weight) in &self.weights {
            for place in [white, black, advantage] {
                diagonal[place] += weight;
            }
        }
        diagonal
    }
}
