pub mod attacks;
mod moves;
mod position;
mod score;
pub use moves::*;
pub use position::*;
pub use score::*;
