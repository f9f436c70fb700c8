//! Games annotated by an analyzer that knows its answers, and by Herald.

use std::collections::HashMap;
use std::num::NonZeroU64;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use game::{Score, TimeControl, TreeReader};

use super::*;
use crate::tests::{factory, moves, pool};
use crate::{AnalysisError, AnalyzerFactory, Herald, OtherLine, PositionAnalysis};

/// A text on one line.
fn flat(text: &str) -> String {
    text.replace('\n', " ")
}

fn settings() -> AnnotationSettings {
    AnnotationSettings {
        rules: JudgingRules::default(),
        from_move: 1,
        player: None,
        analyzes_theory: true,
        has_words: true,
        has_evaluations: true,
        line_plies: 10,
        replaces: false,
        is_dry: false,
        provenance: Provenance {
            annotator: "Herald".to_owned(),
            name: "Knowing".to_owned(),
            engine: "Knowing".to_owned(),
            limit: "nodes=1".to_owned(),
            ..Provenance::default()
        },
        book: None,
        tables: None,
        puzzles: None,
    }
}

fn puzzles(nodes: u64) -> PuzzleSettings {
    PuzzleSettings {
        verifier: format!("Herald, nodes={nodes}"),
        compares_depth: true,
        limit: TimeControl::Nodes(NonZeroU64::new(nodes).expect("nodes")),
        margin: 20.0,
        mebibytes: 1,
    }
}

fn annotate(
    text: &str,
    settings: AnnotationSettings,
    factory: AnalyzerFactory,
    threads: usize,
) -> Vec<AnnotationResult> {
    annotate_by(text, settings, vec![factory], threads)
}

fn annotate_by(
    text: &str,
    settings: AnnotationSettings,
    factories: Vec<AnalyzerFactory>,
    threads: usize,
) -> Vec<AnnotationResult> {
    let games: Vec<_> = TreeReader::new(text.as_bytes()).collect();
    let jobs = (1..)
        .zip(games)
        .map(|(number, parsed)| Ok(AnnotationJob { file: "a.pgn".into(), number, parsed: parsed? }));
    let mut results = Vec::new();
    let take = |result| {
        results.push(result);
        Ok(())
    };
    annotate_games(&pool(threads), jobs, Arc::new(settings), factories, Arc::new(|| ()), take)
        .expect("memory can be read");
    results
}

/// Annotates the only game of a text by [`knowing`].
fn annotate_one(text: &str, settings: AnnotationSettings) -> AnnotationResult {
    let [result] = <[_; 1]>::try_from(annotate(text, settings, knowing(), 1)).expect("one game");
    result
}

/// White blunders the queen's pawn; Black has one good reply and misses it in the second game.
fn knowing() -> AnalyzerFactory {
    knows([
        ("", (30, "e4 e5", 25)),
        ("e4", (-30, "e5", -40)),
        ("e4 e5", (30, "Nf3 Nc6", 20)),
        ("e4 e5 Ke2", (300, "Nf6 d3 d5", -10)),
        ("e4 e5 Ke2 Nf6", (-300, "d3", -310)),
        ("e4 e5 Ke2 a6", (-20, "d3", -30)),
    ])
}

/// Knows score, best line and second best score of positions, by the moves that lead to them.
fn knows<const N: usize>(known: [(&'static str, (i32, &'static str, i32)); N]) -> AnalyzerFactory {
    let known = HashMap::from(known);
    factory(move |game, _| {
        let mut start = game.clone();
        while start.undo().is_some() {}
        let known = known.get(&*start.san_line(game.moves()));
        let (score, line, second) = *known.ok_or(AnalysisError::NoMove("no".into()))?;
        let line = moves(game, line);
        let other = game.legal_moves().iter().copied().find(|mv| Some(mv) != line.first());
        let others = other.map(|mv| OtherLine { line: vec![mv], score: Score::Centipawns(second) });
        Ok(PositionAnalysis {
            line,
            score: Some(Score::Centipawns(score)),
            depth: Some(9),
            others: others.into_iter().collect(),
            ..PositionAnalysis::default()
        })
    })
}

