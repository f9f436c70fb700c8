//! The autoplayer of R. Hyatt's proposal (1998): two programs on two machines, each with an interface program, and no referee.
//!
//! [`dialect`] is what an interface program and its engine say to each other. [`LinkFrame`] and [`LinkMessage`] are what the two
//! interface programs say to each other; docs/AUTOPLAYER.md describes them.

pub mod dialect;
mod frame;
mod link;
#[cfg(test)]
mod tests;

pub use dialect::MoveNotation;
pub use frame::LinkFrame;
pub use link::{
    GameTerms, GameVerdict, Hello, LINK_VERSION, LinkMessage, LinkRole, LinkThinking, MatchTerms, PlayedMove,
};
