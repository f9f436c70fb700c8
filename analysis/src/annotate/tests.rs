//! Games annotated by an analyzer that knows its answers, and by Herald.

use std::collections::HashMap;
use std::num::{NonZeroU64, NonZeroUsize};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use game::{Game, Score, TimeControl, TreeReader};

use super::*;
use crate::{
    AnalysisError, AnalysisListener, AnalysisResult, Analyzer, AnalyzerFactory, Herald, MateSearch,
    MateVerdict, OtherLine, PositionAnalysis, WorkerPool,
};

/// Knows score, best line and second best score of positions, by the moves that lead to them.
#[derive(Clone)]
struct Knowing(Arc<HashMap<&'static str, (i32, &'static str, i32)>>);

impl Analyzer for Knowing {
    fn begin_game(&mut self) {}

    fn analyze(&mut self, game: &Game, _: AnalysisListener<'_>) -> AnalysisResult<PositionAnalysis> {
        let mut start = game.clone();
        while start.undo().is_some() {}
        let known = self.0.get(&*start.san_line(game.moves()));
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
    }

    fn find_mate(&mut self, _: &Game, _: u32) -> AnalysisResult<MateSearch> {
        Ok(MateSearch { analysis: PositionAnalysis::default(), verdict: MateVerdict::Undecided })
    }
}

fn moves(game: &Game, words: &str) -> Vec<game::Move> {
    let mut end = game.clone();
    let play = |word| {
        let mv = end.parse_move(word).expect("a move");
        end.play(mv).expect("legal");
        mv
    };
    words.split_whitespace().map(play).collect()
}

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
            engine: "Knowing".to_owned(),
            limit: "nodes=1".to_owned(),
            settings: String::new(),
            date: None,
        },
        book: None,
        tables: None,
        puzzles: None,
    }
}

fn annotate(
    text: &str,
    settings: AnnotationSettings,
    factory: AnalyzerFactory,
    threads: usize,
) -> Vec<AnnotationResult> {
    let threads = NonZeroUsize::new(threads).expect("a thread");
    let pool = WorkerPool { threads, interrupt: Arc::default(), grace: Duration::ZERO };
    let games: Vec<_> = TreeReader::new(text.as_bytes()).collect();
    let jobs = (1..)
        .zip(games)
        .map(|(number, parsed)| Ok(AnnotationJob { file: "a.pgn".into(), number, parsed: parsed? }));
    let mut results = Vec::new();
    let take = |result| {
        results.push(result);
        Ok(())
    };
    annotate_games(&pool, jobs, Arc::new(settings), factory, Arc::new(|| ()), take)
        .expect("memory can be read");
    results
}

/// White blunders the queen's pawn; Black has one good reply and misses it in the second game.
fn knowing() -> AnalyzerFactory {
    let known = HashMap::from([
        ("", (30, "e4 e5", 25)),
        ("e4", (-30, "e5", -40)),
        ("e4 e5", (30, "Nf3 Nc6", 20)),
        ("e4 e5 Ke2", (300, "Nf6 d3 d5", -10)),
        ("e4 e5 Ke2 Nf6", (-300, "d3", -310)),
        ("e4 e5 Ke2 a6", (-20, "d3", -30)),
    ]);
    let known = Knowing(Arc::new(known));
    Arc::new(move || Ok(Box::new(known.clone())))
}

#[test]
fn moves_are_judged_by_what_they_lose() {
    let text =
        "[White \"A\"]\n[Black \"B\"]\n\n1. e4 e5 {[%clk 0:01:00] mine} 2. Ke2 (2. d4) a6 $13 1/2-1/2\n";
    let [result] = <[_; 1]>::try_from(annotate(text, settings(), knowing(), 1)).expect("one game");
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
    let [result] =
        <[_; 1]>::try_from(annotate("1. e4 e5 2. Ke2 Nf6 *", settings(), knowing(), 1)).expect("one game");
    assert!(
        flat(&result.text).contains("2... Nf6 $1 {[%eval -3.00,9] The only good move.} *"),
        "{}",
        result.text
    );
}

