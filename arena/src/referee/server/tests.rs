//! Tests of a service and its observer with real files and connections.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use players::transport::Security;

use super::*;
use crate::MatchOpenings;
use crate::referee::Fact;
use crate::referee::history::StoreSummary;
use crate::referee::peer_line::PeerLine;
use crate::referee::tests::settings;

const SHARED: &str = r#"{"tc":"60+1","margin":50}"#;
const TOKEN: &str = "open-sesame";

fn event() -> EventState {
    EventState::new(settings(&["A", "B"]), MatchOpenings::none()).expect("a schedule")
}

fn fact(json: &str) -> Fact {
    serde_json::from_str(json).expect("a fact")
}

/// The first game, won by White.
fn first_game() -> Vec<Fact> {
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let began = format!(
        r#"{{"fact":"began","game":0,"round":1,"white":0,"black":1,"opening":0,"start":"{start}","moves":[],"at":0}}"#
    );
    let outcome = game::Outcome::Win { winner: game::Color::White, reason: game::WinReason::Resignation };
    let moved = r#"{"fact":"moved","game":0,"mv":"e2e4","used":1000}"#;
    vec![fact(&began), fact(moved), Fact::ended(0, outcome, String::new(), 1000)]
}

/// The second game, with the same moves and colours reversed.
fn second_game() -> Vec<Fact> {
    let reversed = first_game().into_iter().map(|fact| match fact {
        Fact::Began { round, opening, start, moves, at, .. } => {
            Fact::Began { game: 1, round, white: 1, black: 0, opening, start, moves, at }
        }
        Fact::Moved { mv, used, words, .. } => Fact::Moved { game: 1, mv, used, words },
        Fact::Ended { outcome, detail, millis, .. } => Fact::Ended { game: 1, outcome, detail, millis },
        other => other,
    });
    reversed.collect()
}

fn store(folder: &Path, facts: &[Fact]) -> u64 {
    let mut store = EventStore::open(&folder.join("event.sqlite"), "{}", |_| Ok(())).expect("a store");
    store.commit(facts).expect("stored");
    store.history.referee
}

/// Any free port of this machine.
fn entrance() -> ListenConfig {
    let address = "127.0.0.1:0".parse().expect("an address");
    ListenConfig { address, limits: ConnectionLimits::default(), tls: None }
}

fn service(folder: &Path) -> Result<Service, ServiceError> {
    Service::open(event(), folder, "{}", entrance(), None)
}

/// A standby referee with a store in this folder.
fn standby_in(folder: &Path) -> StandbyReferee {
    StandbyReferee::open(event(), folder, "{}", None).expect("an observer")
}

fn peer(address: &str, token: &str) -> TrustedPeer {
    TrustedPeer { address: address.to_owned(), token: token.to_owned(), security: Security::default() }
}

fn quiet(_: &Notice) {}

#[test]
fn games_pgn_has_all_games_after_every_new_term() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut facts = vec![Fact::Epoch { epoch: 1, by: 5 }, Fact::Observer { by: Some(9) }];
    facts.extend(first_game());
    store(folder.path(), &facts);
    let mut service = service(folder.path()).expect("a service");
    for _ in 0..3 {
        service.keep_lease(Instant::now(), &mut quiet).expect("it waits");
        service.deliver(&mut quiet).expect("delivered");
        service.begin_term(Instant::now()).expect("a term");
        service.deliver(&mut quiet).expect("delivered");
        let games = fs::read_to_string(folder.path().join("games.pgn")).expect("a file");
        assert_eq!(games.matches("[GameNumber \"1\"]").count(), 1, "{games}");
        service.stand_down(&mut quiet).expect("it waits again");
    }
}

#[test]
fn a_folder_with_games_that_its_store_does_not_know_is_refused() {
    let known = tempfile::tempdir().expect("a folder");
    store(known.path(), &first_game());
    let game = |number: u32| format!("[Event \"Open\"]\n[GameNumber \"{number}\"]\n\n1. e4 1-0\n\n");
    fs::write(known.path().join("games.pgn"), game(1)).expect("written");
    drop(service(known.path()).expect("the store knows game 1"));
    fs::write(known.path().join("games.pgn"), game(1) + &game(2)).expect("written");
    let why = service(known.path()).err().expect("game 2 is lost").to_string();
    assert!(
        why.contains("does not know game 2 (games.pgn, line 6: ? - ?)") && why.contains("observer's"),
        "{why}"
    );
    let observer = StandbyReferee::open(event(), known.path(), "{}", None);
    let why = observer.err().expect("the same").to_string();
    assert!(why.contains("name a new, empty folder"), "{why}");
    fs::write(known.path().join("games.pgn"), format!(" {}", game(2)).replace('\n', "\r\n"))
        .expect("written");
    assert!(service(known.path()).is_err(), "an editor's line ends and blanks hide nothing");
    for (file, told) in [
        ("games.pgn", "games.pgn"),
        ("running/game-00001.pgn", "game 1"),
        ("report/game-3.pgn", "game 3"),
        ("report.txt", "a report"),
    ] {
        let lost = tempfile::tempdir().expect("a folder");
        let path = lost.path().join(file);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(&path, "x").expect("written");
        let why = service(lost.path()).err().expect("refused").to_string();
        assert!(why.contains(told) && path.exists(), "{why}");
    }
    let odd = tempfile::tempdir().expect("a folder");
    fs::create_dir(odd.path().join("traffic.log")).expect("made");
    let why = service(odd.path()).err().expect("refused").to_string();
    assert!(why.contains("traffic.log"), "{why}");
}

