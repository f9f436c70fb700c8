//! Endgame tables as the search asks them.
//!
//! At the root and in the search they serve two purposes. If the tables know the root, the engine leaves only the moves that keep its
//! value (by distance to zeroing, so that a won ending is won within fifty moves), and the search looks for the mate without them.
//! Otherwise the search probes them after captures and pawn moves, and takes their word.

use std::sync::Arc;

use game::{SyzygyTables, SyzygyValue};

/// Lends endgame tables to a search.
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
