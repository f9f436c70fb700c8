//! Games and positions to look at: PGN, EPD and FEN, from a file or pasted.

use std::io::{self, BufRead, Read};

use game::epd::{Escapes, Lexer, position_part};
use game::{Annotation, CastlingMode, Game, GameTree, MoveLine, TreeReader, counted, excerpt};
use messages::input::{Input, LineReader};

/// Maximum number of games that are kept of a text.
pub const MOST_GAMES: usize = 1000;

/// Games and positions in the order in which they stand in the text, at most [`MOST_GAMES`].
#[derive(Clone, Debug, Default)]
pub struct GameLibrary {
    pub(super) games: Vec<LibraryGame>,
    /// What of the file could not be read, in a line.
    pub(super) fault: Option<String>,
}

/// A game or position.
#[derive(Clone, Debug)]
pub(super) struct LibraryGame {
    pub(super) heading: String,
    pub(super) tree: GameTree,
    /// What of it could not be read, in a line.
    pub(super) fault: Option<String>,
}

impl GameLibrary {
    /// Reads PGN, or lines of EPD or FEN. What a file has more than [`MOST_GAMES`] is left out.
    ///
    /// # Errors
    /// The input can't be read, or there is no game and no position in it; the text says which.
    pub fn read(mut input: impl BufRead) -> Result<GameLibrary, String> {
        let begin = input.fill_buf().map_err(|error| error.to_string())?;
        let is_positions = is_position(&String::from_utf8_lossy(&begin[..begin.len().min(4096)]));
        let library = if is_positions { positions(input) } else { games(input) };
        let library = library.map_err(|error| error.to_string())?;
        match (library.games.is_empty(), &library.fault) {
            (false, _) => Ok(library),
            (true, Some(fault)) => Err(fault.clone()),
            (true, None) => {
                Err("there is no game and no position in it; expected PGN, EPD or FEN".to_owned())
            }
        }
    }

    /// The number of games.
    pub fn len(&self) -> usize {
        self.games.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.games.is_empty()
    }
}

/// Whether the first line that is not empty begins with a board.
fn is_position(begin: &str) -> bool {
    let line =
        begin.lines().map(|line| line.trim_start_matches('\u{feff}').trim()).find(|line| !line.is_empty());
    let board = line.unwrap_or_default().split([' ', '_', '[']).next().unwrap_or_default();
    board.matches('/').count() >= 7
}

fn games(input: impl BufRead) -> io::Result<GameLibrary> {
    let mut library = GameLibrary::default();
    for parsed in TreeReader::new(input) {
        let parsed = parsed?;
        if library.games.len() == MOST_GAMES {
            library.fault = Some(format!("only the first {} are shown", counted(MOST_GAMES as u64, "game")));
            break;
        }
        let fault = parsed.faults.first().map(|(line, fault)| format!("line {line}: {fault}"));
        // A text without tags and legal moves is no game.
        let is_game =
            !parsed.tree.tags.is_empty() || parsed.tree.replay().is_ok_and(|replay| replay.game.ply() > 0);
        if is_game {
            library.games.push(LibraryGame { heading: heading(&parsed.tree), tree: parsed.tree, fault });
        } else {
            library.fault = library.fault.or(fault);
        }
    }
    Ok(library)
}

fn heading(tree: &GameTree) -> String {
    let tag = |name: &str| tree.tag(name).filter(|value| !matches!(*value, "" | "?" | "????.??.??"));
    let players = format!("{} – {}", tag("White").unwrap_or("?"), tag("Black").unwrap_or("?"));
    let facts = [Some(tree.result.as_str()), tag("Event"), tag("Date")].into_iter().flatten();
    facts.fold(excerpt(&players), |heading, fact| heading + ", " + &excerpt(fact))
}

