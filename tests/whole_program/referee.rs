//! `herald referee` with its clients: events over the loopback interface, and failures during them.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use crate::installed::has_all;
use crate::peers::has_python_chess;
use crate::support::{Folder, HERALD, PATIENCE, Program, herald, refused, terminal, told, without_settings};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";

/// A referee and its address.
pub(crate) struct Referee {
    pub(crate) program: Program,
    pub(crate) address: String,
}

impl Referee {
    pub(crate) fn start(folder: &Path, address: &str, arguments: &[&str]) -> Referee {
        let folder = folder.join("event");
        let common =
            ["referee", "--listen", address, "--quiet", "0", "--folder", folder.to_str().expect("a path")];
        Referee::greeted(Program::start(&[&common, arguments].concat()))
    }

    /// Waits for the address that a new referee prints.
    pub(crate) fn greeted(program: Program) -> Referee {
        let line = program.hear("refereeing");
        let address = line.rsplit(' ').next().expect("an address").to_owned();
        Referee { program, address }
    }

    pub(crate) fn client(&self, name: &str) -> Program {
        Program::start(&[
            "play",
            "--referee",
            &self.address,
            "--name",
            name,
            "--hash",
            "1",
            "--overhead",
            "0",
        ])
    }
}

/// A client driven line by line by the test.
pub(crate) struct Raw {
    stream: TcpStream,
    lines: BufReader<TcpStream>,
}

impl Raw {
    pub(crate) fn connect(address: &str) -> Raw {
        Raw::with_capacity(8192, address)
    }

    /// Connects a client whose receive buffer has this many bytes.
    pub(crate) fn with_capacity(bytes: usize, address: &str) -> Raw {
        Raw::over(TcpStream::connect(address).expect("the referee listens"), bytes)
    }

    /// Accepts the next client that connects to a listener.
    pub(crate) fn accept(listener: &TcpListener) -> Raw {
        Raw::over(listener.accept().expect("a client connects").0, 8192)
    }

    fn over(stream: TcpStream, bytes: usize) -> Raw {
        stream.set_read_timeout(Some(PATIENCE)).expect("a time");
        let lines = BufReader::with_capacity(bytes, stream.try_clone().expect("a stream"));
        Raw { stream, lines }
    }

    pub(crate) fn say(&mut self, operations: &str) {
        self.send(format!("{START} {operations}\n").as_bytes());
    }

    /// Sends bytes. Errors of a closed connection are ignored.
    pub(crate) fn send(&mut self, bytes: &[u8]) {
        let _ = self.stream.write_all(bytes);
    }

    /// Returns everything received up to a line that contains `wanted`.
    pub(crate) fn hear(&mut self, wanted: &str) -> String {
        let mut heard = String::new();
        while !heard.lines().any(|line| line.contains(wanted)) {
            let read = self.lines.read_line(&mut heard).expect("a line");
            assert!(read > 0, "no `{wanted}` in {heard}");
        }
        heard
    }

    /// Returns everything received within a time.
    pub(crate) fn hear_for(&mut self, time: Duration) -> String {
        self.stream.set_read_timeout(Some(time)).expect("a time");
        let mut heard = Vec::new();
        let end = self.lines.read_to_end(&mut heard);
        self.stream.set_read_timeout(Some(PATIENCE)).expect("a time");
        assert!(end.is_err(), "the connection is closed after {}", String::from_utf8_lossy(&heard));
        String::from_utf8_lossy(&heard).into_owned()
    }

    /// Returns everything received until the other side closes the connection.
    pub(crate) fn last_words(&mut self) -> String {
        let mut rest = Vec::new();
        // A reset also counts as closed.
        let _ = self.lines.read_to_end(&mut rest);
        String::from_utf8_lossy(&rest).into_owned()
    }
}

/// Writes a secret into a file, and returns the program with that name and secret.
pub(crate) fn secret(folder: &Path, name: &str, secret: &str) -> String {
    let path = folder.join(format!("{name}.secret"));
    fs::write(&path, format!("{secret}\n")).expect("written");
    format!("name={name} secret-file={}", path.display())
}

