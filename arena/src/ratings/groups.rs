//! Groups of players that can be compared.
//!
//! Players can be compared if points went both ways between them, over however many others. A player who won or lost all
//! his games has no rating but a bound of it; he is set aside, and others may then be in the same case. What remains falls
//! into groups between which there were no games, or in which one group won them all. A player with a fixed rating is set
//! aside last, and is a group of his own then: his rating is no bound that follows from those of the others.

use std::collections::VecDeque;

use super::games::GameTally;

/// A player's games against an opponent, with both colours.
#[derive(Clone, Copy, Debug)]
pub(super) struct MetOpponent {
    pub(super) number: usize,
    pub(super) points: f64,
    pub(super) games: f64,
    /// Games with White less games with Black.
    pub(super) surplus_of_white: f64,
}

/// Why a player is set aside, in the order in which it happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SetAside {
    pub(super) player: usize,
    pub(super) won_all: bool,
    /// The group of his own of a player with a fixed rating.
    pub(super) own_group: Option<usize>,
}

/// The division of the players.
#[derive(Debug)]
pub(super) struct Division {
    /// Opponents of each player.
    pub(super) opponents: Vec<Vec<MetOpponent>>,
    /// Players who won or lost everything against those that were left.
    pub(super) set_aside: Vec<SetAside>,
    /// The groups of the others, the largest first, and those of players with a fixed rating who are set aside.
    pub(super) groups: Vec<Vec<usize>>,
}

impl Division {
    /// Divides the players; `is_fixed` says which ones have a fixed rating.
    pub(super) fn new(tally: &GameTally, is_fixed: &[bool]) -> Division {
        let opponents = opponents(tally);
        let (mut set_aside, remains) = set_aside(&opponents, is_fixed);
        let mut groups = strongly_connected(&opponents, &remains);
        groups.sort_by_key(|group| (usize::MAX - group.len(), group.first().copied()));
        for aside in set_aside.iter_mut().filter(|aside| is_fixed[aside.player]) {
            aside.own_group = Some(groups.len());
            groups.push(vec![aside.player]);
        }
        Division { opponents, set_aside, groups }
    }

    /// Returns the number of each player's group; `None` for those that are set aside.
    pub(super) fn group_of_each(&self) -> Vec<Option<usize>> {
        let mut group_of = vec![None; self.opponents.len()];
        for (number, group) in self.groups.iter().enumerate() {
            for &player in group {
                group_of[player] = Some(number);
            }
        }
        for aside in &self.set_aside {
            group_of[aside.player] = None;
        }
        group_of
    }
}

fn opponents(tally: &GameTally) -> Vec<Vec<MetOpponent>> {
    let mut opponents: Vec<Vec<MetOpponent>> = vec![Vec::new(); tally.players.len()];
    for (&(white, black), results) in &tally.encounters {
        let (games, points) = (results.games() as f64, results.halves() as f64 / 2.0);
        for (player, number, points, surplus_of_white) in
            [(white, black, points, games), (black, white, games - points, -games)]
        {
            let number = number as usize;
            opponents[player as usize].push(MetOpponent { number, points, games, surplus_of_white });
        }
    }
    for list in &mut opponents {
        list.sort_by_key(|opponent| opponent.number);
        list.dedup_by(|with_other_colour, kept| {
            let same = kept.number == with_other_colour.number;
            if same {
                kept.points += with_other_colour.points;
                kept.games += with_other_colour.games;
                kept.surplus_of_white += with_other_colour.surplus_of_white;
            }
            same
        });
    }
    opponents
}

/// Sets players aside until everybody has both won and lost something, those with a fixed rating only when there are no
/// others. Returns them and who remains.
fn set_aside(opponents: &[Vec<MetOpponent>], is_fixed: &[bool]) -> (Vec<SetAside>, Vec<bool>) {
    let total = |of: &dyn Fn(&MetOpponent) -> f64| -> Vec<f64> {
        opponents.iter().map(|list| list.iter().map(of).sum()).collect()
    };
    let (mut points, mut games) = (total(&|opponent| opponent.points), total(&|opponent| opponent.games));
    let mut remains = vec![true; opponents.len()];
    let mut set_aside = Vec::new();
    let mut to_check = VecDeque::new();
    let add = |to_check: &mut VecDeque<usize>, player: usize| {
        if is_fixed[player] { to_check.push_front(player) } else { to_check.push_back(player) }
    };
    (0..opponents.len()).rev().for_each(|player| add(&mut to_check, player));
    while let Some(player) = to_check.pop_back() {
        let won_all = points[player] >= games[player];
        // Without games left a player is the only one of a group.
        if !remains[player] || games[player] == 0.0 || points[player] > 0.0 && !won_all {
            continue;
        }
        remains[player] = false;
        set_aside.push(SetAside { player, won_all, own_group: None });
        for opponent in opponents[player].iter().filter(|opponent| remains[opponent.number]) {
            points[opponent.number] -= opponent.games - opponent.points;
            games[opponent.number] -= opponent.games;
            add(&mut to_check, opponent.number);
        }
    }
    (set_aside, remains)
}

