//! The rating list: ratings with their errors, by groups.

use std::f64::consts::LN_10;

use super::errors::{Variances, variances};
use super::fit::{Fit, FittedEncounter, expected};
use super::games::{GameTally, LeftOutGames};
use super::groups::{Division, SetAside};
use crate::statistics::{Estimate, WinDrawLoss, normal_distribution};

/// Elo for each natural unit.
const ELO: f64 = 400.0 / LN_10;
/// Half-width of a 95 % confidence interval, in standard errors.
const CONFIDENCE_95: f64 = 1.959_963_984_540_054;

/// How ratings are computed.
#[derive(Clone, Debug)]
pub struct RatingOptions {
    /// Mean rating of each group without an anchor.
    pub average: f64,
    /// Players with a fixed rating.
    pub anchors: Vec<(String, f64)>,
    /// The advantage of the first move in Elo; `None` if it is estimated, too.
    pub first_move: Option<f64>,
}

/// Ratings of the players of some games.
#[derive(Debug)]
pub struct RatingList {
    /// The players, in groups, best first.
    pub players: Vec<RatedPlayer>,
    /// The groups, the largest first. Ratings of different groups cannot be compared.
    pub groups: Vec<RatedGroup>,
    /// The advantage of the first move, in Elo; `None` if it is given or cannot be told from the ratings.
    pub first_move: Option<Estimate>,
    /// Whether the advantage was to be estimated but cannot be told from the ratings. It is 0 then.
    pub first_move_is_unknown: bool,
    /// Estimated share of draws between equal players, from 0 to 1; `None` without games.
    pub draws_of_equals: Option<f64>,
    /// Number of games.
    pub games: u64,
    /// Number of drawn games.
    pub draws: u64,
    /// Number of pairs of games with the same opening.
    pub pairs: u64,
    /// Games that are not counted.
    pub left_out: LeftOutGames,
    variances: Variances,
    /// Results of the first player against the second, by places in `players`, and the number of their pairs.
    encounters: Vec<Vec<(usize, WinDrawLoss)>>,
}

/// A player of a rating list.
#[derive(Clone, Debug)]
pub struct RatedPlayer {
    /// Name of the player.
    pub name: String,
    /// Rating in Elo. Its error, from the 95 % confidence interval, is relative to the anchors of the group, or to its mean
    /// without any; infinite if the rating is a bound, or that mean.
    pub rating: Estimate,
    /// Whether the rating is a bound only.
    pub bound: Option<RatingBound>,
    /// Whether the rating was given.
    pub is_anchor: bool,
    /// Place of the player's group in the list.
    pub group: usize,
    /// Results of all games.
    pub results: WinDrawLoss,
    /// Mean rating of the opponents, by games.
    pub opponents: f64,
    /// Probability that the player is stronger than the next one of the group.
    pub superiority: Option<f64>,
    number: usize,
}

/// A rating that is a bound only, because the player won or lost everything. It is the rating with half a point less or
/// more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RatingBound {
    /// All games were won.
    AtLeast,
    /// All games were lost.
    AtMost,
}

/// A group of players who can be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RatedGroup {
    /// Number of players.
    pub players: usize,
    /// Number of games against players of other groups. They were all won or all lost, so that they tell nothing.
    pub games_outside: u64,
    /// Number of anchors.
    pub anchors: usize,
}