pub(crate) fn pgn(folder: &Path) -> String {
    fs::read_to_string(folder.join("event/games.pgn")).expect("the games")
}

#[test]
fn two_clients_play_an_event() {
    let folder = tempfile::tempdir().expect("a folder");
    let arguments =
        ["--program", "A", "--program", "name=B", "--tc", "nodes=300", "--background", "--event", "Duel"];
    let mut referee = Referee::start(folder.path(), "127.0.0.1:0", &arguments);
    let mut clients = [referee.client("A"), referee.client("B")];
    referee.program.hear("! all games have been played");
    assert_eq!(referee.program.wait().code(), Some(0));
    for client in &mut clients {
        assert_eq!(client.wait().code(), Some(0));
    }
    let games = pgn(folder.path());
    assert_eq!(games.matches("[Event \"Duel\"]").count(), 2, "{games}");
    assert!(!games.contains("[Result \"*\"]") && games.contains("n="), "what they thought is there: {games}");
    let report = fs::read_to_string(folder.path().join("event/report.txt")).expect("a report");
    assert!(report.contains("Points") && report.contains("/2"), "{report}");
    assert!(folder.path().join("event/report.html").exists());
    assert_eq!(fs::read_dir(folder.path().join("event/running")).expect("a folder").count(), 0);
    let traffic = fs::read_to_string(folder.path().join("event/traffic.log")).expect("a log");
    assert!(traffic.contains("refreq sign_on") && traffic.contains("refcom disconnect"));
}

#[test]
fn a_referee_that_was_killed_goes_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let arguments =
        ["--program", "A", "--program", "B", "--program", "C", "--tc", "nodes=300", "--background"];
    let mut referee = Referee::start(folder.path(), "127.0.0.1:0", &arguments);
    let mut clients = ["A", "B", "C"].map(|name| referee.client(name));
    referee.program.hear_ending();
    referee.program.child.kill().expect("SIGKILL");
    referee.program.wait();
    let before = pgn(folder.path()).matches("[Event ").count();
    let mut referee = Referee::start(folder.path(), &referee.address, &arguments);
    referee.program.hear("! all games have been played");
    assert_eq!(referee.program.wait().code(), Some(0));
    for client in &mut clients {
        assert_eq!(client.wait().code(), Some(0));
    }
    let games = pgn(folder.path());
    assert_eq!(games.matches("[Event ").count(), 6, "{games}");
    assert!(before >= 1 && !games.contains("abandon") && !games.contains("forfeit"), "{games}");
}

#[test]
fn an_observer_takes_over() {
    let (folder, other) = (Folder::new(), Folder::new());
    let token = folder.write("token", "open-sesame\n");
    let arguments = [
        "--program",
        "A",
        "--program",
        "B",
        "--program",
        "C",
        "--tc",
        "nodes=300",
        "--background",
        "--token-file",
        &token,
    ];
    let mut referee = Referee::start(
        folder.path(),
        "127.0.0.1:0",
        &[&arguments[..], &["--observers", "127.0.0.1:0"]].concat(),
    );
    let line = referee.program.hear("observers may come to");
    let observed = line.rsplit(' ').next().expect("an address").to_owned();
    let mut stranger = Raw::connect(&observed);
    stranger.send(b"observe wrong-token 1\n");
    assert_eq!(stranger.last_words(), "");
    // A free port for the standby referee.
    let free = std::net::TcpListener::bind("127.0.0.1:0")
        .expect("a port")
        .local_addr()
        .expect("an address")
        .to_string();
    let event = other.path().join("event");
    let by = [
        &["referee", "--listen", &free, "--quiet", "0", "--folder", event.to_str().expect("a path")],
        &arguments[..],
        &["--observe", &observed],
    ]
    .concat();
    let mut second = Program::start(&by);
    second.hear("observing");
    std::thread::sleep(Duration::from_millis(500));
    let both = format!("{},{free}", referee.address);
    let mut clients = ["A", "B", "C"].map(|name| {
        Program::start(&["play", "--referee", &both, "--name", name, "--hash", "1", "--overhead", "0"])
    });
    referee.program.hear_ending();
    let died = std::time::Instant::now();
    referee.program.child.kill().expect("SIGKILL");
    second.hear("! the referee is gone");
    second.hear("refereeing");
    assert!(died.elapsed() < Duration::from_secs(3), "{:?}", died.elapsed());
    second.hear("the other referee at");
    second.hear("! all games have been played");
    // Started again by its own command, the first is told the end, and both go home.
    let first = folder.path().join("event");
    let again =
        ["referee", "--listen", "127.0.0.1:0", "--quiet", "0", "--folder", first.to_str().expect("a path")];
    let mut referee = Program::start(&[&again[..], &arguments[..], &["--observers", &observed]].concat());
    referee.hear("! another referee has taken over, in epoch 2");
    assert_eq!([referee.wait().code(), second.wait().code()], [Some(0); 2]);
    for client in &mut clients {
        assert_eq!(client.wait().code(), Some(0));
    }
    let games = pgn(other.path());
    assert!(games.matches("[Event ").count() == 6 && !games.contains("abandon"), "{games}");
    assert_eq!(games, pgn(folder.path()));
}