#[test]
fn games_of_others_stop_nothing_and_are_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    store(folder.path(), &first_game());
    let file = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap_or_default();
    let foreign =
        "[Event \"Wijk aan Zee\"]\n[White \"K\"]\n[Black \"T\"]\n[GameNumber \"7\"]\n\n1. e4 1-0\n\n";
    for round in 1..=2 {
        fs::write(folder.path().join("games.pgn"), foreign).expect("written");
        let mut service = service(folder.path()).expect("it is none of this event");
        let mut told = String::new();
        service.keep_lease(Instant::now(), &mut quiet).expect("it begins");
        service.deliver(&mut |news| told += &news.text).expect("delivered");
        let name = format!("games-{round}.pgn");
        assert!(told.contains(&format!("not what the store here says: it is kept as {name}")), "{told}");
        assert_eq!(file(&name), foreign);
        let games = file("games.pgn");
        assert!(games.contains("[GameNumber \"1\"]") && !games.contains("Wijk"), "{games}");
    }
}

/// A service that acts, and the file games.pgn that it has written.
fn acting(folder: &Path) -> (Service, String) {
    let mut service = service(folder).expect("a service");
    service.keep_lease(Instant::now(), &mut quiet).expect("it begins");
    service.deliver(&mut quiet).expect("delivered");
    (service, fs::read_to_string(folder.join("games.pgn")).expect("written"))
}

type Edit<'a> = &'a dyn Fn(&str) -> Vec<u8>;

#[test]
fn whatever_somebody_does_to_games_pgn_in_an_event_nothing_is_lost() {
    let utf_16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let edits: [(&str, Edit<'_>); 6] = [
        ("shorter", &|text| text[..text.len() / 2].into()),
        ("a game at the end", &|text| (text.to_owned() + "[White \"K\"]\n\n1. e4 1-0\n\n").into()),
        ("bare moves before", &|text| ("1. e4 e5\n".to_owned() + text).into()),
        ("as long as before", &|text| text.replace("e4", "d4").into()),
        ("another character set", &|text| utf_16(text)),
        ("emptied", &|_| Vec::new()),
    ];
    for (what, edit) in edits {
        for order in ["correct 1 0-1 so --yes", "rewind 1 1b --yes"] {
            let folder = tempfile::tempdir().expect("a folder");
            store(folder.path(), &first_game());
            let (mut service, before) = acting(folder.path());
            let games = folder.path().join("games.pgn");
            fs::write(&games, edit(&before)).expect("written");
            let mut told = String::new();
            service.carry_out(&Order::new(order, CONSOLE), &mut quiet).expect("done").expect("obeyed");
            service.deliver(&mut |news| told += &news.text).expect("delivered");
            let kept = fs::read(folder.path().join("games-1.pgn")).expect("a copy");
            assert!(kept == edit(&before) && told.contains("kept as games-1.pgn"), "{what}: {told}");
            let now = fs::read_to_string(&games).expect("a file");
            assert_eq!(now, service.files.games(), "{what}");
            assert!(now.contains("0-1") || order.starts_with("rewind"), "{what}: {now}");
            // Nobody has touched it since.
            service.carry_out(&Order::new("adjudicate 1 1-0 --yes", CONSOLE), &mut quiet).expect("done").ok();
            service.deliver(&mut quiet).expect("delivered");
            assert!(!folder.path().join("games-2.pgn").exists(), "{what}");
        }
    }
}

#[test]
fn games_pgn_that_is_gone_is_written_anew_and_a_running_game_is_added() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut facts = first_game();
    facts.extend(second_game().into_iter().take(2));
    store(folder.path(), &facts);
    let (mut service, before) = acting(folder.path());
    let games = folder.path().join("games.pgn");
    fs::remove_file(&games).expect("removed");
    let mut told = String::new();
    service
        .carry_out(&Order::new("adjudicate 2 1-0 --yes", CONSOLE), &mut quiet)
        .expect("done")
        .expect("obeyed");
    service.deliver(&mut |news| told += &news.text).expect("delivered");
    let now = fs::read_to_string(&games).expect("a file");
    assert!(now.starts_with(&before) && now.matches("[Event ").count() == 2, "{now}");
    assert!(told.contains("games.pgn was gone: it is written anew"), "{told}");
}

