//! Opening books: creation, display and play.

use std::fs;
use std::process::Command;

use crate::installed::{find, has_all};
use crate::peers::has_python_chess;
use crate::support::{Folder, text};

const GAMES: &str = "[White \"A\"]\n\n1. e4 e5 2. Nf3 Nc6 1-0\n\n[White \"B\"]\n\n1. e4 c5 0-1\n\n[White \"C\"]\n\n\
    1. e4 e4 1-0\n\n[White \"D\"]\n\n1. d4 d5 1/2-1/2\n\n[White \"E\"]\n\n1. e4 e5 1/2-1/2\n";

/// Returns a directory with games and the book made from them.
fn made(min_count: &str) -> Folder {
    let directory = Folder::with("games.pgn", GAMES);
    let arguments = ["book", "make", "games.pgn", "-o", "book.bin", "--plies", "3", "--min-count", min_count];
    let complaint = directory.told(&arguments, 0);
    assert!(
        complaint.starts_with("herald: game left out: games.pgn: line 11: illegal move `e4`"),
        "{complaint}"
    );
    directory
}

#[test]
fn games_become_a_book_that_can_be_shown() {
    let directory = made("1");
    let show = |fen: &str| text(&directory.herald(&["book", "show", "book.bin", fen]).stdout).to_owned();
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    assert_eq!(show(start), "e4           3   75.0 %  learn 0\nd4           1   25.0 %  learn 0\n");
    let after_e4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
    assert_eq!(show(after_e4), "c5           2   66.7 %  learn 0\ne5           1   33.3 %  learn 0\n");
    assert_eq!(show("4k3/8/8/8/8/8/8/4K3 w - - 0 1"), "");
    let files: Vec<_> = fs::read_dir(directory.path()).expect("readable").collect();
    assert_eq!(files.len(), 2, "only games and book: {files:?}");
}

#[test]
fn a_book_that_can_t_be_used_or_written_is_named() {
    let directory = made("1");
    let damaged = directory.told(&["book", "show", "games.pgn"], 2);
    assert!(damaged.starts_with("herald: can't use `games.pgn`: not a Polyglot book: "), "{damaged}");
    let unwritten = directory.told(&["book", "make", "games.pgn", "-o", "nowhere/book.bin"], 1);
    assert!(unwritten.contains("herald: can't write `nowhere/book.bin`: "), "{unwritten}");
    assert!(directory.told(&["book", "make", "/dev/null", "-o", "x.bin"], 2).contains("no games"));
}

#[test]
fn games_are_not_overwritten_by_their_book() {
    let directory = made("1");
    std::os::unix::fs::symlink("games.pgn", directory.path().join("link.bin")).expect("a link");
    fs::copy(directory.path().join("games.pgn"), directory.path().join("x.part")).expect("a copy");
    for (games, book) in [("games.pgn", "games.pgn"), ("games.pgn", "link.bin"), ("x.part", "x")] {
        let complaint = directory.told(&["book", "make", "--min-count", "1", games, "-o", book], 2);
        assert_eq!(complaint, format!("herald: `{games}` is both input and output\n"));
        assert_eq!(directory.read(games), GAMES);
    }
}

#[test]
fn games_of_variants_and_an_empty_book_are_told() {
    let directory = made("1");
    let make = |games: &str, min_count: &str| {
        directory.write("games.pgn", games);
        let output =
            directory.herald(&["book", "make", "games.pgn", "-o", "x.bin", "--min-count", min_count]);
        (output.status.code(), text(&output.stdout).to_owned(), text(&output.stderr).to_owned())
    };
    let atomic = "[Variant \"Atomic\"]\n\n1. e4 e5 1-0\n\n";
    let none =
        "herald: there are no games to make a book of; left out: 0 games with faults, 1 game of a variant\n";
    assert_eq!(make(atomic, "1"), (Some(2), String::new(), none.to_owned()));
    let both = format!("{atomic}[White \"A\"]\n\n1. e4 1-0\n");
    let left_out = "from 1 game; left out: 0 games with faults, 1 game of a variant\n";
    assert_eq!(make(&both, "1"), (Some(0), format!("1 entry {left_out}"), String::new()));
    let warning = "herald: the book is empty; try a smaller --min-count\n".to_owned();
    assert_eq!(make(&both, "2"), (Some(0), format!("0 entries {left_out}"), warning));
}

#[test]
fn python_chess_and_polyglot_read_the_book() {
    let directory = made("1");
    let script = "import chess.polyglot\n\
        with chess.polyglot.open_reader('book.bin') as book:\n    \
        print(len(book), [(e.move.uci(), e.weight) for e in book.find_all(chess.Board())])";
    if !has_all(&[("python-chess", has_python_chess()), ("polyglot", find("polyglot").is_some())]) {
        return;
    }
    let python = Command::new("python3").current_dir(directory.path()).args(["-c", script]).output();
    assert_eq!(text(&python.expect("python runs").stdout), "6 [('e2e4', 3), ('d2d4', 1)]\n");
    let dump = ["dump-book", "-bin", "book.bin", "-color", "white", "-out", "lines.txt"];
    let polyglot = find("polyglot").expect("it is there");
    Command::new(polyglot).current_dir(directory.path()).args(dump).output().expect("polyglot runs");
    let lines = directory.read("lines.txt");
    assert!(lines.contains("1. e4{75%} e5 2. Nf3{100%}") && lines.contains("1. d4{25%}"), "{lines}");
}
