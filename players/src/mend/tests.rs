//! Tests of the fronts with a scripted program.
