//! Tests of whole sessions.

use std::io;
use std::time::{Duration, Instant};

use game::{CastlingMode, Game, MoveTime};

use super::state::{MediatorError, ProtocolState};
use super::{CegoOptions, serve};
use crate::scripted::Scripted;
use messages::cego::{EngineMessage, LongMove};
use messages::input::LineReader;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// The conversation of the document's example: `m` is the mediator, `\n` stands for the newline.
const EXAMPLE: &str = r"
2 -> m: ready\n
1 -> m: ready\n
m -> 1: 30000000000 1000000000 30000000000 1000000000 rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n
1 -> m: e2e4\n
m -> 2: 30000000000 1000000000 26000000000 1000000000 rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1\n
2 -> m: e7e5\n
m -> 1: 26000000000 28000000000 e7e5\n
1 -> m: forfeit\n
";

/// Replays one engine's side of the example, with its input, its decisions and its thinking times. Returns its output.
fn replay(name: char, thinking: Duration) -> String {
    let mut state = ProtocolState::default();
    let mut now = Instant::now();
    let mut said = Vec::new();
    let mut say = |message: EngineMessage| said.push(format!("{message}\n"));
    for line in EXAMPLE.lines() {
        let Some((parties, text)) = line.split_once(": ") else { continue };
        let text = text.replace(r"\n", "\n");
        if parties == format!("m -> {name}") {
            state.hear(&text, now).expect("well-formed and in turn");
            now += thinking;
        } else if parties == format!("{name} -> m") {
            match text.trim_end().parse().expect("well-formed") {
                EngineMessage::Ready => say(EngineMessage::Ready),
                EngineMessage::Move(m) => say(state.answer(m.find(&state.game), now)),
                EngineMessage::Forfeit => say(state.answer(None, now)),
            }
        }
    }
    said.concat()
}

#[test]
fn the_documents_example_from_both_engines_ends() {
    assert_eq!(replay('1', Duration::from_secs(5)), "ready\ne2e4\nforfeit\n");
    assert_eq!(replay('2', Duration::from_secs(3)), "ready\ne7e5\n");
}

#[test]
fn the_engines_own_count_of_its_time_is_the_examples() {
    let mut state = ProtocolState::default();
    let began = Instant::now();
    let first = format!("30000000000 1000000000 30000000000 1000000000 {START}\n");
    state.hear(&first, began).expect("well-formed");
    let m = state.game.parse_move("e4").expect("legal");
    let moved = began + Duration::from_secs(5);
    state.answer(Some(m), moved);
    assert_eq!(state.remaining(moved), Duration::from_secs(26));
    let heard = moved + Duration::from_secs(3);
    state.hear("25999999999 28000000000 e7e5\n", heard).expect("well-formed");
    let limit = MoveTime::Clock {
        remaining: Duration::from_nanos(25_999_999_999),
        increment: Duration::from_secs(1),
        moves_to_go: None,
    };
    assert_eq!(state.move_time(heard), limit);
}

#[test]
fn messages_out_of_turn_end_the_state() {
    let first = format!("1 1 1 1 {START}\n");
    let now = Instant::now();
    let is_out_of_turn = |result| matches!(result, Err(MediatorError::OutOfTurn { .. }));
    let mut state = ProtocolState::default();
    assert!(is_out_of_turn(state.hear("1 1 e7e5\n", now)));
    state.hear(&first, now).expect("in turn");
    assert!(is_out_of_turn(state.hear(&first, now)));
    assert!(is_out_of_turn(state.hear("1 1 e7e5\n", now)));
    let m = state.game.parse_move("e4").expect("legal");
    state.answer(Some(m), now);
    assert!(is_out_of_turn(state.hear(&first, now)));
    assert_eq!(state.hear("1 1 e7e5\n", now), Ok(()));
}

#[test]
fn nothing_can_be_played_from_there() {
    let now = Instant::now();
    for (fen, played) in [
        (START, "e2e4"),
        (START, "e7e6q"),
        ("r3k3/8/8/8/8/8/8/4K3 w q - 0 1", "e8a8"),
        ("4k3/8/8/8/8/8/p7/4K3 w - - 0 1", "a2a1"),
    ] {
        let mut state = ProtocolState::default();
        state.hear(&format!("1 1 1 1 {fen}\n"), now).expect("a position");
        let m = state.game.legal_moves()[0];
        state.answer(Some(m), now);
        let result = state.hear(&format!("1 1 {played}\n"), now);
        assert!(matches!(result, Err(MediatorError::IllegalMove { .. })), "{played}: {result:?}");
    }
    for fen in ["R5k1/5ppp/8/8/8/8/5PPP/6K1 b - - 1 1", "k7/8/1Q6/8/8/8/8/K7 b - - 0 1"] {
        let result = ProtocolState::default().hear(&format!("1 1 1 1 {fen}\n"), now);
        assert_eq!(result, Err(MediatorError::NoMove(fen.into())));
    }
}

