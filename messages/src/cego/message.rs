//! The messages of both sides.
//!
//! The parser takes a line without its newline but otherwise unchanged: a carriage return or a blank at its end makes a
//! message malformed. Written messages have no newline either.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use super::{LongMove, StrictFen};

/// A message from the engine to the mediator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineMessage {
    /// The engine is ready to play; its first message.
    Ready,
    /// The move of the engine.
    Move(LongMove),
    /// Forfeits the game, in place of a move.
    Forfeit,
}

/// A message from the mediator to the engine. Each asks for a move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MediatorMessage {
    /// First turn of the engine:
    /// `<YOUR-TIME> <YOUR-INCREMENT> <OPPONENT-TIME> <OPPONENT-INCREMENT> <CURRENT-BOARD-FEN>`
    FirstMove {
        /// Clock of the engine.
        own: SideClock,
        /// Clock of the opponent.
        opponent: SideClock,
        /// Position with the engine to move.
        position: StrictFen,
    },
    /// Later turns: `<YOUR-TIME> <OPPONENT-TIME> <PLAYED-MOVE>`; the increments are those of the first message.
    SubsequentMove {
        /// Time left to the engine.
        own_time: Duration,
        /// Time left to its opponent.
        opponent_time: Duration,
        /// The move that the opponent has made.
        played: LongMove,
    },
}

/// The clock of one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SideClock {
    /// Time left.
    pub time: Duration,
    /// Added after each of its moves, the same throughout the game.
    pub increment: Duration,
}

/// Error for a text that is not a message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("malformed message: expected {expected}, not `{found}`")]
pub struct MalformedMessage {
    /// Expected text.
    pub expected: &'static str,
    /// The malformed text or part of it: shortened, with escapes for invisible characters.
    pub found: String,
}

impl MalformedMessage {
    pub(super) fn new(expected: &'static str, found: &str) -> MalformedMessage {
        MalformedMessage { expected, found: quoted(found) }
    }
}

/// Returns the start of a received text for an error message, with escapes for invisible characters.
pub fn quoted(text: &str) -> String {
    const LONGEST: usize = 80;
    let mut characters = text.chars();
    let mut short: String = characters.by_ref().take(LONGEST).flat_map(char::escape_debug).collect();
    if characters.next().is_some() {
        short.push('…');
    }
    short
}

/// Reads a time in nanoseconds: digits only. Leading zeros are allowed.
fn nanos(text: &str) -> Result<Duration, MalformedMessage> {
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    let nanos = text.parse().ok().filter(|_| is_number).map(Duration::from_nanos);
    nanos.ok_or_else(|| {
        MalformedMessage::new("a time in nanoseconds from 0 to 18446744073709551615, in digits", text)
    })
}

/// Displays a time in nanoseconds, limited to the protocol's maximum of 584 years.
struct Nanos(Duration);

impl fmt::Display for Nanos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.as_nanos().min(u64::MAX.into()).fmt(f)
    }
}

impl FromStr for EngineMessage {
    type Err = MalformedMessage;

    fn from_str(text: &str) -> Result<EngineMessage, MalformedMessage> {
        match text {
            "ready" => Ok(EngineMessage::Ready),
            "forfeit" => Ok(EngineMessage::Forfeit),
            _ => text.parse().map(EngineMessage::Move).map_err(|_| {
                MalformedMessage::new("`ready`, a move such as e2e4 or e7e8q, or `forfeit`", text)
            }),
        }
    }
}

impl FromStr for MediatorMessage {
    type Err = MalformedMessage;

    /// Reads a message. The number of fields distinguishes the two kinds.
    fn from_str(text: &str) -> Result<MediatorMessage, MalformedMessage> {
        let mut fields = text.splitn(5, ' ');
        let fields = std::array::from_fn(|_| fields.next());
        match fields {
            [Some(own_time), Some(opponent_time), Some(played), None, None] => {
                Ok(MediatorMessage::SubsequentMove {
                    own_time: nanos(own_time)?,
                    opponent_time: nanos(opponent_time)?,
                    played: played.parse()?,
                })
            }
            [Some(own_time), Some(own_increment), Some(time), Some(increment), Some(position)] => {
                Ok(MediatorMessage::FirstMove {
                    own: SideClock { time: nanos(own_time)?, increment: nanos(own_increment)? },
                    opponent: SideClock { time: nanos(time)?, increment: nanos(increment)? },
                    position: position.parse()?,
                })
            }
            _ => Err(MalformedMessage::new(
                "times, increments and a FEN, or times and a move, with single spaces between them",
                text,
            )),
        }
    }
}

impl fmt::Display for SideClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", Nanos(self.time), Nanos(self.increment))
    }
}

impl fmt::Display for EngineMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EngineMessage::Ready => f.write_str("ready"),
            EngineMessage::Move(m) => m.fmt(f),
            EngineMessage::Forfeit => f.write_str("forfeit"),
        }
    }
}

