//! What an engine says to a GUI.

use std::fmt;

use super::feature::Feature;
use super::notation::{self, GameResult, first_word};
use super::thinking::ThinkingLine;

/// A message from an engine to a GUI: one line.
///
/// Texts are single lines without blanks at their ends; words are not empty and contain no blanks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// What the engine can do and wants.
    Features(Vec<Feature>),
    /// The answer to `ping`.
    Pong(i64),
    /// The engine's move; a leg of a longer move if it ends with a comma.
    Move(String),
    /// The engine resigns.
    Resign,
    /// The engine offers a draw, accepts one, or will claim one with its next move.
    OfferDraw,
    /// The game is over.
    Result {
        /// How it ended.
        result: GameResult,
        /// Why.
        comment: Option<String>,
    },
    /// The answer to `hint`.
    Hint(String),
    /// The answer to `.`.
    Status(Status),
    /// The move can't be played.
    IllegalMove {
        /// Why.
        reason: Option<String>,
        /// The move.
        mv: String,
    },
    /// The command can't be obeyed.
    Error {
        /// What is wrong.
        kind: String,
        /// The whole command.
        command: String,
    },
    /// An error that the user should see.
    TellUserError(String),
    /// A message for persons.
    Tell(Audience, String),
    /// A question for the user; the answer comes as `TAG TEXT`.
    AskUser {
        /// The word that will introduce the answer.
        tag: String,
        /// The question.
        question: String,
    },
    /// The start position of a variant.
    Setup {
        /// The letters of the men, in the GUI's order, without the parentheses.
        pieces: Option<String>,
        /// Size of the board, of the holdings and the parent variant: `8x8+0_normal`.
        board: Option<String>,
        /// The position.
        fen: String,
    },
    /// How a piece moves.
    Piece {
        /// Its letter; `&` after it stands for both colours.
        id: String,
        /// Its moves, in Betza's notation.
        betza: String,
    },
    /// Colours for squares.
    Highlight(String),
    /// As if the user had clicked there.
    Click(String),
    /// The pieces offered for a promotion.
    Choice(String),
    /// What the search has found.
    Thinking(ThinkingLine),
    /// A line of the answer to `bk`: it begins with a blank.
    BookLine(String),
    /// The empty line that ends the answer to `bk`.
    BookEnd,
    /// A line for people: it begins with `#`.
    Debug(String),
    /// Anything else.
    Other(String),
}

/// Whom a `tell...` message is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// The user at the GUI.
    User,
    /// The opponent.
    Opponent,
    /// All but the opponent.
    Others,
    /// All.
    All,
    /// The chess server.
    Ics,
    /// The chess server, without expanding aliases.
    IcsNoAlias,
}

impl Audience {
    const ALL: [Audience; 6] = [
        Audience::User,
        Audience::Opponent,
        Audience::Others,
        Audience::All,
        Audience::Ics,
        Audience::IcsNoAlias,
    ];

    const fn word(self) -> &'static str {
        match self {
            Audience::User => "telluser",
            Audience::Opponent => "tellopponent",
            Audience::Others => "tellothers",
            Audience::All => "tellall",
            Audience::Ics => "tellics",
            Audience::IcsNoAlias => "tellicsnoalias",
        }
    }

    fn of_word(word: &str) -> Option<Audience> {
        // The specification writes it both ways, XBoard knows only the longer one.
        let word = if word == "tellother" { "tellothers" } else { word };
        Audience::ALL.into_iter().find(|audience| audience.word() == word)
    }
}

/// How far an analysis is: `stat01: time nodes ply mvleft mvtot [mvname]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// The time spent.
    pub centiseconds: u64,
    /// Positions searched.
    pub nodes: u64,
    /// The iteration, in plies.
    pub depth: u32,
    /// Root moves that come after the one that is searched.
    pub moves_left: u32,
    /// Root moves in all.
    pub moves_total: u32,
    /// The root move that is searched.
    pub current: Option<String>,
}

impl Status {
    fn parse(text: &str) -> Option<Status> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let [time, nodes, depth, left, total, current @ ..] = &words[..] else { return None };
        Some(Status {
            centiseconds: time.parse().ok()?,
            nodes: nodes.parse().ok()?,
            depth: depth.parse().ok()?,
            moves_left: left.parse().ok()?,
            moves_total: total.parse().ok()?,
            current: current.first().map(|&mv| mv.to_owned()),
        })
    }
}

