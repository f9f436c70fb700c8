//! `herald annotate`: games in, annotated games out; interrupted and resumed; with programs that fail.

use std::fs;
use std::time::Instant;

use game::TreeReader;

use crate::installed::{find, has_all};
use crate::support::{Folder, PATIENCE, Program};

/// A game with everything, a broken one, and one that names nobody.
const GAMES: &str = "[Event \"1\"]\n[White \"Ann\"]\n[Black \"Bob\"]\n[TimeControl \"60\"]\n\n\
    {A game} 1. f3 $6 {[%clk 0:00:59] weak} e5 {[%clk 0:00:58]} (1... d5 2. d4 (2. c4)) 2. g4 d5 3. h3 Nc6 4. a3 Be6 0-1\n\n\
    [Event \"2\"]\n[White \"Cid\"]\n[Black \"Ann\"]\n\n1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0\n\n\
    [Event \"3\"]\n\n1. d4 d5 2. c4 e6 3. Nc3 Nf6 *\n\n";

/// Asserts the exit code of a run and returns its standard error.
fn told(folder: &Folder, arguments: &[&str], code: i32) -> String {
    folder.told(&[&["annotate"], arguments].concat(), code)
}

const QUICK: [&str; 7] = ["a.pgn", "-o", "b.pgn", "--nodes", "2000", "--no-times", "--analyze-theory"];

#[test]
fn games_are_annotated_and_everything_stays() {
    let folder = Folder::with("a.pgn", GAMES);
    let others = [
        "--json",
        "j",
        "--html",
        "h.html",
        "--epd",
        "e",
        "--puzzles",
        "p",
        "--tables",
        "t.csv",
        "--puzzle-nodes",
        "9000",
    ];
    let summary = told(&folder, &[&QUICK[..], &others].concat(), 0);
    assert_eq!(summary, "3 games: 3 annotated, 0 of other players, 0 with faults\n");
    let text = folder.read("b.pgn").replace('\n', " ");
    let whole = |number: usize| folder.read("b.pgn").split("[Event ").nth(number).expect("a game").to_owned();
    assert!(text.contains("{A game} 1. f3 $6 {[%eval -") && text.contains("{[%clk 0:00:59] weak}"), "{text}");
    assert!(text.contains("(1... d5 2. d4 (2. c4))"), "{text}");
    assert!(
        whole(2).contains("[Annotator \"Herald ") && whole(2).contains("[AnalysisLimit \"nodes=2000\"]"),
        "{text}"
    );
    assert!(text.contains("Nf6 $4 {[%eval #1,") && text.contains("Allows mate in 1."), "{text}");
    assert!(whole(3).contains("[ECO \"D35\"]"), "{text}");
    for (name, lines) in [("j", 3), ("e", 9 + 7 + 7), ("t.csv", 13)] {
        assert!(folder.read(name).lines().count() >= lines, "{name}: {}", folder.read(name));
    }
    assert!(folder.read("h.html").contains("Bob") && folder.read("h-3.html").starts_with("<!DOCTYPE html>"));
    // The suites are read without a fault.
    let check = folder.herald(&["epd", "check", "e", "p"]);
    assert!(check.status.success(), "{check:?}");
    // Only the moves of one player are judged; a game without it is copied.
    let summary = told(&folder, &[&QUICK[..], &["--player", "ann"]].concat(), 0);
    assert_eq!(summary, "3 games: 2 annotated, 1 of other players, 0 with faults\n");
    assert!(whole(1).contains("WhiteAccuracy") && !whole(1).contains("BlackAccuracy"));
    assert!(GAMES.ends_with(&format!("[Event {}", whole(3))));
}

