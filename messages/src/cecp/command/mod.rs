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
use crate::names::messages;

pub use edit::EditLine;
pub use place::Place;

messages! {
    /// A command from a GUI to an engine: one line of the specification's command table.
    ///
    /// Texts are single lines without blanks at their ends; words are not empty and contain no blanks. Moves are texts,
    /// because their meaning depends on the position and the variant.
    Command {
        words {
            /// Speak this protocol.
            Xboard = "xboard",
            /// A new game of orthodox chess.
            New = "new",
            /// Play neither side.
            Force = "force",
            /// Play the side on move.
            Go = "go",
            /// Play the side not on move.
            PlayOther = "playother",
            /// The opponent offers a draw.
            Draw = "draw",
            /// The opponent declines a draw (Hyatt's dialect; elsewhere it would just play on).
            Decline = "decline",
            /// Lines of [`EditLine`] follow.
            Edit = "edit",
            /// White is on move, the engine plays Black.
            White = "white",
            /// Black is on move, the engine plays White.
            Black = "black",
            /// End the program.
            Quit = "quit",
            /// Suspend search and clock.
            Pause = "pause",
            /// Go on after a pause.
            Resume = "resume",
            /// `?`: move now.
            MoveNow = "?",
            /// Take back a half-move.
            Undo = "undo",
            /// Take back two half-moves.
            Remove = "remove",
            /// Search without moving.
            Analyze = "analyze",
            /// Leave the analysis.
            Exit = "exit",
            /// `.`: show the state of the analysis.
            Status = ".",
            /// Suggest a move.
            Hint = "hint",
            /// Toggles randomness.
            Random = "random",
            /// Show the moves in the opening book.
            Book = "bk",
            /// The opponent is a program.
            Computer = "computer",
        }

        /// The version of the GUI's protocol; asks for the engine's features.
        Protover(u32),
        /// The GUI will honour this feature.
        Accepted(String),
        /// The GUI does not know this feature; for an option, its whole text follows.
        Rejected(String),

        /// Play this variant; directly after `new`.
        Variant(String),
        /// A move with the word `usermove` before it.
        UserMove(String),
        /// A move standing alone.
        BareMove(String),
        /// Sets up a position, in FEN; read are `setboard` and the `setpos` of Hyatt's dialect.
        SetBoard(String),
        /// The game is over.
        Result {
            /// The result.
            result: GameResult,
            /// The reason.
            comment: Option<String>,
        },

        /// Answer with the same number after all earlier commands.
        Ping(i64),

        /// Do not search these root moves.
        Exclude(RootMoves),
        /// Search these root moves again.
        Include(RootMoves),

        /// Maximal memory use, in MiB.
        Memory(u64),
        /// Maximal number of search threads.
        Cores(u64),
        /// Location of endgame tables.
        EgtPath {
            /// Their kind: syzygy, nalimov, ...
            flavor: String,
            /// Their folder.
            path: String,
        },
        /// `hard`, `easy`: whether to ponder, to think on the opponent's time.
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
            /// The first session; at least one move.
            first: TimeSession,
            /// All later sessions; with a time above zero.
            later: TimeSession,
        },
        /// A fixed time for each move.
        TimePerMove(Duration),
        /// Maximal depth, in plies.
        Depth(u32),
        /// Number of nodes that counts as a second; 0 for processor time.
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
        /// Sets the score of the position for the side to move.
        SetScore {
            /// The score.
            centipawns: i32,
            /// The depth that it stands for, in plies.
            depth: Option<u32>,
        },

        /// The Bughouse partner; `None` if there is none.
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
        /// The user grabs the piece on this square.
        Lift(Place),
        /// The user drops the piece on this square.
        Put(Place),
        /// The user points at this square.
        Hover(Square),

        /// The user's answer to a question that the engine asked by `askuser`. Only [`Command::answer`] reads it:
        /// without the question it is indistinguishable from an unknown command.
        Answer {
            /// The tag of the question.
            tag: String,
            /// The answer; may be empty.
            text: String,
        },
    }
}

/// A part of a game with its own time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeSession {
    /// The player's moves in it; 0 for the rest of the game.
    pub moves: u32,
    /// Time for these moves.
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

/// Reason why a line is not a command. The text is for the parentheses of `Error (...): LINE`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum CommandError {
    /// The first word is unknown.
    #[error("unknown command")]
    Unknown,
    /// A parameter of the command is missing.
    #[error("missing parameter")]
    MissingParameter,
    /// A parameter is not a number or is out of range.
    #[error("bad number")]
    BadNumber,
    /// A parameter is not a time.
    #[error("bad time")]
    BadTime,
    /// A parameter is not a result.
    #[error("bad result")]
    BadResult,
    /// A parameter is not a square.
    #[error("bad square")]
    BadSquare,
    /// The holdings of both sides in brackets are missing.
    #[error("bad holding")]
    BadHolding,
}
