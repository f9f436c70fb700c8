use game::PgnReader;
use messages::epd::{MoveReading, RecordReader};

use super::*;
use crate::expressions::Filter;

const GAME: &str = "[Event \"Club final\"]\n[White \"Ann\"]\n[Black \"Bob\"]\n[Date \"2026.01.02\"]\n[Round \"3\"]\n[Result \"1/2-1/2\"]\n\n\
    1. Nf3 Nf6 2. Ng1 Ng8 3. e4 e5 4. Nf3 Nc6 5. Bb5 a6 1/2-1/2\n";

fn records(positions: &GamePositions, text: &str) -> Vec<String> {
    let game = PgnReader::new(text.as_bytes()).next().expect("a game").expect("legal");
    positions.records(&game, "a.pgn", 7).expect("chess")
}

fn range(first: usize, last: Option<usize>, step: usize) -> GamePositions {
    GamePositions { choice: PositionChoice::Range { first, last, step }, ..GamePositions::default() }
}

#[test]
fn positions_of_a_game() {
    let all = records(&range(0, None, 1), GAME);
    assert_eq!(all.len(), 11);
    assert_eq!(all[0], "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - fmvn 1; hmvc 0;");
    assert_eq!(all[5], "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 fmvn 3; hmvc 0;");
    assert_eq!(records(&range(2, Some(8), 3), GAME), [all[2].clone(), all[5].clone(), all[8].clone()]);
    assert_eq!(records(&GamePositions::default(), GAME), all[10..]);
    let opening = GamePositions { choice: PositionChoice::Opening, ..GamePositions::default() };
    assert_eq!(records(&opening, GAME), all[10..]);
}

#[test]
fn operations_of_a_game() {
    use GameOperation::{C0, Eco, Id, Pv, Rc, Sm};
    let operations = vec![Id, C0, Sm, Pv(3), Eco, Rc];
    let positions = GamePositions { operations: operations.clone(), ..range(4, Some(9), 5) };
    let [first, second] = &records(&positions, GAME)[..] else { panic!("two positions") };
    assert_eq!(
        first,
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - c0 \"Ann - Bob, Club final, round 3, 2026.01.02, 1/2-1/2\"; \
         eco \"A05\"; fmvn 3; hmvc 4; id \"7.4\"; pm e4; pv e4 e5 Nf3; rc 2; sm e4; v0 \"Zukertort Opening: Indian Defence\";"
    );
    assert!(second.contains("eco \"C60\"; ") && second.contains("sm a6; v0 \"Ruy Lopez\";"), "{second}");
    let filter = Filter::parse("legal > 29 and line = 7 and sm = a6").expect("a condition");
    let positions = GamePositions { filter: Some(filter), operations, ..range(0, None, 1) };
    assert_eq!(records(&positions, GAME), std::slice::from_ref(second));
}

#[test]
fn characters_that_do_not_fit_are_counted() {
    let game = GAME.replace("Ann", "Ann \\\"A\\\"").replace("Bob", "Bö Щ");
    let game = PgnReader::new(game.as_bytes()).next().expect("a game").expect("legal");
    let with = |operations| GamePositions { operations, ..GamePositions::default() }.replaced(&game);
    assert_eq!((with(vec![GameOperation::C0]), with(vec![GameOperation::Id])), (4, 0));
}

fn game_of(line: &str) -> RecordGame {
    let reader = RecordReader { moves: MoveReading::Legal, ..RecordReader::default() };
    let record = reader.read(line, 1).record.expect("a record");
    record_as_game(&record, "suite", 3).expect("legal")
}

#[test]
fn a_record_becomes_a_game() {
    let game = game_of(
        "4k3/8/8/8/8/8/4P3/4K3 b - - bm Ke7 Kd7; c0 \"a {b}\"; fmvn 9; hmvc 3; id \"x \\ y\"; pv Ke7 e4;",
    );
    assert_eq!(
        game.text,
        "[Event \"suite\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"3\"]\n[White \"x \\\\ y\"]\n[Black \"?\"]\n\
         [Result \"*\"]\n[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 b - - 3 9\"]\n\n\
         {bm Kd7 Ke7; c0 \"a (b)\"; fmvn 9; hmvc 3; id \"x \\ y\"; pv Ke7 e4;} 9... Ke7 (9...\nKd7) 10. e4 *\n\n"
    );
    assert_eq!((game.unplayed, game.replaced), (0, 2));
    let read = PgnReader::new(game.text.as_bytes()).next().expect("a game").expect("legal").game;
    assert_eq!((read.ply(), read.start_fen().as_str()), (2, "4k3/8/8/8/8/8/4P3/4K3 b - - 3 9"));
    let broken = game_of("4k3/8/8/8/8/8/4P3/4K3 w - - pv e4 Kd8 e9; sm e4;");
    assert_eq!(broken.unplayed, 1);
    assert!(game_of("4k3/8/8/8/8/8/4P3/4K3 w - - bm e4;").text.contains("1. e4 *"));
    assert!(game_of("4k3/8/8/8/8/8/4P3/4K3 w - - ce 5;").text.contains("{ce 5;} *"));
}
