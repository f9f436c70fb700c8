//! Programs as seen from the other side: started, spoken to in their protocol, timed and cleaned up.

mod player;

pub use player::{
    Account, Arrival, Departure, Event, Fault, Identity, NewGame, Player, Protocol, Resources, Thinking, Turn,
};