#[test]
fn a_dry_run_is_a_fixed_point() {
    let folder = Folder::with("a.pgn", GAMES);
    told(&folder, &["a.pgn", "-o", "b.pgn", "--dry"], 0);
    told(&folder, &["b.pgn", "-o", "c.pgn", "--dry"], 0);
    assert_eq!(folder.read("b.pgn"), folder.read("c.pgn"));
    let trees = |name: &str| {
        let text = folder.read(name);
        let games = TreeReader::new(text.as_bytes()).map(|game| game.expect("a game").tree.mainline);
        games.collect::<Vec<_>>()
    };
    assert_eq!(trees("a.pgn"), trees("b.pgn"));
}

#[test]
fn faults_are_told_and_cost_nothing() {
    let broken = "[Event \"x\"]\n\n1. e4 e5 2. Ke3 d6 (2... a6\n\n[Event \"good\"]\n\n1. d4 d5 *\n";
    let folder = Folder::with("a.pgn", broken);
    let summary = told(&folder, &QUICK, 1);
    let lines: Vec<&str> = summary.lines().collect();
    assert_eq!(lines[0], "a.pgn:3: a variation is not closed");
    assert_eq!(lines[1], "a.pgn:1: the game breaks off without a result; `*` is written");
    assert!(lines[2].starts_with("a.pgn:3: illegal move `Ke3`"), "{summary}");
    assert_eq!(lines[3], "2 games: 2 annotated, 0 of other players, 1 with faults");
    assert_eq!(lines[4], "herald: 1 game could not be annotated as a whole");
    let text = folder.read("b.pgn").replace('\n', " ");
    assert!(text.contains(" 2. Ke3 d6 (2... a6) *") && text.contains("1. e4 {[%eval"), "{text}");
}

#[test]
fn an_interrupted_run_goes_on_where_it_stopped() {
    let folder = Folder::with("a.pgn", GAMES);
    let others = ["--json", "j", "--epd", "e", "--tables", "t.csv", "--html", "h.html"];
    let arguments = [&QUICK[..], &others].concat();
    told(&folder, &arguments, 0);
    let names = ["b.pgn", "j", "e", "t.csv", "h-2.html"];
    let whole = names.map(|name| folder.read(name));
    let resume = [&arguments[..], &["--resume"]].concat();
    let first = whole[0].find("[Event \"2\"]").expect("a second game");
    for length in [0, 3, first, first + 10, first + 400, whole[0].len() - 1, whole[0].len()] {
        folder.write("b.pgn", &whole[0][..length]);
        let done = 3 * usize::from(length == whole[0].len())
            + usize::from((first..whole[0].len() - 1).contains(&length));
        let summary = told(&folder, &resume, 0);
        let earlier = if length == whole[0].len() - 1 { 2 } else { done };
        assert!(summary.starts_with(&game::counted(3 - earlier as u64, "game")), "{length}: {summary}");
        assert_eq!(names.map(|name| folder.read(name)), whole, "{length}");
    }
    // So are other settings; the data of finished games stays, too.
    folder.write("b.pgn", &whole[0][..first]);
    for setting in [&["--blunder", "30"][..], &["--no-words"], &["--line-plies", "3"], &["--from-move", "2"]]
    {
        let refused = told(&folder, &[&resume[..], setting].concat(), 2);
        assert!(refused.contains("is made with the settings `--analyze-theory`, not `--"), "{refused}");
        assert_eq!(folder.read("b.pgn"), whole[0][..first]);
        assert_eq!(names[1..].iter().map(|name| folder.read(name)).collect::<Vec<_>>(), whole[1..]);
    }
    // A run without analysis is not one with it.
    told(&folder, &["a.pgn", "-o", "dry.pgn", "--dry"], 0);
    let refused = told(&folder, &["a.pgn", "-o", "dry.pgn", "--nodes", "2000", "--resume"], 2);
    assert!(refused.contains("`dry.pgn` is of a run with --dry"), "{refused}");
    // Other games, another limit, and a file of somebody else are refused and left alone.
    for foreign in
        [whole[0].replace("1. f3", "1. f4"), whole[0].replace("nodes=2000", "nodes=9"), "notes\n".to_owned()]
    {
        folder.write("b.pgn", &foreign);
        let refused = told(&folder, &resume, 2);
        assert!(
            refused.starts_with("herald: can't resume: line ") && refused.lines().count() == 1,
            "{refused}"
        );
        assert_eq!(folder.read("b.pgn"), foreign);
    }
}

