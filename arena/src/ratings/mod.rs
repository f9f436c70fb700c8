//! Ratings of players from any games between them.
//!
//! The ratings are those under which the results are most likely, with draws as half wins and an advantage of the first
//! move, so that each player's expected points are the points that he has: the model of Elo, Bradley and Terry, and of the
//! program Ordo. Errors come from the spread of the results themselves: from pairs of games with the same opening and
//! both colours where they are known, and from single games elsewhere.

mod errors;
mod fit;
mod games;
mod groups;
mod list;
mod report;
#[cfg(test)]
mod tests;

pub use games::{GameTally, LeftOutGames};
pub use list::{RatedGroup, RatedPlayer, RatingBound, RatingList, RatingOptions};
pub use report::{RatingsReport, RatingsSections};
