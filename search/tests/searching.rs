//! Tests of the search: mates, limits, draws and reproducible results.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use search::network::{INPUTS, Network, Parameters};
use search::{
    Answer, Control, Limits, Observer, Report, Root, STACK_SIZE, Score, SearchClock, Searcher, Style, Table,
    Tablebases, TimeLimit, Verdict, Wdl,
};
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess};

fn root(fen: &str) -> Root {
    let fen: Fen = fen.parse().expect("a FEN");
    let chess: Chess = fen.into_position(CastlingMode::Chess960).expect("a legal position");
    Root { position: (&chess).into(), ..Root::default() }
}

/// A searcher with its hash table.
struct Player {
    table: Table,
    searcher: Searcher,
}

impl Player {
    fn think(
        &mut self,
        root: &Root,
        limits: &Limits,
        control: &Control,
        clock: &dyn SearchClock,
        observer: &mut dyn Observer,
    ) -> Answer {
        self.searcher.think(&mut self.table, root, limits, control, clock, observer)
    }
}

fn player() -> Player {
    Player { table: Table::new(16).expect("16 MiB"), searcher: Searcher::default() }
}

fn depth(depth: u32) -> Limits {
    Limits { depth: Some(depth), ..Limits::default() }
}

/// Runs `work` on a thread with the stack size that a search needs.
fn with_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_SIZE).spawn_scoped(scope, work);
        thread.expect("a thread").join().expect("no panic")
    })
}

fn think(root: &Root, limits: &Limits) -> Answer {
    with_stack(|| player().think(root, limits, &Control::new(), &Instant::now(), &mut ()))
}

fn best(answer: &Answer) -> String {
    answer.best.map_or("none".into(), |m| m.to_string())
}

const MIDDLEGAME: &str = "r1bq1rk1/pp2bppp/2n1pn2/3p4/3P1B2/2NBPN2/PP3PPP/R2Q1RK1 w - - 0 9";

#[test]
fn mates_are_found_with_their_length() {
    for (fen, moves, first) in [
        ("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", 1, "d1d8"),
        ("6k1/R7/8/8/8/8/8/1R4K1 w - - 0 1", 1, "b1b8"),
        ("7k/8/8/8/8/8/R7/1R4K1 w - - 0 1", 2, "a2a7 b1b7"),
        ("7k/8/5K2/8/8/8/8/6Q1 w - - 0 1", 1, "g1g7"),
        ("r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - 4 4", 1, "f3f7"),
        // Black to move: the score is from its view.
        ("3r2k1/5ppp/8/8/8/8/5PPP/6K1 b - - 0 1", 1, "d8d1"),
    ] {
        let answer = think(&root(fen), &depth(10));
        assert_eq!(answer.score.verdict(), Verdict::MateIn(moves), "{fen}");
        assert!(first.contains(&best(&answer)), "{fen}: {}", best(&answer));
    }
}

/// From a corner of the wrong colour the king must be driven along an edge, which is not in the training data.
#[test]
fn bishop_and_knight_mate_a_lone_king() {
    let limits = Limits { nodes: Some(30_000), ..Limits::default() };
    let mut player = player();
    let mut root = root("7k/8/5K2/6N1/6B1/8/8/8 w - - 0 1");
    with_stack(|| {
        for _ in 0..100 {
            let answer = player.think(&root, &limits, &Control::new(), &Instant::now(), &mut ());
            let Some(best) = answer.best else { break };
            root.earlier_keys.push(root.position.keys().full);
            root.position = root.position.make(best);
        }
    });
    assert!(root.position.is_check() && root.position.legal_moves().is_empty(), "{:?}", root.position);
}

#[test]
fn the_side_that_gets_mated_knows_when() {
    let answer = think(&root("6k1/8/8/8/8/8/r7/1r5K w - - 0 1"), &depth(6));
    assert_eq!((answer.best, answer.score.verdict()), (None, Verdict::MatedIn(0)));
    let answer = think(&root("7k/8/8/8/8/8/r7/1r4K1 w - - 0 1"), &depth(2));
    assert_eq!((answer.best, answer.score.verdict()), (None, Verdict::MatedIn(0)));
    let answer = think(&root("k7/8/1K6/8/8/8/8/7R b - - 0 1"), &depth(8));
    assert_eq!(answer.score.verdict(), Verdict::MatedIn(1));
}

#[test]
fn stalemate_has_no_move_and_is_even() {
    let answer = think(&root("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"), &depth(6));
    assert_eq!((answer.best, answer.score), (None, Score::DRAW));
}

