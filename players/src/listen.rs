//! Turns messages of a program into events of a player, in any protocol.

use std::time::Instant;

use crate::{Arrival, PlayerEvent, PlayerFault, Stream, Timed, Vocabulary};

/// A player whose program speaks over a [`Stream`].
pub(crate) trait ProtocolPlayer {
    /// Vocabulary of the protocol.
    type Vocabulary: Vocabulary;

    /// Connection to the program.
    fn stream(&mut self) -> &mut Stream<Self::Vocabulary>;

    /// Interprets a message. `None` if it is no event.
    ///
    /// # Errors
    /// The message is a fault.
    fn understand(
        &mut self,
        said: Timed<<Self::Vocabulary as Vocabulary>::Message>,
    ) -> Result<Option<PlayerEvent>, PlayerFault>;
}

/// Returns the next event. Reads at most once, so that a program that writes without end cannot block its owner. A fault is
/// reported once, as the last event.
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
                let is_news = listener.stream().expect_end();
                return is_news.then_some(Arrival { at, event: PlayerEvent::Fault(fault) });
            }
        }
    }
}
