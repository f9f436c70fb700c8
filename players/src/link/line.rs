//! The line to the other end: one connection after the other, read and written on threads of their own, so that neither a slow line
//! nor a dead one stops the clocks.

use std::fmt;
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

use platform::{Bell, Ringer, Source};

use crate::lines::LineCutter;
use crate::transport::{self, Caller, PeerAddress, Security, Transport, TransportListener};

/// Time limit of each attempt to connect, and of the TLS handshake.
const TO_CONNECT: Duration = Duration::from_secs(5);
/// Pause before the next attempt.
const PAUSE: Duration = Duration::from_millis(500);
/// How often a thread that waits for something looks whether it is still wanted.
const GLANCE: Duration = Duration::from_millis(200);
/// Time limit of the first line of somebody who connects, and of all that makes him known. Who is silent must not keep out the
/// right one, who waits behind him.
const TO_SPEAK: Duration = Duration::from_millis(1500);
const TO_BE_KNOWN: Duration = Duration::from_secs(3);
/// Number of bytes that are read of somebody who is not known.
const UNKNOWN_BYTES: usize = 64 * 1024;
/// Number of connections to us that are greeted at a time. More wait, as all do while one is known.
const MOST_CALLERS: usize = 64;
/// Number of events that wait. Then the line is read no further.
const EVENTS: usize = 64;
/// Size of the read buffer, in bytes.
const CHUNK: usize = 4096;

/// Where the other end is.
pub enum LinkPlace {
    /// It connects to us.
    Listen(TransportListener),
    /// We connect to it, at `HOST:PORT`.
    Connect(String, Security),
    /// A serial line; [`LinkPlace::serial`] makes it.
    Serial {
        /// Device of the line.
        device: PathBuf,
        /// Speed in bits per second.
        baud: u32,
        /// The first connection, if the device is there.
        first: Option<Transport>,
    },
}

/// Which connection, among all that the line has had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LineId(usize);

/// What happens on the line.
pub(crate) enum LineEvent {
    /// A connection begins.
    Up(LineId, LineWriter),
    /// A line, without its end, and when it was read.
    Text(LineId, Instant, String),
    /// The connection has ended; why.
    Down(LineId, String),
    /// There is no connection yet; why.
    Trouble(String),
}

/// The line.
pub(crate) struct LinkLine {
    events: Receiver<LineEvent>,
    bell: Bell,
    /// Whether the other end is known, so that nobody else who connects is greeted.
    is_taken: Arc<AtomicBool>,
}

/// The writing half of a connection. When it is dropped, what was written is sent, and the connection ends.
pub(crate) struct LineWriter {
    texts: Sender<String>,
    /// Number of texts that were not written yet.
    pending: Arc<AtomicUsize>,
    is_cut: Arc<AtomicBool>,
    /// Whether the other end has proved who it is.
    is_known: Arc<AtomicBool>,
}

impl LineWriter {
    pub(crate) fn write(&self, text: String) {
        self.pending.fetch_add(1, Ordering::Relaxed);
        // A thread that has ended has told so by the end of the connection.
        let _ = self.texts.send(text);
    }

    /// Whether something is still being written.
    pub(crate) fn is_busy(&self) -> bool {
        self.pending.load(Ordering::Relaxed) > 0
    }

    /// Notes that the other end has proved who it is. Until then a connection to us has little time.
    pub(crate) fn note_known(&self) {
        self.is_known.store(true, Ordering::Relaxed);
    }

    /// Ends the connection at once.
    pub(crate) fn cut(&self) {
        self.is_cut.store(true, Ordering::Relaxed);
    }
}

impl LinkPlace {
    /// A serial line at `device`, at `baud` bits per second. A device that is missing or in use may come later.
    ///
    /// # Errors
    /// It is no serial line, or cannot be one.
    pub fn serial(device: PathBuf, baud: u32) -> io::Result<LinkPlace> {
        let first = match open_serial(&device, baud) {
            Ok(transport) => Some(transport),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        // It stays open: some pseudo-terminals end when they are closed.
        Ok(LinkPlace::Serial { device, baud, first })
    }

    /// Whether it is a serial line.
    pub fn is_serial(&self) -> bool {
        matches!(self, LinkPlace::Serial { .. })
    }

    fn open(&mut self) -> io::Result<Transport> {
        match self {
            LinkPlace::Listen(listener) => listener.accept(TO_CONNECT),
            LinkPlace::Connect(address, security) => transport::connect(address, security, TO_CONNECT),
            LinkPlace::Serial { device, baud, first } => {
                first.take().map_or_else(|| open_serial(device, *baud), Ok)
            }
        }
    }

    /// What to do about another end that speaks TLS where this one does not.
    fn advice_on_tls(&self) -> &'static str {
        match self {
            LinkPlace::Listen(_) => "give --tls-certificate and --tls-key here, or no --tls there",
            _ => "give --tls or --tls-authority here",
        }
    }
}

