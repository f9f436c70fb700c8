//! How well a side played.

use game::{Color, MoveGrade};
use serde::{Deserialize, Serialize};

use super::chance::accuracy;
use super::record::{AnnotatedMove, GamePhase, MoveMerit};
use crate::report::Mean;

/// How well a side played.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SideSummary {
    /// Name of the player.
    pub name: String,
    /// All judged moves.
    pub all: MovesSummary,
    /// Those of each phase that had any.
    pub phases: Vec<(GamePhase, MovesSummary)>,
    /// Those made when short of time; `None` without clocks.
    pub time_trouble: Option<MovesSummary>,
    /// Only moves that were found, among them those that give up material.
    pub only_moves: u32,
}

/// How well some moves were played.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MovesSummary {
    /// Number of moves.
    pub moves: u32,
    /// Accuracy in percent, with the 95 % confidence interval of the mean; `None` without moves.
    pub accuracy: Option<Mean>,
    /// Average loss in centipawns.
    pub average_loss: Option<Mean>,
    /// Number of inaccuracies.
    pub inaccuracies: u32,
    /// Number of mistakes.
    pub mistakes: u32,
    /// Number of blunders.
    pub blunders: u32,
}

impl MovesSummary {
    /// Sums up the judged moves among `moves`.
    pub(super) fn of<'a>(moves: impl Iterator<Item = &'a AnnotatedMove>) -> MovesSummary {
        let mut summary = MovesSummary::default();
        let (mut accuracies, mut losses) = (Vec::new(), Vec::new());
        for mv in moves {
            let Some(loss) = mv.loss else { continue };
            summary.moves += 1;
            accuracies.push(accuracy(loss.points));
            losses.push(f64::from(loss.centipawns));
            match mv.grade {
                Some(MoveGrade::Inaccuracy) => summary.inaccuracies += 1,
                Some(MoveGrade::Mistake) => summary.mistakes += 1,
                Some(MoveGrade::Blunder) => summary.blunders += 1,
                None => {}
            }
        }
        (summary.accuracy, summary.average_loss) = (Mean::of(&accuracies), Mean::of(&losses));
        summary
    }
}

impl SideSummary {
    /// Sums up the moves of a side. `first` makes the first move.
    pub(super) fn of(name: String, color: Color, first: Color, moves: &[AnnotatedMove]) -> SideSummary {
        let own = || moves.iter().skip(usize::from(first != color)).step_by(2);
        let in_phase = |phase| (phase, MovesSummary::of(own().filter(|mv| mv.phase == phase)));
        let has_clock = own().any(|mv| mv.clock.is_some());
        let is_only =
            |mv: &&AnnotatedMove| matches!(mv.merit, Some(MoveMerit::OnlyMove | MoveMerit::HardFind));
        SideSummary {
            name,
            all: MovesSummary::of(own()),
            phases: GamePhase::ALL
                .map(in_phase)
                .into_iter()
                .filter(|(_, summary)| summary.moves > 0)
                .collect(),
            time_trouble: has_clock.then(|| MovesSummary::of(own().filter(|mv| mv.in_time_trouble))),
            only_moves: own().filter(is_only).count() as u32,
        }
    }
}
