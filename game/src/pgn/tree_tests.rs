//! Trees are written and read again.

use proptest::prelude::*;

use super::*;

fn read(text: impl AsRef<[u8]>) -> Vec<ParsedGame> {
    TreeReader::new(text.as_ref()).map(|game| game.expect("a readable input")).collect()
}

fn read_one(text: &str) -> ParsedGame {
    let [game] = <[_; 1]>::try_from(read(text)).expect("one game");
    game
}

fn faults(game: &ParsedGame) -> Vec<String> {
    game.faults.iter().map(|(line, fault)| format!("line {line}: {fault}")).collect()
}

#[test]
fn everything_stays() {
    let text = "[Event \"A \\\"match\\\"\"]\n[Odd \"\"]\n[White \"Müller\"]\n\n\
        {before} 1. e4 $1 $16 {good move} {more} 1... c5 (1... e5 {[%eval 0.21] solid} 2. Nf3\n(2. f4 exf4 (2... d5)) \
        2... Nc6) (1... e6) 2. Nf3 ; a } brace\n2... d6 {[%clk 0:01:00]} 3. -- $22 1/2-1/2\n\n";
    let game = read_one(text);
    assert_eq!(game.tree.write().replace('\n', " "), text.replace('\n', " "));
    assert!(game.faults.is_empty() && game.is_ended);
    let c5 = &game.tree.mainline.moves[1];
    assert_eq!(c5.variations().map(|line| line.moves.len()).collect::<Vec<_>>(), [3, 1]);
    let e4 = &game.tree.mainline.moves[0];
    assert_eq!(
        (e4.comments().collect::<Vec<_>>(), e4.glyphs().collect()),
        (vec!["good move", "more"], vec![1, 16])
    );
    assert_eq!((game.tree.result, game.tree.tag("Odd")), (ResultMarker::Draw, Some("")));
}

#[test]
fn games_begin_with_black_and_anywhere() {
    let text = "[FEN \"4k3/4p3/8/8/8/8/4P3/4K3 b - - 0 17\"]\n\n17... e5 (17... e6 18. e4) 18. e4 *\n\n";
    assert_eq!(read_one(text).tree.write(), text);
    let text = "[FEN \"3k4/8/8/8/8/8/4Q3/4K3 w - - 2+3 0 9\"]\n\n9. Qd3+ *\n\n";
    assert_eq!(read_one(text).tree.write(), text);
}

#[test]
fn tags_come_in_any_order() {
    let games = |text: &str| read(text).iter().map(|game| game.tree.tags.len()).collect::<Vec<_>>();
    assert_eq!(games("[White \"A\"]\n[Event \"E\"]\n[Black \"B\"]\n\n1. e4 *\n"), [3]);
    assert_eq!(games("[White \"A\"]\n[Event \"1\"]\n\n[White \"B\"]\n[Event \"2\"]\n\n1. d4 *\n"), [2, 2]);
    assert_eq!(games("[Event \"1\"]\n[Event \"2\"]\n[White \"B\"]\n"), [1, 2]);
    assert_eq!(games("[White \"A\"]\n\n[Event \"2\"]\n"), [1, 1]);
    assert_eq!(games("[White \"A\"]\n\n1. e4\n[White \"B\"]\n[Event \"2\"]\n"), [1, 2]);
}

#[test]
fn broken_games_are_kept_and_told() {
    let told = |text: &str, written: &str, told: &[&str]| {
        let game = read_one(text);
        assert_eq!(game.tree.write().trim_end(), written);
        assert_eq!(faults(&game), told);
    };
    told("1. e4 {never\nclosed", "1. e4 {never\nclosed} *", &["line 1: a comment is not closed"]);
    told("1. e4 (1. d4 (1. c4 1-0", "1. e4 (1. d4 (1. c4)) 1-0", &["line 1: a variation is not closed"]);
    told("1. e4 e5) 2. d4 *", "1. e4 e5 ) 2. d4 *", &["line 1: `)` without `(`"]);
    let tag = "line 1: `[White Fool]` is not a tag pair; expected [Name \"value\"]";
    told("[White Fool]\n[Black \"B\"]\n\n1. e4 *", "[Black \"B\"]\n\n[White Fool]\n1. e4 *", &[tag]);
    told("% escaped\n1. e4 < e5 Kx9 $999 2. d4", "% escaped\n1. e4 < 1... e5 2. Kx9 $999 2... d4 *", &[]);
    assert!(!read_one("1. e4").is_ended);
    let replay = read_one("1. e4 e5 2. Ke3 d6 *").tree.replay().expect("the start position");
    assert_eq!((replay.game.ply(), replay.fault.is_some()), (2, true));
}

