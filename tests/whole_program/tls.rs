//! The referee with TLS: clients, observers and the page.

use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use players::transport::{Security, connect};
use rcgen::{BasicConstraints, CertificateParams, IsCa, KeyPair};

use crate::referee::{Raw, Referee, pgn};
use crate::support::{Folder, HERALD, PATIENCE, Program, herald, refused, request, text, told};

/// Files with a certificate for this machine and its key.
pub(crate) struct Papers {
    pub(crate) certificate: String,
    key: String,
}

impl Papers {
    pub(crate) fn new(folder: &Path, name: &str) -> Papers {
        Papers::with(folder, name, |_| {})
    }

    fn with(folder: &Path, name: &str, change: fn(&mut CertificateParams)) -> Papers {
        let names = ["localhost", "127.0.0.1"].map(str::to_owned);
        let mut params = CertificateParams::new(names).expect("names");
        change(&mut params);
        let key = KeyPair::generate().expect("a key");
        let certificate = params.self_signed(&key).expect("signed");
        let write = |kind: &str, text: String| {
            let path = folder.join(format!("{name}.{kind}"));
            fs::write(&path, text).expect("written");
            path.to_str().expect("a path").to_owned()
        };
        Papers { certificate: write("pem", certificate.pem()), key: write("key", key.serialize_pem()) }
    }

    pub(crate) fn flags(&self) -> [&str; 4] {
        ["--tls-certificate", &self.certificate, "--tls-key", &self.key]
    }
}

/// Starts a referee of A and B with TLS.
fn referee(folder: &Path, papers: &Papers, more: &[&str]) -> Referee {
    let common = ["--background", "--program", "A", "--program", "B"];
    Referee::start(folder, "127.0.0.1:0", &[&common, &papers.flags()[..], more].concat())
}

fn client(address: &str, name: &str, authority: &str) -> Program {
    let words = ["play", "--referee", address, "--name", name, "--tls-authority", authority];
    Program::start(&[&words[..], &["--hash", "1", "--overhead", "0"]].concat())
}

/// Runs a client that should fail; returns its exit code and its message.
fn failing_client(address: &str, flags: &[&str]) -> (Option<i32>, String) {
    let words = ["play", "--referee", address, "--name", "A", "--hash", "1", "--patience", "60"];
    let output = herald(&[&words[..], flags].concat());
    (output.status.code(), text(&output.stderr).to_owned())
}

