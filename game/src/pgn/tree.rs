//! A game as its text says it.

use std::fmt;

use shakmaty::Color;

use super::PgnFault;
use crate::{Game, MoveError, PlayedVariant, excerpt};

/// A game as its text says it: tags, moves, comments, glyphs and variations in their order. Moves are texts, legal or not, so
/// that nothing is lost when a game is written back. [`GameTree::replay`] plays the mainline.
///
/// Reading what [`GameTree::write`] wrote gives an equal tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GameTree {
    /// Tag pairs in their order. A name may come twice.
    pub tags: Vec<(String, String)>,
    /// The moves that were played.
    pub mainline: MoveLine,
    /// The end of the movetext.
    pub result: ResultMarker,
}

/// A sequence of moves: the mainline or a variation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MoveLine {
    /// What stands before the first move.
    pub before: Vec<Annotation>,
    /// The moves.
    pub moves: Vec<MoveNode>,
}

/// A move with what is said about it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MoveNode {
    /// The move as it is written, usually SAN; legal or not. `--`, `Z0` and `0000` are null moves by custom.
    pub text: String,
    /// What stands between this move and the next one. A variation replaces this move.
    pub after: Vec<Annotation>,
}

/// An element of the movetext between moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Annotation {
    /// Number of a numeric annotation glyph: 1 for a good move (`!`), 2 for a poor one (`?`), and so on.
    Glyph(u8),
    /// A comment as it is written, with its white space; line ends are line feeds. One with a closing brace is one line.
    Comment(String),
    /// Moves instead of the move before.
    Variation(MoveLine),
    /// Text that is not PGN, or that PGN leaves to programs: lines that begin with `%`, reserved characters.
    Other(String),
}

/// The end of the movetext (PGN standard, 8.2.6).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ResultMarker {
    /// `1-0`
    WhiteWins,
    /// `0-1`
    BlackWins,
    /// `1/2-1/2`
    Draw,
    /// `*`: in progress, broken off, or unknown.
    #[default]
    Open,
}

impl ResultMarker {
    /// The marker as it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            ResultMarker::WhiteWins => "1-0",
            ResultMarker::BlackWins => "0-1",
            ResultMarker::Draw => "1/2-1/2",
            ResultMarker::Open => "*",
        }
    }

    /// The marker that a text is, also in another spelling: `1:0`, `1/2`, `½-½`, `0.5-0.5`, with any dash; `None` if it is none.
    pub fn of(text: &str) -> Option<ResultMarker> {
        use ResultMarker::{BlackWins, Draw, Open, WhiteWins};
        // Most texts are moves.
        if !text.starts_with(['0', '1', '½', '*']) {
            return None;
        }
        let text = text.replace('½', "1/2").replace("0.5", "1/2").replace("0,5", "1/2");
        // The last one is the dash of Windows-1252.
        let text = text.replace([':', '–', '—', '−', '\u{96}'], "-");
        let text = if text == "1/2" { Draw.as_str() } else { &text };
        [WhiteWins, BlackWins, Draw, Open].into_iter().find(|marker| marker.as_str() == text)
    }

    /// The side that has won.
    pub fn winner(self) -> Option<Color> {
        match self {
            ResultMarker::WhiteWins => Some(Color::White),
            ResultMarker::BlackWins => Some(Color::Black),
            ResultMarker::Draw | ResultMarker::Open => None,
        }
    }
}

impl fmt::Display for ResultMarker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The mainline of a tree, played as far as it is legal.
#[derive(Clone, Debug)]
pub struct Replay {
    /// The game after the last legal move. Its outcome is not declared.
    pub game: Game,
    /// Why the next move can't be played; `None` if all moves were.
    pub fault: Option<MoveError>,
}

impl GameTree {
    /// The first value of a tag.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Replaces a tag, or adds it after the others.
    pub fn set_tag(&mut self, name: &str, value: impl Into<String>) {
        match self.tags.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) => *known = value.into(),
            None => self.tags.push((name.to_owned(), value.into())),
        }
    }

    /// The game before its first move, by the tags `FEN` and `Variant`.
    ///
    /// # Errors
    /// A tag is faulty.
    pub fn start(&self) -> Result<Game, PgnFault> {
        first_position(self.tag("FEN"), self.tag("Variant"))
    }

    /// Plays the mainline up to the first move that is not legal.
    ///
    /// # Errors
    /// The start position is faulty.
    pub fn replay(&self) -> Result<Replay, PgnFault> {
        let mut game = self.start()?;
        let fault = game.play_line(self.mainline.moves.iter().map(|node| &node.text)).err();
        Ok(Replay { game, fault })
    }
}

impl MoveNode {
    /// A move without annotations.
    pub fn new(text: impl Into<String>) -> MoveNode {
        MoveNode { text: text.into(), after: Vec::new() }
    }

    /// The comments on the move.
    pub fn comments(&self) -> impl Iterator<Item = &str> {
        comments(&self.after)
    }

    /// The glyphs of the move.
    pub fn glyphs(&self) -> impl Iterator<Item = u8> {
        self.after.iter().filter_map(|annotation| match annotation {
            Annotation::Glyph(number) => Some(*number),
            _ => None,
        })
    }

    /// The variations that replace the move.
    pub fn variations(&self) -> impl Iterator<Item = &MoveLine> {
        self.after.iter().filter_map(|annotation| match annotation {
            Annotation::Variation(line) => Some(line),
            _ => None,
        })
    }
}

/// The comments among annotations.
pub(super) fn comments(annotations: &[Annotation]) -> impl Iterator<Item = &str> {
    annotations.iter().filter_map(|annotation| match annotation {
        Annotation::Comment(text) => Some(text.as_str()),
        _ => None,
    })
}

/// Longest line of a comment of a program, so that it fits into a line of the export format with its braces.
const COMMENT_LINE: usize = 77;

impl Annotation {
    /// A comment of a program's own text. Braces become parentheses, because PGN has no escape for them, and control characters
    /// spaces. The words are laid out in lines that fit into those of the export format. `None` if nothing is left.
    pub fn comment(text: &str) -> Option<Annotation> {
        let clean = |c: char| match c {
            '{' => '(',
            '}' => ')',
            c if c.is_control() => ' ',
            c => c,
        };
        let text: String = text.chars().map(clean).collect();
        let (mut lines, mut column) = (String::new(), 0);
        for word in text.split_whitespace() {
            let length = word.chars().count();
            if column > 0 && column + 1 + length > COMMENT_LINE {
                lines.push('\n');
                column = 0;
            }
            // A line that begins so is an escape or looks like a tag of the next game.
            let is_apart = column > 0 || (!lines.is_empty() && word.starts_with(['%', '[']));
            lines.push_str(if is_apart { " " } else { "" });
            lines.push_str(word);
            column += usize::from(is_apart) + length;
        }
        (!lines.is_empty()).then_some(Annotation::Comment(lines))
    }
}

/// The position before the first move (PGN standard, 9.7; `Variant` as in common use).
fn first_position(fen: Option<&str>, variant: Option<&str>) -> Result<Game, PgnFault> {
    let name = variant.unwrap_or_default();
    let letters: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    let played = match letters.to_ascii_lowercase().as_str() {
        "" | "fromposition" => PlayedVariant::CHESS,
        letters => PlayedVariant::named(letters).ok_or_else(|| PgnFault::Variant { name: excerpt(name) })?,
    };
    Ok(match fen {
        Some(fen) => played.read(fen)?,
        None => played.start(),
    })
}
