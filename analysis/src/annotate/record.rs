//! An annotated game as data, from which text, pages, tables and suites are made.

use game::{CastlingMode, Color, Game, GameOpening, Move, MoveGrade, WhiteScore};
use serde::{Deserialize, Serialize};

use super::summary::SideSummary;

/// An annotated game.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AnnotatedGame {
    /// Number of the game in its file, from 1.
    pub number: u64,
    /// Name of the file.
    pub file: String,
    /// The line on which the game begins.
    pub line: u64,
    /// The tags in their order, without those of the annotation.
    pub tags: Vec<(String, String)>,
    /// Result as PGN writes it.
    pub result: String,
    /// FEN before the first move.
    pub start: String,
    /// Whether castling is as in Chess960.
    pub is_chess960: bool,
    /// The opening, if it has a name.
    pub opening: Option<OpeningNote>,
    /// Who analysed, how and when.
    pub provenance: Provenance,
    /// The analysis of the position before the first move.
    pub start_note: PositionNote,
    /// The moves as far as they are legal.
    pub moves: Vec<AnnotatedMove>,
    /// Summary of White's moves.
    pub white: SideSummary,
    /// Summary of Black's moves.
    pub black: SideSummary,
    /// How unsure a winning chance is, in points of percent: the root mean square of how much it changed by a best move.
    pub noise: Option<f64>,
    /// The turning points, in words.
    pub story: Vec<String>,
    /// Positions in which a player went wrong and one move was right.
    pub puzzles: Vec<PuzzleNote>,
    /// What is wrong with the game.
    pub faults: Vec<String>,
}

/// The opening of a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpeningNote {
    /// ECO code.
    pub eco: String,
    /// Name.
    pub name: String,
    /// Number of plies after which the game left the known lines.
    pub theory: usize,
}

impl From<GameOpening> for OpeningNote {
    fn from(known: GameOpening) -> OpeningNote {
        let GameOpening { opening, theory, .. } = known;
        OpeningNote { eco: opening.eco.to_owned(), name: opening.name.to_owned(), theory }
    }
}

/// Who analysed, how and when.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// The annotating program, Herald, with its version.
    pub annotator: String,
    /// The name of the analysing program.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// The analysing program with its settings, as it names itself. It judges the moves.
    pub engine: String,
    /// Further programs that analysed the same positions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub further: Vec<FurtherProgram>,
    /// The limit for each move.
    pub limit: String,
    /// The other settings that are not at their defaults.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub settings: String,
    /// The date in UTC, as PGN writes it; `None` if the output shall be reproducible.
    pub date: Option<String>,
}

/// A program that analyses after the one that judges.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FurtherProgram {
    /// Its name.
    pub name: String,
    /// Its name with its settings.
    pub engine: String,
}

impl Provenance {
    /// All analysing programs with their settings.
    pub fn engines(&self) -> String {
        let further = self.further.iter().map(|further| further.engine.as_str());
        std::iter::once(self.engine.as_str()).chain(further).collect::<Vec<_>>().join("; ")
    }

    /// The names of Herald and, if several programs analyse, of all of them; one may be there twice.
    pub(super) fn annotators(&self) -> Vec<&str> {
        let further = self.further.iter().map(|further| further.name.as_str());
        let first = Some(self.name.as_str()).filter(|_| !self.further.is_empty());
        std::iter::once(self.annotator.as_str()).chain(first).chain(further).collect()
    }
}

/// The analysis of a position.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PositionNote {
    /// Evaluation; `None` if it is not known or there is a mate on the board.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<WhiteScore>,
    /// Depth in plies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Nodes searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// Best line in SAN.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub line: Vec<String>,
    /// Value by the endgame tables for White: 1 for a win, 0 for a draw, -1 for a loss.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table: Option<i8>,
    /// What further programs say.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub further: Vec<FurtherNote>,
}

/// The analysis of a position by a further program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FurtherNote {
    /// Name of the program.
    pub program: String,
    /// Its analysis.
    #[serde(flatten)]
    pub note: PositionNote,
}

/// A move of the game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AnnotatedMove {
    /// The move in SAN.
    pub san: String,
    /// The move in coordinates, as UCI writes it.
    pub coordinates: String,
    /// FEN after the move.
    pub fen: String,
    /// The analysis of the position after the move.
    pub after: PositionNote,
    /// Time left on the mover's clock after the move, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clock: Option<f64>,
    /// Phase of the game.
    pub phase: GamePhase,
    /// Whether the move is of the book or of a line of the opening's theory.
    pub is_theory: bool,
    /// Whether the mover was short of time.
    pub in_time_trouble: bool,
    /// What the move loses; `None` if it was not judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss: Option<MoveLoss>,
    /// The grade of a bad move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grade: Option<MoveGrade>,
    /// Whether it was the only good move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub merit: Option<MoveMerit>,
    /// What is said about the move besides its evaluation, grade and merit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub words: Option<String>,
}

