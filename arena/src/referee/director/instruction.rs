//! What an order wants, read once from its words.

use std::time::Duration;

use game::{Color, Outcome, TimeControl, TimeControlError};

use super::HELP;

/// What an order wants; [`HELP`] tells what each does. An operand that is read only after the event was asked about another one is
/// kept as text, and so is a name with the director's reason.
#[derive(Clone, Debug)]
pub(in crate::referee) enum Instruction {
    Status,
    Pairings,
    Help,
    Next,
    Pair([String; 2]),
    Repair(Option<String>),
    Control(TimeControl),
    Pause(Option<u64>),
    Resume(Option<u64>),
    Adjudicate { game: u64, result: String, reason: String },
    Correct { game: u64, outcome: Outcome, reason: String },
    Restart(u64),
    Rewind { game: u64, mv: String, clocks: Option<[Duration; 2]> },
    Clock { change: ClockChange, game: u64, side: String, seconds: String },
    Forfeit(String),
    Kick(String),
    Withdraw(String),
    Readmit(String),
    Enter(String),
    Start(String),
    Stop(String),
    Alone { is_other_lost: bool },
    Broadcast(String),
    Quit { is_pause: bool },
}

/// What an order does with the clock of a side.
#[derive(Clone, Copy, Debug)]
pub(in crate::referee) enum ClockChange {
    Add,
    Take,
    Set,
}

/// Why an order can't be cut into words.
const UNCLOSED: &str = "a quotation mark is not closed";

/// Whether an order can't be undone. Its first word tells, also of one that can't be understood.
pub(super) fn is_grave(order: &str) -> bool {
    let grave = ["adjudicate", "correct", "exit", "forfeit", "quit", "restart", "rewind", "withdraw"];
    order.split_whitespace().next().is_some_and(|word| grave.contains(&word))
}

impl Instruction {
    /// Reads an order, or says why it can't be understood. Its first word stands without quotation marks. A text at its end is kept
    /// as it is typed, quotation marks and all.
    pub(super) fn parse(order: &str) -> Result<Instruction, String> {
        let (word, text) = first_word(order.trim_start());
        let (game, rest) = first_word(text);
        let (result, reason) = first_word(rest);
        let (has_text, has_result) = (!text.is_empty(), !result.is_empty());
        let (owned, reason) = (text.to_owned(), reason.to_owned());
        Ok(match word {
            "adjudicate" if has_result => {
                Instruction::Adjudicate { game: number(game)?, result: result.to_owned(), reason }
            }
            "correct" if has_result => {
                Instruction::Correct { outcome: verdict(result)?, game: number(game)?, reason }
            }
            "broadcast" if has_text => Instruction::Broadcast(owned),
            "forfeit" if has_text => Instruction::Forfeit(owned),
            "kick" | "drop" if has_text => Instruction::Kick(owned),
            "withdraw" if has_text => Instruction::Withdraw(owned),
            "readmit" if has_text => Instruction::Readmit(owned),
            "start" if has_text => Instruction::Start(last_name(text)),
            "stop" if has_text => Instruction::Stop(last_name(text)),
            _ => return Instruction::of_words(word, &split(text)?),
        })
    }

    /// Reads an order of separate words.
    fn of_words(word: &str, operands: &[String]) -> Result<Instruction, String> {
        let named_game = || operands.first().map(|game| number(game)).transpose();
        Ok(match (word, operands) {
            ("status" | "s", []) => Instruction::Status,
            ("pairings" | "games", []) => Instruction::Pairings,
            ("help" | "?", []) => Instruction::Help,
            ("next", []) => Instruction::Next,
            ("pair", [one, other]) => Instruction::Pair([one.clone(), other.clone()]),
            ("repair", [] | [_]) => Instruction::Repair(operands.first().cloned()),
            ("tc", [text]) => Instruction::Control(control(text)?),
            ("pause", [] | [_]) => Instruction::Pause(named_game()?),
            ("resume", [] | [_]) => Instruction::Resume(named_game()?),
            ("restart", [game]) => Instruction::Restart(number(game)?),
            ("rewind", [game, mv]) => {
                Instruction::Rewind { clocks: None, game: number(game)?, mv: mv.clone() }
            }
            ("rewind", [game, mv, white, black]) => {
                let clocks = Some([ClockChange::Set.time(white)?, ClockChange::Set.time(black)?]);
                Instruction::Rewind { clocks, game: number(game)?, mv: mv.clone() }
            }
            ("add" | "take" | "clock", [game, side, seconds]) => {
                let change = match word {
                    "add" => ClockChange::Add,
                    "take" => ClockChange::Take,
                    _ => ClockChange::Set,
                };
                let (side, seconds) = (side.clone(), seconds.clone());
                Instruction::Clock { change, game: number(game)?, side, seconds }
            }
            ("enter", [name]) => Instruction::Enter(name.clone()),
            ("alone", []) => Instruction::Alone { is_other_lost: false },
            ("alone", [lost]) if lost == "lost" => Instruction::Alone { is_other_lost: true },
            ("quit" | "exit", []) => Instruction::Quit { is_pause: false },
            ("quit", [pause]) if pause == "pause" => Instruction::Quit { is_pause: true },
            _ => return Err(misunderstood(word)),
        })
    }
}

