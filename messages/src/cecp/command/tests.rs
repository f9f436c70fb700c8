//! Tests of commands with the examples of the specification and with arbitrary lines.

use proptest::prelude::*;

use shakmaty::{Color, KnownOutcome, Role};

use super::*;

fn parse(line: &str) -> Result<Command, CommandError> {
    line.parse()
}

#[test]
fn the_examples_of_the_specification() {
    use Command as C;
    let table = [
        ("protover 2", C::Protover(2)),
        ("rejected option NAME -reset", C::Rejected("option NAME -reset".into())),
        ("usermove e2e4", C::UserMove("e2e4".into())),
        ("e2e4", C::BareMove("e2e4".into())),
        ("P@f7", C::BareMove("P@f7".into())),
        (
            "result 1-0",
            C::Result {
                result: GameResult::Known(KnownOutcome::Decisive { winner: Color::White }),
                comment: None,
            },
        ),
        (
            "result * {xboard exit}",
            C::Result { result: GameResult::Unknown, comment: Some("xboard exit".into()) },
        ),
        ("ping -3", C::Ping(-3)),
        (
            "egtpath syzygy /my tables/five",
            C::EgtPath { flavor: "syzygy".into(), path: "/my tables/five".into() },
        ),
        (
            "option resign threshold (centi-Pawn):=300",
            C::Option { name: "resign threshold (centi-Pawn):".into(), value: Some("300".into()) },
        ),
        ("option Clear", C::Option { name: "Clear".into(), value: None }),
        ("level 40 5 0", C::Level { moves: 40, base: Duration::from_mins(5), increment: Duration::ZERO }),
        (
            "level 0 0:30 0.05",
            C::Level { moves: 0, base: Duration::from_secs(30), increment: Duration::from_millis(50) },
        ),
        (
            "level 0 1:5 2 extra",
            C::Level { moves: 0, base: Duration::from_secs(65), increment: Duration::from_secs(2) },
        ),
        (
            "level 40 120 20 60",
            C::Sessions {
                first: TimeSession { moves: 40, time: Duration::from_hours(2) },
                later: TimeSession { moves: 20, time: Duration::from_hours(1) },
            },
        ),
        ("level 40 5 0 0", C::Level { moves: 40, base: Duration::from_mins(5), increment: Duration::ZERO }),
        ("setpos 8/8/8/8/8/8/8/8 w - -", C::SetBoard("8/8/8/8/8/8/8/8 w - -".into())),
        ("decline", C::Decline),
        ("st 0.01", C::TimePerMove(Duration::from_millis(10))),
        ("st 0", C::TimePerMove(Duration::ZERO)),
        ("time -12", C::Time { centiseconds: -12 }),
        ("exclude all", C::Exclude(RootMoves::All)),
        ("include e2e4", C::Include(RootMoves::One("e2e4".into()))),
        ("setscore -50 12", C::SetScore { centipawns: -50, depth: Some(12) }),
        ("partner", C::Partner(None)),
        (
            "holding [BPPP] [] BQ",
            C::Holding { white: "BPPP".into(), black: String::new(), gained: Some("BQ".into()) },
        ),
        ("lift e2", C::Lift(Place::Square(Square::E2))),
        ("lift j1", C::Lift(Place::Hand(Color::White.pawn()))),
        ("lift j5", C::Lift(Place::Hand(Color::White.queen()))),
        ("put _8", C::Put(Place::Hand(Color::Black.pawn()))),
        ("put _4", C::Put(Place::Hand(Color::Black.queen()))),
        ("?", C::MoveNow),
        (".", C::Status),
        ("  force  ", C::Force),
    ];
    for (line, command) in table {
        assert_eq!(parse(line), Ok(command), "{line}");
    }
}

