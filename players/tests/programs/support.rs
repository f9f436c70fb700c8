//! Functions to find programs and processes.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use players::{Protocol, Spec};

use crate::built::example;

/// The program that misbehaves, which cargo has built with the tests.
pub(crate) fn fixture(protocol: Protocol, arguments: &str) -> Spec {
    example("misbehaving", protocol, arguments)
}

/// Returns a number that no other test has: the seed of a program, by which its processes are recognised.
pub(crate) fn unique_seed() -> u32 {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    std::process::id() * 1000 + COUNT.fetch_add(1, Ordering::Relaxed)
}

/// Whether a process is running that has `text` in its command line, or will be in a moment: while it begins, its command line is
/// still empty.
pub(crate) fn is_running(text: &str) -> bool {
    comes_true(|| has_process(text))
}

/// Whether no such process is running, or none after the moment that it takes to die when killed.
pub(crate) fn is_gone(text: &str) -> bool {
    comes_true(|| !has_process(text))
}

fn comes_true(fact: impl Fn() -> bool) -> bool {
    (0..100).any(|_| {
        let is_true = fact();
        if !is_true {
            std::thread::sleep(Duration::from_millis(10));
        }
        is_true
    })
}

fn has_process(text: &str) -> bool {
    let processes = std::fs::read_dir("/proc").expect("Linux").flatten();
    processes.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok()).any(|line| {
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        line.contains(text)
    })
}