/// Returns the devices at both ends of a simulated serial line: two pseudo-terminals, connected by threads that apply
/// `disturb` to the bytes.
pub(crate) fn serial_line(disturb: fn(&mut Vec<u8>)) -> [String; 2] {
    use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};
    let ends = [(); 2].map(|()| {
        let (end, device, name) = terminal();
        let mut raw = tcgetattr(&device).expect("a terminal");
        raw.make_raw();
        tcsetattr(&device, OptionalActions::Now, &raw).expect("a raw one");
        // Kept open, so that the end of a program is not a hang-up of the line.
        std::mem::forget(device);
        (end, name)
    });
    for (from, to) in [(0, 1), (1, 0)] {
        let (mut from, mut to) =
            (ends[from].0.try_clone().expect("a file"), ends[to].0.try_clone().expect("a file"));
        std::thread::spawn(move || {
            let mut bytes = [0; 1024];
            while let Ok(read) = from.read(&mut bytes) {
                let mut carried = bytes[..read].to_vec();
                disturb(&mut carried);
                if to.write_all(&carried).is_err() {
                    return;
                }
            }
        });
    }
    ends.map(|(_, name)| name)
}

#[test]
fn a_pair_plays_over_serial_lines_with_noise() {
    static BYTES: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    /// Occasionally corrupts a byte, but not a line end, which would delay the record for ever.
    fn noise(bytes: &mut Vec<u8>) {
        for byte in bytes {
            let count = BYTES.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            if count > 2000 && count.is_multiple_of(997) && *byte != b'\n' {
                *byte = 0xff;
            }
        }
    }
    let folder = tempfile::tempdir().expect("a folder");
    let lines = [serial_line(noise), serial_line(|_| {})];
    let devices = format!("{},{}", lines[0][0], lines[1][0]);
    let arguments = [
        "--program",
        "A",
        "--program",
        "B",
        "--tc",
        "nodes=300",
        "--max-moves",
        "30",
        "--background",
        "--serial",
        &devices,
    ];
    let mut referee = Referee::start(folder.path(), "127.0.0.1:0", &arguments);
    referee.program.hear("listening to");
    referee.program.hear("listening to");
    let _clients = [("A", &lines[0][1]), ("B", &lines[1][1])].map(|(name, device)| {
        Program::start(&["play", "--serial", device, "--name", name, "--hash", "1", "--overhead", "0"])
    });
    referee.program.hear("! all games have been played");
    referee.program.wait();
    let games = pgn(folder.path());
    assert_eq!(games.matches("[Event ").count(), 2, "{games}");
    assert!(!games.contains("forfeit") && !games.contains("illegal"), "{games}");
}

