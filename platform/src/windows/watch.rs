//! Waiting for pipes, bells and connections.
//!
//! Windows can't wait for pipes and sockets in one call. So pipes have threads of their own, which wake all waiting threads when
//! something has changed, and mio waits for sockets and for being woken.

use std::cell::RefCell;
use std::io;
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use mio::event;
use mio::{Events, Interest, Poll, Token, Waker};

use super::pipe::{BellState, Queue};

/// Something that can be waited for: data to read, room to write, a ring, or a connection.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a>(Kind<'a>);

#[derive(Clone, Copy, Debug)]
enum Kind<'a> {
    Data(&'a Queue),
    Room(&'a Queue),
    Ring(&'a BellState),
    Incoming(&'a TcpStream),
    Outgoing(&'a TcpStream),
    Connecting(&'a TcpListener),
}

impl<'a> Source<'a> {
    /// Source that is ready when there is data to read from a connection, or its end.
    pub fn incoming(connection: &'a TcpStream) -> Source<'a> {
        Source(Kind::Incoming(connection))
    }

    /// Source that is ready when a connection can be accepted.
    pub fn connecting(listener: &'a TcpListener) -> Source<'a> {
        Source(Kind::Connecting(listener))
    }

    /// Source that is ready when there is room to write to a connection, or it is closed.
    pub fn room(connection: &'a TcpStream) -> Source<'a> {
        Source(Kind::Outgoing(connection))
    }

    pub(super) fn data(queue: &'a Queue) -> Source<'a> {
        Source(Kind::Data(queue))
    }

    pub(super) fn room_in(queue: &'a Queue) -> Source<'a> {
        Source(Kind::Room(queue))
    }

    pub(super) fn ring(bell: &'a BellState) -> Source<'a> {
        Source(Kind::Ring(bell))
    }

    /// Whether the source is known to be ready. Of a socket only mio knows.
    fn is_ready(&self) -> bool {
        match self.0 {
            Kind::Data(queue) => queue.has_data_or_end(),
            Kind::Room(queue) => queue.has_room_or_end(),
            Kind::Ring(bell) => bell.is_ringing(),
            Kind::Incoming(_) | Kind::Outgoing(_) | Kind::Connecting(_) => false,
        }
    }

    /// The socket in the form in which mio waits for it, and what to wait for. It is another handle of the same socket.
    fn socket(&self) -> io::Result<Option<(Box<dyn event::Source>, Interest)>> {
        Ok(match self.0 {
            Kind::Incoming(stream) => {
                Some((Box::new(mio::net::TcpStream::from_std(stream.try_clone()?)), Interest::READABLE))
            }
            Kind::Outgoing(stream) => {
                Some((Box::new(mio::net::TcpStream::from_std(stream.try_clone()?)), Interest::WRITABLE))
            }
            Kind::Connecting(listener) => {
                Some((Box::new(mio::net::TcpListener::from_std(listener.try_clone()?)), Interest::READABLE))
            }
            Kind::Data(_) | Kind::Room(_) | Kind::Ring(_) => None,
        })
    }
}

/// The wakers of all threads that wait.
static WAITING: Mutex<Vec<Arc<Waker>>> = Mutex::new(Vec::new());

/// Token of a thread's waker; sockets have the others.
const WOKEN: Token = Token(usize::MAX);

/// What a thread waits with.
struct Waiting {
    poll: Poll,
    waker: Arc<Waker>,
}

thread_local! {
    static OWN: RefCell<Option<Waiting>> = const { RefCell::new(None) };
}

/// Wakes all threads that wait, so that they look at their sources.
pub(super) fn wake_all() {
    for waker in WAITING.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        // A thread that can't be woken looks again by itself.
        let _ = waker.wake();
    }
}

/// Waits until one of the sources is ready or has been closed, or until `until`. Returns whether one is ready. The wait may end early.
pub fn wait(sources: &[Source<'_>], until: Instant) -> bool {
    OWN.with_borrow_mut(|own| {
        if own.is_none() {
            *own = Waiting::new().ok();
        }
        match own {
            Some(own) => own.wait(sources, until),
            // Without mio's help: look at each millisecond.
            None => loop {
                let is_ready = sources.iter().any(Source::is_ready);
                if is_ready || Instant::now() >= until {
                    break is_ready;
                }
                std::thread::sleep(Duration::from_millis(1));
            },
        }
    })
}

impl Waiting {
    fn new() -> io::Result<Waiting> {
        let poll = Poll::new()?;
        let waker = Arc::new(Waker::new(poll.registry(), WOKEN)?);
        Ok(Waiting { poll, waker })
    }

    fn wait(&mut self, sources: &[Source<'_>], until: Instant) -> bool {
        // Before the look at the sources: what changes after it is heard.
        WAITING.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::clone(&self.waker));
        let mut sockets: Vec<Box<dyn event::Source>> = Vec::new();
        for (mut socket, interest) in sources.iter().filter_map(|source| source.socket().ok().flatten()) {
            if self.poll.registry().register(&mut socket, Token(sockets.len()), interest).is_ok() {
                sockets.push(socket);
            }
        }
        let is_ready = self.look(sources, until);
        for mut socket in sockets {
            let _ = self.poll.registry().deregister(&mut socket);
        }
        let mut waiting = WAITING.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = waiting.iter().position(|waker| Arc::ptr_eq(waker, &self.waker)) {
            waiting.swap_remove(own);
        }
        is_ready
    }

    fn look(&mut self, sources: &[Source<'_>], until: Instant) -> bool {
        let mut events = Events::with_capacity(sources.len() + 1);
        loop {
            if sources.iter().any(Source::is_ready) {
                return true;
            }
            let left = until.saturating_duration_since(Instant::now());
            if self.poll.poll(&mut events, Some(left)).is_err() {
                return false;
            }
            if events.iter().any(|event| event.token() != WOKEN) {
                return true;
            }
            if left.is_zero() {
                return sources.iter().any(Source::is_ready);
            }
        }
    }
}
