//! What a GUI says to an engine.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use shakmaty::{Role, Square};
use thiserror::Error;

use super::notation::{self, BaseTime, GameResult, Seconds, first_word, is_move_shaped};

/// A command from a GUI to an engine: one line of the specification's command table.
///
/// Texts are single lines without blanks at their ends; words are not empty and contain no blanks. Moves are texts,
/// for what they mean depends on the position and the variant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Speak this protocol.
    Xboard,
    /// The version of the GUI's protocol; asks for the engine's features.
    Protover(u32),
    /// The GUI will honour this feature.
    Accepted(String),
    /// The GUI does not know this feature; for an option, its whole text follows.
    Rejected(String),

    /// A new game of orthodox chess.
    New,
    /// Play this variant; directly after `new`.
    Variant(String),
    /// Play neither side.
    Force,
    /// Play the side on move.
    Go,
    /// Play the side not on move.
    PlayOther,
    /// A move with the word `usermove` before it.
    UserMove(String),
    /// A move standing alone.
    BareMove(String),
    /// The opponent offers a draw.
    Draw,
    /// Lines of [`EditLine`] follow.
    Edit,
    /// Sets up a position, in FEN.
    SetBoard(String),
    /// White is on move, the engine plays Black.
    White,
    /// Black is on move, the engine plays White.
    Black,
    /// The game is over.
    Result {
        /// How it ended.
        result: GameResult,
        /// Why.
        comment: Option<String>,
    },

    /// End the program.
    Quit,
    /// Stand still.
    Pause,
    /// Go on after a pause.
    Resume,
    /// Answer with the same number once all before it is done.
    Ping(i64),
    /// `?`: end thinking and move.
    MoveNow,

    /// Take back a half-move.
    Undo,
    /// Take back two half-moves.
    Remove,
    /// Search without moving.
    Analyze,
    /// Leave the analysis.
    Exit,
    /// `.`: tell how far the analysis is.
    Status,
    /// Do not search these root moves.
    Exclude(RootMoves),
    /// Search these root moves again.
    Include(RootMoves),
    /// Name a good move.
    Hint,

    /// Toggles randomness.
    Random,
    /// The ceiling of the memory used, in MiB.
    Memory(u64),
    /// The most threads to search with.
    Cores(u64),
    /// Where endgame tables are.
    EgtPath {
        /// Their kind: syzygy, nalimov, ...
        flavor: String,
        /// Their folder.
        path: String,
    },
    /// Don't think on the opponent's time.
    Easy,
    /// Think on the opponent's time.
    Hard,
    /// Show thinking output.
    Post,
    /// Show no thinking output.
    NoPost,
    /// Sets an option of the engine, or presses it if it is a button.
    Option {
        /// Its name; may contain blanks, but no `=`.
        name: String,
        /// Its value.
        value: Option<String>,
    },

    /// A time control.
    Level {
        /// Moves in a session; 0 if the time is for the whole game.
        moves: u32,
        /// Time for a session.
        base: Duration,
        /// Added after each move.
        increment: Duration,
    },
    /// A fixed time for each move.
    TimePerMove(Duration),
    /// The depth that is never exceeded, in plies.
    Depth(u32),
    /// Nodes that count as a second; 0 for processor time.
    NodeRate(u64),
    /// The clock of the engine, in centiseconds.
    Time {
        /// Time left; may be negative.
        centiseconds: i64,
    },
    /// The clock of the opponent, in centiseconds.
    OpponentTime {
        /// Time left; may be negative.
        centiseconds: i64,
    },

    /// Show the moves in the opening book.
    Book,
    /// The opponent's name.
    Name(String),
    /// The ratings of the players; 0 if unknown.
    Rating {
        /// The engine's.
        own: i64,
        /// The opponent's.
        opponent: i64,
    },
    /// The host of the chess server; `-` for a local game.
    Ics(String),
    /// The opponent is a program.
    Computer,
    /// What the position is worth for the side to move.
    SetScore {
        /// The score.
        centipawns: i32,
        /// The depth that it stands for, in plies.
        depth: Option<u32>,
    },

    /// The Bughouse partner, or that there is none.
    Partner(Option<String>),
    /// A message from the Bughouse partner.
    PartnerTell(String),
    /// Pieces in hand.
    Holding {
        /// White's, without the brackets.
        white: String,
        /// Black's, without the brackets.
        black: String,
        /// Colour and piece that were just acquired, as `BQ`.
        gained: Option<String>,
    },
    /// The user has grabbed the piece there.
    Lift(Square),
    /// The user has dropped the piece there.
    Put(Square),
    /// The user points there.
    Hover(Square),
}