#[test]
fn numbers_are_kept_unless_they_are_those_of_moves() {
    let written = |text: &str| read_one(text).tree.write().trim_end().to_owned();
    assert_eq!(
        written("1. e4 e5 2. Zz9 37 42 bla 1984 3. d4 exd6 e.p. 1-0"),
        "1. e4 e5 2. Zz9 37 42 2... bla 1984 3. d4 exd6 e.p. 1-0"
    );
    assert_eq!(written("1 e4 e5 (1 ... d5 2 exd5 Qxd5 3 Nc3) 2 Nf3 0.5-0.6"), {
        "1. e4 e5 (1... d5 2. exd5 Qxd5 3. Nc3) 2. Nf3 0.5-0.6 *"
    });
    let black = "[FEN \"4k3/4p3/8/8/8/8/4P3/4K3 b - - 0 17\"]\n\n17... e5 18 17 18. e4 18 *";
    assert_eq!(
        written(&black.replace("18.", "18")),
        black.replace("5 18 17 18.", "5 17 18.").replace(" 18 *", " *")
    );
    for text in [black, "37 1. e4 *", "17 [FEN \"4k3/4p3/8/8/8/8/4P3/4K3 b - - 0 17\"]\n17 e5 *"] {
        same_again(text).expect("the same");
    }
}

#[test]
fn results_have_other_spellings() {
    for (spelling, result) in [
        ("1:0", "1-0"),
        ("0–1", "0-1"),
        ("0\u{96}1", "0-1"),
        ("1/2", "1/2-1/2"),
        ("½-½", "1/2-1/2"),
        ("0.5-0.5", "1/2-1/2"),
        ("0,5:0,5", "1/2-1/2"),
    ] {
        let written = format!("1. e4 (1. d4 {spelling}) 1... e5 {{x}} {result}\n\n");
        let game = read_one(&format!("1. e4 (1. d4 {spelling}) e5 {{x}} {spelling}"));
        assert_eq!((game.tree.write(), game.is_ended), (written, true));
        let game = read_one(&format!("[Result \"{spelling}\"]\n\n1. e4"));
        assert_eq!((game.tree.result.as_str(), game.is_ended), (result, false));
    }
    assert_eq!(read_one("1. e4 1/2 - 1/2 1-0").tree.mainline.moves.len(), 4);
    let games = read("1. e4 1:0 {well\nplayed} $14\n\n[White \"y\"]\n\n1. d4 0:1\n\n1. c4 1/2");
    let results: Vec<_> = games.iter().map(|game| game.tree.result.as_str()).collect();
    assert_eq!(results, ["1-0", "0-1", "1/2-1/2"]);
}

#[test]
fn closed_comments_and_variations_behind_the_result_cut_no_game() {
    let game = read_one("1. e4 {see\n[Event \"in\"]\nthere} e5 *");
    assert_eq!((game.tree.mainline.moves.len(), game.faults.len()), (2, 0));
    let deep = format!("{}{{see\n[Event \"in\"]\nthere}} d5{} *", "(1. d4 ".repeat(102), ")".repeat(102));
    let game = read_one(&format!("1. e4 {deep}"));
    assert_eq!(read_one(&game.tree.write()).tree, game.tree);
    let games = read("1. e4 * (1. d4\nd5) {x}\n[Event \"2\"]\n\n1. c4 *\n\x1a");
    let written: Vec<_> = games.iter().map(|game| game.tree.write()).collect();
    assert_eq!(written, ["1. e4 (1. d4 d5) *\n\n", "[Event \"2\"]\n\n{x} 1. c4 *\n\n"]);
}

#[test]
fn many_tags_take_no_longer_than_their_text() {
    let tags: Vec<String> = (0..200_000).map(|number| format!("[A{number} \"\"]")).collect();
    let text = tags.join("\n");
    let began = std::time::Instant::now();
    assert_eq!(read_one(&text).tree.tags.len(), 200_000);
    assert!(began.elapsed().as_secs() < 20, "{:?}", began.elapsed());
}