#[test]
fn orders_that_come_at_once_on_a_terminal_are_all_carried_out() {
    use rustix::termios::{LocalModes, tcgetattr};
    let folder = tempfile::tempdir().expect("a folder");
    let (mut terminal, device, _) = terminal();
    let ours = |device: &fs::File| device.try_clone().expect("a file");
    let mut referee = without_settings(HERALD)
        .args(["referee", "--program", "A", "--program", "B", "--listen", "127.0.0.1:0"])
        .current_dir(folder.path())
        .env("TERM", "xterm")
        .stdin(ours(&device))
        .stdout(ours(&device))
        .stderr(device)
        .spawn()
        .expect("herald starts");
    let mut keyboard = ours(&terminal);
    let (sender, shown) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = [0; 4096];
        while let Ok(read) = terminal.read(&mut bytes) {
            let _ = sender.send(String::from_utf8_lossy(&bytes[..read]).into_owned());
        }
    });
    let mut hear = |wanted: &str, keys: &[u8]| {
        // Between two lines the terminal is as a shell wants it, and a Ctrl-D is lost.
        let begin = Instant::now();
        while tcgetattr(&keyboard).expect("a terminal").local_modes.contains(LocalModes::ICANON) {
            assert!(begin.elapsed() < PATIENCE, "it doesn't read");
            std::thread::sleep(Duration::from_millis(1));
        }
        keyboard.write_all(keys).expect("herald reads");
        let mut told = String::new();
        while !told.contains(wanted) {
            let more = shown.recv_timeout(Duration::from_secs(20));
            told += &more.unwrap_or_else(|_| panic!("no `{wanted}`: {told}"));
        }
        told
    };
    hear("refereeing", b"");
    let told = hear("expected `next`", b"broadcast q1\rbroadcast q2\rbroadcast q3\rnext 1\r");
    assert_eq!(told.matches("told 0 programs").count(), 3, "{told}");
    hear("Ctrl-D ends nothing", b"\x04");
    let told = hear("not being played", b"adjudicate 1 1-0\r");
    assert!(!told.contains("really?"), "what can't be done is not asked about: {told}");
    hear("left as it is", b"quit\rno\r");
    hear("that is no UTF-8", b"broadcast Gr\xfc");
    hear("`n pairings` is not carried out; type it again", b"n pairings\r");
    hear("game 1, round 1", b"pairings\r");
    hear("the service ends", b"quit\ryes\r");
    assert_eq!(referee.wait().expect("it ends").code(), Some(1));
}

#[test]
fn the_director_s_console() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = secret(folder.path(), "B", "sesame-street");
    let arguments = ["--program", "A", "--program", &program, "--tc", "60+1", "--games", "1"];
    let mut referee = Referee::start(folder.path(), "127.0.0.1:0", &arguments);
    referee.program.say("status");
    referee.program.hear("not here: A, B");
    let without = herald(&["play", "--referee", &referee.address, "--name", "B"]);
    let hint = "let B play; no secret was given: see --secret-file and HERALD_SECRET\n";
    assert!(told(&without, 1).ends_with(hint), "{without:?}");
    let mut a = Raw::connect(&referee.address);
    a.say("refreq sign_on; tcsi \"\" \"A\";");
    let mut b = Raw::connect(&referee.address);
    b.say("Auth \"wrong\"; refreq sign_on; tcsi \"\" \"B\";");
    assert!(b.last_words().contains("c0 \"wrong secret\""));
    // Who has told a wrong one has to wait.
    std::thread::sleep(Duration::from_millis(1100));
    let mut b = Raw::connect(&referee.address);
    b.say("Auth \"sesame-street\"; refreq sign_on; tcsi \"\" \"B\";");
    a.hear("refcom respond");
    a.say("refreq reply; sm e4;");
    b.hear("sm e4;");
    referee.program.send(b"pause\nadd 1 black 10\nbroadcast Tea!\nbroadcast Gr\xfc\xdfe\nresume\nnonsense\n");
    b.hear("c0 \"Tea!\"");
    referee.program.hear("1 game held");
    referee.program.hear("black has 10s more in game 1");
    referee.program.hear("`broadcast Gr\u{fffd}\u{fffd}e` is no UTF-8");
    referee.program.hear("`nonsense` is not understood");
    // In one piece: with its last game the event ends by itself.
    referee.program.send(b"adjudicate 1 0-1\nstatus\nquit\n");
    b.hear("refcom conclude");
    referee.program.hear("game 1: 0-1");
    assert!(a.last_words().contains("refcom disconnect"));
    assert_eq!(referee.program.wait().code(), Some(0), "all games have been played");
    let traffic = fs::read_to_string(folder.path().join("event/traffic.log")).expect("a log");
    assert!(!traffic.contains("sesame") && !traffic.contains("\"wrong\""), "{traffic}");
    assert!(traffic.contains("wrong secret"));
}

