//! The executable, driven as a person, a GUI or a script drives it.

mod books;
mod cego;
mod command_line;
mod conversations;
mod epd;
mod peers;
#[cfg(unix)]
mod signals;
mod support;