/// Root moves that are excluded or included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RootMoves {
    /// `all`
    All,
    /// One move.
    One(String),
}

/// Why a line is no command. What is displayed goes into the parentheses of `Error (...): LINE`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum CommandError {
    /// The first word is not known.
    #[error("unknown command")]
    Unknown,
    /// The command is known, but ends too early.
    #[error("missing parameter")]
    MissingParameter,
    /// A number was expected, or one in another range.
    #[error("bad number")]
    BadNumber,
    /// A time was expected.
    #[error("bad time")]
    BadTime,
    /// A result was expected.
    #[error("bad result")]
    BadResult,
    /// A square was expected.
    #[error("bad square")]
    BadSquare,
}

/// Commands that can't do without a parameter.
const NEEDS_PARAMETER: [&str; 27] = [
    "protover", "accepted", "rejected", "variant", "usermove", "setboard", "result", "ping", "exclude",
    "include", "memory", "cores", "egtpath", "option", "level", "st", "sd", "nps", "time", "otim", "name",
    "rating", "ics", "setscore", "ptell", "holding", "lift",
];

impl FromStr for Command {
    type Err = CommandError;

    fn from_str(line: &str) -> Result<Command, CommandError> {
        let (word, text) = first_word(line);
        let parameters: Vec<&str> = text.split_whitespace().collect();
        parse_game(word, text, &parameters)
            .or_else(|| parse_control(word, text, &parameters))
            .or_else(|| parse_clock(word, &parameters))
            .or_else(|| parse_frill(word, text, &parameters))
            .unwrap_or_else(|| Err(not_a_command(word)))
    }
}

fn not_a_command(word: &str) -> CommandError {
    if NEEDS_PARAMETER.contains(&word) || ["put", "hover"].contains(&word) {
        CommandError::MissingParameter
    } else {
        CommandError::Unknown
    }
}

/// A part of the command table: `None` for a line that isn't in it. Parameters too many are not looked at.
type Parsed = Option<Result<Command, CommandError>>;

/// Handshake and game.
fn parse_game(word: &str, text: &str, parameters: &[&str]) -> Parsed {
    use Command as C;
    Some(Ok(match (word, parameters) {
        ("xboard", _) => C::Xboard,
        ("protover", [version, ..]) => return Some(number(version).map(C::Protover)),
        ("accepted", [_, ..]) => C::Accepted(text.to_owned()),
        ("rejected", [_, ..]) => C::Rejected(text.to_owned()),
        ("new", _) => C::New,
        ("variant", [name, ..]) => C::Variant((*name).to_owned()),
        ("force", _) => C::Force,
        ("go", _) => C::Go,
        ("playother", _) => C::PlayOther,
        ("usermove", [mv, ..]) => C::UserMove((*mv).to_owned()),
        (mv, []) if is_move_shaped(mv) => C::BareMove(mv.to_owned()),
        ("draw", _) => C::Draw,
        ("edit", _) => C::Edit,
        ("setboard", [_, ..]) => C::SetBoard(text.to_owned()),
        ("white", _) => C::White,
        ("black", _) => C::Black,
        ("result", [result, ..]) => return Some(parse_result(result, text)),
        _ => return None,
    }))
}