#[test]
fn files_that_know_more_than_the_store_are_refused_and_others_are_kept() {
    let begin = |folder: &Path, facts: &[Fact]| {
        store(folder, facts);
        acting(folder).1
    };
    let outcome = game::Outcome::Win { winner: game::Color::Black, reason: game::WinReason::Adjudication };
    let corrected = Fact::Corrected {
        game: 0,
        outcome: crate::match_store::RecordedOutcome(outcome),
        detail: String::new(),
    };
    let newer = tempfile::tempdir().expect("a folder");
    let mut facts = first_game();
    facts.push(corrected);
    let new_text = begin(newer.path(), &facts);
    let older = tempfile::tempdir().expect("a folder");
    let text = begin(older.path(), &first_game());
    let changed = |from: &str, to: &str| text.replace(from, to);
    let refusals = [
        (new_text.clone(), "the result 0-1 of game 1"),
        (changed("1. e4", "1. d4"), "all moves of game 1"),
        (changed("1. e4", "1. e4 e5 2. Nf3"), "all moves of game 1"),
        (new_text.replace('[', "[ ").replace("\"]", "\" ]").replace('\n', "\r"), "the result 0-1 of game 1"),
        (new_text.replace(" \"", "\t\""), "the result 0-1 of game 1"),
    ];
    for (file, told) in refusals {
        fs::write(older.path().join("games.pgn"), &file).expect("written");
        let why = service(older.path()).err().map(|why| why.to_string()).unwrap_or_default();
        assert!(why.contains(told), "{why}: {file}");
        assert_eq!(fs::read_to_string(older.path().join("games.pgn")).expect("a file"), file);
    }
    fs::write(older.path().join("games.pgn"), &text).expect("written");
    fs::write(older.path().join("running/game-00001.pgn"), "1. e4 e5 *\n").expect("written");
    let why = service(older.path()).err().expect("a move is lost").to_string();
    assert!(why.contains("does not know all moves of game 1 (running/game-00001.pgn)"), "{why}");
    fs::remove_file(older.path().join("running/game-00001.pgn")).expect("removed");
    let comment = format!("{{ {} }}\n{text}", changed("1-0", "0-1").split("\n\n").next().unwrap_or_default());
    let numberless = new_text.replace("[GameNumber", "[Number");
    let short = changed("1. e4", "");
    for (number, file) in (1..).zip([comment, "e4 e5 junk".to_owned(), numberless, short]) {
        fs::write(older.path().join("games.pgn"), &file).expect("written");
        assert_eq!(acting(older.path()).1, text, "{file}");
        let kept = fs::read_to_string(older.path().join(format!("games-{number}.pgn"))).expect("kept");
        assert_eq!(kept, file);
    }
    fs::write(older.path().join("games.pgn"), &text[..text.len() - 9]).expect("written");
    assert_eq!(acting(older.path()).1, text, "as after SIGKILL");
    assert!(!older.path().join("games-5.pgn").exists());
}

#[test]
fn a_report_does_not_count_a_result_that_was_taken_back() {
    let folder = tempfile::tempdir().expect("a folder");
    store(folder.path(), &first_game());
    let (mut service, _) = acting(folder.path());
    service.report().expect("written");
    let report = || fs::read_to_string(folder.path().join("report.txt")).expect("a report");
    assert!(report().contains("1-0") && folder.path().join("report/game-1.pgn").exists());
    service.carry_out(&Order::new("rewind 1 1b --yes", CONSOLE), &mut quiet).expect("done").expect("rewound");
    service.deliver(&mut quiet).expect("delivered");
    let text = report();
    assert!(!text.contains("1-0 ") && text.contains("not over"), "{text}");
    assert!(!folder.path().join("report/game-1.pgn").exists());
}

#[test]
fn what_comes_before_a_damaged_line_is_kept_and_the_rest_is_asked_for_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    let told: Vec<Fact> = std::iter::once(Fact::Epoch { epoch: 1, by: 5 }).chain(first_game()).collect();
    let facts = told.clone();
    let acting = thread::spawn(move || {
        let line = |number: u64| {
            let json = serde_json::to_string(&facts[number as usize - 1]).expect("JSON");
            PeerLine::Fact(number, json).encode().into_bytes()
        };
        let mut flipped = line(3);
        flipped[20] ^= 0x80;
        let mut digit = line(3);
        digit[14] ^= 1;
        let over = PeerLine::End.encode().into_bytes();
        let batches = [
            [line(1), line(2), b"\xff\xfe\n".to_vec(), line(3)].concat(),
            [flipped, line(4)].concat(),
            [digit, line(4)].concat(),
            line(4),
            [line(2), line(3), line(4), over].concat(),
        ];
        let mut asked = Vec::new();
        for batch in batches {
            let (mut stream, _) = listener.accept().expect("an observer");
            let mut hello = Vec::new();
            let mut reader = BufReader::new(stream.try_clone().expect("a stream"));
            reader.read_until(b'\n', &mut hello).expect("a line");
            let Some(PeerLine::Observe { store: StoreSummary { first, .. }, .. }) =
                PeerLine::parse(hello.trim_ascii_end())
            else {
                panic!("{hello:?}")
            };
            asked.push(first);
            stream.write_all(&batch).expect("sent");
            // Until the observer has hung up.
            let _ = std::io::copy(&mut reader, &mut std::io::sink());
        }
        asked
    });
    let mut observer = standby_in(folder.path());
    let end = observer.watch(&peer(&address, TOKEN), SHARED, &AtomicBool::new(false), &mut quiet);
    assert!(matches!(end, Ok(ObservationEnd::Ended)), "{end:?}");
    assert_eq!(acting.join().expect("no panic"), [1, 3, 3, 3, 3]);
    drop(observer);
    assert_eq!(facts_in(folder.path()), told);
}

