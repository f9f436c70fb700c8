//! Tests of whole rating lists.

use std::fmt::Write as _;

use super::*;
use crate::statistics::{Estimate, WinDrawLoss};

const FREE: RatingOptions = RatingOptions { average: 0.0, anchors: Vec::new(), first_move: None };

fn tally(pgn: &str) -> GameTally {
    let mut tally = GameTally::default();
    tally.read(pgn.as_bytes()).unwrap();
    tally
}

fn list(pgn: &str, options: &RatingOptions) -> RatingList {
    RatingList::new(&tally(pgn), options).unwrap()
}

fn game(white: &str, black: &str, result: &str) -> String {
    format!("[Event \"x\"]\n[White \"{white}\"]\n[Black \"{black}\"]\n[Result \"{result}\"]\n\n{result}\n\n")
}

/// Writes games of two players, with the colours in turn.
fn games(a: &str, b: &str, results: WinDrawLoss) -> String {
    let WinDrawLoss { wins, draws, losses } = results;
    let each = [(wins, "1-0", "0-1"), (draws, "1/2-1/2", "1/2-1/2"), (losses, "0-1", "1-0")];
    let mut pgn = String::new();
    for (count, with_white, with_black) in each {
        for number in 0..count {
            pgn += &if number % 2 == 0 { game(a, b, with_white) } else { game(b, a, with_black) };
        }
    }
    pgn
}

fn three_players() -> String {
    let results = |wins, draws, losses| WinDrawLoss { wins, draws, losses };
    games("Houdini", "Strelka", results(18, 9, 3))
        + &games("Strelka", "Komodo", results(18, 9, 3))
        + &games("Houdini", "Komodo", results(24, 6, 0))
}

#[track_caller]
fn assert_near(value: f64, expected: f64, tolerance: f64) {
    assert!((value - expected).abs() <= tolerance, "{value} is not {expected}");
}

/// K. Laskos published in 2012 what Ordo makes of these results: 190.1, 0 and -190.1. Its scale was 173 for a natural unit
/// then, where Elo's has 400 / ln 10. 75 % are 190.85 Elo by the formula.
#[test]
fn ratings_are_those_of_ordo() {
    let list = list(&three_players(), &RatingOptions { first_move: Some(0.0), ..FREE });
    let ratings: Vec<(&str, f64)> = list.players.iter().map(|p| (&*p.name, p.rating.value)).collect();
    let scale = 173.0 / (400.0 / std::f64::consts::LN_10);
    for ((name, rating), (expected, published)) in
        ratings.into_iter().zip([("Houdini", 190.1), ("Strelka", 0.0), ("Komodo", -190.1)])
    {
        assert_eq!(name, expected);
        assert_near(rating * scale, published, 0.06);
    }
    assert_near(list.players[0].rating.value, 190.85, 0.005);
    assert_eq!((list.games, list.draws, list.groups.len(), list.first_move), (90, 24, 1, None));
    assert_near(list.superiority(0, 2).unwrap(), 1.0, 0.001);
    assert_near(list.superiority(1, 0).unwrap(), 1.0 - list.superiority(0, 1).unwrap(), 1e-9);
}

/// By hand: 60 % of 200 games, 100 of them drawn, have the variance 0.115. For each colour the virtual result adds 0.24 to the
/// sum of the squares, 11.5, and the sum is brought back from 101 to 100 games: 11.624. The standard error of the score
/// is sqrt(2 * 11.624) / 200 = 0.024108, and the slope 0.24 / 173.718 for each Elo: 1.96 errors are 34.20 Elo.
#[test]
fn errors_are_those_of_two_players() {
    let pgn = games("A", "B", WinDrawLoss { wins: 70, draws: 100, losses: 30 });
    let pgn =
        pgn.split("[Event \"x\"]").enumerate().map(|(number, game)| format!("[FEN \"{number}\"]\n{game}"));
    let options = RatingOptions { first_move: Some(0.0), anchors: vec![("B".into(), 100.0)], ..FREE };
    let list = list(&pgn.skip(1).collect::<String>(), &options);
    let [a, b] = &list.players[..] else { panic!("two players") };
    assert_eq!((list.games, list.pairs, b.is_anchor, b.rating.error.abs()), (200, 0, true, 0.0));
    assert_near(a.rating.value - b.rating.value, 70.44, 0.005);
    assert_near(a.rating.error, 34.20, 0.01);
}

