//! Commands from a GUI to an engine.

mod edit;
mod place;
#[cfg(test)]
mod tests;
mod text;

use std::time::Duration;

use shakmaty::Square;
use thiserror::Error;

use super::GameResult;

pub use edit::EditLine;
pub use place::Place;

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
    /// The opponent declines a draw (Hyatt's dialect; elsewhere it would just play on).
    Decline,
    /// Lines of [`EditLine`] follow.
    Edit,
    /// Sets up a position, in FEN; read are `setboard` and the `setpos` of Hyatt's dialect.
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
    /// Suspend search and clock.
    Pause,
    /// Go on after a pause.
    Resume,
    /// Answer with the same number once all before it is done.
    Ping(i64),
    /// `?`: move now.
    MoveNow,

    /// Take back a half-move.
    Undo,
    /// Take back two half-moves.
    Remove,
    /// Search without moving.
    Analyze,
    /// Leave the analysis.
    Exit,
    /// `.`: show the state of the analysis.
    Status,
    /// Do not search these root moves.
    Exclude(RootMoves),
    /// Search these root moves again.
    Include(RootMoves),
    /// Suggest a move.
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
    /// `hard`, `easy`: whether to think on the opponent's time.
    Ponder(bool),
    /// `post`, `nopost`: whether to show thinking output.
    Post(bool),
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
    /// Two sessions of a time control, of which the second is repeated (Hyatt's dialect).
    Sessions {
        /// The first; of at least one move.
        first: TimeSession,
        /// All others; with some time.
        later: TimeSession,
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
    /// Sets the score of the position for the side to move.
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
    Lift(Place),
    /// The user has dropped the piece there.
    Put(Place),
    /// The user points there.
    Hover(Square),

    /// The user answers a question that the engine has asked by `askuser`. Only [`Command::answer`] reads it: without
    /// the question the line can't be told from an unknown command.
    Answer {
        /// The tag of the question.
        tag: String,
        /// The answer; may be empty.
        text: String,
    },
}

/// A part of a game with its own time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeSession {
    /// The player's moves in it; 0 for the rest of the game.
    pub moves: u32,
    /// The time for them.
    pub time: Duration,
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
    /// The pieces in hand of both sides were expected, in brackets.
    #[error("bad holding")]
    BadHolding,
}
