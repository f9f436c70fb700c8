//! `herald link`: two ends of a link, with a line between them that misbehaves.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use messages::autoplayer::LinkFrame;
use platform::signals::Signal;

use crate::installed::{find, has_all};
use crate::peers::has_python_chess;
use crate::referee::serial_line;
use crate::support::{Folder, HERALD, Program, distorting, herald, refused, text, without_settings};
use crate::tls::Papers;

/// The two ends of a link, whose files are in the folder.
impl Folder {
    /// The games of both ends, which must be the same. Returns their number and text.
    fn games(&self) -> (usize, String) {
        let [master, slave] = ["master.pgn", "slave.pgn"].map(|name| self.read(name));
        assert!(master == slave, "{master}\n---\n{slave}");
        (master.matches("[Event ").count(), master)
    }

    /// Starts an end with Herald as its engine, if `more` does not say otherwise.
    fn end(&self, role: &str, more: &[&str]) -> Program {
        let pgn = self.file(&format!("{role}.pgn"));
        let errors = fs::File::create(self.file(&format!("{role}.errors"))).expect("a file");
        let engine = format!("cmd='{HERALD} uci' option.Hash=1 name={role}-engine");
        let mut words = vec!["link", role, "--pgn", &pgn];
        if !more.contains(&"--engine") {
            words.extend(["--engine", &engine]);
        }
        let role = format!("--{role}");
        words[1] = &role;
        words.extend(more);
        Program::run(Command::new(HERALD).args(words).stderr(Stdio::from(errors)))
    }

    fn errors(&self, role: &str) -> String {
        self.read(&format!("{role}.errors"))
    }

    /// Starts a master on a port of its own, and returns the port.
    fn master(&self, more: &[&str]) -> (Program, String) {
        let master = self.end("master", &[&["--host", "127.0.0.1", "--port", "0"], more].concat());
        let told = master.hear("waiting for the slave at ");
        (master, told.rsplit(':').next().expect("a port").to_owned())
    }

    fn slave(&self, port: &str, more: &[&str]) -> Program {
        self.end("slave", &[&["--host", "127.0.0.1", "--port", port], more].concat())
    }
}

/// A line to a port of this machine, which is broken for 0.3 seconds now and then. Returns its port, too.
fn broken_line(to: &str, cuts: &[&str]) -> (Program, String) {
    let port = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a port").port();
    let (from, to) = (format!("listen:{port}"), format!("127.0.0.1:{to}"));
    let mut command = Command::new(distorting());
    let line = Program::run(command.args(["line", &from, &to, "--cut-for", "0.3"]).args(cuts));
    line.hear("listening");
    (line, port.to_string())
}

/// Waits for the end of a match, which may take longer than a line of its report.
fn done(ends: &mut [&mut Program]) {
    for end in ends {
        end.hear("the match is over");
        assert_eq!(end.wait().code(), Some(0));
    }
}

#[test]
fn a_match_over_a_broken_line_is_complete_and_the_same_at_both_ends() {
    let folder = Folder::new();
    let (mut master, port) = folder.master(&["--tc", "2+0.02", "--games", "2", "--event", "A \"test\""]);
    let (_line, port) = broken_line(&port, &["--cut", "0.3,1,2,3,4"]);
    let mut slave = folder.slave(&port, &["--rating", "1200"]);
    done(&mut [&mut master, &mut slave]);
    let (count, games) = folder.games();
    assert_eq!(count, 2);
    assert!(games.contains("[Event \"A \\\"test\\\"\"]") && games.contains("[BlackElo \"1200\"]"), "{games}");
    assert!(
        games.contains("[White \"master-engine\"]") && games.contains("[White \"slave-engine\"]"),
        "{games}"
    );
    assert!(!games.contains("[Result \"*\"]"), "{games}");
    for role in ["master", "slave"] {
        assert!(folder.errors(role).contains("the line is broken"), "{}", folder.errors(role));
    }
    if let Some(pgn_extract) = find("pgn-extract") {
        let told =
            Command::new(pgn_extract).args(["-r", &folder.file("master.pgn")]).output().expect("it runs");
        assert!(text(&told.stderr).contains("2 games matched out of 2"), "{}", text(&told.stderr));
    }
}