#[test]
fn wrong_arguments_are_told_before_anything_is_written() {
    let folder = Folder::with("a.pgn", GAMES);
    fs::write(folder.path().join("wide.pgn"), b"\xff\xfe[\0E\0").expect("a file");
    let book = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - bm e4;\n";
    folder.write("book.epd", book);
    folder.write("notes-2.html", "<h1>Notes</h1>");
    for (arguments, part) in [
        (&["a.pgn", "-o", "a.pgn"][..], "is both input and output"),
        (&["a.pgn", "-o", "b.pgn", "--book", "book.epd", "--tables", "book.epd"], "is both input and output"),
        (&["a.pgn", "-o", "b.pgn", "--json", "b.pgn"], "two outputs"),
        (&["a.pgn", "-o", "b.pgn", "--epd", "./b.pgn"], "two outputs"),
        (&["a.pgn", "-o", "b.pgn", "--html", "h.html", "--json", "h-2.html"], "--html would write there"),
        (&["a.pgn", "-o", "b.pgn", "--html", "notes.html"], "`notes-2.html` is no page of games"),
        (
            &["a.pgn", "-o", "b.pgn", "--puzzles", "p", "--puzzle-nodes", "799999"],
            "at least four times the 200000",
        ),
        (&["no.pgn", "-o", "b.pgn"], "can't read `no.pgn`"),
        (&["wide.pgn", "-o", "b.pgn"], "UTF-16"),
        (&["a.pgn", "-o", "b.pgn", "--engine", "no-such-program"], "cannot be started"),
        (&["a.pgn", "-o", "b.pgn", "--engine", "herald", "--engine", "no-such-program"], "cannot be started"),
        (
            &["a.pgn", "-o", "b.pgn", "--engine", "herald", "--engine", "herald"],
            "two programs are called `Herald ",
        ),
        (&["a.pgn", "-o", "b.pgn", "--engine", "no-such-program", "--hash", "8"], "--hash is that of Herald"),
        (&["a.pgn", "-o", "b.pgn", "--mistake", "3"], "--inaccuracy <= --mistake"),
        (&["a.pgn", "-o", "b.pgn", "--scale", "0"], "--scale 0"),
        (&["a.pgn", "-o", "b.pgn", "--soft"], "--soft requires --time"),
        (&["a.pgn", "-o", "b.pgn", "--book", "a.pgn"], "can't use `a.pgn`"),
        (&["-", "-o", "b.pgn", "--resume"], "needs files"),
        (&["a.pgn", "-o", "b.pgn", "--resume", "--epd", "e"], "--resume needs --json"),
    ] {
        let refused = told(&folder, arguments, 2);
        assert!(refused.contains(part) && refused.lines().count() == 1, "{arguments:?}: {refused}");
        assert!(!folder.path().join("b.pgn").exists(), "{arguments:?}");
    }
    assert_eq!(folder.read("notes-2.html"), "<h1>Notes</h1>");
}