fn session(habits: CegoOptions) -> Scripted {
    Scripted::listen(LineReader::exact, move |host, output| {
        serve(host, output, habits).map_err(io::Error::other)
    })
}

#[test]
fn every_breach_ends_the_session_with_the_reason() {
    let first = format!("1000000 0 1000000 0 {START}\n");
    let endless = vec![b'1'; 100_000];
    for (bytes, reason) in [
        (&b"\n"[..], "malformed message"),
        (b"uci\n", "malformed message"),
        (b"1 1 e7e5\r\n", "malformed message"),
        (b"1 1 e7e5 \n", "malformed message"),
        (b"1 1 e7\xFF5\n", "malformed message"),
        (b"\0\0\0\n", "malformed message"),
        (&endless, "malformed message: more than 65536 bytes"),
        (b"1 1 e7e5\n", "out of turn"),
        (b"1 1 1 1 8/8/8/8/8/8/8/8 w - - 0 1\n", "0 kings"),
        (b"1 1 1 1 1k6/8/8/8/8/8/8/RK5R w KQ - 0 1\n", "castling rights"),
        (b"1 1 1 1 k7/8/1Q6/8/8/8/8/K7 b - - 0 1\n", "no legal move"),
    ] {
        let mut session = session(CegoOptions::default());
        session.hear("ready");
        session.send(bytes);
        session.close();
        let (result, heard) = session.result();
        let error = result.expect_err("a breach").to_string();
        assert!(error.contains(reason) && heard.is_empty(), "{bytes:?}: {error}, {heard:?}");
    }
    for (line, reason) in
        [("1 1 e2e4\n", "illegal move"), (first.as_str(), "out of turn"), ("1 1 e7e5", "newline")]
    {
        let mut session = session(CegoOptions::default());
        session.hear("ready");
        session.send(first.as_bytes());
        session.hear("");
        session.send(line.as_bytes());
        session.close();
        let error = session.result().0.expect_err("a breach").to_string();
        assert!(error.contains(reason), "{line:?}: {error}");
    }
}

#[test]
fn a_message_in_the_engines_turn_ends_the_session() {
    let session = session(CegoOptions::default());
    session.say(&format!("999000000000 0 999000000000 0 {START}\n1 1 e7e5"));
    let (result, heard) = session.result();
    assert!(result.expect_err("a breach").to_string().contains("out of turn"));
    assert_eq!(heard, ["ready"]);
}

#[test]
fn the_end_of_the_input_is_the_end_of_the_game_at_any_moment() {
    for lines in ["", &format!("999000000000 0 999000000000 0 {START}\n"), &format!("0 0 0 0 {START}\n")] {
        let mut session = session(CegoOptions { ponder: true, forfeit: false });
        session.hear("ready");
        if !lines.is_empty() {
            session.send(lines.as_bytes());
        }
        session.close();
        session.end();
    }
}

#[test]
fn two_sessions_play_a_game_and_ponder() {
    let players = [
        session(CegoOptions { ponder: true, forfeit: false }),
        session(CegoOptions { ponder: true, forfeit: false }),
    ];
    for player in &players {
        assert_eq!(player.hear(""), "ready");
    }
    let mut game = Game::default();
    let mut last: Option<LongMove> = None;
    for ply in 0..24 {
        let player = &players[ply % 2];
        // The opponent ponders while a move takes time.
        let times = if ply < 2 { "300000000 30000000 300000000 30000000" } else { "300000000 300000000" };
        match last.filter(|_| ply >= 2) {
            Some(last) => player.say(&format!("{times} {last}")),
            None => player.say(&format!("{times} {}", game.fen())),
        }
        let answer: EngineMessage = player.hear("").parse().expect("well-formed");
        let EngineMessage::Move(m) = answer else { panic!("{answer}") };
        game.play(m.find(&game).expect("legal")).expect("legal");
        last = Some(m);
    }
    for mut player in players {
        player.close();
        assert_eq!(player.end(), [""; 0]);
    }
}

#[test]
fn a_lost_position_is_forfeited_only_if_wanted() {
    // Mate follows both legal moves; a single legal move would be played without thinking.
    let message = "1000000000 0 1000000000 0 k7/8/1K6/7p/8/8/8/6R1 b - - 0 1";
    let proud = session(CegoOptions { ponder: false, forfeit: true });
    proud.say(message);
    assert_eq!(proud.end(), ["ready", "forfeit"]);
    let stubborn = session(CegoOptions::default());
    stubborn.say(message);
    assert_eq!(stubborn.hear(""), "ready");
    assert!(matches!(stubborn.hear("").parse(), Ok(EngineMessage::Move(_))));
}

#[test]
fn a_game_of_chess960_is_another_game() {
    let game = Game::from_fen("1k6/8/8/8/8/8/8/RK5R w HA - 0 1", CastlingMode::Chess960).expect("a position");
    let result = ProtocolState::default().hear(&format!("1 1 1 1 {}\n", game.fen()), Instant::now());
    assert!(matches!(result, Err(MediatorError::Malformed(_))), "{result:?}");
}
