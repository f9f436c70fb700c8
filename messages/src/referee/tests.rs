//! Tests of the messages: the cases of the specification, the adopted readings, and arbitrary bytes.

use std::num::NonZeroU32;
use std::time::Duration;

use game::Game;
use proptest::prelude::*;
use shakmaty::ByColor;

use super::*;
use crate::epd::{ClockTime, EpdMove, Evaluation, Position, RefereeCommand};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";

fn directive(operations: &str) -> Result<Directive, MessageError> {
    format!("{START} {operations}").parse()
}

fn request(operations: &str) -> Result<ClientRecord, MessageError> {
    format!("{START} {operations}").parse()
}

fn played(text: &str) -> EpdMove<'static> {
    let game = Game::default();
    EpdMove::new(game.chess().expect("chess"), game.parse_move(text).expect(text))
}

fn answer(operations: &str) -> Response {
    match request(&format!("refreq reply; {operations}")).map(|record| record.request) {
        Ok(Request::Reply(reply)) => reply.answer,
        other => panic!("{operations}: {other:?}"),
    }
}

/// Returns the error of a reply.
fn refused(operations: &str) -> String {
    request(&format!("refreq reply; {operations}")).expect_err(operations).to_string()
}

#[test]
fn every_record_of_an_event_is_written_as_it_was_read() {
    for operations in [
        "refcom reset;",
        "ptp Event \"Open\" Site \"?\" Date \"1995.11.26\" Round \"1\" White \"A\" Black \"B\" Result \"*\"; refcom inform;",
        "cc 000:00:00:00 000:00:00:00; fmvn 1; hmvc 0; refcom respond;",
        "cc 000:00:00:12 000:00:01:30; draw_offer; fmvn 1; hmvc 0; refcom respond; sm e4;",
        "draw_reject; refcom respond; sm e4; tcgs 3;",
        "Clock 59350 1000 40 - 0 -; Epoch 2; cc 000:00:00:00 000:00:00:00; refcom respond; sm Nf3;",
        "fmvn 1; hmvc 0; refcom execute; sv e4 e5 Nf3 Nc6;",
        "refcom execute; sm d4;",
        "refcom conclude;",
        "ptp Result \"1/2-1/2\"; refcom inform;",
        "c0 \"illegal move `Ke5'\"; refcom fault;",
        "refcom disconnect;",
    ] {
        let line = format!("{START} {operations}");
        assert_eq!(directive(operations).expect(operations).to_string(), line);
    }
    for operations in [
        "refreq sign_on;",
        "Auth \"open sesame\"; Extended; Heartbeat; refreq sign_on; tcsi \"\" \"Herald 1.0\";",
        "refreq reply; sm e4;",
        "acd 12; acn 120034; ce 31; pv e4 e5; refreq reply; sm e4;",
        "draw_offer; draw_reject; refreq reply; sm e4;",
        "draw_claim; refreq reply; sm Nf3;",
        "draw_claim; refreq reply;",
        "draw_accept; refreq reply;",
        "refreq reply; resign;",
        "refreq reply;",
        "c0 \"no memory\"; refreq fault;",
        "refreq fault;",
        "refreq sign_off;",
    ] {
        let line = format!("{START} {operations}");
        assert_eq!(request(operations).expect(operations).to_string(), line);
    }
}

#[test]
fn what_a_directive_tells() {
    let told = directive(
        "Clock 59350 1000 40 - 0 -; cc 000:00:00:12 000:00:01:30; draw_offer; refcom respond; sm e4; ptp White \"A\";",
    )
    .expect("a directive");
    assert_eq!((told.command, told.offers_draw), (RefereeCommand::Respond, true));
    assert_eq!(told.moves, Moves::Supplied(played("e4")));
    assert_eq!(told.used.map(|used| [used.white.seconds(), used.black.seconds()]), Some([12, 90]));
    assert_eq!(told.tags, [("White".to_owned(), "A".to_owned())]);
    let white = ExactClock {
        remaining: Some(Duration::from_millis(59_350)),
        increment: Duration::from_secs(1),
        moves_to_go: Some(40),
    };
    let black = ExactClock { remaining: None, increment: Duration::ZERO, moves_to_go: None };
    assert_eq!(told.clocks, Some(ByColor { white, black }));
}

#[test]
fn the_answers_of_section_8() {
    let moves = |remark, rejects_draw| Response::Move { mv: played("e4"), remark, rejects_draw };
    assert_eq!(answer("sm e4;"), moves(Remark::None, false));
    assert_eq!(answer("sm e2e4;"), moves(Remark::None, false), "there is no doubt what it means");
    assert_eq!(answer("sm e4; draw_offer;"), moves(Remark::OfferDraw, false));
    assert_eq!(answer("sm e4; draw_claim;"), moves(Remark::ClaimDraw, false));
    assert_eq!(answer("sm e4; draw_decline;"), moves(Remark::None, true), "so section 6.25 calls it");
    assert_eq!(answer("draw_claim;"), Response::ClaimDraw, "by insufficient material: step 10");
    assert_eq!(answer("draw_accept;"), Response::AcceptDraw);
    assert_eq!(answer("resign;"), Response::Resign);
    assert_eq!(answer(""), Response::NoMove, "mated or stalemated: step 10");
    for illegal in ["sm e5;", "sm Ke9;", "sm O-O;"] {
        let Response::Move { mv, .. } = answer(illegal) else { panic!("{illegal}") };
        assert_eq!(mv.legal(), None, "{illegal}: whose fault it is, the referee decides");
    }
}

