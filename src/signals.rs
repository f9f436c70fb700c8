//! What SIGINT and SIGTERM mean in each mode.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

/// For CECP: the GUI may send SIGINT to get the engine's attention and SIGTERM to end it, and has said everything in
/// the protocol as well. Only `quit` and the end of the input end the program.
pub(crate) fn ignore() -> io::Result<()> {
    for signal in [SIGINT, SIGTERM] {
        // A handler without effect, because ignoring a signal outright would be inherited and needs unsafe code.
        signal_hook::flag::register(signal, Arc::new(AtomicBool::new(false)))?;
    }
    Ok(())
}

/// Ends the program with exit code 0 at the first of these signals, after `clean_up`.
pub(crate) fn end_at(signals: &[i32], clean_up: impl FnOnce() + Send + 'static) -> io::Result<()> {
    end_with(signals, || {
        clean_up();
        0
    })
}

/// Ends the program at the first of these signals, with the exit code that `finish` returns.
pub(crate) fn end_with(signals: &[i32], finish: impl FnOnce() -> i32 + Send + 'static) -> io::Result<()> {
    let mut signals = Signals::new(signals)?;
    std::thread::Builder::new().name("signals".into()).spawn(move || {
        if signals.forever().next().is_some() {
            std::process::exit(finish());
        }
    })?;
    Ok(())
}

/// Sets a flag at the first SIGINT or SIGTERM, and ends the program with this exit code at the second.
pub(crate) fn set_flag_then_exit(set: &Arc<AtomicBool>, code: i32) -> io::Result<()> {
    for signal in [SIGINT, SIGTERM] {
        signal_hook::flag::register_conditional_shutdown(signal, code, Arc::clone(set))?;
        signal_hook::flag::register(signal, Arc::clone(set))?;
    }
    Ok(())
}