#[test]
fn text_behind_the_result_is_kept() {
    let games = read(
        "1. e4 * {of the first}\n{of the second}\n[Event \"2\"]\n\n1. d4 *\n\n{of the second, too}\n% end",
    );
    let written: Vec<_> = games.iter().map(|game| game.tree.write()).collect();
    assert_eq!(written[0], "1. e4 {of the first} *\n\n");
    assert_eq!(written[1], "[Event \"2\"]\n\n{of the second} 1. d4 {of the second, too}\n% end\n*\n\n");
}

#[test]
fn comments_and_reserved_tokens_stay_as_they_are() {
    let text =
        "{ a  table:\n  1   2\n\n%no escape }1. e4 {} <reserved> {}1... e5 <x.1> ; to the end \n 2. Nf3 *";
    let game = read_one(text);
    let e4 = &game.tree.mainline.moves[0];
    assert_eq!(e4.comments().collect::<Vec<_>>(), ["", ""]);
    let written = "{ a  table:\n  1   2\n\n%no escape } 1. e4 {} <reserved> {} 1... e5 <x.1> { to the end } 2. Nf3 *\n\n";
    assert_eq!(game.tree.write(), written);
    assert_eq!(read_one(written).tree, game.tree);
    assert!(game.faults.is_empty());
}

#[test]
fn carriage_returns_end_lines() {
    let text = "[Event \"1\"]\n\n1. e4 ; to the end\ne5 {two\nlines}\n% escape\n2. Nf3 *\n\n[Event \"2\"]\n\n1. d4 *\n";
    let games = |text: &str| read(text).into_iter().map(|game| (game.tree, game.line)).collect::<Vec<_>>();
    let expected = games(text);
    assert_eq!((expected.len(), expected[0].0.mainline.moves.len(), expected[1].1), (2, 3, 9));
    for end in ["\r", "\r\n"] {
        assert_eq!(games(&text.replace('\n', end)), expected, "{end:?}");
    }
}

#[test]
fn what_is_too_long_is_told_and_costs_no_move() {
    let long = "x".repeat(1 << 19);
    let game = read_one(&format!("1. e4 {{{long}\n{long}\n{long} 1. d4 (}} e5 *"));
    assert_eq!(faults(&game), ["line 1: this is too long for a game of chess"]);
    assert_eq!(game.tree.mainline.moves.len(), 2);
    // Comments between games belong to the next one, and are as limited as it is.
    let games = read(format!("1. e4 *\n{}[Event \"2\"]\n1. d4 *", format!("{{{long}}}\n").repeat(40)));
    assert_eq!(games.iter().map(|game| game.faults.len()).collect::<Vec<_>>(), [0, 1]);
    assert!(games[1].tree.write().len() < 17 << 20);
}

#[test]
fn deep_variations_are_kept_as_text() {
    let deep = |levels: usize| format!("1. e4 {} *", "(1. d4 ".repeat(levels) + &")".repeat(levels));
    assert!(read_one(&deep(100)).faults.is_empty());
    let game = read_one(&deep(100_000));
    assert_eq!(faults(&game)[0], "line 1: variations are nested more than 100 times");
    let again = read_one(&game.tree.write());
    assert_eq!(again.tree, game.tree);
    let inner = "(1. d4 {) (} d5 ; )\n% )\n 2... c4 (2. Nf3 $1) 1/2-1/2)";
    let text = format!("1. e4 {}{inner}{} *\n\n", "(1. d4 ".repeat(100), ")".repeat(100));
    let game = read_one(&text);
    assert!(game.tree.write().contains(inner), "{}", game.tree.write());
    assert_eq!(read_one(&game.tree.write()).tree, game.tree);
    for end in ["", "{x", "; x", "{x}"] {
        let unclosed = read_one(&("(1. d4 ".repeat(300) + end));
        assert_eq!(read_one(&unclosed.tree.write()).tree, unclosed.tree, "{end}");
    }
    let unclosed = read_one(&"(1. d4 ".repeat(300));
    assert_eq!(read_one(&unclosed.tree.write()).tree, unclosed.tree);
}