/// What is waited for.
impl fmt::Display for LinkPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LinkPlace::Listen(listener) => match listener.address() {
                Ok(address) => write!(f, "waiting for the slave at {address}"),
                Err(_) => f.write_str("waiting for the slave"),
            },
            LinkPlace::Connect(address, _) => write!(f, "connecting to the master at {address}"),
            LinkPlace::Serial { device, baud, .. } => {
                write!(f, "waiting for the other end at {}, {baud} bit/s", device.display())
            }
        }
    }
}

fn open_serial(device: &Path, baud: u32) -> io::Result<Transport> {
    let address = PeerAddress::Serial { device: device.to_owned(), baud };
    transport::open(&address, &Security::default(), TO_CONNECT)
}

impl LinkLine {
    /// Opens the line, and opens it again whenever it breaks.
    ///
    /// # Errors
    /// The system has no more threads or descriptors.
    pub(crate) fn keep(mut place: LinkPlace) -> io::Result<LinkLine> {
        let (sender, events) = mpsc::sync_channel(EVENTS);
        let (bell, ringer) = platform::bell()?;
        let is_taken = Arc::new(AtomicBool::new(false));
        let advice = place.advice_on_tls();
        let (is_serial, is_called) = (place.is_serial(), matches!(place, LinkPlace::Listen(_)));
        let mut keeper = LineKeeper { sender, ringer, number: 0, is_serial, is_called, advice };
        let (taken, callers) = (Arc::clone(&is_taken), Arc::default());
        thread::Builder::new().name("line".into()).spawn(move || {
            loop {
                let kept = match &mut place {
                    LinkPlace::Listen(listener) => keeper.answer(listener, &taken, &callers),
                    place => {
                        let kept = keeper.serve(place.open());
                        thread::sleep(PAUSE);
                        kept
                    }
                };
                if kept.is_none() {
                    break;
                }
            }
        })?;
        Ok(LinkLine { events, bell, is_taken })
    }

    /// Notes whether the other end is known. While it is, others who connect wait.
    pub(crate) fn set_taken(&self, is_taken: bool) {
        self.is_taken.store(is_taken, Ordering::Relaxed);
    }

    pub(crate) fn take(&self) -> Option<LineEvent> {
        let event = self.events.try_recv().ok()?;
        // The bell rings once for each event.
        self.bell.hear();
        Some(event)
    }

    pub(crate) fn source(&self) -> Source<'_> {
        self.bell.source()
    }
}

struct LineKeeper {
    sender: SyncSender<LineEvent>,
    ringer: Ringer,
    /// Number of connections so far.
    number: usize,
    is_serial: bool,
    /// Whether the other end connects to us, and so may be anybody.
    is_called: bool,
    /// What to do about another end that speaks TLS where this one does not.
    advice: &'static str,
}

impl LineKeeper {
    /// Tells the owner. `None` if it is gone.
    fn tell(&mut self, event: LineEvent) -> Option<()> {
        self.sender.send(event).ok()?;
        self.ringer.ring().ok()
    }

    /// Waits for somebody who connects, and serves him on a thread of his own: strangers must not keep the right one waiting.
    fn answer(
        &mut self,
        listener: &TransportListener,
        is_taken: &AtomicBool,
        callers: &Arc<AtomicUsize>,
    ) -> Option<()> {
        if callers.load(Ordering::Relaxed) >= MOST_CALLERS {
            thread::sleep(GLANCE);
            return Some(());
        }
        let caller = match listener.call(TO_CONNECT) {
            Ok(caller) => caller,
            // Nobody has called.
            Err(error) if error.kind() == ErrorKind::TimedOut => return Some(()),
            Err(error) => {
                thread::sleep(GLANCE);
                return self.tell(LineEvent::Trouble(error.to_string()));
            }
        };
        while is_taken.load(Ordering::Relaxed) {
            thread::sleep(GLANCE);
        }
        self.number += 1;
        let served = self.another().and_then(|keeper| keeper.serve_apart(caller, callers));
        served.map_or_else(|error| self.tell(LineEvent::Trouble(error.to_string())), Some)
    }

