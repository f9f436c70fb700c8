//! How a player hears of its program, whatever the protocol.

use std::time::Instant;

use crate::stream::{Stream, Timed, Vocabulary};
use crate::{Arrival, PlayerEvent, PlayerFault};

/// A player that listens to a stream.
pub(crate) trait ProtocolPlayer {
    /// What is spoken.
    type Vocabulary: Vocabulary;

    /// The conversation.
    fn stream(&mut self) -> &mut Stream<Self::Vocabulary>;

    /// What a thing said means for the game, if anything.
    ///
    /// # Errors
    /// It ends the conversation.
    fn understand(
        &mut self,
        said: Timed<<Self::Vocabulary as Vocabulary>::Message>,
    ) -> Result<Option<PlayerEvent>, PlayerFault>;

    /// Whether the end of the conversation was asked for.
    fn expects_end(&self) -> bool {
        false
    }
}

/// The next event. Reads at most once, so that a program that talks without end cannot hold its owner; a fault is told
/// once, as the last event.
pub(crate) fn next_arrival(listener: &mut impl ProtocolPlayer) -> Option<Arrival> {
    let mut said = listener.stream().take();
    loop {
        let (at, meaning) = match said {
            Ok(None) => return None,
            Ok(Some(said)) => (said.at, listener.understand(said)),
            Err(fault) => (Instant::now(), Err(fault)),
        };
        match meaning {
            Ok(Some(event)) => return Some(Arrival { at, event }),
            Ok(None) => said = listener.stream().take_read(),
            Err(fault) => {
                let is_news = listener.stream().tells_fault() && !listener.expects_end();
                return is_news.then_some(Arrival { at, event: PlayerEvent::Fault(fault) });
            }
        }
    }
}