#[test]
fn what_is_refused_and_why() {
    assert_eq!(refused("resign; draw_offer; sm e4;"), "`draw_offer` and `resign` in one record");
    assert_eq!(refused("draw_accept; draw_reject;"), "`draw_accept` and `draw_reject` in one record");
    assert_eq!(refused("draw_claim; draw_offer; sm e4;"), "`draw_claim` and `draw_offer` in one record");
    assert_eq!(refused("resign; sm e4;"), "`resign` and `sm` in one record");
    assert_eq!(refused("draw_accept; sm e4;"), "`draw_accept` and `sm` in one record");
    assert_eq!(refused("draw_offer;"), "`draw_offer` without `sm`");
    assert_eq!(refused("sm e4; sm d4;"), "duplicate `sm` with other operands");
    assert_eq!(refused("resign; refreq fault;"), "duplicate `refreq` with other operands");
    let two_commands = directive("refcom respond; refcom disconnect;").expect_err("two commands").to_string();
    assert_eq!(two_commands, "duplicate `refcom` with other operands");
    assert!(directive("refcom respond; Epoch 1; Epoch 2;").is_err());
    assert_eq!(refused("sm e4 e5;"), "`sm`: `sm` has too many operands; expected one move");
    assert_eq!(refused("refcom respond;"), "`refcom` must not be sent by this side");
    assert_eq!(request("sm e4;").expect_err("no request").to_string(), "missing `refreq`");
    let unknown = request("refreq hello;").expect_err("no request").to_string();
    assert_eq!(unknown, "`refreq`: `refreq` has `hello`; expected a request of a client");
    let garbage = "hello".parse::<ClientRecord>().expect_err("no record").to_string();
    assert!(garbage.starts_with("not an EPD record: "), "{garbage}");
    assert!("".parse::<Directive>().is_err());
    let wrong_side = directive("refreq reply;").expect_err("a request").to_string();
    assert_eq!(wrong_side, "`refreq` must not be sent by this side");
    assert!(
        directive("refcom respond; cc 1 2;").is_err() && directive("refcom respond; Clock 1 2 3;").is_err()
    );
    assert!(directive("refcom respond; pv no moves; ce x; Unknown;").is_ok(), "what nobody asked for");
    let spoiled = answer("sm e4; pv e4 e4 e5; ce 99999; acd 1; acd 2; sm e4;");
    assert!(matches!(spoiled, Response::Move { .. }), "a move is not refused for what goes with it");
}

#[test]
fn names_and_secrets() {
    let sign_on = |operations: &str| match request(&format!("refreq sign_on; {operations}")) {
        Ok(ClientRecord { request: Request::SignOn(sign_on), .. }) => sign_on,
        other => panic!("{operations}: {other:?}"),
    };
    let name = |operations| sign_on(operations).name;
    assert_eq!(name("tcsi \"a@b.c\" \"Spector\"; id \"x\";").as_deref(), Some("Spector"));
    assert_eq!(name("id \"Spector\";").as_deref(), Some("Spector"));
    assert_eq!(name("ptp White \"Spector\";").as_deref(), Some("Spector"));
    assert_eq!((name(""), name("id \" \";")), (None, None));
    let secretive = sign_on("Auth \"abc\";");
    assert_eq!(secretive.secret.as_ref().map(Secret::reveal), Some("abc"));
    assert!(!format!("{secretive:?}").contains("abc"));
    let line = format!("{START} Auth \"abc\"; refreq sign_on;");
    assert_eq!(without_secret(&line), format!("{START} Auth …"));
    assert_eq!(without_secret("auth\"abc"), "auth …");
    assert_eq!(without_secret("refreq sign_on;"), "refreq sign_on;");
}

#[test]
fn no_line_is_longer_than_every_program_can_read() {
    let mut told = Directive::about(RefereeCommand::Fault, &Game::default());
    told.reason = Some("é\"\u{7}".repeat(5000));
    let line = told.to_string();
    assert!(line.len() < 400 && line.parse::<Directive>().is_ok(), "{line}");
}

/// Generates games of up to 60 random moves.
fn games() -> impl Strategy<Value = Game> {
    prop::collection::vec(any::<prop::sample::Index>(), 0..60).prop_map(|choices| {
        let mut game = Game::default();
        for choice in choices {
            let moves = game.legal_moves();
            if moves.is_empty() {
                break;
            }
            game.play(moves[choice.index(moves.len())]).expect("legal");
        }
        game
    })
}

fn first_moves(game: &Game, plies: usize) -> Vec<EpdMove<'static>> {
    let mut line = Vec::new();
    let mut ahead = game.clone();
    while let Some(&m) = ahead.legal_moves().first().filter(|_| line.len() < plies) {
        ahead.play(m).expect("legal");
        line.push(m);
    }
    EpdMove::line(game.chess().expect("chess"), &line)
}