impl RatingList {
    /// Computes the ratings.
    ///
    /// # Errors
    /// An anchor is not among the players; carries its name.
    pub fn new(tally: &GameTally, options: &RatingOptions) -> Result<RatingList, String> {
        let anchors = anchors(tally, options)?;
        let is_anchor: Vec<bool> = anchors.iter().map(Option::is_some).collect();
        let division = Division::new(tally, &is_anchor);
        let mut group_of = division.group_of_each();
        let mut fit = new_fit(tally, options, &anchors, &group_of);
        fit.run();
        let is_free = |group: &&Vec<usize>| group.iter().all(|&player| !fit.is_fixed[player]);
        let free_groups: Vec<Vec<usize>> = division.groups.iter().filter(is_free).cloned().collect();
        for group in &free_groups {
            let mean = group.iter().map(|&player| fit.values[player]).sum::<f64>() / group.len() as f64;
            for &player in group {
                fit.values[player] += options.average / ELO - mean;
            }
        }
        let bounds = place_set_aside(&division, &mut fit, &mut group_of);
        let group_of: Vec<usize> = group_of.into_iter().map(Option::unwrap_or_default).collect();
        let mut ranking: Vec<usize> = (0..tally.players.len()).collect();
        let heights = heights(&division, &bounds);
        ranking.sort_by(|&a, &b| {
            let by_value = rounded(fit.values[b]).total_cmp(&rounded(fit.values[a]));
            group_of[a].cmp(&group_of[b]).then(by_value).then(heights[b].cmp(&heights[a])).then(a.cmp(&b))
        });
        let variances = variances(tally, &fit, &free_groups, &ranking);
        let mut list = RatingList {
            players: Vec::new(),
            groups: groups(tally, &division, &anchors, &group_of),
            first_move: advantage(&fit, &variances),
            first_move_is_unknown: options.first_move.is_none() && fit.is_fixed[fit.advantage()],
            draws_of_equals: draws_of_equals(tally, &fit),
            games: tally.games(),
            draws: tally.encounters.values().map(|results| results.draws).sum(),
            pairs: tally.pairs(),
            left_out: tally.left_out,
            encounters: encounters(tally, &ranking),
            variances,
        };
        let players = ranking.iter().enumerate().map(|(place, &number)| {
            let mut player = RatedPlayer {
                name: tally.players[number].clone(),
                is_anchor: anchors[number].is_some(),
                group: group_of[number],
                bound: bounds[number],
                ..list.rated(place, number, &ranking, &fit.values)
            };
            // The only one of a group is its mean.
            let is_alone = !player.is_anchor && division.groups[player.group].len() < 2;
            if player.bound.is_some() || is_alone {
                player.rating.error = f64::INFINITY;
            }
            player
        });
        list.players = players.collect();
        for place in 1..list.players.len() {
            let variance = list.variances.to_next[place - 1];
            list.players[place - 1].superiority = list.superior(place - 1, place, Some(variance));
        }
        Ok(list)
    }

    /// Returns a player's rating and results; the rest is still unknown.
    fn rated(&self, place: usize, number: usize, ranking: &[usize], values: &[f64]) -> RatedPlayer {
        let (mut results, mut met) = (WinDrawLoss::default(), 0.0);
        for (opponent, against) in &self.encounters[place] {
            results += *against;
            met += against.games() as f64 * values[ranking[*opponent]] * ELO;
        }
        RatedPlayer {
            name: String::new(),
            rating: Estimate {
                value: values[number] * ELO,
                error: CONFIDENCE_95 * self.variances.own[number].sqrt() * ELO,
            },
            bound: None,
            is_anchor: false,
            group: 0,
            results,
            opponents: met / results.games().max(1) as f64,
            superiority: None,
            number,
        }
    }

    /// Returns the probability that a player is stronger than another, by their places in the list; `None` if they
    /// cannot be compared, or if there are too many players to compare all of them.
    pub fn superiority(&self, first: usize, second: usize) -> Option<f64> {
        let [a, b] = [first, second].map(|place| self.players[place].number);
        self.superior(first, second, self.variances.of_difference(a, b))
    }

    fn superior(&self, first: usize, second: usize, variance: Option<f64>) -> Option<f64> {
        let [a, b] = [first, second].map(|place| &self.players[place]);
        let deviation = variance?.sqrt() * ELO;
        let comparable = a.group == b.group && a.bound.is_none() && b.bound.is_none();
        let lead = (a.rating.value - b.rating.value) / deviation;
        (comparable && lead.is_finite()).then(|| normal_distribution(lead))
    }

