//! What one sees of a match while it is played: lines on a pipe, events, a table on a terminal, a page.

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};

use rustix::termios::{Winsize, tcsetwinsize};
use serde_json::Value;

use crate::support::{Folder, HERALD, get, terminal, without_settings};

fn command(more: &[&str]) -> Command {
    let mut herald = without_settings(HERALD);
    herald.args(["match", "--max-moves", "3", "--each", "depth=1"]);
    for name in ["A", "B"] {
        herald.args(["--engine", &format!("cmd='{HERALD}' name={name}")]);
    }
    herald.args(more);
    herald
}

#[test]
fn a_pipe_gets_a_line_now_and_then() {
    let told = |more: &[&str]| {
        let output = command(more).output().expect("herald runs");
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).expect("text")
    };
    let lines = |text: &str| {
        text.lines().filter(|line| line.starts_with("Games ")).map(str::to_owned).collect::<Vec<_>>()
    };
    let usual = lines(&told(&["--games", "20"]));
    assert_eq!(usual.len(), 2, "{usual:?}");
    assert!(usual[0].starts_with("Games 10 of 20: A +0 -0 =10 (50.0 %), Elo +0.0 "), "{usual:?}");
    assert!(usual[0].contains(" from 5 pairs; "), "{usual:?}");
    assert!(usual[0].ends_with(" left; time losses 0, crashes 0"), "{usual:?}");
    let test = lines(&told(&["--games", "8", "--report-every", "4", "--sprt", "0,5"]));
    assert!(test.len() == 2 && test[1].contains(", LLR ") && test[1].contains("(-2.94 to 2.94)"), "{test:?}");
    let tables = told(&["--games", "4", "--report-every", "0", "--table-every", "2"]);
    assert_eq!((lines(&tables).len(), tables.matches("   Program").count()), (0, 3), "{tables}");
}

/// Every game that is lost by a fault is told, with the reason, in between the other lines.
#[test]
fn a_lost_game_is_told_with_its_reason() {
    let folder = Folder::new();
    let wrong = "while read -r word rest; do case $word in uci) echo uciok;; isready) echo readyok;; \
                 go) echo bestmove e2e5;; quit) exit;; esac; done";
    let script = folder.write("wrong.sh", wrong);
    let mut herald = without_settings(HERALD);
    herald.args(["match", "--max-moves", "3", "--each", "depth=1", "--report-every", "0"]);
    herald.args(["--engine", &format!("cmd='sh {script}' name=Wrong")]);
    herald.args(["--engine", &format!("cmd='{HERALD}' name=B")]);
    let output = herald.output().expect("herald runs");
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    let lines: Vec<&str> = told.lines().filter(|line| line.starts_with("Game ")).collect();
    assert!(lines[0].starts_with("Game 1 (Wrong - B): 0-1 {White makes an illegal move: "), "{told}");
    assert!(lines[1].starts_with("Game 2 (B - Wrong): 1-0 {") && lines[1].contains("e2e5"), "{told}");
    assert_eq!(lines.len(), 2, "{told}");
    let events = herald.arg("--json").output().expect("herald runs");
    assert!(events.stdout.split(|byte| *byte == b'\n').all(|line| line.is_empty() || line[0] == b'{'));
}

