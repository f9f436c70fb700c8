//! Faults of the referee's machine and of clients: a full disk, a damaged store, a client that does not read.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::chaos::compare;
use crate::referee::{Raw, Referee, pgn};
use crate::support::{HERALD, Program, without_settings};

/// Returns the command of a referee that keeps its event in this folder and writes standard error to `errors` there.
/// The shell runs `shell` before it.
fn command(folder: &Path, shell: &str, arguments: &[&str]) -> Command {
    let errors = File::create(folder.join("errors")).expect("a file");
    let mut command = without_settings("sh");
    command.args(["-c", &format!("{shell} exec \"$0\" \"$@\""), HERALD, "referee", "--quiet", "0"]);
    command.args(["--listen", "127.0.0.1:0", "--folder"]).arg(folder.join("event")).args(arguments);
    command.stderr(errors);
    command
}

/// Returns the error message, which must be one line.
fn error(folder: &Path) -> String {
    let told = fs::read_to_string(folder.join("errors")).expect("a file");
    assert_eq!(told.lines().count(), 1, "{told}");
    assert!(told.starts_with("herald: ") && !told.contains("panicked"), "{told}");
    told
}

#[test]
fn an_event_without_room_on_the_disk_goes_on_when_there_is_some() {
    let folder = tempfile::tempdir().expect("a folder");
    let arguments =
        ["--program", "A", "--program", "B", "--tc", "nodes=300", "--max-moves", "40", "--background"];
    // Limits the size of files to some hundred kilobytes. Writes beyond that fail as on a full disk, except for the
    // error number.
    let confined = &mut command(folder.path(), "trap '' XFSZ; ulimit -f 300;", &arguments);
    let mut referee = Referee::greeted(Program::run(confined));
    let mut clients = ["A", "B"].map(|name| referee.client(name));
    assert_eq!(referee.program.wait().code(), Some(1));
    let told = error(folder.path());
    assert!(told.contains("can go on later") && told.contains("event.sqlite"), "{told}");
    let mut referee = Referee::start(folder.path(), &referee.address, &arguments);
    referee.program.hear("! all games have been played");
    assert_eq!(referee.program.wait().code(), Some(0));
    for client in &mut clients {
        assert_eq!(client.wait().code(), Some(0));
    }
    compare(folder.path(), 2, 0);
}

#[test]
fn a_damaged_store_is_told_and_a_copy_goes_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let arguments = ["--program", "A", "--program", "B", "--tc", "60+1"];
    let mut referee = Referee::start(folder.path(), "127.0.0.1:0", &arguments);
    let mut clients = ["A", "B"].map(|name| {
        let mut client = Raw::connect(&referee.address);
        client.say(&format!("refreq sign_on; tcsi \"\" \"{name}\";"));
        client
    });
    clients[0].hear("refcom respond");
    clients[0].say("refreq reply; sm e4;");
    clients[1].hear("sm e4;");
    referee.program.say("quit");
    assert_eq!(referee.program.wait().code(), Some(1));
    let store = folder.path().join("event/event.sqlite");
    let sound = fs::read(&store).expect("a store");
    let mut told = Vec::new();
    let half = sound.len() / 2;
    let torn = [&sound[..half], &vec![0xff; half]].concat();
    let other = String::from_utf8_lossy(&sound).contains("e2e4").then(|| {
        let place = sound.windows(4).position(|word| word == b"e2e4").expect("the move");
        [&sound[..place], b"e2e5", &sound[place + 4..]].concat()
    });
    for damaged in [torn, other.expect("the move is stored as text"), b"no store at all".to_vec()] {
        fs::write(&store, damaged).expect("written");
        let status = command(folder.path(), "", &arguments).stdin(Stdio::null()).status().expect("herald");
        assert_eq!(status.code(), Some(2));
        told.push(error(folder.path()));
    }
    assert!(told.iter().all(|told| told.contains("the store is damaged")), "{told:?}");
    assert!(told[1].contains("fact ") && told[1].contains("illegal move `e2e5`"), "{told:?}");
    fs::write(&store, sound).expect("written");
    let referee = Referee::start(folder.path(), "127.0.0.1:0", &arguments);
    let mut client = Raw::connect(&referee.address);
    client.say("refreq sign_on; tcsi \"\" \"B\";");
    client.hear("refcom respond; sm e4;");
}

#[test]
fn who_does_not_read_is_left_behind() {
    let folder = tempfile::tempdir().expect("a folder");
    let arguments = [
        "--program",
        "A",
        "--program",
        "B",
        "--program",
        "C",
        "--program",
        "D",
        "--format",
        "swiss",
        "--rounds",
        "1",
        "--games",
        "1",
        "--tc",
        "nodes=300",
        "--patience",
        "1",
    ];
    let mut referee = Referee::start(folder.path(), "127.0.0.1:0", &arguments);
    let mut clients = ["B", "C", "D"].map(|name| referee.client(name));
    let mut deaf = Raw::connect(&referee.address);
    deaf.say("refreq sign_on; tcsi \"\" \"A\";");
    referee.program.hear("A signs on");
    // The system buffers some megabytes before output for the client queues up in the referee.
    let text = "x".repeat(240);
    let orders = format!("broadcast {text}\n").repeat(100);
    let is_left_behind = (0..1000).any(|_| {
        referee.program.say(&orders);
        referee.program.has_said("! A is gone")
    });
    assert!(is_left_behind);
    referee.program.hear("! all games have been played");
    assert_eq!(referee.program.wait().code(), Some(0));
    for client in &mut clients {
        assert_eq!(client.wait().code(), Some(0));
    }
    let games = pgn(folder.path());
    assert_eq!(games.matches("[Event ").count(), 2, "{games}");
    assert_eq!(games.matches("[Termination \"abandoned\"]").count(), 1, "{games}");
    let traffic = fs::read_to_string(folder.path().join("event/traffic.log")).expect("a log");
    assert!(traffic.contains("reads too slowly"));
}

#[test]
fn who_reads_a_byte_at_a_time_plays() {
    let folder = tempfile::tempdir().expect("a folder");
    let arguments = ["--program", "A", "--program", "B", "--games", "1", "--tc", "60+1", "--background"];
    let mut referee = Referee::start(folder.path(), "127.0.0.1:0", &arguments);
    let mut clients = ["A", "B"].map(|name| {
        let mut client = Raw::with_capacity(1, &referee.address);
        client.say(&format!("refreq sign_on; tcsi \"\" \"{name}\";"));
        client
    });
    for (mover, reply) in [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - refreq reply; sm f3;",
        "rnbqkbnr/pppppppp/8/8/8/5P2/PPPPP1PP/RNBQKBNR b KQkq - refreq reply; sm e5;",
        "rnbqkbnr/pppp1ppp/8/4p3/8/5P2/PPPPP1PP/RNBQKBNR w KQkq e6 refreq reply; sm g4;",
        "rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq g3 refreq reply; sm Qh4#;",
    ]
    .into_iter()
    .enumerate()
    {
        let client = &mut clients[mover % 2];
        client.hear("refcom respond");
        client.send(format!("{reply}\n").as_bytes());
    }
    referee.program.hear("! all games have been played");
    assert_eq!(referee.program.wait().code(), Some(0));
    for client in &mut clients {
        assert!(client.hear("refcom disconnect").contains("Result \"0-1\""));
    }
}