#[test]
fn several_anchors_hold() {
    let anchors = vec![("Houdini".to_owned(), 3000.0), ("Komodo".to_owned(), 2700.0)];
    let list = list(&three_players(), &RatingOptions { anchors, ..FREE });
    let values: Vec<f64> = list.players.iter().map(|player| player.rating.value).collect();
    assert_near(values[0], 3000.0, 1e-9);
    assert_near(values[1], 2850.0, 0.5);
    assert_near(values[2], 2700.0, 1e-9);
    let unknown = RatingOptions { anchors: vec![("Fritz".to_owned(), 0.0)], ..FREE };
    assert_eq!(RatingList::new(&tally(&three_players()), &unknown).unwrap_err(), "Fritz");
}

#[test]
fn who_won_everything_has_a_bound() {
    let pgn = three_players() + &games("Perfect", "Strelka", WinDrawLoss { wins: 10, draws: 0, losses: 0 });
    let list = list(&pgn, &RatingOptions { first_move: Some(0.0), ..FREE });
    let best = &list.players[0];
    assert_eq!((&*best.name, best.bound, best.superiority), ("Perfect", Some(RatingBound::AtLeast), None));
    // 9.5 of 10 are 511.5 Elo more than the opponent.
    let strelka = list.players.iter().find(|player| player.name == "Strelka").unwrap();
    assert_near(best.rating.value - strelka.rating.value, 511.5, 0.1);
    assert!(RatingsReport(&list).text(RatingsSections::default()).contains("> "));
}

/// Who has a fixed rating and won or lost everything says nothing about those who have both won and lost.
#[test]
fn an_anchor_who_won_or_lost_everything_is_compared_with_nobody() {
    let won = |games| WinDrawLoss { wins: games, draws: 0, losses: 0 };
    let even = games("B", "C", WinDrawLoss { wins: 10, draws: 0, losses: 10 });
    let anchored = |pgn: &str, anchors: &[(&str, f64)]| {
        let anchors = anchors.iter().map(|&(name, rating)| (name.to_owned(), rating)).collect();
        list(pgn, &RatingOptions { anchors, ..FREE })
    };
    let above = anchored(&(even.clone() + &games("A", "B", won(10))), &[("A", 2000.0)]);
    let below = anchored(&(even + &games("B", "A", won(10))), &[("A", 2000.0)]);
    let both = anchored(&games("A", "B", won(10)), &[("A", 2000.0), ("B", 2500.0)]);
    for list in [above, below, both] {
        let place = |name: &str| list.players.iter().position(|player| player.name == name).unwrap();
        assert_ne!(list.players[place("A")].group, list.players[place("B")].group, "{:?}", list.players);
        assert!((0..list.players.len()).all(|other| list.superiority(place("A"), other).is_none()));
        assert_near(list.players[place("A")].rating.value, 2000.0, 1e-9);
    }
    // Those who hang on the anchor alone have bounds.
    let hanging = anchored(&(games("A", "B", won(10)) + &games("B", "C", won(1))), &[("A", 2000.0)]);
    let names: Vec<&str> = hanging.players.iter().map(|player| &*player.name).collect();
    let bounds: Vec<Option<RatingBound>> = hanging.players.iter().map(|player| player.bound).collect();
    assert_eq!(names, ["A", "B", "C"]);
    assert_eq!(bounds, [None, Some(RatingBound::AtMost), Some(RatingBound::AtMost)]);
    assert_near(hanging.players[1].rating.value, 2000.0 - 511.5, 0.1);
}

