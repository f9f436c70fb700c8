//! What happened in an event, in words that a store keeps and another referee understands. The facts, in their order, are the
//! event: a referee that starts with them is where the one was that wrote them.

use game::{Color, Outcome};
use serde::{Deserialize, Serialize};

use crate::match_store::RecordedOutcome;
use crate::schedule::Fixture;

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "fact", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Fact {
    /// A referee took over, at the beginning or from one that is no more.
    Epoch {
        /// From 1, one more each time.
        epoch: u64,
    },
    /// The director let a round begin, and all before it.
    Round {
        /// From 1.
        round: u32,
    },
    /// The director let a game begin before its round.
    Released {
        /// The game.
        game: u64,
    },
    /// A game began.
    Began {
        /// Its number in the schedule, from 0.
        game: u64,
        /// The round, from 1.
        round: u32,
        /// The program that has White.
        white: usize,
        /// The program that has Black.
        black: usize,
        /// Which opening.
        opening: u64,
        /// The FEN of the position before the first move.
        start: String,
        /// The moves of the opening, in coordinates.
        moves: Vec<String>,
        /// When, in milliseconds since 1970, universal time.
        at: u64,
    },
    /// A move was made.
    Moved {
        /// The game.
        game: u64,
        /// The move in coordinates.
        mv: String,
        /// What the mover has used for it, in nanoseconds.
        used: u64,
        /// What goes with it.
        #[serde(default, skip_serializing_if = "MoveWords::is_empty")]
        words: MoveWords,
    },
    /// Somebody's time was changed.
    TimeAdded {
        /// The game.
        game: u64,
        /// Whose.
        side: Side,
        /// How much was added, in nanoseconds.
        nanos: u64,
    },
    /// Something else is to be known about a game: a false claim, a disconnection.
    Noted {
        /// The game.
        game: u64,
        /// Who; `None` for the referee.
        side: Option<Side>,
        /// What, in words.
        text: String,
    },
    /// A game is to be played again from its beginning.
    Restarted {
        /// The game.
        game: u64,
    },
    /// A game ended.
    Ended {
        /// The game.
        game: u64,
        /// How.
        #[serde(flatten)]
        outcome: RecordedOutcome,
        /// What the outcome does not say; may be empty.
        detail: String,
        /// How long it took, in milliseconds.
        millis: u64,
    },
}

/// What a program says with its move.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MoveWords {
    /// It offers a draw.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub offers_draw: bool,
    /// It rejects the opponent's offer by a word.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rejects_draw: bool,
    /// What it thinks of the position before the move, as `ce` has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evaluation: Option<i16>,
    /// In plies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Nodes searched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// What it expects, in SAN.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub line: String,
}

impl MoveWords {
    fn is_empty(&self) -> bool {
        *self == MoveWords::default()
    }
}

/// A side, in the letters of EPD.
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
        match side {
            Side::White => Color::White,
            Side::Black => Color::Black,
        }
    }
}

impl Fact {
    /// The game that it is about.
    pub fn game(&self) -> Option<u64> {
        match self {
            Fact::Epoch { .. } | Fact::Round { .. } => None,
            Fact::Released { game }
            | Fact::Began { game, .. }
            | Fact::Moved { game, .. }
            | Fact::TimeAdded { game, .. }
            | Fact::Noted { game, .. }
            | Fact::Restarted { game }
            | Fact::Ended { game, .. } => Some(*game),
        }
    }

    /// The end of a game.
    pub(super) fn ended(game: u64, outcome: Outcome, detail: String, millis: u64) -> Fact {
        Fact::Ended { game, outcome: RecordedOutcome(outcome), detail, millis }
    }

    /// The game of the schedule that begins.
    pub(super) fn fixture(&self) -> Option<Fixture> {
        match *self {
            Fact::Began { game, round, white, black, opening, .. } => {
                Some(Fixture { number: game, round, white, black, opening })
            }
            _ => None,
        }
    }
}