/// What a move loses against the best one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MoveLoss {
    /// Winning chance in points of percent.
    pub points: f64,
    /// Centipawns; both scores are bounded by ten pawns.
    pub centipawns: i32,
}

/// Why a move deserves praise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MoveMerit {
    /// Every other move would have been a blunder: `!`.
    OnlyMove,
    /// An only move that gives up material: `!!`.
    HardFind,
}

impl MoveMerit {
    /// Its annotation glyph.
    pub fn glyph(self) -> u8 {
        match self {
            MoveMerit::OnlyMove => 1,
            MoveMerit::HardFind => 3,
        }
    }

    /// A sentence that says so.
    pub(super) fn sentence(self) -> &'static str {
        match self {
            MoveMerit::OnlyMove => "The only good move.",
            MoveMerit::HardFind => "The only good move, and a sacrifice.",
        }
    }
}

/// Phase of a game: the opening is theory and the first ten moves; in the endgame there are at most six pieces but kings and pawns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GamePhase {
    /// Theory and the first ten moves.
    Opening,
    /// Between opening and endgame.
    Middlegame,
    /// At most six pieces but kings and pawns.
    Endgame,
}

impl GamePhase {
    /// All phases.
    pub const ALL: [GamePhase; 3] = [GamePhase::Opening, GamePhase::Middlegame, GamePhase::Endgame];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            GamePhase::Opening => "opening",
            GamePhase::Middlegame => "middlegame",
            GamePhase::Endgame => "endgame",
        }
    }
}

/// A position in which a player went wrong and one move was right, verified by a deeper search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PuzzleNote {
    /// Number of plies before the position.
    pub ply: usize,
    /// The right move in SAN.
    pub solution: String,
    /// Its line in SAN.
    pub line: Vec<String>,
    /// Score of the right move.
    pub score: WhiteScore,
    /// Score of the second best move; `None` if there is none.
    pub second: Option<WhiteScore>,
    /// Depth of the verification.
    pub depth: Option<u32>,
    /// Length of a mate that is proven, in moves.
    pub mate: Option<u32>,
    /// Whether the right move is better than the others by the margin. If not, there are several ways to mate.
    pub is_unique: bool,
    /// Who verified it, with settings and limit.
    #[serde(default)]
    pub verifier: String,
}

impl AnnotatedGame {
    /// A tag's value; `None` if it is missing or unknown (`?`).
    pub fn tag(&self, name: &str) -> Option<&str> {
        let value = self.tags.iter().find(|(known, _)| known == name).map(|(_, value)| value.trim())?;
        (!matches!(value, "" | "?" | "-" | "????.??.??")).then_some(value)
    }

    /// The game before its first move; `None` only if the data was not made by Herald.
    pub fn first_position(&self) -> Option<Game> {
        Game::from_fen(&self.start, CastlingMode::from_chess960(self.is_chess960)).ok()
    }

    /// The side that makes a move.
    pub fn mover(&self, ply: usize) -> Color {
        let begins_black = self.start.split(' ').nth(1) == Some("b");
        Color::from_white(ply.is_multiple_of(2) != begins_black)
    }

    /// The number of a move, as it stands before it.
    pub fn move_number(&self, ply: usize) -> usize {
        let first: usize = self.start.split(' ').nth(5).and_then(|field| field.parse().ok()).unwrap_or(1);
        let begins_black = self.start.split(' ').nth(1) == Some("b");
        let later = if begins_black { ply.div_ceil(2) } else { ply / 2 };
        first + later
    }

    /// The analysis of the position after so many plies.
    pub fn note(&self, ply: usize) -> &PositionNote {
        ply.checked_sub(1).map_or(&self.start_note, |before| &self.moves[before].after)
    }

    /// The summary of a side.
    pub fn side(&self, color: Color) -> &SideSummary {
        if color.is_white() { &self.white } else { &self.black }
    }
}

/// The moves of a line in SAN, at most `most`.
pub(super) fn san_words(game: &Game, line: &[Move], most: usize) -> Vec<String> {
    let line = game.san_line(&line[..line.len().min(most)]);
    line.split_whitespace().map(str::to_owned).collect()
}
