//! What strangers do to `herald referee`, and processes that stop and go on.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use crate::referee::{Raw, Referee, pgn, secret};
use crate::support::{Folder, PATIENCE, Program, ask, herald, text};

#[test]
fn guesses_are_few_and_the_right_one_does_not_help_then() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = secret(folder.path(), "A", "open-sesame");
    let arguments = ["--program", &program, "--program", "B", "--background"];
    let referee = Referee::start(folder.path(), "127.0.0.1:0", &arguments);
    let guess = |secret: &str| {
        let mut client = Raw::connect(&referee.address);
        client.say(&format!("Auth \"{secret}\"; Extended; refreq sign_on; tcsi \"\" \"A\";"));
        client
    };
    let (begin, mut heard) = (Instant::now(), 0);
    for number in 0..100 {
        let told = guess(&format!("password-{number}")).last_words();
        heard += usize::from(told.contains("wrong secret\""));
        assert!(told.contains("wrong secret\"") || told.contains("Retry"), "{told}");
    }
    let most = 1 + begin.elapsed().as_secs() as usize;
    assert!(heard <= most, "{heard} guesses were looked at");
    assert!(guess("open-sesame").last_words().contains("wrong secrets before"));
    std::thread::sleep(Duration::from_millis(2500));
    guess("open-sesame").hear("refcom reset");
    let traffic = fs::read_to_string(folder.path().join("event/traffic.log")).expect("a log");
    assert!(!traffic.contains("sesame") && !traffic.contains("password"));
}

#[test]
fn an_epoch_of_a_stranger_ends_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let arguments = ["--program", "A", "--program", "B", "--background"];
    let referee = Referee::start(folder.path(), "127.0.0.1:0", &arguments);
    for epoch in ["99", "18446744073709551615", "x"] {
        let mut stranger = Raw::connect(&referee.address);
        stranger.say(&format!("Epoch {epoch}; refreq sign_on; tcsi \"\" \"Stranger\";"));
        assert!(stranger.last_words().contains("no program of that name"));
    }
    let mut client = Raw::connect(&referee.address);
    client.say("refreq sign_on; tcsi \"\" \"A\";");
    client.hear("refcom reset");
}

#[test]
fn strangers_at_the_page_and_the_port_leave_the_event_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let arguments =
        ["--program", "A", "--program", "B", "--background", "--live", "127.0.0.1:0", "--tc", "60+1"];
    let referee = Referee::start(folder.path(), "127.0.0.1:0", &arguments);
    let page = referee.program.hear("shown at http://");
    let page = page.trim_start_matches("shown at http://").trim_end_matches('/').to_owned();
    let begin = Instant::now();
    let half = |_| {
        let mut stream = TcpStream::connect(&page).expect("the page listens");
        let _ = stream.write_all(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Half: ");
        stream
    };
    let mut strangers: Vec<TcpStream> = (0..500).map(half).collect();
    for number in 0..300 {
        let mut stranger = Raw::connect(&referee.address);
        stranger.send(format!("nonsense {number} {}\n", "x".repeat(10_000)).as_bytes());
    }
    let size = || fs::metadata(folder.path().join("event/traffic.log")).expect("a log").len();
    assert!(size() < 200_000, "{} bytes", size());
    // Half a request is not waited for.
    strangers[0].set_read_timeout(Some(PATIENCE)).expect("a time");
    let _ = strangers[0].read(&mut [0; 1000]);
    assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
    std::thread::sleep(Duration::from_secs(1));
    let answer = ask(&page, "GET /state.json HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n");
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let mut players = ["A", "B"].map(|name| {
        let mut client = Raw::connect(&referee.address);
        client.say(&format!("refreq sign_on; tcsi \"\" \"{name}\";"));
        client
    });
    players[0].hear("refcom respond");
}

#[test]
fn a_referee_that_is_stopped_for_a_while_charges_nobody_for_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let arguments = ["--program", "A", "--program", "B", "--background", "--tc", "2+0"];
    let referee = Referee::start(folder.path(), "127.0.0.1:0", &arguments);
    let mut players = ["A", "B"].map(|name| {
        let mut client = Raw::connect(&referee.address);
        client.say(&format!("Extended; refreq sign_on; tcsi \"\" \"{name}\";"));
        client.hear("refcom reset");
        client
    });
    players[0].hear("refcom respond");
    referee.program.signal("-STOP");
    std::thread::sleep(Duration::from_millis(1500));
    // The reply waits in the socket until the referee goes on.
    players[0].say("refreq reply; sm e4;");
    std::thread::sleep(Duration::from_millis(2500));
    referee.program.signal("-CONT");
    let told = players[1].hear("sm e4;");
    let left = told.split("Clock ").nth(1).and_then(|rest| rest.split(' ').next());
    let left: u64 = left.and_then(|left| left.parse().ok()).expect("a clock");
    assert!(left > 1500, "{told}");
    referee.program.hear("! the referee did not run for");
}

