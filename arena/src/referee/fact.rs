//! The facts of an event, as they are stored and sent to observers. The ordered list of facts is the event: a referee
//! that applies them reaches the state of the referee that wrote them.

use game::{Color, Outcome};
use serde::{Deserialize, Serialize};

use super::settings::SecretHash;
use crate::match_store::RecordedOutcome;
use crate::schedule::Fixture;

/// A state change of an event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "fact", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Fact {
    /// A referee began its term, at the start of the event or as the successor of another.
    Epoch {
        /// Number of the term, from 1.
        epoch: u64,
        /// The referee: a random number that its store keeps.
        #[serde(default)]
        by: u64,
    },
    /// A referee may take over from now on, or nobody may.
    Observer {
        /// The referee: a random number that its store keeps.
        by: Option<u64>,
    },
    /// The director gave an order. What follows from it are the next facts; this one alone changes nothing.
    Ordered {
        /// Who gave it: `console`, or `page` and the address.
        by: String,
        /// The order, with its reason and without secrets.
        order: String,
        /// The game that it is about, if it is about one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        game: Option<u64>,
        /// When, in milliseconds since 1970, UTC.
        at: u64,
    },
    /// A program entered after the beginning of the event. Its number is the next one.
    Entered {
        /// Name of the program.
        name: String,
        /// Hash of the secret that proves the name.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        secret: Option<SecretHash>,
        /// The latest round of which a game had begun.
        begun: u32,
    },
    /// A program plays no further games.
    Withdrawn {
        /// Number of the program.
        program: usize,
    },
    /// A withdrawn program plays again.
    Readmitted {
        /// Number of the program.
        program: usize,
    },
    /// The games from a round on have another time control.
    Control {
        /// The time control.
        control: String,
        /// Number of the round, from 1.
        round: u32,
    },
    /// A round was paired again before it began.
    PairedAgain {
        /// Number of the round, from 1.
        round: u32,
    },
    /// The director started a round, and with it all earlier rounds.
    Round {
        /// Number of the round, from 1.
        round: u32,
    },
    /// The director released a game to be played before its round.
    Released {
        /// Number of the game.
        game: u64,
    },
    /// A game began.
    Began {
        /// Number of the game in the schedule, from 0.
        game: u64,
        /// Number of the round, from 1.
        round: u32,
        /// Number of the program that plays White.
        white: usize,
        /// Number of the program that plays Black.
        black: usize,
        /// Number of the opening.
        opening: u64,
        /// FEN of the position before the first move.
        start: String,
        /// Moves of the opening, in coordinate notation.
        moves: Vec<String>,
        /// Start time, in milliseconds since 1970, UTC.
        at: u64,
    },
    /// A move was made.
    Moved {
        /// Number of the game.
        game: u64,
        /// The move in coordinate notation.
        mv: String,
        /// Time used for the move, in nanoseconds.
        used: u64,
        /// What the program sent with the move.
        #[serde(default, skip_serializing_if = "MoveWords::is_empty")]
        words: MoveWords,
    },
    /// The director changed a side's remaining time.
    TimeAdded {
        /// Number of the game.
        game: u64,
        /// The side whose time was changed.
        side: Side,
        /// Added time, in nanoseconds.
        nanos: u64,
    },
    /// The director took time from a side.
    TimeTaken {
        /// Number of the game.
        game: u64,
        /// The side whose time was changed.
        side: Side,
        /// Time taken, in nanoseconds.
        nanos: u64,
    },
    /// A game was held: no clock runs.
    Paused {
        /// Number of the game.
        game: u64,
    },
    /// A held game may go on.
    Resumed {
        /// Number of the game.
        game: u64,
    },
    /// A remark on a game, such as a false claim or a disconnection.
    Noted {
        /// Number of the game.
        game: u64,
        /// The side concerned; `None` for the referee.
        side: Option<Side>,
        /// Text of the remark.
        text: String,
    },
    /// A game was restarted from its first position.
    Restarted {
        /// Number of the game.
        game: u64,
    },
    /// A game ended.
    Ended {
        /// Number of the game.
        game: u64,
        /// Outcome of the game.
        #[serde(flatten)]
        outcome: RecordedOutcome,
        /// Details that the outcome does not contain; may be empty.
        detail: String,
        /// Duration of the game, in milliseconds.
        millis: u64,
    },
    /// A finished game has another result.
    Corrected {
        /// Number of the game.
        game: u64,
        /// The present outcome.
        #[serde(flatten)]
        outcome: RecordedOutcome,
        /// The outcome before, and the reason of the correction.
        detail: String,
    },
    /// A finished game is to be played on: its result counts no more. It begins again in the next facts.
    Reopened {
        /// Number of the game.
        game: u64,
    },
}

/// Information that a program sends with its move.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MoveWords {
    /// Whether the program offers a draw.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub offers_draw: bool,
    /// Whether the program explicitly rejects the opponent's draw offer.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rejects_draw: bool,
    /// Evaluation of the position before the move, in the units of `ce`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evaluation: Option<i16>,
    /// Search depth, in plies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Number of nodes searched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// Principal variation, in SAN.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub line: String,
}

impl MoveWords {
    fn is_empty(&self) -> bool {
        *self == MoveWords::default()
    }
}

/// A side, serialised as in EPD.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Side {
    /// White.
    #[serde(rename = "w")]
    White,
    /// Black.
    #[serde(rename = "b")]
    Black,
}

impl From<Color> for Side {
    fn from(color: Color) -> Side {
        color.fold_wb(Side::White, Side::Black)
    }
}

impl From<Side> for Color {
    fn from(side: Side) -> Color {
        Color::from_white(matches!(side, Side::White))
    }
}

impl Fact {
    /// Returns the number of the game that the fact concerns.
    pub fn game(&self) -> Option<u64> {
        match self {
            Fact::Epoch { .. }
            | Fact::Observer { .. }
            | Fact::Entered { .. }
            | Fact::Withdrawn { .. }
            | Fact::Readmitted { .. }
            | Fact::Control { .. }
            | Fact::PairedAgain { .. }
            | Fact::Round { .. } => None,
            Fact::Ordered { game, .. } => *game,
            Fact::Released { game }
            | Fact::Began { game, .. }
            | Fact::Moved { game, .. }
            | Fact::TimeAdded { game, .. }
            | Fact::TimeTaken { game, .. }
            | Fact::Paused { game }
            | Fact::Resumed { game }
            | Fact::Noted { game, .. }
            | Fact::Restarted { game }
            | Fact::Ended { game, .. }
            | Fact::Corrected { game, .. }
            | Fact::Reopened { game } => Some(*game),
        }
    }

    /// Makes the fact for the end of a game.
    pub(super) fn ended(game: u64, outcome: Outcome, detail: String, millis: u64) -> Fact {
        Fact::Ended { game, outcome: RecordedOutcome(outcome), detail, millis }
    }

    /// Returns the fixture of the game that begins.
    pub(super) fn fixture(&self) -> Option<Fixture> {
        match *self {
            Fact::Began { game, round, white, black, opening, .. } => {
                Some(Fixture { number: game, round, white, black, opening })
            }
            _ => None,
        }
    }
}
