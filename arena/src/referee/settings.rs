//! The settings of an event.

use std::fmt;
use std::time::Duration;

use argon2::{Algorithm, Argon2, Params, Version};
use game::{PgnTags, TimeControl};
use messages::referee::Secret;
use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq as _;

use crate::{Rules, schedule};

/// Settings of an event.
#[derive(Clone, Debug)]
pub struct EventSettings {
    /// Name of the event.
    pub name: String,
    /// Site of the event.
    pub site: String,
    /// Programs that may take part. Their indices are their numbers in the schedule.
    pub programs: Vec<ProgramSettings>,
    /// Settings of the schedule.
    pub schedule: schedule::ScheduleSettings,
    /// Time control of all programs.
    pub control: TimeControl,
    /// Margin by which a clock may be overdrawn without loss. The overdrawn time is deducted all the same.
    pub margin: Duration,
    /// Adjudication rules.
    pub rules: Rules,
    /// Quiet period after `conclude` and `reset`, in which nothing is sent to a client (EPD specification, 8.1.1 and
    /// 8.1.6).
    pub quiet: Duration,
    /// Time that a program may be absent from a running game before it loses the game.
    pub patience: Duration,
    /// Number of times that a program may return to the same game.
    pub returns: u32,
    /// Whether each round waits for the director's command.
    pub rounds_by_hand: bool,
    /// Time added to the opponent's clock for a false draw claim.
    pub penalty: Duration,
    /// Maximum number of games with local programs at once; `None` for no limit.
    pub local_games: Option<usize>,
    /// Time that a connection may last without a sign-on.
    pub sign_on_time: Duration,
}

impl EventSettings {
    /// Returns the PGN tags shared by all games.
    pub(super) fn tags(&self) -> PgnTags {
        let mut tags = PgnTags::default();
        tags.set("Event", &self.name);
        tags.set("Site", &self.site);
        tags
    }
}

/// Settings of a program that may take part.
#[derive(Clone, Debug)]
pub struct ProgramSettings {
    /// Name under which the program signs on.
    pub name: String,
    /// Hash of the secret that proves the name; without one, anybody may sign on under the name.
    pub secret: Option<SecretHash>,
    /// Whether the referee starts the program itself, and has made its secret.
    pub is_local: bool,
}

/// Number of records without effect from a client between two replies that count; its connection is closed at the next one.
pub(super) const MOST_REFUSALS: u32 = 20;

/// Whether a secret has at least eight characters, and at most 255 bytes.
pub fn is_fit_secret(secret: &str) -> bool {
    secret.chars().count() >= 8 && secret.len() <= 255
}

/// What a secret is compared with. In a store it is text: salt and hash in hexadecimal, separated by a colon.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SecretHash(HashKind);

#[derive(Clone, PartialEq)]
enum HashKind {
    /// Argon2id, with its salt: the secret can't be read from it, and guessing is slow.
    Slow { salt: [u8; 16], hash: [u8; 32] },
    /// The secret itself, which is random and lives as long as this process. Nobody can guess it.
    Random(Secret),
}

/// Memory for a hash in KiB. A guess at a stolen hash costs as much; a sign-on takes a few milliseconds.
const HASH_MEMORY: u32 = 8 * 1024;

impl SecretHash {
    /// Hashes a secret.
    pub fn of(secret: &Secret) -> SecretHash {
        // The secrets of an event differ, and the salt only has to differ from those of other events.
        let salt = random_bytes();
        SecretHash(HashKind::Slow { salt, hash: hash(secret, &salt) })
    }

    /// Hashes the secret of a program so that two referees get the same hash. It is never stored.
    pub fn of_program(name: &str, secret: &Secret) -> SecretHash {
        let mut salt = [0_u8; 16];
        for (place, byte) in name.bytes().enumerate() {
            salt[place % 16] = salt[place % 16].rotate_left(3) ^ byte;
        }
        SecretHash(HashKind::Slow { salt, hash: hash(secret, &salt) })
    }

    /// A few bits of the hash, by which two referees notice that their secrets differ. They are too few to tell the secret; `None` for
    /// a random one.
    pub fn fingerprint(&self) -> Option<u16> {
        match self.0 {
            HashKind::Slow { hash, .. } => Some(u16::from_le_bytes([hash[0], hash[1]])),
            HashKind::Random(_) => None,
        }
    }

    /// For a secret that this process has made at random and gives to a program that it starts.
    pub fn of_random(secret: Secret) -> SecretHash {
        SecretHash(HashKind::Random(secret))
    }

    /// Whether a comparison takes no time worth mentioning, and guessing is hopeless.
    pub(super) fn is_quick(&self) -> bool {
        matches!(self.0, HashKind::Random(_))
    }