#[test]
fn judgements_of_the_file_stay_unless_they_are_replaced() {
    let text = "1. e4 e5 2. Ke2 $6 {[%eval -0.10] so what} a6 *";
    let keeping = flat(&annotate(text, settings(), knowing(), 1).remove(0).text);
    assert!(keeping.contains("2. Ke2 $6 {Blunder. Nf3 was better."), "{keeping}");
    assert!(keeping.contains("{[%eval -0.10] so what}"), "{keeping}");
    let replaced = flat(
        &annotate(text, AnnotationSettings { replaces: true, ..settings() }, knowing(), 1).remove(0).text,
    );
    assert!(replaced.contains("2. Ke2 $4 {[%eval -3.00,9] Blunder. Nf3 was better."), "{replaced}");
    assert!(replaced.contains("{so what}") && !replaced.contains("-0.10"), "{replaced}");
    let plain = AnnotationSettings { has_words: false, line_plies: 0, ..settings() };
    let plain = flat(&annotate("1. e4 e5 2. Ke2 a6 *", plain, knowing(), 1).remove(0).text);
    assert!(plain.ends_with("1. e4 {[%eval 0.30,9]} 1... e5 {[%eval 0.30,9]} 2. Ke2 $4 {[%eval -3.00,9]} 2... a6 $4 {[%eval -0.20,9]} *  "), "{plain}");
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

/// Fails after some positions, once or for ever.
struct Failing {
    inner: Box<dyn Analyzer>,
    asked: Arc<AtomicU32>,
    failures: std::ops::Range<u32>,
}

impl Analyzer for Failing {
    fn begin_game(&mut self) {
        self.inner.begin_game();
    }

    fn analyze(&mut self, game: &Game, goes_on: AnalysisListener<'_>) -> AnalysisResult<PositionAnalysis> {
        let number = self.asked.fetch_add(1, Ordering::Relaxed);
        if self.failures.contains(&number) {
            Err(AnalysisError::NoMove("no".into()))
        } else {
            self.inner.analyze(game, goes_on)
        }
    }

    fn find_mate(&mut self, game: &Game, moves: u32) -> AnalysisResult<MateSearch> {
        self.inner.find_mate(game, moves)
    }
}

#[test]
fn a_program_that_fails_is_asked_again_and_costs_no_finished_position() {
    let failing = |failures: std::ops::Range<u32>| {
        let asked: Arc<AtomicU32> = Arc::default();
        let factory: AnalyzerFactory = Arc::new(move || {
            Ok(Box::new(Failing {
                inner: knowing()()?,
                asked: Arc::clone(&asked),
                failures: failures.clone(),
            }))
        });
        annotate("1. e4 e5 2. Ke2 a6 *", settings(), factory, 1).remove(0)
    };
    let once = failing(1..2);
    assert!(!once.has_failed && flat(&once.text).contains("1. e4 {[%eval"), "{}", once.text);
    let always = failing(3..99);
    assert!(always.has_failed && flat(&always.text).contains("2. Ke2 $4 {[%eval"), "{}", always.text);
    assert!(!always.text.contains("1. e4 {[%eval"), "{}", always.text);
    assert_eq!(
        always.messages,
        ["a.pgn:1: not all positions are analysed: the program gives no move and says `no`"]
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
    let puzzles = PuzzleSettings {
        limit: TimeControl::Nodes(NonZeroU64::new(9_000).expect("nodes")),
        margin: 20.0,
        mebibytes: 1,
    };
    let settings = AnnotationSettings { puzzles: Some(puzzles), ..settings() };
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
        for record in records.iter().chain(&suites::puzzles(game)).chain(&suites::mates(game)) {
            let reading = messages::epd::RecordReader::default().read(record, 1);
            assert!(reading.faults.is_empty() && reading.record.is_some(), "{record}: {:?}", reading.faults);
        }
    }
}