#[test]
fn a_client_that_is_stopped_is_noticed_and_comes_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let arguments =
        ["--program", "A", "--program", "B", "--background", "--tc", "10+0.1", "--max-moves", "4"];
    let referee = Referee::start(folder.path(), "127.0.0.1:0", &arguments);
    let a = referee.client("A");
    referee.program.hear("A signs on");
    a.signal("-STOP");
    let begin = Instant::now();
    referee.program.hear("nothing is heard from A any more");
    assert!(begin.elapsed() < Duration::from_secs(12), "{:?}", begin.elapsed());
    // Its name has no secret, but it is free: another machine may take its place.
    let b = referee.client("B");
    a.signal("-CONT");
    referee.program.hear("A signs on");
    referee.program.hear("! all games have been played");
    drop((a, b));
    assert!(!pgn(folder.path()).contains("abandon"));
}

#[test]
fn a_client_leaves_a_referee_that_says_nothing_any_more() {
    let folders = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
    let arguments = ["--program", "A", "--program", "B", "--background"];
    let referees = folders.each_ref().map(|folder| Referee::start(folder.path(), "127.0.0.1:0", &arguments));
    let both = format!("{},{}", referees[0].address, referees[1].address);
    let _client = Program::start(&["play", "--referee", &both, "--name", "A", "--hash", "1"]);
    referees[0].program.hear("A signs on");
    referees[0].program.signal("-STOP");
    let begin = Instant::now();
    referees[1].program.hear("A signs on");
    assert!(begin.elapsed() < Duration::from_secs(16), "{:?}", begin.elapsed());
    referees[0].program.signal("-CONT");
}

#[test]
fn a_pause_sends_nobody_away() {
    let folder = tempfile::tempdir().expect("a folder");
    let arguments = ["--program", "A", "--program", "B", "--tc", "nodes=300", "--max-moves", "20"];
    let mut referee = Referee::start(folder.path(), "127.0.0.1:0", &arguments);
    let mut clients = ["A", "B"].map(|name| referee.client(name));
    referee.program.hear("B signs on");
    referee.program.say("quit pause");
    assert_eq!(referee.program.wait().code(), Some(1));
    let referee = Referee::start(folder.path(), &referee.address, &arguments);
    referee.program.hear("! all games have been played");
    for client in &mut clients {
        assert_eq!(client.wait().code(), Some(0));
    }
}

#[test]
fn why_a_folder_can_not_be_used_is_told() {
    let folder = Folder::new();
    let arguments = ["--program", "A", "--program", "B", "--background"];
    let referee = Referee::start(folder.path(), "127.0.0.1:0", &arguments);
    let event = folder.file("event");
    let run = |more: &[&str]| {
        let output = herald(&[&["referee", "--listen", "127.0.0.1:0", "--folder", &event], more].concat());
        (output.status.code(), text(&output.stderr).to_owned())
    };
    let (code, told) = run(&arguments);
    assert!(code == Some(2) && told.contains("event.sqlite is in use by another referee"), "{told}");
    drop(referee);
    let (code, told) = run(&["--program", "A", "--program", "C", "--background"]);
    assert!(code == Some(2) && told.contains("other settings (programs: A, B, now A, C)"), "{told}");
}

/// A referee with an observer, and the address of the observer for clients.
struct Pair {
    folders: [Folder; 2],
    first: Referee,
    second: Program,
    second_address: String,
    /// Address of the first for observers.
    observed: String,
    common: Vec<String>,
}

impl Pair {
    fn start(control: &str) -> Pair {
        Pair::start_with(control, &[])
    }

    fn start_with(control: &str, more: &[&str]) -> Pair {
        let folders = [(); 2].map(|()| Folder::new());
        let token = folders[0].write("token", "open-sesame\n");
        let common = ["--program", "A", "--program", "B", "--tc", control, "--max-moves", "30"];
        let common = [&common[..], &["--token-file", &token], more].concat();
        let first = [&common[..], &["--observers", "127.0.0.1:0"]].concat();
        let first = Referee::start(folders[0].path(), "127.0.0.1:0", &first);
        let line = first.program.hear("observers may come to");
        let observed = line.rsplit(' ').next().expect("an address").to_owned();
        let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let second_address = free.local_addr().expect("an address").to_string();
        drop(free);
        let event = folders[1].file("event");
        let own = [
            "referee",
            "--listen",
            &second_address,
            "--observers",
            "127.0.0.1:0",
            "--quiet",
            "0",
            "--folder",
        ];
        let own = [&own[..], &[event.as_str(), "--observe", &observed]].concat();
        let second = Program::start(&[&own[..], &common].concat());
        second.hear("observing");
        std::thread::sleep(Duration::from_millis(800));
        let common = common.into_iter().map(str::to_owned).collect();
        Pair { folders, first, second, second_address, observed, common }
    }