#[test]
fn a_line_that_breaks_at_each_message_costs_nothing() {
    let folder = Folder::new();
    let (mut master, port) = folder.master(&["--tc", "nodes=300", "--games", "2", "--patience", "20"]);
    let texts = ["hello", "match", "game", "ready", "start", "move", "end", "bye"];
    let texts = texts.map(|name| format!("\"type\":\"{name}\"")).join(",");
    let (_line, port) = broken_line(&port, &["--cut-at", &texts]);
    let mut slave = folder.slave(&port, &["--patience", "20"]);
    done(&mut [&mut master, &mut slave]);
    let (count, games) = folder.games();
    assert!(count == 2 && !games.contains("[Result \"*\"]"), "{games}");
}

#[test]
fn a_match_over_a_serial_line_with_noise() {
    static BYTES: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    /// Loses, adds or changes a byte now and then, line ends as well.
    fn noise(bytes: &mut Vec<u8>) {
        let before = std::mem::take(bytes);
        for byte in before {
            let count = BYTES.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            match (count % 701, count % 3) {
                (0, 0) => {}
                (0, 1) => bytes.push(byte ^ 4),
                (0, _) => bytes.extend([byte, b'\n']),
                _ => bytes.push(byte),
            }
        }
    }
    let folder = Folder::new();
    let [near, far] = serial_line(noise);
    let mut master = folder.end("master", &["--modem", &near, "--tc", "nodes=300", "--quiet"]);
    let mut slave = folder.end("slave", &["--modem", &far, "--quiet"]);
    done(&mut [&mut master, &mut slave]);
    let told = master.hear("the line: ");
    assert!(!told.contains(" 0 damaged"), "{told}");
    let (count, games) = folder.games();
    assert!(count == 1 && !games.contains("[Result \"*\"]"), "{games}");
}

#[test]
fn engines_of_the_dialect_play_under_the_names_of_the_proposal() {
    let folder = Folder::new();
    let openings =
        folder.write("openings.epd", "rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq -\n");
    let engine = format!("{HERALD} xboard --autoplayer");
    let dialect = ["-protocol", "autoplayer", "--engine", &engine];
    let coordinates = [&dialect[..], &["-notation", "coordinates", "-name", "Coordinates"]].concat();
    let rules = ["-level", "40 0:02 40 0:02", "-games", "2", "-openings", &openings];
    let (mut master, port) = folder.master(&[&coordinates[..], &rules].concat());
    let mut slave = folder.slave(&port, &[&dialect[..], &["-name", "SAN", "-no-time"]].concat());
    master.hear("the match: 2 games, 40 moves in 2 seconds, then 40 moves in 2 seconds, again and again");
    // Both engines show their thinking, though the dialect has no word to ask for it.
    master.hear("Coordinates thinks ");
    slave.hear("Coordinates thinks ");
    slave.hear("SAN thinks ");
    master.hear("SAN thinks ");
    done(&mut [&mut master, &mut slave]);
    let (count, games) = folder.games();
    assert_eq!(count, 2);
    assert!(
        games.contains("[TimeControl \"40/2:40/2\"]") && games.contains("[FEN \"rnbqkbnr/pp1ppppp/"),
        "{games}"
    );
    assert!(!games.contains("[Result \"*\"]"), "{games}");
    for role in ["master", "slave"] {
        assert_eq!(folder.errors(role), "");
    }
}

