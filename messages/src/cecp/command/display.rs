//! Commands become lines.

use std::fmt;

use super::{Command, RootMoves};
use crate::cecp::notation::{self, BaseTime, Seconds};

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
            C::Sessions { first, later } => {
                let [first_time, later_time] = [first, later].map(|session| BaseTime(session.time));
                write!(f, "level {} {first_time} {} {later_time}", first.moves, later.moves)
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
            C::Answer { tag, text } if text.is_empty() => f.write_str(tag),
            C::Answer { tag, text } => write!(f, "{tag} {text}"),
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
            Command::Decline => "decline",
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