impl Message {
    /// Reads a line. Every line is some message: what isn't understood is [`Message::Other`].
    pub fn parse(line: &str) -> Message {
        // Before the line is trimmed, for an empty text still has its tab before it.
        if let Some(thinking) = ThinkingLine::parse(line) {
            return Message::Thinking(thinking);
        }
        let line = line.trim_end();
        let trimmed = line.trim_start();
        if line.is_empty() {
            return Message::BookEnd;
        }
        if let Some(text) = line.strip_prefix('#') {
            return Message::Debug(text.trim().to_owned());
        }
        if trimmed.len() < line.len() {
            return Message::BookLine(trimmed.to_owned());
        }
        parse_play(line)
            .or_else(|| parse_trouble(line))
            .or_else(|| parse_frill(line))
            .unwrap_or_else(|| Message::Other(line.to_owned()))
    }
}

fn parse_play(line: &str) -> Option<Message> {
    let (word, text) = first_word(line);
    let (next, more) = first_word(text);
    match (word, text) {
        ("feature", _) => Some(Message::Features(Feature::parse_line(text))),
        ("pong", _) => text.parse().ok().map(Message::Pong),
        ("resign", "") => Some(Message::Resign),
        ("offer", "draw") => Some(Message::OfferDraw),
        ("move", _) if !text.is_empty() && more.is_empty() => Some(Message::Move(next.to_owned())),
        ("Hint:", _) if !next.is_empty() => Some(Message::Hint(next.to_owned())),
        ("stat01:", _) => Status::parse(text).map(Message::Status),
        _ => word.parse().ok().map(|result| Message::Result { result, comment: notation::comment(text) }),
    }
}

fn parse_trouble(line: &str) -> Option<Message> {
    if let Some(rest) = line.strip_prefix("Illegal move") {
        let (reason, mv) = split_reason(rest)?;
        return Some(Message::IllegalMove { reason, mv });
    }
    if let Some(rest) = line.strip_prefix("Error") {
        let (kind, command) = split_reason(rest)?;
        return Some(Message::Error { kind: kind?, command });
    }
    match first_word(line) {
        ("tellusererror", text) => Some(Message::TellUserError(text.to_owned())),
        _ => None,
    }
}

/// Reads ` (REASON): TEXT` or `: TEXT`. The reason ends at the first `):`.
fn split_reason(rest: &str) -> Option<(Option<String>, String)> {
    match rest.trim_start().strip_prefix('(') {
        Some(rest) => {
            let (reason, text) = rest.split_once("):")?;
            Some((Some(reason.to_owned()), text.trim().to_owned()))
        }
        None => Some((None, rest.trim_start().strip_prefix(':')?.trim().to_owned())),
    }
}

fn parse_frill(line: &str) -> Option<Message> {
    let (word, text) = first_word(line);
    let (next, more) = first_word(text);
    match word {
        "askuser" if !next.is_empty() => {
            Some(Message::AskUser { tag: next.to_owned(), question: more.to_owned() })
        }
        "setup" if !text.is_empty() => Some(parse_setup(text)),
        "piece" if !more.is_empty() => Some(Message::Piece { id: next.to_owned(), betza: more.to_owned() }),
        "highlight" if !text.is_empty() => Some(Message::Highlight(text.to_owned())),
        "click" if !text.is_empty() => Some(Message::Click(text.to_owned())),
        "choice" if !text.is_empty() => Some(Message::Choice(text.to_owned())),
        _ => Audience::of_word(word).map(|audience| Message::Tell(audience, text.to_owned())),
    }
}