    /// Returns a player's results against each opponent, by their places in the list, best opponent first.
    pub fn results_of(&self, place: usize) -> &[(usize, WinDrawLoss)] {
        &self.encounters[place]
    }
}

/// Returns the fixed rating of each player, in natural units.
fn anchors(tally: &GameTally, options: &RatingOptions) -> Result<Vec<Option<f64>>, String> {
    let mut anchors = vec![None; tally.players.len()];
    for (name, rating) in &options.anchors {
        let number = tally.players.iter().position(|player| player == name).ok_or_else(|| name.clone())?;
        anchors[number] = Some(rating / ELO);
    }
    Ok(anchors)
}

/// Makes the fit of the games inside the groups.
fn new_fit(
    tally: &GameTally,
    options: &RatingOptions,
    anchors: &[Option<f64>],
    group_of: &[Option<usize>],
) -> Fit {
    let mut encounters: Vec<FittedEncounter> = tally
        .encounters
        .iter()
        .map(|(&(white, black), results)| FittedEncounter {
            white: white as usize,
            black: black as usize,
            games: results.games() as f64,
            points: results.halves() as f64 / 2.0,
        })
        .filter(|e| group_of[e.white].is_some() && group_of[e.white] == group_of[e.black])
        .collect();
    // The order of a hash table would change the last digits.
    encounters.sort_unstable_by_key(|e| (e.white, e.black));
    let ratings = anchors.iter().map(|anchor| anchor.unwrap_or(0.0));
    let is_fixed = anchors.iter().map(Option::is_some);
    Fit {
        values: ratings.chain([options.first_move.unwrap_or(0.0) / ELO]).collect(),
        is_fixed: is_fixed.chain([options.first_move.is_some()]).collect(),
        encounters,
    }
}

/// Rounds a rating so that bounds that are equal, such as after a single game, compare as equal.
fn rounded(value: f64) -> f64 {
    // Not -0.0.
    (value * ELO * 1e6).round() + 0.0
}

/// Returns who stands above whom at equal values: who won everything above, the first to be set aside at the top, and who
/// lost everything below, the first at the bottom.
fn heights(division: &Division, bounds: &[Option<RatingBound>]) -> Vec<isize> {
    let mut heights = vec![0; bounds.len()];
    for (height, aside) in (1..).zip(division.set_aside.iter().rev()) {
        heights[aside.player] = match bounds[aside.player] {
            None => 0,
            Some(RatingBound::AtLeast) => height,
            Some(RatingBound::AtMost) => -height,
        };
    }
    heights
}

/// Gives the players who won or lost everything a bound, the last one first, and the group in which they have most games.
fn place_set_aside(
    division: &Division,
    fit: &mut Fit,
    group_of: &mut [Option<usize>],
) -> Vec<Option<RatingBound>> {
    let mut bounds = vec![None; group_of.len()];
    let advantage = fit.values[fit.advantage()];
    for &SetAside { player, won_all, own_group } in division.set_aside.iter().rev() {
        if own_group.is_some() {
            group_of[player] = own_group;
            continue;
        }
        let placed = || division.opponents[player].iter().filter(|o| group_of[o.number].is_some());
        let mut games_in = vec![0.0; division.groups.len()];
        placed().for_each(|o| games_in[group_of[o.number].unwrap_or_default()] += o.games);
        let most = (0..games_in.len()).rev().max_by(|&a, &b| games_in[a].total_cmp(&games_in[b]));
        let met: Vec<(f64, f64, f64)> = placed()
            .filter(|o| group_of[o.number] == most)
            .map(|o| (fit.values[o.number], o.games, o.surplus_of_white))
            .collect();
        group_of[player] = most;
        let games: f64 = met.iter().map(|(_, games, _)| games).sum();
        let wanted = if won_all { games - 0.5 } else { 0.5 };
        let score = |rating: f64| -> f64 {
            met.iter()
                .map(|&(opponent, games, surplus)| {
                    games * expected(rating - opponent + advantage * surplus / games)
                })
                .sum()
        };
        let mean = met.iter().map(|(opponent, games, _)| opponent * games).sum::<f64>() / games;
        let (mut low, mut high) = (mean - 40.0, mean + 40.0);
        for _ in 0..80 {
            let middle = f64::midpoint(low, high);
            if score(middle) < wanted {
                low = middle;
            } else {
                high = middle;
            }
        }
        fit.values[player] = f64::midpoint(low, high);
        bounds[player] = Some(if won_all { RatingBound::AtLeast } else { RatingBound::AtMost });
    }
    bounds
}

