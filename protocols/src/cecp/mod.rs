//! Herald as an engine under XBoard and WinBoard, by CECP. The vocabulary is in [`messages::cecp`].

mod announcement;
mod board;
mod clock;
mod dialect;
mod markers;
mod output;
mod session;
mod state;
#[cfg(test)]
mod tests;
mod variants;
mod work;

pub use dialect::Dialect;
pub use session::serve;
