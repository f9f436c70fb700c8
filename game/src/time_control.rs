//! Time controls.

use std::fmt;
use std::num::{NonZeroU32, NonZeroU64};
use std::str::FromStr;
use std::time::Duration;

use crate::text::{counted, excerpt};

/// The time control of a player.
///
/// Read and written in the notation of PGN's tag `TimeControl` (PGN standard, 9.6.1), with decimals of seconds:
/// `40/7200:3600+30` is forty moves in two hours, then an hour for the rest with 30 seconds more after each move; `300`
/// and `1+0.01` are for the whole game; `40/60` starts anew every forty moves; `-` is unlimited. For what PGN does not
/// have: `5/move` (as cutechess writes it), `depth=12` and `nodes=10000`. The sandclock `*180` and the unknown `?` are
/// not supported.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum TimeControl {
    /// No limit.
    #[default]
    Unlimited,
    /// A clock with one phase or several.
    Clock(Phases),
    /// A fixed time for each move. Unused time is lost.
    PerMove(Duration),
    /// A fixed depth for each move, in plies.
    Depth(NonZeroU32),
    /// A fixed number of nodes for each move.
    Nodes(NonZeroU64),
}

/// The phases of a clock, at least one. Each phase but the last has a number of moves. If the last phase has one, it is repeated
/// for the rest of the game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phases(Vec<Phase>);

/// A phase of a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Phase {
    /// Number of moves of the player; `None` for the rest of the game.
    pub moves: Option<u32>,
    /// Time added at the beginning of the phase.
    pub time: Duration,
    /// Time added after each move.
    pub increment: Duration,
}

/// Limits for one move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MoveLimits {
    /// Time for the move.
    pub time: MoveTime,
    /// Maximum depth in plies.
    pub depth: Option<u32>,
    /// Maximum number of nodes.
    pub nodes: Option<u64>,
}

/// Time for one move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MoveTime {
    /// No limit.
    #[default]
    Unlimited,
    /// A fixed time, all of which may be used.
    Fixed(Duration),
    /// A share of the remaining time.
    Clock {
        /// Remaining time.
        remaining: Duration,
        /// Time added after each move.
        increment: Duration,
        /// Moves to the next time control, including this one; `None` if `remaining` must last for the whole game.
        moves_to_go: Option<u32>,
    },
}

/// Error of a time control.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TimeControlError {
    /// The text is in none of the notations. Carries it, shortened to at most 100 characters.
    #[error(
        "unreadable time control `{0}`: expected for example 300, 1+0.01, 40/7200:3600+30, 5/move, depth=12 or -"
    )]
    Unreadable(String),
    /// `?` stands for an unknown time control.
    #[error("time control `?` is unknown: expected for example 300, 1+0.01, 40/7200:3600+30 or -")]
    Unknown,
    /// A sandclock, with which each player gains the time that the opponent uses. Carries the text, shortened.
    #[error(
        "time control `{0}` is a sandclock, which is not supported; for a time per move write for example 5/move"
    )]
    Sandclock(String),
    /// There is no phase.
    #[error("a time control needs at least one phase")]
    NoPhase,
    /// A phase other than the last has no number of moves. Carries its number from 1.
    #[error("phase {0} of the time control is not the last and needs a number of moves, as in 40/7200:3600")]
    EndlessPhase(usize),
    /// A phase has zero moves. Carries its number from 1.
    #[error("phase {0} of the time control has no moves; expected at least 1")]
    NoMoves(usize),
    /// A phase has neither time nor increment. Carries its number from 1.
    #[error("phase {0} of the time control has no time; expected a time or an increment above 0")]
    NoTime(usize),
}

impl Phases {
    /// Creates the phases of a clock.
    ///
    /// # Errors
    /// There is no phase, a phase before the last has no number of moves, or a phase has zero moves or no time.
    pub fn new(phases: Vec<Phase>) -> Result<Phases, TimeControlError> {
        if phases.is_empty() {
            return Err(TimeControlError::NoPhase);
        }
        for (place, phase) in (1..).zip(&phases) {
            if phase.moves.is_none() && place < phases.len() {
                return Err(TimeControlError::EndlessPhase(place));
            } else if phase.moves == Some(0) {
                return Err(TimeControlError::NoMoves(place));
            } else if phase.time.is_zero() && phase.increment.is_zero() {
                return Err(TimeControlError::NoTime(place));
            }
        }
        Ok(Phases(phases))
    }