#[test]
fn a_program_that_ignores_the_depth_is_asked_for_its_move() {
    let folder = Folder::with("a.pgn", "1. d4 d5 *\n");
    // They think without end until they are asked, one of each protocol.
    let deeper = "deeper() { depth=0; while :; do depth=$((depth + 1)); report e2e3; report e7e6; sleep 0.01; done; }\n";
    let cecp = "report() { echo \"$depth 31 1 $depth $1\"; }\n\
        while read -r line; do case $line in protover*) echo 'feature ping=1 usermove=1 done=1';; ping*) echo \"pong ${line#ping }\";; \
        go) deeper & pid=$!;; '?') kill $pid; echo move a2a3;; quit) kill $pid; exit;; esac; done\n";
    let uci = "report() { echo \"info depth $depth score cp 31 pv $1\"; }\n\
        while read -r line; do case $line in uci) echo id name Deep; echo uciok;; isready) echo readyok;; \
        go*) deeper & pid=$!;; stop) kill $pid; echo bestmove a2a3;; quit) kill $pid; exit;; esac; done\n";
    for (protocol, rest) in [("cecp", cecp), ("uci", uci)] {
        let program = folder.write(protocol, &format!("{deeper}{rest}"));
        let command = format!("cmd='sh {program}' protocol={protocol}");
        let arguments = ["a.pgn", "-o", "b.pgn", "--depth", "5", "--analyze-theory", "--engine", &command];
        told(&folder, &arguments, 0);
        let text = folder.read("b.pgn").replace('\n', " ");
        assert_eq!(text.matches(",5]").count(), 4, "{protocol}: {text}");
    }
}

#[test]
fn a_program_that_is_silent_when_asked_is_left_behind() {
    let folder = Folder::with("a.pgn", "1. d4 *\n");
    // Its first report is beyond the limit, or it is without a line.
    for (name, reports) in [
        ("first", "echo info depth 99 score cp 31 pv $best"),
        ("bare", "echo info depth 3 score cp 31 pv $best; echo info depth 99 score cp 5"),
    ] {
        let script = format!(
            "while read -r line; do case $line in uci) echo id name Deaf; echo uciok;; isready) echo readyok;; \
             *d2d4) best=e7e6;; position*) best=e2e3;; go*) {reports};; quit) exit;; esac; done\n"
        );
        let command = format!("cmd='sh {}'", folder.write(name, &script));
        let arguments = ["a.pgn", "-o", "b.pgn", "--depth", "5", "--analyze-theory", "--engine", &command];
        let began = Instant::now();
        told(&folder, &arguments, 0);
        assert!(began.elapsed().as_secs() < 40, "{name}: {:?}", began.elapsed());
        assert!(folder.read("b.pgn").contains("[%eval -0.31,"), "{name}: {}", folder.read("b.pgn"));
    }
}

#[test]
fn a_page_is_written_as_a_whole_and_an_empty_one_is_ours() {
    let folder = Folder::with("a.pgn", GAMES);
    folder.write("h-2.html", "");
    let arguments = [&QUICK[..], &["--json", "j", "--html", "h.html"]].concat();
    told(&folder, &arguments, 0);
    let whole = folder.read("h-2.html");
    assert!(whole.starts_with("<!DOCTYPE html>"));
    let names = fs::read_dir(folder.path()).expect("a folder").map(|file| file.expect("a file").file_name());
    assert!(names.into_iter().all(|name| !name.to_string_lossy().starts_with('.')));
    // What an interrupted run left is written again.
    folder.write("h-2.html", "");
    told(&folder, &[&arguments[..], &["--resume"]].concat(), 0);
    assert_eq!(folder.read("h-2.html"), whole);
}

#[test]
fn lost_text_and_contradictions_are_told() {
    let long = format!("[Result \"1-0\"]\n\n1. d4 {{{}}}\n1... d5 0-1\n", "x".repeat(2 << 20));
    let folder = Folder::with("a.pgn", &long);
    let summary = told(&folder, &["a.pgn", "-o", "b.pgn", "--dry"], 1);
    assert!(summary.contains("a.pgn:3: this is too long for a game of chess\n"), "{summary}");
    assert!(summary.contains("the tag Result says `1-0`, the moves end with `0-1`"), "{summary}");
    assert!(folder.read("b.pgn").trim_end().ends_with("0-1"));
}

