//! Endgame tables as the search asks them.

use std::sync::Arc;

use game::{Tablebases, Wdl};

/// Lends endgame tables to a search.
#[derive(Debug)]
pub(crate) struct Probe(pub(crate) Arc<Tablebases>);

impl search::Tablebases for Probe {
    fn max_pieces(&self) -> usize {
        self.0.most_men()
    }

    fn probe_wdl(&self, position: &search::Position) -> Option<search::Wdl> {
        let value = self.0.noting_faults(self.0.probe(&position.to_chess()))?;
        Some(match value {
            Wdl::Loss => search::Wdl::Loss,
            Wdl::Draw => search::Wdl::Draw,
            Wdl::Win => search::Wdl::Win,
        })
    }
}
