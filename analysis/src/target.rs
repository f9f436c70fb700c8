//! Search for the right move (EPD specification, 7.5: "pfts").

use std::ops::ControlFlow;

use game::Game;
use messages::epd::Record;

use crate::entries::enter;
use crate::outcome::{Cost, Outcome};
use crate::solution::Solution;
use crate::study::{Studied, Study, Verdict};
use crate::thinker::{Insight, ThinkError, Thinker};

/// Lets a thinker solve each record: it is to play one of the moves of `bm`, if there are such, and none of `am`.
///
/// Written are `pm`, `pv`, `ce`, `acd`, `acn`, `acs` as for an analysis, and the [`Outcome`]. It is no part of a record whose
/// solution is not known or in which there are no legal moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// Whether times are written. Without them the output under a limit of nodes or depth is the same each time.
    pub times: bool,
    /// Ends the search when right moves have been the best over so many plies of further depth.
    pub early_stop: Option<u32>,
}

impl Study for Target {
    fn study(
        &self,
        record: &mut Record<'_>,
        game: &Game,
        thinker: &mut dyn Thinker,
    ) -> Result<Studied, ThinkError> {
        let Some(solution) = Solution::of(record).filter(|_| !game.legal_moves().is_empty()) else {
            Outcome::remove(record);
            return Ok(Studied::default());
        };
        let is_right = |insight: &Insight| insight.best().is_some_and(|mv| solution.is_right(mv));
        let mut solved_at: Option<Insight> = None;
        let insight = thinker.think(game, &mut |insight| {
            if is_right(insight) {
                solved_at.get_or_insert_with(|| insight.clone());
            } else {
                solved_at = None;
            }
            if self.has_held(solved_at.as_ref(), insight) {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        })?;
        enter(record, game, &insight, self.times);
        let is_solved = is_right(&insight);
        // A thinker may decide otherwise than it has told.
        let solved_at = is_solved.then(|| solved_at.unwrap_or_else(|| insight.clone()));
        solved_at.map_or(Outcome::Missed, |insight| Outcome::Solved(self.cost(&insight))).enter(record);
        let verdict = if is_solved { Verdict::Found } else { Verdict::Missed };
        Ok(Studied { verdict, nodes: insight.nodes.unwrap_or(0), time: insight.time })
    }
}

impl Target {
    fn cost(&self, insight: &Insight) -> Cost {
        Cost {
            depth: insight.depth.map(u64::from),
            nodes: insight.nodes,
            millis: self.times.then_some(insight.time.as_millis() as u64),
        }
    }

    /// Whether a right move has been the best for long enough.
    fn has_held(&self, solved_at: Option<&Insight>, now: &Insight) -> bool {
        let plies = || Some((self.early_stop?, solved_at?.depth?, now.depth?));
        plies().is_some_and(|(wanted, first, last)| last >= first.saturating_add(wanted))
    }
}