/// General control, analysis and settings.
fn parse_control(word: &str, text: &str, parameters: &[&str]) -> Parsed {
    use Command as C;
    Some(Ok(match (word, parameters) {
        ("quit", _) => C::Quit,
        ("pause", _) => C::Pause,
        ("resume", _) => C::Resume,
        ("ping", [n, ..]) => return Some(number(n).map(C::Ping)),
        ("?", _) => C::MoveNow,
        ("undo", _) => C::Undo,
        ("remove", _) => C::Remove,
        ("analyze", _) => C::Analyze,
        ("exit", _) => C::Exit,
        (".", _) => C::Status,
        ("exclude", [mv, ..]) => C::Exclude(RootMoves::parse(mv)),
        ("include", [mv, ..]) => C::Include(RootMoves::parse(mv)),
        ("hint", _) => C::Hint,
        ("random", _) => C::Random,
        ("memory", [mebibytes, ..]) => return Some(number(mebibytes).map(C::Memory)),
        ("cores", [cores, ..]) => return Some(number(cores).map(C::Cores)),
        ("egtpath", [flavor, _, ..]) => {
            C::EgtPath { flavor: (*flavor).to_owned(), path: first_word(text).1.to_owned() }
        }
        ("easy", _) => C::Easy,
        ("hard", _) => C::Hard,
        ("post", _) => C::Post,
        ("nopost", _) => C::NoPost,
        ("option", [_, ..]) => parse_option(text),
        _ => return None,
    }))
}

/// Clocks and limits.
fn parse_clock(word: &str, parameters: &[&str]) -> Parsed {
    use Command as C;
    Some(match (word, parameters) {
        ("level", [moves, base, increment, ..]) => parse_level(moves, base, increment),
        ("st", [time, ..]) => notation::seconds(time).map(C::TimePerMove).ok_or(CommandError::BadTime),
        ("sd", [depth, ..]) => number(depth).map(C::Depth),
        ("nps", [rate, ..]) => number(rate).map(C::NodeRate),
        ("time", [time, ..]) => number(time).map(|centiseconds| C::Time { centiseconds }),
        ("otim", [time, ..]) => number(time).map(|centiseconds| C::OpponentTime { centiseconds }),
        _ => return None,
    })
}

/// Frills, Bughouse and mouse.
fn parse_frill(word: &str, text: &str, parameters: &[&str]) -> Parsed {
    use Command as C;
    let text = || text.to_owned();
    Some(match (word, parameters) {
        ("bk", _) => Ok(C::Book),
        ("name", [_, ..]) => Ok(C::Name(text())),
        ("rating", [own, opponent, ..]) => {
            number(own).and_then(|own| Ok(C::Rating { own, opponent: number(opponent)? }))
        }
        ("ics", [host, ..]) => Ok(C::Ics((*host).to_owned())),
        ("computer", _) => Ok(C::Computer),
        ("setscore", [score, depth @ ..]) => parse_set_score(score, depth.first().copied()),
        ("partner", []) => Ok(C::Partner(None)),
        ("partner", _) => Ok(C::Partner(Some(text()))),
        ("ptell", [_, ..]) => Ok(C::PartnerTell(text())),
        ("holding", [white, black, gained @ ..]) => Ok(C::Holding {
            white: without_brackets(white),
            black: without_brackets(black),
            gained: gained.first().map(|&gained| gained.to_owned()),
        }),
        ("lift", [at, ..]) => square(at).map(C::Lift),
        ("put", [at, ..]) => square(at).map(C::Put),
        ("hover", [at, ..]) => square(at).map(C::Hover),
        _ => return None,
    })
}

fn number<N: FromStr>(text: &str) -> Result<N, CommandError> {
    text.parse().map_err(|_| CommandError::BadNumber)
}

fn square(text: &str) -> Result<Square, CommandError> {
    text.parse().map_err(|_| CommandError::BadSquare)
}

fn without_brackets(text: &str) -> String {
    text.trim_start_matches('[').trim_end_matches(']').to_owned()
}

fn parse_result(result: &str, text: &str) -> Result<Command, CommandError> {
    let result = result.parse().map_err(|()| CommandError::BadResult)?;
    Ok(Command::Result { result, comment: notation::comment(first_word(text).1) })
}

