//! Signals of Unix. Their handlers only record the signal.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;

use signal_hook::iterator::Signals;
use signal_hook::{SigId, flag, low_level};

use crate::signals::Signal;

/// What sets a flag at a signal.
pub(crate) type Registration = SigId;

/// Sets a flag at each of these signals.
///
/// # Errors
/// The system refuses.
pub(crate) fn set_flag(signals: &[Signal], set: &Arc<AtomicBool>) -> io::Result<Vec<Registration>> {
    signals.iter().map(|signal| flag::register(signal.number(), Arc::clone(set))).collect()
}

/// Ends the program with this exit code at each of these signals that finds the flag set.
///
/// # Errors
/// The system refuses.
pub(crate) fn exit_if(signals: &[Signal], set: &Arc<AtomicBool>, code: i32) -> io::Result<()> {
    for signal in signals {
        flag::register_conditional_shutdown(signal.number(), code, Arc::clone(set))?;
    }
    Ok(())
}

/// Undoes a registration.
pub(crate) fn cancel(registration: Registration) {
    low_level::unregister(registration);
}

/// Calls `act` at each of these signals, on a thread of its own, until it returns false.
///
/// # Errors
/// The system refuses, or has no more threads.
pub(crate) fn at_each(signals: &[Signal], mut act: impl FnMut() -> bool + Send + 'static) -> io::Result<()> {
    let mut signals = Signals::new(signals.iter().map(|signal| signal.number()))?;
    thread::Builder::new().name("signals".into()).spawn(move || signals.forever().all(|_| act()))?;
    Ok(())
}
