//! Tests of messages with the forms of the specification and with arbitrary lines.

use proptest::prelude::*;
use shakmaty::{Color, KnownOutcome};

use super::super::{feature, thinking};
use super::*;

#[test]
fn the_forms_of_the_specification() {
    let table = [
        ("pong 7", Message::Pong(7)),
        ("move e7e8q", Message::Move("e7e8q".into())),
        ("move e1b1,", Message::Move("e1b1,".into())),
        ("resign", Message::Resign),
        ("offer draw", Message::OfferDraw),
        ("draw", Message::Draw),
        ("decline", Message::Decline),
        ("time 1234", Message::Time { centiseconds: 1234 }),
        (
            "1-0",
            Message::Result {
                result: GameResult::Known(KnownOutcome::Decisive { winner: Color::White }),
                comment: None,
            },
        ),
        (
            "0-1 {Black mates}",
            Message::Result {
                result: GameResult::Known(KnownOutcome::Decisive { winner: Color::Black }),
                comment: Some("Black mates".into()),
            },
        ),
        ("Hint: e2e4", Message::Hint("e2e4".into())),
        ("Illegal move: e2e5", Message::IllegalMove { reason: None, mv: "e2e5".into() }),
        (
            "Illegal move (in check): e2e4",
            Message::IllegalMove { reason: Some("in check".into()), mv: "e2e4".into() },
        ),
        (
            "Error (unknown command): foo (bar): x",
            Message::Error { kind: "unknown command".into(), command: "foo (bar): x".into() },
        ),
        ("tellusererror Illegal position", Message::TellUserError("Illegal position".into())),
        ("tellother hello", Message::Tell(Audience::Others, "hello".into())),
        (
            "setup (PNBRQKpnbrqk) 8x8+0_normal 8/8 w - - 0 1",
            Message::Setup {
                pieces: Some("PNBRQKpnbrqk".into()),
                board: Some("8x8+0_normal".into()),
                fen: "8/8 w - - 0 1".into(),
            },
        ),
        ("setup 8/8 w - - 0 1", Message::Setup { pieces: None, board: None, fen: "8/8 w - - 0 1".into() }),
        ("piece P& fmWfceFifmnD", Message::Piece { id: "P&".into(), betza: "fmWfceFifmnD".into() }),
        ("# a word", Message::Debug("a word".into())),
        ("   e2e4 70%", Message::BookLine("e2e4 70%".into())),
        ("", Message::BookEnd),
        ("White has a better position", Message::Other("White has a better position".into())),
        ("pong", Message::Other("pong".into())),
        ("Error: none", Message::Other("Error: none".into())),
    ];
    for (line, message) in table {
        assert_eq!(Message::parse(line), message, "{line}");
    }
}

#[test]
fn status_lines() {
    let status = Status {
        centiseconds: 120,
        nodes: 5000,
        depth: 9,
        moves_left: 11,
        moves_total: 20,
        current: Some("e2e4".into()),
    };
    assert_eq!(status.to_string(), "stat01: 120 5000 9 11 20 e2e4");
    assert_eq!(Message::parse("stat01: 120 5000 9 11 20 e2e4"), Message::Status(status));
}

fn word() -> impl Strategy<Value = String> {
    "[a-zA-Z][a-zA-Z0-9:/_-]{0,9}"
}

fn text() -> impl Strategy<Value = String> {
    "[a-zA-Zé/][a-zA-Zé0-9 /=]{0,20}[a-zA-Z]"
}

fn result() -> impl Strategy<Value = GameResult> {
    proptest::sample::select(vec![
        GameResult::Known(KnownOutcome::Decisive { winner: Color::White }),
        GameResult::Known(KnownOutcome::Decisive { winner: Color::Black }),
        GameResult::Known(KnownOutcome::Draw),
        GameResult::Unknown,
    ])
}

fn status() -> impl Strategy<Value = Status> {
    (any::<(u64, u64, u32, u32, u32)>(), proptest::option::of(word())).prop_map(|(numbers, current)| Status {
        centiseconds: numbers.0,
        nodes: numbers.1,
        depth: numbers.2,
        moves_left: numbers.3,
        moves_total: numbers.4,
        current,
    })
}

fn message() -> impl Strategy<Value = Message> {
    use proptest::option::of;
    let play = prop_oneof![
        proptest::collection::vec(feature::tests::feature(), 0..5).prop_map(Message::Features),
        any::<i64>().prop_map(Message::Pong),
        word().prop_map(Message::Move),
        Just(Message::Resign),
        Just(Message::OfferDraw),
        Just(Message::Draw),
        Just(Message::Decline),
        any::<u64>().prop_map(|centiseconds| Message::Time { centiseconds }),
        (result(), of(text())).prop_map(|(result, comment)| Message::Result { result, comment }),
        word().prop_map(Message::Hint),
        status().prop_map(Message::Status),
        thinking::tests::thinking_line().prop_map(Message::Thinking),
    ];
    let trouble = prop_oneof![
        (of(text()), text()).prop_map(|(reason, mv)| Message::IllegalMove { reason, mv }),
        (text(), text()).prop_map(|(kind, command)| Message::Error { kind, command }),
        text().prop_map(Message::TellUserError),
    ];
    let frills = prop_oneof![
        (proptest::sample::select(Audience::ALL), text())
            .prop_map(|(audience, text)| Message::Tell(audience, text)),
        (word(), text()).prop_map(|(tag, question)| Message::AskUser { tag, question }),
        (of("[PNBRQK]{1,6}"), of("[1-9]x[1-9]\\+0_[a-z]{1,6}"), "[a-h]{1,8}/[a-h]{1,8} w - -").prop_map(
            |(pieces, board, fen)| Message::Setup { board: board.filter(|_| pieces.is_some()), pieces, fen }
        ),
        ("[A-Za-z]&?", "[A-Za-z]{1,6}").prop_map(|(id, betza)| Message::Piece { id, betza }),
        word().prop_map(Message::Highlight),
        word().prop_map(Message::Click),
        word().prop_map(Message::Choice),
        text().prop_map(Message::BookLine),
        Just(Message::BookEnd),
        text().prop_map(Message::Debug),
        text().prop_map(|text| Message::Other(format!("Xyzzy {text}"))),
    ];
    prop_oneof![play, trouble, frills]
}

proptest! {
    #[test]
    fn parse_after_display_is_identity(message in message()) {
        prop_assert_eq!(Message::parse(&message.to_string()), message);
    }

    #[test]
    fn any_line_is_some_message(
        line in "\\PC{0,60}|(feature|setup|stat01:|Error|Illegal move|[0-9 \t-]{8,20})[ (]?\\PC{0,40}"
    ) {
        let message = Message::parse(&line);
        // Writing may normalise the message, but must not change its kind.
        let again = Message::parse(&message.to_string());
        prop_assert_eq!(std::mem::discriminant(&again), std::mem::discriminant(&message));
    }
}
