//! The sessions of all pages, and the stream of messages to each.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use engine::Settings;
use futures_util::Stream;
use futures_util::stream::unfold;
use protocols::browser::{BrowserMessage, GameLibrary, SessionHandle, start};
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

use super::guard::AccessToken;

/// Maximum number of sessions.
pub(super) const MOST_SESSIONS: usize = 8;
/// A session without a page ends after this time.
const IDLE: Duration = Duration::from_mins(10);
/// Maximum number of messages queued for a slow page; beyond it the page gets the whole state again.
const BACKLOG: usize = 256;

/// A message in JSON with its name.
#[derive(Clone)]
pub(super) struct OutgoingEvent {
    pub(super) name: &'static str,
    pub(super) json: Arc<str>,
}

/// The sessions by their numbers, which are random.
#[derive(Clone)]
pub(super) struct SessionTable(Arc<SharedSessions>);

struct SharedSessions {
    settings: Settings,
    library: Arc<GameLibrary>,
    open: Mutex<HashMap<String, OpenSession>>,
}

struct OpenSession {
    handle: SessionHandle,
    messages: broadcast::Sender<OutgoingEvent>,
    /// Number of pages that show the session.
    watchers: usize,
    /// When it was last asked for something, or lost its page.
    seen: Instant,
}

impl SessionTable {
    pub(super) fn new(settings: Settings, library: Arc<GameLibrary>) -> SessionTable {
        SessionTable(Arc::new(SharedSessions { settings, library, open: Mutex::default() }))
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, OpenSession>> {
        self.0.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends sessions that have had no page for some time.
    pub(super) fn end_idle(&self) {
        self.lock().retain(|_, session| session.watchers > 0 || session.seen.elapsed() < IDLE);
    }

    /// Opens a session and returns its number; `None` if there are too many that have a page.
    pub(super) fn open(&self) -> io::Result<Option<String>> {
        self.end_idle();
        let mut open = self.lock();
        if open.len() >= MOST_SESSIONS {
            let unwatched = open.iter().filter(|(_, session)| session.watchers == 0);
            let oldest = unwatched.min_by_key(|(_, session)| session.seen).map(|(id, _)| id.clone());
            let Some(oldest) = oldest else { return Ok(None) };
            open.remove(&oldest);
        }
        let id =
            AccessToken::random().map_err(|error| io::Error::other(error.to_string()))?.text().to_owned();
        let (messages, _) = broadcast::channel(BACKLOG);
        let pages = messages.clone();
        let handle =
            start(&self.0.settings, Arc::clone(&self.0.library), move |message| publish(&pages, &message))?;
        open.insert(id.clone(), OpenSession { handle, messages, watchers: 0, seen: Instant::now() });
        Ok(Some(id))
    }

    /// The session with a number.
    pub(super) fn find(&self, id: &str) -> Option<SessionHandle> {
        let mut open = self.lock();
        let session = open.get_mut(id)?;
        session.seen = Instant::now();
        Some(session.handle.clone())
    }

    /// The messages of a session for one more page, the whole state first; `None` if there is no such session.
    pub(super) fn watch(&self, id: &str) -> Option<impl Stream<Item = OutgoingEvent> + use<>> {
        let mut open = self.lock();
        let session = open.get_mut(id)?;
        session.watchers += 1;
        let (receiver, handle) = (session.messages.subscribe(), session.handle.clone());
        drop(open);
        handle.refresh();
        let watch = Watch { table: self.clone(), id: id.to_owned() };
        Some(unfold((receiver, handle, watch), |(mut receiver, handle, watch)| async move {
            loop {
                match receiver.recv().await {
                    Ok(event) => return Some((event, (receiver, handle, watch))),
                    Err(RecvError::Lagged(_)) => handle.refresh(),
                    Err(RecvError::Closed) => return None,
                }
            }
        }))
    }
}

fn publish(pages: &broadcast::Sender<OutgoingEvent>, message: &BrowserMessage) {
    // The types have no maps with keys that are not strings and no numbers that JSON lacks.
    let Ok(json) = serde_json::to_string(message) else { return };
    // Fails only if no page is there; it gets the state when it comes.
    let _ = pages.send(OutgoingEvent { name: message.name(), json: json.into() });
}

/// Counts as a page of a session until it is dropped.
struct Watch {
    table: SessionTable,
    id: String,
}

impl Drop for Watch {
    fn drop(&mut self) {
        let mut open = self.table.lock();
        let Some(session) = open.get_mut(&self.id) else { return };
        session.watchers -= 1;
        session.seen = Instant::now();
        if session.watchers == 0 {
            session.handle.unwatched();
        }
    }
}