#[test]
fn the_slave_in_python_plays_a_match_over_a_broken_line() {
    if !has_all(&[("python-chess", has_python_chess())]) {
        return;
    }
    let folder = Folder::new();
    let secret = folder.write("secret", "sesame\n");
    let (mut master, port) = folder.master(&["--tc", "2+0.05", "--games", "2", "--secret-file", &secret]);
    let (_line, port) = broken_line(&port, &["--cut", "0.4,1.5,2.5"]);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers/link_slave.py");
    let mut python = Command::new("python3");
    let mut slave = Program::run(python.arg(script).args(["127.0.0.1", &port, "Python", "sesame"]));
    slave.hear("1 1-0 White mates");
    slave.hear("2 0-1 Black mates");
    done(&mut [&mut master]);
    assert_eq!(slave.wait().code(), Some(0));
    let games = folder.read("master.pgn");
    assert_eq!(games.matches("[White \"Python\"]").count(), 1, "{games}");
}

#[test]
fn a_match_over_tls_with_a_secret() {
    let folder = Folder::new();
    let papers = Papers::new(folder.path(), "link");
    let [secret, other] =
        [("secret", "sesame\n"), ("other", "barley\n")].map(|(name, text)| folder.write(name, text));
    let settings = [&["--tc", "nodes=300", "--secret-file", &secret], &papers.flags()[..]].concat();
    let (mut master, port) = folder.master(&settings);
    // Neither without TLS nor with another secret.
    let authority = ["--tls-authority", papers.certificate.as_str()];
    let mut stranger = folder.slave(&port, &[&authority[..], &["--secret-file", &other]].concat());
    assert_eq!(stranger.wait().code(), Some(1));
    assert!(folder.errors("slave").contains("the shared secrets differ"), "{}", folder.errors("slave"));
    let mut plain = folder.slave(&port, &["--secret-file", &secret, "--patience", "2"]);
    assert_eq!(plain.wait().code(), Some(1));
    let told = folder.errors("slave");
    assert!(told.contains("the other end speaks TLS; give --tls or --tls-authority here"), "{told}");
    assert!(folder.errors("master").contains("the other end does not speak TLS"));
    let mut slave = folder.slave(&port, &[&authority[..], &["--secret-file", &secret]].concat());
    done(&mut [&mut master, &mut slave]);
    assert_eq!(folder.games().0, 1);
    assert!(folder.errors("master").contains("a connection was refused: the shared secrets differ"));
}

#[test]
fn a_slave_with_tls_and_a_master_without_it_are_told() {
    let folder = Folder::new();
    let papers = Papers::new(folder.path(), "link");
    let (_master, port) = folder.master(&[]);
    let mut slave = folder.slave(&port, &["--tls-authority", &papers.certificate, "--patience", "2"]);
    assert_eq!(slave.wait().code(), Some(1));
    assert!(
        folder.errors("slave").contains("the other end does not speak TLS"),
        "{}",
        folder.errors("slave")
    );
    let told = folder.errors("master");
    assert!(told.contains("the other end speaks TLS; give --tls-certificate"), "{told}");
}

#[test]
fn an_engine_that_dies_loses_its_game_and_plays_the_next() {
    let folder = Folder::new();
    let flag = folder.file("died");
    let dying = format!("{} --speechless --die go -- {HERALD} uci", distorting().display());
    // The first process is the one that is asked for its name; it dies when it has to move.
    let script = format!("if [ -e {flag} ]; then exec {HERALD} uci; fi; touch {flag}; exec {dying}");
    let engine = format!("sh {}", folder.write("engine.sh", &script));
    let (mut master, port) = folder.master(&["--tc", "nodes=300", "--games", "2"]);
    let mut slave = folder.slave(&port, &["--engine", &engine]);
    done(&mut [&mut master, &mut slave]);
    let (count, games) = folder.games();
    assert_eq!(count, 2);
    assert!(games.contains("{Black abandons the game} 1-0"), "{games}");
    assert!(games.contains("[TerminationDetails \"ended unexpectedly (exit status: 7)\"]"), "{games}");
    assert_eq!(games.matches("abandons").count(), 1, "{games}");
}