#[test]
fn a_live_referee_tells_why_it_refuses_an_observer() {
    let folders = [(); 3].map(|()| tempfile::tempdir().expect("a folder"));
    store(folders[0].path(), &first_game());
    let acting = run(service(folders[0].path()).expect("a service"), true);
    let refusal = |folder: &Path, token: &str, shared: &str| {
        let referee = peer(&acting.address, token);
        match standby_in(folder).watch(&referee, shared, &AtomicBool::new(false), &mut quiet) {
            Err(ServiceError::Refused(_, why)) => why,
            other => panic!("{other:?}"),
        }
    };
    let other = SHARED.replace("50", "60");
    let why = refusal(folders[1].path(), TOKEN, &other);
    assert!(why.contains("(margin: 50 there, 60 here)"), "{why}");
    // A store of another event, whose last referee it was.
    let own = store(folders[2].path(), &[]);
    store(folders[2].path(), &[Fact::Epoch { epoch: 1, by: own }]);
    let why = refusal(folders[2].path(), TOKEN, SHARED);
    assert!(why.contains("its store is of another event"), "{why}");
    let why = refusal(folders[1].path(), "open-barley", SHARED);
    assert!(why.contains("its token is wrong"), "{why}");
    assert!(acting.director.quit(false));
    assert_eq!(acting.end.join().expect("no panic").0, Some(ServiceEnd::Quit));
}

#[test]
fn all_connections_together_leave_files_for_the_event() {
    for files in [128, 256, 1024, 4096, 1 << 20] {
        let shares = FileShares::of(files).expect("enough");
        assert!(shares.clients >= 16 && shares.page >= 16 && shares.observers >= 8, "{shares:?}");
        assert_eq!(shares.clients + shares.page + shares.observers + RESERVED_FILES, files);
    }
    assert!(FileShares::of(127).is_err());
}

/// A referee that runs on a thread of its own, with an address for observers.
struct Running {
    address: String,
    director: Director,
    end: thread::JoinHandle<(Option<ServiceEnd>, String)>,
}

fn run(mut service: Service, stays: bool) -> Running {
    let any = "127.0.0.1:0".parse().expect("an address");
    let address = service.let_observe(any, TOKEN.to_owned(), SHARED.to_owned()).expect("a port").to_string();
    let director = service.director();
    let end = thread::spawn(move || {
        let mut told = String::new();
        let end = service.run(stays, &mut |news| told.extend([&news.text, "\n"]));
        (end.ok(), told)
    });
    Running { address, director, end }
}

fn facts_in(folder: &Path) -> Vec<Fact> {
    let mut facts = Vec::new();
    let store = EventStore::open(&folder.join("event.sqlite"), "{}", |fact| {
        facts.push(fact);
        Ok(())
    });
    drop(store.expect("a store"));
    facts
}

/// Lets an observer take over, and both referees come to the end of the event.
fn take_over_and_end(standby: StandbyReferee, first: Running) {
    let mut successor = standby.take_over(entrance()).expect("a service");
    let successor = thread::spawn(move || successor.run(false, &mut quiet).ok());
    assert_eq!(joined(successor), Some(ServiceEnd::Complete));
    assert_eq!(joined(first.end).0, Some(ServiceEnd::Complete));
}

/// How a referee ends while an observer watches it.
fn end_while_watched(first: Running, standby: &mut StandbyReferee) -> Option<ServiceEnd> {
    let (referee, running, stop) = (peer(&first.address, TOKEN), first.end, AtomicBool::new(false));
    thread::scope(|scope| {
        scope.spawn(|| standby.watch(&referee, SHARED, &stop, &mut quiet));
        let (end, _) = joined(running);
        stop.store(true, Ordering::Relaxed);
        end
    })
}

/// What a thread returns that ends within seconds.
fn joined<T>(thread: JoinHandle<T>) -> T {
    let until = Instant::now() + Duration::from_secs(20);
    while !thread.is_finished() {
        assert!(Instant::now() < until, "it does not end");
        thread::sleep(Duration::from_millis(10));
    }
    thread.join().expect("no panic")
}

/// The folders of two referees with empty stores, and the numbers of the referees.
fn two_stores() -> ([tempfile::TempDir; 2], [u64; 2]) {
    let folders = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
    let numbers = folders.each_ref().map(|folder| store(folder.path(), &[]));
    (folders, numbers)
}