#[test]
fn unknown_is_not_malformed() {
    let table = [
        ("foo", CommandError::Unknown),
        ("e2e4 e7e5", CommandError::Unknown),
        ("", CommandError::Unknown),
        ("ping", CommandError::MissingParameter),
        ("level 40 5", CommandError::MissingParameter),
        ("egtpath syzygy", CommandError::MissingParameter),
        ("rating 2000", CommandError::MissingParameter),
        ("hover", CommandError::MissingParameter),
        ("lift j0", CommandError::BadSquare),
        ("lift j6", CommandError::BadSquare),
        ("lift _3", CommandError::BadSquare),
        ("put j", CommandError::BadSquare),
        ("put _é", CommandError::BadSquare),
        ("hover j1", CommandError::BadSquare),
        ("ping x", CommandError::BadNumber),
        ("sd -1", CommandError::BadNumber),
        ("memory 99999999999999999999999", CommandError::BadNumber),
        ("st fast", CommandError::BadTime),
        ("level 0 x 0", CommandError::BadTime),
        ("result 2-0", CommandError::BadResult),
        ("put i9", CommandError::BadSquare),
        ("holding BPPP []", CommandError::BadHolding),
        ("holding [] [1]", CommandError::BadHolding),
        ("holding []", CommandError::MissingParameter),
    ];
    for (line, error) in table {
        assert_eq!(parse(line), Err(error), "{line}");
    }
}

#[test]
fn edit_lines() {
    let table = [
        ("#", Ok(EditLine::Clear)),
        ("c", Ok(EditLine::ToggleColor)),
        (".", Ok(EditLine::End)),
        ("Ke1", Ok(EditLine::Place(Role::King, Square::E1))),
        ("Pe2", Ok(EditLine::Place(Role::Pawn, Square::E2))),
        ("xa4", Ok(EditLine::Remove(Square::A4))),
        ("Ke9", Err(CommandError::BadSquare)),
        ("é4", Err(CommandError::Unknown)),
        ("", Err(CommandError::MissingParameter)),
    ];
    for (line, expected) in table {
        assert_eq!(line.parse::<EditLine>(), expected, "{line}");
    }
}

fn word() -> impl Strategy<Value = String> {
    "[a-zA-Z][a-zA-Z0-9:/_-]{0,9}"
}

fn text() -> impl Strategy<Value = String> {
    "[a-zA-Zé{}()/][a-zA-Zé0-9 {}()/=]{0,20}[a-zA-Z)}]"
}

fn duration() -> impl Strategy<Value = Duration> {
    (0..1_000_000_u64, 0..1_000_000_000_u32).prop_map(|(seconds, nanos)| Duration::new(seconds, nanos))
}

fn session() -> impl Strategy<Value = TimeSession> {
    (1..=u32::MAX, duration())
        .prop_map(|(moves, time)| TimeSession { moves, time: time + Duration::from_secs(1) })
}

fn root_moves() -> impl Strategy<Value = RootMoves> {
    prop_oneof![Just(RootMoves::All), "[a-h][1-8][a-h][1-8]".prop_map(RootMoves::One)]
}

fn square() -> impl Strategy<Value = Square> {
    (0..64_u32).prop_map(Square::new)
}

fn result() -> impl Strategy<Value = GameResult> {
    prop_oneof![
        Just(GameResult::Known(KnownOutcome::Decisive { winner: Color::White })),
        Just(GameResult::Known(KnownOutcome::Decisive { winner: Color::Black })),
        Just(GameResult::Known(KnownOutcome::Draw)),
        Just(GameResult::Unknown),
    ]
}

fn simple() -> impl Strategy<Value = Command> {
    use Command as C;
    proptest::sample::select(vec![
        C::Xboard,
        C::New,
        C::Force,
        C::Go,
        C::PlayOther,
        C::Draw,
        C::Decline,
        C::Edit,
        C::White,
        C::Black,
        C::Quit,
        C::Pause,
        C::Resume,
        C::MoveNow,
        C::Undo,
        C::Remove,
        C::Analyze,
        C::Exit,
        C::Status,
        C::Hint,
        C::Random,
        C::Ponder(false),
        C::Ponder(true),
        C::Post(true),
        C::Post(false),
        C::Book,
        C::Computer,
        C::Partner(None),
    ])
}

fn place() -> impl Strategy<Value = Place> {
    let roles =
        proptest::sample::select(vec![Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen]);
    let colors = proptest::sample::select(Color::ALL.to_vec());
    prop_oneof![
        square().prop_map(Place::Square),
        (roles, colors).prop_map(|(role, color)| Place::Hand(role.of(color))),
    ]
}

