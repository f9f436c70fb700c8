//! Messages from an engine to a GUI.

use std::fmt;
use std::str::FromStr;

use game::{Score, ScoreBound};
use shakmaty::uci::UciMove;

use crate::OptionKind;
use crate::names::{messages, names};

use super::words::{self, LineError, Parameter, Value, Words, malformed, parameters};

messages! {
    /// A message from an engine to a GUI.
    Message {
        words {
            /// End of names and options.
            UciOk = "uciok",
            /// The answer to `isready`.
            ReadyOk = "readyok",
        }

        /// The name of the engine.
        Name(String),
        /// The engine's authors.
        Author(String),
        /// The engine's decision, once for each `go`.
        BestMove {
            /// The move; [`UciMove::Null`] if there is none.
            best: UciMove,
            /// The reply on which the engine would ponder.
            ponder: Option<UciMove>,
        },
        /// State of the copy protection check.
        CopyProtection(Check),
        /// State of the registration check.
        Registration(Check),
        /// Information about the search.
        Info(Box<Info>),
        /// An option that can be set.
        Option {
            /// Its name, which may contain spaces.
            name: String,
            /// What can be set.
            kind: OptionKind,
        },
    }
}

names! {
    /// State of a check.
    Check {
        /// In progress.
        Checking = "checking",
        /// Passed.
        Ok = "ok",
        /// Failed.
        Error = "error",
    }
}

parameters! {
    "info";
    /// Information about the search; all fields are optional. The lines of moves come late and the text last, because
    /// following parameters could be read as a part of them.
    Info {
        /// The iteration, in plies.
        depth: Option<u32>,
        /// Selective depth, in plies.
        seldepth: Option<u32>,
        /// Rank of the line among several best lines, from 1.
        multipv: Option<u32>,
        /// The score of the line.
        score: Option<InfoScore>,
        /// Probabilities of a win, a draw and a loss for the engine, in permille. Not part of UCI, but several engines
        /// send them.
        wdl: Option<[u32; 3]>,
        /// Nodes searched.
        nodes: Option<u64>,
        /// Nodes per second.
        nps: Option<u64>,
        /// Use of the hash table, in permille.
        hashfull: Option<u32>,
        /// Successful tablebase probes.
        tbhits: Option<u64>,
        /// Successful probes of the Shredder endgame databases.
        sbhits: Option<u64>,
        /// Use of the processors, in permille.
        cpuload: Option<u32>,
        /// Search time, in milliseconds.
        time: Option<u64>,
        /// The root move that is being searched.
        currmove: Option<UciMove>,
        /// Its number, from 1.
        currmovenumber: Option<u32>,
        /// A move and the line that refutes it.
        refutation: Vec<UciMove>,
        /// The line that a processor searches.
        currline: Option<CurrentLine>,
        /// Principal variation.
        pv: Vec<UciMove>,
        /// Text for the user.
        string: Option<String>,
    }
}

/// The score of a line, from the engine's point of view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InfoScore {
    /// The value for the engine.
    pub value: Score,
    /// Bound of the score.
    pub bound: ScoreBound,
}

/// The line that a processor searches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CurrentLine {
    /// The processor, from 1; `None` if there is only one.
    pub cpu: Option<u32>,
    /// The line.
    pub moves: Vec<UciMove>,
}

/// Notation of an empty text.
pub const EMPTY: &str = "<empty>";

impl Message {
    /// Creates an `info string`.
    pub fn note(text: impl Into<String>) -> Message {
        Message::Info(Box::new(Info { string: Some(text.into()), ..Info::default() }))
    }
}

impl FromStr for Message {
    type Err = LineError;

    /// Reads a line. As UCI demands, words before the first name of a message are skipped.
    fn from_str(line: &str) -> Result<Message, LineError> {
        words::parse_line(line, "message", parse_named)
    }
}

/// Reads the message with this name; `None` if there is no such message.
fn parse_named(name: &str, words: &mut Words) -> Option<Result<Message, LineError>> {
    Some(match name {
        "id" => parse_id(words),
        "bestmove" => parse_best_move(words),
        "copyprotection" => parse_check("copyprotection", words).map(Message::CopyProtection),
        "registration" => parse_check("registration", words).map(Message::Registration),
        "info" => parse_info(words),
        "option" => parse_option(words),
        _ => Ok(Message::of_word(name)?),
    })
}

fn parse_id(words: &mut Words) -> Result<Message, LineError> {
    match words.next() {
        Some("name") => Ok(Message::Name(words.rest.to_owned())),
        Some("author") => Ok(Message::Author(words.rest.to_owned())),
        other => Err(malformed("id", "name or author", other.unwrap_or_default())),
    }
}

