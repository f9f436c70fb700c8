//! Records from the referee to a client.

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;
use std::time::Duration;

use game::Game;
use shakmaty::{ByColor, Position as _};

use super::reading::{MessageError, ParsedRecord, epoch, private, reason, text};
use crate::epd::{AnyOperand, ClockTime, EpdMove, Operation, Position, Record, RefereeCommand};

/// A record from the referee: a command, a position and information about the game (section 8.1). Most operations may
/// appear in any record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directive {
    /// Command to the client.
    pub command: RefereeCommand,
    /// Position before the moves are played.
    pub position: Position,
    /// Counters of the position, if present.
    pub counters: Counters,
    /// Moves to play from the position.
    pub moves: Moves,
    /// The opponent's last move came with a draw offer (`draw_offer`).
    pub offers_draw: bool,
    /// The opponent rejected the client's draw offer explicitly (`draw_reject`).
    pub rejects_draw: bool,
    /// Time used by both sides, in whole seconds (`cc`).
    pub used: Option<ByColor<ClockTime>>,
    /// Exact clocks of both sides (`Clock`), only for clients that asked for them.
    pub clocks: Option<ByColor<ExactClock>>,
    /// Tags of the game (`ptp`), for instance `White` or `TimeControl`.
    pub tags: Vec<(String, String)>,
    /// Number of the game among those of the referee (`tcgs`).
    pub game: Option<NonZeroU32>,
    /// Number of times that another referee took over the event (`Epoch`), only for clients that asked for it.
    pub epoch: Option<u64>,
    /// Seconds after which the client may sign on again (`Retry`), only in a fault that time mends.
    pub retry: Option<u32>,
    /// Reason of a fault; otherwise a remark (`c0`).
    pub reason: Option<String>,
}

/// The counters of a position. If they differ from those of the client's game, its history is discarded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Plies since the last capture or pawn move (`hmvc`).
    pub halfmoves: Option<u32>,
    /// Full move number (`fmvn`).
    pub fullmoves: Option<NonZeroU32>,
}

/// Moves to play from the position of a record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Moves {
    /// None.
    #[default]
    None,
    /// One move (`sm`): the opponent's last move, or the next move of a game that is replayed.
    Supplied(EpdMove<'static>),
    /// All moves since the start of the game (`sv`), or the next moves of a game that is replayed.
    History(Vec<EpdMove<'static>>),
}

/// State of a clock in milliseconds, which `cc` cannot express.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExactClock {
    /// Time left; `None` without a clock.
    pub remaining: Option<Duration>,
    /// Increment of the next move.
    pub increment: Duration,
    /// Moves to the next time control; `None` if the time is for the rest of the game.
    pub moves_to_go: Option<u32>,
}

impl Directive {
    /// Creates a directive with a command and a position only.
    pub fn new(command: RefereeCommand, position: Position) -> Directive {
        Directive {
            command,
            position,
            counters: Counters::default(),
            moves: Moves::None,
            offers_draw: false,
            rejects_draw: false,
            used: None,
            clocks: None,
            tags: Vec::new(),
            game: None,
            epoch: None,
            retry: None,
            reason: None,
        }
    }

    /// Creates a fault with its reason.
    pub fn fault(reason: &str) -> Directive {
        let start = Position::of(&Game::default());
        Directive { reason: Some(reason.to_owned()), ..Directive::new(RefereeCommand::Fault, start) }
    }

    /// Creates a directive about the current position of a game, with its counters.
    pub fn about(command: RefereeCommand, game: &Game) -> Directive {
        Directive { counters: Counters::of(game), ..Directive::new(command, Position::of(game)) }
    }
}

impl Counters {
    /// Returns the counters of the current position.
    pub fn of(game: &Game) -> Counters {
        Counters { halfmoves: Some(game.halfmoves()), fullmoves: Some(game.position().fullmoves()) }
    }
}

impl ExactClock {
    /// Operands in milliseconds, rounded down: a clock never shows more than is left.
    fn operands(self) -> [AnyOperand<'static>; 3] {
        let millis = |time: Duration| time.as_millis().to_string();
        let words = [
            self.remaining.map(millis),
            Some(millis(self.increment)),
            self.moves_to_go.map(|moves| moves.to_string()),
        ];
        words.map(|word| AnyOperand::Word(word.unwrap_or_else(|| "-".to_owned()).into()))
    }