fn parse_setup(text: &str) -> Message {
    let Some((pieces, rest)) = text.strip_prefix('(').and_then(|rest| rest.split_once(')')) else {
        return Message::Setup { pieces: None, board: None, fen: text.to_owned() };
    };
    let (board, fen) = match first_word(rest) {
        // The word before a FEN; in a FEN itself it would be the last.
        (board, fen) if board.contains('_') && !board.contains('/') => (Some(board.to_owned()), fen),
        _ => (None, rest.trim()),
    };
    Message::Setup { pieces: Some(pieces.to_owned()), board, fen: fen.to_owned() }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Message::Features(features) => {
                f.write_str("feature")?;
                features.iter().try_for_each(|feature| write!(f, " {feature}"))
            }
            Message::Pong(n) => write!(f, "pong {n}"),
            Message::Move(mv) => write!(f, "move {mv}"),
            Message::Resign => f.write_str("resign"),
            Message::OfferDraw => f.write_str("offer draw"),
            Message::Result { result, comment } => notation::write_result(f, *result, comment.as_deref()),
            Message::Hint(mv) => write!(f, "Hint: {mv}"),
            Message::Status(status) => write!(f, "{status}"),
            Message::IllegalMove { reason: None, mv } => write!(f, "Illegal move: {mv}"),
            Message::IllegalMove { reason: Some(reason), mv } => write!(f, "Illegal move ({reason}): {mv}"),
            Message::Error { kind, command } => write!(f, "Error ({kind}): {command}"),
            Message::TellUserError(text) => write!(f, "tellusererror {text}"),
            Message::Tell(audience, text) => write!(f, "{} {text}", audience.word()),
            Message::AskUser { tag, question } => write!(f, "askuser {tag} {question}"),
            Message::Setup { pieces, board, fen } => {
                f.write_str("setup ")?;
                pieces.iter().try_for_each(|pieces| write!(f, "({pieces}) "))?;
                board.iter().try_for_each(|board| write!(f, "{board} "))?;
                f.write_str(fen)
            }
            Message::Piece { id, betza } => write!(f, "piece {id} {betza}"),
            Message::Highlight(colors) => write!(f, "highlight {colors}"),
            Message::Click(square) => write!(f, "click {square}"),
            Message::Choice(pieces) => write!(f, "choice {pieces}"),
            Message::Thinking(line) => write!(f, "{line}"),
            Message::BookLine(text) => write!(f, " {text}"),
            Message::BookEnd => Ok(()),
            Message::Debug(text) => write!(f, "# {text}"),
            Message::Other(text) => f.write_str(text),
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Status { centiseconds, nodes, depth, moves_left, moves_total, current } = self;
        write!(f, "stat01: {centiseconds} {nodes} {depth} {moves_left} {moves_total}")?;
        current.iter().try_for_each(|mv| write!(f, " {mv}"))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{feature, thinking};
    use super::*;

    #[test]
    fn the_forms_of_the_specification() {
        let table = [
            ("pong 7", Message::Pong(7)),
            ("move e7e8q", Message::Move("e7e8q".into())),
            ("move e1b1,", Message::Move("e1b1,".into())),
            ("resign", Message::Resign),
            ("offer draw", Message::OfferDraw),
            ("1-0", Message::Result { result: GameResult::WhiteWins, comment: None }),
            (
                "0-1 {Black mates}",
                Message::Result { result: GameResult::BlackWins, comment: Some("Black mates".into()) },
            ),
            ("Hint: e2e4", Message::Hint("e2e4".into())),
            ("Illegal move: e2e5", Message::IllegalMove { reason: None, mv: "e2e5".into() }),
            (
                "Illegal move (in check): e2e4",
                Message::IllegalMove { reason: Some("in check".into()), mv: "e2e4".into() },
            ),
            (
                "Error (unknown command): foo (bar): x",
                Message::Error { kind: "unknown command".into(), command: "foo (bar): x".into() },
            ),
            ("tellusererror Illegal position", Message::TellUserError("Illegal position".into())),
            ("tellother hello", Message::Tell(Audience::Others, "hello".into())),
            (
                "setup (PNBRQKpnbrqk) 8x8+0_normal 8/8 w - - 0 1",
                Message::Setup {
                    pieces: Some("PNBRQKpnbrqk".into()),
                    board: Some("8x8+0_normal".into()),
                    fen: "8/8 w - - 0 1".into(),
                },
            ),
            (
                "setup 8/8 w - - 0 1",
                Message::Setup { pieces: None, board: None, fen: "8/8 w - - 0 1".into() },
            ),
            ("piece P& fmWfceFifmnD", Message::Piece { id: "P&".into(), betza: "fmWfceFifmnD".into() }),
            ("# a word", Message::Debug("a word".into())),
            ("   e2e4 70%", Message::BookLine("e2e4 70%".into())),
            ("", Message::BookEnd),
            ("White has a better position", Message::Other("White has a better position".into())),
            ("pong", Message::Other("pong".into())),
            ("Error: none", Message::Other("Error: none".into())),
        ];
        for (line, message) in table {
            assert_eq!(Message::parse(line), message, "{line}");
        }
    }

    #[test]
    fn status_lines() {
        let status = Status {
            centiseconds: 120,
            nodes: 5000,
            depth: 9,
            moves_left: 11,
            moves_total: 20,
            current: Some("e2e4".into()),
        };
        assert_eq!(status.to_string(), "stat01: 120 5000 9 11 20 e2e4");
        assert_eq!(Message::parse("stat01: 120 5000 9 11 20 e2e4"), Message::Status(status));
    }

    fn word() -> impl Strategy<Value = String> {
        "[a-zA-Z][a-zA-Z0-9:/_-]{0,9}"
    }

    fn text() -> impl Strategy<Value = String> {
        "[a-zA-Zé/][a-zA-Zé0-9 /=]{0,20}[a-zA-Z]"
    }

    fn result() -> impl Strategy<Value = GameResult> {
        proptest::sample::select(vec![
            GameResult::WhiteWins,
            GameResult::BlackWins,
            GameResult::Draw,
            GameResult::Unfinished,
        ])
    }

    fn status() -> impl Strategy<Value = Status> {
        (any::<(u64, u64, u32, u32, u32)>(), proptest::option::of(word())).prop_map(|(numbers, current)| {
            Status {
                centiseconds: numbers.0,
                nodes: numbers.1,
                depth: numbers.2,
                moves_left: numbers.3,
                moves_total: numbers.4,
                current,
            }
        })
    }

    fn message() -> impl Strategy<Value = Message> {
        use proptest::option::of;
        let play = prop_oneof![
            proptest::collection::vec(feature::tests::feature(), 0..5).prop_map(Message::Features),
            any::<i64>().prop_map(Message::Pong),
            word().prop_map(Message::Move),
            Just(Message::Resign),
            Just(Message::OfferDraw),
            (result(), of(text())).prop_map(|(result, comment)| Message::Result { result, comment }),
            word().prop_map(Message::Hint),
            status().prop_map(Message::Status),
            thinking::tests::thinking_line().prop_map(Message::Thinking),
        ];
        let trouble = prop_oneof![
            (of(text()), text()).prop_map(|(reason, mv)| Message::IllegalMove { reason, mv }),
            (text(), text()).prop_map(|(kind, command)| Message::Error { kind, command }),
            text().prop_map(Message::TellUserError),
        ];
        let frills = prop_oneof![
            (proptest::sample::select(Audience::ALL.to_vec()), text())
                .prop_map(|(audience, text)| Message::Tell(audience, text)),
            (word(), text()).prop_map(|(tag, question)| Message::AskUser { tag, question }),
            (of("[PNBRQK]{1,6}"), of("[1-9]x[1-9]\\+0_[a-z]{1,6}"), "[a-h]{1,8}/[a-h]{1,8} w - -").prop_map(
                |(pieces, board, fen)| Message::Setup {
                    board: board.filter(|_| pieces.is_some()),
                    pieces,
                    fen
                }
            ),
            ("[A-Za-z]&?", "[A-Za-z]{1,6}").prop_map(|(id, betza)| Message::Piece { id, betza }),
            word().prop_map(Message::Highlight),
            word().prop_map(Message::Click),
            word().prop_map(Message::Choice),
            text().prop_map(Message::BookLine),
            Just(Message::BookEnd),
            text().prop_map(Message::Debug),
            text().prop_map(|text| Message::Other(format!("Xyzzy {text}"))),
        ];
        prop_oneof![play, trouble, frills]
    }

    proptest! {
        #[test]
        fn parse_after_display_is_identity(message in message()) {
            prop_assert_eq!(Message::parse(&message.to_string()), message);
        }

        #[test]
        fn any_line_is_some_message(
            line in "\\PC{0,60}|(feature|setup|stat01:|Error|Illegal move|[0-9 \t-]{8,20})[ (]?\\PC{0,40}"
        ) {
            let message = Message::parse(&line);
            // Showing it may tidy it, but not make another message of it.
            let again = Message::parse(&message.to_string());
            prop_assert_eq!(std::mem::discriminant(&again), std::mem::discriminant(&message));
        }
    }
}
