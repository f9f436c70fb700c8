//! Endgame tables for the search.
//!
//! They are used in two ways. If the tables contain the root, only the moves that keep its value are searched, by
//! distance to zeroing so that a won ending is won within the fifty moves, and the search looks for the mate without
//! tables. Otherwise the search probes them after captures and pawn moves and relies on their values.

use std::sync::Arc;

use game::{SyzygyTables, SyzygyValue};

/// Makes endgame tables available to a search.
#[derive(Debug)]
pub(crate) struct Probe(pub(crate) Arc<SyzygyTables>);

impl search::Tablebases for Probe {
    fn max_pieces(&self) -> usize {
        self.0.max_pieces()
    }

    fn probe_wdl(&self, position: &search::Position) -> Option<search::Wdl> {
        let value = self.0.noting_faults(self.0.probe(&position.to_chess()))?;
        Some(match value {
            SyzygyValue::Loss => search::Wdl::Loss,
            SyzygyValue::Draw => search::Wdl::Draw,
            SyzygyValue::Win => search::Wdl::Win,
        })
    }
}
