//! The lines between referees, and between a referee and the witness.
//!
//! Each begins with a checksum: the CRC-32 of the rest in eight hexadecimal digits. What comes with another one was damaged on
//! its way, and nothing in it is believed: a digit of an acknowledgement decides what may be told.

use super::history::StoreSummary;
use super::lease::Term;

/// A line between referees. docs/REFEREE.md has the table.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum PeerLine {
    /// An observer comes: what it has, and the checksum of its settings.
    Observe { token: String, store: StoreSummary, settings: u32 },
    /// A fact, with its number and as JSON.
    Fact(u64, String),
    /// The observer has stored the facts up to a number.
    Stored(u64),
    /// A heartbeat with its number, and its answer: up to which fact the sender has sent or stored all.
    Alive { beat: u64, count: u64 },
    /// The event is over here.
    End,
    /// The observer will not take over.
    Leave,
    /// The observer has facts from this number on that the acting referee does not have.
    Back(u64),
    /// The observer, or who claims, is refused for a reason. Whether the sender acts as the referee.
    Refused { acts: bool, reason: String },
    /// The observer is refused, because the settings here are these.
    Settings(String),
    /// A referee has taken over: its term, and the first fact that is not shared. If the event is over, the facts from there up to
    /// the last one follow; else that is 0.
    Fence { token: String, term: Term, first: u64, last: u64 },
    /// A referee would begin a term of an event.
    Claim { token: String, event: u64, term: Term },
    /// The witness grants the term of the event, or does not.
    Claimed { event: u64, term: Term, is_granted: bool },
}

impl PeerLine {
    /// The line, with its end.
    pub(super) fn encode(&self) -> String {
        let words = match self {
            PeerLine::Observe { token, store, settings } => {
                let StoreSummary { by, event, first, term: (epoch, author), sum } = store;
                format!("observe {token} {by} {event} {first} {epoch} {author} {settings:08x} {sum:08x}")
            }
            PeerLine::Fact(number, json) => format!("fact {number} {json}"),
            PeerLine::Stored(number) => format!("stored {number}"),
            PeerLine::Alive { beat, count } => format!("alive {beat} {count}"),
            PeerLine::End => "end".to_owned(),
            PeerLine::Leave => "leave".to_owned(),
            PeerLine::Back(number) => format!("back {number}"),
            PeerLine::Refused { acts, reason } => {
                format!("refused {} {reason}", if *acts { "acting" } else { "waiting" })
            }
            PeerLine::Settings(json) => format!("settings {json}"),
            PeerLine::Fence { token, term: (epoch, by), first, last } => {
                format!("fence {token} {epoch} {by} {first} {last}")
            }
            PeerLine::Claim { token, event, term: (epoch, by) } => {
                format!("claim {token} {event} {epoch} {by}")
            }
            PeerLine::Claimed { event, term: (epoch, by), is_granted } => {
                format!("{} {event} {epoch} {by}", if *is_granted { "granted" } else { "denied" })
            }
        };
        format!("{:08x} {words}\n", checksum(&words))
    }

    /// Reads a line without its end; `None` if it was damaged, or none of ours.
    pub(super) fn parse(line: &[u8]) -> Option<PeerLine> {
        let (sum, words) = str::from_utf8(line).ok()?.split_once(' ')?;
        (sum == format!("{:08x}", checksum(words))).then(|| PeerLine::read(words))?
    }

