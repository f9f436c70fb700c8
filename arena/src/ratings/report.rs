//! A rating list as text, CSV, JSON and a page.

use std::fmt::Write as _;

use game::{TextTable, counted, escaped, excerpt};
use serde_json::{Value, json};

use super::list::{RatedGroup, RatedPlayer, RatingBound, RatingList};
use crate::statistics::{Estimate, WinDrawLoss};

/// Maximum number of players whose probabilities of superiority are shown in a matrix; wider ones are unreadable.
const WIDEST_MATRIX: usize = 40;
/// Maximum number of players whose results against each other are listed in JSON and on a page.
const MOST_LISTED: usize = 300;

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;max-width:75rem;margin:2rem auto;padding:0 1rem;color:#222;background:#fff}\
    table{border-collapse:collapse;font-variant-numeric:tabular-nums;margin:.5rem 0 1.5rem}\
    th,td{padding:.15rem .6rem;text-align:right;border-bottom:1px solid #ddd}\
    th{border-bottom:2px solid #888}th:nth-child(2),td:nth-child(2){text-align:left}\
    div{overflow-x:auto}summary{cursor:pointer}\
    @media(prefers-color-scheme:dark){body{color:#ddd;background:#1b1b1b}th,td{border-color:#444}}";

/// Optional sections of the report as text.
#[derive(Clone, Copy, Debug, Default)]
pub struct RatingsSections {
    /// The matrix of the probabilities of superiority.
    pub superiority: bool,
    /// Each player's results against each opponent.
    pub head_to_head: bool,
}

/// Writes a rating list in several formats.
#[derive(Clone, Copy, Debug)]
pub struct RatingsReport<'a>(pub &'a RatingList);

impl RatingsReport<'_> {
    /// Formats the list as text.
    pub fn text(&self, sections: RatingsSections) -> String {
        let list = self.0;
        let mut text = String::new();
        for (number, group) in list.groups.iter().enumerate() {
            if list.groups.len() > 1 {
                let gap = if number > 0 { "\n" } else { "" };
                let _ = writeln!(text, "{gap}{}", group_line(number, group));
            }
            let _ = write!(text, "{}", self.table(number));
        }
        text.push('\n');
        text += &self.summary().iter().map(|line| line.clone() + "\n").collect::<String>();
        if sections.superiority {
            for table in self.matrices() {
                let _ = write!(text, "\nLOS in percent\n{table}");
            }
        }
        if sections.head_to_head {
            for place in 0..list.players.len() {
                let name = excerpt(&list.players[place].name);
                let _ = write!(text, "\n{name}\n{}", self.opponents(place));
            }
        }
        text
    }

    /// Formats the list as comma-separated values with a line of headings (RFC 4180). Missing values are empty.
    pub fn csv(&self) -> String {
        let mut text =
            "rank,group,player,rating,error,bound,points,games,wins,draws,losses,opponents,los\r\n"
                .to_owned();
        for (rank, player) in self.ranked() {
            // A spreadsheet would read such a name as a formula.
            let apostrophe = if player.name.starts_with(['=', '+', '-', '@', '\t', '\r']) { "'" } else { "" };
            let quoted = format!("\"{apostrophe}{}\"", player.name.replace('"', "\"\""));
            let bound = player.bound.map_or("", |bound| match bound {
                RatingBound::AtLeast => ">",
                RatingBound::AtMost => "<",
            });
            let WinDrawLoss { wins, draws, losses } = player.results;
            let _ = write!(
                text,
                "{rank},{},{quoted},{:.2},{},{bound},{:.1},{},{wins},{draws},{losses},{:.1},{}\r\n",
                player.group + 1,
                player.rating.value,
                number(player.rating.error, 2),
                points(&player.results),
                player.results.games(),
                player.opponents,
                player.superiority.map_or(String::new(), |los| format!("{los:.4}")),
            );
        }
        text
    }

    /// Formats the list as JSON. Missing values are null.
    pub fn json(&self) -> Value {
        let list = self.0;
        let is_short = list.players.len() <= MOST_LISTED;
        let players: Vec<Value> = self
            .ranked()
            .map(|(rank, player)| {
                let WinDrawLoss { wins, draws, losses } = player.results;
                json!({
                    "rank": rank, "group": player.group + 1, "name": player.name, "rating": player.rating.value,
                    "error": finite(player.rating.error), "anchor": player.is_anchor,
                    "bound": player.bound.map(|bound| if bound == RatingBound::AtLeast { "at least" } else { "at most" }),
                    "wins": wins, "draws": draws, "losses": losses, "points": points(&player.results),
                    "opponents": player.opponents, "los": player.superiority,
                })
            })
            .collect();
        let places = 0..list.players.len();
        let row = |first: usize| -> Vec<Option<f64>> {
            places.clone().map(|second| list.superiority(first, second).filter(|_| first != second)).collect()
        };
        let against = |place: usize| -> Vec<Value> {
            let result = |(opponent, r): &(usize, WinDrawLoss)| json!([opponent, r.wins, r.draws, r.losses]);
            list.results_of(place).iter().map(result).collect()
        };
        let groups: Vec<Value> = list
            .groups
            .iter()
            .map(|group| json!({ "players": group.players, "games_outside": group.games_outside }))
            .collect();
        let estimate = |Estimate { value, error }| json!({ "value": value, "error": finite(error) });
        json!({
            "games": list.games, "draws": list.draws, "pairs": list.pairs,
            "left_out": { "unfinished": list.left_out.unfinished, "nameless": list.left_out.nameless },
            "first_move": list.first_move.map(estimate), "draws_of_equals": list.draws_of_equals,
            "groups": groups, "players": players,
            "los": is_short.then(|| places.clone().map(row).collect::<Vec<_>>()),
            // Place of the opponent, from 0, wins, draws, losses.
            "head_to_head": is_short.then(|| places.clone().map(against).collect::<Vec<_>>()),
        })
    }

    /// Formats the list as a page that needs nothing else.
    pub fn html(&self, title: &str) -> String {
        let list = self.0;
        let title = escaped(title);
        let mut page = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n\
             <style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
        );
        for (number, group) in list.groups.iter().enumerate() {
            if list.groups.len() > 1 {
                let _ = writeln!(page, "<h2>{}</h2>", escaped(&group_line(number, group)));
            }
            let _ = writeln!(page, "<div>{}</div>", self.table(number).html());
        }
        for line in self.summary() {
            let _ = writeln!(page, "<p>{}</p>", escaped(&line));
        }
        for table in self.matrices() {
            let _ =
                write!(page, "<h2>Likelihood of superiority in percent</h2>\n<div>{}</div>\n", table.html());
        }
        if list.players.len() <= MOST_LISTED {
            page += "<h2>Results against each opponent</h2>\n";
            for (place, player) in list.players.iter().enumerate() {
                let (name, opponents) = (escaped(&player.name), self.opponents(place).html());
                let _ = writeln!(page, "<details><summary>{name}</summary><div>{opponents}</div></details>");
            }
        }
        page + "</body>\n</html>\n"
    }

    /// Returns the players with their ranks in their groups.
    fn ranked(&self) -> impl Iterator<Item = (usize, &RatedPlayer)> {
        let mut last = (0, 0);
        self.0.players.iter().map(move |player| {
            last = if last.0 == player.group { (player.group, last.1 + 1) } else { (player.group, 1) };
            (last.1, player)
        })
    }

    /// Returns the table of a group.
    fn table(self, group: usize) -> TextTable {
        let numbers = ["Rating", "Error", "Points", "Games", "%", "Draws %", "Opponents", "LOS %"];
        let mut table = TextTable::default().numbers([""]).texts(["Player"]).numbers(numbers);
        for (rank, player) in self.ranked().filter(|(_, player)| player.group == group) {
            let results = &player.results;
            table.push([
                rank.to_string(),
                player.name.clone(),
                rating(player),
                if player.is_anchor { "anchor".to_owned() } else { number(player.rating.error, 1) },
                format!("{:.1}", points(results)),
                results.games().to_string(),
                percent(Some(points(results) / results.games().max(1) as f64)),
                percent(results.draw_ratio()),
                format!("{:.1}", player.opponents),
                percent(player.superiority),
            ]);
        }
        table
    }

    /// Returns what is to be said about all games.
    fn summary(self) -> Vec<String> {
        let list = self.0;
        let mut lines = vec![format!(
            "{}, {} % drawn; {} with the same opening and both colours",
            counted(list.games, "game"),
            percent((list.games > 0).then(|| list.draws as f64 / list.games as f64)),
            counted(list.pairs, "pair")
        )];
        if let Some(Estimate { value, error }) = list.first_move {
            lines.push(format!("Advantage of the first move: {value:+.1} ± {error:.1} Elo"));
        } else if list.first_move_is_unknown {
            lines.push(
                "Advantage of the first move: it cannot be told from these games, and is taken to be 0"
                    .to_owned(),
            );
        }
        if let Some(share) = list.draws_of_equals {
            lines.push(format!("Draws between equal players: {:.1} %", 100.0 * share));
        }
        lines.push(
            "Errors are 95 %, relative to the anchor or to the mean of the group; LOS: over the next player"
                .to_owned(),
        );
        let left_out = list.left_out;
        if left_out.unfinished + left_out.nameless > 0 {
            lines.push(format!(
                "Left out: {} without a result, {} without two players",
                counted(left_out.unfinished, "game"),
                counted(left_out.nameless, "game")
            ));
        }
        lines
    }

    /// Returns the matrix of superiorities of each group that has a readable one.
    fn matrices(self) -> Vec<TextTable> {
        let list = self.0;
        let readable = |group: &usize| (2..=WIDEST_MATRIX).contains(&list.groups[*group].players);
        (0..list.groups.len()).filter(readable).map(|group| self.matrix(group)).collect()
    }

    fn matrix(self, group: usize) -> TextTable {
        let list = self.0;
        let places: Vec<usize> =
            (0..list.players.len()).filter(|&i| list.players[i].group == group).collect();
        let ranks = (1..=places.len()).map(|rank| rank.to_string());
        let mut table = TextTable::default().numbers([""]).texts(["Player"]).numbers(ranks.clone());
        for (rank, &first) in ranks.zip(&places) {
            let cells = places.iter().map(|&second| match list.superiority(first, second) {
                Some(los) if first != second => format!("{:.0}", 100.0 * los),
                _ => "-".to_owned(),
            });
            table.push([rank, list.players[first].name.clone()].into_iter().chain(cells));
        }
        table
    }

    /// Returns the table of a player's results against each opponent.
    fn opponents(self, place: usize) -> TextTable {
        let list = self.0;
        let numbers = ["Rating", "Games", "+", "=", "-", "%", "LOS %"];
        let mut table = TextTable::default().numbers([""]).texts(["Opponent"]).numbers(numbers);
        for (number, (opponent, results)) in (1..).zip(list.results_of(place)) {
            let other = &list.players[*opponent];
            let outside = if other.group == list.players[place].group { "" } else { "*" };
            table.push([
                number.to_string(),
                format!("{}{outside}", other.name),
                rating(other),
                results.games().to_string(),
                results.wins.to_string(),
                results.draws.to_string(),
                results.losses.to_string(),
                percent(Some(points(results) / results.games() as f64)),
                percent(list.superiority(place, *opponent)),
            ]);
        }
        table
    }
}

fn group_line(number: usize, group: &RatedGroup) -> String {
    let relation = match group.games_outside {
        0 => "never met the others".to_owned(),
        games => format!(
            "cannot be compared with the others: {} against them went all one way",
            counted(games, "game")
        ),
    };
    let mean = if group.anchors == 0 { ", rated by their own mean" } else { "" };
    format!("Group {}: {}, {relation}{mean}", number + 1, counted(group.players as u64, "player"))
}

fn rating(player: &RatedPlayer) -> String {
    let sign = match player.bound {
        None => "",
        Some(RatingBound::AtLeast) => "> ",
        Some(RatingBound::AtMost) => "< ",
    };
    // Not -0.0.
    format!("{sign}{:.1}", (player.rating.value * 10.0).round() / 10.0 + 0.0)
}

fn points(results: &WinDrawLoss) -> f64 {
    results.halves() as f64 / 2.0
}

fn percent(ratio: Option<f64>) -> String {
    ratio.map_or_else(|| "-".to_owned(), |ratio| format!("{:.1}", 100.0 * ratio))
}

/// Formats a number; infinity is empty.
fn number(value: f64, decimals: usize) -> String {
    if value.is_finite() { format!("{value:.decimals$}") } else { String::new() }
}

fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}
