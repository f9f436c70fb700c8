//! The witness: a third party that keeps two referees of an event from both acting when only the line between them breaks,
//! and lets the one that is left go on when the other has died.
//!
//! For each event it remembers the latest term that it has granted: an epoch, and the referee that may begin it. A referee
//! that would begin a term which its partner has not agreed to claims it first. A claim is granted once, and again to the same
//! referee. The event is known by the number of its first referee, which is drawn at random. The lines are in [`PeerLine`].

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader, ErrorKind, Read as _, Write as _};
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use players::transport::{self, Caller, Transport, TransportListener};
use tempfile::NamedTempFile;

use super::TrustedPeer;
use crate::referee::guesses::{GuessLimiter, RefusedGuess, network};
use crate::referee::lease::Term;
use crate::referee::peer_line::PeerLine;
use crate::referee::settings::is_same;
use crate::referee::store::lock;

/// Time for a claim and for its answer.
const PATIENCE: Duration = Duration::from_secs(1);
/// Maximum number of connections at once, of those from one address, and of bytes in a line.
const MOST_CONNECTIONS: usize = 256;
const MOST_PER_ADDRESS: usize = 4;
const LONGEST_LINE: u64 = 1024;
/// Maximum number of events that are remembered. The oldest is forgotten, by the number of its last grant.
const MOST_EVENTS: usize = 1000;

/// First line of the file of a witness.
const HEADING: &str = "# event epoch referee grant\n";

/// Claims a term from a witness; whether it is granted.
///
/// # Errors
/// The witness can't be reached, or does not take the token.
pub(super) fn claim(witness: &TrustedPeer, event: u64, (epoch, by): Term) -> io::Result<bool> {
    let mut output = transport::connect(&witness.address, &witness.security, PATIENCE)?;
    let token = witness.token.clone();
    output.write_all(PeerLine::Claim { token, event, term: (epoch, by) }.encode().as_bytes())?;
    output.flush()?;
    let told = read_line(&output)?;
    match told {
        Some(PeerLine::Claimed { event: about, term, is_granted })
            if (about, term) == (event, (epoch, by)) =>
        {
            Ok(is_granted)
        }
        Some(PeerLine::Refused { reason: why, .. }) => Err(io::Error::new(ErrorKind::PermissionDenied, why)),
        _ => Err(io::Error::new(
            ErrorKind::InvalidData,
            "it gave no answer, or one that was damaged on its way",
        )),
    }
}

/// Reads one line; `None` if it was damaged.
fn read_line(from: &Transport) -> io::Result<Option<PeerLine>> {
    let mut line = Vec::new();
    let reader = from.reader()?.with_timeout(Some(PATIENCE));
    BufReader::new(reader.take(LONGEST_LINE)).read_until(b'\n', &mut line)?;
    Ok(line.strip_suffix(b"\n").and_then(PeerLine::parse))
}

/// What a witness has granted: for each event the latest term, and the number of the grant.
#[derive(Debug, Default)]
pub(in crate::referee) struct Grants {
    terms: BTreeMap<u64, (Term, u64)>,
    count: u64,
    /// The claim that was refused last.
    refused: Option<(u64, Term)>,
}

impl Grants {
    /// The latest term of an event that was granted.
    pub(in crate::referee) fn held(&self, event: u64) -> Option<Term> {
        self.terms.get(&event).map(|(term, _)| *term)
    }

    /// Decides about a claim; whether anything has changed, if it is granted.
    pub(in crate::referee) fn claim(&mut self, event: u64, term: Term) -> Option<bool> {
        let held = self.held(event);
        if held == Some(term) {
            return Some(false);
        }
        if held.is_some_and(|(epoch, _)| epoch >= term.0) {
            return None;
        }
        self.count += 1;
        self.terms.insert(event, (term, self.count));
        while self.terms.len() > MOST_EVENTS {
            let oldest = self.terms.iter().min_by_key(|(_, (_, number))| *number).map(|(event, _)| *event);
            oldest.and_then(|event| self.terms.remove(&event));
        }
        Some(true)
    }

