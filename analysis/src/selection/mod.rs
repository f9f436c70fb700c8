//! Verbs that choose records by an expression, and verbs that set operations by expressions.

mod filtered;
mod select;
mod selected;
mod set;
mod splice;
#[cfg(test)]
mod tests;

pub use filtered::Unmatched;
pub use select::Select;
pub use selected::SelectedRecords;
pub use set::SetOperations;
pub(crate) use splice::{Changes, spliced};