fn command() -> impl Strategy<Value = Command> {
    use Command as C;
    let texts = prop_oneof![
        text().prop_map(C::Accepted),
        text().prop_map(C::Rejected),
        word().prop_map(C::Variant),
        word().prop_map(C::UserMove),
        "[a-h][1-8][a-h][1-8][qrbn]?".prop_map(C::BareMove),
        text().prop_map(C::SetBoard),
        (result(), proptest::option::of(text())).prop_map(|(result, comment)| C::Result { result, comment }),
        (word(), text()).prop_map(|(flavor, path)| C::EgtPath { flavor, path }),
        (word(), proptest::option::of(text())).prop_map(|(name, value)| C::Option { name, value }),
        text().prop_map(C::Name),
        word().prop_map(C::Ics),
        text().prop_map(|name| C::Partner(Some(name))),
        text().prop_map(C::PartnerTell),
    ];
    let numbers = prop_oneof![
        any::<u32>().prop_map(C::Protover),
        any::<i64>().prop_map(C::Ping),
        any::<u64>().prop_map(C::Memory),
        any::<u64>().prop_map(C::Cores),
        (any::<u32>(), duration(), duration()).prop_map(|(moves, base, increment)| C::Level {
            moves,
            base,
            increment
        }),
        (session(), session()).prop_map(|(first, later)| C::Sessions { first, later }),
        duration().prop_map(C::TimePerMove),
        any::<u32>().prop_map(C::Depth),
        any::<u64>().prop_map(C::NodeRate),
        any::<i64>().prop_map(|centiseconds| C::Time { centiseconds }),
        any::<i64>().prop_map(|centiseconds| C::OpponentTime { centiseconds }),
        any::<(i64, i64)>().prop_map(|(own, opponent)| C::Rating { own, opponent }),
        any::<(i32, Option<u32>)>().prop_map(|(centipawns, depth)| C::SetScore { centipawns, depth }),
    ];
    let board = prop_oneof![
        root_moves().prop_map(C::Exclude),
        root_moves().prop_map(C::Include),
        ("[PNBRQ]{0,5}", "[PNBRQ]{0,5}", proptest::option::of("[WB][PNBRQ]"))
            .prop_map(|(white, black, gained)| C::Holding { white, black, gained }),
        place().prop_map(C::Lift),
        place().prop_map(C::Put),
        square().prop_map(C::Hover),
    ];
    prop_oneof![simple(), texts, numbers, board]
}

fn edit_line() -> impl Strategy<Value = EditLine> {
    let role = proptest::sample::select(Role::ALL.to_vec());
    prop_oneof![
        Just(EditLine::Clear),
        Just(EditLine::ToggleColor),
        Just(EditLine::End),
        square().prop_map(EditLine::Remove),
        (role, square()).prop_map(|(role, at)| EditLine::Place(role, at)),
    ]
}

proptest! {
    #[test]
    fn parse_after_display_is_identity(command in command(), edit in edit_line()) {
        prop_assert_eq!(parse(&command.to_string()), Ok(command));
        prop_assert_eq!(edit.to_string().parse(), Ok(edit));
    }

    #[test]
    fn answers_are_known_by_the_tag_of_the_question(tag in word(), other in word(), text in text()) {
        for text in [text, String::new()] {
            let answer = Command::Answer { tag: tag.clone(), text };
            prop_assert_eq!(Command::answer(&answer.to_string(), &tag), Some(answer.clone()));
            prop_assert_eq!(Command::answer(&answer.to_string(), &other).is_some(), tag == other);
        }
    }

    #[test]
    fn display_after_parse_is_read_the_same(line in "\\PC{0,60}|[a-z]{2,9} [0-9:.]{0,6} ?[0-9:.]{0,6} ?[0-9.]{0,6}") {
        if let Ok(command) = parse(&line) {
            prop_assert_eq!(parse(&command.to_string()), Ok(command));
        }
        let _ = line.parse::<EditLine>();
    }
}
