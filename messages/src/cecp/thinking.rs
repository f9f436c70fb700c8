//! Thinking output: depth, score, time, nodes and principal variation of a search.

use std::fmt;

use game::{Score, ScoreBound};

/// Mate in N is written as `MATE + N`, mated in N as `-(MATE + N)`.
const MATE: i32 = 100_000;

/// A line of thinking output: `depth score time nodes seldepth knps tbhits TAB text`.
///
/// The last three numbers are later additions to the protocol: if one is missing, so are those after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThinkingLine {
    /// The iteration, in plies.
    pub depth: i32,
    /// The score for the side to move; centipawns are less than 100,000 in magnitude.
    pub score: Score,
    /// The time spent.
    pub centiseconds: u64,
    /// Positions searched.
    pub nodes: u64,
    /// The longest line, in plies.
    pub selective_depth: Option<u32>,
    /// Speed in thousands of nodes per second.
    pub kilonodes_per_second: Option<u64>,
    /// Successful tablebase probes.
    pub tablebase_hits: Option<u64>,
    /// Usually the principal variation, without blanks at its ends and without a final `?` or `!`.
    pub text: String,
    /// Bound of the score: a line ends with `?` if the true score may be lower, with `!` if it may be higher.
    pub bound: ScoreBound,
}

impl ThinkingLine {
    /// Reads a line; `None` if it does not start with four integers.
    pub fn parse(line: &str) -> Option<ThinkingLine> {
        let mut rest = line;
        let depth = take_number(&mut rest)?;
        let score = score_of(take_number(&mut rest)?);
        let centiseconds = take_number(&mut rest)?;
        let nodes = take_number(&mut rest)?;
        let (numbers, text) = split_text(rest);
        let (text, bound) = split_bound(text);
        // Future versions may add numbers before the tablebase hits, which are always the last.
        let (selective_depth, kilonodes_per_second, tablebase_hits) = match numbers[..] {
            [] => (None, None, None),
            [depth] => (Some(depth), None, None),
            [depth, speed] => (Some(depth), Some(speed), None),
            [depth, speed, .., hits] => (Some(depth), Some(speed), Some(hits)),
        };
        Some(ThinkingLine {
            depth,
            score,
            centiseconds,
            nodes,
            selective_depth: selective_depth.map(|depth| u32::try_from(depth).unwrap_or(u32::MAX)),
            kilonodes_per_second,
            tablebase_hits,
            text: text.to_owned(),
            bound,
        })
    }
}

/// Splits off an integer that ends at a blank or at the end of the line.
fn take_number<N: std::str::FromStr>(rest: &mut &str) -> Option<N> {
    let line = rest.trim_start();
    let end = line.find(char::is_whitespace).unwrap_or(line.len());
    let number = line[..end].parse().ok()?;
    *rest = &line[end..];
    Some(number)
}

/// Splits the text after the node count into numbers and text. The text starts after the last tab before the first
/// character that is not part of a number; without such a tab, everything is text.
fn split_text(rest: &str) -> (Vec<u64>, &str) {
    let end = rest.find(|c: char| !c.is_ascii_digit() && !c.is_whitespace()).unwrap_or(rest.len());
    match rest[..end].rfind('\t') {
        Some(tab) => {
            let numbers = rest[..tab].split_whitespace().map(|n| n.parse().unwrap_or(u64::MAX));
            (numbers.collect(), rest[tab..].trim())
        }
        None => (Vec::new(), rest.trim()),
    }
}

fn split_bound(text: &str) -> (&str, ScoreBound) {
    match (text.strip_suffix('?'), text.strip_suffix('!')) {
        (Some(text), _) => (text.trim_end(), ScoreBound::Upper),
        (_, Some(text)) => (text.trim_end(), ScoreBound::Lower),
        _ => (text, ScoreBound::Exact),
    }
}

/// Reads a score as the protocol says.
pub(super) fn score_of(number: i32) -> Score {
    let distance = (number.saturating_abs() - MATE).unsigned_abs();
    if number >= MATE {
        Score::MateIn(distance)
    } else if number <= -MATE {
        Score::MatedIn(distance)
    } else {
        Score::Centipawns(number)
    }
}

/// Writes a score as the protocol says.
pub(super) fn number_of(score: Score) -> i32 {
    let mate = |moves: u32| MATE.saturating_add_unsigned(moves);
    match score {
        Score::Centipawns(centipawns) => centipawns,
        Score::MateIn(moves) => mate(moves),
        Score::MatedIn(moves) => -mate(moves),
    }
}