/// Returns the traffic log once at least `count` lines contain `wanted`, as some lines are written with a delay.
fn traffic(folder: &Path, count: usize, wanted: &str) -> String {
    let began = Instant::now();
    loop {
        let traffic = fs::read_to_string(folder.join("event/traffic.log")).expect("a log");
        if traffic.matches(wanted).count() >= count {
            return traffic;
        }
        assert!(began.elapsed() < PATIENCE, "not {count} times `{wanted}`: {traffic}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn an_event_is_played_over_tls() {
    let folder = Folder::new();
    let papers = Papers::new(folder.path(), "referee");
    let secret = folder.write("secret", "sesame-for-bridge\n");
    let local = format!("cmd=\"{HERALD} uci\" name=Local protocol=uci");
    let remote = format!("name=Bridge secret-file={secret}");
    let programs = ["--program", &local, "--program", &remote];
    let control = ["--tc", "nodes=300", "--max-moves", "30", "--margin", "1000"];
    let mut referee = referee(folder.path(), &papers, &[&programs[..], &control].concat());
    let mut clients = ["A", "B"].map(|name| client(&referee.address, name, &papers.certificate));
    let bridge = ["bridge", "--referee", &referee.address, "--name", "Bridge", "--secret-file"];
    let rest = [secret.as_str(), "--tls-authority", &papers.certificate, "--", HERALD, "uci"];
    let mut bridge = Program::start(&[&bridge[..], &rest].concat());
    referee.program.hear("! all games have been played");
    assert_eq!(referee.program.wait().code(), Some(0));
    assert_eq!(bridge.wait().code(), Some(0));
    for client in &mut clients {
        assert_eq!(client.wait().code(), Some(0));
    }
    let games = pgn(folder.path());
    assert_eq!(games.matches("[Event ").count(), 12, "{games}");
    assert!(!games.contains("abandon") && !games.contains("forfeit"), "{games}");
    let traffic = traffic(folder.path(), 2, "Auth …");
    assert!(!traffic.contains("sesame") && !traffic.contains("PRIVATE"), "{traffic}");
}

#[test]
fn who_speaks_otherwise_is_told_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let (papers, others) = (Papers::new(folder.path(), "referee"), Papers::new(folder.path(), "other"));
    let referee = referee(folder.path(), &papers, &[]);
    let began = Instant::now();
    let (code, told) = failing_client(&referee.address, &[]);
    assert!(code == Some(1) && told.contains("help is needed: only TLS is spoken here"), "{told}");
    let (code, told) = failing_client(&referee.address, &["--tls-authority", &others.certificate]);
    assert!(code == Some(1) && told.contains("from no authority that is trusted here"), "{told}");
    let nowhere = folder.path().join("nowhere.pem");
    let nowhere = nowhere.to_str().expect("a path");
    let (code, told) = failing_client(&referee.address, &["--tls-authority", nowhere]);
    assert!(code == Some(2) && told.contains("nowhere.pem cannot be read"), "{told}");
    assert!(began.elapsed() < Duration::from_secs(20), "nobody tries again for a minute");
    let mut secretive = Raw::connect(&referee.address);
    secretive.say("Auth \"sesame\"; refreq sign_on; tcsi \"\" \"A\";");
    assert!(secretive.last_words().contains("c0 \"only TLS is spoken here\"; refcom fault;"));
    let mut binary = Raw::connect(&referee.address);
    binary.send(&[22; 1000]);
    binary.last_words();
    traffic(folder.path(), 1, "is refused: received fatal alert");
    let said = traffic(folder.path(), 2, "is refused: it does not speak TLS");
    assert!(!said.contains("sesame"), "{said}");
    // Now the other way round: a TLS client at a plain referee.
    let plain = tempfile::tempdir().expect("a folder");
    let referee =
        Referee::start(plain.path(), "127.0.0.1:0", &["--background", "--program", "A", "--program", "B"]);
    let (code, told) = failing_client(&referee.address, &["--tls-authority", &papers.certificate]);
    assert!(code == Some(1) && told.contains("the other end does not speak TLS"), "{told}");
    traffic(plain.path(), 1, "# TLS is not spoken here");
}

#[test]
fn handshakes_without_end_are_counted_and_closed() {
    let folder = tempfile::tempdir().expect("a folder");
    let papers = Papers::new(folder.path(), "referee");
    let more = ["--tc", "nodes=300", "--connections-per-address", "3", "--live", "127.0.0.1:0"];
    let referee = referee(folder.path(), &papers, &more);
    let page = referee.program.hear("shown at https://");
    let page = page.trim_start_matches("shown at https://").trim_end_matches('/');
    let mut half_open: Vec<Raw> =
        [&referee.address[..], &referee.address, &referee.address, page].map(Raw::connect).into();
    half_open[0].send(b"\x16\x03\x01\x02\x00");
    half_open[3].send(b"\x16");
    // Half-open handshakes do not delay other requests.
    assert!(ask(page, &papers, "GET", "/state.json", "", "").contains("\"running\":[]"));
    assert_eq!(Raw::connect(&referee.address).last_words(), "", "the fourth from one address");
    for raw in &mut half_open {
        raw.last_words();
    }
    traffic(folder.path(), 4, "is refused: no TLS handshake in 5 s");
    traffic(folder.path(), 1, "too many connections");
    let mut clients = ["A", "B"].map(|name| client(&referee.address, name, &papers.certificate));
    referee.program.hear("! all games have been played");
    assert!(clients.iter_mut().all(|client| client.wait().success()));
}

/// Sends a request to a page and returns the complete response.
fn ask(page: &str, papers: &Papers, method: &str, path: &str, headers: &str, body: &str) -> String {
    let trusted = Security::new(true, Some(Path::new(&papers.certificate))).expect("TLS");
    let mut line = connect(page, &trusted, PATIENCE).expect("the page");
    line.write_all(request(page, method, path, headers, body).as_bytes()).expect("asked");
    let mut answer = String::new();
    line.reader().expect("a reader").read_to_string(&mut answer).expect("an answer");
    answer
}

#[test]
fn the_director_signs_in_over_tls_from_anywhere() {
    let folder = Folder::new();
    let papers = Papers::new(folder.path(), "referee");
    let token = folder.write("token", "open-sesame\n");
    let referee = referee(folder.path(), &papers, &["--live", "0.0.0.0:0", "--director-file", &token]);
    let shown = referee.program.hear("shown at https://0.0.0.0:");
    let port = shown.rsplit(':').next().expect("a port").trim_end_matches('/');
    let page = format!("127.0.0.1:{port}");
    let order = |headers: &str| ask(&page, &papers, "POST", "/order", headers, "rounds");
    assert!(ask(&page, &papers, "GET", "/", "", "").contains("live.js"));
    assert!(ask(&page, &papers, "GET", "/state.json", "", "").contains("\"directed\":true"));
    let own = format!("Origin: https://{page}\r\nSec-Fetch-Site: same-origin\r\n");
    let director = format!("Authorization: Bearer open-sesame\r\n{own}");
    let answer = order(&director);
    assert!(answer.starts_with("HTTP/1.1 400") && answer.contains("`rounds` is not understood"), "{answer}");
    let answer = ask(&page, &papers, "POST", "/order", &director, "status");
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("not here: A, B"), "{answer}");
    let wrong = order(&format!("Authorization: Bearer guess-guess\r\n{own}"));
    assert!(wrong.starts_with("HTTP/1.1 401"), "{wrong}");
    let elsewhere = order("Authorization: Bearer open-sesame\r\nOrigin: https://elsewhere.example\r\n");
    assert!(elsewhere.starts_with("HTTP/1.1 403"), "{elsewhere}");
    // Plain HTTP is rejected.
    let mut plain = Raw::connect(&page);
    plain.send(request(&page, "POST", "/order", &director, "status").as_bytes());
    assert!(plain.last_words().starts_with("HTTP/1.1 400 Only https is spoken here"));
    let watch = |words: &[&str]| herald(&[&["referee", "--watch"], words].concat());
    let url = format!("https://{page}/");
    let watched = watch(&[&url, "--tls-authority", &papers.certificate]);
    let text = text(&watched.stdout);
    assert!(watched.status.success() && text.contains("Points"), "{text}");
    let others = Papers::new(folder.path(), "other");
    for (words, expected) in [
        (&[&url[..], "--tls-authority", &others.certificate][..], "from no authority that is trusted"),
        (&[&page], "it answers `HTTP/1.1 400 Only https is spoken here`"),
        (&[&page, "--tc", "60+1"], "nothing but --tls-authority"),
    ] {
        let watched = watch(words);
        assert!(told(&watched, 2).contains(expected), "{watched:?}");
    }
    let traffic = traffic(folder.path(), 2, "is refused: it does not speak TLS");
    assert!(!traffic.contains("sesame") && !traffic.contains("guess"), "{traffic}");
    assert!(traffic.contains("is refused: wrong token"), "{traffic}");
}