/// Returns the groups of players between whom points went both ways (strongly connected components, by Kosaraju's method).
fn strongly_connected(opponents: &[Vec<MetOpponent>], remains: &[bool]) -> Vec<Vec<usize>> {
    let neighbours = |player: usize, lost: bool| {
        let list = opponents[player].iter().filter(|opponent| remains[opponent.number]);
        let kept = list.filter(
            move |opponent| {
                if lost { opponent.points < opponent.games } else { opponent.points > 0.0 }
            },
        );
        kept.map(|opponent| opponent.number).collect::<Vec<usize>>()
    };
    let mut seen: Vec<bool> = remains.iter().map(|remains| !remains).collect();
    let mut order = Vec::new();
    for start in 0..opponents.len() {
        visit(start, &mut seen, |player| neighbours(player, false), &mut order);
    }
    let mut seen: Vec<bool> = remains.iter().map(|remains| !remains).collect();
    let mut groups = Vec::new();
    for &start in order.iter().rev() {
        let mut group = Vec::new();
        visit(start, &mut seen, |player| neighbours(player, true), &mut group);
        if !group.is_empty() {
            group.sort_unstable();
            groups.push(group);
        }
    }
    groups
}

/// Visits all players that can be reached and have not been seen; each is added after those behind it.
fn visit(
    start: usize,
    seen: &mut [bool],
    neighbours: impl Fn(usize) -> Vec<usize>,
    finished: &mut Vec<usize>,
) {
    if std::mem::replace(&mut seen[start], true) {
        return;
    }
    let mut path = vec![(start, neighbours(start))];
    while let Some((player, left)) = path.last_mut() {
        match left.pop() {
            Some(next) if !seen[next] => {
                seen[next] = true;
                path.push((next, neighbours(next)));
            }
            Some(_) => {}
            None => {
                finished.push(*player);
                path.pop();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Divides players of whom each game is given as white, black and result.
    fn divide(games: &[(&str, &str, &str)]) -> (Vec<(String, bool)>, Vec<String>) {
        let mut pgn = String::new();
        for (white, black, result) in games {
            let tags = [("Event", "x"), ("White", white), ("Black", black), ("Result", result)];
            for (name, value) in tags {
                pgn.extend(["[", name, " \"", value, "\"]\n"]);
            }
            pgn.push_str("\n*\n");
        }
        let mut tally = GameTally::default();
        tally.read(pgn.as_bytes()).unwrap();
        let division = Division::new(&tally, &vec![false; tally.players.len()]);
        let name = |&player: &usize| tally.players[player].clone();
        let set_aside = division.set_aside.iter().map(|aside| (name(&aside.player), aside.won_all)).collect();
        let groups = division.groups.iter().map(|group| group.iter().map(name).collect()).collect();
        (set_aside, groups)
    }

    #[test]
    fn who_wins_or_loses_everything_is_set_aside() {
        let (set_aside, groups) = divide(&[
            ("A", "B", "1-0"),
            ("B", "C", "1-0"),
            ("C", "D", "1/2-1/2"),
            ("E", "D", "0-1"),
            ("C", "D", "1-0"),
        ]);
        // Without A, B has won everything.
        let name = |name: &str, won_all| (name.to_owned(), won_all);
        assert_eq!(set_aside, [name("A", true), name("B", true), name("E", false)]);
        assert_eq!(groups, ["CD"]);
        let (set_aside, groups) = divide(&[("A", "B", "1-0"), ("A", "B", "1-0")]);
        assert_eq!((set_aside, groups), (vec![name("A", true)], vec!["B".to_owned()]));
    }

    #[test]
    fn groups_that_cannot_be_compared_are_separate() {
        let draw = "1/2-1/2";
        let never_met = divide(&[("A", "B", draw), ("C", "D", draw), ("D", "E", draw)]);
        assert_eq!(never_met.1, ["CDE", "AB"]);
        let one_way = divide(&[("A", "B", draw), ("C", "D", draw), ("A", "C", "1-0")]);
        assert_eq!(one_way.1, ["AB", "CD"]);
        let both_ways = divide(&[("A", "B", draw), ("C", "D", draw), ("A", "C", "1-0"), ("D", "B", "1-0")]);
        assert_eq!(both_ways.1, ["ABCD"]);
    }
}