#[test]
fn events_tell_the_progress() {
    let output = command(&["--json", "--games", "4", "--report-every", "2"]).output().expect("herald runs");
    let events: Vec<Value> = String::from_utf8_lossy(&output.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let progress: Vec<&Value> = events.iter().filter(|event| event["event"] == "progress").collect();
    assert_eq!(progress.len(), 2, "{events:?}");
    assert_eq!((progress[1]["played"].as_u64(), progress[1]["games"].as_u64()), (Some(4), Some(4)));
    assert!(progress[1]["plies_per_second"].as_f64().is_some_and(|speed| speed > 0.0));
    assert_eq!(events[0]["variant"], "chess");
    assert!(events.last().expect("an end")["standings"][0]["late_losses"].is_u64());
}

/// Returns what a terminal of so many columns is shown.
fn shown_on(columns: u16, more: &[&str]) -> String {
    let (mut terminal, screen, _) = terminal();
    let size = Winsize { ws_row: 30, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(&terminal, size).expect("its size");
    let mut herald = command(more);
    let mut child = herald
        .env("TERM", "xterm")
        .stdout(Stdio::null())
        .stderr(Stdio::from(screen))
        .spawn()
        .expect("herald starts");
    drop(herald);
    let reader = std::thread::spawn(move || {
        let (mut shown, mut bytes) = (Vec::new(), [0; 4096]);
        // The last user of the other side closes it, which is an error here.
        while let Ok(read @ 1..) = terminal.read(&mut bytes) {
            shown.extend_from_slice(&bytes[..read]);
        }
        String::from_utf8_lossy(&shown).into_owned()
    });
    assert!(child.wait().expect("it ends").success());
    reader.join().expect("read")
}

/// On a terminal the table is drawn in place: scores, Elo, ratio, pace and faults. A narrow one has fewer columns.
#[test]
fn a_terminal_shows_a_table() {
    let shown = shown_on(100, &["--games", "6", "--sprt", "0,5"]);
    for part in ["Points", "Time", "Crash", "6/6 games", "LLR ", "(-2.94 to 2.94)", "plies/s", " left"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let longest = |shown: &str| {
        let lines = shown.split(['\r', '\n', '\u{1b}']).filter(|line| !line.starts_with('['));
        lines.map(|line| line.trim_end().chars().count()).max().unwrap_or(0)
    };
    let (wide, usual, narrow) = (shown_on(120, &[]), shown_on(80, &[]), shown_on(50, &[]));
    assert!(wide.contains("Draw %") && usual.contains("Other") && !narrow.contains("Other"), "{narrow}");
    assert!(narrow.contains("Elo, pairs"), "{narrow}");
    assert!(longest(&usual) <= 80 && longest(&narrow) <= 60, "{usual} {narrow}");
}

#[test]
fn a_match_is_shown_on_a_page() {
    let folder = Folder::new();
    let pgn = folder.file("a.pgn");
    // After two games that end at once it moves once and then thinks for the rest of the test.
    let slow = "while read -r word rest; do case $word in uci) echo uciok;; isready) echo readyok;; ucinewgame) late=;; \
                position) move=a2a3; case $rest in *1K6*) move=b1a2;; *moves*) late=1;; esac;; \
                go) [ -n \"$late\" ] || echo bestmove $move;; quit) exit;; esac; done";
    let script = folder.write("slow.sh", slow);
    let openings = folder.write("o.epd", "4k3/8/8/8/8/8/p7/1K6 w - - 0 1\n4k3/8/8/8/8/8/P7/4K3 w - - 0 1\n");
    let mut herald = without_settings(HERALD);
    herald.args([
        "match",
        "--variant",
        "chess",
        "--live",
        "127.0.0.1:0",
        "--tc",
        "100",
        "--pgn",
        &pgn,
        "--event",
        "A & B",
        "--games",
        "4",
        "--sprt",
        "0,5",
    ]);
    herald.args(["--engine", &format!("cmd='sh {script}' name=<Slow>"), "--openings", &openings]);
    herald.args(["--engine", &format!("cmd='{HERALD}' name=Fast depth=1")]);
    let mut child = herald.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("herald starts");
    let mut told = BufReader::new(child.stderr.take().expect("a pipe")).lines();
    let line = told.next().expect("a line").expect("text");
    let page = line.trim_start_matches("shown at http://").trim_end_matches('/').to_owned();
    let is_waiting = |_: &u32| {
        std::thread::sleep(std::time::Duration::from_millis(100));
        !get(&page, "/state.json").contains("\"running\":\"white\"")
            || !get(&page, "/game/3.json").contains("\"san\":\"K")
    };
    let rounds = (0..300).take_while(is_waiting).count();
    assert!(rounds < 300, "{}", get(&page, "/state.json"));
    let state = get(&page, "/state.json");
    for part in [
        "\"white\":\"<Slow>\"",
        "\"event\":\"A & B\"",
        "\"name\":\"Fast\"",
        "\"directed\":false",
        "\"check\":false",
        "\"label\":\"Elo of <Slow>\",\"note\":\"95 %, from 1 pair\",\"value\":\"-190.8",
        "\"note\":\"-2.94 to 2.94, undecided\"",
    ] {
        assert!(state.contains(part), "{part}: {state}");
    }
    assert!(get(&page, "/").contains("live.js") && get(&page, "/game/3.pgn").contains("1. a3"));
    assert!(get(&page, "/game/9.json").starts_with("HTTP/1.1 404"));
    assert!(get(&page, "/games.pgn").starts_with("HTTP/1.1 200"));
    child.kill().expect("killed");
    child.wait().expect("it ends");
    assert!(folder.path().join("a.pgn").exists());
}
