//! Pauses after wrong secrets, by address and by name.
//!
//! After a wrong secret its address has to wait, from one second to two minutes, longer after each further one. So an
//! address has some forty guesses in an hour. A name has to wait, too, but not for addresses from which it was proved
//! before, and in turns: a stranger elsewhere can't lock a program out. What is wrong is forgotten after a while.

use std::collections::{HashMap, HashSet};
use std::net::IpAddr;
use std::time::{Duration, Instant};

/// Pause after the first wrong secret; it doubles with each further one.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
/// Longest pause of an address.
const LONGEST_PAUSE: Duration = Duration::from_mins(2);
/// Longest pause of a name: a program that comes from a new address has to get in at some time.
const LONGEST_FOR_NAMES: Duration = Duration::from_secs(10);
/// Time after the pause of a name that is kept for the address whose turn it is. `Retry` is given in whole seconds.
const TURN: Duration = Duration::from_secs(3);
/// Time after which an address or a name without wrong secrets is forgotten.
const MEMORY: Duration = Duration::from_mins(30);
/// Number of addresses and names that are remembered. When the memory is full, nobody new may guess.
const MOST_REMEMBERED: usize = 20_000;

/// What has to wait: the addresses of a network that one owner is given, or a name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Guesser {
    Address(IpAddr),
    Name(String),
}

/// The wrong secrets of late.
#[derive(Debug, Default)]
pub(super) struct GuessLimiter {
    wrong: HashMap<Guesser, WrongGuesses>,
    /// Addresses from which a name was proved.
    proved: HashSet<(IpAddr, String)>,
    /// Whose guess is the next one at a name.
    turns: HashMap<String, Turn>,
}

/// The next guess at a name is that of the address with the fewest wrong ones among those that asked in the pause of the name. So
/// whoever guesses at it all the time does not keep its program out.
#[derive(Clone, Copy, Debug)]
struct Turn {
    address: IpAddr,
    /// Number of wrong guesses from the address.
    wrong: u32,
    /// The end of the pause of the name.
    begin: Instant,
}

#[derive(Debug)]
struct WrongGuesses {
    count: u32,
    last: Instant,
}

impl GuessLimiter {
    /// Checks a secret for a name, unless the address or the name has to wait.
    ///
    /// # Errors
    /// The secret is wrong, or the time to wait.
    pub(super) fn check(
        &mut self,
        address: IpAddr,
        name: &str,
        at: Instant,
        is_right: impl FnOnce() -> bool,
    ) -> Result<(), RefusedGuess> {
        let address = network(address);
        let known = (address, name.to_owned());
        let mut pause = self.pause(&Guesser::Address(address), at);
        if !self.proved.contains(&known) {
            // Who has to wait for itself gets no turn.
            let for_name = if pause.is_zero() {
                self.pause_before_turn(address, name, at)
            } else {
                self.pause(&Guesser::Name(known.1.clone()), at)
            };
            pause = pause.max(for_name);
        }
        if !pause.is_zero() {
            return Err(RefusedGuess::Wait(pause));
        }
        if self.wrong.len() >= MOST_REMEMBERED {
            self.wrong.retain(|_, wrong| at.saturating_duration_since(wrong.last) < MEMORY);
            if self.wrong.len() >= MOST_REMEMBERED {
                return Err(RefusedGuess::Wait(LONGEST_PAUSE));
            }
        }
        if self.turns.get(name).is_some_and(|turn| turn.address == address) {
            self.turns.remove(name);
        }
        if is_right() {
            // What was wrong before stays: a participant must not be able to guess other secrets between its own.
            self.proved.insert(known);
            return Ok(());
        }
        self.turns.remove(name);
        for guesser in [Guesser::Address(address), Guesser::Name(known.1)] {
            self.note_wrong(guesser, at);
        }
        Err(RefusedGuess::Wrong)
    }

    fn note_wrong(&mut self, guesser: Guesser, at: Instant) {
        let wrong = self.wrong.entry(guesser).or_insert(WrongGuesses { count: 0, last: at });
        *wrong = WrongGuesses { count: wrong.count.saturating_add(1), last: at };
    }

    /// Time for which an address has to wait for a name, which it has not proved. If it asks before others with fewer wrong guesses,
    /// the next turn is its own.
    fn pause_before_turn(&mut self, address: IpAddr, name: &str, at: Instant) -> Duration {
        let pause = self.pause(&Guesser::Name(name.to_owned()), at);
        let wrong = self.wrong.get(&Guesser::Address(address)).map_or(0, |wrong| wrong.count);
        let mut turn = self.turns.get(name).copied();
        if let Some(missed) = turn.filter(|turn| at.saturating_duration_since(turn.begin) >= TURN) {
            // Else strangers could keep turns for themselves that they do not take.
            self.note_wrong(Guesser::Address(missed.address), at);
            self.turns.remove(name);
            turn = None;
        }
        match turn {
            Some(turn) if turn.address != address && turn.wrong <= wrong => {
                (turn.begin + TURN).saturating_duration_since(at)
            }
            _ if pause.is_zero() => pause,
            _ => {
                self.turns.insert(name.to_owned(), Turn { address, wrong, begin: at + pause });
                pause
            }
        }
    }

    /// Time for which nobody may guess from this address, or at this name.
    fn pause(&mut self, guesser: &Guesser, at: Instant) -> Duration {
        let Some(wrong) = self.wrong.get(guesser) else { return Duration::ZERO };
        let since = at.saturating_duration_since(wrong.last);
        if since >= MEMORY {
            self.wrong.remove(guesser);
            return Duration::ZERO;
        }
        let longest = match guesser {
            Guesser::Address(_) => LONGEST_PAUSE,
            Guesser::Name(_) => LONGEST_FOR_NAMES,
        };
        FIRST_PAUSE.saturating_mul(1 << (wrong.count - 1).min(20)).min(longest).saturating_sub(since)
    }
}