#[test]
fn an_observer_takes_over_over_tls() {
    let (folder, other) = (Folder::new(), Folder::new());
    let papers = Papers::new(folder.path(), "referee");
    let token = folder.write("token", "open-sesame\n");
    let token = ["--token-file", &token, "--tc", "nodes=300"];
    let mut referee =
        referee(folder.path(), &papers, &[&token[..], &["--observers", "127.0.0.1:0"]].concat());
    let line = referee.program.hear("observers may come to");
    let observed = line.rsplit(' ').next().expect("an address").to_owned();
    let free = std::net::TcpListener::bind("127.0.0.1:0").and_then(|port| port.local_addr());
    let free = free.expect("a port").to_string();
    let event = other.path().join("event");
    let event = ["--folder", event.to_str().expect("a path"), "--quiet", "0", "--listen", &free];
    let programs = ["referee", "--background", "--program", "A", "--program", "B", "--observe", &observed];
    let second = [&programs[..], &event, &token].concat();
    // An observer without TLS is rejected.
    let plain = herald(&second);
    assert!(told(&plain, 2).contains("one side speaks TLS"), "{plain:?}");
    let trust = ["--tls-authority", &papers.certificate];
    let mut second = Program::start(&[&second[..], &papers.flags(), &trust].concat());
    second.hear("observing");
    std::thread::sleep(Duration::from_millis(500));
    let both = format!("{},{free}", referee.address);
    let mut clients = ["A", "B"].map(|name| client(&both, name, &papers.certificate));
    referee.program.hear_ending();
    referee.program.child.kill().expect("SIGKILL");
    second.hear("! the referee is gone");
    second.hear("! all games have been played");
    // Started again by its own command, the first is told the end over TLS, too, and both go home.
    let first = folder.path().join("event");
    let first =
        ["--folder", first.to_str().expect("a path"), "--listen", "127.0.0.1:0", "--observers", &observed];
    let mut again = Program::start(&[&programs[..6], &first, &token, &papers.flags()].concat());
    again.hear("! another referee has taken over, in epoch 2");
    assert_eq!([again.wait().code(), second.wait().code()], [Some(0); 2]);
    for client in &mut clients {
        assert_eq!(client.wait().code(), Some(0));
    }
    let games = pgn(other.path());
    assert!(games.matches("[Event ").count() == 2 && !games.contains("abandon"), "{games}");
    assert!(!traffic(folder.path(), 2, "observer connected from").contains("sesame"));
}

