//! Endgame tables as the search asks them.

use std::sync::Arc;

use game::{SyzygyTables, SyzygyValue};

/// Lends endgame tables to a search.
#[derive(Debug)]
pub(crate) struct Probe(pub(crate) Arc<SyzygyTables>);

impl search::Tablebases for Probe {
    fn most_men(&self) -> usize {
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