fn annotation(line: BoxedStrategy<MoveLine>) -> impl Strategy<Value = Annotation> {
    let words = prop::collection::vec(
        ("[!-~äöü♞]{0,100}", prop::sample::select(vec![" ", "  ", "\t", "\n", "\n  "])),
        0..20,
    );
    prop_oneof![
        any::<u8>().prop_map(Annotation::Glyph),
        words.prop_map(|words| {
            let is_braced = words.iter().all(|(word, _)| !word.contains('}'));
            let white = |white: &str| if is_braced { white.to_owned() } else { white.replace('\n', " ") };
            // The beginning of a tag at the beginning of a line would end the comment.
            let text: String = words.iter().map(|(word, gap)| word.replace('[', "-") + &white(gap)).collect();
            Annotation::Comment(text)
        }),
        line.prop_map(Annotation::Variation),
        prop::sample::select(vec!["%", "% x {", "<", "$", "$300", "[%clk", ">", "<reserved>"])
            .prop_map(|text| Annotation::Other(text.to_owned())),
    ]
}

fn line(depth: u32) -> BoxedStrategy<MoveLine> {
    let inner = if depth == 0 { Just(MoveLine::default()).boxed() } else { line(depth - 1) };
    let annotations = prop::collection::vec(annotation(inner), 0..3).boxed();
    let word =
        prop::sample::select(vec!["e4", "Nf3", "O-O", "exd8=Q+", "--", "Kx9", "0-0", "%x", "]", "}", "@@@@"]);
    let node =
        (word, annotations.clone()).prop_map(|(text, after)| MoveNode { text: text.to_owned(), after });
    (annotations, prop::collection::vec(node, 0..8))
        .prop_map(|(before, moves)| MoveLine { before, moves })
        .boxed()
}

fn tree() -> impl Strategy<Value = GameTree> {
    let tags = prop::collection::vec(("[A-Z][a-z0-9_]{0,8}", "[^\\pC]{0,40}"), 0..4);
    let results = [ResultMarker::WhiteWins, ResultMarker::BlackWins, ResultMarker::Draw, ResultMarker::Open];
    (tags, line(3), prop::sample::select(results.to_vec())).prop_map(|(tags, mainline, result)| {
        let tags = tags.into_iter().filter(|(name, _)| name != "Event" && name != "FEN");
        let event = ("Event".to_owned(), "x".to_owned());
        GameTree { tags: std::iter::once(event).chain(tags).collect(), mainline, result }
    })
}

proptest! {
    #[test]
    fn a_tree_read_back_is_the_same(trees in prop::collection::vec(tree(), 1..4)) {
        let text: String = trees.iter().map(GameTree::write).collect();
        let again: Vec<_> = read(&text).into_iter().map(|game| game.tree).collect();
        prop_assert_eq!(again, trees, "{}", text);
    }

    #[test]
    fn arbitrary_text_is_written_as_it_was_understood(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        same_again(bytes)?;
    }

    #[test]
    fn arbitrary_tokens_are_written_as_they_were_understood(
        tokens in prop::collection::vec(
            prop::sample::select(vec![
                "[Event \"x\"]", "[", "]", "{", "}", "(", ")", ";", "\n", "\n% x\n", "e4", "1.", "e5", "1-0", "*", "$3",
                "\"", "\\", "--", "<", "\u{feff}", "[FEN \"x\"]", "!?", "{ a  b }", "\n[White \"y\"]\n", "e.p.", "%",
                "1", "2", "17", "0.5-0.5", "1/2", "3.x", "\u{1a}", "0000", "□", "e4≅", "+", "e4N", "…", "\n[FEN \"8/8/8/8/8/8/8/8 b - - 0 17\"]\n",
            ]),
            0..40,
        ),
    ) {
        same_again(tokens.join(" "))?;
    }
}

/// Games of any text, written and read again, are the same.
fn same_again(text: impl AsRef<[u8]>) -> Result<(), TestCaseError> {
    let games: Vec<_> = read(text).into_iter().map(|game| game.tree).collect();
    let written: String = games.iter().map(GameTree::write).collect();
    let again: Vec<_> = read(&written).into_iter().map(|game| game.tree).collect();
    prop_assert_eq!(again, games, "{}", written);
    Ok(())
}