#[test]
fn unbearable_connections_are_closed_and_the_event_goes_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let arguments = [
        "--program",
        "A",
        "--program",
        "B",
        "--tc",
        "60+1",
        "--background",
        "--connections-per-address",
        "6",
    ];
    let referee = Referee::start(folder.path(), "127.0.0.1:0", &arguments);
    let mut endless = Raw::connect(&referee.address);
    endless.send(&vec![b'x'; 100_000]);
    assert!(endless.last_words().contains("a record without end"));
    let mut flooding = Raw::connect(&referee.address);
    flooding.say("refreq sign_on; tcsi \"\" \"A\";");
    flooding.hear("refcom reset");
    flooding.send("noise\n".repeat(2000).as_bytes());
    assert!(flooding.last_words().contains("refcom fault"));
    let mut binary = Raw::connect(&referee.address);
    binary.send(b"\x00\xff\x1b[2J\r\n");
    let said = binary.last_words();
    assert!(said.contains("not an EPD record"), "{said:?}");
    let crowd: Vec<Raw> = (0..6).map(|_| Raw::connect(&referee.address)).collect();
    assert_eq!(Raw::connect(&referee.address).last_words(), "", "too many from one address");
    drop(crowd);
    std::thread::sleep(Duration::from_millis(100));
    let mut both = ["A", "B"].map(|name| {
        let mut client = Raw::connect(&referee.address);
        client.say(&format!("refreq sign_on; tcsi \"\" \"{name}\";"));
        client.hear("refcom reset");
        client
    });
    both[0].hear("refcom respond");
}

#[test]
fn local_programs_are_started_and_bridged() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = |name: &str, protocol: &str| {
        format!("cmd=\"{HERALD} {protocol}\" name={name} protocol={}", protocol.replace("xboard", "cecp"))
    };
    let (one, other) = (program("One", "uci"), program("Other", "xboard"));
    let arguments = [
        "--program",
        &one,
        "--program",
        &other,
        "--tc",
        "5+0.1",
        "--margin",
        "1000",
        "--background",
        "--max-moves",
        "20",
    ];
    let mut referee = Referee::start(folder.path(), "127.0.0.1:0", &arguments);
    referee.program.hear("! all games have been played");
    assert_eq!(referee.program.wait().code(), Some(0));
    let games = pgn(folder.path());
    assert_eq!(games.matches("[Result ").count(), 2, "{games}");
    assert!(
        !games.contains("abandon") && !games.contains("infraction") && !games.contains("forfeit"),
        "{games}"
    );
}

