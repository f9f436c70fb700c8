//! Moves as operands.
//!
//! Moves are looked up in the position of the record while their operation is read, so that faults have columns. Other
//! notations than SAN (`e2e4`, `bm #3`) are corrected only on request. Written SAN is canonical: `Qd1` becomes `Qd1+`.

use std::borrow::Cow;
use std::iter;

use game::epd::{Findings, Repair, Rule, Severity};
use game::{CastlingMode, Chess, Move, excerpt};
use shakmaty::san::{San, SanPlus, Suffix};
use shakmaty::{Position as _, Role};

use super::operation::Text;
use super::repair::PieceLetters;

/// A move as an operand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EpdMove<'a> {
    /// A legal move with its SAN.
    Legal(Move, SanPlus),
    /// SAN of a move that is illegal or was not checked.
    San(SanPlus),
    /// Text that is not SAN, as read.
    Text(Text<'a>),
}

impl EpdMove<'_> {
    /// Creates an operand from a legal move of a position.
    pub fn new(chess: &Chess, mv: Move) -> EpdMove<'static> {
        EpdMove::Legal(mv, san_and_play(&mut chess.clone(), mv))
    }

    /// Creates operands from a line of moves, up to the first illegal one.
    pub fn line(chess: &Chess, moves: &[Move]) -> Vec<EpdMove<'static>> {
        let mut chess = chess.clone();
        let mut legal = moves.iter().copied();
        iter::from_fn(|| {
            let mv = legal.next().filter(|mv| chess.is_legal(*mv))?;
            Some(EpdMove::Legal(mv, san_and_play(&mut chess, mv)))
        })
        .collect()
    }

    /// Returns the move if it is known to be legal.
    pub fn legal(&self) -> Option<Move> {
        match self {
            EpdMove::Legal(mv, _) => Some(*mv),
            EpdMove::San(_) | EpdMove::Text(_) => None,
        }
    }

    /// Returns an owned copy if the move is known to be legal.
    pub fn to_legal(&self) -> Option<EpdMove<'static>> {
        self.legal().is_some().then(|| self.to_owned_move())
    }

    /// Returns an owned copy.
    pub fn to_owned_move(&self) -> EpdMove<'static> {
        match self {
            EpdMove::Legal(mv, san) => EpdMove::Legal(*mv, *san),
            EpdMove::San(san) => EpdMove::San(*san),
            EpdMove::Text(text) => EpdMove::Text(Cow::Owned(text.clone().into_owned())),
        }
    }

    pub(super) fn write(&self, out: &mut String) {
        match self {
            EpdMove::Legal(_, san) | EpdMove::San(san) => san.append_to_string(out),
            EpdMove::Text(text) => out.push_str(&printing(text)),
        }
    }

    /// Returns the text of the move.
    pub fn text(&self) -> String {
        let mut text = String::new();
        self.write(&mut text);
        text
    }
}

/// Returns the SAN of a legal move and plays it. shakmaty's own function generates the moves of the next position even
/// without a check.
fn san_and_play(chess: &mut Chess, mv: Move) -> SanPlus {
    let san = San::from_move(chess, mv);
    chess.play_unchecked(mv);
    let suffix = match (chess.is_check(), chess.is_check() && chess.legal_moves().is_empty()) {
        (false, _) => None,
        (true, false) => Some(Suffix::Check),
        (true, true) => Some(Suffix::Checkmate),
    };
    SanPlus { san, suffix }
}

/// Reads SAN. A pawn move names its origin by the file of a capture only; anything more is coordinate notation.
fn read_san(text: &str) -> Option<SanPlus> {
    let read = SanPlus::from_ascii(text.as_bytes()).ok()?;
    let is_san = match read.san {
        San::Normal { role: Role::Pawn, file, rank, capture, .. } => {
            file.is_some() == capture && rank.is_none()
        }
        San::Normal { .. } | San::Castle(_) => true,
        San::Put { .. } | San::Null => false,
    };
    is_san.then_some(read)
}

