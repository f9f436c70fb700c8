//! The live page of an event: its contents and its handling of requests.

use std::path::Path;

use crate::referee::{Raw, Referee};
use crate::support::{Folder, ask, events, get, herald, request, text, told};

/// Starts a referee with a page and returns the page's address.
fn shown(folder: &Path, more: &[&str]) -> (Referee, String) {
    let arguments =
        ["--program", "A<b>", "--program", "B", "--tc", "60+1", "--background", "--live", "127.0.0.1:0"];
    let referee = Referee::start(folder, "127.0.0.1:0", &[&arguments, more].concat());
    let line = referee.program.hear("shown at http://");
    let page = line.trim_start_matches("shown at http://").trim_end_matches('/').to_owned();
    (referee, page)
}

/// Connects both clients; the first has been asked for its move.
fn clients(referee: &Referee) -> [Raw; 2] {
    let mut clients = ["A<b>", "B"].map(|name| {
        let mut client = Raw::connect(&referee.address);
        client.say(&format!("refreq sign_on; tcsi \"\" \"{name}\";"));
        client
    });
    clients[0].hear("refcom respond");
    clients
}

/// Sends an order to the page and returns the complete response.
fn order(page: &str, headers: &str, words: &str) -> String {
    ask(page, &request(page, "POST", "/order", headers, words))
}

#[test]
fn the_event_is_shown_on_a_page() {
    let folder = Folder::new();
    let (referee, page) = shown(folder.path(), &[]);
    let get = |path: &str| get(&page, path);
    let mut clients = clients(&referee);
    let mut told = events(&page, "/events");
    clients[0].say("refreq reply; sm e4;");
    let game = told.find(|line| line.starts_with("data: {")).expect("the move");
    assert!(
        game.contains("\"fen\":\"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1\""),
        "{game}"
    );
    assert!(get("/").contains("live.js") && get("/").contains("content-security-policy: default-src 'self'"));
    assert!(get("/state.json").contains("\"name\":\"A<b>\""));
    assert!(get("/game/1.json").contains("\"san\":\"e4\"") && get("/game/1.pgn").contains("1. e4"));
    for missing in ["/game/2.json", "/game/0.json", "/game/x", "/game/..%2f..%2fetc", "/nothing"] {
        assert!(get(missing).starts_with("HTTP/1.1 404"), "{missing}");
    }
    assert!(get("/state.json").contains("\"directed\":false"));
    let watched = herald(&["referee", "--watch", &page]);
    let text = text(&watched.stdout);
    // A has moved within a millisecond and still has 61 s.
    assert!(text.contains("game 1, round 1: A<b> 0:01:0") && text.contains(" - B 0:0"), "{text}");
    assert!(text.contains("Points"), "{text}");
    let order = order(&page, "Authorization: Bearer \r\n", "pause");
    assert!(order.starts_with("HTTP/1.1 404"), "nobody directs here: {order}");
}