fn parse_best_move(words: &mut Words) -> Result<Message, LineError> {
    let word = words.next().unwrap_or_default();
    let best = match word {
        // UCI has no notation for "no move"; engines use these.
        "(none)" | "none" | "NULL" => UciMove::Null,
        _ => word.parse().map_err(|_| malformed("bestmove", "a move such as e2e4", word))?,
    };
    // A malformed ponder move does not invalidate the move.
    let ponder = (words.next() == Some("ponder")).then(|| words.next()?.parse().ok()).flatten();
    Ok(Message::BestMove { best, ponder })
}

fn parse_info(words: &mut Words) -> Result<Message, LineError> {
    let mut unread = Vec::new();
    let info = Info::read(words, &mut unread);
    unread.into_iter().next().map_or_else(|| Ok(Message::Info(Box::new(info))), Err)
}

fn parse_check(message: &'static str, words: &mut Words) -> Result<Check, LineError> {
    let word = words.next().unwrap_or_default();
    Check::named(word).ok_or_else(|| malformed(message, "checking, ok or error", word))
}

fn parse_option(words: &mut Words) -> Result<Message, LineError> {
    let all = words.rest;
    if words.next() != Some("name") {
        return Err(malformed("option", "name", all));
    }
    let name = words.until("type");
    let kind = words.next().unwrap_or_default();
    let kind = match kind {
        "check" => {
            words.until("default");
            OptionKind::Check(words.next() == Some("true"))
        }
        "spin" => parse_spin(words)?,
        "combo" => parse_combo(words),
        "button" => OptionKind::Button,
        "string" => {
            words.until("default");
            OptionKind::Text(if words.rest == EMPTY { String::new() } else { words.rest.to_owned() })
        }
        _ => return Err(malformed("option ... type", "check, spin, combo, button or string", kind)),
    };
    Ok(Message::Option { name, kind })
}

/// Reads the three numbers of a spin, which engines write in any order. Missing bounds mean an unlimited range.
fn parse_spin(words: &mut Words) -> Result<OptionKind, LineError> {
    let (mut value, mut min, mut max) = (0, i64::MIN, i64::MAX);
    while let Some(word) = words.next() {
        match word {
            "default" => value = i64::read(words, "option ... default")?,
            "min" => min = i64::read(words, "option ... min")?,
            "max" => max = i64::read(words, "option ... max")?,
            _ => {}
        }
    }
    Ok(OptionKind::Spin { value, min, max })
}

/// Reads the choices of a combo, which may contain spaces, and its default.
fn parse_combo(words: &mut Words) -> OptionKind {
    let (mut value, mut choices) = (String::new(), Vec::new());
    let words: Vec<&str> = words.collect();
    for part in words.chunk_by(|_, next| !matches!(*next, "default" | "var")) {
        match part {
            ["default", words @ ..] => value = words.join(" "),
            ["var", words @ ..] => choices.push(words.join(" ")),
            _ => {}
        }
    }
    OptionKind::Combo { value, choices }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Message::Name(name) => write!(f, "id name {name}"),
            Message::Author(author) => write!(f, "id author {author}"),
            Message::BestMove { best, ponder } => {
                write!(f, "bestmove {best}")?;
                ponder.write(f, "ponder")
            }
            Message::CopyProtection(check) => write!(f, "copyprotection {check}"),
            Message::Registration(check) => write!(f, "registration {check}"),
            Message::Info(info) => write!(f, "info{info}"),
            Message::Option { name, kind } => {
                write!(f, "option name {name} type ")?;
                write_kind(f, kind)
            }
            one_word => f.write_str(one_word.word()),
        }
    }
}

impl Value for InfoScore {
    fn read(words: &mut Words, _: &'static str) -> Result<InfoScore, LineError> {
        let unit = words.next().unwrap_or_default();
        let value = match unit {
            "cp" => Score::Centipawns(i32::read(words, "info score cp")?),
            "mate" => match i32::read(words, "info score mate")? {
                moves @ 1.. => Score::MateIn(moves.unsigned_abs()),
                moves => Score::MatedIn(moves.unsigned_abs()),
            },
            _ => return Err(malformed("info score", "cp or mate", unit)),
        };
        let bound = match words.peek() {
            Some("lowerbound") => ScoreBound::Lower,
            Some("upperbound") => ScoreBound::Upper,
            _ => return Ok(InfoScore { value, bound: ScoreBound::Exact }),
        };
        words.next();
        Ok(InfoScore { value, bound })
    }
}

