//! The check of secrets, on a thread of its own: a hash takes milliseconds, in which no move should wait.

use std::io;
use std::net::IpAddr;
use std::sync::mpsc::{self, Sender};
use std::thread;
use std::time::Instant;

use messages::referee::Secret;

use super::ServiceMessage;
use crate::referee::guesses::{GuessLimiter, RefusedGuess};
use crate::referee::settings::SecretHash;
use crate::referee::{ConnectionEvent, ConnectionId, ProgramSettings};

/// A secret to be checked, and who has told it.
struct Guess {
    connection: ConnectionId,
    address: IpAddr,
    name: String,
    hash: SecretHash,
    secret: Secret,
}

/// Handle of the checking thread, which ends with it.
pub(super) struct ProofThread {
    guesses: Sender<Guess>,
    service: Sender<ServiceMessage>,
}

impl ProofThread {
    pub(super) fn start(service: Sender<ServiceMessage>) -> io::Result<ProofThread> {
        let (guesses, received) = mpsc::channel::<Guess>();
        let to_service = service.clone();
        thread::Builder::new().name("secrets".into()).spawn(move || {
            let mut limiter = GuessLimiter::default();
            for guess in received {
                let is_right = || guess.hash.is_of(&guess.secret);
                let proof = limiter.check(guess.address, &guess.name, Instant::now(), is_right);
                if !tell(&to_service, guess.connection, proof) {
                    return;
                }
            }
        })?;
        Ok(ProofThread { guesses, service })
    }

    /// Has a secret checked; the result comes as [`ConnectionEvent::Proved`].
    pub(super) fn check(
        &self,
        connection: ConnectionId,
        address: IpAddr,
        program: &ProgramSettings,
        secret: Secret,
    ) {
        let Some(hash) = program.secret.clone() else { return };
        if hash.is_quick() {
            // Strangers on this machine can't make its own programs wait, nor keep the thread busy.
            let proof = if hash.is_of(&secret) { Ok(()) } else { Err(RefusedGuess::Wrong) };
            tell(&self.service, connection, proof);
            return;
        }
        // The thread ends only with the service.
        let _ = self.guesses.send(Guess { connection, address, name: program.name.clone(), hash, secret });
    }
}

/// Tells the deciding thread what came of a check; `false` if it has ended.
fn tell(service: &Sender<ServiceMessage>, connection: ConnectionId, proof: Result<(), RefusedGuess>) -> bool {
    let proved = ConnectionEvent::Proved(connection, proof);
    service.send(ServiceMessage::Received(Instant::now(), proved)).is_ok()
}