    /// Whether this is the hash of a secret. Takes some milliseconds, unless [`SecretHash::is_quick`].
    pub(super) fn is_of(&self, told: &Secret) -> bool {
        match &self.0 {
            HashKind::Slow { salt, hash: own } => bool::from(own.ct_eq(&hash(told, salt))),
            HashKind::Random(secret) => is_same(secret.reveal(), told.reveal()),
        }
    }
}

/// Random bytes of the operating system.
///
/// # Panics
/// The system has no random numbers; nothing secret can be made then.
pub fn random_bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).expect("the system has random numbers");
    bytes
}

fn hash(secret: &Secret, salt: &[u8]) -> [u8; 32] {
    let params = Params::new(HASH_MEMORY, 1, 1, Some(32)).expect("the parameters are within their limits");
    let mut hash = [0; 32];
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
        .hash_password_into(secret.reveal().as_bytes(), salt, &mut hash)
        .expect("the lengths are within their limits");
    hash
}

impl From<SecretHash> for String {
    fn from(SecretHash(kind): SecretHash) -> String {
        let (salt, hash) = match kind {
            HashKind::Slow { salt, hash } => (salt, hash),
            HashKind::Random(secret) => {
                let salt = random_bytes();
                (salt, hash(&secret, &salt))
            }
        };
        let hex = |bytes: &[u8]| bytes.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"));
        format!("{}:{}", hex(&salt), hex(&hash))
    }
}

impl TryFrom<String> for SecretHash {
    type Error = &'static str;

    fn try_from(text: String) -> Result<SecretHash, &'static str> {
        fn bytes<const N: usize>(text: &str) -> Option<[u8; N]> {
            let is_fit = text.len() == 2 * N && text.is_ascii();
            let byte = |place: usize| u8::from_str_radix(&text[2 * place..2 * place + 2], 16).ok();
            let bytes: Vec<u8> = (0..N).filter(|_| is_fit).map_while(byte).collect();
            bytes.try_into().ok()
        }
        let parts = text.split_once(':').and_then(|(salt, hash)| Some((bytes(salt)?, bytes(hash)?)));
        parts.map(|(salt, hash)| SecretHash(HashKind::Slow { salt, hash })).ok_or("no hash of a secret")
    }
}

impl fmt::Debug for SecretHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretHash(…)")
    }
}

/// Compares two texts of at most 255 bytes in constant time.
pub(super) fn is_same(one: &str, other: &str) -> bool {
    let padded = |text: &str| {
        let mut bytes = [0_u8; 256];
        let length = text.len().min(255);
        bytes[..length].copy_from_slice(&text.as_bytes()[..length]);
        // The length distinguishes a text from the same text followed by zeros.
        bytes[255] = length as u8;
        bytes
    };
    bool::from(padded(one).ct_eq(&padded(other)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_knows_its_secret_and_no_other() {
        let hash = SecretHash::of(&Secret::new("open-sesame"));
        assert!(hash.is_of(&Secret::new("open-sesame")));
        for wrong in ["", "open-sesam", "open-sesame ", "Open-sesame"] {
            assert!(!hash.is_of(&Secret::new(wrong)), "{wrong}");
        }
        let of = |name, secret| SecretHash::of_program(name, &Secret::new(secret)).fingerprint();
        assert_eq!(of("A", "open-sesame"), of("A", "open-sesame"));
        assert!(
            of("A", "open-sesame") != of("A", "open-barley")
                && of("A", "open-sesame") != of("B", "open-sesame")
        );
        let salt = |SecretHash(kind)| if let HashKind::Slow { salt, .. } = kind { Some(salt) } else { None };
        assert_ne!(salt(hash.clone()), salt(SecretHash::of(&Secret::new("open-sesame"))), "salted");
        let random = SecretHash::of_random(Secret::new("open-sesame"));
        assert!(
            random.is_quick() && random.is_of(&Secret::new("open-sesame")) && !random.is_of(&Secret::new(""))
        );
        assert!(!format!("{hash:?}").contains(char::is_numeric));
        let stored = serde_json::to_string(&hash).expect("text");
        let again: SecretHash = serde_json::from_str(&stored).expect("a hash");
        assert!(again.is_of(&Secret::new("open-sesame")) && !stored.contains("sesame"));
        for wrong in [&stored[..40], "\"\"", "\"ab:cd\"", &stored.replace(':', "é"), "\"é:é\""] {
            assert!(serde_json::from_str::<SecretHash>(wrong).is_err(), "{wrong}");
        }
        assert!(is_same("abc", "abc") && !is_same("a", "a\0") && !is_same("abc", "abd"));
    }
}