fn parse_level(moves: &str, base: &str, increment: &str) -> Result<Command, CommandError> {
    Ok(Command::Level {
        moves: number(moves)?,
        base: notation::base_time(base).ok_or(CommandError::BadTime)?,
        increment: notation::seconds(increment).ok_or(CommandError::BadTime)?,
    })
}

fn parse_set_score(score: &str, depth: Option<&str>) -> Result<Command, CommandError> {
    Ok(Command::SetScore { centipawns: number(score)?, depth: depth.map(number).transpose()? })
}

fn parse_option(text: &str) -> Command {
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name, Some(value.trim().to_owned())),
        None => (text, None),
    };
    Command::Option { name: name.trim().to_owned(), value }
}

impl RootMoves {
    fn parse(text: &str) -> RootMoves {
        match text {
            "all" => RootMoves::All,
            mv => RootMoves::One(mv.to_owned()),
        }
    }
}

impl fmt::Display for RootMoves {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RootMoves::All => "all",
            RootMoves::One(mv) => mv,
        })
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use Command as C;
        match self {
            C::Protover(version) => write!(f, "protover {version}"),
            C::Accepted(feature) => write!(f, "accepted {feature}"),
            C::Rejected(feature) => write!(f, "rejected {feature}"),
            C::Variant(name) => write!(f, "variant {name}"),
            C::UserMove(mv) => write!(f, "usermove {mv}"),
            C::BareMove(mv) => f.write_str(mv),
            C::SetBoard(fen) => write!(f, "setboard {fen}"),
            C::Result { result, comment } => {
                f.write_str("result ")?;
                notation::write_result(f, *result, comment.as_deref())
            }
            C::Ping(n) => write!(f, "ping {n}"),
            C::Exclude(moves) => write!(f, "exclude {moves}"),
            C::Include(moves) => write!(f, "include {moves}"),
            C::Memory(mebibytes) => write!(f, "memory {mebibytes}"),
            C::Cores(cores) => write!(f, "cores {cores}"),
            C::EgtPath { flavor, path } => write!(f, "egtpath {flavor} {path}"),
            C::Option { name, value: None } => write!(f, "option {name}"),
            C::Option { name, value: Some(value) } => write!(f, "option {name}={value}"),
            C::Level { moves, base, increment } => {
                write!(f, "level {moves} {} {}", BaseTime(*base), Seconds(*increment))
            }
            C::TimePerMove(time) => write!(f, "st {}", Seconds(*time)),
            C::Depth(depth) => write!(f, "sd {depth}"),
            C::NodeRate(rate) => write!(f, "nps {rate}"),
            C::Time { centiseconds } => write!(f, "time {centiseconds}"),
            C::OpponentTime { centiseconds } => write!(f, "otim {centiseconds}"),
            C::Name(name) => write!(f, "name {name}"),
            C::Rating { own, opponent } => write!(f, "rating {own} {opponent}"),
            C::Ics(host) => write!(f, "ics {host}"),
            C::SetScore { centipawns, depth: None } => write!(f, "setscore {centipawns}"),
            C::SetScore { centipawns, depth: Some(depth) } => write!(f, "setscore {centipawns} {depth}"),
            C::Partner(Some(name)) => write!(f, "partner {name}"),
            C::PartnerTell(text) => write!(f, "ptell {text}"),
            C::Holding { white, black, gained } => {
                write!(f, "holding [{white}] [{black}]")?;
                gained.iter().try_for_each(|gained| write!(f, " {gained}"))
            }
            C::Lift(at) => write!(f, "lift {at}"),
            C::Put(at) => write!(f, "put {at}"),
            C::Hover(at) => write!(f, "hover {at}"),
            simple => f.write_str(simple.word()),
        }
    }
}

