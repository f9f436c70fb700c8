//! Tests with real processes, most of them of a program that misbehaves on demand. Its games are tested in `arena`.

#[path = "../../../tests/support/built.rs"]
mod built;
mod faults;
mod processes;
mod support;
