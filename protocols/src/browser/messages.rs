//! The messages between the page of `herald board` and the program, as JSON. docs/BOARD.md describes them for authors of pages.

use game::{Color, PlayedVariant};
use pages::{PageLine, PageMove, PageStep};
use serde::{Deserialize, Serialize};

/// A command of the page. A command with an unknown name, an unknown field or a value of another type is refused as a whole.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "command", rename_all = "snake_case", deny_unknown_fields)]
pub enum BrowserCommand {
    /// Starts a game against Herald.
    Play(NewBrowserGame),
    /// Makes a move at the position on the board, in any notation that `game::Game::parse_move` reads.
    Move {
        /// The move.
        #[serde(rename = "move")]
        text: String,
    },
    /// Takes back the person's last move and Herald's answer to it.
    TakeBack {},
    /// Asks for a good move.
    Hint {},
    /// Makes Herald move at once.
    MoveNow {},
    /// Gives up the game.
    Resign {},
    /// Offers a draw, or claims it where the rules allow it.
    Draw {},
    /// Goes to a node of the tree. Ends nothing.
    Go {
        /// Number of the node.
        node: usize,
    },
    /// Ends the game against Herald, if one is in progress, and leaves the board to analysis.
    Explore {},
    /// Starts or ends the analysis of the position on the board.
    Analyse {
        /// Whether it runs.
        on: bool,
    },
    /// Sets the number of lines of an analysis, from 1 to [`MOST_LINES`].
    Lines {
        /// Number of lines.
        count: u8,
    },
    /// Has all moves of the mainline evaluated and judged, from the last to the first, or ends that.
    Annotate {
        /// Whether it runs.
        on: bool,
    },
    /// Removes a node and what follows it.
    Delete {
        /// Number of the node.
        node: usize,
    },
    /// Makes a node the first choice of the moves beside it.
    Promote {
        /// Number of the node.
        node: usize,
    },
    /// Sets up a position.
    Setup {
        /// Name of the variant.
        #[serde(default)]
        variant: PlayedVariant,
        /// The position in FEN; the start position without it.
        #[serde(default)]
        fen: Option<String>,
    },
    /// Opens a game of those that were loaded.
    Open {
        /// Its number, from 0.
        game: usize,
    },
}

/// Greatest number of lines of an analysis.
pub const MOST_LINES: u8 = 5;

/// A game to be played against Herald.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewBrowserGame {
    /// The person's side.
    pub side: PersonSide,
    /// Time control in the notation of PGN, with `-` for none.
    pub control: String,
    /// Herald's strength in Elo; full strength without it.
    #[serde(default)]
    pub elo: Option<i64>,
    /// Rules of the game.
    #[serde(default)]
    pub variant: PlayedVariant,
    /// The position to begin with, in FEN; the start position without it.
    #[serde(default)]
    pub fen: Option<String>,
}

/// The side that a person wants to play.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PersonSide {
    /// White.
    White,
    /// Black.
    Black,
    /// Either, by lot.
    Random,
}

/// A message to the page.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum BrowserMessage {
    /// The state of the session.
    State(Box<BrowserState>),
    /// The tree of the game on the board.
    Game(BrowserGame),
    /// A node has changed.
    Node(Box<BrowserNode>),
    /// The lines of the analysis.
    Thinking(BrowserThinking),
    /// A good move, as asked for.
    Hint(PageStep),
    /// The games that were loaded.
    Games(BrowserGames),
    /// Something to tell the person.
    Notice(BrowserNotice),
}

impl BrowserMessage {
    /// Name of the message, which is that of the event on the wire.
    pub fn name(&self) -> &'static str {
        match self {
            BrowserMessage::State(_) => "state",
            BrowserMessage::Game(_) => "game",
            BrowserMessage::Node(_) => "node",
            BrowserMessage::Thinking(_) => "thinking",
            BrowserMessage::Hint(_) => "hint",
            BrowserMessage::Games(_) => "games",
            BrowserMessage::Notice(_) => "notice",
        }
    }
}

/// The state of a session.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BrowserState {
    /// What the board is for.
    pub mode: BoardMode,
    /// The node on the board.
    pub node: usize,
    /// Rules of the game.
    pub variant: PlayedVariant,
    /// FEN of the position.
    pub fen: String,
    /// Whether the side to move is in check.
    pub check: bool,
    /// The side to move.
    pub turn: SideName,
    /// The moves that the person may make now.
    pub moves: Vec<BrowserMove>,
    /// Result and reason, such as `1-0 {White mates}`, once the game is over.
    pub outcome: Option<String>,
    /// The game against Herald; `None` while the board is for analysis.
    pub play: Option<PlayStatus>,
    /// Whether the analysis runs.
    pub analysing: bool,
    /// Number of lines of an analysis.
    pub lines: u8,
    /// Moves evaluated and to be evaluated, while the game is annotated.
    pub annotating: Option<(usize, usize)>,
}