impl Command {
    /// The word that is the whole command; empty for commands with parameters.
    const fn word(&self) -> &'static str {
        match self {
            Command::Xboard => "xboard",
            Command::New => "new",
            Command::Force => "force",
            Command::Go => "go",
            Command::PlayOther => "playother",
            Command::Draw => "draw",
            Command::Edit => "edit",
            Command::White => "white",
            Command::Black => "black",
            Command::Quit => "quit",
            Command::Pause => "pause",
            Command::Resume => "resume",
            Command::MoveNow => "?",
            Command::Undo => "undo",
            Command::Remove => "remove",
            Command::Analyze => "analyze",
            Command::Exit => "exit",
            Command::Status => ".",
            Command::Hint => "hint",
            Command::Random => "random",
            Command::Easy => "easy",
            Command::Hard => "hard",
            Command::Post => "post",
            Command::NoPost => "nopost",
            Command::Book => "bk",
            Command::Computer => "computer",
            Command::Partner(None) => "partner",
            _ => "",
        }
    }
}

/// A line of edit mode, where other lines than usual are understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditLine {
    /// `#`: no men on the board.
    Clear,
    /// `c`: what follows is of the other colour.
    ToggleColor,
    /// `Ke1`: a man of the current colour.
    Place(Role, Square),
    /// `xe1`: nothing.
    Remove(Square),
    /// `.`: the end.
    End,
}

impl FromStr for EditLine {
    type Err = CommandError;

    fn from_str(line: &str) -> Result<EditLine, CommandError> {
        match line.trim() {
            "#" => Ok(EditLine::Clear),
            "c" => Ok(EditLine::ToggleColor),
            "." => Ok(EditLine::End),
            man => {
                let mut letters = man.chars();
                let letter = letters.next().ok_or(CommandError::MissingParameter)?;
                let at = || square(letters.as_str());
                match (letter, Role::from_char(letter)) {
                    ('x', _) => Ok(EditLine::Remove(at()?)),
                    (_, Some(role)) => Ok(EditLine::Place(role, at()?)),
                    (_, None) => Err(CommandError::Unknown),
                }
            }
        }
    }
}

impl fmt::Display for EditLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EditLine::Clear => f.write_str("#"),
            EditLine::ToggleColor => f.write_str("c"),
            EditLine::Place(role, at) => write!(f, "{}{at}", role.upper_char()),
            EditLine::Remove(at) => write!(f, "x{at}"),
            EditLine::End => f.write_str("."),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

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
            ("result 1-0", C::Result { result: GameResult::WhiteWins, comment: None }),
            (
                "result * {xboard exit}",
                C::Result { result: GameResult::Unfinished, comment: Some("xboard exit".into()) },
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
            ("lift e2", C::Lift(Square::E2)),
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
            ("ping x", CommandError::BadNumber),
            ("sd -1", CommandError::BadNumber),
            ("memory 99999999999999999999999", CommandError::BadNumber),
            ("st fast", CommandError::BadTime),
            ("level 0 x 0", CommandError::BadTime),
            ("result 2-0", CommandError::BadResult),
            ("put i9", CommandError::BadSquare),
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

    fn root_moves() -> impl Strategy<Value = RootMoves> {
        prop_oneof![Just(RootMoves::All), "[a-h][1-8][a-h][1-8]".prop_map(RootMoves::One)]
    }

    fn square() -> impl Strategy<Value = Square> {
        (0..64_u32).prop_map(Square::new)
    }

    fn result() -> impl Strategy<Value = GameResult> {
        prop_oneof![
            Just(GameResult::WhiteWins),
            Just(GameResult::BlackWins),
            Just(GameResult::Draw),
            Just(GameResult::Unfinished),
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
            C::Easy,
            C::Hard,
            C::Post,
            C::NoPost,
            C::Book,
            C::Computer,
            C::Partner(None),
        ])
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
            (result(), proptest::option::of(text()))
                .prop_map(|(result, comment)| C::Result { result, comment }),
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
            square().prop_map(C::Lift),
            square().prop_map(C::Put),
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
        fn display_after_parse_is_read_the_same(line in "\\PC{0,60}|[a-z]{2,9} [0-9:.]{0,6} ?[0-9:.]{0,6} ?[0-9.]{0,6}") {
            if let Ok(command) = parse(&line) {
                prop_assert_eq!(parse(&command.to_string()), Ok(command));
            }
            let _ = line.parse::<EditLine>();
        }
    }
}
