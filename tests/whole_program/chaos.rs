//! Clients and the referee are killed at random during an event. Everything that was reported to a client must remain
//! valid.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use game::{Game, PgnGame, PgnReader};
use messages::referee::{Directive, Moves};

use crate::referee::Referee;
use crate::support::Program;

/// An event and the number of failures in it.
struct Storm {
    programs: usize,
    /// Rounds of a Swiss tournament with one game each.
    rounds: usize,
    /// Number of clients and referees that are killed.
    deaths: usize,
    seed: u64,
}

#[test]
fn nothing_is_lost_in_a_storm() {
    weather(&Storm { programs: 6, rounds: 3, deaths: 12, seed: 1 });
}

#[test]
#[ignore = "takes a minute"]
fn a_hundred_games_in_a_storm() {
    weather(&Storm { programs: 20, rounds: 10, deaths: 200, seed: 2 });
}

fn weather(storm: &Storm) {
    let folder = tempfile::tempdir().expect("a folder");
    let games = storm.programs / 2 * storm.rounds;
    let rounds = storm.rounds.to_string();
    let mut arguments: Vec<String> = [
        "--format",
        "swiss",
        "--games",
        "1",
        "--rounds",
        &rounds,
        "--tc",
        "nodes=3000",
        "--max-moves",
        "40",
        "--returns",
        "1000",
        "--background",
    ]
    .map(str::to_owned)
    .into();
    for number in 0..storm.programs {
        let secret = folder.path().join(format!("P{number}"));
        fs::write(&secret, format!("open-sesame-{number}\n")).expect("written");
        let program = format!("name=P{number} secret-file={}", secret.display());
        arguments.extend(["--program".to_owned(), program]);
    }
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut referee = Referee::start(folder.path(), "127.0.0.1:0", &arguments);
    let address = referee.address.clone();
    let client = |number: usize| {
        let (name, secret) = (format!("P{number}"), folder.path().join(format!("P{number}")));
        let secret = secret.to_str().expect("a path");
        let membership = ["play", "--referee", &address, "--name", &name, "--secret-file", secret];
        Program::start(&[&membership[..], &["--hash", "1", "--overhead", "0"]].concat())
    };
    let mut clients: Vec<Program> = (0..storm.programs).map(client).collect();
    let mut random = fastrand::Rng::with_seed(storm.seed);
    let (mut clients_died, mut referees_died) = (0, 0);
    while clients_died + referees_died < storm.deaths && count(folder.path()) + 1 < games {
        std::thread::sleep(Duration::from_millis(random.u64(20..150)));
        if random.u32(0..5) == 0 {
            referee.program.child.kill().expect("SIGKILL");
            referee.program.wait();
            referee = Referee::start(folder.path(), &address, &arguments);
            referees_died += 1;
        } else {
            // Dropping a program kills it.
            let victim = random.usize(..storm.programs);
            clients[victim] = client(victim);
            clients_died += 1;
        }
    }
    assert!(clients_died > 0 && referees_died > 0, "nothing was killed: {clients_died}, {referees_died}");
    referee.program.hear("! all games have been played");
    assert_eq!(referee.program.wait().code(), Some(0));
    for client in &mut clients {
        assert_eq!(client.wait().code(), Some(0));
    }
    compare(folder.path(), games, referees_died * storm.programs / 2);
}

fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join("event").join(name)).expect("a file of the event")
}

/// Returns the number of finished games.
fn count(folder: &Path) -> usize {
    read(folder, "games.pgn").matches("[Event ").count()
}

/// What the referees have sent about a game, according to the traffic log.
#[derive(Default)]
struct Told {
    /// The positions before and after each move that was sent to the opponent, by ply.
    moves: BTreeMap<usize, [String; 2]>,
    result: Option<String>,
}