impl fmt::Display for InfoScore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.value {
            Score::Centipawns(value) => write!(f, "cp {value}")?,
            Score::MateIn(moves) => write!(f, "mate {moves}")?,
            Score::MatedIn(0) => f.write_str("mate 0")?,
            Score::MatedIn(moves) => write!(f, "mate -{moves}")?,
        }
        f.write_str(match self.bound {
            ScoreBound::Exact => "",
            ScoreBound::Lower => " lowerbound",
            ScoreBound::Upper => " upperbound",
        })
    }
}

/// Probabilities of a win, a draw and a loss.
impl Parameter for Option<[u32; 3]> {
    fn read(words: &mut Words, name: &'static str) -> Result<Option<[u32; 3]>, LineError> {
        Ok(Some([u32::read(words, name)?, u32::read(words, name)?, u32::read(words, name)?]))
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, name: &str) -> fmt::Result {
        self.iter().try_for_each(|[win, draw, loss]| write!(f, " {name} {win} {draw} {loss}"))
    }
}

impl Parameter for Option<CurrentLine> {
    fn read(words: &mut Words, name: &'static str) -> Result<Option<CurrentLine>, LineError> {
        // The null move `0000` looks like a number, but is never the number of a processor.
        let is_cpu = words.peek().is_some_and(|word| word != "0000" && word.parse::<u32>().is_ok());
        let cpu = if is_cpu { Some(u32::read(words, name)?) } else { None };
        Ok(Some(CurrentLine { cpu, moves: Parameter::read(words, name)? }))
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, name: &str) -> fmt::Result {
        let Some(CurrentLine { cpu, moves }) = self else { return Ok(()) };
        write!(f, " {name}")?;
        cpu.iter().try_for_each(|cpu| write!(f, " {cpu}"))?;
        moves.iter().try_for_each(|m| write!(f, " {m}"))
    }
}