    /// The phases, in order.
    pub fn as_slice(&self) -> &[Phase] {
        &self.0
    }

    /// The first phase.
    pub fn first(&self) -> &Phase {
        &self.0[0]
    }

    /// The index of the phase of a player's move number `n` (from 1), and the number of its moves from there on, including this
    /// move.
    fn at(&self, n: u32) -> (usize, Option<u32>) {
        let mut before = u64::from(n).saturating_sub(1);
        let last = self.0.len() - 1;
        for (index, phase) in self.0.iter().enumerate() {
            let Some(moves) = phase.moves.map(u64::from) else { return (index, None) };
            if index == last {
                before %= moves;
            }
            if before < moves {
                return (index, Some((moves - before) as u32));
            }
            before -= moves;
        }
        (last, None) // not reached: the last phase has no end or repeats
    }
}

impl TimeControl {
    /// A clock that gets `time` for every `moves` moves, or for the whole game, with an increment after each move.
    ///
    /// # Errors
    /// `moves` is zero, or both times are.
    pub fn of_phase(phase: Phase) -> Result<TimeControl, TimeControlError> {
        Phases::new(vec![phase]).map(TimeControl::Clock)
    }

    /// The phase of a player's move number `n` (from 1) as a time control, for programs that support only one phase.
    #[must_use]
    pub fn phase_of(&self, n: u32) -> TimeControl {
        self.phase(n).map_or_else(|| self.clone(), |phase| TimeControl::Clock(Phases(vec![phase])))
    }

    /// The time control in words: `40 moves in 2 hours, then 20 moves in 1 hour, again and again`.
    pub fn in_words(&self) -> String {
        match self {
            TimeControl::Unlimited => "no limit of time".to_owned(),
            TimeControl::PerMove(time) => format!("{} for each move", time_in_words(*time)),
            TimeControl::Depth(depth) => format!("depth {depth} for each move"),
            TimeControl::Nodes(nodes) => format!("{} for each move", counted(nodes.get(), "node")),
            TimeControl::Clock(Phases(phases)) => {
                let told: Vec<String> = phases.iter().map(Phase::in_words).collect();
                let repeats = phases.last().is_some_and(|phase| phase.moves.is_some());
                format!("{}{}", told.join(", then "), if repeats { ", again and again" } else { "" })
            }
        }
    }

    /// Time on the clock before the first move; `None` if no time is kept.
    pub fn initial(&self) -> Option<Duration> {
        match self {
            TimeControl::Clock(phases) => Some(phases.0[0].time),
            TimeControl::PerMove(time) => Some(*time),
            TimeControl::Unlimited | TimeControl::Depth(_) | TimeControl::Nodes(_) => None,
        }
    }

    /// Time added after the player's move number `n` (from 1): the increment, and the time of the next phase if the move
    /// completes one. Zero if the time control has no clock.
    pub fn added_after(&self, n: u32) -> Duration {
        let TimeControl::Clock(phases) = self else { return Duration::ZERO };
        let (index, to_go) = phases.at(n);
        let increment = phases.0[index].increment;
        if to_go == Some(1) {
            let next = phases.0.get(index + 1).unwrap_or(&phases.0[index]);
            increment.saturating_add(next.time)
        } else {
            increment
        }
    }

    /// Total time granted: the initial time and the time added by `made` moves; for a time per move, the time of the next move.
    /// `None` if no time is kept.
    pub fn granted(&self, made: u32) -> Option<Duration> {
        let added: Duration = (1..=made).map(|number| self.added_after(number)).sum();
        self.initial().map(|initial| initial.saturating_add(added))
    }

    /// Number of moves to the next time control, including move number `n` (from 1); `None` if the remaining time must last for
    /// the whole game, or if the time control has no clock.
    pub fn moves_to_go(&self, n: u32) -> Option<u32> {
        match self {
            TimeControl::Clock(phases) => phases.at(n).1,
            _ => None,
        }
    }

    /// Increment of the player's move number `n` (from 1).
    pub fn increment(&self, n: u32) -> Duration {
        self.phase(n).map_or(Duration::ZERO, |phase| phase.increment)
    }

