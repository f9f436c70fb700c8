//! Pondering: thinking on the opponent's time about the position after the expected reply.

use std::time::Duration;

use engine::{Limits, Purpose};
use game::{Game, Move};

use crate::host::Host;

/// Returns the game after a reply, or `None` if the reply is illegal or ends the game.
pub(crate) fn after(game: &Game, reply: Move) -> Option<Game> {
    let mut next = game.clone();
    next.play(reply).ok()?;
    next.outcome().is_none().then_some(next)
}

/// The reply on which the engine ponders.
pub(crate) struct PonderMove {
    reply: Move,
    /// Number of plies of the game after the reply.
    ply: usize,
    /// Expected reading of the engine's clock after the reply; `None` without a clock.
    remaining: Option<Duration>,
}

impl PonderMove {
    /// Starts to ponder on a reply in `game`; `None` if the reply is illegal or ends the game.
    pub(crate) fn start(
        host: &mut Host,
        game: &Game,
        reply: Move,
        limits: Limits,
        remaining: Option<Duration>,
    ) -> Option<PonderMove> {
        let next = after(game, reply)?;
        host.think(&next, Purpose::Ponder, limits);
        Some(PonderMove { reply, ply: next.ply(), remaining })
    }

    /// Returns whether the reply was played and at least 80 % of the expected time remains.
    pub(crate) fn is_hit(&self, game: &Game, remaining: Option<Duration>) -> bool {
        let is_enough = match (remaining, self.remaining) {
            (Some(left), Some(expected)) => left >= expected.mul_f64(0.8),
            (left, expected) => left == expected,
        };
        game.ply() == self.ply && game.moves().last() == Some(&self.reply) && is_enough
    }
}