/// Tells a score of each position by its ply, and any move.
fn tells(score: impl Fn(usize) -> Score + Clone + Send + Sync + 'static) -> AnalyzerFactory {
    factory(move |game, _| {
        let line = game.legal_moves().first().copied().into_iter().collect();
        Ok(PositionAnalysis { line, score: Some(score(game.ply())), ..PositionAnalysis::default() })
    })
}

/// Annotates a game by [`knowing`] and by a second program.
fn annotate_by_two(text: &str, settings: AnnotationSettings) -> AnnotationResult {
    let second = knows([
        // The first one's move, the same evaluation but for 10 points; then another move; then the move played, 16 points better; then
        // the first one's move, and a mate.
        ("", (70, "e4", 0)),
        ("e4", (-30, "c5 Nf3", 0)),
        ("e4 e5", (200, "Ke2 Nf6", 0)),
        ("e4 e5 Ke2", (900, "Nf6 d3", 0)),
        ("e4 e5 Ke2 a6", (-20, "d3", 0)),
    ]);
    annotate_by(text, with_second(settings), vec![knowing(), second], 1).remove(0)
}

/// Settings for a second program.
fn with_second(settings: AnnotationSettings) -> AnnotationSettings {
    let second = FurtherProgram { name: "Second".to_owned(), engine: "Second, hash 1 MiB".to_owned() };
    let provenance = Provenance { further: vec![second], ..settings.provenance };
    AnnotationSettings { provenance, ..settings }
}

#[test]
fn a_second_program_is_heard_where_it_disagrees() {
    let given = "1. e4 e5 2. Ke2 a6 *";
    let result = annotate_by_two(given, settings());
    let text = flat(&result.text);
    assert!(
        text.contains(
            "[Annotator \"Herald; Knowing; Second\"] [AnalysisEngine \"Knowing; Second, hash 1 MiB\"]"
        ),
        "{text}"
    );
    let moves = "1. e4 {[%eval 0.30,9]} 1... e5 {[%eval 0.30,9] End of theory: C20 King's Pawn Game.} (1... c5 {Second: +0.30} 2. Nf3) \
        2. Ke2 $4 {[%eval -3.00,9] Blunder. Nf3 was better. White loses the balance: 0.30 before, -3.00 after.} \
        (2. Nf3 {[%eval 0.30,9]} 2... Nc6) (2. Ke2 {Second: +2.00} 2... Nf6) \
        2... a6 $4 {[%eval -0.20,9] Blunder. Nf6 was better. Black lets the win slip: -3.00 before, -0.20 after.} \
        (2... Nf6 {[%eval -3.00,9]} 3. d3 d5) (2... Nf6 {Second: -9.00} 3. d3) *";
    assert!(text.contains(moves), "{text}");
    let game = result.game.expect("data");
    assert_eq!(game.note(3).further[0].note.line, ["Nf6", "d3"]);
    let json = serde_json::to_string(&game).expect("JSON");
    assert_eq!(serde_json::from_str::<AnnotatedGame>(&json).expect("its own JSON"), game);
    // Judgements are those of the first program alone.
    let alone = annotate_one(given, settings()).game.expect("data");
    assert_eq!((&game.white, &game.black, &game.story), (&alone.white, &alone.black, &alone.story));
    let plain = flat(&annotate_by_two(given, AnnotationSettings { line_plies: 0, ..settings() }).text);
    assert!(!plain.contains('('), "{plain}");
}