/// The referee of the first folder, which runs, and an observer in the second.
fn referee_and_observer(folders: &[tempfile::TempDir; 2]) -> (Running, StandbyReferee) {
    let first = run(service(folders[0].path()).expect("a service"), false);
    (first, standby_in(folders[1].path()))
}

/// The facts of an event of which the first game was played, with an observer that may take over.
fn observed_event(acting: u64, observer: u64) -> Vec<Fact> {
    let begin = [Fact::Epoch { epoch: 1, by: acting }, Fact::Observer { by: Some(observer) }];
    begin.into_iter().chain(first_game()).collect()
}

/// The same after both games.
fn ended_event(acting: u64, observer: u64) -> Vec<Fact> {
    observed_event(acting, observer).into_iter().chain(second_game()).collect()
}

#[test]
fn an_observer_takes_over_from_a_referee_with_an_older_copy_of_its_store() {
    let (folders, [acting, observer]) = two_stores();
    let facts = observed_event(acting, observer);
    store(folders[0].path(), &facts[..3]);
    store(folders[1].path(), &facts);
    let (first, mut standby) = referee_and_observer(&folders);
    let mut told = String::new();
    let end = standby
        .watch(&peer(&first.address, TOKEN), SHARED, &AtomicBool::new(false), &mut |news| told += &news.text);
    assert!(matches!(end, Ok(ObservationEnd::TakeOver)), "{end:?}");
    assert!(told.contains("an older copy: it lacks what was told from fact 4 on"), "{told}");
    drop(standby);
    assert_eq!(facts_in(folders[1].path()), facts, "nothing is set aside");
    let refused = first.director.order(Order::new("alone", CONSOLE)).expect("it runs").expect_err("refused");
    assert!(refused.contains("another referee has taken over"), "{refused}");
    first.director.quit(false);
    let (_, told) = first.end.join().expect("no panic");
    assert!(told.contains("the store here is an older copy"), "{told}");
}

#[test]
fn a_referee_that_acts_with_an_older_copy_ends_when_its_observer_comes() {
    let (folders, [acting, _]) = two_stores();
    let mut facts = vec![Fact::Epoch { epoch: 1, by: acting }];
    facts.extend(first_game());
    // It acted alone when the copy was made.
    store(folders[0].path(), &facts[..2]);
    store(folders[1].path(), &facts);
    let (first, mut standby) = referee_and_observer(&folders);
    assert_eq!(end_while_watched(first, &mut standby), None, "an error");
    // Started again, it waits, unless its director has given up what the other one has.
    let first = run(service(folders[0].path()).expect("a service"), false);
    let order = |words| first.director.order(Order::new(words, CONSOLE)).expect("it runs");
    let refused = order("alone").expect_err("refused");
    assert!(refused.contains("another referee has taken over"), "{refused}");
    order("alone lost").expect("it goes on");
    let end = standby.watch(&peer(&first.address, TOKEN), SHARED, &AtomicBool::new(false), &mut quiet);
    assert!(matches!(&end, Err(ServiceError::Refused(_, why)) if why.contains("older copy")), "{end:?}");
    first.director.quit(false);
    assert_eq!(first.end.join().expect("no panic").0, Some(ServiceEnd::Quit));
}

#[test]
fn a_referee_that_goes_on_with_an_older_copy_yields_to_a_lower_term_and_gets_all_facts() {
    let (folders, [acting, observer]) = two_stores();
    // Before an observer was named, and started again some times since: with facts of its own where the successor has others.
    let terms = (1..=8).map(|epoch| Fact::Epoch { epoch, by: acting }).collect::<Vec<_>>();
    store(folders[0].path(), &terms);
    let mut facts = ended_event(acting, observer);
    facts.push(Fact::Epoch { epoch: 2, by: observer });
    store(folders[1].path(), &facts);
    let (first, mut standby) = referee_and_observer(&folders);
    standby.predecessor = Some(peer(&first.address, TOKEN));
    take_over_and_end(standby, first);
    let [mine, theirs] = folders.each_ref().map(|folder| facts_in(folder.path()));
    assert!(mine == theirs && mine.starts_with(&facts), "{mine:?}, {theirs:?}");
}

#[test]
fn a_referee_that_was_taken_over_from_observes_from_the_first_fact_on() {
    let (folders, [former, observer]) = two_stores();
    let terms = (1..=3).map(|epoch| Fact::Epoch { epoch, by: former }).collect::<Vec<_>>();
    store(folders[0].path(), &terms);
    let mut facts = observed_event(former, observer);
    facts.extend([Fact::Epoch { epoch: 2, by: observer }, Fact::Observer { by: None }]);
    store(folders[1].path(), &facts);
    let mut fenced = service(folders[0].path()).expect("a service");
    fenced.referee.store.note(Note::Fenced(Some((2, observer)))).expect("noted");
    drop(fenced);
    let mut standby = standby_in(folders[0].path());
    let acting = run(service(folders[1].path()).expect("a service"), true);
    let stop = AtomicBool::new(false);
    let end = thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_secs(1));
            stop.store(true, Ordering::Relaxed);
        });
        standby.watch(&peer(&acting.address, TOKEN), SHARED, &stop, &mut quiet)
    });
    assert!(matches!(end, Ok(ObservationEnd::Stopped)), "{end:?}");
    drop(standby);
    acting.director.quit(false);
    joined(acting.end);
    let [mine, theirs] = folders.each_ref().map(|folder| facts_in(folder.path()));
    assert!(theirs.starts_with(&facts) && theirs.starts_with(&mine) && mine.len() > facts.len(), "{mine:?}");
}