impl fmt::Display for MediatorMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MediatorMessage::FirstMove { own, opponent, position } => {
                write!(f, "{own} {opponent} {position}")
            }
            MediatorMessage::SubsequentMove { own_time, opponent_time, played } => {
                write!(f, "{} {} {played}", Nanos(*own_time), Nanos(*opponent_time))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::notation::tests::long_move;
    use super::super::position::tests::strict_fen;
    use super::*;

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    #[test]
    fn the_messages_of_the_documents_example() {
        let first: MediatorMessage =
            format!("30000000000 1000000000 26000000000 1000000000 {START}").parse().expect("well-formed");
        let account =
            |time| SideClock { time: Duration::from_nanos(time), increment: Duration::from_secs(1) };
        let expected = MediatorMessage::FirstMove {
            own: account(30_000_000_000),
            opponent: account(26_000_000_000),
            position: START.parse().expect("well-formed"),
        };
        assert_eq!(first, expected);
        let subsequent: MediatorMessage = "26000000000 28000000000 e7e5".parse().expect("well-formed");
        let played = "e7e5".parse().expect("well-formed");
        assert_eq!(
            subsequent,
            MediatorMessage::SubsequentMove {
                own_time: Duration::from_secs(26),
                opponent_time: Duration::from_secs(28),
                played,
            }
        );
        assert_eq!("ready".parse(), Ok(EngineMessage::Ready));
        assert_eq!("e7e5".parse(), Ok(EngineMessage::Move(played)));
        assert_eq!("forfeit".parse(), Ok(EngineMessage::Forfeit));
    }

    #[test]
    fn what_the_engine_may_not_say() {
        for text in [
            "",
            " ",
            "Ready",
            "READY",
            "ready ",
            " ready",
            "ready\r",
            "ready\n",
            "ready!",
            "forfeit ",
            "Forfeit",
            "resign",
            "e2",
            "e2e",
            "e2-e4",
            "E2E4",
            "e2E4",
            "e2e9",
            "i2e4",
            "e0e4",
            "e2e4 ",
            " e2e4",
            "e2e4\r",
            "e7e8Q",
            "e7e8k",
            "e7e8p",
            "e7e8=q",
            "e7e8qq",
            "0000",
            "O-O",
            "e4",
            "Nf3",
            "e2e4 e7e5",
            "bestmove e2e4",
            "e2é4",
            "\u{FFFD}",
        ] {
            assert!(text.parse::<EngineMessage>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn what_the_mediator_may_not_say() {
        for text in [
            "",
            " ",
            "e2e4",
            "quit",
            "1",
            "1 1",
            "1 e7e5",
            " 1 1 e7e5",
            "1 1 e7e5 ",
            "1  1 e7e5",
            "1\t1\te7e5",
            "1 1 e7e5\r",
            "-1 1 e7e5",
            "+1 1 e7e5",
            "1.0 1 e7e5",
            "1e9 1 e7e5",
            "0x1 1 e7e5",
            "1 18446744073709551616 e7e5",
            "1 1 E7E5",
            "1 1 e7e8Q",
            "1 1 0000",
            "1 1 1 e7e5",
            "1 1 1 1 e7e5",
            "1 1 1 rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "1 1 1 1 1 rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "1 1 1 1  rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "1 -1 1 1 rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "1 1 1 1 startpos",
        ] {
            assert!(text.parse::<MediatorMessage>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn errors_say_what_was_expected_and_show_what_came() {
        let error = "1 1 e7e5\r".parse::<MediatorMessage>().expect_err("malformed");
        assert_eq!(
            error.to_string(),
            "malformed message: expected a move such as e2e4 or e7e8q, in lower case, not `e7e5\\r`"
        );
        let error = "x".repeat(1000).parse::<EngineMessage>().expect_err("malformed");
        assert_eq!(error.found.chars().count(), 81);
    }

    #[test]
    fn times_are_64_bits_of_nanoseconds() {
        assert_eq!(nanos("18446744073709551615"), Ok(Duration::from_nanos(u64::MAX)));
        assert_eq!(Nanos(Duration::MAX).to_string(), u64::MAX.to_string());
        assert_eq!(nanos("1000000001"), Ok(Duration::new(1, 1)));
        assert_eq!(nanos("007"), Ok(Duration::from_nanos(7)));
    }

    fn engine_message() -> impl Strategy<Value = EngineMessage> {
        prop_oneof![
            Just(EngineMessage::Ready),
            Just(EngineMessage::Forfeit),
            long_move().prop_map(EngineMessage::Move),
        ]
    }

    fn mediator_message() -> impl Strategy<Value = MediatorMessage> {
        let nanos = || any::<u64>().prop_map(Duration::from_nanos);
        let account = || (nanos(), nanos()).prop_map(|(time, increment)| SideClock { time, increment });
        let first = (account(), account(), strict_fen())
            .prop_map(|(own, opponent, position)| MediatorMessage::FirstMove { own, opponent, position });
        let subsequent = (nanos(), nanos(), long_move()).prop_map(|(own_time, opponent_time, played)| {
            MediatorMessage::SubsequentMove { own_time, opponent_time, played }
        });
        prop_oneof![first, subsequent]
    }

    /// Arbitrary bytes, and bytes with words of the protocol, which get further in the parser.
    fn bytes() -> impl Strategy<Value = Vec<u8>> {
        let words =
            "[0-9 ]{0,12}(ready|forfeit|[a-i][0-9][a-h][1-8][qrbnkQ]?|[1-8pnbrqkPNBRQK/]{1,40} [wb] .{1,9})?";
        prop_oneof![any::<Vec<u8>>(), words.prop_map(String::into_bytes)]
    }

    proptest! {
        #[test]
        fn messages_are_read_as_they_are_written(engine in engine_message(), mediator in mediator_message()) {
            prop_assert_eq!(engine.to_string().parse(), Ok(engine));
            prop_assert_eq!(mediator.to_string().parse(), Ok(mediator));
        }

        #[test]
        fn no_bytes_do_harm(bytes in bytes()) {
            let text = String::from_utf8_lossy(&bytes);
            if let Ok(message) = text.parse::<EngineMessage>() {
                prop_assert_eq!(message.to_string(), &*text);
            }
            if let Ok(message) = text.parse::<MediatorMessage>() {
                prop_assert_eq!(message.to_string().parse(), Ok(message));
            }
        }
    }
}
