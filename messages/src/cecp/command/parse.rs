//! Lines become commands.

use std::str::FromStr;

use shakmaty::Square;

use super::{Command, CommandError, RootMoves, TimeSession};
use crate::cecp::notation::{self, first_word, is_move_shaped};

/// Commands that can't do without a parameter.
const NEEDS_PARAMETER: [&str; 30] = [
    "protover", "accepted", "rejected", "variant", "usermove", "setboard", "setpos", "result", "ping",
    "exclude", "include", "memory", "cores", "egtpath", "option", "level", "st", "sd", "nps", "time", "otim",
    "name", "rating", "ics", "setscore", "ptell", "holding", "lift", "put", "hover",
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

impl Command {
    /// Reads a line as the answer to the question with this tag, if it is that.
    pub fn answer(line: &str, tag: &str) -> Option<Command> {
        let (word, text) = first_word(line);
        (word == tag).then(|| Command::Answer { tag: tag.to_owned(), text: text.to_owned() })
    }
}

fn not_a_command(word: &str) -> CommandError {
    if NEEDS_PARAMETER.contains(&word) { CommandError::MissingParameter } else { CommandError::Unknown }
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
        ("decline", _) => C::Decline,
        ("edit", _) => C::Edit,
        ("setboard" | "setpos", [_, ..]) => C::SetBoard(text.to_owned()),
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
        ("level", [moves, base, rest @ ..]) if is_two_sessions(moves, rest) => {
            parse_sessions([(moves, base), (rest[0], rest[1])])
        }
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
        ("holding", [white, black, gained @ ..]) => parse_holding(white, black, gained.first().copied()),
        ("lift", [at, ..]) => at.parse().map(C::Lift),
        ("put", [at, ..]) => at.parse().map(C::Put),
        ("hover", [at, ..]) => square(at).map(C::Hover),
        _ => return None,
    })
}

fn number<N: FromStr>(text: &str) -> Result<N, CommandError> {
    text.parse().map_err(|_| CommandError::BadNumber)
}

pub(super) fn square(text: &str) -> Result<Square, CommandError> {
    text.parse().map_err(|_| CommandError::BadSquare)
}

fn parse_holding(white: &str, black: &str, gained: Option<&str>) -> Result<Command, CommandError> {
    let hand = |text: &str| {
        let men = text.strip_prefix('[')?.strip_suffix(']')?;
        men.bytes().all(|man| man.is_ascii_alphabetic()).then(|| men.to_owned())
    };
    let is_gain = |text: &&str| matches!(text.as_bytes(), [b'W' | b'B', man] if man.is_ascii_alphabetic());
    Ok(Command::Holding {
        white: hand(white).ok_or(CommandError::BadHolding)?,
        black: hand(black).ok_or(CommandError::BadHolding)?,
        gained: gained.filter(is_gain).map(str::to_owned),
    })
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

/// Whether what follows the first session is another one, and not the increment and something that nobody knows yet.
fn is_two_sessions(moves: &str, rest: &[&str]) -> bool {
    let is_number = |text: &str| text.parse::<u32>().is_ok();
    let [later_moves, later_time] = rest else { return false };
    is_number(moves)
        && moves.parse() != Ok(0)
        && is_number(later_moves)
        && notation::base_time(later_time).is_some_and(|time| !time.is_zero())
}

fn parse_sessions(sessions: [(&str, &str); 2]) -> Result<Command, CommandError> {
    let [first, later] = sessions.map(|(moves, time)| {
        let time = notation::base_time(time).ok_or(CommandError::BadTime)?;
        Ok(TimeSession { moves: number(moves)?, time })
    });
    Ok(Command::Sessions { first: first?, later: later? })
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