#[test]
fn the_director_signs_in_on_the_page() {
    let folder = Folder::new();
    let token = folder.write("token", "open-sesame\n");
    let (referee, page) = shown(folder.path(), &["--director-file", &token]);
    let mut clients = clients(&referee);
    let order = |headers: &str, words: &str| order(&page, headers, words);
    let director = "Authorization: Bearer open-sesame\r\n";
    assert!(get(&page, "/state.json").contains("\"directed\":true"));
    for (headers, status) in [
        (String::new(), 401),
        ("Authorization: Bearer open-sesam\r\n".to_owned(), 401),
        (format!("{director}Origin: http://elsewhere.example\r\n"), 403),
        (format!("{director}Sec-Fetch-Site: cross-site\r\n"), 403),
    ] {
        let answer = order(&headers, "adjudicate 1 1-0");
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{headers}: {answer}");
    }
    let own = format!("{director}Origin: http://{page}\r\nSec-Fetch-Site: same-origin\r\n");
    let mut told = events(&page, "/events");
    for (words, status, expected) in [
        ("pause", 200, "1 game held"),
        ("add 1 black 10", 200, "black has 10s more in game 1"),
        ("broadcast Tea!", 200, "told 2 programs"),
        ("resume 1", 200, "1 game may go on"),
        ("adjudicate 7 1-0 --yes", 400, "game 7 is not being played"),
        ("nonsense", 400, "`nonsense` is not understood"),
        ("quit", 409, "quit: really?"),
        ("enter C", 400, "on the page a program enters with `secret=SECRET`"),
        ("enter C secret=\"ÄÖÜäö\"", 400, "expected a secret of at least 8 characters"),
        ("enter C secret=sesame-street", 200, "C takes part from round 2 on"),
        ("adjudicate 7 1-0", 400, "game 7 is not being played"),
        ("adjudicate 1 0-1", 409, "adjudicate 1 0-1: really?"),
        ("adjudicate 1 0-1 --yes", 200, "game 1: 0-1"),
        ("correct 1 1/2 --yes", 200, "game 1: 1/2-1/2, no longer 0-1"),
    ] {
        let answer = order(&own, words);
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}")) && answer.contains(expected), "{answer}");
    }
    // Browsers ignore events without data.
    told.find(|line| line == "event: changed").expect("a game is held");
    assert!(told.next().is_some_and(|line| line.starts_with("data: ") && line.len() > 6));
    clients[1].hear("c0 \"Tea!\"");
    clients[1].hear("Result \"0-1\"");
    let games = get(&page, "/games.pgn");
    let reason = "corrected from 0-1 (Black wins by adjudication: by the director's word)";
    assert!(games.contains("[Result \"1/2-1/2\"]") && games.contains(reason), "{games}");
    assert!(!games.contains("[Result \"0-1\"]"), "{games}");
    assert!(order(&own, &"x".repeat(5000)).starts_with("HTTP/1.1 413"));
    for _ in 0..5 {
        order("Authorization: Bearer guess-guess\r\n", "pause");
    }
    assert!(order(&own, "pause").starts_with("HTTP/1.1 429"), "too many guesses");
    let traffic = folder.read("event/traffic.log");
    assert!(!traffic.contains("sesam") && !traffic.contains("guess"), "{traffic}");
    assert!(traffic.contains("is refused: wrong token") && traffic.contains("it comes from another page"));
}

#[test]
fn games_are_shown_that_the_director_let_begin_or_begin_anew() {
    let folder = Folder::new();
    let token = folder.write("token", "open-sesame\n");
    let (referee, page) = shown(folder.path(), &["--director-file", &token, "--rounds-by-hand"]);
    let mut clients = ["A<b>", "B"].map(|name| {
        let mut client = Raw::connect(&referee.address);
        client.say(&format!("refreq sign_on; tcsi \"\" \"{name}\";"));
        client.hear("refcom reset");
        client
    });
    let order = |words: &str| order(&page, "Authorization: Bearer open-sesame\r\n", words);
    assert!(order("pair A<b> B").contains("game 1 begins"));
    clients[0].hear("refcom respond");
    clients[0].say("refreq reply; sm e4;");
    clients[1].hear("refcom respond");
    let game = || get(&page, "/game/1.json");
    assert!(game().contains("\"san\":\"e4\""), "{}", game());
    assert!(order("restart 1 --yes").contains("begins anew"));
    clients[0].hear("refcom respond");
    assert!(game().starts_with("HTTP/1.1 200") && !game().contains("\"san\""), "{}", game());
    assert!(order("quit --yes").contains("the service ends"));
}

#[test]
fn the_director_s_token_does_not_go_over_an_open_network() {
    let folder = Folder::new();
    let token = folder.write("token", "open-sesame\n");
    let programs = ["referee", "--program", "A", "--program", "B"];
    let output = herald(&[&programs[..], &["--live", "0.0.0.0:0", "--director-file", &token]].concat());
    assert!(told(&output, 2).contains("could be read"), "{output:?}");
}
