//! Errors of ratings from the spread of the results.
//!
//! The covariance of the ratings is that of the results, brought to the ratings by the information of the games (the
//! sandwich estimator). Results that belong together count together: the two games of a pair are not independent. So draws
//! and openings need no model. A virtual result with the spread of games without draws is added to each encounter: few
//! equal results are no proof that there is no spread.

use std::collections::BTreeMap;

use super::fit::Fit;
use super::games::GameTally;

/// Maximum number of players for which the whole covariance is computed. Above it variances come from random results.
const MOST_EXACT: usize = 300;
/// Number of random results from which variances are computed.
const DRAWS: usize = 400;

/// Variances of ratings, in natural units.
#[derive(Debug)]
pub(super) struct Variances {
    /// Variance of each rating and, at the end, of the advantage.
    pub(super) own: Vec<f64>,
    /// Variance of the difference between each player of the ranking and the next one.
    pub(super) to_next: Vec<f64>,
    /// Covariance of all players, row by row; `None` if there are too many.
    covariance: Option<Vec<f64>>,
}

impl Variances {
    /// Returns the variance of the difference of two players; `None` if it was not computed.
    pub(super) fn of_difference(&self, first: usize, second: usize) -> Option<f64> {
        let covariance = self.covariance.as_ref()?;
        let at = |i: usize, j: usize| covariance[i * self.own.len() + j];
        Some((at(first, first) + at(second, second) - 2.0 * at(first, second)).max(0.0))
    }
}

/// The spread of the results of two players. `lead` is what the first scored above expectation in games that belong
/// together, and `white` what White did.
#[derive(Clone, Copy, Debug, Default)]
struct Spread {
    first: usize,
    second: usize,
    lead_square: f64,
    mixed: f64,
    white_square: f64,
}

/// Computes the variances. Each rating of a group without a fixed one is relative to the mean of its group.
pub(super) fn variances(
    tally: &GameTally,
    fit: &Fit,
    free_groups: &[Vec<usize>],
    ranking: &[usize],
) -> Variances {
    let spreads = spreads(tally, fit);
    if ranking.len() <= MOST_EXACT {
        exact(fit, &spreads, free_groups, ranking)
    } else {
        by_draws(fit, &spreads, free_groups, ranking)
    }
}

/// Returns the spread of each encounter between players of the same group.
fn spreads(tally: &GameTally, fit: &Fit) -> Vec<Spread> {
    let mut spreads: BTreeMap<(usize, usize), Spread> = BTreeMap::new();
    for e in &fit.encounters {
        let (first, second) = (e.white.min(e.black), e.white.max(e.black));
        spreads.entry((first, second)).or_insert(Spread { first, second, ..Spread::default() });
    }
    for spread in spreads.values_mut() {
        let key = (spread.first as u32, spread.second as u32);
        let pairs = tally.pairs.get(&key).copied().unwrap_or_default();
        let with_white = fit.expectation(spread.first, spread.second);
        let with_black = 1.0 - fit.expectation(spread.second, spread.first);
        let (mut left_white, mut left_black) = ([0.0; 3], [0.0; 3]);
        if let Some(results) = tally.encounters.get(&key) {
            left_white = [results.losses, results.draws, results.wins].map(|count| count as f64);
        }
        if let Some(results) = tally.encounters.get(&(key.1, key.0)) {
            left_black = [results.wins, results.draws, results.losses].map(|count| count as f64);
        }
        let mut in_pairs =
            Results::new(with_white * (1.0 - with_white) + with_black * (1.0 - with_black), 0.0);
        for (white, row) in pairs.iter().enumerate() {
            for (black, &count) in row.iter().enumerate() {
                let leads = (white as f64 / 2.0 - with_white, black as f64 / 2.0 - with_black);
                in_pairs.add(f64::from(count), leads.0 + leads.1, leads.0 - leads.1);
                left_white[white] -= f64::from(count);
                left_black[black] -= f64::from(count);
            }
        }
        in_pairs.add_to(spread);
        for (left, expected, colour) in [(left_white, with_white, 1.0), (left_black, with_black, -1.0)] {
            let mut single = Results::new(expected * (1.0 - expected), colour);
            for (halves, count) in left.into_iter().enumerate() {
                let lead = halves as f64 / 2.0 - expected;
                single.add(count, lead, colour * lead);
            }
            single.add_to(spread);
        }
    }
    spreads.into_values().collect()
}

/// Sums of the squares of results of one kind, beginning with the virtual one.
struct Results {
    count: f64,
    lead_square: f64,
    mixed: f64,
    white_square: f64,
}

impl Results {
    /// `correlation` is that of the leads of the first player and of White.
    fn new(virtual_square: f64, correlation: f64) -> Results {
        Results {
            count: 0.0,
            lead_square: virtual_square,
            mixed: correlation * virtual_square,
            white_square: virtual_square,
        }
    }

    fn add(&mut self, count: f64, lead: f64, white: f64) {
        self.count += count;
        self.lead_square += count * lead * lead;
        self.mixed += count * lead * white;
        self.white_square += count * white * white;
    }

    fn add_to(&self, spread: &mut Spread) {
        let factor = self.count / (self.count + 1.0);
        spread.lead_square += factor * self.lead_square;
        spread.mixed += factor * self.mixed;
        spread.white_square += factor * self.white_square;
    }
}

