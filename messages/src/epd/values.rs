//! The values that operands have.

use std::fmt;
use std::time::Duration;

use game::Score;

use crate::names::names;

/// One of ten comments or variation names, 0 to 9 (EPD specification, 6.5, 6.32).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Register(u8);

impl Register {
    /// The register of that number; `None` from 10 on.
    pub fn new(number: u8) -> Option<Register> {
        (number < 10).then_some(Register(number))
    }

    /// The number, 0 to 9.
    pub fn number(self) -> usize {
        self.0.into()
    }

    /// The opcode of this comment.
    pub fn comment_opcode(self) -> &'static str {
        ["c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "c9"][self.number()]
    }

    /// The opcode of this variation name.
    pub(super) fn variation_opcode(self) -> &'static str {
        ["v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9"][self.number()]
    }
}

/// What a position is worth for the side to move, in centipawns, or how far away mate is (EPD specification, 6.7):
/// -32768 to 32766.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EpdEvaluation(i16);

impl EpdEvaluation {
    /// From this value on, in either direction, an evaluation tells of a mate.
    const MATE: u16 = 32_000;

    /// `None` outside of -32768 to 32766.
    pub fn new(value: i64) -> Option<EpdEvaluation> {
        i16::try_from(value).ok().filter(|value| *value < i16::MAX).map(EpdEvaluation)
    }

    /// A score as an evaluation; `None` if the mate is farther away than can be written: more than 383 moves.
    pub fn of(score: Score) -> Option<EpdEvaluation> {
        let value = match score {
            Score::Centipawns(centipawns) => return EpdEvaluation::new(centipawns.into()),
            Score::MateIn(moves) => 32_768 - 2 * i64::from(moves),
            Score::MatedIn(moves) => 2 * i64::from(moves) - 32_767,
        };
        EpdEvaluation::new(value).filter(|value| value.0.unsigned_abs() > EpdEvaluation::MATE)
    }

    /// The evaluation as a score; `None` if the position is illegal.
    pub fn score(self) -> Option<Score> {
        let plies = u32::from(i16::MAX.abs_diff(self.0.saturating_abs()));
        match self.0 {
            i16::MIN => None,
            value if value.unsigned_abs() <= EpdEvaluation::MATE => Some(Score::Centipawns(value.into())),
            value if value > 0 => Some(Score::MateIn(plies.div_ceil(2))),
            _ => Some(Score::MatedIn(plies / 2)),
        }
    }

    /// The number as it is written.
    pub fn value(self) -> i16 {
        self.0
    }
}

impl fmt::Display for EpdEvaluation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The time that a player has used, in whole seconds: less than a thousand days (EPD specification, 5.2.7).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClockTime(u32);

impl ClockTime {
    /// The first time that can't be written, in seconds.
    const END: u32 = 1000 * 86_400;

    /// `None` from a thousand days on.
    pub fn from_seconds(seconds: u32) -> Option<ClockTime> {
        (seconds < ClockTime::END).then_some(ClockTime(seconds))
    }

    /// Rounded down to seconds; the longest time that can be written for longer ones.
    pub fn from_duration(time: Duration) -> ClockTime {
        ClockTime(time.as_secs().min(u64::from(ClockTime::END - 1)) as u32)
    }

    /// The time in seconds.
    pub fn seconds(self) -> u32 {
        self.0
    }

    /// Reads `ddd:hh:mm:ss`.
    pub(super) fn read(text: &str) -> Option<ClockTime> {
        let [days, hours, minutes, seconds] = numbers(text, ':', [3, 2, 2, 2])?;
        if hours > 23 || minutes > 59 || seconds > 59 {
            return None;
        }
        ClockTime::from_seconds(((days * 24 + hours) * 60 + minutes) * 60 + seconds)
    }
}

impl fmt::Display for ClockTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (minutes, seconds) = (self.0 / 60, self.0 % 60);
        let (hours, minutes) = (minutes / 60, minutes % 60);
        write!(f, "{:03}:{:02}:{minutes:02}:{seconds:02}", hours / 24, hours % 24)
    }
}

/// Numbers of fixed numbers of digits, with `separator` between them.
pub(super) fn numbers<const N: usize>(text: &str, separator: char, digits: [usize; N]) -> Option<[u32; N]> {
    let mut parts = text.split(separator);
    let mut numbers = [0; N];
    for (number, digits) in numbers.iter_mut().zip(digits) {
        let part = parts.next()?;
        let is_fit = part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit());
        *number = part.parse().ok().filter(|_| is_fit)?;
    }
    parts.next().is_none().then_some(numbers)
}

names! {
    /// What a referee wants of a client (EPD specification, 8.1).
    RefereeCommand {
        /// The game is over.
        Conclude = "conclude",
        /// The referee closes the connection.
        Disconnect = "disconnect",
        /// Set the position up and play the supplied move.
        Execute = "execute",
        /// The referee can't go on without human help.
        Fault = "fault",
        /// Here are tags of the game.
        Inform = "inform",
        /// A new game.
        Reset = "reset",
        /// Find a move.
        Respond = "respond",
    }
}

names! {
    /// What a client wants of a referee (EPD specification, 8.2).
    RefereeRequest {
        /// The client can't go on without human help.
        Fault = "fault",
        /// The answer to `respond`.
        Reply = "reply",
        /// The client leaves.
        SignOff = "sign_off",
        /// The client is there.
        SignOn = "sign_on",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evaluations_of_the_specification() {
        let value = |evaluation: Option<EpdEvaluation>| evaluation.map(EpdEvaluation::value);
        let win = |moves| value(EpdEvaluation::of(Score::MateIn(moves)));
        let loss = |moves| value(EpdEvaluation::of(Score::MatedIn(moves)));
        assert_eq!((win(1), win(5)), (Some(32_766), Some(32_758)));
        assert_eq!((loss(1), loss(5)), (Some(-32_765), Some(-32_757)));
        assert_eq!((win(383), win(384)), (Some(32_002), None));
        assert_eq!((loss(383), loss(384)), (Some(-32_001), None));
        assert_eq!((EpdEvaluation::new(32_767), EpdEvaluation::new(-32_769), win(0)), (None, None, None));
        let score = |value| EpdEvaluation::new(value).expect("in range").score();
        assert_eq!(score(32_000), Some(Score::Centipawns(32_000)));
        assert_eq!(score(32_001), Some(Score::MateIn(383)));
        assert_eq!(score(-32_000), Some(Score::Centipawns(-32_000)));
        assert_eq!(score(-32_001), Some(Score::MatedIn(383)));
        assert_eq!(score(-32_767), Some(Score::MatedIn(0)));
        assert_eq!(score(-32_768), None);
    }

    #[test]
    fn clocks() {
        for text in ["000:00:00:00", "001:23:59:59", "999:00:10:02"] {
            assert_eq!(ClockTime::read(text).expect(text).to_string(), text);
        }
        for text in
            ["", "0:00:00", "000:24:00:00", "000:00:60:00", "000:00:00:60", "000:00:00:+1", "000:00:00:00:"]
        {
            assert_eq!(ClockTime::read(text), None, "{text}");
        }
        let longest = ClockTime::from_duration(Duration::from_secs(u64::MAX));
        assert_eq!(
            (longest.to_string().as_str(), ClockTime::from_seconds(86_400_000)),
            ("999:23:59:59", None)
        );
        assert_eq!(ClockTime::from_duration(Duration::from_millis(90_999)).seconds(), 90);
    }
}
