//! What programs write into comments: the commands `[%eval 0.35,14]` and `[%clk 0:04:59]`, and words between them.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use shakmaty::Color;

use super::tree::{Annotation, comments};
use crate::{Score, clock_face};

/// An evaluation from White's side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WhiteScore {
    /// An estimate in centipawns; positive is better for White.
    Centipawns(i32),
    /// Moves to mate: White mates if positive, Black if negative. A position with a mate on the board needs no score.
    Mate(i32),
}

impl WhiteScore {
    /// A score of the side `color`. `None` for a checkmate on the board.
    pub fn of(score: Score, color: Color) -> Option<WhiteScore> {
        let sign = color.fold_wb(1, -1);
        let mate = |moves: u32| (moves > 0).then(|| i32::try_from(moves).unwrap_or(i32::MAX));
        Some(match score {
            Score::Centipawns(centipawns) => WhiteScore::Centipawns(sign * centipawns),
            Score::MateIn(moves) => WhiteScore::Mate(sign * mate(moves)?),
            Score::MatedIn(moves) => WhiteScore::Mate(-sign * mate(moves)?),
        })
    }

    /// The score of the side `color`.
    pub fn score_for(self, color: Color) -> Score {
        let sign = color.fold_wb(1, -1);
        match self {
            WhiteScore::Centipawns(centipawns) => Score::Centipawns(sign * centipawns),
            WhiteScore::Mate(moves) if sign * moves > 0 => Score::MateIn(moves.unsigned_abs()),
            WhiteScore::Mate(moves) => Score::MatedIn(moves.unsigned_abs()),
        }
    }
}

/// Pawns with two decimals, or `#3`.
impl fmt::Display for WhiteScore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WhiteScore::Centipawns(centipawns) => write!(f, "{:.2}", f64::from(*centipawns) / 100.0),
            WhiteScore::Mate(moves) => write!(f, "#{moves}"),
        }
    }
}

/// The commands `[%name value]` of a comment: names and values.
///
/// ```
/// let commands: Vec<_> = game::comment_commands("[%eval 0.35,14] solid [%clk 0:04:59]").collect();
/// assert_eq!(commands, [("eval", "0.35,14"), ("clk", "0:04:59")]);
/// ```
pub fn comment_commands(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split("[%")
        .skip(1)
        .filter_map(|rest| rest.split_once(']'))
        .map(|(command, _)| command_parts(command))
}

fn command_parts(command: &str) -> (&str, &str) {
    command.split_once(' ').unwrap_or((command, ""))
}

/// A comment without the commands whose names are left out. Its other text stays as it is.
pub fn without_commands(text: &str, is_left_out: impl Fn(&str) -> bool) -> String {
    let mut parts = text.split("[%");
    let mut kept = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once(']').filter(|(command, _)| is_left_out(command_parts(command).0)) {
            Some((_, rest)) if kept.is_empty() || kept.ends_with(' ') => {
                kept.push_str(rest.strip_prefix(' ').unwrap_or(rest));
            }
            Some((_, rest)) => kept.push_str(rest),
            None => kept.extend(["[%", part]),
        }
    }
    kept
}

/// The comments among annotations as one text, for persons: without commands, with single spaces between words. `None` without
/// any.
pub fn comment_words(annotations: &[Annotation]) -> Option<String> {
    let texts: Vec<String> = comments(annotations).map(|text| without_commands(text, |_| true)).collect();
    let words: Vec<&str> = texts.iter().flat_map(|text| text.split_whitespace()).collect();
    (!words.is_empty()).then(|| words.join(" "))
}

/// Score and depth in plies of the value of `[%eval]`: `0.35,14` or `#-3`. What is unreadable is `None`.
pub fn read_eval(value: &str) -> (Option<WhiteScore>, Option<u32>) {
    let (score, depth) = value.trim().split_once(',').unwrap_or((value.trim(), ""));
    let score = if let Some(moves) = score.strip_prefix('#') {
        moves.parse().ok().filter(|moves: &i32| *moves != 0).map(WhiteScore::Mate)
    } else {
        let pawns: Option<f64> = score.parse().ok().filter(|pawns: &f64| pawns.abs() < 1000.0);
        pawns.map(|pawns| WhiteScore::Centipawns((pawns * 100.0).round() as i32))
    };
    (score, depth.trim().parse().ok())
}

/// The command for an evaluation, with its depth in plies if it is known.
pub fn eval_command(score: WhiteScore, depth: Option<u32>) -> String {
    let depth = depth.map(|depth| format!(",{depth}")).unwrap_or_default();
    format!("[%eval {score}{depth}]")
}

/// Seconds of the value of `[%clk]`: `1:02:03.4`, at most a year. `None` if it is unreadable.
pub fn read_clock(value: &str) -> Option<f64> {
    let mut sum = 0.0;
    for part in value.trim().split(':') {
        let part: f64 = part.trim().parse().ok().filter(|part: &f64| *part >= 0.0)?;
        sum = sum * 60.0 + part;
    }
    (sum < 366.0 * 86_400.0).then_some(sum)
}

/// The command for a clock. The time is truncated, not rounded, so that it never exceeds what is left.
pub fn clock_command(left: Duration) -> String {
    format!("[%clk {}.{:03}]", clock_face(left), left.subsec_millis())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evaluations_are_read_as_they_are_written() {
        for (score, depth) in [
            (WhiteScore::Centipawns(-105), Some(20)),
            (WhiteScore::Centipawns(3), None),
            (WhiteScore::Mate(-3), Some(7)),
        ] {
            let text = eval_command(score, depth);
            let [("eval", value)] = comment_commands(&text).collect::<Vec<_>>()[..] else { panic!("{text}") };
            assert_eq!(read_eval(value), (Some(score), depth), "{text}");
        }
        for text in ["", "x", "#0", "#", "nan", "1e9", "inf,3"] {
            assert_eq!(read_eval(text).0, None, "{text}");
        }
    }

    #[test]
    fn clocks_are_read_in_every_usual_form() {
        let read = ["0:04:59.070", "1:00:00", "59", " 1: 02:5 "].map(read_clock);
        assert_eq!(read, [Some(299.07), Some(3600.0), Some(59.0), Some(3725.0)]);
        for text in ["", "x", "1:x", "-1", "9e99:0:0", "nan"] {
            assert_eq!(read_clock(text), None, "{text}");
        }
        assert_eq!(clock_command(Duration::from_micros(3_725_250_900)), "[%clk 1:02:05.250]");
    }

    #[test]
    fn words_stay_without_commands() {
        let without = |text: &str| without_commands(text, |name| name == "eval");
        assert_eq!(without("a  b [%eval 1.0] [%clk 0:01]\n c"), "a  b [%clk 0:01]\n c");
        assert_eq!(without("[%eval 1.0] a [%eval"), "a [%eval");
        let annotations =
            ["[%csl Ge4]", "a\n [%clk 1] b", " "].map(|text| Annotation::Comment(text.to_owned()));
        assert_eq!(comment_words(&annotations).as_deref(), Some("a b"));
        assert_eq!(comment_words(&annotations[2..]), None);
    }

    #[test]
    fn scores_of_a_side_are_white_s_and_back() {
        for score in [Score::Centipawns(31), Score::MateIn(2), Score::MatedIn(4)] {
            for color in Color::ALL {
                assert_eq!(WhiteScore::of(score, color).map(|white| white.score_for(color)), Some(score));
            }
        }
        assert_eq!(WhiteScore::of(Score::MatedIn(0), Color::White), None);
    }
}