#[test]
fn moves_are_judged_by_what_they_lose() {
    let text =
        "[White \"A\"]\n[Black \"B\"]\n\n1. e4 e5 {[%clk 0:01:00] mine} 2. Ke2 (2. d4) a6 $13 1/2-1/2\n";
    let result = annotate_one(text, settings());
    // From 52.996 % with Nf3 to 23.148 % with Ke2, and from 76.852 % to 51.999 %.
    let expected = "[White \"A\"]\n[Black \"B\"]\n[ECO \"C20\"]\n[Opening \"King's Pawn Game\"]\n[Annotator \"Herald\"]\n\
        [AnalysisEngine \"Knowing\"]\n[AnalysisLimit \"nodes=1\"]\n[WhiteAccuracy \"65.2\"]\n[BlackAccuracy \"68.5\"]\n\n\
        1. e4 {[%eval 0.30,9]} 1... e5 {[%eval 0.30,9] End of theory: C20 King's Pawn\nGame.} {[%clk 0:01:00] mine} \
        2. Ke2 $4 {[%eval -3.00,9] Blunder. Nf3 was better. A\nloses the balance: 0.30 before, -3.00 after.} (2. d4) \
        (2. Nf3 {[%eval 0.30,9]}\n2... Nc6) 2... a6 $13 $4 {[%eval -0.20,9] Blunder. Nf6 was better. B lets the\nwin \
        slip: -3.00 before, -0.20 after.} (2... Nf6 {[%eval -3.00,9]} 3. d3 d5)\n1/2-1/2\n\n";
    assert_eq!(flat(&result.text), flat(expected));
    let game = result.game.expect("data");
    let losses: Vec<_> =
        game.moves.iter().filter_map(|mv| mv.loss).map(|loss| (loss.points, loss.centipawns)).collect();
    assert_eq!(
        losses.iter().map(|(points, _)| (points * 1000.0).round()).collect::<Vec<_>>(),
        [0.0, 0.0, 29_849.0, 24_854.0]
    );
    assert_eq!(losses.iter().map(|(_, centipawns)| *centipawns).collect::<Vec<_>>(), [0, 0, 330, 280]);
    assert_eq!(
        game.story,
        [
            "2. Ke2: A loses the balance: 0.30 before, -3.00 after.",
            "2... a6: B lets the win slip: -3.00 before, -0.20 after."
        ]
    );
    assert_eq!((game.white.all.blunders, game.black.all.blunders, game.moves[1].clock), (1, 1, Some(60.0)));
    let json = serde_json::to_string(&game).expect("JSON");
    assert_eq!(serde_json::from_str::<AnnotatedGame>(&json).expect("its own JSON"), game);
}

#[test]
fn an_only_move_is_praised() {
    let text = annotate_one("1. e4 e5 2. Ke2 Nf6 *", settings()).text;
    assert!(flat(&text).contains("2... Nf6 $1 {[%eval -3.00,9] The only good move.} *"), "{text}");
}

#[test]
fn a_better_line_that_the_file_has_is_not_repeated() {
    let given = "1. e4 e5 2. Ke2 (2. Nf3 d6) a6 (2... Ng8f6 3. d4) *";
    let text = flat(&annotate_one(given, settings()).text);
    assert!(text.contains("-3.00 after.} (2. Nf3 d6) 2... a6 $4 {[%eval"), "{text}");
    assert!(text.contains("-0.20 after.} (2... Ng8f6 3. d4) *"), "{text}");
}

#[test]
fn a_sacrifice_can_be_taken() {
    let annotated = |rank: &str, san: &'static str, reply: &'static str| {
        let known = knows([("", (900, san, 0)), (san, (-900, reply, -950))]);
        let fen = format!("{rank}/pppp1ppp/5n2/4N3/8/8/PPPPQPPP/RNB1KB1R w KQ - 2 5");
        let text = format!("[FEN \"{fen}\"]\n\n5. {san} *");
        flat(&annotate(&text, settings(), known, 1).remove(0).text)
    };
    let taken = annotated("rnbq1bkr", "Nc6", "dxc6");
    assert!(taken.contains("5. Nc6 $3 {[%eval 9.00,9] The only good move, and a sacrifice.} *"), "{taken}");
    // A discovered check forbids it.
    let safe = annotated("rnbqkb1r", "Nc6+", "Be7");
    assert!(safe.contains("5. Nc6+ $1 {[%eval 9.00,9] The only good move.} *"), "{safe}");
}

