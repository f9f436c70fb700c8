//! Signals that interrupt or end this program.
//!
//! An ordinary thread reacts to a signal, or code that polls a flag.

use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::system::signals as system;

/// A signal from the user or the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// Ctrl-C (SIGINT).
    Interrupt,
    /// A request to end (SIGTERM).
    Terminate,
    /// The terminal has gone (SIGHUP).
    HangUp,
    /// A request to end from the keyboard (SIGQUIT).
    Quit,
}

/// The signals that every subcommand handles.
pub const ALL: [Signal; 2] = [Signal::Interrupt, Signal::Terminate];

impl Signal {
    /// The number, which is the same on every system of the kind of Unix.
    pub(crate) const fn number(self) -> i32 {
        match self {
            Signal::HangUp => 1,
            Signal::Interrupt => 2,
            Signal::Quit => 3,
            Signal::Terminate => 15,
        }
    }

    /// Whether whoever has started this process wants the signal to be ignored, as `nohup` does. Where the system does not tell,
    /// it is not.
    pub fn is_ignored(self) -> bool {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        let mask = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
        mask >> (self.number() - 1) & 1 == 1
    }

    /// The exit code that shells report for a program that this signal has ended.
    pub const fn exit_code(self) -> i32 {
        128 + self.number()
    }
}

/// Disables both signals in this process. They are caught, not ignored, so that programs started from here don't inherit that.
///
/// # Errors
/// The system refuses.
pub fn disarm() -> io::Result<()> {
    set_flag(&ALL, &Arc::default()).map(drop)
}

/// Sets a flag at each of these signals.
///
/// # Errors
/// The system refuses.
pub fn set_flag(signals: &[Signal], set: &Arc<AtomicBool>) -> io::Result<FlagRegistration> {
    Ok(FlagRegistration(system::set_flag(signals, set)?))
}

/// Sets a flag at the first of both signals, and ends the program with this exit code at the second.
///
/// # Errors
/// The system refuses.
pub fn set_flag_then_exit(set: &Arc<AtomicBool>, code: i32) -> io::Result<FlagRegistration> {
    // In this order: the first signal finds the flag not yet set.
    system::exit_if(&ALL, set, code)?;
    set_flag(&ALL, set)
}

/// A flag that signals set. It can be dropped; they go on setting the flag.
#[derive(Debug)]
pub struct FlagRegistration(Vec<system::Registration>);

impl FlagRegistration {
    /// Stops the signals from setting the flag. Their default effect is not restored.
    pub fn cancel(self) {
        self.0.into_iter().for_each(system::cancel);
    }
}

/// Calls `act` at each of these signals, on a thread of its own, until it returns `Break`.
///
/// # Errors
/// The system refuses, or has no more threads.
pub fn at_each(
    signals: &[Signal],
    mut act: impl FnMut() -> ControlFlow<()> + Send + 'static,
) -> io::Result<()> {
    system::at_each(signals, move || act().is_continue())
}

/// Ends the program at the first of these signals, with the exit code that `finish` returns.
///
/// # Errors
/// The system refuses, or has no more threads.
pub fn exit_at(signals: &[Signal], finish: impl FnOnce() -> i32 + Send + 'static) -> io::Result<()> {
    let mut finish = Some(finish);
    at_each(signals, move || match finish.take() {
        Some(finish) => std::process::exit(finish()),
        None => ControlFlow::Break(()),
    })
}
