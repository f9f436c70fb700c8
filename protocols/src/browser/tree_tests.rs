//! Trees as they are read, changed and written.

use game::{Game, WhiteScore};

use super::tree::{HiddenMoves, VariationTree};

fn read(pgn: &str) -> (VariationTree, HiddenMoves) {
    let parsed = game::TreeReader::new(pgn.as_bytes()).next().expect("a game").expect("text");
    VariationTree::read(&parsed.tree).expect("a start")
}

const GAME: &str = "[Event \"?\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"?\"]\n[White \"A\"]\n[Black \"?\"]\n[Result \"*\"]\n\n{before} 1. e4 {[%eval 0.30,12] good} 1... e5 (1... c5 $1 2. Nf3 (2. c3 d5)\n\
    2... d6) (1... e6) 2. Nf3 *\n\n";

#[test]
fn a_tree_is_written_as_it_was_read() {
    let (tree, hidden) = read(GAME);
    assert_eq!((hidden.notice(), tree.pgn().as_str()), (None, GAME));
    let shown = tree.page();
    assert_eq!(shown.nodes[0].shown.comment.as_deref(), Some("before"));
    let first = &shown.nodes[1];
    assert_eq!((first.number.as_str(), first.shown.comment.as_deref()), ("1.", Some("good")));
    assert_eq!((first.shown.score, first.shown.depth), (Some(WhiteScore::Centipawns(30)), Some(12)));
    assert_eq!(
        first.next.iter().map(|id| shown.nodes[*id].shown.step.san.as_str()).collect::<Vec<_>>(),
        ["e5", "c5", "e6"]
    );
    assert_eq!(shown.nodes[2].number, "1…");
}

#[test]
fn the_roster_comes_first() {
    let (tree, _) = read("[ECO \"C20\"]\n[Black \"B\"]\n[Result \"1-0\"]\n\n1. e4 e5 0-1");
    let names = ["Event", "Site", "Date", "Round", "White", "Black", "Result", "ECO"];
    let pgn = tree.pgn();
    let tags = pgn.lines().filter_map(|line| line.strip_prefix('[')?.split_once(' '));
    assert_eq!(tags.map(|(name, _)| name).collect::<Vec<_>>(), names);
    assert!(pgn.contains("[Black \"B\"]\n[Result \"0-1\"]"), "{pgn}");
    assert!(VariationTree::new(Game::default()).pgn().starts_with("[Event \"?\"]\n[Site"));
}

#[test]
fn what_can_t_be_played_is_hidden_and_kept() {
    let game = "[Event \"?\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"?\"]\n[White \"?\"]\n[Black \"?\"]\n[Result \"*\"]\n\n\
        {before} ({no move}) 1. e4 e5 (1... Ke4 {nonsense} 2. d4) ($1\n{[%csl Ge4] other} 1... c5 2. -- {threat} 2... d5 \
        (2... d6) 3. Ke4) 2. Nf3 Nc6\n3. Z0 {rest} (3. Bb5 a6) 3... a5 *\n\n";
    let (mut tree, hidden) = read(game);
    assert_eq!((tree.mainline().len(), tree.pgn().as_str()), (4, game));
    let notice = "Moves that can't be played here are not shown: the game from 3. Z0 on; 2 variations, the first one from 1… Ke4 on. \
        Save PGN keeps them.";
    assert_eq!(hidden.notice().as_deref(), Some(notice));
    // A move on the board makes the rest a variation. Nothing is lost when another line is the first one.
    let at = tree.mainline()[3];
    let mut board = tree.game(at);
    let mv = board.parse_move("d4").unwrap();
    tree.play(at, &mut board, mv).unwrap();
    assert!(tree.pgn().contains("3. d4 (3. Z0 {rest} (3. Bb5 a6) 3... a5) *"), "{}", tree.pgn());
    let variation = tree.shown(1).next[1];
    tree.promote(variation).unwrap();
    let pgn = tree.pgn().replace('\n', " ");
    assert!(
        pgn.contains("1. e4 c5 $1 {[%csl Ge4] other} (1... e5 (1... Ke4 {nonsense} 2. d4) 2. Nf3"),
        "{pgn}"
    );
    assert!(pgn.ends_with("2. -- {threat} 2... d5 (2... d6) 3. Ke4 *  "), "{pgn}");
}

#[test]
fn moves_are_found_added_promoted_and_removed() {
    let (mut tree, _) = read(GAME);
    let mut game = tree.game(1);
    let mv = game.parse_move("c5").unwrap();
    let found = tree.play(1, &mut game, mv).unwrap();
    assert_eq!(tree.shown(found).shown.step.san, "c5");
    tree.promote(found).unwrap();
    assert_eq!(tree.mainline().len(), 4, "e4 c5 Nf3 d6");
    tree.remove(found);
    assert!(!tree.has(found) && tree.has(1) && !tree.has(999));
    assert_eq!(tree.mainline().len(), 3, "e4 e5 Nf3");
    assert!(!tree.pgn().contains("c5"));
    let mut game = tree.game(1);
    let mv = game.parse_move("d5").unwrap();
    let added = tree.play(1, &mut game, mv).unwrap();
    assert!(tree.has(added) && tree.pgn().contains("(1... d5)"));
}

#[test]
fn judged_moves_have_a_better_line_beside_them() {
    let (mut tree, _) = read("1. f3 e5 2. g4 Qh4# 0-1");
    let game = tree.game(2);
    let better = [game.parse_move("e4").unwrap()];
    tree.judge(3, 4, &better);
    tree.set_score(3, Some(WhiteScore::Mate(-1)), 9);
    assert!(tree.pgn().contains("2. g4 $4 {[%eval #-1,9]} (2. e4)"), "{}", tree.pgn());
}

#[test]
fn variations_are_not_nested_without_end() {
    let mut tree = VariationTree::new(Game::default());
    let (mut at, mut refused) = (0, None);
    for ply in 0..300 {
        let mut game = tree.game(at);
        // The knights go out and back; the other move makes what follows a variation.
        let there_and_back = ["Nf3", "Nf6", "Ng1", "Ng8"];
        for text in ["a3", "a6", "a4", "a5", "h3", "h6"] {
            if let Ok(mv) = game.parse_move(text) {
                let _ = tree.play(at, &mut game.clone(), mv);
                break;
            }
        }
        let mv = game.parse_move(there_and_back[ply % 4]).unwrap();
        match tree.play(at, &mut game, mv) {
            Ok(next) => at = next,
            Err(error) => {
                refused = Some(error);
                break;
            }
        }
    }
    assert!(refused.is_some_and(|error| error.contains("nested")));
    assert!(tree.pgn().matches('(').count() >= 90);
}