    /// The command with which the first referee observes the second.
    fn first_observes(&self, observed: &str) -> Vec<String> {
        let event = self.folders[0].file("event");
        let own = ["referee", "--listen", "127.0.0.1:0", "--quiet", "0", "--observe", observed, "--folder"];
        let own = own.into_iter().map(str::to_owned);
        own.chain([event]).chain(self.common.iter().cloned()).collect()
    }

    fn client(&self, name: &str) -> Program {
        let both = format!("{},{}", self.first.address, self.second_address);
        Program::start(&["play", "--referee", &both, "--name", name, "--hash", "1", "--overhead", "0"])
    }
}

#[test]
fn a_frozen_referee_is_succeeded_and_leaves_when_it_goes_on() {
    let mut pair = Pair::start("nodes=20000");
    let mut clients = ["A", "B"].map(|name| pair.client(name));
    pair.first.program.hear("B signs on");
    std::thread::sleep(Duration::from_millis(300));
    pair.first.program.signal("-STOP");
    pair.second.hear("! the referee is gone; taking over");
    let line = pair.second.hear("observers may come to");
    pair.second.hear("B signs on");
    pair.second.say("pause");
    pair.second.hear("1 game held");
    pair.first.program.signal("-CONT");
    pair.first.program.hear("! another referee has taken over, in epoch 2");
    assert_eq!(pair.first.program.wait().code(), Some(1));
    // Now the first stands by.
    let command = pair.first_observes(line.rsplit(' ').next().expect("an address"));
    let command: Vec<&str> = command.iter().map(String::as_str).collect();
    let mut third = Program::start(&command);
    pair.second.hear("an observer has come from 127.0.0.1");
    pair.second.say("resume");
    pair.second.hear("! all games have been played");
    third.hear("the referee has ended the service");
    third.hear("all games have been played");
    assert_eq!(third.wait().code(), Some(0));
    assert_eq!(pgn(pair.folders[0].path()), pgn(pair.folders[1].path()));
    let report = "event/report/game-1.js";
    pair.folders[0].write(report, "the director's copy");
    let mut again = Program::start(&command);
    again.hear("all games have been played");
    assert_eq!(again.wait().code(), Some(0), "there is nothing left to do");
    assert_eq!(pair.folders[0].read(report), "the director's copy", "nothing is written anew");
    for client in &mut clients {
        assert_eq!(client.wait().code(), Some(0));
    }
    let games = pgn(pair.folders[1].path());
    assert!(games.matches("[Event ").count() == 2 && !games.contains("forfeit"), "{games}");
}

#[test]
fn with_a_witness_the_referee_that_is_left_goes_on() {
    let folder = Folder::new();
    let token = folder.write("token", "open-sesame\n");
    let own = folder.path().to_str().expect("a path");
    let command = ["referee", "--as-witness", "127.0.0.1:0", "--token-file", &token, "--folder", own];
    let witness = Program::start(&command);
    let line = witness.hear("claims may come to");
    let address = line.rsplit(' ').next().expect("an address");
    let mut pair = Pair::start_with("nodes=20000", &["--witness", address]);
    let mut clients = ["A", "B"].map(|name| pair.client(name));
    pair.first.program.hear("B signs on");
    pair.second.child.kill().expect("SIGKILL");
    pair.first.program.hear("! the witness lets this referee go on without its observer");
    // The observer is back, and the first dies.
    let event = pair.folders[1].file("event");
    let observed = pair.observed.clone();
    let own =
        ["referee", "--listen", &pair.second_address, "--quiet", "0", "--observe", &observed, "--folder"];
    let own = [&own[..], &[event.as_str()]].concat();
    let common: Vec<&str> = pair.common.iter().map(String::as_str).collect();
    let second = Program::start(&[own, common].concat());
    pair.first.program.hear("an observer has come");
    std::thread::sleep(Duration::from_millis(500));
    pair.first.program.child.kill().expect("SIGKILL");
    second.hear("! the referee is gone; taking over");
    second.hear("! all games have been played");
    for client in &mut clients {
        assert_eq!(client.wait().code(), Some(0));
    }
    let games = pgn(pair.folders[1].path());
    assert!(games.matches("[Event ").count() == 2 && !games.contains("forfeit"), "{games}");
    assert_eq!(folder.read("witness.txt").lines().count(), 2);
}

#[test]
fn without_its_observer_an_event_waits_until_the_director_decides() {
    let mut pair = Pair::start("nodes=300");
    pair.second.child.kill().expect("SIGKILL");
    pair.first.program.hear("! the event waits for its observer");
    let mut clients = ["A", "B"].map(|name| pair.client(name));
    std::thread::sleep(Duration::from_millis(500));
    pair.first.program.say("status");
    pair.first.program.hear("the event waits for its observer");
    assert!(!pair.first.program.has_said("A signs on"));
    pair.first.program.say("alone");
    pair.first.program.hear("the event goes on; nobody takes over");
    pair.first.program.hear("! all games have been played");
    for client in &mut clients {
        assert_eq!(client.wait().code(), Some(0));
    }
    assert_eq!(pgn(pair.folders[0].path()).matches("[Event ").count(), 2);
}
