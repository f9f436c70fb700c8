//! What the two interface programs say to each other: JSON objects, told apart by their `type`. Times are milliseconds.

use serde::{Deserialize, Serialize};

/// Version of the protocol.
pub const LINK_VERSION: u32 = 1;

/// Which end of the link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LinkRole {
    /// Waits for the connection, has the settings of the match, and keeps its record.
    Master,
    /// Connects, and takes the settings from the master.
    Slave,
}

impl LinkRole {
    /// The other end.
    #[must_use]
    pub fn other(self) -> LinkRole {
        match self {
            LinkRole::Master => LinkRole::Slave,
            LinkRole::Slave => LinkRole::Master,
        }
    }

    /// The word in messages.
    pub fn word(self) -> &'static str {
        match self {
            LinkRole::Master => "master",
            LinkRole::Slave => "slave",
        }
    }
}

/// A message. Fields that are unknown are ignored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum LinkMessage {
    /// The beginning of a connection; not numbered.
    Hello(Hello),
    /// The settings of the match. From the master.
    Match(MatchTerms),
    /// A game is to be set up. From the master.
    Game(GameTerms),
    /// The engine is ready for the game. From the slave.
    Ready {
        /// Number of the game.
        game: u32,
    },
    /// The game begins: the clock of White's engine runs as soon as it has been asked. From the master.
    Start {
        /// Number of the game.
        game: u32,
    },
    /// A move.
    Move(PlayedMove),
    /// The engine offers a draw, or accepts one.
    Draw {
        /// Number of the game.
        game: u32,
        /// Number of moves of both sides before the offer.
        ply: u32,
    },
    /// The engine declines a draw.
    Decline {
        /// Number of the game.
        game: u32,
        /// That of the offer; without it the latest one is meant.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ply: Option<u32>,
    },
    /// The engine has told its own clock (`time N` of the dialect), which becomes `otim N`.
    Time {
        /// Number of the game.
        game: u32,
        /// Hundredths of a second.
        centiseconds: u64,
    },
    /// The slave's engine, or the slave's interface about it, has ended the game. From the slave.
    Claim(GameVerdict),
    /// The game is over. From the master.
    End(GameVerdict),
    /// What an engine thinks; not numbered.
    Thinking(LinkThinking),
    /// Something for the operator at the other end.
    Note {
        /// The text.
        text: String,
    },
    /// The last message: the match is over, or cannot go on. Not numbered if it is the answer to a hello.
    Bye {
        /// Why it cannot go on.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// A message of a later version.
    #[serde(other)]
    Unknown,
}

/// The beginning of a connection. It is repeated until the other end has answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// Version of the protocol.
    pub version: u32,
    /// Which end this is.
    pub role: LinkRole,
    /// Random text that stays the same while the program runs: by it the other end knows whether to resume.
    pub session: String,
    /// Random text of this connection.
    pub nonce: String,
    /// The nonce of the other end, once it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// Proof of the shared secret, see docs/AUTOPLAYER.md.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<String>,
    /// Whether this end is satisfied with the other one's hello.
    #[serde(default)]
    pub satisfied: bool,
    /// Name of the engine.
    pub name: String,
    /// Rating of the engine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rating: Option<u32>,
    /// What this end can do beyond the protocol of its version: `chess960`.
    #[serde(default)]
    pub capabilities: Vec<String>,
}

impl Hello {
    /// The capability to play Chess960.
    pub const CHESS960: &str = "chess960";

    /// Whether this end plays Chess960.
    pub fn plays_chess960(&self) -> bool {
        self.capabilities.iter().any(|name| name == Hello::CHESS960)
    }
}

/// The settings of the match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatchTerms {
    /// Number of games.
    pub games: u32,
    /// Time control of both engines, as in PGN's tag `TimeControl`.
    pub control: String,
    /// PGN's tag `Event`.
    pub event: String,
    /// PGN's tag `Site`.
    pub site: String,
}

/// A game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameTerms {
    /// Its number, from 1.
    pub game: u32,
    /// Who plays White.
    pub white: LinkRole,
    /// Start position, a FEN of six fields; none for the usual one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fen: Option<String>,
    /// Whether castling is that of Chess960.
    #[serde(default)]
    pub chess960: bool,
    /// Moves of the opening in SAN.
    #[serde(default)]
    pub opening: Vec<String>,
    /// PGN's tag `Date`.
    pub date: String,
}

/// A move of an engine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlayedMove {
    /// Number of the game.
    pub game: u32,
    /// Number of the move in the game, both sides and the opening counted, from 1.
    pub ply: u32,
    /// The move in SAN.
    #[serde(rename = "move")]
    pub san: String,
    /// Time that the engine used.
    pub used: u64,
    /// Time left on its clock, with what was added after the move; none without a clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left: Option<u64>,
    /// Comment for PGN.
    #[serde(default)]
    pub comment: String,
}

/// The end of a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameVerdict {
    /// Number of the game.
    pub game: u32,
    /// Number of moves of the game, both sides and the opening counted. Later moves are taken back.
    pub ply: u32,
    /// `1-0`, `0-1`, `1/2-1/2`, or `*` without a result.
    pub result: String,
    /// The reason, in the words of docs/AUTOPLAYER.md; any words with `*`.
    pub reason: String,
    /// More about the reason.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
}

/// What an engine thinks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkThinking {
    /// Number of the game.
    pub game: u32,
    /// Number of moves before the position.
    pub ply: u32,
    /// Score and depth, such as `+0.31/14`.
    pub score: String,
    /// The line in SAN.
    pub line: String,
}