#[test]
fn several_programs_annotate_and_are_resumed_together() {
    let peers = ["stockfish", "hoichess"].map(|name| (name, find(name).is_some()));
    if !has_all(&peers) {
        return;
    }
    // Without the game of opening moves, for which HoiChess has no scores but its book.
    let folder = Folder::with("a.pgn", GAMES.split_once("[Event \"3\"]").expect("a third game").0);
    let (herald, hoichess) = (["--engine", "herald"], ["--engine", "cmd=hoichess protocol=cecp name=Hoi"]);
    let refused = told(&folder, &[&QUICK[..], &hoichess].concat(), 2);
    assert!(refused.contains("hoichess cannot play with nodes=2000"), "{refused}");
    let quick = ["a.pgn", "-o", "b.pgn", "--depth", "4", "--no-times", "--analyze-theory"];
    let arguments =
        [&quick[..], &["--engine", "cmd=stockfish name=Fish", "--json", "j", "--html", "h.html"]].concat();
    let both = [&arguments[..], &hoichess].concat();
    told(&folder, &both, 0);
    let whole = folder.read("b.pgn");
    let flat = whole.replace('\n', " ");
    assert!(
        flat.contains("; Fish; Hoi\"]")
            && flat.contains("[AnalysisEngine \"Fish, hash 16 MiB, threads 1, multipv 2; Hoi\"]"),
        "{flat}"
    );
    assert!(flat.contains("{Hoi: ") && !flat.contains("{Fish: "), "{flat}");
    assert!(folder.read("j").contains("\"further\":[{\"program\":\"Hoi\",\"score\":"));
    assert!(folder.read("h.html").contains("Hoi: "));
    // The programs are a setting; the same ones go on.
    let first = whole.find("[Event \"2\"]").expect("a second game");
    folder.write("b.pgn", &whole[..first + 50]);
    for other in [&arguments, &[&both[..], &herald].concat()] {
        let refused = told(&folder, &[&other[..], &["--resume"]].concat(), 2);
        assert!(
            refused.contains("is by `Fish, hash 16 MiB, threads 1, multipv 2; Hoi, depth=4`"),
            "{refused}"
        );
    }
    let summary = told(&folder, &[&both[..], &["--resume"]].concat(), 0);
    assert!(summary.ends_with("0 with faults; 1 done before\n"), "{summary}");
    assert_eq!(folder.read("b.pgn")[..first], whole[..first]);
    assert_eq!(folder.read("b.pgn").matches("[AnalysisEngine").count(), 2);
}

#[test]
fn an_interruption_ends_the_run_at_once() {
    let folder = Folder::with("a.pgn", GAMES);
    let (input, output) = (folder.file("a.pgn"), folder.file("b.pgn"));
    // No search ends at this depth.
    let mut program = Program::start(&["annotate", &input, "-o", &output, "--depth", "90", "--threads", "1"]);
    let began = Instant::now();
    while !folder.path().join("b.pgn").exists() {
        assert!(began.elapsed() < PATIENCE, "nothing is written");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    program.signal("-INT");
    assert_eq!(program.wait().code(), Some(1));
}

#[test]
fn a_program_that_dies_leaves_the_game_as_it_is() {
    let folder = Folder::with("a.pgn", GAMES);
    // It greets as an engine does, and dies when it shall think.
    let script = "#!/bin/sh\nwhile read -r line; do case $line in uci) echo id name Dying; echo uciok;; \
        isready) echo readyok;; go*) exit 1;; quit) exit;; esac; done\n";
    let command = format!("cmd='sh {}'", folder.write("dying.sh", script));
    let summary = told(&folder, &[&QUICK[..], &["--engine", &command]].concat(), 1);
    assert!(
        summary.contains("a.pgn:1: not all positions are analysed by Dying, multipv 2: the program"),
        "{summary}"
    );
    assert!(summary.ends_with("herald: 3 games could not be annotated as a whole\n"), "{summary}");
    let text = folder.read("b.pgn").replace('\n', " ");
    assert!(text.contains("1. f3 $6 {[%clk 0:00:59] weak} 1... e5 {[%clk 0:00:58]}"), "{text}");
}