#[test]
fn judgements_of_the_file_stay_unless_they_are_replaced() {
    let text = "1. e4 e5 2. Ke2 $6 {[%eval -0.10] so what} a6 *";
    let keeping = flat(&annotate_one(text, settings()).text);
    assert!(keeping.contains("2. Ke2 $6 {Nf3 was better. White loses the balance"), "{keeping}");
    assert!(keeping.contains("{[%eval -0.10] so what}"), "{keeping}");
    let replaced = flat(&annotate_one(text, AnnotationSettings { replaces: true, ..settings() }).text);
    assert!(replaced.contains("2. Ke2 $4 {[%eval -3.00,9] Blunder. Nf3 was better."), "{replaced}");
    assert!(replaced.contains("{so what}") && !replaced.contains("-0.10"), "{replaced}");
    let plain = AnnotationSettings { has_words: false, line_plies: 0, ..settings() };
    let plain = flat(&annotate_one("1. e4 e5 2. Ke2 a6 *", plain).text);
    assert!(plain.ends_with("1. e4 {[%eval 0.30,9]} 1... e5 {[%eval 0.30,9]} 2. Ke2 $4 {[%eval -3.00,9]} 2... a6 $4 {[%eval -0.20,9]} *  "), "{plain}");
}

#[test]
fn an_annotated_game_stays_or_is_annotated_anew() {
    let given = "[White \"A. B.\"]\n[Event \"E\"]\n\n1. e4 {mine} e5 2. Ke2 (2. d4 {better}) a6 (2... Nf6 3. d3 {[%eval 1.00]}) *";
    let dated = Provenance { date: Some("2026.01.01".to_owned()), ..settings().provenance };
    let once = annotate_by_two(given, AnnotationSettings { provenance: dated, ..settings() });
    let again = annotate_by_two(&once.text, settings());
    assert_eq!((again.text, again.is_known, again.has_failed), (once.text.clone(), true, false));
    assert_eq!(
        again.messages,
        [
            "a.pgn:1: the game has an analysis by Knowing; Second, hash 1 MiB and stays as it is; --replace makes it anew"
        ]
    );
    let replaced = annotate_by_two(&once.text, AnnotationSettings { replaces: true, ..settings() });
    assert_eq!(replaced.text, once.text.replace("[AnalysisDate \"2026.01.01\"]\n", ""));
    let praised = annotate_one("1. e4 e5 2. Ke2 Nf6 *", settings()).text;
    let replacing = AnnotationSettings { replaces: true, ..settings() };
    assert_eq!(annotate_one(&praised, replacing).text, praised);
}

#[test]
fn a_game_of_which_nothing_is_analysed_stays_as_it_is() {
    let late = AnnotationSettings { from_move: 9, ..settings() };
    let result = annotate_one("1. f3 e5 2. g4 Qh4# 0-1", late);
    assert_eq!(
        (&*result.text, result.game.is_some(), result.has_failed),
        ("1. f3 e5 2. g4 Qh4# 0-1\n\n", false, false)
    );
}

#[test]
fn illegal_moves_of_variations_are_told() {
    let text = "1. e4 (1. Ke2\nd5) e5 (1... c5 2. Nf3 (2. Ke2 Qh4 Zz9) (2. -- d5 3. x)\n(2. 0000 d5) 2... Ke6 3. x)\n2. Ke2 a6 (2... d4) *";
    let only = annotate_one(text, settings());
    let told =
        only.messages.iter().map(|told| &told[..told.find("`:").unwrap_or(told.len())]).collect::<Vec<_>>();
    assert_eq!(
        told,
        [
            "a.pgn:1: in a variation: illegal move `Ke2",
            "a.pgn:2: in a variation: illegal move `Qh4",
            "a.pgn:3: in a variation: illegal move `Ke6",
            "a.pgn:4: in a variation: illegal move `d4",
        ]
    );
    assert!(!only.has_failed);
}

