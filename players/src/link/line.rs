//! The line to the other end: one connection after the other, read and written on threads of their own, so that neither a slow line
//! nor a dead one stops the clocks.

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::{Duration, Instant};

use platform::{Bell, Ringer, Source};

use crate::lines::LineCutter;
use crate::transport::{self, PeerAddress, Security, Transport, TransportListener};

/// Time limit of each attempt to connect, and of the TLS handshake.
const TO_CONNECT: Duration = Duration::from_secs(5);
/// Pause before the next attempt.
const PAUSE: Duration = Duration::from_millis(500);
/// How often a thread that waits for something looks whether it is still wanted.
const GLANCE: Duration = Duration::from_millis(200);
/// Size of the read buffer, in bytes.
const CHUNK: usize = 4096;

/// Where the other end is.
pub enum LinkPlace {
    /// It connects to us.
    Listen(TransportListener),
    /// We connect to it, at `HOST:PORT`.
    Connect(String, Security),
    /// A serial line.
    Serial {
        /// Device of the line.
        device: PathBuf,
        /// Speed in bits per second.
        baud: u32,
    },
}

/// What happens on the line.
pub(crate) enum LineEvent {
    /// A connection begins.
    Up(LineWriter),
    /// A line, without its end, and when it was read.
    Text(Instant, String),
    /// The connection has ended; why.
    Down(String),
    /// There is no connection yet; why.
    Trouble(String),
}

/// The line.
pub(crate) struct LinkLine {
    events: Receiver<LineEvent>,
    bell: Bell,
}

/// The writing half of a connection. When it is dropped, what was written is sent, and the connection ends.
pub(crate) struct LineWriter {
    texts: Sender<String>,
    /// Number of texts that were not written yet.
    pending: Arc<AtomicUsize>,
    is_cut: Arc<AtomicBool>,
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

    /// Ends the connection at once.
    pub(crate) fn cut(&self) {
        self.is_cut.store(true, Ordering::Relaxed);
    }
}

impl LinkPlace {
    /// Whether it is a serial line.
    pub fn is_serial(&self) -> bool {
        matches!(self, LinkPlace::Serial { .. })
    }

    fn open(&self) -> io::Result<Transport> {
        match self {
            LinkPlace::Listen(listener) => listener.accept(TO_CONNECT),
            LinkPlace::Connect(address, security) => transport::connect(address, security, TO_CONNECT),
            LinkPlace::Serial { device, baud } => {
                let address = PeerAddress::Serial { device: device.clone(), baud: *baud };
                transport::open(&address, &Security::default(), TO_CONNECT)
            }
        }
    }
}

impl LinkLine {
    /// Opens the line, and opens it again whenever it breaks.
    ///
    /// # Errors
    /// The system has no more threads or descriptors.
    pub(crate) fn keep(place: LinkPlace) -> io::Result<LinkLine> {
        let (sender, events) = mpsc::channel();
        let (bell, ringer) = platform::bell()?;
        let mut keeper = LineKeeper { sender, ringer };
        thread::Builder::new().name("line".into()).spawn(move || {
            while keeper.connect(&place).is_some() {
                if !matches!(place, LinkPlace::Listen(_)) {
                    thread::sleep(PAUSE);
                }
            }
        })?;
        Ok(LinkLine { events, bell })
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
    sender: Sender<LineEvent>,
    ringer: Ringer,
}

impl LineKeeper {
    /// Tells the owner. `None` if it is gone.
    fn tell(&mut self, event: LineEvent) -> Option<()> {
        self.sender.send(event).ok()?;
        self.ringer.ring().ok()
    }

    /// Makes one connection and reads it to its end.
    fn connect(&mut self, place: &LinkPlace) -> Option<()> {
        let opened = place.open().and_then(|transport| Ok((transport.reader()?, transport)));
        match opened {
            Ok((reader, transport)) => {
                let writer = start_writer(transport).ok()?;
                let is_cut = Arc::clone(&writer.is_cut);
                self.tell(LineEvent::Up(writer))?;
                let reason = self.read(reader.with_timeout(Some(GLANCE)), &is_cut)?;
                self.tell(LineEvent::Down(reason))
            }
            // Nobody has called.
            Err(error) if error.kind() == ErrorKind::TimedOut && matches!(place, LinkPlace::Listen(_)) => {
                Some(())
            }
            Err(error) => self.tell(LineEvent::Trouble(error.to_string())),
        }
    }

    /// Reads a connection, and returns why it has ended.
    fn read(&mut self, mut transport: Transport, is_cut: &AtomicBool) -> Option<String> {
        let mut cutter = LineCutter::default();
        let mut chunk = [0; CHUNK];
        let reason = loop {
            match transport.read(&mut chunk) {
                Ok(0) => break "the other end has closed it".to_owned(),
                Ok(count) => {
                    cutter.push(Instant::now(), &chunk[..count]);
                    for (at, line) in cutter.lines.drain(..) {
                        self.tell(LineEvent::Text(at, line.text))?;
                    }
                }
                Err(error) if matches!(error.kind(), ErrorKind::TimedOut | ErrorKind::Interrupted) => {}
                Err(error) => break error.to_string(),
            }
            if is_cut.load(Ordering::Relaxed) {
                break "nothing was heard".to_owned();
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
    Ok(LineWriter { texts, pending, is_cut: Arc::default() })
}
