//! The board in the browser: its page, and the interface as a page uses it and as a stranger abuses it.

use std::io::{Read, Write};
use std::net::TcpStream;

use crate::support::{Folder, HERALD, PATIENCE, Program, ask, events, get, herald, refused, request};

/// A running `herald board`.
struct Board {
    _program: Program,
    /// `127.0.0.1:PORT`.
    host: String,
    token: String,
}

impl Board {
    fn start(arguments: &[&str]) -> Board {
        let program = Program::start(&[&["board", "--no-browser", "--hash", "8"], arguments].concat());
        let line = program.hear("The board is at http://");
        let address = line.trim_start_matches("The board is at http://").trim_end_matches('/');
        let (host, token) = address.split_once('/').expect("a token");
        Board { host: host.to_owned(), token: token.to_owned(), _program: program }
    }

    /// Sends a request and returns the complete response.
    fn ask(&self, method: &str, path: &str, headers: &str, body: &str) -> String {
        ask(&self.host, &request(&self.host, method, path, headers, body))
    }

    fn path(&self, rest: &str) -> String {
        format!("/{}/{rest}", self.token)
    }

    fn open(&self) -> Session<'_> {
        let answer = self.ask("POST", &self.path("sessions"), "", "");
        let id = answer.split("\"session\":\"").nth(1).and_then(|rest| rest.split('"').next());
        Session { board: self, id: id.unwrap_or_else(|| panic!("{answer}")).to_owned() }
    }
}

struct Session<'a> {
    board: &'a Board,
    id: String,
}

impl Session<'_> {
    fn path(&self, rest: &str) -> String {
        self.board.path(&format!("sessions/{}/{rest}", self.id))
    }

    fn command(&self, json: &str) -> String {
        self.board.ask("POST", &self.path("commands"), "Content-Type: application/json\r\n", json)
    }

    fn say(&self, json: &str) {
        let answer = self.command(json);
        assert!(answer.starts_with("HTTP/1.1 204"), "{json}: {answer}");
    }

    fn pgn(&self) -> String {
        self.board.ask("GET", &self.path("game.pgn"), "", "")
    }

    /// The data of the messages with this name.
    fn events(&self, name: &'static str) -> impl Iterator<Item = String> {
        let mut lines = events(&self.board.host, &self.path("events"));
        std::iter::from_fn(move || {
            lines.find(|line| line.strip_prefix("event: ") == Some(name))?;
            lines.find_map(|line| line.strip_prefix("data: ").map(str::to_owned))
        })
    }
}

#[test]
fn a_connection_without_a_request_is_closed() {
    let board = Board::start(&[]);
    for beginning in ["", "GET / HTTP/1.1\r\nHost: "] {
        let mut idle = TcpStream::connect(&board.host).expect("the board");
        idle.write_all(beginning.as_bytes()).expect("sent");
        idle.set_read_timeout(Some(PATIENCE)).expect("a time");
        let mut answer = Vec::new();
        idle.read_to_end(&mut answer).expect("the end of the connection");
    }
}