impl fmt::Display for ThinkingLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {} {}", self.depth, number_of(self.score), self.centiseconds, self.nodes)?;
        let later = [self.selective_depth.map(u64::from), self.kilonodes_per_second, self.tablebase_hits];
        later.into_iter().map_while(|number| number).try_for_each(|number| write!(f, " {number}"))?;
        write!(f, "\t{}", self.text)?;
        // Separated by a blank, because some GUIs cannot read the last move otherwise.
        match self.bound {
            ScoreBound::Exact => Ok(()),
            ScoreBound::Upper => f.write_str(" ?"),
            ScoreBound::Lower => f.write_str(" !"),
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;

    fn old(text: &str) -> ThinkingLine {
        ThinkingLine {
            depth: 9,
            score: Score::Centipawns(156),
            centiseconds: 1084,
            nodes: 48000,
            selective_depth: None,
            kilonodes_per_second: None,
            tablebase_hits: None,
            text: text.into(),
            bound: ScoreBound::Exact,
        }
    }

    #[test]
    fn old_and_new_form() {
        let new = ThinkingLine {
            selective_depth: Some(12),
            kilonodes_per_second: Some(300),
            tablebase_hits: Some(7),
            ..old("1. e4 e5")
        };
        assert_eq!(ThinkingLine::parse("9 156 1084 48000 Nf3 Nc6"), Some(old("Nf3 Nc6")));
        assert_eq!(ThinkingLine::parse("  9 156 1084 48000\tNf3 Nc6"), Some(old("Nf3 Nc6")));
        assert_eq!(ThinkingLine::parse("9 156 1084 48000 12 300 7\t1. e4 e5"), Some(new.clone()));
        assert_eq!(ThinkingLine::parse("9 156 1084 48000 12\t300 55 7\t1. e4 e5"), Some(new));
        assert_eq!(ThinkingLine::parse("9 156 1084 48000 1. e4"), Some(old("1. e4")));
        assert_eq!(ThinkingLine::parse("9 156 1084 48000"), Some(old("")));
        assert_eq!(ThinkingLine::parse("9 156 1084 Nf3"), None);
        assert_eq!(ThinkingLine::parse("9. 156 1084 48000 Nf3"), None);
    }

    #[test]
    fn mates_are_written_as_the_specification_says() {
        let score = |line| ThinkingLine::parse(line).map(|line| line.score);
        assert_eq!(score("3 100003 1 9\tQg7#"), Some(Score::MateIn(3)));
        assert_eq!(score("3 -100002 1 9\tKh8"), Some(Score::MatedIn(2)));
        assert_eq!(score("3 99999 1 9\tKh8"), Some(Score::Centipawns(99_999)));
        assert_eq!(score("3 -2147483648 1 9\tKh8"), Some(Score::MatedIn(2_147_383_647)));
        let line = ThinkingLine { score: Score::MatedIn(2), ..old("Kh8") };
        assert_eq!(line.to_string(), "9 -100002 1084 48000\tKh8");
    }

    #[test]
    fn bounds_end_the_line() {
        let upper = ThinkingLine { bound: ScoreBound::Upper, ..old("Nf3") };
        assert_eq!(upper.to_string(), "9 156 1084 48000\tNf3 ?");
        assert_eq!(ThinkingLine::parse("9 156 1084 48000\tNf3?"), Some(upper));
        let lower = ThinkingLine { bound: ScoreBound::Lower, ..old("Nf3") };
        assert_eq!(ThinkingLine::parse("9 156 1084 48000 Nf3!"), Some(lower));
    }

    fn score() -> impl Strategy<Value = Score> {
        prop_oneof![
            (-99_999..100_000_i32).prop_map(Score::Centipawns),
            (0..1000_u32).prop_map(Score::MateIn),
            (0..1000_u32).prop_map(Score::MatedIn),
        ]
    }

    pub(in crate::cecp) fn thinking_line() -> impl Strategy<Value = ThinkingLine> {
        let numbers = any::<(i32, u64, u64, u32, u64, u64)>();
        let bound = prop_oneof![Just(ScoreBound::Exact), Just(ScoreBound::Upper), Just(ScoreBound::Lower)];
        (numbers, score(), bound, 0..4_usize, "([a-hNBRQK][a-h1-8x+ ]{0,20}[1-8])?").prop_map(
            |(numbers, score, bound, later, text)| ThinkingLine {
                depth: numbers.0,
                score,
                centiseconds: numbers.1,
                nodes: numbers.2,
                selective_depth: (later > 0).then_some(numbers.3),
                kilonodes_per_second: (later > 1).then_some(numbers.4),
                tablebase_hits: (later > 2).then_some(numbers.5),
                text,
                bound,
            },
        )
    }
}