prop_compose! {
    fn directives()(
        game in games(),
        command in prop::sample::select(RefereeCommand::ALL),
        plies in 0_usize..5,
        history in any::<bool>(),
        (offers_draw, rejects_draw) in any::<(bool, bool)>(),
        used in prop::option::of((0_u32..86_400_000, 0_u32..86_400_000)),
        clocks in prop::option::of((prop::option::of(any::<u32>()), any::<u32>(), any::<Option<u32>>())),
        tags in prop::collection::btree_map("[A-Z][A-Za-z0-9_]{0,14}", "[ !#-~]{0,40}", 0..8),
        (epoch, number, retry) in any::<(Option<u64>, Option<NonZeroU32>, Option<u32>)>(),
        reason in prop::option::of("[ !#-~]{0,80}"),
    ) -> Directive {
        let mut line = first_moves(&game, plies);
        let moves = match (history, line.len()) {
            (true, _) => Moves::History(line),
            (false, 0) => Moves::None,
            (false, _) => Moves::Supplied(line.swap_remove(0)),
        };
        let clock = |(remaining, increment, moves_to_go): (Option<u32>, u32, Option<u32>)| ExactClock {
            moves_to_go,
            remaining: remaining.map(|millis| Duration::from_millis(millis.into())),
            increment: Duration::from_millis(increment.into()),
        };
        let seconds = |seconds| ClockTime::from_seconds(seconds).expect("less than a thousand days");
        Directive {
            moves, offers_draw, rejects_draw, epoch, reason, retry,
            game: number.filter(|number| i32::try_from(number.get()).is_ok()),
            used: used.map(|(white, black)| ByColor { white: seconds(white), black: seconds(black) }),
            clocks: clocks.map(|clocks| ByColor { white: clock(clocks), black: clock((None, 0, None)) }),
            tags: tags.into_iter().collect(),
            ..Directive::about(command, &game)
        }
    }
}

prop_compose! {
    fn client_records()(
        game in games(),
        kind in 0..10,
        name in prop::option::of("[!#-~][ !#-~]{0,30}[!#-~]"),
        secret in prop::option::of("[ !#-~]{0,30}"),
        (extended, heartbeat, rejects_draw) in any::<(bool, bool, bool)>(),
        evaluation in prop::option::of(-32_768_i64..32_767),
        (depth, nodes) in (prop::option::of(0_u64..100), prop::option::of(0..i64::MAX as u64)),
        plies in 0_usize..4,
    ) -> ClientRecord {
        let line = first_moves(&game, plies.max(1));
        let with_move = |remark| line.first().map_or(Response::NoMove, |mv| {
            Response::Move { mv: mv.clone(), remark, rejects_draw }
        });
        let answer = match kind {
            0 => Some(with_move(Remark::None)),
            1 => Some(with_move(Remark::OfferDraw)),
            2 => Some(with_move(Remark::ClaimDraw)),
            3 => Some(Response::AcceptDraw),
            4 => Some(Response::ClaimDraw),
            5 => Some(Response::Resign),
            6 => Some(Response::NoMove),
            _ => None,
        };
        let analysis = Analysis {
            evaluation: evaluation.and_then(Evaluation::new),
            depth,
            nodes,
            line: if plies == 0 { Vec::new() } else { line.clone() },
        };
        let request = match (answer, kind) {
            (Some(answer), _) => Request::Reply(Box::new(ClientReply { answer, analysis })),
            (None, 7) => {
                let secret = secret.as_deref().map(Secret::new);
                Request::SignOn(SignOn { name, secret, extended, heartbeat })
            }
            (None, 8) => Request::SignOff,
            (None, _) => Request::Fault(name),
        };
        ClientRecord { position: Position::of(&game), request }
    }
}

proptest! {
    #[test]
    fn directives_make_their_round_trip(directive in directives()) {
        let line = directive.to_string();
        prop_assert_eq!(line.parse::<Directive>(), Ok(directive), "{}", line);
    }

    #[test]
    fn requests_make_their_round_trip(record in client_records()) {
        let line = record.to_string();
        prop_assert_eq!(line.parse::<ClientRecord>(), Ok(record), "{}", line);
    }

    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,200}") {
        let _ = (text.parse::<Directive>(), text.parse::<ClientRecord>());
    }

    #[test]
    fn any_operations_are_read_or_refused(text in "(refreq|refcom|reply|respond|sm|sv|e4|Auth|\"|;| |[ -~]){0,40}") {
        let written = |line: &str| {
            let directive = line.parse::<Directive>().map(|read| read.to_string());
            directive.or_else(|_| line.parse::<ClientRecord>().map(|read| read.to_string()))
        };
        for line in [format!("{START} {text}"), format!("{START} refreq reply; {text}")] {
            if let Ok(once) = written(&line) {
                prop_assert!(!once.contains('\n'));
                prop_assert_eq!(written(&once), Ok(once));
            }
        }
    }
}
