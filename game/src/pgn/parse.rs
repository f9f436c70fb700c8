//! A lenient reader for the import format of PGN: reads games one by one from a stream of any length, each as a tree.
//!
//! The crate pgn-reader has no line numbers and skips what it can't read. This reader reports the line of a fault, and finds the
//! next game by its first tag even after an unclosed comment.

use std::collections::{HashSet, VecDeque};
use std::io::{self, BufRead};
use std::mem;

use super::PgnFault;
use super::tokens::{Token, Tokenizer};
use super::tree::{Annotation, GameTree, MoveLine, MoveNode, ResultMarker};
use super::write::first_ply;

/// Maximum size of a game, in bytes of its texts and [`NODE_SIZE`] for each element.
const MOST_TEXT: usize = 16 << 20;
/// What an element of a tree takes besides its text, in bytes.
const NODE_SIZE: usize = 64;
/// Variations nested more deeply are kept, but not as variations.
pub(super) const MOST_NESTED: usize = 100;

/// A game that was read, with its faults. All of its text is in the tree, but for what is [too long](PgnFault::TooLong).
#[derive(Clone, Debug)]
pub struct ParsedGame {
    /// The game.
    pub tree: GameTree,
    /// The line on which the game begins, counted from 1.
    pub line: u64,
    /// Faults of the text and their lines, in their order. Moves are not checked.
    pub faults: Vec<(u64, PgnFault)>,
    /// The line of each move of the mainline.
    pub move_lines: Vec<u64>,
    /// The line of each move of the variations, in the order of the text.
    pub variation_lines: Vec<u64>,
    /// The line of the last tag `FEN` or `Variant`.
    pub setup_line: u64,
    /// Whether there is a result at the end of the movetext. If not, the tree has that of the tag `Result`.
    pub is_ended: bool,
}

/// An iterator over games as trees. Only one game is kept in memory. It ends after the last game or an error of the input.
///
/// ```
/// let text = "[White \"Fool\"]\n\n1. f3 {weak} e5 (1... d5) 2. g4? Qh4# 0-1\n";
/// let game = game::TreeReader::new(text.as_bytes()).next().unwrap().unwrap();
/// assert_eq!(game.tree.tag("White"), Some("Fool"));
/// assert_eq!(game.tree.mainline.moves[1].variations().next().unwrap().moves[0].text, "d5");
/// assert_eq!(game.tree.write(), "[White \"Fool\"]\n\n1. f3 {weak} 1... e5 (1... d5) 2. g4 $2 Qh4# 0-1\n\n");
/// ```
pub struct TreeReader<R> {
    tokens: Tokenizer<R>,
    /// Tokens that were read ahead, and their lines.
    ahead: VecDeque<(Token, u64)>,
    /// What stands before the next game.
    leading: PartialGame,
    is_over: bool,
}

impl<R: BufRead> TreeReader<R> {
    /// Reads all games in `input`. Text that is not UTF-8 is read as ISO 8859-1.
    pub fn new(input: R) -> TreeReader<R> {
        TreeReader {
            tokens: Tokenizer::new(input),
            ahead: VecDeque::new(),
            leading: PartialGame::default(),
            is_over: false,
        }
    }

    fn token(&mut self) -> io::Result<Option<(Token, u64)>> {
        match self.ahead.pop_front() {
            Some(next) => Ok(Some(next)),
            None => self.read_token(),
        }
    }

    fn read_token(&mut self) -> io::Result<Option<(Token, u64)>> {
        Ok(self.tokens.next()?.map(|token| (token, self.tokens.token_line)))
    }

    fn read_game(&mut self) -> io::Result<Option<ParsedGame>> {
        let mut game = mem::take(&mut self.leading);
        while let Some((token, line)) = self.token()? {
            match token {
                Token::Tag { ref name, .. } if game.ends_before(name, line) => {
                    self.ahead.push_front((token, line));
                    break;
                }
                Token::Word(word) if game.open.is_empty() && self.is_end(&word, line)? => {
                    game.begin(Section::Movetext, line);
                    game.result = ResultMarker::of(&word);
                    self.read_trailing(&mut game, line)?;
                    break;
                }
                token => self.take(&mut game, token, line)?,
            }
        }
        Ok(game.finish())
    }

    /// Whether a word is the result. One that is spelled otherwise must be the last word before the next tags, a blank line or the end.
    fn is_end(&mut self, word: &str, line: u64) -> io::Result<bool> {
        let result = ResultMarker::of(word);
        if result.is_none_or(|result| result.as_str() == word) {
            return Ok(result.is_some());
        }
        for place in 0.. {
            if place == self.ahead.len() {
                let Some(next) = self.read_token()? else { break };
                self.ahead.push_back(next);
            }
            let (token, begun) = &self.ahead[place];
            match token {
                Token::Tag { .. } => break,
                // Behind a variation that is nested too deeply nothing may have been read.
                Token::Word(_) | Token::Number(_) | Token::VariationBegin | Token::VariationEnd => {
                    return Ok(place == 0 && *begun > line + 1);
                }
                _ => {}
            }
        }
        Ok(true)
    }

