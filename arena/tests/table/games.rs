//! Whole games in every combination of protocols and features.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use arena::GameRecord;
use game::{CastlingMode, Game, Outcome, WinReason};
use players::{Log, LogEntry, OptionValue, PlayerFault, Protocol, Speaker};
use shakmaty::ByColor;

use crate::pair::{Pair, fixture, seat};

use Protocol::{Cecp, Cego, Uci};

const BLACK_TO_MOVE: &str = "r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3";
const CHESS960: &str = "1r3k1r/pppppppp/2n2n2/8/8/2N2N2/PPPPPPPP/1R3K1R w HBhb - 0 1";

fn position(fen: &str, mode: CastlingMode, moves: &str) -> Game {
    let mut game = Game::from_fen(fen, mode).expect("a position");
    game.play_line(moves.split_whitespace()).expect("legal");
    game
}

fn is_fine(record: &GameRecord) -> bool {
    matches!(record.outcome, Some(Outcome::Draw(_) | Outcome::Win { reason: WinReason::Checkmate, .. }))
}

/// A log in memory.
#[derive(Default)]
struct Minutes(Mutex<Vec<(Speaker, String)>>);

impl Log for Minutes {
    fn record(&self, entry: &LogEntry) {
        self.0.lock().unwrap().push((entry.speaker, entry.text.to_owned()));
    }
}

impl Minutes {
    fn of(&self, speaker: Speaker) -> Vec<String> {
        let minutes = self.0.lock().unwrap();
        minutes.iter().filter(|(who, _)| *who == speaker).map(|(_, text)| text.clone()).collect()
    }
}

#[test]
fn every_protocol_meets_every_other_in_several_games() {
    for (white, black) in [(Cecp, Uci), (Uci, Cego), (Cego, Cecp)] {
        let mut pair = Pair::start(&fixture(white, ""), &fixture(black, "--seed 2"));
        let start_fen = Game::default().fen();
        for (fen, moves, ponder) in [
            (start_fen.as_str(), "", true),
            (&start_fen, "e4 e5 Nf3", true),
            (BLACK_TO_MOVE, "a6 O-O", false),
        ] {
            let record = pair.play(position(fen, CastlingMode::Standard, moves), ponder, 100);
            assert!(is_fine(&record), "{white:?} {black:?} {fen} {moves}: {record:?}");
        }
    }
}

#[test]
fn answers_of_broken_off_searches_are_not_taken_for_others() {
    // Nearly every guess is wrong, so nearly every move follows a search that was broken off.
    let mut pair = Pair::start(&fixture(Uci, ""), &fixture(Uci, "--seed 2"));
    for _ in 0..5 {
        let record = pair.play(Game::default(), true, 150);
        assert!(is_fine(&record), "{record:?}");
    }
}

#[test]
fn chess960_where_the_protocol_has_it() {
    let start_of = |moves| position(CHESS960, CastlingMode::Chess960, moves);
    let mut pair = Pair::start(&fixture(Cecp, ""), &fixture(Uci, ""));
    for _ in 0..3 {
        let record = pair.play(start_of("O-O O-O-O"), true, 75);
        assert!(is_fine(&record), "{record:?}");
    }
    let record = Pair::start(&fixture(Cecp, ""), &fixture(Cego, "")).play(start_of(""), false, 30);
    assert!(matches!(record.faults.black, Some(PlayerFault::Unsupported(_))), "{record:?}");
}

#[test]
fn features_of_cecp() {
    for features in ["usermove=0", "san=1", "reuse=0", "ping=0", "time=0", "san=1 usermove=0 ping=0 reuse=0"]
    {
        let cecp = fixture(Cecp, &format!("--features '{features}'"));
        let mut pair = Pair::start(&fixture(Uci, ""), &cecp);
        for _ in 0..2 {
            let record = pair.play(Game::default(), false, 15);
            assert!(is_fine(&record), "{features}: {record:?}");
        }
    }
}

#[test]
fn options_are_held_against_what_is_offered() {
    let begin = |protocol, name: &str, value| {
        let mut spec = fixture(protocol, "");
        spec.options = BTreeMap::from([(name.to_owned(), value)]);
        let log = Arc::new(Minutes::default());
        players::start(&spec, Some(log.clone()))
            .map(|_| log.of(Speaker::Us))
            .map_err(|fault| fault.to_string())
    };
    let calm = || OptionValue::Text("calm".into());
    assert!(begin(Cecp, "Style", calm()).unwrap().contains(&"option Style=calm".into()));
    assert!(begin(Uci, "hash", OptionValue::Int(8)).unwrap().contains(&"setoption name hash value 8".into()));
    assert!(begin(Cecp, "Stile", calm()).unwrap_err().contains("options: Style, Hash"));
    assert!(begin(Uci, "Hash", OptionValue::Int(65)).unwrap_err().contains("a number from 1 to 64"));
    assert!(begin(Uci, "Ponder", calm()).unwrap_err().contains("true or false"));
    assert!(begin(Cego, "Hash", OptionValue::Int(8)).unwrap_err().contains("no options"));
}

#[test]
fn what_is_said_is_in_the_log() {
    let logs: ByColor<Arc<Minutes>> = ByColor::default();
    let (mortal, noisy) =
        (fixture(Cego, "--fault exit-thinking --at 2"), fixture(Cecp, "--fault standard-error"));
    let mut pair = Pair {
        players: ByColor {
            white: players::start(&mortal, Some(logs.white.clone())).unwrap(),
            black: players::start(&noisy, Some(logs.black.clone())).unwrap(),
        },
        seats: ByColor { white: seat(Cego, "60+1"), black: seat(Cecp, "60+1") },
    };
    pair.play(position(BLACK_TO_MOVE, CastlingMode::Standard, "a6"), false, 30);
    pair.players.white.quit();
    pair.players.black.quit();

    let told = logs.black.of(Speaker::Us);
    let place =
        |line: &str| told.iter().position(|told| told == line).unwrap_or_else(|| panic!("{line}: {told:?}"));
    // The opponent's name would have been two lines.
    assert!(!told.contains(&"quit\"".to_owned()) && told.iter().filter(|line| *line == "quit").count() == 1);
    let setboard = format!("setboard {BLACK_TO_MOVE}");
    let order =
        ["xboard", "protover 2", "new", "force", &setboard, "usermove a7a6", "ping 1", "time 6000", "go"];
    assert!(order.map(place).is_sorted(), "{told:?}");
    assert!(logs.black.of(Speaker::Program).iter().any(|line| line.starts_with("move ")));
    assert!(logs.black.of(Speaker::StandardError).len() >= 110_000);

    let first = &logs.white.of(Speaker::Us)[0];
    assert!(first.starts_with("60000000000 1000000000 60000000000 1000000000 r1bqkbnr/"), "{first}");
    assert_eq!(logs.white.of(Speaker::Program)[0], "ready");
}