/// Why a secret is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusedGuess {
    /// The secret is wrong.
    Wrong,
    /// It was not looked at, because of wrong ones before. Carries the time to wait.
    Wait(Duration),
}

/// The addresses that one owner is usually given: an IPv4 address, or 64 bits of an IPv6 address.
pub(super) fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => address.into(),
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::from([a, b, c, d, 0, 0, 0, 0])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(last: u8) -> IpAddr {
        IpAddr::from([10, 0, 0, last])
    }

    #[test]
    fn an_address_has_some_forty_guesses_in_an_hour() {
        let (mut limiter, begin) = (GuessLimiter::default(), Instant::now());
        let wrong = (0..36_000)
            .filter(|tenth| {
                let at = begin + Duration::from_millis(100) * *tenth;
                limiter.check(address(1), &format!("name {tenth}"), at, || false) == Err(RefusedGuess::Wrong)
            })
            .count();
        assert!((30..50).contains(&wrong), "{wrong}");
        let at = begin + Duration::from_hours(1);
        let mut asked = false;
        let right = limiter.check(address(1), "A", at, || {
            asked = true;
            true
        });
        assert!(
            matches!(right, Err(RefusedGuess::Wait(_))) && !asked,
            "the right one isn't looked at, either"
        );
        assert_eq!(limiter.check(address(1), "A", at + LONGEST_PAUSE, || true), Ok(()));
    }

    #[test]
    fn a_right_secret_does_not_pay_for_wrong_ones() {
        let (mut limiter, mut at, mut wrong) = (GuessLimiter::default(), Instant::now(), 0);
        let end = at + Duration::from_hours(1);
        while at < end {
            let _ = limiter.check(address(1), "A", at, || true);
            wrong += u32::from(limiter.check(address(1), "B", at, || false) == Err(RefusedGuess::Wrong));
            at += Duration::from_millis(100);
        }
        assert!((30..50).contains(&wrong), "{wrong}");
    }

    #[test]
    fn strangers_lock_nobody_out_who_was_there_before() {
        let (mut limiter, begin) = (GuessLimiter::default(), Instant::now());
        assert_eq!(limiter.check(address(1), "A", begin, || true), Ok(()));
        for stranger in 10..30 {
            let _ =
                limiter.check(address(stranger), "A", begin + LONGEST_FOR_NAMES * stranger.into(), || false);
        }
        let at = begin + LONGEST_FOR_NAMES * 29;
        assert_eq!(limiter.check(address(1), "A", at, || true), Ok(()));
        assert_eq!(limiter.check(address(2), "A", at, || true), Err(RefusedGuess::Wait(LONGEST_FOR_NAMES)));
        assert_eq!(limiter.check(address(2), "B", at, || true), Ok(()), "another name");
        assert_eq!(limiter.check(address(2), "A", at + LONGEST_FOR_NAMES, || true), Ok(()));
    }

    /// An hour in which strangers at so many addresses guess at a name ten times a second; a share of them only takes turns and lets
    /// them pass. After a minute the owner comes from a new address and waits as it is told. Returns the tenths of a second after
    /// which it is in, and the number of guesses that were looked at.
    fn besieged(strangers: u32, idle: u32) -> (Option<u32>, usize) {
        let (mut limiter, begin) = (GuessLimiter::default(), Instant::now());
        let (mut owner_asks, mut is_in, mut guesses) = (600, None, 0);
        for tenth in 0..36_000_u32 {
            let (at, stranger) = (begin + Duration::from_millis(100) * tenth, tenth % strangers);
            let is_pause = !limiter.pause(&Guesser::Name("A".to_owned()), at).is_zero();
            if stranger >= idle || is_pause {
                let guess = limiter.check(address(stranger as u8), "A", at, || false);
                guesses += usize::from(guess == Err(RefusedGuess::Wrong));
            }
            if is_in.is_none() && tenth >= owner_asks {
                match limiter.check(address(250), "A", at, || true) {
                    Ok(()) => is_in = Some(tenth - 600),
                    Err(RefusedGuess::Wait(time)) => owner_asks = tenth + 10 * time.as_secs() as u32 + 10,
                    Err(RefusedGuess::Wrong) => unreachable!("it is right"),
                }
            }
        }
        (is_in, guesses)
    }

    #[test]
    fn guessers_do_not_keep_the_owner_of_a_name_out() {
        for (strangers, idle, most) in [(1, 0, 150), (20, 0, 2000), (20, 10, 2600)] {
            let (is_in, guesses) = besieged(strangers, idle);
            assert!(is_in.is_some_and(|tenths| tenths <= most), "{strangers}, {idle}: in after {is_in:?}");
            assert!(
                guesses <= 370,
                "{strangers}, {idle}: a name bears as many guesses as without turns, not {guesses}"
            );
        }
    }

    #[test]
    fn a_network_of_ipv6_is_one_guesser() {
        let [one, other] = ["2001:db8:1:2:3::4", "2001:db8:1:2:ffff::"].map(|text| text.parse().expect(text));
        assert_eq!(network(one), network(other));
        let [mapped, plain]: [IpAddr; 2] =
            ["::ffff:10.0.0.1", "10.0.0.1"].map(|text| text.parse().expect(text));
        assert_eq!(network(mapped), plain);
    }
}