    fn read(operands: &[AnyOperand<'_>]) -> Option<ExactClock> {
        let [AnyOperand::Word(remaining), AnyOperand::Word(increment), AnyOperand::Word(moves_to_go)] =
            operands
        else {
            return None;
        };
        let number = |word: &str| if word == "-" { Some(None) } else { word.parse::<u64>().ok().map(Some) };
        Some(ExactClock {
            remaining: number(remaining)?.map(Duration::from_millis),
            increment: Duration::from_millis(increment.parse().ok()?),
            moves_to_go: number(moves_to_go)?.map(|moves| u32::try_from(moves).unwrap_or(u32::MAX)),
        })
    }
}

impl FromStr for Directive {
    type Err = MessageError;

    /// Reads a line without its end. Moves and positions may be illegal; the receiver checks them.
    fn from_str(line: &str) -> Result<Directive, MessageError> {
        let reading = ParsedRecord::new(line)?;
        if reading.has("refreq") {
            return Err(MessageError("`refreq` must not be sent by this side".to_owned()));
        }
        let moves = match (reading.find("sv", Record::sv)?, reading.find("sm", Record::sm)?) {
            (Some(moves), _) => Moves::History(moves.iter().map(EpdMove::to_owned_move).collect()),
            (None, Some(mv)) => Moves::Supplied(mv.to_owned_move()),
            (None, None) => Moves::None,
        };
        let tags = reading.find("ptp", Record::ptp)?.into_iter().flatten();
        let clocks =
            reading.private("Clock", "for each side milliseconds, milliseconds and moves", |operands| {
                let (white, black) = operands.split_at_checked(3)?;
                Some(ByColor { white: ExactClock::read(white)?, black: ExactClock::read(black)? })
            })?;
        let command = reading.find("refcom", Record::refcom)?;
        Ok(Directive {
            command: *command.ok_or_else(|| MessageError("missing `refcom`".to_owned()))?,
            counters: Counters {
                halfmoves: reading.find("hmvc", Record::hmvc)?.copied(),
                fullmoves: reading.find("fmvn", Record::fmvn)?.copied(),
            },
            moves,
            offers_draw: reading.has("draw_offer"),
            rejects_draw: reading.has("draw_reject"),
            used: reading.find("cc", Record::cc)?.copied(),
            clocks,
            tags: tags.map(|(name, value)| (name.to_string(), value.to_string())).collect(),
            game: reading.find("tcgs", Record::tcgs)?.copied(),
            epoch: reading.epoch()?,
            retry: reading.private("Retry", "a number of seconds", |operands| match operands {
                [AnyOperand::Word(word)] => word.parse().ok(),
                _ => None,
            })?,
            reason: reading.reason()?,
            position: reading.record.position,
        })
    }
}

impl fmt::Display for Directive {
    /// The record in canonical form, without an end of line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut record = Record::new(self.position.clone());
        record.set(Operation::Refcom(self.command));
        record.extend(self.counters.halfmoves.map(Operation::Hmvc));
        record.extend(self.counters.fullmoves.map(Operation::Fmvn));
        match &self.moves {
            Moves::None => {}
            Moves::Supplied(mv) => record.set(Operation::Sm(mv.clone())),
            Moves::History(moves) => record.set(Operation::Sv(moves.clone())),
        }
        record.extend(self.offers_draw.then_some(Operation::DrawOffer));
        record.extend(self.rejects_draw.then_some(Operation::DrawReject));
        record.extend(self.used.map(Operation::Cc));
        let clocks = self.clocks.map(|clocks| [clocks.white, clocks.black]);
        record
            .extend(clocks.map(|clocks| private("Clock", clocks.into_iter().flat_map(ExactClock::operands))));
        if !self.tags.is_empty() {
            let tags = self.tags.iter().map(|(name, value)| (name.clone().into(), text(value)));
            record.set(Operation::Ptp(tags.collect()));
        }
        record.extend(self.game.map(Operation::Tcgs));
        record.extend(self.epoch.map(epoch));
        let retry = |seconds: u32| private("Retry", [AnyOperand::Word(seconds.to_string().into())]);
        record.extend(self.retry.map(retry));
        record.extend(self.reason.as_deref().and_then(reason));
        record.fmt(f)
    }
}