#[test]
fn a_mate_is_missed_only_by_a_bad_move() {
    let mating = tells(|ply| match ply {
        0 => Score::MateIn(20),
        1 => Score::Centipawns(-900),
        _ => Score::Centipawns(0),
    });
    let text = annotate("1. e4 e5 *", settings(), mating, 1).remove(0).text;
    assert!(!text.contains("Misses mate"), "{text}");
}

#[test]
fn words_do_not_contradict_a_glyph_of_the_file() {
    let only = |text: &str| flat(&annotate_one(text, settings()).text);
    // The same grade is said, another one is not, nor is praise of a move that was marked as a mistake.
    assert!(only("1. e4 e5 2. Ke2 $4 a6 *").contains("2. Ke2 $4 {[%eval -3.00,9] Blunder. Nf3 was better."));
    let praised = only("1. e4 e5 2. Ke2 Nf6 $2 *");
    assert!(praised.contains("2... Nf6 $2 {[%eval -3.00,9]} *"), "{praised}");
}

#[test]
fn an_opening_is_not_named_beside_another_one() {
    let tags = |given: &str| {
        let text = annotate_one(&format!("{given}\n1. e4 e5 2. Ke2 a6 *"), settings()).text;
        let is_ours = |line: &&str| line.starts_with("[ECO") || line.starts_with("[Opening");
        text.lines().filter(is_ours).map(str::to_owned).collect::<Vec<_>>()
    };
    let (code, name) = ("[ECO \"C20\"]", "[Opening \"King's Pawn Game\"]");
    assert_eq!(tags("[ECO \"?\"]"), [code, name]);
    assert_eq!(tags("[ECO \"\"]\n[Opening \"\"]"), [code, name]);
    assert_eq!(tags(code), [code, name]);
    assert_eq!(tags("[ECO \"B01\"]"), ["[ECO \"B01\"]"]);
    assert!(tags("[Eco \"B01\"]").is_empty());
    assert_eq!(tags("[OPENING \"Alapin\"]"), [""; 0]);
    assert_eq!(tags("[Eco \"C20\"]"), [name]);
}

#[test]
fn contradictions_and_losses_are_told() {
    let only = |text: &str| annotate_one(text, AnnotationSettings { is_dry: true, ..settings() });
    let told = only("[Result \"1-0\"]\n\n1. e4 e5 0-1");
    assert_eq!(
        told.messages,
        ["a.pgn:1: the tag Result says `1-0`, the moves end with `0-1`; both are kept"]
    );
    assert!(!told.has_failed && told.text.contains("[Result \"1-0\"]") && told.text.ends_with("e5 0-1\n\n"));
    assert!(only("[Result \"?\"]\n\n1. e4 e5 0-1").messages.is_empty());
    let cut = only(&format!("1. e4 {{{}}}\ne5 *", "x".repeat(2 << 20)));
    assert!(
        cut.has_failed && cut.messages[0].ends_with("too long for a game of chess"),
        "{:?}",
        cut.messages
    );
}

/// Annotates with scores that are what somebody tells of every position.
fn scored(score: Score) -> AnnotationResult {
    annotate("1. e4 e5 *", settings(), tells(move |_| score), 1).remove(0)
}

#[test]
fn scores_that_no_program_can_mean_are_left_out() {
    for score in
        [Score::Centipawns(20_001), Score::Centipawns(-2_000_000), Score::MatedIn(0), Score::MateIn(0)]
    {
        let result = scored(score);
        assert!(result.has_failed && !result.text.contains("%eval"), "{score:?}: {}", result.text);
    }
    assert!(scored(Score::Centipawns(-20_000)).text.contains("[%eval -200.00]"));
}

