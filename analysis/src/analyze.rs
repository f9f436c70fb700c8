//! General analysis (EPD specification, 7.2: "pfga").

use std::ops::ControlFlow;

use game::Game;
use game::Score;
use messages::epd::{Operation, Record};

use crate::entries::enter;
use crate::study::{Studied, Study, Verdict};
use crate::thinker::{Insight, ThinkError, Thinker};

/// Adds to each record what a thinker thinks of it: `pv` and `ce` always, `pm` if there is a move, `acd` and `acn` if they are
/// known. In a position without legal moves `pv` is empty, and `ce` tells mate from stalemate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Analyze {
    /// Whether `acs` is written. Without it the output under a limit of nodes or depth is the same each time.
    pub times: bool,
    /// Whether the best move is written as `sm`, to be played. A variation `sv` goes: it may begin with another.
    pub supplies_move: bool,
}

impl Study for Analyze {
    fn study(
        &self,
        record: &mut Record<'_>,
        game: &Game,
        thinker: &mut dyn Thinker,
    ) -> Result<Studied, ThinkError> {
        let has_moves = !game.legal_moves().is_empty();
        let insight = if has_moves {
            thinker.think(game, &mut |_| ControlFlow::Continue(()))?
        } else {
            Insight { score: Some(value_of_the_end(game)), ..Insight::default() }
        };
        if insight.score.is_none() {
            return Err(ThinkError::NoScore);
        }
        enter(record, game, &insight, self.times && has_moves);
        if self.supplies_move {
            record.remove("sv");
            match record.get("pm").cloned() {
                Some(Operation::Pm(best)) => record.set(Operation::Sm(best)),
                _ => drop(record.remove("sm")),
            }
        }
        Ok(Studied { verdict: Verdict::Found, nodes: insight.nodes.unwrap_or(0), time: insight.time })
    }
}

/// What a position without legal moves is worth.
fn value_of_the_end(game: &Game) -> Score {
    let is_mate = matches!(game.outcome(), Some(game::Outcome::Win { .. }));
    if is_mate { Score::MatedIn(0) } else { Score::DRAW }
}
