//! Search for the right move (EPD specification, 7.5: "pfts").

use std::borrow::Cow;
use std::ops::ControlFlow;

use engine::{Game, Move};
use protocols::epd::{AnyOperand, EpdMove, Operation, Record};

use crate::entries::enter;
use crate::study::{Studied, Study, Verdict};
use crate::thinker::{Insight, ThinkError, Thinker};

/// The opcode under which [`Target`] writes how a record went. The capital makes it a private one.
pub const TARGET: &str = "Target";

/// Lets a thinker solve each record: it is to play one of the moves of `bm`, if there are such, and none of `am`.
///
/// Written are `pm`, `pv`, `ce`, `acd`, `acn`, `acs` as for an analysis, and the private operation `Target`, with one operand
/// if the record was missed and with four if it was solved:
///
/// ```text
/// Target missed;
/// Target solved DEPTH NODES MILLISECONDS;
/// ```
///
/// The numbers say from when on the thinker held to right moves, to the end: the depth in plies, the nodes and the time at
/// which it first told so. What it did not tell is `-`. `Target` is no part of a record whose solution is not known or in
/// which there are no legal moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// Whether times are written. Without them the output under a limit of nodes or depth is the same each time.
    pub times: bool,
    /// Ends the search when right moves have been the best over so many plies of further depth.
    pub early_stop: Option<u32>,
}

/// The right and the wrong moves.
struct Solution {
    best: Vec<Move>,
    avoided: Vec<Move>,
}

impl Solution {
    /// `None` if no move of `bm` or `am` is known.
    fn of(record: &Record<'_>) -> Option<Solution> {
        let legal = |moves: &[EpdMove<'_>]| moves.iter().filter_map(EpdMove::legal).collect::<Vec<_>>();
        let best = match record.get("bm") {
            Some(Operation::Bm(moves)) => legal(moves),
            _ => Vec::new(),
        };
        let avoided = match record.get("am") {
            Some(Operation::Am(moves)) => legal(moves),
            _ => Vec::new(),
        };
        (!best.is_empty() || !avoided.is_empty()).then_some(Solution { best, avoided })
    }

    fn is_right(&self, insight: &Insight) -> bool {
        insight.best().is_some_and(|mv| {
            !self.avoided.contains(&mv) && (self.best.is_empty() || self.best.contains(&mv))
        })
    }
}

impl Study for Target {
    fn study(
        &self,
        record: &mut Record<'_>,
        game: &Game,
        thinker: &mut dyn Thinker,
    ) -> Result<Studied, ThinkError> {
        let Some(solution) = Solution::of(record).filter(|_| !game.legal_moves().is_empty()) else {
            record.remove(TARGET);
            return Ok(Studied::default());
        };
        let mut solved_at: Option<Insight> = None;
        let insight = thinker.think(game, &mut |insight| {
            if solution.is_right(insight) {
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
        let is_solved = solution.is_right(&insight);
        // A thinker may decide otherwise than it has told.
        let solved_at = is_solved.then(|| solved_at.unwrap_or_else(|| insight.clone()));
        record.set(self.operation(solved_at.as_ref()));
        let verdict = if is_solved { Verdict::Found } else { Verdict::Missed };
        Ok(Studied { verdict, nodes: insight.nodes.unwrap_or(0), time: insight.time })
    }
}

impl Target {
    /// Whether a right move has been the best for long enough.
    fn has_held(&self, solved_at: Option<&Insight>, now: &Insight) -> bool {
        let plies = || Some((self.early_stop?, solved_at?.depth?, now.depth?));
        plies().is_some_and(|(wanted, first, last)| last >= first.saturating_add(wanted))
    }

    fn operation(&self, solved_at: Option<&Insight>) -> Operation<'static> {
        let word = |text: &'static str| AnyOperand::Word(Cow::Borrowed(text));
        let operands = match solved_at {
            None => vec![word("missed")],
            Some(insight) => {
                let number = |number: Option<u64>| match number {
                    Some(number) => AnyOperand::Word(Cow::Owned(number.to_string())),
                    None => word("-"),
                };
                let millis = self.times.then_some(insight.time.as_millis() as u64);
                let depth = insight.depth.map(u64::from);
                vec![word("solved"), number(depth), number(insight.nodes), number(millis)]
            }
        };
        Operation::Other { opcode: Cow::Borrowed(TARGET), operands }
    }
}