    fn take(&mut self, game: &mut PartialGame, token: Token, line: u64) -> io::Result<()> {
        let is_too_deep = token == Token::VariationBegin && game.open.len() == MOST_NESTED;
        game.take(if is_too_deep { self.tokens.deep_variation()? } else { token }, line);
        Ok(())
    }

    /// Reads what stands behind the result on its line, or before the end of the input, into the game; what comes later belongs
    /// to the next game.
    fn read_trailing(&mut self, game: &mut PartialGame, end: u64) -> io::Result<()> {
        let mut later = PartialGame::default();
        loop {
            let Some((token, line)) = self.token()? else {
                game.append(later);
                return Ok(());
            };
            match token {
                Token::Comment(_) | Token::Glyph(_) | Token::Other(_) | Token::VariationBegin
                    if line == end =>
                {
                    self.take(game, token, line)?;
                }
                token if !game.open.is_empty() && !matches!(token, Token::Tag { .. }) => {
                    self.take(game, token, line)?;
                }
                Token::Comment(_) | Token::Other(_) => {
                    later.first_line.get_or_insert(line);
                    later.take(token, line);
                }
                token => {
                    self.ahead.push_front((token, line));
                    self.leading = later;
                    return Ok(());
                }
            }
        }
    }
}

impl<R: BufRead> Iterator for TreeReader<R> {
    type Item = io::Result<ParsedGame>;

    fn next(&mut self) -> Option<io::Result<ParsedGame>> {
        if self.is_over {
            return None;
        }
        let game = self.read_game().transpose();
        self.is_over = matches!(game, None | Some(Err(_)));
        game
    }
}

/// The section of a game that is being read.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Section {
    #[default]
    Nothing,
    Tags,
    Movetext,
}

/// A game that is being read.
#[derive(Default)]
struct PartialGame {
    section: Section,
    first_line: Option<u64>,
    /// The line of the last token, if it was a tag.
    tag_line: Option<u64>,
    tags: Vec<(String, String)>,
    /// The names of the tags.
    names: HashSet<String>,
    /// Where the moves begin, as in [`first_ply`].
    first_ply: Option<u64>,
    setup_line: u64,
    mainline: MoveLine,
    move_lines: Vec<u64>,
    variation_lines: Vec<u64>,
    /// The open variations, the outermost one first.
    open: Vec<MoveLine>,
    /// The line of the outermost open variation.
    variation_line: u64,
    result: Option<ResultMarker>,
    size: usize,
    is_too_long: bool,
    faults: Vec<(u64, PgnFault)>,
}

impl PartialGame {
    /// Whether a tag begins the next game. The tags are in any order in the import format (PGN standard, 8.1.1). A game without
    /// movetext ends before a second `Event`. It also ends before `Event` or a tag that it has already where an empty line or text
    /// that is no tag stands between.
    fn ends_before(&self, name: &str, line: u64) -> bool {
        let is_known = self.names.contains(name);
        let is_apart = self.tag_line.is_none_or(|last| line > last + 1);
        match self.section {
            Section::Nothing => false,
            Section::Tags => (name == "Event" && (is_known || is_apart)) || (is_known && is_apart),
            Section::Movetext => true,
        }
    }

    fn begin(&mut self, section: Section, line: u64) {
        self.first_line.get_or_insert(line);
        self.section = self.section.max(section);
    }

    /// Adds a token other than the result. Of a game that is too long, the rest is left out.
    fn take(&mut self, token: Token, line: u64) {
        self.tag_line = matches!(token, Token::Tag { .. }).then_some(line);
        if self.is_too_long {
            return;
        }
        match token {
            Token::Tag { name, value } => {
                self.begin(Section::Tags, line);
                if matches!(name.as_str(), "FEN" | "Variant") {
                    self.setup_line = line;
                }
                if name == "FEN" && !self.names.contains("FEN") {
                    self.first_ply = first_ply(&value);
                }
                self.grow(name.len() + value.len(), line);
                self.names.insert(name.clone());
                self.tags.push((name, value));
            }
            Token::Word(word) => {
                self.begin(Section::Movetext, line);
                self.grow(word.len(), line);
                self.add_word(word, line);
            }
            Token::Number(number) if number.parse() == Ok(self.move_number()) => {}
            Token::Number(text) => {
                self.begin(Section::Movetext, line);
                self.add(Annotation::Other(text), line);
            }
            Token::Comment(text) => self.add(Annotation::Comment(text), line),
            Token::Glyph(number) => self.add(Annotation::Glyph(number), line),
            Token::Other(text) => self.add(Annotation::Other(text), line),
            Token::VariationBegin => self.open_variation(line),
            Token::VariationEnd => self.close_variation(line),
            Token::Faulty(fault, text) => {
                self.begin(Section::Tags, line);
                let is_comment = matches!(fault, PgnFault::UnclosedComment | PgnFault::TooLong);
                // Variations that are too deep are told once.
                if fault != PgnFault::TooDeep || self.faults.iter().all(|(_, told)| *told != fault) {
                    self.faults.push((line, fault));
                }
                match is_comment {
                    _ if text.is_empty() => {}
                    true => self.add(Annotation::Comment(text), line),
                    false => self.add(Annotation::Other(text), line),
                }
            }
        }
    }

