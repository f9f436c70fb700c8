//! Programs on this machine: the referee starts them and lets them sign on like all others.

use std::io;
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use players::Bridge;
use protocols::referee::{Habits, Parting};

use super::settings::Plan;
use crate::WrongInput;

/// The threads that speak for local programs.
pub(super) struct Locals {
    leaving: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

/// How soon a program comes back after its connection was lost.
const PAUSE: Duration = Duration::from_millis(200);

impl Locals {
    /// Starts all programs that have a command.
    pub(super) fn start(plan: &Plan, address: SocketAddr) -> Result<Locals> {
        let leaving = Arc::new(AtomicBool::new(false));
        let mut locals = Locals { leaving, threads: Vec::new() };
        for (program, spec) in plan.event.programs.iter().zip(&plan.commands) {
            let Some(spec) = spec else { continue };
            let habits = Habits {
                name: program.name.clone(),
                secret: program.secret.clone(),
                extended: true,
                ponder: plan.ponder,
            };
            let (spec, control) = (spec.clone(), plan.event.control.clone());
            let (leaving, (told, started)) = (Arc::clone(&locals.leaving), mpsc::channel());
            // Players stay on the thread that has started them.
            let speaker = move || match Bridge::start(spec.clone(), None, control) {
                Err(fault) => {
                    let _ = told.send(Err(anyhow!(WrongInput).context(format!("{} {fault}", spec.command))));
                }
                Ok(bridge) => {
                    let _ = told.send(Ok(()));
                    speak(bridge, address, &habits, &leaving);
                }
            };
            locals.threads.push(thread::Builder::new().name(program.name.clone()).spawn(speaker)?);
            started.recv().context("a local program could not be started")??;
        }
        Ok(locals)
    }

    /// Sends them away.
    pub(super) fn end(self) {
        self.leaving.store(true, Ordering::Relaxed);
        for thread in self.threads {
            // Its panic has told what was wrong.
            let _ = thread.join();
        }
    }
}

fn speak(mut bridge: Bridge, address: SocketAddr, habits: &Habits, leaving: &AtomicBool) {
    let mut alarm = |reason: &str| eprintln!("herald: {} needs help: {reason}", habits.name);
    while !leaving.load(Ordering::Relaxed) {
        match take_part(&mut bridge, address, habits, leaving, &mut alarm) {
            Ok(Parting::Disconnected | Parting::SignedOff | Parting::Refused) => break,
            Ok(Parting::Lost | Parting::Outdated) | Err(_) => thread::sleep(PAUSE),
        }
    }
    bridge.close();
}

fn take_part(
    bridge: &mut Bridge,
    address: SocketAddr,
    habits: &Habits,
    leaving: &AtomicBool,
    alarm: &mut dyn FnMut(&str),
) -> io::Result<Parting> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    let parting = bridge.take_part(stream.try_clone()?, &mut stream, habits, leaving, alarm);
    // An error means that the referee was faster.
    let _ = stream.shutdown(Shutdown::Both);
    parting
}