    fn another(&self) -> io::Result<LineKeeper> {
        Ok(LineKeeper { sender: self.sender.clone(), ringer: self.ringer.try_clone()?, ..*self })
    }

    fn serve_apart(mut self, caller: Caller, callers: &Arc<AtomicUsize>) -> io::Result<()> {
        callers.fetch_add(1, Ordering::Relaxed);
        let left = Arc::clone(callers);
        let started = thread::Builder::new().name("caller".into()).spawn(move || {
            let _ = self.serve(caller.answer(TO_CONNECT));
            left.fetch_sub(1, Ordering::Relaxed);
        });
        if started.is_err() {
            callers.fetch_sub(1, Ordering::Relaxed);
        }
        started.map(drop)
    }

    /// Reads a connection to its end.
    fn serve(&mut self, opened: io::Result<Transport>) -> Option<()> {
        match opened.and_then(|transport| Ok((transport.reader()?, transport))) {
            Ok((reader, transport)) => {
                if !self.is_called {
                    self.number += 1;
                }
                let id = LineId(self.number);
                let writer = start_writer(transport).ok()?;
                let (is_cut, is_known) = (Arc::clone(&writer.is_cut), Arc::clone(&writer.is_known));
                is_known.store(!self.is_called, Ordering::Relaxed);
                self.tell(LineEvent::Up(id, writer))?;
                let reason = self.read(id, reader.with_timeout(Some(GLANCE)), &is_cut, &is_known)?;
                self.tell(LineEvent::Down(id, reason))
            }
            Err(error) => self.tell(LineEvent::Trouble(error.to_string())),
        }
    }

    /// Reads a connection, and returns why it has ended.
    fn read(
        &mut self,
        id: LineId,
        mut transport: Transport,
        is_cut: &AtomicBool,
        is_known: &AtomicBool,
    ) -> Option<String> {
        let mut cutter = LineCutter::default();
        let mut chunk = [0; CHUNK];
        let (began, mut has_spoken, mut is_new) = (Instant::now(), false, !self.is_serial);
        let mut unknown = 0;
        let reason = loop {
            match transport.read(&mut chunk) {
                Ok(0) => break "the other end has closed it".to_owned(),
                Ok(count) => {
                    if std::mem::take(&mut is_new) && transport::is_tls(&chunk[..count]) {
                        // Meanwhile our greeting goes out, which tells the other end the same.
                        thread::sleep(GLANCE);
                        break format!("the other end speaks TLS; {}", self.advice);
                    }
                    if !is_known.load(Ordering::Relaxed) {
                        unknown += count;
                    }
                    cutter.push(Instant::now(), &chunk[..count]);
                    for (at, line) in cutter.lines.drain(..) {
                        has_spoken = true;
                        self.tell(LineEvent::Text(id, at, line.text))?;
                    }
                }
                Err(error) if matches!(error.kind(), ErrorKind::TimedOut | ErrorKind::Interrupted) => {}
                Err(error) => break error.to_string(),
            }
            if is_cut.load(Ordering::Relaxed) {
                break "nothing was heard".to_owned();
            }
            let limit = if has_spoken { TO_BE_KNOWN } else { TO_SPEAK };
            let is_patient = began.elapsed() < limit && unknown <= UNKNOWN_BYTES;
            if !is_known.load(Ordering::Relaxed) && !is_patient {
                break "no greeting was heard".to_owned();
            }
        };
        transport.close();
        Some(reason)
    }
}

fn start_writer(mut transport: Transport) -> io::Result<LineWriter> {
    let (texts, received) = mpsc::channel::<String>();
    let pending = Arc::new(AtomicUsize::new(0));
    let unwritten = Arc::clone(&pending);
    thread::Builder::new().name("line writer".into()).spawn(move || {
        for text in received {
            let written = transport.write_all(text.as_bytes()).and_then(|()| transport.flush());
            unwritten.fetch_sub(1, Ordering::Relaxed);
            if written.is_err() {
                break;
            }
        }
        transport.close();
    })?;
    Ok(LineWriter { texts, pending, is_cut: Arc::default(), is_known: Arc::default() })
}