#[test]
fn signals_end_the_match_at_both_ends() {
    // Who runs the tests in the background of a script has had SIGINT and SIGQUIT ignored.
    let quit = if Signal::Quit.is_ignored() { "-INT" } else { "-QUIT" };
    let hang_up = if Signal::HangUp.is_ignored() { "-INT" } else { "-HUP" };
    for (role, signal) in [("master", "-INT"), ("slave", "-INT"), ("master", hang_up), ("slave", quit)] {
        let folder = Folder::new();
        let (mut master, port) = folder.master(&["--tc", "10+1", "--games", "3"]);
        let mut slave = folder.slave(&port, &[]);
        master.hear("slave-engine plays");
        slave.hear("slave-engine thinks");
        slave.hear("master-engine thinks");
        let stopped = if role == "master" { &master } else { &slave };
        stopped.signal(signal);
        assert_eq!((master.wait().code(), slave.wait().code()), (Some(1), Some(1)));
        for end in ["master", "slave"] {
            assert!(folder.errors(end).contains("stopped by an operator"), "{}", folder.errors(end));
            let games = folder.read(&format!("{end}.pgn"));
            assert!(games.contains("[Result \"*\"]") && games.contains("stopped by an operator"), "{games}");
        }
        assert_eq!(folder.games().0, 1, "{role} {signal}");
    }
}

#[test]
fn an_end_without_a_terminal_plays_on() {
    let folder = Folder::new();
    let (mut master, port) = folder.master(&["--tc", "nodes=300"]);
    let (line, port) = broken_line(&port, &["--cut-at", "\"type\":\"move\""]);
    let (_, gone) = std::io::pipe().expect("a pipe");
    let (pgn, engine) = (folder.file("slave.pgn"), format!("cmd='{HERALD} uci' option.Hash=1"));
    let words =
        ["link", "--slave", "--host", "127.0.0.1", "--port", &port, "--pgn", &pgn, "--engine", &engine];
    let mut slave = without_settings(HERALD);
    slave.args(words).stdin(Stdio::null()).stdout(gone.try_clone().expect("a pipe")).stderr(gone);
    let mut slave = slave.spawn().expect("it starts");
    done(&mut [&mut master]);
    slave.wait().expect("it ends");
    drop(line);
    assert!(folder.errors("master").contains("the line is broken"));
    assert_eq!(folder.games().0, 1);
}

#[test]
fn strangers_do_not_keep_out_who_knows_the_secret() {
    let folder = Folder::new();
    let secret = folder.write("secret", "sesame\n");
    let secret = ["--secret-file", &secret];
    let (mut master, port) = folder.master(&[&["--tc", "nodes=300"], &secret[..]].concat());
    let text = "{\"type\":\"hello\",\"version\":1,\"role\":\"slave\",\"session\":\"s\",\"nonce\":\"n\",\"name\":\"X\"}";
    let hello = format!("{}\n", LinkFrame { number: 0, received: 0, text: text.to_owned() });
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..20 {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    // Says its hello, listens until it is closed, and comes again.
                    if let Ok(mut stranger) = TcpStream::connect(format!("127.0.0.1:{port}")) {
                        let _ = stranger.set_read_timeout(Some(Duration::from_secs(20)));
                        let _ = stranger.write_all(hello.as_bytes());
                        let _ = stranger.read_to_end(&mut Vec::new());
                    }
                    std::thread::sleep(Duration::from_millis(20));
                }
            });
        }
        std::thread::sleep(Duration::from_millis(500));
        let mut slave = folder.slave(&port, &[&["--patience", "8"], &secret[..]].concat());
        let linked = slave.hear("linked with the master");
        stop.store(true, Ordering::Relaxed);
        assert!(!linked.is_empty());
        done(&mut [&mut master, &mut slave]);
    });
    assert_eq!(folder.games().0, 1);
}

