//! The check of secrets, on a thread of its own: a hash takes milliseconds, in which no move should wait.

use std::io;
use std::net::IpAddr;
use std::sync::mpsc::{self, Sender};
use std::thread;
use std::time::Instant;

use messages::referee::Secret;

use super::ServiceMessage;
use crate::referee::guesses::GuessLimiter;
use crate::referee::settings::SecretHash;
use crate::referee::{ConnectionEvent, ConnectionId, ProgramSettings};

/// A secret to be checked, and who has told it.
struct Guess {
    connection: ConnectionId,
    address: IpAddr,
    name: String,
    hash: SecretHash,
    secret: Secret,
    /// Whether guessing is hopeless, because the referee made the secret itself.
    is_local: bool,
}

/// Handle of the checking thread, which ends with it.
pub(super) struct ProofThread(Sender<Guess>);

impl ProofThread {
    pub(super) fn start(service: Sender<ServiceMessage>) -> io::Result<ProofThread> {
        let (sender, guesses) = mpsc::channel::<Guess>();
        thread::Builder::new().name("secrets".into()).spawn(move || {
            let mut limiter = GuessLimiter::default();
            for guess in guesses {
                let now = Instant::now();
                let is_right = || guess.hash.is_of(&guess.secret);
                let proof = if guess.is_local && is_right() {
                    // Strangers on this machine must not be able to make its own programs wait.
                    Ok(())
                } else {
                    limiter.check(guess.address, &guess.name, now, is_right)
                };
                let proved = ConnectionEvent::Proved(guess.connection, proof);
                if service.send(ServiceMessage::Received(Instant::now(), proved)).is_err() {
                    return;
                }
            }
        })?;
        Ok(ProofThread(sender))
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
        let (name, is_local) = (program.name.clone(), program.is_local);
        // The thread ends only with the service.
        let _ = self.0.send(Guess { connection, address, name, hash, secret, is_local });
    }
}