    fn read(words: &str) -> Option<PeerLine> {
        let (word, rest) = words.split_once(' ').unwrap_or((words, ""));
        let numbers =
            |text: &str| -> Option<Vec<u64>> { text.split(' ').map(|number| number.parse().ok()).collect() };
        let after_token = || rest.split_once(' ').map(|(token, rest)| (token.to_owned(), rest));
        Some(match word {
            "observe" => {
                let (token, rest) = after_token()?;
                let (rest, sum) = rest.rsplit_once(' ')?;
                let (rest, settings) = rest.rsplit_once(' ')?;
                let [by, event, first, epoch, author] = numbers(rest)?[..] else { return None };
                let read = |text| u32::from_str_radix(text, 16).ok();
                let store = StoreSummary { by, event, first, term: (epoch, author), sum: read(sum)? };
                PeerLine::Observe { token, store, settings: read(settings)? }
            }
            "fact" => {
                let (number, json) = rest.split_once(' ')?;
                PeerLine::Fact(number.parse().ok()?, json.to_owned())
            }
            "stored" => PeerLine::Stored(rest.parse().ok()?),
            "alive" => {
                let [beat, count] = numbers(rest)?[..] else { return None };
                PeerLine::Alive { beat, count }
            }
            "end" if rest.is_empty() => PeerLine::End,
            "leave" if rest.is_empty() => PeerLine::Leave,
            "back" => PeerLine::Back(rest.parse().ok().filter(|&number| number > 0)?),
            "refused" => {
                let (acts, reason) = match rest.split_once(' ')? {
                    ("acting", reason) => (true, reason),
                    ("waiting", reason) => (false, reason),
                    _ => return None,
                };
                PeerLine::Refused { acts, reason: reason.to_owned() }
            }
            "settings" => PeerLine::Settings(rest.to_owned()),
            "fence" => {
                let (token, rest) = after_token()?;
                let [epoch, by, first, last] = numbers(rest)?[..] else { return None };
                PeerLine::Fence { token, term: (epoch, by), first, last }
            }
            "claim" => {
                let (token, rest) = after_token()?;
                let [event, epoch, by] = numbers(rest)?[..] else { return None };
                PeerLine::Claim { token, event, term: (epoch, by) }
            }
            "granted" | "denied" => {
                let [event, epoch, by] = numbers(rest)?[..] else { return None };
                PeerLine::Claimed { event, term: (epoch, by), is_granted: word == "granted" }
            }
            _ => return None,
        })
    }
}

/// The checksum of a line, or of settings.
pub(super) fn checksum(text: &str) -> u32 {
    crc32fast::hash(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> [PeerLine; 14] {
        let token = || "open-sesame".to_owned();
        [
            PeerLine::Observe {
                token: token(),
                store: StoreSummary { by: 7, event: 6, first: 151, term: (2, u64::MAX), sum: 8 },
                settings: 9,
            },
            PeerLine::Fact(151, "{\"fact\":\"noted\",\"game\":2,\"side\":null,\"text\":\"Łódź\"}".to_owned()),
            PeerLine::Stored(150),
            PeerLine::Alive { beat: 3, count: 150 },
            PeerLine::End,
            PeerLine::Leave,
            PeerLine::Back(17),
            PeerLine::Refused { acts: true, reason: "there is another one".to_owned() },
            PeerLine::Refused { acts: false, reason: "its token is wrong".to_owned() },
            PeerLine::Settings("{\"tc\":\"60+1\"}".to_owned()),
            PeerLine::Fence { token: token(), term: (3, 8), first: 151, last: 0 },
            PeerLine::Claim { token: token(), event: 5, term: (3, 8) },
            PeerLine::Claimed { event: 5, term: (3, 8), is_granted: true },
            PeerLine::Claimed { event: 5, term: (3, 8), is_granted: false },
        ]
    }

    #[test]
    fn a_line_is_read_as_it_was_written_and_no_damaged_byte_is_believed() {
        for line in all() {
            let text = line.encode();
            let sound = text.trim_end().as_bytes();
            assert_eq!(PeerLine::parse(sound), Some(line));
            for place in 0..sound.len() {
                for change in 1..=u8::MAX {
                    let mut damaged = sound.to_vec();
                    damaged[place] ^= change;
                    assert_eq!(PeerLine::parse(&damaged), None, "{text} byte {place} ^ {change}");
                }
                assert_eq!(PeerLine::parse(&sound[..place]), None, "{text} cut at {place}");
            }
        }
    }

    #[test]
    fn words_that_make_no_sense_are_refused_with_a_right_checksum() {
        let observe = "observe t 7 1 0";
        for wrong in [
            "",
            observe,
            "observe t 7 6 1 0 x 0 0",
            "observe t 7 6 1 0 0 0",
            "fence t 2",
            "alive 1",
            "stored -1",
            "leave now",
            "stored 18446744073709551616",
            "back 0",
            "fact 1",
            "granted 1 2",
        ] {
            let line = format!("{:08x} {wrong}", checksum(wrong));
            assert_eq!(PeerLine::parse(line.as_bytes()), None, "{wrong}");
        }
    }
}
