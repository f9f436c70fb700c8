//! Ctrl-C, and the other events by which a console ends a program: all of them count as the interrupt. The other signals don't come.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::signals::Signal;

/// Number of an action.
pub(crate) type Registration = u64;

/// What is done at an event; false ends it.
type Action = Box<dyn FnMut() -> bool + Send>;

static ACTIONS: Mutex<Vec<(Registration, Action)>> = Mutex::new(Vec::new());

fn register(signals: &[Signal], action: Action) -> io::Result<Option<Registration>> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    if !signals.contains(&Signal::Interrupt) {
        return Ok(None);
    }
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let mut actions = ACTIONS.lock().unwrap_or_else(PoisonError::into_inner);
    let is_first = number == 0;
    actions.push((number, action));
    drop(actions);
    if is_first {
        ctrlc::set_handler(|| {
            ACTIONS.lock().unwrap_or_else(PoisonError::into_inner).retain_mut(|(_, action)| action());
        })
        .map_err(io::Error::other)?;
    }
    Ok(Some(number))
}

/// Sets a flag at each event.
///
/// # Errors
/// The system refuses.
pub(crate) fn set_flag(signals: &[Signal], set: &Arc<AtomicBool>) -> io::Result<Vec<Registration>> {
    let set = Arc::clone(set);
    let act = move || {
        set.store(true, Ordering::SeqCst);
        true
    };
    Ok(register(signals, Box::new(act))?.into_iter().collect())
}

/// Ends the program with this exit code at each event that finds the flag set.
///
/// # Errors
/// The system refuses.
pub(crate) fn exit_if(signals: &[Signal], set: &Arc<AtomicBool>, code: i32) -> io::Result<()> {
    let set = Arc::clone(set);
    let act = move || if set.load(Ordering::SeqCst) { std::process::exit(code) } else { true };
    register(signals, Box::new(act)).map(drop)
}

/// Undoes a registration.
pub(crate) fn cancel(registration: Registration) {
    ACTIONS.lock().unwrap_or_else(PoisonError::into_inner).retain(|(number, _)| *number != registration);
}

/// Calls `act` at each event, on the thread of the events, until it returns false.
///
/// # Errors
/// The system refuses.
pub(crate) fn at_each(signals: &[Signal], act: impl FnMut() -> bool + Send + 'static) -> io::Result<()> {
    register(signals, Box::new(act)).map(drop)
}