/// Makes the values of each group relative to its mean.
fn centre(values: &mut [f64], groups: &[Vec<usize>]) {
    for group in groups {
        let mean = group.iter().map(|&player| values[player]).sum::<f64>() / group.len() as f64;
        for &player in group {
            values[player] -= mean;
        }
    }
}

fn exact(fit: &Fit, spreads: &[Spread], free_groups: &[Vec<usize>], ranking: &[usize]) -> Variances {
    let size = fit.values.len();
    let information = fit.information();
    // How each value depends on the results.
    let rows: Vec<Vec<f64>> = (0..size)
        .map(|i| {
            let mut unit = vec![0.0; size];
            unit[i] = 1.0;
            centre(&mut unit, free_groups);
            let mut row = information.solve(&unit);
            centre(&mut row, free_groups);
            row
        })
        .collect();
    let mut covariance = vec![0.0; size * size];
    for (j, row) in rows.iter().enumerate() {
        let mut spread = vec![0.0; size];
        for s in spreads {
            let (lead, white) = (row[s.first] - row[s.second], row[size - 1]);
            let pull = lead * s.lead_square + white * s.mixed;
            spread[s.first] += pull;
            spread[s.second] -= pull;
            spread[size - 1] += lead * s.mixed + white * s.white_square;
        }
        for (i, other) in rows.iter().enumerate() {
            covariance[i * size + j] = other.iter().zip(&spread).map(|(a, b)| a * b).sum();
        }
    }
    let own = (0..size).map(|i| covariance[i * size + i].max(0.0)).collect();
    let mut variances = Variances { own, to_next: Vec::new(), covariance: Some(covariance) };
    let to_next = |pair: &[usize]| variances.of_difference(pair[0], pair[1]).unwrap_or_default();
    variances.to_next = ranking.windows(2).map(to_next).collect();
    variances
}

fn by_draws(fit: &Fit, spreads: &[Spread], free_groups: &[Vec<usize>], ranking: &[usize]) -> Variances {
    let size = fit.values.len();
    let information = fit.information();
    let mut random = Normal(fastrand::Rng::with_seed(1));
    let (mut own, mut to_next) = (vec![0.0; size], vec![0.0; ranking.len().saturating_sub(1)]);
    for _ in 0..DRAWS {
        let mut results = vec![0.0; size];
        for s in spreads.iter().filter(|s| s.lead_square > 0.0) {
            let (first, second) = random.next();
            let deviation = s.lead_square.sqrt();
            let lead = deviation * first;
            let rest = (s.white_square - s.mixed * s.mixed / s.lead_square).max(0.0).sqrt();
            results[s.first] += lead;
            results[s.second] -= lead;
            results[size - 1] += s.mixed / deviation * first + rest * second;
        }
        let mut values = information.solve(&results);
        centre(&mut values, free_groups);
        for (sum, value) in own.iter_mut().zip(&values) {
            *sum += value * value / DRAWS as f64;
        }
        for (sum, pair) in to_next.iter_mut().zip(ranking.windows(2)) {
            *sum += (values[pair[0]] - values[pair[1]]).powi(2) / DRAWS as f64;
        }
    }
    Variances { own, to_next, covariance: None }
}

/// Pairs of standard normal numbers (Box and Muller).
struct Normal(fastrand::Rng);

impl Normal {
    fn next(&mut self) -> (f64, f64) {
        let radius = (-2.0 * (1.0 - self.0.f64()).ln()).sqrt();
        let angle = std::f64::consts::TAU * self.0.f64();
        (radius * angle.cos(), radius * angle.sin())
    }
}

#[cfg(test)]
mod tests {
    use super::super::fit::FittedEncounter;
    use super::*;

    /// Both ways to the variances lead to the same ones; the random results have an error of four percent.
    #[test]
    fn random_results_give_the_same_variances() {
        let mut random = fastrand::Rng::with_seed(3);
        let players = 12;
        let encounters: Vec<FittedEncounter> = (0..players)
            .flat_map(|white| {
                (0..players).filter(move |&black| black != white).map(move |black| (white, black))
            })
            .map(|(white, black)| FittedEncounter {
                white,
                black,
                games: 4.0,
                points: f64::from(random.u32(1..8)) / 2.0,
            })
            .collect();
        let mut fit = Fit { values: vec![0.0; players + 1], is_fixed: vec![false; players + 1], encounters };
        fit.run();
        let mut spreads = spreads(&GameTally::default(), &fit);
        for spread in &mut spreads {
            (spread.lead_square, spread.white_square, spread.mixed) = (1.5, 1.2, 0.3);
        }
        let groups = [(0..players).collect::<Vec<usize>>()];
        let ranking: Vec<usize> = (0..players).collect();
        let (exact, drawn) =
            (exact(&fit, &spreads, &groups, &ranking), by_draws(&fit, &spreads, &groups, &ranking));
        for (a, b) in exact.own.iter().chain(&exact.to_next).zip(drawn.own.iter().chain(&drawn.to_next)) {
            assert!((b / a - 1.0).abs() < 0.3, "{a} {b}");
        }
        let mean = |values: &[f64]| values.iter().sum::<f64>();
        assert!((mean(&drawn.own) / mean(&exact.own) - 1.0).abs() < 0.08);
        assert!((mean(&drawn.to_next) / mean(&exact.to_next) - 1.0).abs() < 0.08);
    }
}