#[test]
fn a_game_is_played_and_lost() {
    let board = Board::start(&[]);
    let page = board.ask("GET", &board.path(""), "", "");
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("content-security-policy: default-src 'self'"));
    for (name, text) in [
        ("board.js", "HeraldBoard"),
        ("board.css", "--light"),
        ("app.js", "EventSource"),
        ("app.css", "dialog"),
        ("icon.svg", "<svg"),
    ] {
        assert!(board.ask("GET", &board.path(name), "", "").contains(text), "{name}");
    }
    let session = board.open();
    let mut states = session.events("state");
    session.say(r#"{"command":"play","side":"white","control":"60+1","variant":"chess"}"#);
    states.find(|state| state.contains("\"mode\":\"play\"")).expect("a game");
    for (mv, number) in [("f3", 2), ("g4", 3)] {
        session.say(&format!(r#"{{"command":"move","move":"{mv}"}}"#));
        // Herald mates at once where it can.
        let answered = format!(" {number}\",\"check\"");
        let state = states.find(|state| state.contains("\"turn\":\"white\"") && state.contains(&answered));
        if state.expect("a reply").contains("Black mates") {
            break;
        }
    }
    // Refused if Herald has mated.
    session.command(r#"{"command":"resign"}"#);
    let pgn = session.pgn();
    assert!(pgn.contains("application/x-chess-pgn") && pgn.contains("[White \"Human\"]"), "{pgn}");
    assert!(pgn.contains("1. f3") && pgn.trim_end().ends_with("0-1"), "{pgn}");
}

#[test]
fn sessions_do_not_disturb_each_other_and_are_limited() {
    let board = Board::start(&[]);
    let (first, second) = (board.open(), board.open());
    // A page shows them, so that they are not ended for others.
    let mut watches: Vec<_> = [&first, &second].map(|session| session.events("game")).into();
    assert!(watches.iter_mut().all(|watch| watch.next().is_some()));
    first.say(r#"{"command":"move","move":"e4"}"#);
    second.say(r#"{"command":"move","move":"d4"}"#);
    assert!(first.pgn().contains("1. e4") && second.pgn().contains("1. d4"));
    let others: Vec<_> = (0..6).map(|_| board.open()).collect();
    let mut later: Vec<_> = others.iter().map(|session| session.events("game")).collect();
    assert!(later.iter_mut().all(|watch| watch.next().is_some()));
    let refused = board.ask("POST", &board.path("sessions"), "", "");
    assert!(refused.starts_with("HTTP/1.1 503") && refused.contains("close one"), "{refused}");
    // A page that is closed makes room, and its session ends.
    later.pop();
    let again = std::iter::repeat_with(|| board.ask("POST", &board.path("sessions"), "", "")).take(200);
    assert!(again.into_iter().any(|answer| answer.starts_with("HTTP/1.1 200")));
    assert!(others[5].command(r#"{"command":"hint"}"#).starts_with("HTTP/1.1 404"));
    assert!(first.pgn().contains("1. e4"));
}

#[test]
fn strangers_are_kept_out() {
    let board = Board::start(&[]);
    let session = board.open();
    let wrong = "0".repeat(32);
    for path in [
        "/",
        "/favicon.ico",
        &format!("/{wrong}/"),
        &format!("/{wrong}/sessions"),
        &format!("/{}", &board.token[..31]),
    ] {
        let answer = board.ask("GET", path, "", "");
        assert!(answer.starts_with("HTTP/1.1 404") && !answer.contains(&board.token), "{path}: {answer}");
    }
    let own = session.path("commands");
    let json = "Content-Type: application/json\r\n";
    let (command, host) = (r#"{"command":"move","move":"e4"}"#, &board.host);
    for (headers, status) in [
        ("Origin: http://evil.example\r\n".to_owned(), 403),
        ("Origin: null\r\n".to_owned(), 403),
        (format!("Origin: https://{host}\r\n"), 403),
        (format!("Host: {host}\r\n"), 403),
        ("Sec-Fetch-Site: cross-site\r\n".to_owned(), 403),
        ("Sec-Fetch-Site: same-site\r\n".to_owned(), 403),
        (format!("Origin: http://{host}\r\nSec-Fetch-Site: same-origin\r\n"), 204),
    ] {
        let answer = board.ask("POST", &own, &format!("{json}{headers}"), command);
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{headers}: {answer}");
    }
    // A name elsewhere that leads here.
    for foreign in ["evil.example", "127.0.0.1", "localhost:1"] {
        let answer = ask(host, &request(foreign, "GET", &board.path(""), "", ""));
        assert!(answer.starts_with("HTTP/1.1 403"), "{foreign}: {answer}");
    }
    let plain = board.ask("POST", &own, "Content-Type: text/plain\r\n", command);
    assert!(plain.starts_with("HTTP/1.1 415"), "{plain}");
    assert!(session.pgn().contains("1. e4 *"), "one command was obeyed");
}

#[test]
fn nonsense_is_refused_and_does_no_harm() {
    let board = Board::start(&[]);
    let session = board.open();
    let deep = "[".repeat(10_000);
    let nested = format!(r#"{{"command":{deep}"#);
    for json in [
        "",
        "{",
        "null",
        "[]",
        "\u{0}",
        r#"{"command":"nonsense"}"#,
        r#"{"command":"go","node":18446744073709551616}"#,
        r#"{"command":"go","node":99}"#,
        r#"{"command":"move","move":"\u0000"}"#,
        r#"{"command":"open","game":5}"#,
        r#"{"command":"setup","fen":"8/8/8/8/8/8/8/8 w - - 0 1"}"#,
        r#"{"command":"delete","node":0}"#,
        r#"{"command":"play","side":"white","control":"1e999"}"#,
        r#"{"command":"lines","count":0}"#,
        &nested,
    ] {
        let answer = session.command(json);
        assert!(answer.starts_with("HTTP/1.1 400") && answer.contains("{\"error\":\""), "{json}: {answer}");
    }
    let long = format!(r#"{{"command":"move","move":"{}"}}"#, "x".repeat(100_000));
    assert!(session.command(&long).starts_with("HTTP/1.1 413"));
    let games = board.ask("POST", &session.path("games"), "", "nothing to see");
    assert!(games.starts_with("HTTP/1.1 400"), "{games}");
    let unknown = Session { board: &board, id: "0".repeat(32) };
    assert!(unknown.command(r#"{"command":"hint"}"#).starts_with("HTTP/1.1 404"));
    let methods = board.ask("DELETE", &board.path("sessions"), "", "");
    assert!(methods.starts_with("HTTP/1.1 405"), "{methods}");
    session.say(r#"{"command":"move","move":"e4"}"#);
}

#[test]
fn files_are_opened_and_what_is_wrong_with_them_is_told() {
    let folder = Folder::new();
    let text = "[White \"<img src=x onerror=alert(1)>\"]\n[Black \"B\"]\n\n1. e4 e5 (1... c5 2. Nf3) 2. Ke3 *\n\n1. d4 *\n";
    let board = Board::start(&[&folder.write("games.pgn", text)]);
    let session = board.open();
    let games = session.events("games").next().expect("the games");
    assert!(games.contains("<img src=x onerror=alert(1)> – B") && games.contains("\"open\":0"), "{games}");
    let game = session.events("game").next().expect("the game");
    assert!(game.contains("\"san\":\"c5\"") && !game.contains("Ke3"), "{game}");
    let loaded =
        board.ask("POST", &session.path("games"), "", "4k3/8/8/8/8/8/P7/4K3 w - - bm a4; id \"one\";\n");
    assert!(loaded.starts_with("HTTP/1.1 204"), "{loaded}");
    assert!(session.pgn().contains("[FEN \"4k3/8/8/8/8/8/P7/4K3 w - - 0 1\"]"), "{}", session.pgn());
    for (arguments, told) in [
        (&["board", "--no-browser", "no-such-file.pgn"][..], "no-such-file.pgn"),
        (&["board", "--no-browser", "--listen", "0.0.0.0:0"], "loopback"),
        (&["board", "--no-browser", "--listen", "nonsense"], "127.0.0.1:8080"),
    ] {
        let output = herald(arguments);
        assert!(refused(&output).contains(told), "{output:?}");
    }
}

/// The address of the board must not be seen in a list of processes.
#[cfg(unix)]
#[test]
fn the_browser_is_led_to_the_board_by_a_file_of_the_user_s() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().expect("a folder");
    let (opener, seen) = (folder.path().join("xdg-open"), folder.path().join("seen"));
    std::fs::write(&opener, format!("#!/bin/sh\necho \"$1\" > {0}.part; mv {0}.part {0}\n", seen.display()))
        .expect("written");
    std::fs::set_permissions(&opener, std::fs::Permissions::from_mode(0o755)).expect("executable");
    let path = format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap_or_default());
    let mut command = std::process::Command::new(HERALD);
    command.args(["board", "--hash", "8"]).env("PATH", path).env("XDG_RUNTIME_DIR", folder.path());
    let program = Program::run(&mut command);
    let line = program.hear("The board is at http://");
    let url = line.trim_start_matches("The board is at ").to_owned();
    let began = std::time::Instant::now();
    while !seen.exists() {
        assert!(began.elapsed() < PATIENCE, "no browser");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let argument = std::fs::read_to_string(&seen).expect("an argument");
    let signpost = std::path::Path::new(argument.trim());
    let mode = std::fs::metadata(signpost).expect("a file").permissions().mode();
    assert_eq!(mode & 0o077, 0, "for the user alone");
    assert!(std::fs::read_to_string(signpost).expect("text").contains(&url) && !argument.contains(&url));
    let (host, path) = url.trim_start_matches("http://").split_once('/').expect("a path");
    assert!(get(host, &format!("/{path}")).starts_with("HTTP/1.1 200"));
    assert!(!signpost.exists(), "it has served its purpose");
}
