//! Tests with real processes: a program that misbehaves on demand, and programs that people play with.

mod faults;
mod games;
#[path = "../../../tests/support/installed.rs"]
mod installed;
mod peers;
mod processes;
mod support;