impl ClockChange {
    /// Parses the seconds of a change. With nothing on its clock a side would have lost at once.
    pub(super) fn time(self, text: &str) -> Result<Duration, String> {
        let seconds = text.parse::<f64>().ok().filter(|seconds| (0.0..1e6).contains(seconds));
        let seconds = seconds.ok_or_else(|| format!("`{}`: expected seconds", game::excerpt(text)))?;
        let time = Duration::from_secs_f64(seconds);
        match self {
            _ if !time.is_zero() => Ok(time),
            ClockChange::Set => Err("a clock needs more than 0 s; `adjudicate` ends the game".to_owned()),
            ClockChange::Add | ClockChange::Take => {
                Err(format!("`{}`: expected more than 0 s", game::excerpt(text)))
            }
        }
    }
}

/// Cuts an order into words.
pub(super) fn split(order: &str) -> Result<Vec<String>, String> {
    platform::split_words(order).map_err(|_| UNCLOSED.to_owned())
}

/// A name at the end of an order, without its quotation marks, if it has some.
fn last_name(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let name = quoted(&text).ok().filter(|(_, rest)| rest.is_empty()).map(|(name, _)| name);
    name.unwrap_or(text)
}

/// Cuts the first word off a text.
pub(super) fn first_word(text: &str) -> (&str, &str) {
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    (word, rest.trim_start())
}

/// Cuts a name in quotation marks off a text.
pub(super) fn quoted(text: &str) -> Result<(String, &str), String> {
    let is_mark = |c: char| text.starts_with(c) && "\"'".contains(c);
    let mut ends = text.match_indices(is_mark).map(|(at, mark)| at + mark.len()).skip(1);
    let name = |end| match split(&text[..end]).ok()?.as_mut_slice() {
        [name] => Some((std::mem::take(name), text[end..].trim_start())),
        _ => None,
    };
    ends.find_map(name).ok_or_else(|| UNCLOSED.to_owned())
}

/// Returns the error for an empty order, or a comment; for an unknown command or a wrong number of arguments.
pub(super) fn misunderstood(word: &str) -> String {
    if word.is_empty() || word.starts_with('#') {
        return "no command; `help` shows what there is".to_owned();
    }
    let known = HELP.lines().find(|line| line.split_whitespace().next() == Some(word));
    let known = known.and_then(|line| line.split("  ").next());
    known.map_or_else(
        || format!("`{}` is not understood; `help` shows what is", game::excerpt(word)),
        |known| format!("expected `{known}`"),
    )
}

/// Parses the number of a game, which is counted from 1.
fn number(text: &str) -> Result<u64, String> {
    let game = text.parse::<u64>().ok().and_then(|number| number.checked_sub(1));
    game.ok_or_else(|| format!("`{}` is no number of a game", game::excerpt(text)))
}

fn control(text: &str) -> Result<TimeControl, String> {
    text.parse().map_err(|error: TimeControlError| format!("{}: {error}", game::excerpt(text)))
}

pub(super) fn verdict(text: &str) -> Result<Outcome, String> {
    let outcome = Outcome::adjudicated(if text == "1/2" { "1/2-1/2" } else { text });
    outcome.ok_or_else(|| format!("`{}`: expected 1-0, 0-1 or 1/2-1/2", game::excerpt(text)))
}

pub(super) fn color(text: &str) -> Result<Color, String> {
    match text {
        "white" | "w" => Ok(Color::White),
        "black" | "b" => Ok(Color::Black),
        _ => Err(format!("`{}`: expected white or black", game::excerpt(text))),
    }
}
