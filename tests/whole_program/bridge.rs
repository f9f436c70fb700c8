//! `herald bridge` with programs that die.

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::referee::{Raw, Referee};
use crate::support::{HERALD, PATIENCE, Program, distorting, herald, text, without_settings};

/// Returns the command of a UCI Herald that exits at lines that start with `at`.
fn dying(at: &str) -> String {
    format!("{} --speechless --die {at} -- {HERALD} uci", distorting().display())
}

/// Starts a referee, a client that has made the first move, and a bridged program that is to reply.
fn seated(folder: &Path, script: &str) -> (Referee, Raw, Program) {
    let arguments = ["--program", "A", "--program", "B", "--tc", "60+1", "--background"];
    let referee = Referee::start(folder, "127.0.0.1:0", &arguments);
    let mut opponent = Raw::connect(&referee.address);
    opponent.say("refreq sign_on; tcsi \"\" \"A\";");
    let bridge =
        Program::start(&["bridge", "--referee", &referee.address, "--name", "B", "--", "sh", "-c", script]);
    opponent.hear("refcom respond");
    opponent.say("refreq reply; sm e4;");
    (referee, opponent, bridge)
}

#[test]
fn a_program_that_dies_is_started_again_and_its_game_goes_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let flag = folder.path().join("died");
    let script = format!(
        "if [ -e {flag} ]; then exec {HERALD} uci; fi; touch {flag}; exec {}",
        dying("go"),
        flag = flag.display()
    );
    let (_referee, mut opponent, _bridge) = seated(folder.path(), &script);
    opponent.hear("refcom respond; sm ");
    assert!(flag.exists());
}

#[test]
fn a_program_that_dies_again_and_again_needs_help() {
    let folder = tempfile::tempdir().expect("a folder");
    let (referee, _opponent, _bridge) = seated(folder.path(), &format!("exec {}", dying("go")));
    let told = referee.program.hear("! B needs help");
    assert!(told.contains("again and again"), "{told}");
    let traffic = fs::read_to_string(folder.path().join("event/traffic.log")).expect("a log");
    assert!(traffic.contains("refreq fault"), "{traffic}");
}

/// Returns the script of a UCI program that plays `e2e4` after a second and creates a file when it starts thinking.
fn slow(begun: &Path) -> String {
    format!(
        "while read -r word _; do case $word in uci) echo uciok;; isready) echo readyok;; \
         go) touch {}; sleep 1; echo bestmove e2e4;; quit) exit;; esac; done",
        begun.display()
    )
}

#[test]
fn a_move_that_answers_an_outdated_question_is_dropped() {
    let folder = tempfile::tempdir().expect("a folder");
    let begun = folder.path().join("begun");
    let listener = TcpListener::bind("127.0.0.1:0").expect("a listener");
    let address = listener.local_addr().expect("an address").to_string();
    let script = slow(&begun);
    let _bridge =
        Program::start(&["bridge", "--referee", &address, "--name", "B", "--", "sh", "-c", &script]);
    let ask = |client: &mut Raw| {
        client.say("refcom reset;");
        client.say("refcom inform; ptp White \"B\";");
        client.say("refcom respond; tcgs 1;");
        let asked = Instant::now();
        while fs::remove_file(&begun).is_err() {
            assert!(asked.elapsed() < PATIENCE, "the program was not asked");
            std::thread::sleep(Duration::from_millis(5));
        }
    };
    let mut client = Raw::accept(&listener);
    client.hear("refreq sign_on");
    ask(&mut client);
    drop(client);
    let mut client = Raw::accept(&listener);
    client.hear("refreq sign_on");
    assert_eq!(client.hear_for(Duration::from_millis(1500)), "", "the connection was another one");
    ask(&mut client);
    client.say("refcom execute; sv d4;");
    assert_eq!(client.hear_for(Duration::from_millis(1500)), "", "the position was another one");
    ask(&mut client);
    let reply = client.hear("refreq reply");
    assert!(reply.contains("sm e4;"), "{reply}");
}

#[test]
fn a_program_of_another_protocol_is_told_from_one_that_fails() {
    let bridge = |more: &[&str], script: &str| {
        let common = ["bridge", "--referee", "127.0.0.1:1", "--patience", "0"];
        let output = herald(&[&common[..], more, &["--", "sh", "-c", script]].concat());
        text(&output.stderr).to_owned()
    };
    let told = bridge(&[], &format!("exec {}", dying("uci")));
    assert!(told.contains("say --protocol cecp"), "{told}");
    let begun = Instant::now();
    let mut silent = without_settings(HERALD)
        .args(["bridge", "--referee", "127.0.0.1:1", "--patience", "0", "--", "cat"])
        .stderr(Stdio::piped())
        .spawn()
        .expect("herald");
    let mut told = String::new();
    BufReader::new(silent.stderr.take().expect("a pipe")).read_line(&mut told).expect("a line");
    silent.kill().and_then(|()| silent.wait()).expect("it ends");
    assert!(told.contains("has not answered yet") && told.contains("say --protocol cecp"), "{told}");
    assert!(begun.elapsed() < Duration::from_secs(8), "before it gives up: {:?}", begun.elapsed());
    let told = bridge(&["--protocol", "uci"], &format!("exec {}", dying("uci")));
    assert!(told.contains("ended unexpectedly") && !told.contains("--protocol"), "{told}");
}
