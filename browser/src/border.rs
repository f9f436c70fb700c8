//! The border to JavaScript: two functions that the page provides, and two that it calls. Text crosses it as UTF-8 in a buffer of
//! fixed size.

#![expect(unsafe_code, reason = "names that another language sees")]

use std::cell::RefCell;
use std::ptr;
use std::time::Duration;

use crate::{Page, Session};

/// Longest line, in bytes. A game of 10,000 moves fits.
const LONGEST_LINE: usize = 1 << 16;

#[link(wasm_import_module = "page")]
unsafe extern "C" {
    /// Takes a line of the engine's.
    safe fn say(text: *const u8, length: usize);
    /// Returns the milliseconds since some moment.
    safe fn now() -> f64;
}

struct Worker;

impl Page for Worker {
    fn say(&self, line: &str) {
        say(line.as_ptr(), line.len());
    }

    fn now(&self) -> Duration {
        Duration::try_from_secs_f64(now() / 1000.0).unwrap_or_default()
    }
}

thread_local! {
    static INPUT: RefCell<Vec<u8>> = RefCell::new(vec![0; LONGEST_LINE]);
    static SESSION: RefCell<Option<Session>> = const { RefCell::new(None) };
}

/// Returns where a line of `length` bytes is to be written before [`obey`]; null if the line is too long.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn input(length: usize) -> *mut u8 {
    INPUT.with_borrow_mut(|input| if length <= input.len() { input.as_mut_ptr() } else { ptr::null_mut() })
}

/// Obeys the line of this length, in bytes, and says all answers before it returns.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn obey(length: usize) {
    let line =
        INPUT.with_borrow(|input| String::from_utf8_lossy(&input[..length.min(LONGEST_LINE)]).into_owned());
    SESSION.with_borrow_mut(|session| session.get_or_insert_with(Session::default).obey(&line, &Worker));
}