    fn read(text: &str) -> Option<Grants> {
        let mut grants = Grants::default();
        // A file that a full disk has emptied must not be taken for one without grants.
        for line in text.strip_prefix(HEADING)?.lines() {
            let numbers: Vec<u64> = line.split(' ').map(|word| word.parse().ok()).collect::<Option<_>>()?;
            let [event, epoch, by, number] = numbers[..] else { return None };
            // Of two lines about an event nobody knows which is right.
            if grants.terms.insert(event, ((epoch, by), number)).is_some() {
                return None;
            }
            grants.count = grants.count.max(number);
        }
        Some(grants)
    }

    fn text(&self) -> String {
        let line =
            |(event, ((epoch, by), number)): (&u64, &(Term, u64))| format!("{event} {epoch} {by} {number}\n");
        HEADING
            .chars()
            .chain(self.terms.iter().flat_map(|entry| line(entry).chars().collect::<Vec<_>>()))
            .collect()
    }
}

/// A witness: it serves any number of events whose referees know its token.
pub struct Witness {
    listener: TransportListener,
    token: String,
    file: PathBuf,
    grants: Mutex<Grants>,
    guesses: Mutex<GuessLimiter>,
    /// Number of connections from each address.
    connections: Mutex<HashMap<IpAddr, usize>>,
    /// Keeps other witnesses out of the folder.
    _lock: File,
}

impl Witness {
    /// Makes a witness that remembers its grants in `witness.txt` of a folder.
    ///
    /// # Errors
    /// The file can't be read, is damaged, or another witness uses it. The text names the file.
    pub fn new(listener: TransportListener, token: String, folder: &Path) -> io::Result<Witness> {
        let file = folder.join("witness.txt");
        let failed = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", file.display()));
        fs::create_dir_all(folder).map_err(failed)?;
        let lock = lock(&file).map_err(failed)?;
        let lock = lock.ok_or_else(|| failed(io::Error::other("another witness uses it")))?;
        let damaged = || failed(io::Error::new(ErrorKind::InvalidData, "it is damaged"));
        let grants = match fs::read(&file) {
            Ok(text) => str::from_utf8(&text).ok().and_then(Grants::read).ok_or_else(damaged)?,
            Err(error) if error.kind() == ErrorKind::NotFound => Grants::default(),
            Err(error) => return Err(failed(error)),
        };
        let (grants, guesses, connections) = (Mutex::new(grants), Mutex::default(), Mutex::default());
        Ok(Witness { listener, token, file, grants, guesses, connections, _lock: lock })
    }

    /// Answers claims until `stop` is set. Each grant is told to `tell`.
    pub fn run(&self, stop: &AtomicBool, tell: &(dyn Fn(&str) + Sync)) {
        thread::scope(|scope| {
            while !stop.load(Ordering::Relaxed) {
                let Ok(caller) = self.listener.call(Duration::from_millis(200)) else { continue };
                let address = network(caller.address().ip());
                if !self.enter(address) {
                    continue;
                }
                scope.spawn(move || {
                    // Who does not speak as expected gets no answer.
                    let _ = self.answer(caller, tell);
                    self.leave(address);
                });
            }
        });
    }

    /// Counts a connection, unless there are too many.
    fn enter(&self, address: IpAddr) -> bool {
        let mut connections = self.connections.lock().unwrap_or_else(PoisonError::into_inner);
        let all: usize = connections.values().sum();
        let own = connections.entry(address).or_default();
        let is_free = all < MOST_CONNECTIONS && *own < MOST_PER_ADDRESS;
        *own += usize::from(is_free);
        is_free
    }

    fn leave(&self, address: IpAddr) {
        let mut connections = self.connections.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = connections.get_mut(&address) {
            *own -= 1;
        }
        connections.retain(|_, own| *own > 0);
    }

    fn answer(&self, caller: Caller, tell: &(dyn Fn(&str) + Sync)) -> io::Result<()> {
        let address = caller.address().ip();
        let mut output = caller.answer(PATIENCE)?;
        let Some(PeerLine::Claim { token, event, term }) = read_line(&output)? else { return Ok(()) };
        let mut guesses = self.guesses.lock().unwrap_or_else(PoisonError::into_inner);
        let checked = guesses.check(address, "", Instant::now(), || is_same(&self.token, &token));
        drop(guesses);
        let answer = match checked {
            Ok(()) => PeerLine::Claimed { event, term, is_granted: self.decide(event, term, tell)? },
            Err(refused) => {
                tell(&format!("{address} does not know the token, or has to wait after wrong ones"));
                let why = match refused {
                    RefusedGuess::Wrong => "the witness has another token",
                    RefusedGuess::Wait(_) => "after wrong tokens this address has to wait",
                };
                PeerLine::Refused { acts: false, reason: why.to_owned() }
            }
        };
        output.write_all(answer.encode().as_bytes())?;
        output.close();
        Ok(())
    }