#[test]
fn one_thread_gives_the_same_answer_in_every_run() {
    let [first, second] = [(); 2].map(|()| think(&root(MIDDLEGAME), &depth(10)));
    assert_eq!(first, second);
    assert!(first.nodes > 1000);
}

#[test]
fn clearing_makes_a_searcher_new() {
    let root = root(MIDDLEGAME);
    let answers = with_stack(|| {
        let mut player = player();
        [(); 2].map(|()| {
            player.table.clear();
            player.searcher.clear();
            player.think(&root, &depth(9), &Control::new(), &Instant::now(), &mut ())
        })
    });
    assert_eq!(answers[0], answers[1]);
}

#[test]
fn a_node_limit_is_exact_with_one_thread() {
    for nodes in [1000, 4096, 50_001] {
        let answer = think(&root(MIDDLEGAME), &Limits { nodes: Some(nodes), ..Limits::default() });
        assert_eq!(answer.nodes, nodes);
        assert!(answer.best.is_some());
    }
}

#[test]
fn only_allowed_moves_are_played() {
    let mut root = root(MIDDLEGAME);
    let moves = root.position.legal_moves();
    root.allowed = Some(vec![moves[7]]);
    assert_eq!(think(&root, &depth(5)).best, Some(moves[7]));
    root.allowed = Some(Vec::new());
    assert_eq!(think(&root, &depth(5)).best, None);
}

/// Collects the scores of the lines of the last iteration.
#[derive(Default)]
struct Lines(Vec<(usize, Score, String)>);

impl Observer for Lines {
    fn report(&mut self, report: &Report) {
        if report.line == 1 {
            self.0.clear();
        }
        self.0.push((report.line, report.score, report.principal_variation[0].to_string()));
    }
}

#[test]
fn several_lines_are_different_and_in_order() {
    let root = root(MIDDLEGAME);
    let limits = Limits { lines: 4, ..depth(7) };
    let mut lines = Lines::default();
    with_stack(|| player().think(&root, &limits, &Control::new(), &Instant::now(), &mut lines));
    assert_eq!(lines.0.iter().map(|line| line.0).collect::<Vec<_>>(), [1, 2, 3, 4]);
    assert!(lines.0.is_sorted_by(|a, b| a.1 >= b.1), "{:?}", lines.0);
    let mut moves: Vec<&str> = lines.0.iter().map(|line| line.2.as_str()).collect();
    moves.sort_unstable();
    moves.dedup();
    assert_eq!(moves.len(), 4);
}

#[test]
fn a_lost_game_is_saved_by_a_third_repetition() {
    // White is far behind, but the position after Rb1 has occurred twice.
    let position = root("6k1/5p1p/6p1/8/8/7q/5P2/R5K1 w - - 10 40");
    let without = think(&position, &depth(6));
    assert!(without.score.value() < -300, "{:?}", without.score);
    let m = *position.position.legal_moves().iter().find(|m| m.to_string() == "a1b1").expect("legal");
    let after = position.position.make(m).keys().full;
    // Every second key is of a position with Black to move. The other keys do not matter.
    let repeated = Root { earlier_keys: vec![after, 1, 2, 3, after, 4, 5, 6, 7], ..position };
    let answer = think(&repeated, &depth(6));
    assert_eq!((best(&answer).as_str(), answer.score), ("a1b1", Score::DRAW));
}

#[test]
fn fifty_moves_are_a_draw_but_mate_comes_first() {
    let answer = think(&root("7k/8/8/8/8/8/8/KQ6 w - - 99 80"), &depth(6));
    assert_eq!(answer.score, Score::DRAW);
    let answer = think(&root("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 99 80"), &depth(6));
    assert_eq!(answer.score.verdict(), Verdict::MateIn(1));
}

/// A clock that counts a microsecond per node.
struct NodesAsTime(AtomicU64);

impl SearchClock for NodesAsTime {
    fn elapsed(&self, nodes: u64) -> Duration {
        self.0.fetch_add(1, Ordering::Relaxed);
        Duration::from_micros(nodes)
    }
}

#[test]
fn time_is_what_the_clock_says() {
    let root = root(MIDDLEGAME);
    let time = TimeLimit::PerMove(Duration::from_millis(50));
    let clock = NodesAsTime(AtomicU64::new(0));
    let limits = Limits { time, ..Limits::default() };
    let answer = with_stack(|| player().think(&root, &limits, &Control::new(), &clock, &mut ()));
    assert!((50_000..55_000).contains(&answer.nodes), "{} nodes", answer.nodes);
    assert!(clock.0.load(Ordering::Relaxed) > 10);
}