/// After a single game the bound is the opponent's rating.
#[test]
fn who_won_stands_above_who_lost_at_the_same_value() {
    let order = |pgn: &[(&str, &str)], anchor: Option<&str>| -> String {
        let games: String = pgn.iter().map(|(white, black)| game(white, black, "1-0")).collect();
        let anchors = anchor.into_iter().map(|name| (name.to_owned(), 2000.0)).collect();
        let list = list(&games, &RatingOptions { anchors, ..FREE });
        let csv = RatingsReport(&list).csv();
        let in_csv = csv.lines().skip(1).map(|line| line.split(',').nth(2).unwrap().replace('"', ""));
        let json = RatingsReport(&list).json();
        let in_json =
            json["players"].as_array().unwrap().iter().map(|player| player["name"].as_str().unwrap());
        assert_eq!(in_csv.clone().collect::<String>(), in_json.collect::<String>());
        in_csv.collect()
    };
    for anchor in [None, Some("A"), Some("B")] {
        assert_eq!(order(&[("A", "B")], anchor), "AB", "{anchor:?}");
        assert_eq!(order(&[("B", "A")], anchor), "BA", "{anchor:?}");
    }
    for anchor in [None, Some("A"), Some("D")] {
        assert_eq!(order(&[("A", "B"), ("B", "C"), ("C", "D")], anchor), "ABCD", "{anchor:?}");
        assert_eq!(order(&[("C", "D"), ("B", "C"), ("A", "B")], anchor), "ABCD", "{anchor:?}");
    }
}

#[test]
fn groups_that_never_met_are_named() {
    let pgn = three_players() + &games("X", "Y", WinDrawLoss { wins: 3, draws: 1, losses: 2 });
    let list = list(&pgn, &FREE);
    let groups: Vec<(usize, u64)> = list.groups.iter().map(|g| (g.players, g.games_outside)).collect();
    assert_eq!(groups, [(3, 0), (2, 0)]);
    assert_eq!(list.superiority(0, 3), None);
    let text = RatingsReport(&list).text(RatingsSections::default());
    assert!(text.contains("Group 2: 2 players, never met the others"), "{text}");
    let one_way = pgn + &games("Houdini", "X", WinDrawLoss { wins: 4, draws: 0, losses: 0 });
    let text = RatingsReport(&super::tests::list(&one_way, &FREE)).text(RatingsSections::default());
    assert!(
        text.contains("cannot be compared with the others: 4 games against them went all one way"),
        "{text}"
    );
}

/// An advantage that nobody can tell from the ratings is left out of the list.
#[test]
fn an_advantage_needs_both_colours() {
    let pgn = [game("A", "B", "1-0"), game("A", "B", "0-1"), game("A", "B", "1-0")].concat();
    let list = list(&pgn, &FREE);
    assert_eq!(list.first_move, None);
    assert_near(list.players[0].rating.value - list.players[1].rating.value, 120.4, 0.1);
}

/// Where one colour won everything, any larger advantage is more likely still.
#[test]
fn an_advantage_without_a_limit_is_not_told() {
    let white_wins = game("A", "B", "1-0") + &game("B", "A", "1-0");
    let more = white_wins.clone() + &game("A", "C", "0-1");
    let black_wins = ["AB", "BC", "CA", "BA"].map(|pair| game(&pair[..1], &pair[1..], "0-1")).concat();
    for pgn in [white_wins, more, black_wins] {
        let list = list(&pgn, &FREE);
        assert_eq!((list.first_move, list.first_move_is_unknown), (None, true));
        for player in &list.players {
            assert!(player.rating.value.abs() < 1000.0, "{player:?}");
            assert!(player.rating.error > 100.0, "{player:?}");
        }
        let text = RatingsReport(&list).text(RatingsSections::default());
        assert!(text.contains("cannot be told"), "{text}");
    }
    let anchors = vec![("A".to_owned(), 0.0), ("B".to_owned(), 0.0)];
    let games = game("A", "B", "1-0") + &game("A", "B", "1-0") + &game("A", "B", "0-1");
    let known = list(&games, &RatingOptions { anchors, ..FREE }).first_move.unwrap();
    assert_near(known.value, 120.4, 0.1);
    let drawn = ["AB", "BA"].map(|pair| game(&pair[..1], &pair[1..], "1/2-1/2")).concat();
    let drawn = list(&(game("A", "B", "1-0") + &game("B", "A", "1-0") + &drawn), &FREE);
    assert!(!drawn.first_move_is_unknown && drawn.first_move.unwrap().value < 500.0);
}

