//! What the page of an annotated game shows.
//!
//! All chess in it comes from the caller: the page plays no moves and judges none. A position is a FEN, a move the squares that it
//! touches. Names of fields are those of the JSON inside the page.

use game::{Game, Move, Square, WhiteScore};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A game with its annotations.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct GamePage {
    /// The tags in the order in which they are shown. `White`, `Black`, `WhiteElo`, `BlackElo`, `Event`, `Site`, `Round` and `Date`
    /// make the heading; the others stand in a table.
    pub tags: Vec<(String, String)>,
    /// FEN of the position before the first move.
    pub start: String,
    /// Evaluation of that position.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_score: Option<WhiteScore>,
    /// Result as PGN writes it: `1-0`, `0-1`, `1/2-1/2` or `*`.
    pub result: String,
    /// How the game ended, such as `White mates`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub termination: Option<String>,
    /// The side whose time had run out at the end, `w` or `b`: its clock shows none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flag: Option<char>,
    /// ECO code and name of the opening.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opening: Option<String>,
    /// Comment before the first move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// The moves of the game.
    pub moves: Vec<PageMove>,
    /// Summary of White's play.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub white: Option<PlayerSummary>,
    /// Summary of Black's play.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub black: Option<PlayerSummary>,
    /// The course of the game in words, a paragraph each.
    pub story: Vec<String>,
    /// Who analysed, with which limit, and when: `Herald 0.1.0, 100,000 nodes a move, 2026-11-24`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub analysed_by: Option<String>,
}

/// A move and the position after it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PageStep {
    /// The move in SAN.
    pub san: String,
    /// FEN after the move. In the file it leaves out the fields in which it is like the one before.
    pub fen: String,
    /// The squares that the move touches, one after the other: `e2e4`, for a drop `f3`.
    pub squares: String,
}

impl PageLine {
    /// Plays a program's main line up to the first illegal move, at most [`LONGEST_MAIN_LINE`](crate::LONGEST_MAIN_LINE) moves.
    pub fn play(game: &Game, moves: &[Move]) -> PageLine {
        let mut game = game.clone();
        let moves = moves.iter().take(crate::LONGEST_MAIN_LINE);
        PageLine {
            moves: moves.map_while(|&mv| PageStep::play(&mut game, mv)).collect(),
            ..PageLine::default()
        }
    }
}

impl PageStep {
    /// Plays a legal move and describes it. `None` if the move is illegal; the game is then unchanged.
    pub fn play(game: &mut Game, mv: Move) -> Option<PageStep> {
        let san = game.san(mv);
        game.play(mv).ok()?;
        let squares = touched_squares(mv).iter().map(Square::to_string).collect();
        Some(PageStep { san, fen: game.fen(), squares })
    }
}

/// The squares that a board marks for a move: where the piece comes from, if not from the hand, and where it goes. For castling the
/// king's.
pub fn touched_squares(mv: Move) -> Vec<Square> {
    let to = match (mv, mv.castling_side()) {
        (Move::Castle { king, .. }, Some(side)) => Square::from_coords(side.king_to_file(), king.rank()),
        _ => mv.to(),
    };
    mv.from().into_iter().chain([to]).collect()
}

/// A move of the game or of a variation, with what is said about it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PageMove {
    /// The move and the position after it.
    #[serde(flatten)]
    pub step: PageStep,
    /// Evaluation of the position after the move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<WhiteScore>,
    /// Depth of that evaluation, in plies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Time left on the mover's clock after the move, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clock: Option<f64>,
    /// Numeric annotation glyphs of PGN; 1 to 6 are `!`, `?`, `!!`, `??`, `!?` and `?!`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nags: Vec<u8>,
    /// The better line from the position before the move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub best: Option<PageLine>,
    /// Comment before the move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment_before: Option<String>,
    /// Comment after the move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// Further facts, such as time used and nodes, shown with the move when it is on the board.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Time used for the move, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub used: Option<f64>,
    /// Nodes that the mover searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// The line that the mover expected, from this move on. Shown beside the game.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<PageLine>,
    /// What a third program thinks of the position after the move. Shown beside the game.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub third: Option<PageLine>,
    /// Name of the opening, at the last move that belongs to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opening: Option<String>,
    /// Variations in place of this move.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub variations: Vec<Vec<PageMove>>,
}

/// A line of play that a program recommends or expects.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PageLine {
    /// Evaluation of the line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<WhiteScore>,
    /// Depth of that evaluation, in plies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Nodes searched for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// Its moves. As there are many of them, each is written as an array of move, squares and FEN.
    #[serde(serialize_with = "write_steps", deserialize_with = "read_steps")]
    pub moves: Vec<PageStep>,
}

fn write_steps<S: Serializer>(steps: &[PageStep], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(steps.iter().map(|step| [&step.san, &step.squares, &step.fen]))
}

fn read_steps<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<PageStep>, D::Error> {
    let steps = Vec::<[String; 3]>::deserialize(deserializer)?;
    Ok(steps.into_iter().map(|[san, squares, fen]| PageStep { san, fen, squares }).collect())
}

/// Summary of a player's moves.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PlayerSummary {
    /// Accuracy in percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accuracy: Option<f64>,
    /// Average loss for each move, in centipawns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub average_loss: Option<f64>,
    /// Number of inaccuracies (`?!`).
    pub inaccuracies: u32,
    /// Number of mistakes (`?`).
    pub mistakes: u32,
    /// Number of blunders (`??`).
    pub blunders: u32,
    /// Further facts with their names, such as `Loss in the endgame`, `12`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<(String, String)>,
}