#[test]
fn tables_count_games_and_have_intervals_of_games() {
    let results = annotate(&GAMES.repeat(2), settings(), herald(), 1);
    let games: Vec<&AnnotatedGame> = results.iter().filter_map(|result| result.game.as_ref()).collect();
    let table = |games: &[&AnnotatedGame]| {
        let mut tables = AnnotationTables::default();
        for game in games {
            tables.add(game);
        }
        tables.csv()
    };
    let row = |csv: &str, name: &str| {
        let line = csv.lines().find(|line| line.contains(name)).expect(name);
        line.rsplit(',').rev().skip(2).map(str::to_owned).collect::<Vec<_>>()
    };
    // One game, whose sides are not two.
    let one = row(&table(&games[..1]), "\"opening\"");
    assert_eq!((one[0].as_str(), one[1].as_str(), one[3].as_str(), one[5].as_str()), ("1", "20", "", ""));
    // The same game twice: no difference between games.
    let twice = row(&table(&[games[0], games[2]]), "\"opening\"");
    assert_eq!((twice[0].as_str(), twice[1].as_str(), twice[3].as_str()), ("2", "40", "0.000"));
    let both = row(&table(&games), "\"A\"");
    assert_eq!(both[0], "4");
    assert!(both[3].parse::<f64>().is_ok_and(|error| error > 0.0), "{both:?}");
}

#[test]
fn puzzles_are_verified_deeper_and_not_lost() {
    // White takes the queen; in the second game a bishop, and is lost nevertheless.
    let won = "[FEN \"k2q4/8/8/8/3Q4/8/8/K7 w - - 0 1\"]\n\n1. Kb2 Kb7 *";
    let lost = "[FEN \"q5k1/5ppp/8/8/8/3b3P/5PP1/3R2K1 w - - 0 1\"]\n\n1. g3 Bf5 *";
    let made = |text: &str, nodes| {
        let puzzles = PuzzleSettings { margin: 5.0, ..puzzles(nodes) };
        let rules = JudgingRules { scale: 500.0, ..JudgingRules::default() };
        let settings = AnnotationSettings { rules, puzzles: Some(puzzles), ..settings() };
        let game = annotate(text, settings, herald(), 1).remove(0).game.expect("data");
        assert!(game.moves[0].grade.is_some(), "{game:?}");
        game.puzzles.into_iter().filter(|puzzle| puzzle.ply == 0).collect::<Vec<_>>()
    };
    let found = made(won, 100_000);
    assert_eq!((found[0].solution.as_str(), found[0].verifier.as_str()), ("Qxd8+", "Herald, nodes=100000"));
    assert!(made(won, 10).is_empty(), "ten nodes are less than the analysis");
    assert_eq!(made(lost, 100_000), []);
}

#[test]
fn a_puzzle_that_another_program_solves_otherwise_is_left_out() {
    // White can win the queen for the rook, or lose the rook.
    let text = "[FEN \"3q2k1/pp3ppp/2n2n2/8/3R4/2N2N2/PP3PPP/6K1 w - - 0 1\"]\n\n1. h3 *";
    let found = |second: &'static str| {
        let second = knows([("", (300, second, 0)), ("h3", (0, "Qxd4", 0))]);
        let settings = AnnotationSettings { puzzles: Some(puzzles(100_000)), ..settings() };
        annotate_by(text, with_second(settings), vec![herald(), second], 1)
            .remove(0)
            .game
            .expect("data")
            .puzzles
    };
    let agreed = found("Rxd8+");
    assert_eq!((agreed.len(), agreed[0].solution.as_str(), agreed[0].mate), (1, "Rxd8+", None));
    assert_eq!(found("g3"), []);
}

#[test]
fn what_is_legal_is_annotated() {
    let results = annotate(
        "1. e4 e5 2. Ke2 Kxe5 3. d4 1-0\n\n[FEN \"x\"]\n\n1. e4 *\n\n[Variant \"Atomic\"]\n1. e4 *",
        settings(),
        knowing(),
        2,
    );
    let told: Vec<_> = results.iter().flat_map(|result| result.messages.clone()).collect();
    assert_eq!(
        told[0],
        "a.pgn:1: illegal move `Kxe5`: no such piece can go there; the game is annotated up to here"
    );
    assert!(
        results[0].text.contains("2. Ke2 $4") && flat(&results[0].text).contains("2... Kxe5 3. d4 1-0"),
        "{}",
        results[0].text
    );
    assert_eq!(
        results.iter().map(|result| (result.game.is_some(), result.has_failed)).collect::<Vec<_>>(),
        [(true, true), (false, true), (false, true)]
    );
    assert!(told[2].starts_with("a.pgn:7: games of"), "{told:?}");
}