#[test]
fn pondering_ignores_the_clock_until_the_hit() {
    let root = root(MIDDLEGAME);
    let limits = Limits { time: TimeLimit::PerMove(Duration::from_millis(1)), ..Limits::default() };
    let control = Control::pondering();
    let start = Instant::now();
    with_stack(|| {
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(200));
                control.ponder_hit();
            });
            player().think(&root, &limits, &control, &start, &mut ())
        })
    });
    assert!(start.elapsed() >= Duration::from_millis(200));
}

#[test]
fn several_threads_answer_and_stop_together() {
    let root = root(MIDDLEGAME);
    let answer = with_stack(|| {
        let mut player = player();
        player.searcher.use_threads(4);
        player.think(&root, &depth(9), &Control::new(), &Instant::now(), &mut ())
    });
    assert!(answer.best.is_some_and(|m| root.position.is_legal(m)));
    // The elected thread may have completed fewer iterations than the first.
    assert!((1..=9).contains(&answer.depth), "{}", answer.depth);
}

#[test]
fn a_stopped_search_has_a_move() {
    let control = Control::new();
    control.stop();
    let root = root(MIDDLEGAME);
    let answer = with_stack(|| player().think(&root, &Limits::default(), &control, &Instant::now(), &mut ()));
    assert!(answer.best.is_some_and(|m| root.position.is_legal(m)));
}

/// Tables of up to four pieces in which the side to move always loses.
#[derive(Debug)]
struct Invented;

impl Tablebases for Invented {
    fn max_pieces(&self) -> usize {
        4
    }

    fn probe_wdl(&self, position: &search::Position) -> Option<Wdl> {
        assert!(position.halfmoves() == 0 && !position.has_castling_rights());
        assert!(position.occupied().count() <= 4);
        Some(Wdl::Loss)
    }
}

#[derive(Default)]
struct LastReport(Option<(Score, u64)>);

impl Observer for LastReport {
    fn report(&mut self, report: &Report) {
        self.0 = Some((report.score, report.tablebase_hits));
    }
}

#[test]
fn endgame_tables_have_the_word_where_they_know() {
    // By these tables the first capture wins, so the rook captures the pawn although it is recaptured.
    let position = root("4k3/8/3p4/4p3/8/8/8/K3R3 w - - 0 1");
    let mut last = LastReport::default();
    let answer = with_stack(|| {
        let mut player = player();
        player.searcher.tablebases = Some(Arc::new(Invented));
        player.think(&position, &depth(6), &Control::new(), &Instant::now(), &mut last)
    });
    assert_eq!(best(&answer), "e1e5");
    assert_eq!(answer.score, Score::tablebase_win_at(1));
    let (score, hits) = last.0.expect("a report");
    assert!(score == answer.score && hits > 0, "{score:?} {hits}");
    assert_ne!(best(&think(&position, &depth(6))), "e1e5");
}

#[test]
fn a_draw_is_worth_what_the_style_says() {
    // The king can only capture, which leaves bare kings.
    let lone = root("k7/8/8/8/8/8/1p6/K7 w - - 0 1");
    for (style, expected) in [(0, 0), (-25, -25), (40, 40)] {
        let style = Style { draw_for_white: style, ..Style::default() };
        let answer = think(&Root { style, ..lone.clone() }, &depth(4));
        assert_eq!(answer.score.verdict(), Verdict::Centipawns(expected));
    }
}

#[test]
fn noise_changes_what_is_found_and_the_seed_repeats_it() {
    let nodes = |style: Style| {
        let answer = think(&Root { style, ..root(MIDDLEGAME) }, &depth(7));
        (answer.nodes, answer.score)
    };
    let noisy = |seed| nodes(Style { noise: 80, seed, ..Style::default() });
    assert_eq!(noisy(1), noisy(1));
    assert_ne!(noisy(1), noisy(2));
    assert_eq!(nodes(Style { seed: 5, ..Style::default() }), nodes(Style::default()));
}