/// Settings for reading moves.
#[derive(Clone, Copy)]
pub(super) struct MoveReader<'p> {
    /// Position in which moves are looked up; `None` to check the syntax only.
    pub(super) position: Option<&'p (Chess, CastlingMode)>,
    /// Whether other notations than SAN are corrected.
    pub(super) repairs: bool,
    /// Letters of the pieces in repaired moves.
    pub(super) letters: PieceLetters,
}

impl MoveReader<'_> {
    /// Whether an operand is no move but belongs to the notation of one: a move number, a check or `e.p.` on its own. Only
    /// when moves are repaired.
    pub(super) fn passes_over(self, text: &str) -> bool {
        let number = text.trim_end_matches('.');
        let is_number = number.len() < text.len() && number.bytes().all(|byte| byte.is_ascii_digit());
        self.repairs
            && (is_number || matches!(text, "+" | "#" | "++" | "e.p." | "ep" | "!" | "!!" | "!?" | "?!"))
    }

    /// Reads one move.
    pub(super) fn one<'a>(self, text: &'a str, at: usize, findings: &mut Findings<'_>) -> EpdMove<'a> {
        match self.position {
            Some((chess, mode)) => self.find(&mut chess.clone(), *mode, text, at, findings),
            None => read_unplaced(text, at, findings),
        }
    }

    /// Reads a line of moves. After an illegal move only the syntax is checked.
    pub(super) fn line<'a>(
        self,
        texts: impl Iterator<Item = (&'a str, usize)>,
        findings: &mut Findings<'_>,
    ) -> Vec<EpdMove<'a>> {
        let mut position = self.position.cloned();
        let read = texts.map(|(text, at)| match &mut position {
            None => read_unplaced(text, at, findings),
            Some((chess, mode)) => {
                let mv = self.find(chess, *mode, text, at, findings);
                if mv.legal().is_none() {
                    position = None;
                }
                mv
            }
        });
        read.collect()
    }

    /// Looks up a move and plays it.
    fn find<'a>(
        self,
        chess: &mut Chess,
        mode: CastlingMode,
        text: &'a str,
        at: usize,
        findings: &mut Findings<'_>,
    ) -> EpdMove<'a> {
        let text = cleaned(text);
        let read = read_san(&text);
        let respelled = if self.repairs { respelled(&text, self.letters) } else { None };
        // Letters of another language come before the same letters in English.
        let is_english = respelled.is_none() || self.letters == PieceLetters::English;
        if let Some(san) = read.filter(|_| is_english)
            && let Ok(mv) = san.san.to_move(chess)
        {
            let written = san_and_play(chess, mv);
            if written != san || !is_canonical(&text) {
                let message = format!("`{}` should be written {written}", excerpt(&text));
                findings.report(at, Rule::T2, Severity::Warning, message);
            }
            return EpdMove::Legal(mv, written);
        }
        let respelled = respelled.and_then(|text| game::read_move(chess, mode, &text).ok());
        match respelled.map_or_else(|| game::read_move(chess, mode, &text), Ok) {
            Ok(mv) => {
                let written = san_and_play(chess, mv);
                let message = format!("`{}` is not SAN; expected {written}", excerpt(&text));
                match self.repairs {
                    true if read == Some(written) => {}
                    true => findings.report_repaired(at, Rule::T2, Repair::Moves, message),
                    false => findings.report(at, Rule::T2, Severity::Error, message),
                }
                if self.repairs { EpdMove::Legal(mv, written) } else { unread(read, text) }
            }
            Err(error) => {
                let rule = if read.is_some() { Rule::X9 } else { Rule::T2 };
                findings.report(at, rule, Severity::Error, error.to_string());
                unread(read, text)
            }
        }
    }
}

