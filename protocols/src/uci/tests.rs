//! Tests of whole conversations.

use std::time::{Duration, Instant};

use super::serve;
use crate::scripted::Scripted;
use messages::OptionKind;
use messages::uci::Message;

fn session() -> Scripted {
    Scripted::start(serve)
}

/// Sends the lines, then `isready`, and returns the output before `readyok`.
fn answers(session: &Scripted, lines: &str) -> Vec<String> {
    session.say(lines);
    session.say("isready");
    let mut heard = session.hear_until("readyok");
    heard.pop();
    heard
}

/// Sends the lines and returns the move of the next `bestmove`.
fn best_move(session: &Scripted, lines: &str) -> String {
    session.say(lines);
    let line = session.hear("bestmove ");
    line.split(' ').nth(1).expect("a move").to_owned()
}

#[test]
fn the_introduction_is_in_order_and_readable() {
    let session = session();
    session.say("uci");
    let heard = session.hear_until("uciok");
    let messages: Vec<Message> = heard.iter().map(|line| line.parse().expect(line)).collect();
    assert!(matches!(&messages[0], Message::Name(name) if name.starts_with("Herald ")));
    assert!(matches!(&messages[1], Message::Author(_)));
    let options: Vec<&str> = messages
        .iter()
        .filter_map(|message| match message {
            Message::Option { name, .. } => Some(name.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(
        options,
        [
            "Hash",
            "Threads",
            "MultiPV",
            "Move Overhead",
            "Contempt",
            "UCI_LimitStrength",
            "UCI_Elo",
            "Noise",
            "OwnBook",
            "BookFile",
            "SyzygyPath",
            "EvalFile",
            "Ponder",
            "UCI_Chess960",
            "UCI_Variant",
            "Clear Hash",
            "Save Settings",
            "Reset Settings",
            "UCI_EngineAbout"
        ]
    );
    assert!(messages.iter().any(|message| matches!(
        message,
        Message::Option { name, kind: OptionKind::Spin { value: 64, min: 1, .. } } if name == "Hash"
    )));
}

#[test]
fn every_go_is_answered_once() {
    let session = session();
    for _ in 0..3 {
        session.say("position startpos moves e2e4\ngo depth 3");
        let heard = session.hear_until("bestmove ");
        assert!(heard.iter().any(|line| line.starts_with("info depth 1 ")), "{heard:?}");
    }
    assert_eq!(answers(&session, "stop\nstop"), [""; 0]);
}

#[test]
fn readyok_comes_while_thinking() {
    let session = session();
    session.say("go infinite\nisready");
    let heard = session.hear_until("readyok");
    assert!(!heard.iter().any(|line| line.starts_with("bestmove")), "{heard:?}");
    session.say("stop");
    session.hear("bestmove ");
}

#[test]
fn an_analysis_waits_for_stop_even_when_it_has_nothing_more_to_do() {
    let session = session();
    session.say("go infinite depth 1");
    let heard = session.hear_for(Duration::from_millis(300));
    assert!(!heard.iter().any(|line| line.starts_with("bestmove")), "{heard:?}");
    session.say("stop");
    session.hear("bestmove ");
}

#[test]
fn pondering_ends_with_stop_or_after_ponderhit() {
    let session = session();
    session.say("position startpos moves e2e4 e7e5\ngo ponder movetime 20");
    let heard = session.hear_for(Duration::from_millis(300));
    assert!(!heard.iter().any(|line| line.starts_with("bestmove")), "{heard:?}");
    session.say("ponderhit");
    session.hear("bestmove ");
    session.say("go ponder wtime 1000 btime 1000");
    session.say("stop");
    session.hear("bestmove ");
}

#[test]
fn ponderhit_does_not_end_an_analysis() {
    let session = session();
    session.say("go infinite depth 1\nponderhit");
    let heard = session.hear_for(Duration::from_millis(300));
    assert!(!heard.iter().any(|line| line.starts_with("bestmove")), "{heard:?}");
    session.say("stop");
    session.hear("bestmove ");
}

#[test]
fn a_second_go_makes_the_first_one_answer() {
    let session = session();
    session.say("go infinite\ngo infinite\nposition startpos moves e2e4\nstop");
    session.hear("bestmove ");
    session.hear("bestmove ");
    assert_eq!(answers(&session, ""), [""; 0]);
}

#[test]
fn clocks_of_any_value_lead_to_a_move() {
    let session = session();
    for clock in [
        "wtime -5 btime -5",
        "wtime 0 btime 0 winc 0 binc 0",
        "wtime 100 btime 100 movestogo 0",
        "wtime 20 winc 10 movestogo 1",
        "movetime -1",
        "movetime 0",
        "nodes 0",
        "depth 0",
        "depth 4294967295 nodes 100",
        "wtime 99999999999999999999 btime 1 winc 99999999999999999999 movestogo 99999999999 depth 2",
    ] {
        session.say(&format!("go {clock}"));
        let best = session.hear("bestmove ");
        assert_ne!(best, "bestmove 0000", "{clock}");
    }
}

#[test]
fn searchmoves_restrict_and_illegal_ones_are_told() {
    let session = session();
    assert_eq!(best_move(&session, "go depth 2 searchmoves a2a3"), "a2a3");
    session.say("go depth 2 searchmoves e2e5 h2h3");
    let heard = session.hear_until("bestmove ");
    assert!(heard[0].starts_with("info string searchmoves: illegal move `e2e5`"), "{heard:?}");
    assert!(heard.last().is_some_and(|line| line.starts_with("bestmove h2h3")));
    session.say("go depth 2 searchmoves e2e5");
    let heard = session.hear_until("bestmove ");
    assert_eq!(heard[1], "info string searchmoves: no legal move given, all moves are searched");
}

#[test]
fn a_mate_is_found_and_told_in_moves() {
    let session = session();
    session.say("position fen 6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1\ngo mate 1");
    let heard = session.hear_until("bestmove ");
    assert_eq!(heard.last().map(String::as_str), Some("bestmove a1a8"));
    assert!(heard.iter().any(|line| line.contains(" score mate 1 ")), "{heard:?}");
}

#[test]
fn a_mate_that_is_asked_for_is_proven() {
    let session = session();
    session.say("position fen 3k4/8/4K3/8/8/8/8/R7 w - - 0 1\ngo mate 2");
    let heard = session.hear_until("bestmove ");
    assert_eq!(heard.len(), 2, "one line and the move: {heard:?}");
    assert!(heard[0].contains(" score mate 2 ") && heard[0].contains(" pv a1c1 "), "{heard:?}");
    assert!(heard[1].starts_with("bestmove a1c1 ponder "), "{heard:?}");
    // No mate in two exists: the search still answers with a move, within the limits.
    session.say("position startpos\ngo mate 2 nodes 3000");
    let heard = session.hear_until("bestmove ");
    assert!(!heard.iter().any(|line| line.contains(" score mate ")), "{heard:?}");
    // Without limits the search for the mate goes on until `stop`.
    session.say("position startpos\ngo mate 40\nstop");
    assert_ne!(session.hear_until("bestmove ").last().map(String::as_str), Some("bestmove 0000"));
}

#[test]
fn without_a_legal_move_the_best_move_is_null() {
    let session = session();
    session.say("position fen R5k1/5ppp/8/8/8/8/5PPP/6K1 b - - 0 1\ngo depth 3");
    assert_eq!(session.hear_until("bestmove "), ["info depth 0 score mate 0", "bestmove 0000"]);
    session.say("position fen k7/1Q6/1K6/8/8/8/8/8 b - - 0 1\ngo depth 3");
    assert_eq!(session.hear_until("bestmove "), ["info depth 0 score mate 0", "bestmove 0000"]);
    session.say("position fen k7/8/1Q6/8/8/8/8/K7 b - - 0 1\ngo movetime 10");
    assert_eq!(session.hear_until("bestmove "), ["info depth 0 score cp 0", "bestmove 0000"]);
}

#[test]
fn castling_is_written_as_the_gui_asked() {
    let session = session();
    let position = "position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1";
    assert_eq!(best_move(&session, &format!("{position}\ngo depth 1 searchmoves e1g1")), "e1g1");
    session.say("setoption name UCI_Chess960 value true");
    assert_eq!(best_move(&session, &format!("{position}\ngo depth 1 searchmoves e1h1")), "e1h1");
    let elsewhere = "position fen 4k3/8/8/8/8/8/8/1R3K1R w HB - 0 1 moves f1b1 e8e7";
    session.say(elsewhere);
    session.say("d");
    assert_eq!(session.hear("Fen: "), "Fen: 8/4k3/8/8/8/8/8/2KR3R w - - 2 2");
}

#[test]
fn variants_are_played_by_their_rules() {
    let session = session();
    session.say("setoption name UCI_Variant value crazyhouse");
    let position = "position fen 6rk/6pp/8/8/8/8/6PP/6K1[N] w - - 0 1";
    assert_eq!(best_move(&session, &format!("{position}\ngo depth 3")), "N@f7");
    session.say(&format!("{position} moves N@f7\ngo depth 3"));
    assert_eq!(session.hear_until("bestmove "), ["info depth 0 score mate 0", "bestmove 0000"]);
    session.say("setoption name UCI_Variant value Racingkings\nposition startpos\nd");
    assert_eq!(session.hear("Fen: "), "Fen: 8/8/8/8/8/8/krbnNBRK/qrbnNBRQ w - - 0 1");
    session.say("go perft 2");
    assert_eq!(session.hear("Nodes searched: "), "Nodes searched: 421");
    let wrong = "setoption name UCI_Variant value xiangqi";
    assert_eq!(answers(&session, wrong), ["info string UCI_Variant can't be \"xiangqi\""]);
    session.say("setoption name UCI_Variant value chess\nposition startpos moves e2e4\nd");
    let fen = session.hear("Fen: ");
    assert_eq!(fen, "Fen: rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
}

#[test]
fn multipv_shows_several_lines() {
    let session = session();
    session.say("setoption name multipv value 3\ngo depth 3");
    let heard = session.hear_until("bestmove ");
    for number in 1..=3 {
        assert!(heard.iter().any(|line| line.contains(&format!(" multipv {number} "))), "{heard:?}");
    }
    assert!(!heard.iter().any(|line| line.contains(" multipv 4 ")));
}

#[test]
fn perft_divides() {
    let session = session();
    session.say("go perft 3");
    let heard = session.hear_until("Nodes searched: ");
    assert!(heard.contains(&"e2e4: 600".to_owned()));
    assert_eq!(heard.len(), 20 + 2);
    assert_eq!(heard.last().map(String::as_str), Some("Nodes searched: 8902"));
    session.say("go perft 0");
    assert_eq!(session.hear("Nodes searched: "), "Nodes searched: 1");
}

#[test]
fn positions_are_made_for_openbench() {
    let session = session();
    let five = |seed: u64| -> Vec<String> {
        session.say(&format!("genfens 5 seed {seed} book None extra"));
        (0..5).map(|_| session.hear("info string genfens ")).collect()
    };
    let made = five(u64::MAX);
    for line in &made {
        let fen = line.strip_prefix("info string genfens ").expect(line);
        assert_eq!(fen.split(' ').count(), 6, "{fen}");
        assert!(game::Game::from_fen(fen, shakmaty::CastlingMode::Standard).is_ok(), "{fen}");
    }
    assert_eq!(five(u64::MAX), made);
    assert_ne!(five(1), made);
    let refused = answers(&session, "genfens 1 seed 1 book no/such.epd");
    assert!(refused[0].starts_with("info string the book cannot be used: "), "{refused:?}");
}

#[test]
fn bench_tells_nodes_and_speed_and_hears_stop() {
    let session = session();
    let nodes = |lines: &str| {
        session.say(lines);
        session.hear("info string position 40 of 40: ");
        let total = session.hear("");
        assert!(total.ends_with(" nps"), "{total}");
        total.split(' ').next().and_then(|nodes| nodes.parse::<u64>().ok()).expect("a number")
    };
    let first = nodes("bench 3");
    assert!(first > 1000, "{first}");
    assert_eq!(nodes("setoption name Contempt value 90\ngo depth 3\nbench 3"), first);
    session.say("bench 100\nisready");
    session.hear("readyok");
    session.say("stop");
    session.hear("info string bench stopped");
}

#[test]
fn a_stop_behind_another_go_is_not_for_the_perft() {
    let session = session();
    session.say("go perft 5\ngo infinite\nstop");
    session.hear_until("Nodes searched: 4865609");
    session.hear_until("bestmove ");
}

#[test]
fn the_variant_that_is_set_already_keeps_the_position() {
    let session = session();
    session.say("position startpos moves g2g4\nsetoption name UCI_Variant value chess\ngo depth 1");
    let heard = session.hear_until("bestmove ");
    let from_rank = heard.last().and_then(|line| line.chars().nth(10));
    assert!(matches!(from_rank, Some('7' | '8')), "{heard:?}");
}

#[test]
fn perft_hears_isready_and_stop() {
    let session = session();
    session.say("go perft 99999999999\nisready");
    session.hear("readyok");
    session.say("stop");
    session.hear("info string perft stopped");
    assert_eq!(answers(&session, ""), [""; 0]);
}

#[test]
fn wrong_positions_get_one_line_and_the_old_one_stays() {
    let session = session();
    session.say("position startpos moves e2e4");
    for wrong in [
        "position fen hello",
        "position fen 8/8/8/8/8/8/8/8 w - - 0 1",
        "position fen 4k3/8/8/8/8/8/4R3/4K3 w - - 0 1",
        "position startpos moves e2e5",
        "position startpos moves e2e4 e2e4",
        "position startpos moves 0000",
        "position startpos moves zz",
        "position",
        "position fen",
    ] {
        let heard = answers(&session, wrong);
        assert_eq!(heard.len(), 1, "{wrong}: {heard:?}");
        assert!(heard[0].starts_with("info string "), "{heard:?}");
    }
    session.say("d");
    let fen = session.hear("Fen: ");
    assert_eq!(fen, "Fen: rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
}

#[test]
fn wrong_options_and_commands_get_one_line() {
    let session = session();
    for (wrong, answer) in [
        ("hello world", "info string unknown command: hello world"),
        ("setoption name Style value Risky", "info string unknown option: Style"),
        ("setoption name Hash value big", "info string Hash needs a whole number, not `big`"),
        ("setoption name Hash value 0", "info string Hash must be between 1 and 33554432, not 0"),
        (
            "setoption name OwnBook value perhaps",
            "info string OwnBook needs true or false (1 or 0), not `perhaps`",
        ),
        ("setoption name Save Settings", "info string settings not saved: no settings file is in use"),
        ("setoption name Hash", "info string Hash needs a whole number, not ``"),
        (
            "setoption name UCI_Chess960 value maybe",
            "info string UCI_Chess960 needs true or false, not \"maybe\"",
        ),
        ("debug", "info string debug needs on or off, not \"\""),
    ] {
        assert_eq!(answers(&session, wrong), [answer]);
    }
    // After a refused size the old table stays in use.
    let heard = answers(&session, "setoption name Hash value 33554432");
    assert!(heard.len() <= 1, "{heard:?}");
    best_move(&session, "go depth 2");
    best_move(&session, "go movetime 10.5");
}

#[test]
fn a_go_is_answered_whatever_cannot_be_read_of_it() {
    let session = session();
    for (go, name, word) in [
        ("go wtime 1000 btime abc winc 0 binc 0", "btime", "abc"),
        ("go wtime abc btime 1000", "wtime", "abc"),
        ("go wtime 1e3 btime 0x10", "wtime", "1e3"),
        ("go wtime 1000 btime 1000 movestogo", "movestogo", ""),
        ("go movetime 1.x", "movetime", "1.x"),
        ("go depth 3 wtime", "wtime", ""),
        ("go ponder nodes x\nstop", "nodes", "x"),
        ("go depth x\nstop", "depth", "x"),
    ] {
        session.say(go);
        let heard = session.hear_until("bestmove ");
        assert_eq!(heard[0], format!("info string go {name} needs a whole number, not \"{word}\""));
        let is_shallow = !heard.iter().any(|line| line.starts_with("info depth 4 "));
        assert!(is_shallow || !go.contains("depth 3"), "{heard:?}");
    }
}

#[test]
fn settings_and_a_new_game_are_quiet() {
    let session = session();
    let lines = "setoption name Hash value 1\nsetoption name threads value 2\nsetoption name Clear Hash\n\
                 setoption name Ponder value true\nucinewgame\n\n  \nponderhit\nstop";
    assert_eq!(answers(&session, lines), [""; 0]);
    best_move(&session, "go depth 4");
}

#[test]
fn long_lines_and_foreign_bytes_do_no_harm() {
    let session = session();
    let heard = answers(&session, &"x".repeat(1_000_000));
    assert_eq!(heard.len(), 1);
    assert!(heard[0].starts_with("info string line too long"), "{heard:?}");
    let heard = answers(&session, "position startpos moves e2\u{fffd}4");
    assert_eq!(heard.len(), 1, "{heard:?}");
}

#[test]
fn root_moves_are_told_only_after_a_second() {
    let session = session();
    session.say("go movetime 300");
    let heard = session.hear_until("bestmove ");
    assert!(!heard.iter().any(|line| line.contains("currmove")), "{heard:?}");
}

#[test]
fn quit_and_the_end_of_input_end_at_once() {
    for last in ["quit", "go infinite\nquit", "go perft 30\nquit", "go ponder\nquit"] {
        let session = session();
        session.say(last);
        let began = Instant::now();
        session.end();
        assert!(began.elapsed() < Duration::from_secs(5), "{last}");
    }
    for (last, answer) in [
        ("uci", "uciok"),
        ("go infinite", "bestmove "),
        ("go depth 60", "bestmove "),
        ("go perft 4", "Nodes searched: 197281"),
        ("go infinite\ngo perft 2", "Nodes searched: 400"),
    ] {
        let mut session = session();
        session.say(last);
        session.close();
        let heard = session.end();
        assert!(heard.last().is_some_and(|line| line.starts_with(answer)), "{last}: {heard:?}");
    }
}

#[test]
fn the_book_is_played_at_once() {
    let file = tempfile::Builder::new().suffix(".epd").tempfile().expect("a file");
    std::fs::write(&file, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - bm Na3;").expect("written");
    let session = session();
    session.say(&format!("setoption name BookFile value {}", file.path().display()));
    session.say("setoption name OwnBook value true\nposition startpos\ngo infinite\nstop");
    session.hear("info depth");
    session.hear("bestmove ");
    session.say("go movetime 1000000");
    assert_eq!(session.hear(""), "bestmove b1a3");
    assert!(answers(&session, "setoption name BookFile value <empty>").is_empty());
    let heard = answers(&session, "setoption name SyzygyPath value /no/tables");
    assert!(heard[0].starts_with("info string can't read `/no/tables`: "), "{heard:?}");
    let heard = answers(&session, "setoption name EvalFile value /no/network");
    assert!(heard[0].starts_with("info string can't use `/no/network` as a network: "), "{heard:?}");
}

#[test]
fn eval_is_what_the_search_sees_for_white() {
    let session = session();
    let network = search::network::Network::embedded();
    for fen in [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNB1KBNR b KQkq - 0 1",
        "8/8/8/3k4/8/8/8/KQ6 b - - 0 1",
    ] {
        let game = game::Game::from_fen(fen, game::CastlingMode::Standard).expect(fen);
        let root = engine::root(&game).expect("chess");
        let value = search::evaluate(&network, &root.position).value();
        let for_white = game.turn().fold_wb(value, -value);
        let heard = answers(&session, &format!("position fen {fen}\neval"));
        assert_eq!(heard, [format!("Evaluation: {for_white} centipawns (White's side)")]);
    }
}
