//! Clients of an EPD referee: Herald itself, or a person. The messages are in [`messages::referee`].
//!
//! Both keep a `ClientState` from one connection to the next. `ClientConnection` handles everything that needs no
//! thinking.

mod person;
mod session;

pub use person::Person;
pub use session::play;