#[test]
fn a_program_that_fails_is_asked_again_and_costs_no_finished_position() {
    let failing = |failures: std::ops::Range<u32>| {
        let asked: Arc<AtomicU32> = Arc::default();
        let failing = factory(move |game, goes_on| match asked.fetch_add(1, Ordering::Relaxed) {
            number if failures.contains(&number) => Err(AnalysisError::NoMove("no".into())),
            _ => knowing()()?.analyze(game, goes_on),
        });
        annotate("1. e4 e5 2. Ke2 a6 *", settings(), failing, 1).remove(0)
    };
    let once = failing(1..2);
    assert!(!once.has_failed && flat(&once.text).contains("1. e4 {[%eval"), "{}", once.text);
    let always = failing(3..99);
    assert!(always.has_failed && flat(&always.text).contains("2. Ke2 $4 {[%eval"), "{}", always.text);
    assert!(!always.text.contains("1. e4 {[%eval"), "{}", always.text);
    assert_eq!(
        always.messages,
        ["a.pgn:1: not all positions are analysed by Knowing: the program gives no move and says `no`"]
    );
}

fn herald() -> AnalyzerFactory {
    let limit = TimeControl::Nodes(NonZeroU64::new(3_000).expect("nodes"));
    Arc::new(move || Ok(Box::new(Herald::new(&limit, 1)?.with_lines(2))))
}

/// Two short games with mistakes of both sides.
const GAMES: &str = "[White \"A\"]\n[Black \"B\"]\n\n1. e4 e5 2. Qh5 Nf6 3. Qxe5+ Be7 4. d4 Nc6 5. Bf4 O-O 6. Nc3 d6 7. Qg5 Nxd4 \
    8. O-O-O Ne6 9. Qg3 Nxf4 10. Qxf4 Nh5 11. Qe3 Bg5 0-1\n\n\
    [White \"B\"]\n[Black \"A\"]\n\n1. f3 e5 2. g4 d5 3. Kf2 Qh4+ 4. Kg2 Bxg4 5. fxg4 Qxg4+ 6. Kf2 Bc5+ 7. e3 Qf5+ 8. Nf3 e4 *\n\n";

#[test]
fn herald_annotates_the_same_on_any_number_of_threads() {
    let settings = AnnotationSettings { puzzles: Some(puzzles(12_000)), ..settings() };
    let one = annotate(GAMES, settings.clone(), herald(), 1);
    let two = annotate(&GAMES.repeat(2), settings, herald(), 2);
    for (one, two) in one.iter().zip(&two).chain(one.iter().zip(&two[2..])) {
        assert_eq!(one.text, two.text);
    }
    let games: Vec<&AnnotatedGame> = one.iter().filter_map(|result| result.game.as_ref()).collect();
    assert!(games[0].white.all.blunders + games[0].white.all.mistakes > 0, "{}", one[0].text);
    let mut tables = AnnotationTables::default();
    for game in &games {
        tables.add(game);
    }
    let rows = tables.rows();
    let moves = |name: &str| rows.iter().filter(|row| row.name == name).map(|row| row.moves).sum::<u64>();
    assert_eq!((moves("A"), moves("B")), (19, 19));
    assert_eq!(moves("White") + moves("Black"), 38);
    assert_eq!(tables.csv().lines().count(), rows.len() + 1);
    for game in games {
        let records = suites::positions(game);
        assert_eq!(records.len(), game.moves.len() + 1);
        assert!(suites::puzzles(game).iter().all(|record| record.contains("\"Herald, nodes=12000\"")));
        for record in records.iter().chain(&suites::puzzles(game)).chain(&suites::mates(game)) {
            let reading = messages::epd::RecordReader::default().read(record, 1);
            assert!(reading.faults.is_empty() && reading.record.is_some(), "{record}: {:?}", reading.faults);
        }
    }
}