    fn phase(&self, n: u32) -> Option<Phase> {
        match self {
            TimeControl::Clock(phases) => Some(phases.0[phases.at(n).0]),
            _ => None,
        }
    }

    /// Time for move number `n` (from 1) with `remaining` on the clock.
    pub fn move_time(&self, remaining: Duration, n: u32) -> MoveTime {
        match self {
            TimeControl::Clock(_) => {
                MoveTime::Clock { remaining, increment: self.increment(n), moves_to_go: self.moves_to_go(n) }
            }
            TimeControl::PerMove(time) => MoveTime::Fixed(remaining.min(*time)),
            TimeControl::Unlimited | TimeControl::Depth(_) | TimeControl::Nodes(_) => MoveTime::Unlimited,
        }
    }
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TimeControl::Unlimited => f.write_str("-"),
            TimeControl::PerMove(time) => write!(f, "{}/move", decimal(*time)),
            TimeControl::Depth(depth) => write!(f, "depth={depth}"),
            TimeControl::Nodes(nodes) => write!(f, "nodes={nodes}"),
            TimeControl::Clock(phases) => {
                for (index, phase) in phases.0.iter().enumerate() {
                    let separator = if index > 0 { ":" } else { "" };
                    write!(f, "{separator}{phase}")?;
                }
                Ok(())
            }
        }
    }
}

impl Phase {
    fn in_words(&self) -> String {
        let time = time_in_words(self.time);
        let more = match self.increment {
            Duration::ZERO => String::new(),
            increment => format!(" and {} more after each move", time_in_words(increment)),
        };
        match self.moves {
            Some(moves) => format!("{} in {time}{more}", counted(moves.into(), "move")),
            None => format!("{time} for all moves{more}"),
        }
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(moves) = self.moves {
            write!(f, "{moves}/")?;
        }
        write!(f, "{}", decimal(self.time))?;
        if self.increment.is_zero() { Ok(()) } else { write!(f, "+{}", decimal(self.increment)) }
    }
}

/// A duration in seconds, with as many decimals as it needs.
fn decimal(time: Duration) -> String {
    let decimals = format!("{}.{:09}", time.as_secs(), time.subsec_nanos());
    decimals.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A time in words: `1 hour 30 minutes`, `0.5 seconds`.
fn time_in_words(time: Duration) -> String {
    let (hours, minutes) = (time.as_secs() / 3600, time.as_secs() / 60 % 60);
    let mut parts = Vec::new();
    for (count, noun) in [(hours, "hour"), (minutes, "minute")].into_iter().filter(|(count, _)| *count > 0) {
        parts.push(counted(count, noun));
    }
    let seconds = decimal(Duration::new(time.as_secs() % 60, time.subsec_nanos()));
    if seconds != "0" || parts.is_empty() {
        parts.push(format!("{seconds} second{}", if seconds == "1" { "" } else { "s" }));
    }
    parts.join(" ")
}

impl FromStr for TimeControl {
    type Err = TimeControlError;

    fn from_str(text: &str) -> Result<TimeControl, TimeControlError> {
        let text = text.trim();
        match text {
            "-" => return Ok(TimeControl::Unlimited),
            "?" => return Err(TimeControlError::Unknown),
            _ if text.starts_with('*') => return Err(TimeControlError::Sandclock(excerpt(text))),
            _ => {}
        }
        let control = if let Some(time) = text.strip_suffix("/move") {
            seconds(time).map(TimeControl::PerMove)
        } else if let Some(depth) = text.strip_prefix("depth=") {
            depth.parse().ok().map(TimeControl::Depth)
        } else if let Some(nodes) = text.strip_prefix("nodes=") {
            nodes.parse().ok().map(TimeControl::Nodes)
        } else if let Some(phases) = text.split(':').map(phase).collect() {
            Some(TimeControl::Clock(Phases::new(phases)?))
        } else {
            None
        };
        control.ok_or_else(|| TimeControlError::Unreadable(excerpt(text)))
    }
}

/// `[moves/]seconds[+increment]`
fn phase(text: &str) -> Option<Phase> {
    let (moves, times) = match text.split_once('/') {
        Some((moves, times)) => (Some(digits(moves)?.parse().ok()?), times),
        None => (None, text),
    };
    let (time, increment) = match times.split_once('+') {
        Some((time, increment)) => (seconds(time)?, seconds(increment)?),
        None => (seconds(times)?, Duration::ZERO),
    };
    Some(Phase { moves, time, increment })
}

/// Seconds with at most nine decimals, so that nothing is rounded.
fn seconds(text: &str) -> Option<Duration> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
    let decimals = digits(decimals).filter(|decimals| decimals.len() <= 9)?;
    let nanos: u32 = format!("{decimals:0<9}").parse().ok()?;
    Some(Duration::new(digits(whole)?.parse().ok()?, nanos))
}