#[test]
fn a_referee_that_has_begun_a_term_again_with_an_older_copy_is_found_out() {
    for begun in 1..=2 {
        let (folders, [acting, observer]) = two_stores();
        // The copy was made in the first term. With it this referee has recorded more than with the folder before, and it begins its
        // next term, which the observer knows, too, or the one after that.
        let terms = (1..=begun).map(|epoch| Fact::Epoch { epoch, by: acting });
        store(
            folders[0].path(),
            &terms.chain((0..9).map(|_| Fact::Observer { by: None })).collect::<Vec<_>>(),
        );
        let mut facts = observed_event(acting, observer);
        facts.insert(2, Fact::Epoch { epoch: 2, by: acting });
        store(folders[1].path(), &facts);
        let (first, mut standby) = referee_and_observer(&folders);
        let stop = AtomicBool::new(false);
        thread::scope(|scope| {
            let watching =
                scope.spawn(|| standby.watch(&peer(&first.address, TOKEN), SHARED, &stop, &mut quiet));
            let until = Instant::now() + Duration::from_secs(20);
            while !first.end.is_finished() && Instant::now() < until {
                thread::sleep(Duration::from_millis(10));
            }
            stop.store(true, Ordering::Relaxed);
            first.director.quit(false);
            watching.join().expect("no panic").ok();
        });
        assert_eq!(joined(first.end).0, None, "it ends with an error, {begun}");
        drop(standby);
        assert_eq!(facts_in(folders[1].path()), facts, "nothing of it is taken");
    }
}

#[test]
fn a_referee_with_a_copy_from_before_its_observer_was_named_yields_to_that_one_which_has_acted_since() {
    let (folders, [acting, observer]) = two_stores();
    let mut facts = vec![Fact::Epoch { epoch: 1, by: acting }];
    facts.extend(first_game());
    store(folders[0].path(), &facts);
    let mut facts = observed_event(acting, observer);
    facts.extend([Fact::Epoch { epoch: 2, by: observer }, Fact::Observer { by: None }]);
    store(folders[1].path(), &facts);
    let (first, mut standby) = referee_and_observer(&folders);
    let end = standby.watch(&peer(&first.address, TOKEN), SHARED, &AtomicBool::new(false), &mut quiet);
    assert!(matches!(end, Err(ServiceError::ObservedReferee(..))), "it goes on by itself: {end:?}");
    assert_eq!(joined(first.end).0, Some(ServiceEnd::Outdated));
    // Started again, it waits.
    let first = run(service(folders[0].path()).expect("a service"), false);
    let refused = first.director.order(Order::new("alone", CONSOLE)).expect("it runs").expect_err("refused");
    assert!(refused.contains("another referee has taken over"), "{refused}");
    first.director.quit(false);
    joined(first.end);
}

#[test]
fn an_event_that_both_have_seen_end_is_told_again_to_an_older_copy() {
    for named in [false, true] {
        let (folders, [acting, observer]) = two_stores();
        let mut facts = ended_event(acting, observer);
        store(folders[0].path(), &facts[..if named { 4 } else { 1 }]);
        facts.extend([Fact::Epoch { epoch: 2, by: observer }, Fact::Observer { by: None }]);
        store(folders[1].path(), &facts);
        let (first, standby) = referee_and_observer(&folders);
        let predecessor = peer(&first.address, TOKEN);
        assert!(standby.tell_end_again(&predecessor).expect("read"), "named: {named}");
        assert_eq!(joined(first.end).0, Some(ServiceEnd::Complete));
        assert_eq!(facts_in(folders[0].path()), facts);
        assert!(!standby.tell_end_again(&predecessor).expect("read"), "nobody is there");
    }
}

