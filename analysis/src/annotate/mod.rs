//! Annotation of games.
//!
//! A game goes through four steps: its positions are analysed from the last to the first ([`examine`]), its moves are judged by what
//! they lose ([`judge`], [`chance`]), the result is an [`AnnotatedGame`], which is data ([`record`]), and from that come the text
//! ([`mod@write`]), tables over many games ([`AnnotationTables`]), suites of positions ([`suites`]) and pages ([`page_of`]). Several
//! games are annotated at once; results are delivered in the order of the games. docs/ANNOTATE.md has formulas and rules.

mod chance;
mod clocks;
mod earlier;
mod examine;
mod games;
mod judge;
mod page;
mod puzzles;
mod record;
pub mod suites;
mod summary;
mod tables;
#[cfg(test)]
mod tests;
mod variations;
mod write;

pub use game::{JudgingRules, MoveGrade};
pub use games::{
    AnnotationJob, AnnotationResult, AnnotationSettings, ProgressListener, PuzzleSettings, annotate_games,
};
pub use page::page_of;
pub use record::{
    AnnotatedGame, AnnotatedMove, FurtherNote, FurtherProgram, GamePhase, MoveLoss, MoveMerit, OpeningNote,
    PositionNote, Provenance, PuzzleNote,
};
pub use summary::{MovesSummary, SideSummary};
pub use tables::{AnnotationTables, TableRow};
