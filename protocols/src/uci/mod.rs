//! Herald as an engine by the Universal Chess Interface. The vocabulary is in [`messages::uci`].

mod options;
mod session;

pub use session::serve;

#[cfg(test)]
mod tests;
