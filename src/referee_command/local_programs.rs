//! Local programs: the referee starts them, and they sign on over the network like all others.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use arena::referee::server::Tls;
use messages::referee::{ClientConfig, DisconnectReason};
use players::Bridge;
use players::transport::{self, Security};

use super::options::EventPlan;
use crate::WrongInput;

/// The threads that connect local programs to the referee.
pub(super) struct LocalPrograms {
    leaving: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

/// Delay before a program reconnects.
const PAUSE: Duration = Duration::from_millis(200);
/// Time limit for the referee's response.
const PATIENCE: Duration = Duration::from_secs(5);

impl LocalPrograms {
    /// Starts all programs that have a command.
    pub(super) fn start(plan: &EventPlan, address: SocketAddr) -> Result<LocalPrograms> {
        let security = plan.tls.as_ref().map(Tls::security).transpose()?.unwrap_or_default();
        let leaving = Arc::new(AtomicBool::new(false));
        let mut locals = LocalPrograms { leaving, threads: Vec::new() };
        for (program, spec) in plan.event.programs.iter().zip(&plan.specs) {
            let Some(spec) = spec else { continue };
            let config = ClientConfig {
                name: program.name.clone(),
                secret: program.secret.clone(),
                extended: true,
                ponder: plan.options.ponder,
            };
            let (spec, control, security) = (spec.clone(), plan.event.control.clone(), security.clone());
            let (leaving, (told, started)) = (Arc::clone(&locals.leaving), mpsc::channel());
            // A player must stay on the thread that started it.
            let speaker = move || match Bridge::start(spec.clone(), None, control) {
                Err(fault) => {
                    let _ = told.send(Err(WrongInput::of(anyhow!("{} {fault}", spec.command))));
                }
                Ok(bridge) => {
                    let _ = told.send(Ok(()));
                    speak(bridge, address, &security, &config, &leaving);
                }
            };
            locals.threads.push(thread::Builder::new().name(program.name.clone()).spawn(speaker)?);
            started.recv().context("a local program could not be started")??;
        }
        Ok(locals)
    }

    /// Ends the programs.
    pub(super) fn end(self) {
        self.leaving.store(true, Ordering::Relaxed);
        for thread in self.threads {
            // The panic handler has already printed the message.
            let _ = thread.join();
        }
    }
}

fn speak(
    mut bridge: Bridge,
    referee: SocketAddr,
    security: &Security,
    config: &ClientConfig,
    leaving: &AtomicBool,
) {
    let mut alarm = |reason: &str| eprintln!("herald: {} needs help: {reason}", config.name);
    while !leaving.load(Ordering::Relaxed) {
        let connected = transport::connect(&referee.to_string(), security, PATIENCE);
        let disconnect = connected.and_then(|mut line| {
            let disconnect = bridge.take_part(line.reader()?, &mut line, config, leaving, &mut alarm);
            line.close();
            disconnect
        });
        match disconnect {
            Ok(DisconnectReason::ByReferee | DisconnectReason::SignedOff | DisconnectReason::Refused) => {
                break;
            }
            Ok(DisconnectReason::Lost | DisconnectReason::Outdated) | Err(_) => thread::sleep(PAUSE),
        }
    }
    bridge.close();
}