fn groups(
    tally: &GameTally,
    division: &Division,
    anchors: &[Option<f64>],
    group_of: &[usize],
) -> Vec<RatedGroup> {
    let mut groups = vec![RatedGroup { players: 0, games_outside: 0, anchors: 0 }; division.groups.len()];
    for (player, &group) in group_of.iter().enumerate() {
        groups[group].players += 1;
        groups[group].anchors += usize::from(anchors[player].is_some());
    }
    for (&(white, black), results) in &tally.encounters {
        let [white, black] = [white, black].map(|player| group_of[player as usize]);
        if white != black {
            groups[white].games_outside += results.games();
            groups[black].games_outside += results.games();
        }
    }
    groups
}

fn advantage(fit: &Fit, variances: &Variances) -> Option<Estimate> {
    let place = fit.advantage();
    (!fit.is_fixed[place] && !fit.encounters.is_empty()).then(|| Estimate {
        value: fit.values[place] * ELO,
        error: CONFIDENCE_95 * variances.own[place].sqrt() * ELO,
    })
}

/// Returns the share of draws between equal players with which the expected number of draws is the observed one, in the
/// model of Davidson: the probability of a draw is in proportion to the geometric mean of those of the decisive results.
fn draws_of_equals(tally: &GameTally, fit: &Fit) -> Option<f64> {
    let games: Vec<(f64, f64)> = fit
        .encounters
        .iter()
        .map(|e| {
            let odds = fit.values[e.white] - fit.values[e.black] + fit.values[fit.advantage()];
            ((odds / 2.0).cosh() * 2.0, e.games)
        })
        .collect();
    let of_group = |e: &FittedEncounter| tally.encounters[&(e.white as u32, e.black as u32)].draws;
    let draws: u64 = fit.encounters.iter().map(of_group).sum();
    if games.is_empty() {
        return None;
    }
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let share = f64::midpoint(low, high);
        let factor = 2.0 * share / (1.0 - share);
        let expected: f64 = games.iter().map(|(decisive, games)| games * factor / (decisive + factor)).sum();
        if expected < draws as f64 {
            low = share;
        } else {
            high = share;
        }
    }
    Some(f64::midpoint(low, high))
}

/// Returns the results of each player against each opponent, by their places.
fn encounters(tally: &GameTally, ranking: &[usize]) -> Vec<Vec<(usize, WinDrawLoss)>> {
    let mut places = vec![0; ranking.len()];
    ranking.iter().enumerate().for_each(|(place, &number)| places[number] = place);
    let mut encounters: Vec<Vec<(usize, WinDrawLoss)>> = vec![Vec::new(); ranking.len()];
    for (&(white, black), &results) in &tally.encounters {
        let [white, black] = [white, black].map(|player| places[player as usize]);
        encounters[white].push((black, results));
        let WinDrawLoss { wins, draws, losses } = results;
        encounters[black].push((white, WinDrawLoss { wins: losses, draws, losses: wins }));
    }
    for list in &mut encounters {
        list.sort_by_key(|(opponent, _)| *opponent);
        list.dedup_by(|other_colour, kept| {
            let same = other_colour.0 == kept.0;
            if same {
                kept.1 += other_colour.1;
            }
            same
        });
    }
    encounters
}