/// The text if it consists of digits (`parse` would accept a sign as well).
fn digits(text: &str) -> Option<&str> {
    (!text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())).then_some(text)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn control(text: &str) -> TimeControl {
        text.parse().expect("a time control")
    }

    fn millis(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn two_phases_and_the_rest_of_the_game() {
        let control = control("40/7200:20/3600:900+30");
        assert_eq!(control.initial(), Some(millis(7_200_000)));
        assert_eq!((control.moves_to_go(1), control.moves_to_go(40)), (Some(40), Some(1)));
        assert_eq!((control.moves_to_go(41), control.moves_to_go(60)), (Some(20), Some(1)));
        assert_eq!(control.moves_to_go(61), None);
        assert_eq!(control.added_after(39), Duration::ZERO);
        assert_eq!(control.added_after(40), millis(3_600_000));
        assert_eq!(control.added_after(60), millis(900_000));
        assert_eq!(control.added_after(61), millis(30_000));
        assert_eq!((control.increment(60), control.increment(61)), (Duration::ZERO, millis(30_000)));
    }

    #[test]
    fn in_words() {
        for (text, words) in [
            ("40/7200:20/3600", "40 moves in 2 hours, then 20 moves in 1 hour, again and again"),
            ("40/120", "40 moves in 2 minutes, again and again"),
            (
                "40/5400:900+30",
                "40 moves in 1 hour 30 minutes, then 15 minutes for all moves and 30 seconds more after each move",
            ),
            ("61+0.5", "1 minute 1 second for all moves and 0.5 seconds more after each move"),
            ("0+1", "0 seconds for all moves and 1 second more after each move"),
            ("5/move", "5 seconds for each move"),
            ("depth=3", "depth 3 for each move"),
            ("nodes=1", "1 node for each move"),
            ("-", "no limit of time"),
        ] {
            assert_eq!(control(text).in_words(), words);
        }
        assert!(TimeControl::PerMove(Duration::MAX).in_words().contains("hours"));
    }

    #[test]
    fn what_the_clock_has_got_in_all() {
        let granted = |text: &str, made| control(text).granted(made);
        assert_eq!(granted("40/100:50+2", 0), Some(millis(100_000)));
        assert_eq!(granted("40/100:50+2", 39), Some(millis(100_000)));
        assert_eq!(granted("40/100:50+2", 42), Some(millis(154_000)));
        assert_eq!((granted("5/move", 9), granted("-", 9)), (Some(millis(5000)), None));
    }

    #[test]
    fn the_last_phase_repeats_if_it_counts_moves() {
        let control = control("40/120:20/60+1");
        assert_eq!(control.added_after(40), millis(60_000));
        for n in [60, 80, 100, 4_000_000_000] {
            assert_eq!((control.moves_to_go(n), control.added_after(n)), (Some(1), millis(61_000)), "{n}");
            assert_eq!((control.moves_to_go(n + 1), control.added_after(n + 1)), (Some(20), millis(1000)));
        }
        let every_move = self::control("1/5");
        assert_eq!((every_move.moves_to_go(7), every_move.added_after(7)), (Some(1), millis(5000)));
    }

    #[test]
    fn decimals_are_exact() {
        let control = control("1+0.01");
        assert_eq!(
            control,
            TimeControl::of_phase(Phase { moves: None, time: millis(1000), increment: millis(10) }).unwrap()
        );
        assert_eq!(control.added_after(5), millis(10));
        assert_eq!(control.to_string(), "1+0.01");
        assert_eq!(self::control("0.000000001/move"), TimeControl::PerMove(Duration::from_nanos(1)));
        assert_eq!(self::control("40/8.50").to_string(), "40/8.5");
    }

    #[test]
    fn a_limit_per_move_does_not_add_up() {
        let control = control("5/move");
        assert_eq!((control.initial(), control.added_after(1)), (Some(millis(5000)), Duration::ZERO));
        assert_eq!(control.move_time(millis(9000), 3), MoveTime::Fixed(millis(5000)));
        assert_eq!(control.move_time(millis(4000), 3), MoveTime::Fixed(millis(4000)));
        for text in ["-", "depth=12", "nodes=10000"] {
            assert_eq!(self::control(text).initial(), None);
            assert_eq!(self::control(text).move_time(millis(1), 1), MoveTime::Unlimited);
        }
    }

    #[test]
    fn the_search_is_told_what_the_phase_says() {
        let limit = control("40/7200:3600+30").move_time(millis(1234), 39);
        let expected =
            MoveTime::Clock { remaining: millis(1234), increment: Duration::ZERO, moves_to_go: Some(2) };
        assert_eq!(limit, expected);
    }

    #[test]
    fn what_cannot_be_played_is_refused_with_the_reason() {
        let refused = |text: &str| text.parse::<TimeControl>().expect_err(text);
        assert_eq!(refused("?"), TimeControlError::Unknown);
        assert_eq!(refused("*180"), TimeControlError::Sandclock("*180".to_owned()));
        assert_eq!(refused("300:60"), TimeControlError::EndlessPhase(1));
        assert_eq!(refused("40/60:0/60"), TimeControlError::NoMoves(2));
        assert_eq!(refused("40/60:0"), TimeControlError::NoTime(2));
        assert_eq!(Phases::new(Vec::new()), Err(TimeControlError::NoPhase));
        for text in [
            "",
            "x",
            "1+",
            "+1",
            "1++1",
            "/5",
            "40/",
            "-5",
            "1e3",
            "1.2.3",
            "+5/3",
            "1.0000000001",
            ".5",
            "5.",
            "40/60:",
            "depth=0",
            "nodes=-1",
            "depth=",
            "/move",
            "99999999999999999999",
        ] {
            assert_eq!(refused(text), TimeControlError::Unreadable(text.to_owned()), "{text}");
        }
    }

    fn durations() -> impl Strategy<Value = Duration> {
        (any::<u64>(), 0u32..1_000_000_000).prop_map(|(seconds, nanos)| Duration::new(seconds, nanos))
    }

    prop_compose! {
        fn phases()(list in prop::collection::vec((1u32.., durations(), durations()), 1..5), open: bool) -> TimeControl {
            let mut phases: Vec<Phase> = list
                .into_iter()
                .map(|(moves, time, increment)| {
                    Phase { moves: Some(moves), time: time.max(Duration::from_nanos(1)), increment }
                })
                .collect();
            if let (true, Some(last)) = (open, phases.last_mut()) {
                last.moves = None;
            }
            TimeControl::Clock(Phases::new(phases).unwrap())
        }
    }

    fn controls() -> impl Strategy<Value = TimeControl> {
        prop_oneof![
            Just(TimeControl::Unlimited),
            durations().prop_map(TimeControl::PerMove),
            any::<NonZeroU32>().prop_map(TimeControl::Depth),
            any::<NonZeroU64>().prop_map(TimeControl::Nodes),
            phases(),
        ]
    }

    proptest! {
        #[test]
        fn what_was_written_is_read_back(control in controls()) {
            prop_assert_eq!(control.to_string().parse(), Ok(control));
        }

        #[test]
        fn no_text_makes_the_reading_panic(text in any::<String>(), near in "[0-9/:+.*?-]{0,12}") {
            for text in [text, near] {
                if let Ok(control) = text.parse::<TimeControl>() {
                    prop_assert_eq!(control.to_string().parse(), Ok(control));
                }
            }
        }

        #[test]
        fn time_is_added_when_no_move_is_left(control in phases(), n: u32) {
            let more = control.added_after(n) > control.increment(n);
            // Saturation aside, the time of a phase is more than nothing.
            prop_assert!(more == (control.moves_to_go(n) == Some(1)) || control.increment(n) == Duration::MAX);
            if let Some(to_go @ 2..) = control.moves_to_go(n) && n > 0 && n < u32::MAX {
                prop_assert_eq!(control.moves_to_go(n + 1), Some(to_go - 1));
            }
        }
    }
}
