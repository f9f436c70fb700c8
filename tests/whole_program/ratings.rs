//! Rating lists of the games of a match, and the calls of OpenBench.

use crate::support::{Folder, HERALD, herald, refused, text};

#[test]
fn the_games_of_a_match_are_rated() {
    let folder = Folder::new();
    let (pgn, page) = (folder.file("games.pgn"), folder.file("list.html"));
    let engine =
        |name: &str, nodes: u32| format!("cmd='{HERALD} uci' name={name} nodes={nodes} option.Hash=1");
    let (a, b, c) = (engine("A", 1), engine("B", 30), engine("C", 60));
    let played = herald(&[
        "match",
        "--engine",
        &a,
        "--engine",
        &b,
        "--engine",
        &c,
        "--games",
        "4",
        "--max-moves",
        "40",
        "--pgn",
        &pgn,
    ]);
    assert!(played.status.success(), "{played:?}");
    let rated = herald(&["ratings", &pgn, "--anchor", "B=1000", "--superiority", "--head-to-head"]);
    assert!(rated.status.success(), "{rated:?}");
    let list = text(&rated.stdout);
    assert!(
        list.contains("anchor") && list.contains("12 games, ") && list.contains("6 pairs with"),
        "{list}"
    );
    let rated = herald(&["ratings", &pgn, "--format", "html", "-o", &page]);
    assert!(rated.status.success() && rated.stdout.is_empty(), "{rated:?}");
    assert!(folder.read("list.html").starts_with("<!DOCTYPE html>"));
}

#[test]
fn what_cannot_be_rated_is_told_in_one_line() {
    let folder = Folder::new();
    let path = folder.file("games.pgn");
    let list = "[White \"A\"]\n[Black \"B\"]\n[Result \"1/2-1/2\"]\n";
    let game = |n| format!("[White \"Fish {n}\"]\n[Black \"Fish {}\"]\n[Result \"1-0\"]\n\n1-0\n\n", n + 1);
    let many = (0..9).map(game).collect::<Vec<String>>().concat();
    for (pgn, arguments, told) in [
        (
            "no games",
            &[][..],
            "there are no games to rate; expected PGN with the tags White, Black and Result",
        ),
        (
            "[White \"A\"]\n[Black \"B\"]\n[Result \"*\"]\n",
            &[],
            "there are no games to rate: 1 without a result",
        ),
        (
            list,
            &["--anchor", "Fritz=2000"],
            "--anchor: there is no player `Fritz` in the games, but `A`, `B`",
        ),
        (&many, &["--anchor", "9=2000"], "in the games, but `Fish 9`, `Fish 0`, `Fish 1`, `Fish 2`, "),
        (&many, &["--anchor", "9=2000"], "`Fish 6` and others"),
        (list, &["--anchor", "A"], "expected NAME=ELO"),
        (list, &["-o", &path], "games.pgn"),
    ] {
        folder.write("games.pgn", pgn);
        let output = herald(&[&["ratings", &path], arguments].concat());
        assert!(refused(&output).contains(told), "{output:?}");
        assert_eq!(folder.read("games.pgn"), pgn);
    }
}

/// As OpenBench starts engines: commands of UCI as arguments, and `bench`.
#[test]
fn openbench_gets_positions_and_a_signature() {
    let folder = Folder::new();
    let book = folder.write("book.epd", "4k3/4p3/8/8/8/8/4P3/4K3 w - - hmvc 0; fmvn 1;\n");
    let made = herald(&["genfens 3 seed 9 book None ", "quit"]);
    assert!(made.status.success(), "{made:?}");
    let fens: Vec<&str> = text(&made.stdout).lines().collect();
    assert!(fens.len() == 3 && fens.iter().all(|line| line.starts_with("info string genfens ")), "{fens:?}");
    let made = herald(&[&format!("genfens 2 seed 9 book {book}"), "quit"]);
    assert_eq!(text(&made.stdout).lines().filter(|line| line.contains(" genfens ")).count(), 2);
    let bench = herald(&["setoption name Hash value 1", "bench 2", "quit"]);
    let last = text(&bench.stdout).lines().last().expect("a line");
    let words: Vec<&str> = last.split(' ').collect();
    assert!(matches!(words[..], [nodes, "nodes", _, "nps"] if nodes.parse::<u64>().is_ok()), "{last}");
    // A signature of another network than the wanted one would be taken for that of the wanted one.
    let wrong = herald(&["setoption name EvalFile value no/such.nnue", "bench 2", "quit"]);
    assert_eq!((wrong.status.code(), text(&wrong.stdout)), (Some(1), ""), "{wrong:?}");
    assert!(text(&wrong.stderr).starts_with("herald: can't use `no/such.nnue` as a network"), "{wrong:?}");
    assert_eq!(text(&herald(&["bench", "2"]).stdout).split(' ').next(), Some(words[0]));
}