#[test]
fn papers_that_are_of_no_use_are_told_before_the_event() {
    let folder = Folder::new();
    let (good, other) = (Papers::new(folder.path(), "good"), Papers::new(folder.path(), "other"));
    let authority = Papers::with(folder.path(), "authority", |params| {
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    });
    let old = Papers::with(folder.path(), "old", |params| {
        params.not_after = rcgen::date_time_ymd(2001, 1, 1);
    });
    let event = folder.file("event");
    let plan = folder.write("event.toml", &format!("tls-certificate = '{}'\n", good.certificate));
    for (flags, expected) in [
        (&["--tls-certificate", &good.certificate, "--tls-key", &other.key][..], "the key is not that of"),
        (&["--tls-certificate", &good.key, "--tls-key", &good.key], "good.key: expected certificates in PEM"),
        (
            &["--tls-certificate", &good.certificate, "--tls-key", &good.certificate],
            "good.pem: expected a private key",
        ),
        (&["--tls-certificate", "/no/such/file", "--tls-key", &good.key], "/no/such/file cannot be read"),
        (&authority.flags(), "authority.pem: the certificate is an authority's own"),
        (&old.flags(), "old.pem: invalid peer certificate: certificate expired"),
        (&["--tls-certificate", &good.certificate], "required arguments"),
        (&[&plan], "expected both or neither"),
    ] {
        let common = ["referee", "--program", "A", "--program", "B", "--folder", &event];
        let output = herald(&[&common[..], flags].concat());
        assert!(refused(&output).contains(expected), "{flags:?}: {output:?}");
        assert!(!folder.path().join("event").exists(), "nothing has begun");
    }
}
