//! The programs that the referee runs on its own machine, each on a thread of its own with a connection like any other.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use arena::referee::server::{Director, LocalPrograms, Tls};
use game::TimeControl;
use messages::referee::{ClientConfig, DisconnectReason};
use players::Bridge;
use players::transport::{self, Security};

use super::options::{EventPlan, LocalProgram};
use crate::WrongInput;

/// Delay before a program reconnects.
const PAUSE: Duration = Duration::from_millis(200);
/// Time that local programs aren't told of.
const LOCAL_OVERHEAD: Duration = Duration::from_millis(10);
/// Time limit for the referee's response.
const PATIENCE: Duration = Duration::from_secs(5);

/// The programs of this machine. Clones share them.
#[derive(Clone)]
pub(super) struct LocalThreads(Arc<Mutex<Vec<LocalThread>>>);

/// A program, and the thread that runs it.
struct LocalThread {
    client: LocalClient,
    /// Set to end the thread.
    leaving: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// All that is needed to run a program.
#[derive(Clone)]
struct LocalClient {
    spec: players::Spec,
    control: TimeControl,
    config: ClientConfig,
    referee: SocketAddr,
    security: Security,
    director: Director,
}

impl LocalThreads {
    /// Starts all programs that have a command.
    ///
    /// # Errors
    /// A program can't be started.
    pub(super) fn start(plan: &EventPlan, referee: SocketAddr, director: &Director) -> Result<LocalThreads> {
        let security = plan.tls.as_ref().map(Tls::security).transpose()?.unwrap_or_default();
        let mut threads = Vec::new();
        for (program, local) in plan.event.programs.iter().zip(&plan.locals) {
            let Some(LocalProgram { spec, secret }) = local else { continue };
            let config = ClientConfig {
                name: program.name.clone(),
                secret: Some(secret.clone()),
                extended: true,
                ponder: plan.options.ponder,
            };
            let client = LocalClient {
                spec: spec.clone(),
                control: plan.event.control.clone(),
                config,
                referee,
                security: security.clone(),
                director: director.clone(),
            };
            let (mut local, (told, started)) =
                (LocalThread { client, leaving: Arc::default(), thread: None }, mpsc::channel());
            local.run(move |fault| drop(told.send(fault)))?;
            if let Some(fault) = started.recv().context("a local program could not be started")? {
                return Err(WrongInput::of(anyhow!("{fault}")));
            }
            threads.push(local);
        }
        Ok(LocalThreads(Arc::new(Mutex::new(threads))))
    }

    /// Ends the programs.
    pub(super) fn end(self) {
        let mut threads = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        threads.iter().for_each(|local| local.leaving.store(true, Ordering::Relaxed));
        for thread in threads.iter_mut().filter_map(|local| local.thread.take()) {
            // The panic handler has already printed the message.
            let _ = thread.join();
        }
    }

    fn with(
        &self,
        name: &str,
        order: impl FnOnce(&mut LocalThread) -> Result<String, String>,
    ) -> Result<String, String> {
        let mut threads = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let local = threads.iter_mut().find(|local| local.client.config.name == name);
        order(local.ok_or_else(|| format!("`{}` is no program of this machine", game::excerpt(name)))?)
    }
}

impl LocalPrograms for LocalThreads {
    fn start(&mut self, name: &str) -> Result<String, String> {
        self.with(name, |local| {
            match local.is_running() {
                true if local.leaving.load(Ordering::Relaxed) => {
                    return Err(format!("{name} is ending; start it when it has gone"));
                }
                true => return Err(format!("{name} is running; `stop` ends it")),
                false => {}
            }
            let director = local.client.director.clone();
            let told =
                move |fault: Option<String>| fault.into_iter().for_each(|fault| director.report(fault));
            local.run(told).map_err(|error| error.to_string())?;
            Ok(format!("{name} is started"))
        })
    }

    fn stop(&mut self, name: &str) -> Result<String, String> {
        self.with(name, |local| {
            if !local.is_running() {
                return Err(format!("{name} is not running"));
            }
            local.leaving.store(true, Ordering::Relaxed);
            Ok(format!("{name} is ended"))
        })
    }
}

impl LocalThread {
    fn is_running(&self) -> bool {
        self.thread.as_ref().is_some_and(|thread| !thread.is_finished())
    }

    /// Runs the program on a new thread, which calls `told` with what went wrong, or nothing, when it has started.
    fn run(&mut self, told: impl FnOnce(Option<String>) + Send + 'static) -> std::io::Result<()> {
        self.leaving = Arc::default();
        let (client, leaving) = (self.client.clone(), Arc::clone(&self.leaving));
        // A player must stay on the thread that started it.
        let run =
            move || match Bridge::start(client.spec.clone(), None, client.control.clone(), LOCAL_OVERHEAD) {
                Err(fault) => told(Some(format!("{} {fault}", client.spec.command))),
                Ok(bridge) => {
                    told(None);
                    client.speak(bridge, &leaving);
                }
            };
        self.thread = Some(thread::Builder::new().name(self.client.config.name.clone()).spawn(run)?);
        Ok(())
    }
}

impl LocalClient {
    /// Takes part until it is sent away or `leaving` is set.
    fn speak(&self, mut bridge: Bridge, leaving: &AtomicBool) {
        let name = &self.config.name;
        let mut alarm = |reason: &str| self.director.report(format!("{name} needs help: {reason}"));
        while !leaving.load(Ordering::Relaxed) {
            let connected = transport::connect(&self.referee.to_string(), &self.security, PATIENCE);
            let disconnect = connected.and_then(|mut line| {
                let disconnect =
                    bridge.take_part(line.reader()?, &mut line, &self.config, leaving, &mut alarm);
                line.close();
                disconnect
            });
            match disconnect {
                Ok(DisconnectReason::ByReferee | DisconnectReason::SignedOff | DisconnectReason::Refused) => {
                    break;
                }
                Ok(DisconnectReason::TryAgain { after, .. }) => thread::sleep(after),
                Ok(DisconnectReason::Lost | DisconnectReason::Outdated) | Err(_) => thread::sleep(PAUSE),
            }
        }
        bridge.close();
    }
}