#[test]
fn a_told_value_is_taken_for_true_below_the_root() {
    let start = root("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    let after = root("rnbqkbnr/pppppppp/8/8/7P/8/PPPPPPP1/RNBQKBNR b KQkq - 0 1").position.keys().full;
    let with = |value| Root { told_values: vec![(after, Score::centipawns(value))], ..start.clone() };
    let good = think(&with(-300), &depth(5));
    assert_eq!((best(&good).as_str(), good.score.verdict()), ("h2h4", Verdict::Centipawns(300)));
    assert_ne!(best(&think(&with(300), &depth(5))), "h2h4");
}

/// Counts the root moves that are started.
struct RootMoves<'a>(&'a AtomicU64);
impl Observer for RootMoves<'_> {
    fn report(&mut self, _: &Report) {}
    fn root_move(&mut self, _: u32, _: search::Move, _: usize, _: usize) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn a_suspended_search_stands_still_and_goes_on() {
    let control = Control::pondering();
    let looks = AtomicU64::new(0);
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_SIZE);
        let search = || {
            let mut observer = RootMoves(&looks);
            player().think(&root(MIDDLEGAME), &Limits::default(), &control, &Instant::now(), &mut observer)
        };
        let search = thread.spawn_scoped(scope, search).expect("a thread");
        let wait_for_more = || {
            let before = looks.load(Ordering::Relaxed);
            while looks.load(Ordering::Relaxed) < before + 10 {
                std::thread::sleep(Duration::from_millis(1));
            }
        };
        wait_for_more();
        control.suspend();
        // The search runs until its next poll, which may take some time on a busy machine.
        let began = Instant::now();
        let mut still = u64::MAX;
        while looks.load(Ordering::Relaxed) != std::mem::replace(&mut still, looks.load(Ordering::Relaxed)) {
            assert!(began.elapsed() < Duration::from_secs(20), "it goes on");
            std::thread::sleep(Duration::from_millis(300));
        }
        control.resume();
        wait_for_more();
        // A stop takes precedence over suspension.
        control.suspend();
        control.stop();
        assert!(search.join().expect("no panic").best.is_some());
    });
}

/// Returns a network with random weights. With debug assertions, each evaluation in a search is compared with one from
/// scratch.
fn network() -> Network {
    let mut state = 1u64;
    let mut weights = |count: usize, limit: i32| -> Vec<i16> {
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 40) as i32
        };
        (0..count).map(|_| (next().rem_euclid(2 * limit + 1) - limit) as i16).collect()
    };
    let parameters = Parameters {
        feature_weights: weights(INPUTS * 32, 100),
        feature_biases: weights(32, 100),
        output_weights: weights(2 * 32, 40),
        output_biases: vec![0],
        output_unit: 64,
        centipawns: 200,
    };
    Network::from_bytes(&parameters.to_bytes()).expect("a network")
}

#[test]
fn a_network_is_searched_with_the_same_answer_in_every_run() {
    let answer = |threads| {
        with_stack(|| {
            let mut player = player();
            player.searcher.use_network(Arc::new(network()));
            player.searcher.use_threads(threads);
            let mut answers = Vec::new();
            for fen in [
                MIDDLEGAME,
                "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
                "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
                "1rkr4/pppppppp/8/8/8/8/PPPPPPPP/1RKR4 w BDbd - 0 1",
            ] {
                let root = root(fen);
                let answer = player.think(&root, &depth(9), &Control::new(), &Instant::now(), &mut ());
                assert!(root.position.is_legal(answer.best.expect("a move")));
                answers.push(answer);
            }
            answers
        })
    };
    assert_eq!(answer(1), answer(1));
    answer(2);
}

#[test]
fn without_late_move_pruning_more_moves_are_searched() {
    let middlegame = root("r2q1rk1/pp1bbppp/2nppn2/8/3NPP2/2N1B3/PPP1B1PP/R2Q1RK1 w - - 1 10");
    let [pruned, all] = [true, false].map(|prunes_late_moves| {
        let mut player = player();
        player.searcher.prunes_late_moves = prunes_late_moves;
        with_stack(|| player.think(&middlegame, &depth(4), &Control::new(), &Instant::now(), &mut ()).nodes)
    });
    assert!(all > pruned, "{all} and {pruned} nodes");
}

#[test]
fn no_iteration_begins_after_the_soft_limit() {
    let limits = |soft| Limits { soft_nodes: Some(soft), ..Limits::default() };
    let [short, long] = [1_000, 50_000].map(|soft| think(&root(MIDDLEGAME), &limits(soft)));
    assert!(short.nodes >= 1_000 && short.nodes < 50_000 && long.nodes >= 50_000, "{short:?} {long:?}");
    let without = think(&root(MIDDLEGAME), &depth(short.depth));
    assert_eq!(without, short, "the last iteration is finished");
}