fn write_kind(f: &mut fmt::Formatter<'_>, kind: &OptionKind) -> fmt::Result {
    match kind {
        OptionKind::Check(on) => write!(f, "check default {on}"),
        OptionKind::Spin { value, min, max } => write!(f, "spin default {value} min {min} max {max}"),
        OptionKind::Combo { value, choices } => {
            write!(f, "combo default {value}")?;
            choices.iter().try_for_each(|choice| write!(f, " var {choice}"))
        }
        OptionKind::Button => f.write_str("button"),
        OptionKind::Text(text) => {
            write!(f, "string default {}", if text.is_empty() { EMPTY } else { text })
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::option;
    use proptest::prelude::*;

    use super::super::strategies::{a_move, moves, text, words};
    use super::*;

    fn parsed(line: &str) -> Message {
        line.parse().unwrap_or_else(|error| panic!("{line}: {error}"))
    }

    fn info(line: &str) -> Info {
        match parsed(line) {
            Message::Info(info) => *info,
            other => panic!("not an info: {other:?}"),
        }
    }

    #[test]
    fn the_examples_of_the_uci_text() {
        let nullmove = Message::Option { name: "Nullmove".into(), kind: OptionKind::Check(true) };
        assert_eq!(parsed("option name Nullmove type check default true"), nullmove);
        let selectivity = OptionKind::Spin { value: 2, min: 0, max: 4 };
        assert_eq!(
            parsed("option name Selectivity type spin default 2 min 0 max 4"),
            Message::Option { name: "Selectivity".into(), kind: selectivity }
        );
        let style = OptionKind::Combo {
            value: "Normal".into(),
            choices: ["Solid", "Normal", "Risky"].map(Into::into).into(),
        };
        assert_eq!(
            parsed("option name Style type combo default Normal var Solid var Normal var Risky"),
            Message::Option { name: "Style".into(), kind: style }
        );
        let path = OptionKind::Text("c:\\".into());
        assert_eq!(
            parsed("option name NalimovPath type string default c:\\"),
            Message::Option { name: "NalimovPath".into(), kind: path }
        );
        let clear = Message::Option { name: "Clear Hash".into(), kind: OptionKind::Button };
        assert_eq!(parsed("option name Clear Hash type button"), clear);
    }

    #[test]
    fn what_engines_of_today_write() {
        let line = info(
            "info depth 20 seldepth 31 multipv 1 score cp -13 upperbound wdl 10 900 90 nodes 1234 nps 99 hashfull 3 \
             tbhits 0 time 12 pv e2e4 e7e5 g1f3",
        );
        let score = InfoScore { value: Score::Centipawns(-13), bound: ScoreBound::Upper };
        assert_eq!((line.depth, line.score, line.wdl), (Some(20), Some(score), Some([10, 900, 90])));
        assert_eq!((line.time, line.pv.len()), (Some(12), 3));
        assert_eq!(parsed("bestmove (none)"), Message::BestMove { best: UciMove::Null, ponder: None });
        assert_eq!(parsed("bestmove e7e8q ponder a2a1N").to_string(), "bestmove e7e8q ponder a2a1n");
    }

    #[test]
    fn text_is_kept_as_it_is() {
        assert_eq!(info("info string  two  spaces depth 3").string.as_deref(), Some("two  spaces depth 3"));
    }

    #[test]
    fn errors_say_what_was_expected() {
        let error = |line: &str| line.parse::<Message>().unwrap_err().to_string();
        assert_eq!(error("bestmove Nf3"), "bestmove needs a move such as e2e4, not \"Nf3\"");
        assert_eq!(error("info score 13"), "info score needs cp or mate, not \"13\"");
        assert_eq!(error("Stockfish by everybody"), "unknown message: Stockfish by everybody");
    }

    fn messages() -> impl Strategy<Value = Message> {
        prop_oneof![
            1 => text().prop_map(Message::Name),
            1 => text().prop_map(Message::Author),
            1 => Just(Message::UciOk),
            1 => Just(Message::ReadyOk),
            2 => (a_move(), option::of(a_move())).prop_map(|(best, ponder)| Message::BestMove { best, ponder }),
            1 => checks().prop_map(Message::CopyProtection),
            1 => checks().prop_map(Message::Registration),
            6 => infos().prop_map(|info| Message::Info(Box::new(info))),
            4 => (words(&["type"]), kinds()).prop_map(|(name, kind)| Message::Option { name, kind }),
        ]
    }

    fn checks() -> impl Strategy<Value = Check> {
        prop::sample::select(Check::ALL)
    }

    fn kinds() -> impl Strategy<Value = OptionKind> {
        let choice = || words(&["var", "default"]);
        prop_oneof![
            any::<bool>().prop_map(OptionKind::Check),
            any::<(i64, i64, i64)>().prop_map(|(value, min, max)| OptionKind::Spin { value, min, max }),
            (choice(), vec(choice(), 0..4)).prop_map(|(value, choices)| OptionKind::Combo { value, choices }),
            Just(OptionKind::Button),
            text()
                .prop_filter("the word for an empty text", |default| default != EMPTY)
                .prop_map(OptionKind::Text),
        ]
    }

    fn scores() -> impl Strategy<Value = InfoScore> {
        let value = prop_oneof![
            any::<i32>().prop_map(Score::Centipawns),
            (1..=i32::MAX as u32).prop_map(Score::MateIn),
            (0..=i32::MIN.unsigned_abs()).prop_map(Score::MatedIn),
        ];
        let bound = prop::sample::select(vec![ScoreBound::Exact, ScoreBound::Lower, ScoreBound::Upper]);
        (value, bound).prop_map(|(value, bound)| InfoScore { value, bound })
    }

    fn current_lines() -> impl Strategy<Value = CurrentLine> {
        (option::of(any::<u32>().prop_filter("0000", |cpu| *cpu != 0)), moves())
            .prop_map(|(cpu, moves)| CurrentLine { cpu, moves })
    }

    prop_compose! {
        fn infos()(
            [depth, seldepth, multipv, hashfull, cpuload, currmovenumber] in any::<[Option<u32>; 6]>(),
            [nodes, nps, tbhits, sbhits, time] in prop::array::uniform5(option::of(0..=i64::MAX as u64)),
            score in option::of(scores()),
            wdl in any::<Option<[u32; 3]>>(),
            currmove in option::of(a_move()),
            (refutation, pv) in (moves(), moves()),
            currline in option::of(current_lines()),
            string in option::of(text()),
        ) -> Info {
            Info {
                depth, seldepth, multipv, score, wdl, nodes, nps, hashfull, tbhits, sbhits, cpuload, time, currmove,
                currmovenumber, refutation, currline, pv, string,
            }
        }
    }

    proptest! {
        #[test]
        fn reading_what_was_written_gives_the_same(message in messages()) {
            prop_assert_eq!(message.to_string().parse::<Message>(), Ok(message));
        }

        #[test]
        fn any_line_can_be_read(line in "(info|option name|bestmove|id|)( (pv|score|cp|type|spin|currline|[a-h1-8]{4}))* [\\PC]{0,40}") {
            match line.parse::<Message>() {
                Ok(message) => prop_assert_eq!(message.to_string().parse::<Message>(), Ok(message)),
                Err(error) => prop_assert!(!error.to_string().is_empty()),
            }
        }
    }
}