fn positions(input: impl Read) -> io::Result<GameLibrary> {
    let (mut lines, mut library, mut number) = (LineReader::new(input), GameLibrary::default(), 0_u64);
    loop {
        number += 1;
        let line = match lines.read() {
            Input::End => return Ok(library),
            Input::TooLong(_) => {
                library.fault.get_or_insert_with(|| format!("line {number} is too long for a position"));
                continue;
            }
            Input::Line(line) => line,
        };
        if line.trim().is_empty() {
            continue;
        }
        if library.games.len() == MOST_GAMES {
            library.fault =
                Some(format!("only the first {} are shown", counted(MOST_GAMES as u64, "position")));
            return Ok(library);
        }
        match position(line.trim().trim_start_matches('\u{feff}'), number) {
            Ok(game) => library.games.push(game),
            Err(fault) => {
                library.fault.get_or_insert_with(|| format!("line {number}: {fault}"));
            }
        }
    }
}

/// A record as a game without moves. Its operations are the comment, its `id` is the heading.
fn position(line: &str, number: u64) -> Result<LibraryGame, String> {
    let fen = position_part(line);
    let game = Game::from_fen(fen, CastlingMode::Standard).map_err(|error| error.to_string())?;
    let operations = line[line.find(fen).unwrap_or(0) + fen.len()..].trim();
    let id = id(line).unwrap_or_else(|| format!("Position {number}"));
    let mut tree = GameTree::default();
    tree.set_tag("Event", id.clone());
    tree.set_tag("SetUp", "1");
    tree.set_tag("FEN", game.fen());
    if game.mode() == CastlingMode::Chess960 {
        tree.set_tag("Variant", "Chess960");
    }
    tree.mainline =
        MoveLine { before: Annotation::comment(operations).into_iter().collect(), moves: Vec::new() };
    Ok(LibraryGame { heading: excerpt(&id), tree, fault: None })
}

/// The operand of `id`.
fn id(line: &str) -> Option<String> {
    let mut lexer = Lexer::new(line, 0, Escapes::default());
    lexer.fields()?;
    lexer.counters();
    while let Some(opcode) = lexer.opcode() {
        let is_id = opcode.text == "id";
        let mut operands = Vec::new();
        while let Some(operand) = lexer.operand() {
            operands.push(operand.text.to_owned());
        }
        if is_id {
            return operands.into_iter().next().filter(|id| !id.trim().is_empty());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<String>, String> {
        let library = GameLibrary::read(text.as_bytes())?;
        Ok(library.games.into_iter().map(|game| game.heading).collect())
    }

    #[test]
    fn pgn_epd_and_fen_are_told_apart() {
        let pgn = "[White \"A\"]\n[Black \"B\"]\n\n1. e4 *\n\n1. d4 d5 1-0\n";
        assert_eq!(read(pgn), Ok(vec!["A – B, *".to_owned(), "? – ?, 1-0".to_owned()]));
        let epd = "\n4k3/8/8/8/8/8/P7/4K3 w - - bm a4; id \"one; two\";\n4k3/8/8/8/8/8/P7/4K3 b - - 3 40\nnonsense\n";
        assert_eq!(read(epd), Ok(vec!["one; two".to_owned(), "Position 3".to_owned()]));
        let library = GameLibrary::read(epd.as_bytes()).unwrap();
        assert!(library.fault.is_some_and(|fault| fault.starts_with("line 4")));
        let replay = library.games[1].tree.replay().unwrap();
        assert_eq!(replay.game.fen(), "4k3/8/8/8/8/8/P7/4K3 b - - 3 40");
    }

    #[test]
    fn a_fault_is_that_of_its_game() {
        let text = "[White \"A\"]\n\n1. e4 *\n\n[White \"B\"]\n\n1. e4 {open *\n\n[White \"C\"]\n\n1. d4 *\n";
        let library = GameLibrary::read(text.as_bytes()).unwrap();
        assert_eq!(
            library.games.iter().map(|game| game.fault.is_some()).collect::<Vec<_>>(),
            [false, true, false]
        );
        assert_eq!(library.fault, None);
    }

    #[test]
    fn nothing_to_look_at_is_an_error() {
        for text in ["", "\n\n", "hello world", "8/8/8/8/8/8/8/8 w - -", "{only a comment}"] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_text_without_end_is_cut_off() {
        let many = "1. e4 *\n".repeat(MOST_GAMES + 5);
        let library = GameLibrary::read(many.as_bytes()).unwrap();
        assert_eq!(
            (library.len(), library.fault.as_deref()),
            (MOST_GAMES, Some("only the first 1000 games are shown"))
        );
    }
}