fn told(log: &str) -> BTreeMap<u32, Told> {
    let mut games: BTreeMap<u32, Told> = BTreeMap::new();
    for line in log.lines() {
        // Date, time, connection, direction, record.
        let words: Vec<&str> = line.splitn(5, ' ').collect();
        let [_, _, _, "<", record] = words[..] else { continue };
        if !record.ends_with(';') {
            // The referee was killed while it wrote the line, before it sent the record.
            continue;
        }
        let directive: Directive = record.parse().unwrap_or_else(|error| panic!("{error}: {line}"));
        let Some(number) = directive.game else { continue };
        let game = games.entry(number.get()).or_default();
        let result = directive.tags.iter().find(|(name, value)| name == "Result" && value != "*");
        if let Some((_, result)) = result {
            assert!(game.result.as_ref().is_none_or(|before| before == result), "two results: {line}");
            game.result = Some(result.clone());
        }
        if let (Moves::Supplied(mv), Some(fullmoves)) = (&directive.moves, directive.counters.fullmoves) {
            let halfmoves = directive.counters.halfmoves.expect("both counters");
            let mut board = directive.position.game(halfmoves, fullmoves).expect("a legal position");
            let ply = 2 * (fullmoves.get() as usize - 1) + usize::from(board.turn().is_black());
            let before = board.fen();
            board.play(mv.legal().expect("a legal move")).expect("a legal move");
            let positions = [before, board.fen()];
            assert!(
                game.moves.get(&ply).is_none_or(|earlier| *earlier == positions),
                "another move than before: {line}"
            );
            game.moves.insert(ply, positions);
        }
    }
    games
}

/// Returns the positions of a game.
fn positions(game: &Game) -> Vec<String> {
    let mut board = Game::default();
    let mut positions = vec![board.fen()];
    for &mv in game.moves() {
        board.play(mv).expect("the moves of a game are legal");
        positions.push(board.fen());
    }
    positions
}

/// Compares the games and the final table with the traffic log. At most `untold` results may be missing in the log
/// because the referee was killed between storing and sending them.
pub(crate) fn compare(folder: &Path, games: usize, untold: usize) {
    let told = told(&read(folder, "traffic.log"));
    let pgn = read(folder, "games.pgn");
    let played: Vec<PgnGame> =
        PgnReader::new(pgn.as_bytes()).map(|game| game.expect("a game without faults")).collect();
    assert_eq!(played.len(), games);
    let mut points: BTreeMap<&str, f64> = BTreeMap::new();
    let mut silent = 0;
    for PgnGame { tags, game, .. } in &played {
        let number: u32 = tags.get("GameNumber").and_then(|number| number.parse().ok()).expect("a number");
        let (told, positions) = (&told[&number], positions(game));
        let outcome = game.outcome().expect("a result");
        let reason = outcome.to_string();
        for unfair in ["abandon", "illegal", "infraction", "time"] {
            assert!(!reason.contains(unfair), "game {number}: {reason}");
        }
        for (&ply, [before, after]) in &told.moves {
            assert_eq!(
                positions.get(ply..ply + 2),
                Some(&[before.clone(), after.clone()][..]),
                "game {number}"
            );
        }
        // All moves were sent, except a last one that ended the game.
        assert!(told.moves.keys().copied().eq(0..told.moves.len()), "game {number}");
        assert!(told.moves.len() + 1 >= game.ply(), "game {number}: {} of {}", told.moves.len(), game.ply());
        match &told.result {
            Some(result) => assert_eq!(result, outcome.result(), "game {number}"),
            None => silent += 1,
        }
        let (white, black) = match outcome.result() {
            "1-0" => (1.0, 0.0),
            "0-1" => (0.0, 1.0),
            _ => (0.5, 0.5),
        };
        *points.entry(&tags["White"]).or_default() += white;
        *points.entry(&tags["Black"]).or_default() += black;
    }
    assert!(silent <= untold, "{silent} results were told to nobody");
    let report = read(folder, "report.txt");
    for (name, points) in points {
        // Rank, name, points.
        let row = report.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
        let mut row = row.filter(|words| words.get(1) == Some(&name));
        let shown = row.next().and_then(|words| words[2].parse::<f64>().ok());
        assert_eq!(shown, Some(points), "{name}: {report}");
    }
}