/// What the board is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BoardMode {
    /// A game against Herald.
    Play,
    /// Analysis.
    Analyse,
}

/// A side, as the page has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SideName {
    /// White.
    White,
    /// Black.
    Black,
}

impl From<Color> for SideName {
    fn from(color: Color) -> SideName {
        color.fold_wb(SideName::White, SideName::Black)
    }
}

/// The game against Herald.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlayStatus {
    /// The person's side.
    pub person: SideName,
    /// Herald's strength in Elo; `None` for full strength.
    pub elo: Option<i64>,
    /// The time control in the notation of PGN.
    pub control: String,
    /// White's and Black's time in milliseconds; `None` without a clock.
    pub clocks: [Option<u64>; 2],
    /// The side whose clock runs.
    pub running: Option<SideName>,
    /// Whether it is Herald's turn.
    pub thinking: bool,
    /// The draw that the person may claim.
    pub claim: Option<String>,
}

/// A move that may be made. The board of the page takes it as it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BrowserMove {
    /// The square that the piece comes from; for castling the king's. Missing for a drop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Letter of the piece from the hand. Missing but for a drop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drop: Option<char>,
    /// The square that the piece goes to.
    pub to: String,
    /// Letter of the piece that a pawn becomes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub promotion: Option<char>,
    /// The move as the command `move` takes it.
    #[serde(rename = "move")]
    pub text: String,
}

/// The tree of a game.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BrowserGame {
    /// The tags in their order.
    pub tags: Vec<(String, String)>,
    /// FEN of the position before the first move.
    pub start: String,
    /// The result as PGN writes it.
    pub result: &'static str,
    /// The nodes. The first one is the start; a node that was removed belongs to no other one.
    pub nodes: Vec<BrowserNode>,
}

/// A node of the tree: a move and the position after it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct BrowserNode {
    /// Number of the node.
    pub id: usize,
    /// The node before it; `None` for the start.
    pub parent: Option<usize>,
    /// The nodes after it, that of the mainline first.
    pub next: Vec<usize>,
    /// Number of the move: `12.` for White, `12…` for Black; empty for the start.
    pub number: String,
    /// The move and what is said about it. The start has only a FEN and a comment.
    #[serde(flatten)]
    pub shown: PageMove,
}

/// The lines of an analysis, the best one first.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct BrowserThinking {
    /// The node that is analysed.
    pub node: usize,
    /// Depth in plies.
    pub depth: u32,
    /// Nodes searched.
    pub nodes: u64,
    /// Nodes per second.
    pub speed: u64,
    /// The lines.
    pub lines: Vec<PageLine>,
}

/// The games that were loaded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct BrowserGames {
    /// A heading for each game.
    pub headings: Vec<String>,
    /// The game that is open; `None` if another one is on the board.
    pub open: Option<usize>,
}

/// Something to tell the person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BrowserNotice {
    /// The text.
    pub text: String,
}

#[cfg(test)]
mod tests {
    use game::Variant;

    use super::*;

    #[test]
    fn commands_are_read_as_the_document_shows_them() {
        let read =
            |text: &str| serde_json::from_str::<BrowserCommand>(text).map_err(|error| error.to_string());
        assert_eq!(
            read(r#"{"command":"move","move":"e4"}"#),
            Ok(BrowserCommand::Move { text: "e4".to_owned() })
        );
        assert_eq!(read(r#"{"command":"take_back"}"#), Ok(BrowserCommand::TakeBack {}));
        let play =
            read(r#"{"command":"play","side":"white","control":"300+3","elo":1500,"variant":"atomic"}"#);
        let Ok(BrowserCommand::Play(play)) = play else { panic!("{play:?}") };
        assert_eq!((play.variant.variant, play.elo, play.fen), (Variant::Atomic, Some(1500), None));
        assert_eq!(String::from(PlayedVariant::try_from("Chess960".to_owned()).unwrap()), "chess960");
    }

    #[test]
    fn nonsense_is_refused() {
        for text in [
            "",
            "null",
            "[]",
            "{}",
            "\"move\"",
            r#"{"command":"nonsense"}"#,
            r#"{"command":"move"}"#,
            r#"{"command":"move","move":7}"#,
            r#"{"command":"go","node":-1}"#,
            r#"{"command":"go","node":1e99}"#,
            r#"{"command":"hint","more":1}"#,
            r#"{"command":"lines","count":300}"#,
            r#"{"command":"setup","variant":"checkers"}"#,
            r#"{"command":"play","side":"red","control":"-"}"#,
        ] {
            assert!(serde_json::from_str::<BrowserCommand>(text).is_err(), "{text}");
        }
    }
}
