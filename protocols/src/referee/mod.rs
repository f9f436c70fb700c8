//! Taking part in a game that an EPD referee leads: Herald itself, or a person. The messages are in [`messages::referee`].
//!
//! Both stand on a `ClientState`, which they take from connection to connection. What needs no thought is left to the
//! `ClientConnection`.

mod person;
mod session;

pub use person::Person;
pub use session::play;