#[test]
fn a_line_that_stays_broken_ends_the_match() {
    let folder = Folder::new();
    let patience = ["--patience", "2"];
    let (mut master, port) = folder.master(&[&["--tc", "10+1"], &patience[..]].concat());
    let (line, port) = broken_line(&port, &[]);
    let mut slave = folder.slave(&port, &patience);
    slave.hear("master-engine plays");
    drop(line);
    assert_eq!((master.wait().code(), slave.wait().code()), (Some(1), Some(1)));
    for end in ["master", "slave"] {
        assert!(folder.errors(end).contains("herald: no line for 2 s"), "{}", folder.errors(end));
        let games = folder.read(&format!("{end}.pgn"));
        assert!(games.contains("[TerminationDetails \"no line for 2 s\"]"), "{games}");
    }
}

#[test]
fn ends_that_do_not_fit_say_so() {
    let folder = Folder::new();
    let [near, far] = serial_line(|_| {});
    let mut first = folder.end("master", &["--modem", &near]);
    first.hear(&format!("waiting for the other end at {near}, 9600 bit/s"));
    let mut second = folder.end("master", &["--modem", &far]);
    assert_eq!((first.wait().code(), second.wait().code()), (Some(1), Some(1)));
    assert!(folder.errors("master").contains("both ends are masters"), "{}", folder.errors("master"));
    let (mut waiting, _) = folder.master(&["--patience", "1"]);
    assert_eq!(waiting.wait().code(), Some(1));
    assert!(folder.errors("master").contains("no line for 1 s"), "{}", folder.errors("master"));
    let mut alone = folder.slave("1", &["--patience", "1"]);
    alone.hear("connecting to the master at 127.0.0.1:1");
    assert_eq!(alone.wait().code(), Some(1));
    let told = folder.errors("slave");
    assert!(told.contains("no line yet") && told.contains("no line for 1 s"), "{told}");
}

#[test]
fn wrong_arguments_get_one_line() {
    let nowhere = "no/such/folder/games.pgn";
    for (words, expected) in [
        (&["--engine", "x"][..], "Say --master"),
        (&["--master", "--slave", "--engine", "x"], "cannot be used with"),
        (&["--master"], "Say for example --engine"),
        (&["--slave", "--"], "Say for example --engine"),
        (&["--slave", "--engine", "cmd=x nodes=5"], "nodes: only an engine of `herald match` has it"),
        (
            &["--slave", "--engine", HERALD, "--modem", "/dev/null"],
            "--modem /dev/null cannot be a serial line",
        ),
        (&["--slave", "--engine", HERALD, "--modem", "/proc/version"], "cannot be a serial line"),
        (&["--slave", "--tc", "5", "--engine", "x"], "cannot be used with"),
        (&["--master", "--tc", "40/120/20", "--engine", HERALD], "or Hyatt's, in minutes: 40/120/20/60"),
        (&["--master", "--level", "40", "--engine", HERALD], "MOVES TIME"),
        (&["--master", "--tc", "1", "--engine", HERALD, "--pgn", nowhere], "cannot be opened"),
        (&["--slave", "--engine", "no-such-engine"], "no-such-engine cannot be started"),
        (&["--slave", "--engine", HERALD, "--notation", "san"], "--protocol autoplayer"),
        (&["--slave", "--engine", HERALD, "--name", "é"], "name é: expected 1 to 100"),
        (&["--master", "--modem", "/dev/null", "--host", "x", "--engine", HERALD], "cannot be used with"),
        (&["--master", "--host", "256.0.0.1", "--engine", HERALD], "cannot listen at 256.0.0.1:5020"),
    ] {
        let output = herald(&[&["link"], words].concat());
        assert!(refused(&output).contains(expected), "{words:?}: {output:?}");
    }
}
