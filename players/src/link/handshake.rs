//! The beginning of a connection: each end tells who it is, and proves that it knows the shared secret.
//!
//! Both ends send a `hello` with a nonce, and send it again with the nonce of the other end as soon as they know that. A hello that
//! answers our own nonce belongs to this connection, so that what is left of an earlier one on a serial line is not taken for it.

use std::time::{Duration, Instant};

use messages::autoplayer::{Hello, LINK_VERSION};
use ring::{hmac, rand::SecureRandom as _, rand::SystemRandom};

/// Time between two hellos.
const REPETITION: Duration = Duration::from_secs(1);
/// Pause between answers, so that two ends do not answer each other without end.
const PAUSE: Duration = Duration::from_millis(200);

/// The handshake of one connection.
#[derive(Debug)]
pub(crate) struct Handshake {
    own: Hello,
    secret: Option<String>,
    /// The other end, as far as it is known.
    peer: Option<Hello>,
    said: Option<Instant>,
}

/// What a hello leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Greeting {
    /// Nothing new.
    Nothing,
    /// The connection is established.
    Established,
    /// This end does not talk to the other one.
    Refused(String),
}

/// Returns random text: 32 hexadecimal digits.
pub(crate) fn random_text() -> String {
    let mut bytes = [0; 16];
    // Fails only where the system has no source of randomness; then nothing is secret anyway.
    let _ = SystemRandom::new().fill(&mut bytes);
    hex(&bytes)
}

fn hex(bytes: &[u8]) -> String {
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.filter_map(|digit| char::from_digit(digit.into(), 16)).collect()
}

/// HMAC-SHA256, with the secret as its key, over the role and both nonces of who proves.
fn proof(secret: &str, of: &Hello, answer: &str) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
    hex(hmac::sign(&key, format!("{} {} {answer}", of.role.word(), of.nonce).as_bytes()).as_ref())
}

/// Compares in constant time.
fn is_same(one: &str, other: &str) -> bool {
    let pairs = one.bytes().zip(other.bytes());
    one.len() == other.len() && pairs.fold(0, |differ, (a, b)| differ | (a ^ b)) == 0
}

impl Handshake {
    /// Begins a handshake. `own` has the nonce of this connection.
    pub(crate) fn new(own: Hello, secret: Option<String>) -> Handshake {
        Handshake { own, secret, peer: None, said: None }
    }

    /// The other end, once the connection is established.
    pub(crate) fn peer(&self) -> Option<&Hello> {
        self.peer.as_ref().filter(|_| self.own.satisfied)
    }

    /// Returns the hello that is to be sent now, if any.
    pub(crate) fn output(&mut self, now: Instant) -> Option<Hello> {
        if self.said.is_some() && self.due().is_none_or(|due| now < due) {
            return None;
        }
        self.said = Some(now);
        Some(self.own.clone())
    }

    /// When [`Handshake::output`] has to be called again, if nothing happens before.
    pub(crate) fn due(&self) -> Option<Instant> {
        self.said.filter(|_| !self.own.satisfied).map(|said| said + REPETITION)
    }

    /// Takes a hello.
    pub(crate) fn hear(&mut self, hello: Hello, now: Instant) -> Greeting {
        if let Some(reason) = self.refusal(&hello) {
            return Greeting::Refused(reason);
        }
        let is_new = self.peer.as_ref().is_none_or(|peer| peer.nonce != hello.nonce);
        if is_new {
            self.own.answer = Some(hello.nonce.clone());
            self.own.proof = self.secret.as_ref().map(|secret| proof(secret, &self.own, &hello.nonce));
            self.own.satisfied = false;
            self.said = None;
        } else if !hello.satisfied
            && self.said.is_some_and(|said| now.saturating_duration_since(said) >= PAUSE)
        {
            self.said = None;
        }
        let is_answer = hello.answer.as_deref() == Some(self.own.nonce.as_str());
        let was_satisfied = self.own.satisfied;
        let given = hello.proof.clone();
        self.peer = Some(hello);
        if !is_answer || was_satisfied {
            return Greeting::Nothing;
        }
        if let (Some(secret), Some(peer)) = (&self.secret, &self.peer) {
            let wanted = proof(secret, peer, &self.own.nonce);
            if !given.is_some_and(|given| is_same(&given, &wanted)) {
                return Greeting::Refused("the shared secrets differ".into());
            }
        }
        self.own.satisfied = true;
        self.said = None;
        Greeting::Established
    }

    fn refusal(&self, hello: &Hello) -> Option<String> {
        if hello.version != LINK_VERSION {
            return Some(format!(
                "one end has version {LINK_VERSION} of the protocol and the other one {}",
                hello.version
            ));
        }
        (hello.role == self.own.role).then(|| format!("both ends are {}s", hello.role.word()))
    }
}
