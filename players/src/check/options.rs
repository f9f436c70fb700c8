//! Values for the options of a program, in any protocol.

/// What is asked for of memory and threads: a machine may not have as much as a program would use.
const ENOUGH: i64 = 32;

/// The greatest value to set a number to.
pub(super) fn greatest(name: &str, value: i64, max: i64) -> i64 {
    let name = name.to_lowercase();
    let is_costly =
        ["hash", "cache", "memory", "threads", "cores", "cpu"].iter().any(|word| name.contains(word));
    if is_costly { max.min(ENOUGH).max(value) } else { max }
}
