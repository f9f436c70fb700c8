//! Detection of the external programs that a test needs. If one is missing, the test prints a message and passes,
//! unless `HERALD_REQUIRE_PEERS=1`. Included by each test target that uses external programs.

use std::path::PathBuf;

/// Returns the path of a program, searched for in `PATH` and in Debian's directory of games.
pub(crate) fn find(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .chain([PathBuf::from("/usr/games")])
        .map(|folder| folder.join(program))
        .find(|file| file.is_file())
}

/// Whether all programs that a test needs are installed.
pub(crate) fn has_all(needed: &[(&str, bool)]) -> bool {
    let missing: Vec<&str> = needed.iter().filter(|(_, found)| !found).map(|(name, _)| *name).collect();
    let required = std::env::var_os("HERALD_REQUIRE_PEERS").is_some_and(|value| value == "1");
    assert!(missing.is_empty() || !required, "required, but not installed: {}", missing.join(", "));
    if !missing.is_empty() {
        eprintln!("skipped: not installed: {}", missing.join(", "));
    }
    missing.is_empty()
}

/// Returns the path of a program that a test needs.
#[allow(dead_code, reason = "not every target needs a single program")]
pub(crate) fn needed(program: &str) -> Option<PathBuf> {
    let found = find(program);
    has_all(&[(program, found.is_some())]);
    found
}
