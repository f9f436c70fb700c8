//! What one sees of a match while it is played: lines on a pipe, events, a table on a terminal, a page.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use serde_json::Value;

use crate::live_page::request;

const HERALD: &str = env!("CARGO_BIN_EXE_herald");

fn command(more: &[&str]) -> Command {
    let mut herald = Command::new(HERALD);
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
    assert!(usual[0].starts_with("Games 10 of 20: A +0 -0 =10 (50.0 %), Elo +0.0"), "{usual:?}");
    assert!(usual[0].ends_with(" left; time losses 0, crashes 0"), "{usual:?}");
    let test = lines(&told(&["--games", "8", "--report-every", "4", "--sprt", "0,5"]));
    assert!(test.len() == 2 && test[1].contains(", LLR ") && test[1].contains("(-2.94 to 2.94)"), "{test:?}");
    let tables = told(&["--games", "4", "--report-every", "0", "--table-every", "2"]);
    assert_eq!((lines(&tables).len(), tables.matches("   Program").count()), (0, 3), "{tables}");
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

/// On a terminal the table is drawn in place: scores, Elo, ratio, pace and faults.
#[test]
fn a_terminal_shows_a_table() {
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
    grantpt(&terminal).and_then(|()| unlockpt(&terminal)).expect("unlocked");
    let name = ptsname(&terminal, Vec::new()).expect("its name").into_string().expect("text");
    let size = Winsize { ws_row: 30, ws_col: 100, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(&terminal, size).expect("its size");
    let screen = File::options().read(true).write(true).open(name).expect("the terminal");
    let mut herald = command(&["--games", "6", "--sprt", "0,5"]);
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
        while let Ok(read @ 1..) = rustix::io::read(&terminal, &mut bytes) {
            shown.extend_from_slice(&bytes[..read]);
        }
        String::from_utf8_lossy(&shown).into_owned()
    });
    assert!(child.wait().expect("it ends").success());
    let shown = reader.join().expect("read");
    for part in ["Points", "Time", "Crash", "6/6 games", "LLR ", "(-2.94 to 2.94)", "plies/s", " left"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
}

fn get(address: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("the page");
    stream.write_all(request(address, "GET", path, "", "").as_bytes()).expect("asked");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer
}

#[test]
fn a_match_is_shown_on_a_page() {
    let folder = tempfile::tempdir().expect("a folder");
    let pgn = folder.path().join("a.pgn").display().to_string();
    let script = folder.path().join("slow.sh");
    // It moves once and then thinks for the rest of the test.
    let slow = "while read -r word rest; do case $word in uci) echo uciok;; isready) echo readyok;; \
                position) case $rest in *moves*) late=1;; esac;; go) [ -n \"$late\" ] || echo bestmove a2a3;; quit) exit;; esac; done";
    std::fs::write(&script, slow).expect("written");
    let openings = folder.path().join("o.epd");
    std::fs::write(&openings, "4k3/8/8/8/8/8/P7/4K3 w - - 0 1\n").expect("written");
    let mut herald = Command::new(HERALD);
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
    ]);
    herald.args(["--engine", &format!("cmd='sh {}' name=<Slow>", script.display())]);
    herald.args(["--engine", &format!("cmd='{HERALD}' name=Fast depth=1"), "--openings"]).arg(&openings);
    let mut child = herald.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("herald starts");
    let mut told = BufReader::new(child.stderr.take().expect("a pipe")).lines();
    let line = told.next().expect("a line").expect("text");
    let page = line.trim_start_matches("shown at http://").trim_end_matches('/').to_owned();
    let is_waiting = |_: &u32| {
        std::thread::sleep(std::time::Duration::from_millis(100));
        !get(&page, "/state.json").contains("\"running\":\"white\"")
            || !get(&page, "/game/1.json").contains("\"san\":\"K")
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
    ] {
        assert!(state.contains(part), "{part}: {state}");
    }
    assert!(get(&page, "/").contains("live.js") && get(&page, "/game/1.pgn").contains("1. a3"));
    assert!(get(&page, "/game/9.json").starts_with("HTTP/1.1 404"));
    assert!(get(&page, "/games.pgn").starts_with("HTTP/1.1 200"));
    child.kill().expect("killed");
    child.wait().expect("it ends");
    assert!(Path::new(&pgn).exists());
}