#[test]
fn a_referee_that_was_told_of_a_take_over_begins_no_term_while_it_waits_at_the_end() {
    let folder = tempfile::tempdir().expect("a folder");
    let (acting, observer) = (store(folder.path(), &[]), 9);
    // An older copy from a time in which it went on without its observer, and with which it came to the end.
    let mut facts = ended_event(acting, observer);
    facts.extend([Fact::Observer { by: None }, Fact::Epoch { epoch: 3, by: acting }]);
    store(folder.path(), &facts);
    let mut service = service(folder.path()).expect("a service");
    let noted = &mut service.referee.store;
    noted.note(Note::Left(true)).and_then(|()| noted.note(Note::Over)).expect("noted");
    let first = run(service, false);
    let alone = || first.director.order(Order::new("alone", CONSOLE)).expect("it runs").expect_err("refused");
    let mut successor = std::net::TcpStream::connect(&first.address).expect("a connection");
    let fence = PeerLine::Fence { token: TOKEN.to_owned(), term: (2, observer), first: 3, last: 0 };
    successor.write_all(fence.encode().as_bytes()).expect("sent");
    let until = Instant::now() + Duration::from_secs(20);
    while !alone().contains("another referee has taken over") {
        assert!(Instant::now() < until, "it does not hear the successor");
        thread::sleep(Duration::from_millis(10));
    }
    first.director.quit(false);
    joined(first.end);
    assert_eq!(facts_in(folder.path()), facts[..2]);
}

#[test]
fn a_referee_in_a_new_folder_leaves_the_event_to_an_observer_that_has_it() {
    let folders = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
    let observer = store(folders[1].path(), &[]);
    store(folders[1].path(), &observed_event(observer.wrapping_add(1), observer));
    let (first, mut standby) = referee_and_observer(&folders);
    assert_eq!(end_while_watched(first, &mut standby), None, "an error");
    // Started again, it waits for the observer, which takes over.
    let first = run(service(folders[0].path()).expect("a service"), false);
    let end = standby.watch(&peer(&first.address, TOKEN), SHARED, &AtomicBool::new(false), &mut quiet);
    assert!(matches!(end, Ok(ObservationEnd::TakeOver)), "{end:?}");
    first.director.quit(false);
    joined(first.end);
}

#[test]
fn an_older_copy_gets_the_end_that_both_knew() {
    let (folders, [acting, observer]) = two_stores();
    let facts = ended_event(acting, observer);
    store(folders[0].path(), &facts[..4]);
    store(folders[1].path(), &facts);
    let mut known = service(folders[1].path()).expect("a service");
    known.referee.store.note(Note::Over).and_then(|()| known.referee.store.note(Note::Told)).expect("noted");
    drop(known);
    let (first, mut standby) = referee_and_observer(&folders);
    let end = standby.watch(&peer(&first.address, TOKEN), SHARED, &AtomicBool::new(false), &mut quiet);
    assert!(matches!(end, Ok(ObservationEnd::TakeOver)), "{end:?}");
    take_over_and_end(standby, first);
    let [mine, theirs] = folders.each_ref().map(|folder| facts_in(folder.path()));
    assert!(mine == theirs && mine.starts_with(&facts), "{mine:?}, {theirs:?}");
    let [mine, theirs] =
        folders.each_ref().map(|folder| fs::read_to_string(folder.path().join("games.pgn")).expect("games"));
    assert_eq!(mine, theirs);
}

#[test]
fn an_observer_that_knows_the_end_tells_it_to_a_referee_that_waits_for_it() {
    let (folders, [acting, observer]) = two_stores();
    for folder in &folders {
        store(folder.path(), &ended_event(acting, observer));
    }
    let mut standby = standby_in(folders[1].path());
    standby.finish(&mut quiet).expect("written");
    assert!(!standby.is_end_told(), "the other one may not know it");
    let first = run(service(folders[0].path()).expect("a service"), false);
    let end = standby.watch(&peer(&first.address, TOKEN), SHARED, &AtomicBool::new(false), &mut quiet);
    assert!(matches!(end, Ok(ObservationEnd::Ended)), "{end:?}");
    standby.finish(&mut quiet).expect("written");
    assert!(standby.is_end_told());
    drop(standby);
    assert_eq!(first.end.join().expect("no panic").0, Some(ServiceEnd::Complete));
    assert_eq!(facts_in(folders[0].path()), facts_in(folders[1].path()));
    // Both know that both know.
    let begin = Instant::now();
    let (end, told) =
        run(service(folders[0].path()).expect("a service"), false).end.join().expect("no panic");
    assert!(end == Some(ServiceEnd::Complete) && told.contains("nothing is written anew"), "{told}");
    assert!(begin.elapsed() < Duration::from_secs(3), "{:?}", begin.elapsed());
}

#[test]
fn an_observer_that_was_left_gets_the_end() {
    let (folders, [acting, observer]) = two_stores();
    let mut facts = ended_event(acting, observer);
    store(folders[1].path(), &facts[..4]);
    facts.insert(4, Fact::Observer { by: None });
    facts.insert(5, Fact::Epoch { epoch: 2, by: acting });
    store(folders[0].path(), &facts);
    let mut service = service(folders[0].path()).expect("a service");
    service.referee.store.note(Note::Left(true)).expect("noted");
    service.referee.store.note(Note::Over).expect("noted");
    let first = run(service, false);
    thread::sleep(Duration::from_millis(300));
    let mut standby = standby_in(folders[1].path());
    let end = standby.watch(&peer(&first.address, TOKEN), SHARED, &AtomicBool::new(false), &mut quiet);
    assert!(matches!(end, Ok(ObservationEnd::Ended)), "{end:?}");
    assert!(standby.finish(&mut quiet).expect("written").is_some());
    drop(standby);
    assert_eq!(first.end.join().expect("no panic").0, Some(ServiceEnd::Complete));
    let games =
        folders.each_ref().map(|folder| fs::read_to_string(folder.path().join("games.pgn")).expect("games"));
    assert!(games[0] == games[1] && games[0].matches("[Event ").count() == 2, "{games:?}");
}