/// The usual spelling of a move that is written in another: with a move number, annotations, figurines, other signs or letters of
/// another language; `None` if nothing but a check changes.
fn respelled(text: &str, letters: PieceLetters) -> Option<String> {
    let number = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let behind = text[number..].trim_start_matches(['.', '\u{2026}']);
    let is_numbered = number > 0 && behind.len() < text.len() - number;
    let mut rest = if is_numbered { behind } else { text };
    for suffix in ["e.p.", "ep", "+-", "-+", "\u{2020}", "\u{2021}", "mate", "ch"] {
        rest = rest.strip_suffix(suffix).unwrap_or(rest);
    }
    let rest = rest.trim_end_matches(['!', '?', '+', '#']);
    let promotion = rest.rfind(['1', '8']).and_then(|at| {
        let behind = rest[at + 1..].trim_end_matches(')').trim_start_matches(['=', '(', '/']);
        let (piece, "") = piece(behind, letters)? else { return None };
        Some((&rest[..=at], piece))
    });
    let (moved, promotion) = match promotion {
        Some((moved, piece)) => (moved, format!("={piece}")),
        None => (rest, String::new()),
    };
    let (first, moved) = match piece(moved, letters) {
        Some((piece, moved)) => (String::from(piece), moved),
        None => (String::new(), moved.trim_start_matches(['\u{2659}', '\u{265f}'])),
    };
    let moved = moved.replace(['\u{d7}', ':'], "x").replace(['\u{2010}', '\u{2013}', '\u{2014}'], "-");
    let spelled = first + &moved + &promotion;
    (spelled != text.trim_end_matches(['+', '#'])).then_some(spelled)
}

/// Splits a text that begins with a piece, as a letter of a language or as a figurine, into the English letter and the rest.
fn piece(text: &str, letters: PieceLetters) -> Option<(char, &str)> {
    let figurine = text.chars().next().filter(|first| ('\u{2654}'..='\u{265e}').contains(first));
    match figurine {
        Some('\u{2659}') => None,
        Some(figurine) => {
            let english = "KQRBN".chars().nth((figurine as usize - 0x2654) % 6)?;
            Some((english, &text[figurine.len_utf8()..]))
        }
        None => letters.split(text),
    }
}

/// Reads a move without a position.
fn read_unplaced<'a>(text: &'a str, at: usize, findings: &mut Findings<'_>) -> EpdMove<'a> {
    let text = cleaned(text);
    let read = read_san(&text);
    if read.is_none() {
        findings.report(at, Rule::T2, Severity::Error, format!("`{}` is not a move in SAN", excerpt(&text)));
    }
    unread(read, text)
}

/// Keeps canonical SAN as SAN and anything else as text.
fn unread(read: Option<SanPlus>, text: Text<'_>) -> EpdMove<'_> {
    match read {
        Some(san) if is_canonical(&text) => EpdMove::San(san),
        _ => EpdMove::Text(text),
    }
}

/// Returns true if valid SAN is written canonically: no letter for pawns, promotions in capitals.
fn is_canonical(text: &str) -> bool {
    let promotion = text.bytes().skip_while(|byte| *byte != b'=').nth(1);
    !text.starts_with('P') && promotion.is_none_or(|letter| letter.is_ascii_uppercase())
}

/// Text that can be written inside a string operand or as a move: no control characters (see [`printing`]), and
/// apostrophes for quotation marks, which EPD cannot write inside a string.
pub(crate) fn cleaned(text: &str) -> Text<'_> {
    match printing(text) {
        text if text.contains('"') => Cow::Owned(text.replace('"', "'")),
        text => text,
    }
}

/// Replaces control characters, which would break the line or move a terminal's cursor. Other characters outside ASCII
/// are kept, because they may be part of a name. Text is cleaned when it is read, so that reading what was written is
/// identity.
pub(super) fn printing(text: &str) -> Text<'_> {
    if text.contains(char::is_control) {
        Cow::Owned(text.replace(char::is_control, "?"))
    } else {
        Cow::Borrowed(text)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn san_is_known_to_be_as_it_is_written(text in "P?[NBRQK]?[a-c]?[1-8]?x?[a-c][1-8](=[NBRQnbrqk])?[+#]?|O-O(-O)?\\+?") {
            if let Some(san) = read_san(&text) {
                prop_assert_eq!(is_canonical(&text), san.to_string() == text, "{}", san);
            }
        }
    }
}
