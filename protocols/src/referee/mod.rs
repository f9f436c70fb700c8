//! Taking part in a game that an EPD referee leads: Herald itself, or a person. The messages are in [`messages::referee`].

mod person;
mod session;

pub use person::Person;
pub use session::play;