/// The only one of a group has no error.
#[test]
fn a_single_game_proves_nothing() {
    let list = list(&game("A", "B", "1-0"), &FREE);
    assert!(list.players.iter().all(|player| player.rating.error.is_infinite()), "{:?}", list.players);
}

/// Plays pairs of games between players of known ratings, with openings that favour one colour by hundreds of Elo.
fn simulated(seed: u64) -> (String, Vec<f64>) {
    let mut random = fastrand::Rng::with_seed(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let strengths = vec![60.0, 25.0, 0.0, -20.0, -65.0];
    let mut pgn = String::new();
    for pair in 0..300 {
        let (a, b) = loop {
            let (a, b) = (random.usize(..5), random.usize(..5));
            if a != b {
                break (a, b);
            }
        };
        let bias = 300.0 * (random.f64() - 0.5) + 30.0;
        for (white, black) in [(a, b), (b, a)] {
            let lead = strengths[white] - strengths[black] + bias;
            let win = |lead: f64| 1.0 / (1.0 + 10_f64.powf((150.0 - lead) / 400.0));
            let luck = random.f64();
            let result = if luck < win(lead) {
                "1-0"
            } else if luck > 1.0 - win(-lead) {
                "0-1"
            } else {
                "1/2-1/2"
            };
            let _ = write!(
                pgn,
                "[Event \"x\"]\n[White \"{white}\"]\n[Black \"{black}\"]\n[Result \"{result}\"]\n[FEN \"{pair}\"]\n\n*\n\n"
            );
        }
    }
    (pgn, strengths)
}

/// The intervals hold the truth in 95 % of the cases. The scale of the truth is that of the scores between these players.
#[test]
fn intervals_hold_the_truth_as_often_as_they_say() {
    let runs = 200;
    let lists: Vec<RatingList> = (0..runs).map(|seed| list(&simulated(seed).0, &FREE)).collect();
    let rating = |list: &RatingList, name: usize| -> Estimate {
        list.players.iter().find(|player| player.name == name.to_string()).unwrap().rating
    };
    let mut inside = 0;
    for name in 0..5 {
        // The mean over all runs stands for the truth: its own error is a fourteenth of that of a run.
        let truth = lists.iter().map(|list| rating(list, name).value).sum::<f64>() / runs as f64;
        for list in &lists {
            let Estimate { value, error } = rating(list, name);
            inside += u32::from((value - truth).abs() <= error);
        }
    }
    assert!(lists[0].pairs == 300, "{}", lists[0].pairs);
    let share = f64::from(inside) / (5 * runs) as f64;
    assert!((0.93..0.975).contains(&share), "{share}");
}

#[test]
fn names_are_harmless() {
    let list = list(&game("=1+1", "\u{1b}[31mred", "1/2-1/2"), &FREE);
    let report = RatingsReport(&list);
    let text = report.text(RatingsSections { superiority: true, head_to_head: true });
    assert!(text.contains("?[31mred") && !text.contains('\u{1b}'), "{text}");
    assert!(report.csv().contains(",\"'=1+1\","), "{}", report.csv());
}

#[test]
fn all_formats_tell_the_same() {
    let pgn = games("<a> \"b\", c", "D", WinDrawLoss { wins: 5, draws: 3, losses: 2 })
        .replace("\"b\"", "\\\"b\\\"");
    let list = list(&pgn, &FREE);
    let report = RatingsReport(&list);
    let text = report.text(RatingsSections { superiority: true, head_to_head: true });
    assert!(
        text.contains("1  <a> \"b\", c") && text.contains("LOS in percent") && text.contains("5  3  2"),
        "{text}"
    );
    let csv = report.csv();
    assert!(csv.lines().nth(1).unwrap().starts_with("1,1,\"<a> \"\"b\"\", c\","), "{csv}");
    let json = report.json();
    assert_eq!((&json["players"][0]["wins"], &json["head_to_head"][0][0][2]), (&5.into(), &3.into()));
    let html = report.html("Ratings & more");
    assert!(
        html.contains("&lt;a&gt; &quot;b&quot;, c") && html.contains("<title>Ratings &amp; more</title>")
    );
    assert!(!html.contains("http"), "a page needs nothing else");
}
