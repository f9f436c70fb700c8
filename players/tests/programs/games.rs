//! Whole games in every combination of protocols and features, with a simple official.

use std::collections::BTreeMap;
use std::sync::Arc;

use game::{CastlingMode, Color};
use players::{OptionValue, PlayerFault, Protocol, Speaker};
use shakmaty::ByColor;

use crate::support::{End, Minutes, Rules, fixture, play, position, start};

use Protocol::{Cecp, Cego, Uci};

const BLACK_TO_MOVE: &str = "r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3";
const CHESS960: &str = "1r3k1r/pppppppp/2n2n2/8/8/2N2N2/PPPPPPPP/1R3K1R w HBhb - 0 1";

fn is_fine(end: &End) -> bool {
    matches!(end, End::Over(_) | End::LongEnough)
}

#[test]
fn every_protocol_meets_every_other_in_several_games() {
    for (white, black) in [(Cecp, Uci), (Uci, Cego), (Cego, Cecp)] {
        let mut players =
            ByColor { white: start(&fixture(white, "")), black: start(&fixture(black, "--seed 2")) };
        let standard = CastlingMode::Standard;
        let start_fen = game::Game::default().fen();
        for (fen, moves, ponder) in [
            (start_fen.as_str(), "", true),
            (&start_fen, "e4 e5 Nf3", true),
            (BLACK_TO_MOVE, "a6 O-O", false),
        ] {
            let rules =
                Rules { start: position(fen, standard, moves), ponder, plies: 200, ..Rules::default() };
            let end = play(&mut players, rules).end;
            assert!(is_fine(&end), "{white:?} {black:?} {fen} {moves}: {end:?}");
        }
    }
}

#[test]
fn answers_of_broken_off_searches_are_not_taken_for_others() {
    // Nearly every guess is wrong, so nearly every move follows a search that was broken off.
    let mut players = ByColor { white: start(&fixture(Uci, "")), black: start(&fixture(Uci, "--seed 2")) };
    for _ in 0..5 {
        let end = play(&mut players, Rules { ponder: true, plies: 300, ..Rules::default() }).end;
        assert!(is_fine(&end), "{end:?}");
    }
}

#[test]
fn chess960_where_the_protocol_has_it() {
    let start_of = |moves| position(CHESS960, CastlingMode::Chess960, moves);
    let mut players = ByColor { white: start(&fixture(Cecp, "")), black: start(&fixture(Uci, "")) };
    for _ in 0..3 {
        let rules = Rules { start: start_of("O-O O-O-O"), plies: 150, ponder: true, ..Rules::default() };
        let end = play(&mut players, rules).end;
        assert!(is_fine(&end), "{end:?}");
    }
    let mut players = ByColor { white: players.white, black: start(&fixture(Cego, "")) };
    let end = play(&mut players, Rules { start: start_of(""), ..Rules::default() }).end;
    assert!(matches!(end, End::Faulty(Color::Black, PlayerFault::Unsupported(_))), "{end:?}");
}

#[test]
fn features_of_cecp() {
    for features in ["usermove=0", "san=1", "reuse=0", "ping=0", "time=0", "san=1 usermove=0 ping=0 reuse=0"]
    {
        let mut spec = fixture(Cecp, "");
        let words = spec.command.arguments().iter().cloned();
        let words = std::iter::once(spec.command.program().to_owned()).chain(words);
        let words = words.chain(["--features".to_owned(), features.to_owned()]);
        spec.command = players::CommandLine::from_words(words).unwrap();
        let mut players = ByColor { white: start(&fixture(Uci, "")), black: start(&spec) };
        for _ in 0..2 {
            let end = play(&mut players, Rules { plies: 30, ..Rules::default() }).end;
            assert!(is_fine(&end), "{features}: {end:?}");
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
    let logs: [Arc<Minutes>; 2] = Default::default();
    let mut players = ByColor {
        white: players::start(&fixture(Cecp, "--fault standard-error"), Some(logs[0].clone())).unwrap(),
        black: players::start(&fixture(Cego, "--fault half-line --at 1"), Some(logs[1].clone())).unwrap(),
    };
    let start = position(BLACK_TO_MOVE, CastlingMode::Standard, "a6");
    let patience = std::time::Duration::from_secs(2);
    play(&mut players, Rules { start, patience, ..Rules::default() });
    players.white.quit();
    players.black.quit();

    let told = logs[0].of(Speaker::Us);
    let place =
        |line: &str| told.iter().position(|told| told == line).unwrap_or_else(|| panic!("{line}: {told:?}"));
    // The opponent's name would have been two lines.
    assert!(!told.contains(&"quit\"".to_owned()) && told.iter().filter(|line| *line == "quit").count() == 1);
    let setboard = format!("setboard {BLACK_TO_MOVE}");
    let order =
        ["xboard", "protover 2", "new", "force", &setboard, "usermove a7a6", "ping 1", "time 6000", "go"];
    assert!(order.map(place).is_sorted(), "{told:?}");
    assert!(logs[0].of(Speaker::Program).iter().any(|line| line.starts_with("move ")));
    assert!(logs[0].of(Speaker::StandardError).len() >= 110_000);

    let first = &logs[1].of(Speaker::Us)[0];
    assert!(first.starts_with("60000000000 1000000000 60000000000 1000000000 r1bqkbnr/"), "{first}");
    assert_eq!(logs[1].of(Speaker::Program)[0], "ready");
}