#[test]
fn a_client_in_python_plays() {
    if !has_all(&[("python-chess", has_python_chess())]) {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let program = secret(folder.path(), "Python", "hush-hush");
    let arguments =
        ["--program", "Herald", "--program", &program, "--tc", "5+0.1", "--background", "--max-moves", "30"];
    let mut referee = Referee::start(folder.path(), "127.0.0.1:0", &arguments);
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/peers/referee_client.py");
    let (host, port) = referee.address.split_once(':').expect("a port");
    let mut python =
        Command::new("python3").args([script, host, port, "Python", "hush-hush"]).spawn().expect("python");
    let mut client = referee.client("Herald");
    referee.program.hear("! all games have been played");
    assert_eq!(referee.program.wait().code(), Some(0));
    assert_eq!(client.wait().code(), Some(0));
    assert!(python.wait().expect("it ends").success());
    let games = pgn(folder.path());
    assert!(games.matches("[Event ").count() == 2 && !games.contains("illegal"), "{games}");
}

#[test]
fn wrong_arguments_are_told_in_one_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().to_str().expect("a path");
    for (arguments, expected) in [
        (&["referee", "--program", "A"][..], "1 program: expected at least 2"),
        (&["referee", "--program", "A", "--program", "A"], "two programs are called A"),
        (&["referee", "--program", "A", "--program", "B", "--tc", "x"], "unreadable time control"),
        (
            &[
                "referee",
                "--program",
                "A",
                "--program",
                "B",
                "--folder",
                path,
                "--listen",
                "203.0.113.1:1",
                "--open",
            ],
            "no connections",
        ),
        (
            &["referee", "--program", "A", "--program", "name=B secret=open-sesame", "--folder", path],
            "everybody on this machine can read command lines",
        ),
        (
            &["referee", "--program", "A", "--program", "B", "--folder", path, "--listen", "0.0.0.0:0"],
            "A has no secret, so that anybody who can connect can take its seat",
        ),
        (
            &[
                "referee",
                "--program",
                "A",
                "--program",
                "B",
                "--folder",
                path,
                "--observers",
                "0.0.0.0:0",
                "--token-file",
                path,
            ],
            "--observers: the token could be read on its way",
        ),
        (&["play", "--referee", "nowhere"], "expected HOST:PORT"),
        (&["play"], "required arguments"),
        (&["play", "--referee", "h:1", "--name", "é"], "printing ASCII"),
        (&["bridge", "--referee", "h:1", "--", "/no/such/program"], "/no/such/program"),
        (&["bridge", "--referee", "h:1"], "which program plays? Say for example -- stockfish, or --engine"),
    ] {
        let output = herald(arguments);
        assert!(refused(&output).contains(expected), "{arguments:?}: {output:?}");
    }
}

#[test]
fn a_client_of_an_outdated_referee_pauses_and_gives_up() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a listener");
    let address = listener.local_addr().expect("an address").to_string();
    let connections = Arc::new(AtomicUsize::new(0));
    let count = connections.clone();
    std::thread::spawn(move || {
        loop {
            let epoch = if count.fetch_add(1, Ordering::Relaxed) == 0 { 5 } else { 2 };
            let mut client = Raw::accept(&listener);
            client.hear("refreq sign_on");
            client.say(&format!("Epoch {epoch}; refcom reset;"));
        }
    });
    let output = herald(&["play", "--referee", &address, "--patience", "1", "--hash", "1"]);
    assert!(told(&output, 1).contains("older epoch"), "{output:?}");
    let connections = connections.load(Ordering::Relaxed);
    assert!((3..20).contains(&connections), "{connections} connections in a second");
}

#[test]
fn a_client_that_finds_no_referee_gives_up() {
    let output = herald(&["play", "--referee", "127.0.0.1:1", "--patience", "0", "--hash", "1"]);
    assert!(told(&output, 1).contains("can't be reached"), "{output:?}");
}

#[test]
fn a_position_that_is_executed_while_a_client_thinks_is_the_one_to_answer() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a listener");
    let address = listener.local_addr().expect("an address").to_string();
    let clients = [
        &["play", "--referee", &address, "--tc", "1/move", "--hash", "1"][..],
        &["bridge", "--referee", &address, "--tc", "1/move", "--", HERALD, "uci"],
    ];
    for arguments in clients {
        let _program = Program::start(arguments);
        let mut client = Raw::accept(&listener);
        client.hear("refreq sign_on");
        client.say("refcom reset;");
        client.say("refcom respond; tcgs 1;");
        std::thread::sleep(Duration::from_millis(300));
        client.say("refcom execute; sv f3 e5 g4 Nc6;");
        let reply = client.hear("refreq reply");
        assert!(reply.starts_with("r1bqkbnr/pppp1ppp/2n5/4p3/6P1/5P2/PPPPP2P/RNBQKBNR w KQkq"), "{reply}");
        client.say("refcom respond; tcgs 1; fmvn 1;");
        client.say("refcom execute; sm e4;");
        assert_eq!(client.hear_for(Duration::from_millis(1500)), "", "it is the opponent's turn");
        client.say("refcom respond; tcgs 1; c0 \"again\";");
        client.hear("refreq reply");
    }
}
