//! Thinking on the opponent's time, about the position after the reply that is expected.

use std::time::Duration;

use engine::{Limits, Purpose};
use game::{Game, Move};

use crate::host::Host;

/// The game after a reply, unless that is illegal or ends it.
pub(crate) fn after(game: &Game, reply: Move) -> Option<Game> {
    let mut next = game.clone();
    next.play(reply).ok()?;
    next.outcome().is_none().then_some(next)
}

/// The reply that the engine ponders on.
pub(crate) struct PonderMove {
    reply: Move,
    /// The number of plies after it.
    ply: usize,
    /// What the engine's clock should show then; `None` if no time is kept.
    remaining: Option<Duration>,
}

impl PonderMove {
    /// Begins to ponder on a reply in `game`, unless it ends the game.
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

    /// Whether the reply was played, and not much of the time is missing that was counted on.
    pub(crate) fn is_hit(&self, game: &Game, remaining: Option<Duration>) -> bool {
        let is_enough = match (remaining, self.remaining) {
            (Some(left), Some(expected)) => left >= expected.mul_f64(0.8),
            (left, expected) => left == expected,
        };
        game.ply() == self.ply && game.moves().last() == Some(&self.reply) && is_enough
    }
}
