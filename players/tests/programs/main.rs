//! Programs at the other end of a pipe: one that misbehaves in every way it is asked to, and those that people play with.

mod faults;
mod games;
#[path = "../../../tests/support/installed.rs"]
mod installed;
mod peers;
mod processes;
mod support;