    /// Adds what was read behind the game.
    fn append(&mut self, later: PartialGame) {
        later.mainline.before.into_iter().for_each(|annotation| self.annotate(annotation));
        self.faults.extend(later.faults);
    }

    fn grow(&mut self, bytes: usize, line: u64) {
        self.size += bytes + NODE_SIZE;
        if self.size > MOST_TEXT && !self.is_too_long {
            self.is_too_long = true;
            self.faults.push((line, PgnFault::TooLong));
        }
    }

    /// The number of the next move.
    fn move_number(&self) -> u64 {
        let mut ply = self.first_ply.unwrap_or(2);
        let mut parent = &self.mainline;
        for line in &self.open {
            // A variation replaces the last move.
            ply += parent.moves.len().saturating_sub(1) as u64;
            parent = line;
        }
        let next = ply + parent.moves.len() as u64;
        next / 2
    }

    fn line(&mut self) -> &mut MoveLine {
        self.open.last_mut().unwrap_or(&mut self.mainline)
    }

    fn add(&mut self, annotation: Annotation, line: u64) {
        if let Annotation::Comment(text) | Annotation::Other(text) = &annotation {
            self.grow(text.len(), line);
        } else {
            self.grow(0, line);
        }
        self.annotate(annotation);
    }

    fn annotate(&mut self, annotation: Annotation) {
        let MoveLine { before, moves } = self.line();
        moves.last_mut().map_or(before, |last| &mut last.after).push(annotation);
    }

    fn add_word(&mut self, word: String, line: u64) {
        if !self.open.is_empty() && ResultMarker::of(&word).is_some() {
            return self.annotate(Annotation::Other(word));
        }
        let lines = if self.open.is_empty() { &mut self.move_lines } else { &mut self.variation_lines };
        lines.push(line);
        self.line().moves.push(MoveNode::new(word));
    }

    fn open_variation(&mut self, line: u64) {
        self.begin(Section::Movetext, line);
        if self.open.is_empty() {
            self.variation_line = line;
        }
        self.grow(0, line);
        self.open.push(MoveLine::default());
    }

    fn close_variation(&mut self, line: u64) {
        self.begin(Section::Movetext, line);
        if let Some(variation) = self.open.pop() {
            self.annotate(Annotation::Variation(variation));
        } else {
            self.faults.push((line, PgnFault::UnopenedVariation));
            self.add(Annotation::Other(")".to_owned()), line);
        }
    }

    /// The game; `None` if nothing was read.
    fn finish(mut self) -> Option<ParsedGame> {
        if self.section == Section::Nothing {
            return None;
        }
        if !self.open.is_empty() {
            self.faults.push((self.variation_line, PgnFault::UnclosedVariation));
            self.result = self.result.or_else(|| self.take_last_result());
        }
        while let Some(variation) = self.open.pop() {
            self.annotate(Annotation::Variation(variation));
        }
        self.faults.sort_by_key(|(line, _)| *line);
        let is_ended = self.result.is_some();
        let mut tree = GameTree { tags: self.tags, mainline: self.mainline, result: ResultMarker::Open };
        tree.result = self.result.or_else(|| ResultMarker::of(tree.tag("Result")?)).unwrap_or_default();
        let line = self.first_line.unwrap_or_default();
        let PartialGame { faults, move_lines, variation_lines, setup_line, .. } = self;
        Some(ParsedGame { tree, line, faults, move_lines, variation_lines, setup_line, is_ended })
    }

    /// Takes the result that stands at the end of a variation that is not closed.
    fn take_last_result(&mut self) -> Option<ResultMarker> {
        let MoveLine { before, moves } = self.line();
        let annotations = moves.last_mut().map_or(before, |last| &mut last.after);
        let Some(Annotation::Other(text)) = annotations.last() else { return None };
        let result = ResultMarker::of(text)?;
        annotations.pop();
        Some(result)
    }
}