#[test]
fn an_observer_waits_for_a_referee_that_does_not_run_yet() {
    let folders = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
    let free = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = free.local_addr().expect("an address");
    drop(free);
    let mut standby = standby_in(folders[1].path());
    let watching = thread::spawn(move || {
        let mut told = String::new();
        let peer = peer(&address.to_string(), TOKEN);
        let end = standby.watch(&peer, SHARED, &AtomicBool::new(false), &mut |news| told += &news.text);
        (end, told)
    });
    thread::sleep(Duration::from_millis(300));
    let mut acting = service(folders[0].path()).expect("a service");
    acting.let_observe(address, TOKEN.to_owned(), SHARED.to_owned()).expect("the port");
    let director = acting.director();
    let running = thread::spawn(move || acting.run(true, &mut quiet).is_ok());
    thread::sleep(Duration::from_millis(1500));
    assert!(director.quit(false));
    let (end, told) = watching.join().expect("no panic");
    assert!(matches!(end, Ok(ObservationEnd::Ended)) && told.contains("can't be observed"), "{end:?} {told}");
    assert!(running.join().expect("no panic"));
}

#[test]
fn an_older_copy_of_the_store_is_refused_whatever_the_games_say() {
    let corrected = |outcome| Fact::Corrected {
        game: 0,
        outcome: crate::match_store::RecordedOutcome(outcome),
        detail: String::new(),
    };
    let win = game::Outcome::Win { winner: game::Color::White, reason: game::WinReason::Resignation };
    let draw = game::Outcome::Draw(game::DrawReason::Agreement);
    let [older, newer] = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
    store(older.path(), &first_game());
    drop(acting(older.path()));
    let facts = first_game().into_iter().chain([corrected(draw), corrected(win)]).collect::<Vec<_>>();
    store(newer.path(), &facts);
    drop(acting(newer.path()));
    let shown = fs::read_to_string(newer.path().join("event.shown")).expect("a count");
    assert_eq!(shown.trim().parse(), Ok(facts_in(newer.path()).len()));
    for end in ["", "-wal"] {
        let name = format!("event.sqlite{end}");
        let _ = fs::remove_file(newer.path().join(&name));
        let _ = fs::copy(older.path().join(&name), newer.path().join(&name));
    }
    let before = fs::read(newer.path().join("games.pgn")).expect("games");
    let why = service(newer.path()).err().expect("refused").to_string();
    assert!(why.contains("its store has 4 facts, and 6 were shown (event.shown)"), "{why}");
    assert_eq!(fs::read(newer.path().join("games.pgn")).expect("games"), before);
    fs::write(newer.path().join("event.shown"), "x").expect("written");
    let refused = service(newer.path()).err();
    assert!(matches!(refused, Some(ServiceError::Store(EventStoreError::Uncounted(_)))), "{refused:?}");
}

#[test]
fn what_is_no_file_in_the_place_of_games_pgn_is_put_aside_unopened() {
    let folder = tempfile::tempdir().expect("a folder");
    store(folder.path(), &first_game());
    let games = folder.path().join("games.pgn");
    let (mut service, text) = acting(folder.path());
    let make = |program: &str, arguments: &[&str]| {
        let made = std::process::Command::new(program).args(arguments).arg(&games).status();
        made.is_ok_and(|status| status.success())
    };
    let others: [(&str, &[&str]); 4] =
        [("mkdir", &[]), ("mkfifo", &[]), ("ln", &["-s", "/dev/zero"]), ("ln", &["-s", "/dev/full"])];
    let mut kept = 0;
    for (program, arguments) in others {
        fs::remove_file(&games).expect("removed");
        // Not every system has all of them.
        if !make(program, arguments) {
            fs::write(&games, &text).expect("written");
            continue;
        }
        kept += 1;
        let order = Order::new(
            if kept % 2 == 0 { "correct 1 1-0 so --yes" } else { "correct 1 0-1 so --yes" },
            CONSOLE,
        );
        service.carry_out(&order, &mut quiet).expect("done").expect("obeyed");
        let mut told = String::new();
        service.deliver(&mut |news| told += &news.text).expect("delivered");
        assert!(told.contains(&format!("kept as games-{kept}.pgn")), "{program}: {told}");
        assert_eq!(fs::read_to_string(&games).expect("a file"), service.files.games());
    }
    assert!(kept > 0);
    drop(service);
    fs::remove_file(&games).expect("removed");
    assert!(make("mkdir", &[]));
    acting(folder.path());
    assert!(games.is_file() && folder.path().join(format!("games-{}.pgn", kept + 1)).is_dir());
}
