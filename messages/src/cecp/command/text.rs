//! Parsing and writing of commands.

use std::fmt;
use std::str::FromStr;

use super::{Command, CommandError, RootMoves, TimeSession};
use crate::cecp::notation::{self, BaseTime, DecimalSeconds, first_word, is_move_shaped};

impl FromStr for Command {
    type Err = CommandError;

    /// Reads a line. What follows the last parameter is ignored.
    fn from_str(line: &str) -> Result<Command, CommandError> {
        use Command as C;
        let (word, text) = first_word(line);
        if let Some(command) = Command::of_word(word) {
            return Ok(command);
        }
        let mut parameters = text.split_whitespace();
        let mut next = || parameters.next().ok_or(CommandError::MissingParameter);
        Ok(match word {
            "protover" => C::Protover(number(next()?)?),
            "accepted" => C::Accepted(needed(text)?),
            "rejected" => C::Rejected(needed(text)?),
            "variant" => C::Variant(next()?.to_owned()),
            "usermove" => C::UserMove(next()?.to_owned()),
            "setboard" | "setpos" => C::SetBoard(needed(text)?),
            "result" => C::Result {
                result: next()?.parse().map_err(|_| CommandError::BadResult)?,
                comment: notation::comment(first_word(text).1),
            },
            "ping" => C::Ping(number(next()?)?),
            "exclude" => C::Exclude(RootMoves::parse(next()?)),
            "include" => C::Include(RootMoves::parse(next()?)),
            "memory" => C::Memory(number(next()?)?),
            "cores" => C::Cores(number(next()?)?),
            "egtpath" => C::EgtPath { flavor: next()?.to_owned(), path: needed(first_word(text).1)? },
            "easy" | "hard" => C::Ponder(word == "hard"),
            "post" | "nopost" => C::Post(word == "post"),
            "option" => option(&needed(text)?),
            "level" => level(&text.split_whitespace().collect::<Vec<_>>())?,
            "st" => C::TimePerMove(notation::seconds(next()?).ok_or(CommandError::BadTime)?),
            "sd" => C::Depth(number(next()?)?),
            "nps" => C::NodeRate(number(next()?)?),
            "time" => C::Time { centiseconds: number(next()?)? },
            "otim" => C::OpponentTime { centiseconds: number(next()?)? },
            "name" => C::Name(needed(text)?),
            "rating" => {
                let (own, opponent) = (next()?, next()?);
                C::Rating { own: number(own)?, opponent: number(opponent)? }
            }
            "ics" => C::Ics(next()?.to_owned()),
            "setscore" => {
                C::SetScore { centipawns: number(next()?)?, depth: next().ok().map(number).transpose()? }
            }
            "partner" => C::Partner(needed(text).ok()),
            "ptell" => C::PartnerTell(needed(text)?),
            "holding" => holding(next()?, next()?, next().ok())?,
            "lift" => C::Lift(next()?.parse()?),
            "put" => C::Put(next()?.parse()?),
            "hover" => C::Hover(next()?.parse().map_err(|_| CommandError::BadSquare)?),
            mv if text.is_empty() && is_move_shaped(mv) => C::BareMove(mv.to_owned()),
            _ => return Err(CommandError::Unknown),
        })
    }
}

impl Command {
    /// Whether it ends a pause: it begins or edits a game. Some GUIs drop their pause without `resume` when the user begins another
    /// game.
    pub fn ends_pause(&self) -> bool {
        use Command as C;
        matches!(
            self,
            C::New
                | C::Variant(_)
                | C::Force
                | C::Go
                | C::PlayOther
                | C::Edit
                | C::SetBoard(_)
                | C::White
                | C::Black
                | C::Result { .. }
                | C::Undo
                | C::Remove
                | C::Analyze
                | C::Exit
        )
    }

    /// Reads a line as the answer to the question with this tag; `None` if it has another first word.
    pub fn answer(line: &str, tag: &str) -> Option<Command> {
        let (word, text) = first_word(line);
        (word == tag).then(|| Command::Answer { tag: tag.to_owned(), text: text.to_owned() })
    }
}

fn needed(text: &str) -> Result<String, CommandError> {
    if text.is_empty() { Err(CommandError::MissingParameter) } else { Ok(text.to_owned()) }
}

fn number<N: FromStr>(text: &str) -> Result<N, CommandError> {
    text.parse().map_err(|_| CommandError::BadNumber)
}

/// Reads `level` in the form of the specification or of Hyatt, who has a second session in place of the increment.
/// Other text after an increment is ignored, because future versions may use it.
fn level(parameters: &[&str]) -> Result<Command, CommandError> {
    let [moves, base, increment, ..] = parameters else { return Err(CommandError::MissingParameter) };
    let moves = number(moves)?;
    let base = notation::base_time(base).ok_or(CommandError::BadTime)?;
    if let [_, _, later_moves, later_time] = parameters
        && moves > 0
        && let Ok(later_moves) = later_moves.parse()
        && let Some(later_time) = notation::base_time(later_time).filter(|time| !time.is_zero())
    {
        let first = TimeSession { moves, time: base };
        return Ok(Command::Sessions { first, later: TimeSession { moves: later_moves, time: later_time } });
    }
    let increment = notation::seconds(increment).ok_or(CommandError::BadTime)?;
    Ok(Command::Level { moves, base, increment })
}

fn option(text: &str) -> Command {
    let (name, value) = text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
    Command::Option { name: name.trim().to_owned(), value: value.map(|value| value.trim().to_owned()) }
}

fn holding(white: &str, black: &str, gained: Option<&str>) -> Result<Command, CommandError> {
    let hand = |text: &str| {
        let pieces = text.strip_prefix('[')?.strip_suffix(']')?;
        pieces.bytes().all(|piece| piece.is_ascii_alphabetic()).then(|| pieces.to_owned())
    };
    let is_gain = |text: &&str| matches!(text.as_bytes(), [b'W' | b'B', role] if role.is_ascii_alphabetic());
    Ok(Command::Holding {
        white: hand(white).ok_or(CommandError::BadHolding)?,
        black: hand(black).ok_or(CommandError::BadHolding)?,
        gained: gained.filter(is_gain).map(str::to_owned),
    })
}

impl RootMoves {
    fn parse(text: &str) -> RootMoves {
        if text == "all" { RootMoves::All } else { RootMoves::One(text.to_owned()) }
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
                write!(f, "level {moves} {} {}", BaseTime(*base), DecimalSeconds(*increment))
            }
            C::Sessions { first, later } => {
                let [first_time, later_time] = [first, later].map(|session| BaseTime(session.time));
                write!(f, "level {} {first_time} {} {later_time}", first.moves, later.moves)
            }
            C::TimePerMove(time) => write!(f, "st {}", DecimalSeconds(*time)),
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
            C::Partner(None) => f.write_str("partner"),
            C::PartnerTell(text) => write!(f, "ptell {text}"),
            C::Holding { white, black, gained } => {
                write!(f, "holding [{white}] [{black}]")?;
                gained.iter().try_for_each(|gained| write!(f, " {gained}"))
            }
            C::Lift(at) => write!(f, "lift {at}"),
            C::Put(at) => write!(f, "put {at}"),
            C::Hover(at) => write!(f, "hover {at}"),
            C::Answer { tag, text } if text.is_empty() => f.write_str(tag),
            C::Answer { tag, text } => write!(f, "{tag} {text}"),
            C::Ponder(on) => f.write_str(if *on { "hard" } else { "easy" }),
            C::Post(on) => f.write_str(if *on { "post" } else { "nopost" }),
            one_word => f.write_str(one_word.word()),
        }
    }
}