    /// Decides about a claim. A grant is on the disk before anybody is told.
    fn decide(&self, event: u64, term: Term, tell: &(dyn Fn(&str) + Sync)) -> io::Result<bool> {
        let mut grants = self.grants.lock().unwrap_or_else(PoisonError::into_inner);
        let before = grants.text();
        let (epoch, by) = term;
        match grants.claim(event, term) {
            None => {
                // Who is refused asks again and again.
                if grants.refused.replace((event, term)) != Some((event, term)) {
                    tell(&format!("event {event}: epoch {epoch} refused to referee {by}"));
                }
            }
            Some(false) => return Ok(true),
            Some(true) => {
                if let Err(error) = write(&self.file, &grants.text()) {
                    *grants = Grants::read(&before).unwrap_or_default();
                    tell(&format!("{} can't be written: {error}", self.file.display()));
                    return Err(error);
                }
                tell(&format!("event {event}: epoch {epoch} granted to referee {by}"));
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Replaces a file, so that the old or the new one is there whenever the machine fails.
fn write(path: &Path, text: &str) -> io::Result<()> {
    let mut file = NamedTempFile::new_in(path.parent().unwrap_or(Path::new(".")))?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use players::transport::{Security, ServerSecurity};

    use super::*;

    #[test]
    fn a_term_is_granted_once_and_again_to_the_same_referee() {
        let mut grants = Grants::default();
        assert_eq!(grants.claim(1, (2, 7)), Some(true));
        assert_eq!(
            (grants.claim(1, (2, 7)), grants.claim(1, (2, 8)), grants.claim(1, (1, 8))),
            (Some(false), None, None)
        );
        assert_eq!(
            (grants.claim(2, (2, 8)), grants.claim(1, (3, 8)), grants.claim(1, (2, 7))),
            (Some(true), Some(true), None)
        );
        let mut again = Grants::read(&grants.text()).expect("its own text");
        assert_eq!(again.text(), grants.text());
        for event in 10..2000 {
            again.claim(event, (1, 1));
        }
        assert_eq!(again.terms.len(), MOST_EVENTS);
        for damaged in ["1 2 3\n", "1 2 3 x\n", "1 2 3 4 5\n", "\n", "1 9 7 1\n1 2 7 2\n"] {
            assert!(Grants::read(&format!("{HEADING}{damaged}")).is_none(), "{damaged}");
        }
        assert!(Grants::read("").is_none() && Grants::read("1 2 3 4\n").is_none());
    }

    #[test]
    fn a_witness_remembers_and_does_not_listen_to_strangers() {
        let folder = tempfile::tempdir().expect("a folder");
        let stop = AtomicBool::new(false);
        let witness = || {
            let listener = TransportListener::bind("127.0.0.1:0", ServerSecurity::default()).expect("a port");
            let address = listener.address().expect("an address").to_string();
            let peer = |token: &str| TrustedPeer {
                address: address.clone(),
                token: token.to_owned(),
                security: Security::default(),
            };
            let peers = [peer("open-sesame"), peer("open-barley")];
            (Witness::new(listener, "open-sesame".to_owned(), folder.path()).expect("a witness"), peers)
        };
        for round in 0..2 {
            let (witness, [friend, stranger]) = witness();
            stop.store(false, Ordering::Relaxed);
            thread::scope(|scope| {
                scope.spawn(|| witness.run(&stop, &|_| {}));
                assert!(claim(&friend, 5, (2, 7)).expect("an answer"));
                assert!(!claim(&friend, 5, (2, 8)).expect("an answer"), "round {round}");
                assert!(claim(&stranger, 5, (9, 9)).is_err());
                let second =
                    TransportListener::bind("127.0.0.1:0", ServerSecurity::default()).expect("a port");
                let refused = Witness::new(second, "open-sesame".to_owned(), folder.path()).err();
                let refused = refused.expect("the folder is in use").to_string();
                assert!(refused.contains("witness.txt: another witness uses it"), "{refused}");
                stop.store(true, Ordering::Relaxed);
            });
        }
    }
}
