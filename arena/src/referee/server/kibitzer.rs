//! A third opinion for the page: somebody outside analyses the game in play with the lowest number, which is the one that pages follow
//! by themselves. Nothing here waits for it, and an event goes on without it.

use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use game::Game;
use pages::PageLine;
use serde_json::json;

use super::page::PageUpdate;
use super::{Service, ServiceMessage};

/// Number of games whose opinions are kept for the page.
const MOST_GAMES: usize = 256;

/// A position to be analysed.
#[derive(Clone, Debug)]
pub struct KibitzedPosition {
    /// The game, up to the position.
    pub game: Game,
    /// Number of the game in the schedule, from 0.
    number: u64,
    /// Number of the change with which it came.
    version: u64,
}

/// What is to be analysed now.
#[derive(Default)]
struct KibitzDesk {
    position: Option<KibitzedPosition>,
    version: u64,
    is_closed: bool,
}

#[derive(Default)]
struct SharedDesk {
    desk: Mutex<KibitzDesk>,
    changed: Condvar,
}

impl SharedDesk {
    fn lock(&self) -> MutexGuard<'_, KibitzDesk> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut KibitzDesk)) {
        change(&mut self.lock());
        self.changed.notify_all();
    }
}

/// The service's end. Dropping it ends the analysis.
pub(super) struct Kibitzing {
    shared: Arc<SharedDesk>,
    /// Maximum number of games in play beside which it may analyse.
    most: usize,
    pub(super) name: String,
}

impl Drop for Kibitzing {
    fn drop(&mut self) {
        self.shared.change(|desk| desk.is_closed = true);
    }
}

/// The kibitzer's end: tells it what to analyse, and takes its opinions.
pub struct KibitzerSeat {
    shared: Arc<SharedDesk>,
    service: Sender<ServiceMessage>,
}

impl KibitzerSeat {
    /// Waits for a position other than the last one, at most so long. `Err` if the service has ended.
    ///
    /// # Errors
    /// The service has ended.
    pub fn next(
        &self,
        last: Option<&KibitzedPosition>,
        patience: Duration,
    ) -> Result<Option<KibitzedPosition>, KibitzingEnded> {
        let known = last.map_or(0, |last| last.version);
        let is_old = |desk: &mut KibitzDesk| {
            !desk.is_closed && desk.position.as_ref().is_none_or(|position| position.version == known)
        };
        let waited = self.shared.changed.wait_timeout_while(self.shared.lock(), patience, is_old);
        let (desk, waited) = waited.unwrap_or_else(PoisonError::into_inner);
        match &desk.position {
            _ if desk.is_closed => Err(KibitzingEnded),
            position if !waited.timed_out() => Ok(position.clone()),
            _ => Ok(None),
        }
    }

    /// Whether a position is still the one to be analysed.
    pub fn is_current(&self, position: &KibitzedPosition) -> bool {
        let desk = self.shared.lock();
        !desk.is_closed && desk.position.as_ref().is_some_and(|now| now.version == position.version)
    }

    /// Tells what was found so far about a position.
    pub fn tell(&self, position: &KibitzedPosition, opinion: PageLine) {
        // Sending fails only if the service has ended.
        let _ = self.service.send(ServiceMessage::Opinion(position.number, position.game.ply(), opinion));
    }
}

/// The service has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KibitzingEnded;

impl Service {
    /// Lets a program of this name analyse beside at most so many games in play.
    pub fn seat_kibitzer(&mut self, name: String, most: usize) -> KibitzerSeat {
        let shared = Arc::new(SharedDesk::default());
        self.kibitzing = Some(Kibitzing { shared: Arc::clone(&shared), most, name });
        self.show_kibitzer();
        KibitzerSeat { shared, service: self.to_self.clone() }
    }

    /// Shows the kibitzer the game in play with the lowest number, or nothing if too many are played.
    pub(super) fn show_kibitzer(&self) {
        let Some(Kibitzing { shared, most, .. }) = &self.kibitzing else { return };
        let games = &self.referee.event.live_games;
        let shown = games.first_key_value().filter(|_| games.len() <= *most && self.referee.is_acting());
        shared.change(|desk| {
            let place = desk.position.as_ref().map(|position| (position.number, position.game.moves()));
            if place == shown.map(|(number, live)| (*number, live.record.game.moves())) {
                return;
            }
            desk.version += 1;
            let version = desk.version;
            desk.position = shown.map(|(&number, live)| KibitzedPosition {
                game: live.record.game.clone(),
                number,
                version,
            });
        });
    }

    /// Keeps an opinion on a game after so many plies, and sends it to the open pages.
    pub(super) fn hear_opinion(&mut self, number: u64, ply: usize, opinion: PageLine) {
        let told = json!({ "number": number + 1, "ply": ply, "third": opinion });
        self.opinions.entry(number).or_default().insert(ply, opinion);
        if self.opinions.len() > MOST_GAMES {
            self.opinions.pop_first();
        }
        // Sending fails only if no page is open.
        let _ = self.watchers.send(PageUpdate::Third(told.to_string()));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    fn seat() -> (Kibitzing, KibitzerSeat, mpsc::Receiver<ServiceMessage>) {
        let shared = Arc::new(SharedDesk::default());
        let (service, inbox) = mpsc::channel();
        let kibitzing = Kibitzing { shared: Arc::clone(&shared), most: 1, name: "third".to_owned() };
        (kibitzing, KibitzerSeat { shared, service }, inbox)
    }

    fn put(kibitzing: &Kibitzing, number: u64) {
        kibitzing.shared.change(|desk| {
            desk.version += 1;
            let version = desk.version;
            desk.position = Some(KibitzedPosition { game: Game::default(), number, version });
        });
    }

    #[test]
    fn only_the_newest_position_is_analysed() {
        let (kibitzing, seat, inbox) = seat();
        assert!(matches!(seat.next(None, Duration::ZERO), Ok(None)));
        put(&kibitzing, 1);
        put(&kibitzing, 2);
        let position = seat.next(None, Duration::ZERO).expect("it goes on").expect("a position");
        assert_eq!(position.number, 2);
        assert!(seat.is_current(&position));
        assert!(matches!(seat.next(Some(&position), Duration::ZERO), Ok(None)), "it is known");
        seat.tell(&position, PageLine::default());
        assert!(matches!(inbox.try_recv(), Ok(ServiceMessage::Opinion(2, 0, _))));
        put(&kibitzing, 3);
        assert!(!seat.is_current(&position));
        drop(kibitzing);
        assert_eq!(seat.next(Some(&position), Duration::from_mins(1)).err(), Some(KibitzingEnded));
    }
}
