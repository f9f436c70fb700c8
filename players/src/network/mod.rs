//! The way to a referee over a network: plain, or over TLS.

mod security;
#[cfg(test)]
mod tests;

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream, ToSocketAddrs};
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustls::ClientConnection;

pub use security::{Security, TlsError, certificates};

/// How long the last words on a line may take.
const LAST_WORDS: Duration = Duration::from_millis(500);
/// So many bytes are taken from a line at once.
const CHUNK: usize = 4096;

/// What TLS knows of a line. It is held for a computation only, never while bytes are waited for: who reads and who writes don't
/// wait for each other.
type Session = Arc<Mutex<ClientConnection>>;

/// An open line. Written to, it sends.
pub struct Line {
    socket: TcpStream,
    tls: Option<Session>,
}

/// The other direction of a [`Line`]. There is to be one for each.
pub struct Reader {
    socket: TcpStream,
    tls: Option<Opener>,
}

/// Makes plain bytes of sealed ones.
struct Opener {
    session: Session,
    sealed: [u8; CHUNK],
    /// What of `sealed` the session has not had yet.
    rest: Range<usize>,
}

/// Opens a line to `HOST:PORT`. Each address of the host may take so long to answer, and so may the handshake of TLS.
///
/// # Errors
/// Nobody answers; or, of kind `InvalidData`, whoever does doesn't speak TLS or can't prove to be that host.
pub fn connect(address: &str, security: &Security, within: Duration) -> io::Result<Line> {
    let mut session = security.session(address)?;
    let mut socket = dial(address, within)?;
    // A move is a small packet that somebody waits for.
    socket.set_nodelay(true)?;
    if let Some(session) = &mut session {
        shake_hands(session, &mut socket, within)?;
    }
    Ok(Line { socket, tls: session.map(|session| Arc::new(Mutex::new(session))) })
}

/// Whether anybody answers at `HOST:PORT`.
pub fn is_there(address: &str, within: Duration) -> bool {
    dial(address, within).is_ok()
}

fn dial(address: &str, within: Duration) -> io::Result<TcpStream> {
    let mut last = io::Error::new(ErrorKind::NotFound, "no such host");
    for address in address.to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, within) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(last)
}

fn shake_hands(session: &mut ClientConnection, socket: &mut TcpStream, within: Duration) -> io::Result<()> {
    let until = Instant::now() + within;
    while session.is_handshaking() || session.wants_write() {
        if session.wants_write() {
            session.write_tls(socket)?;
            continue;
        }
        let left = until.saturating_duration_since(Instant::now());
        socket.set_read_timeout(Some(left.max(Duration::from_millis(1))))?;
        let read = session.read_tls(socket).map_err(|error| match error.kind() {
            ErrorKind::WouldBlock => io::Error::new(ErrorKind::TimedOut, "no TLS handshake in time"),
            _ => error,
        })?;
        if read == 0 {
            return Err(io::Error::new(ErrorKind::UnexpectedEof, "it hung up in the TLS handshake"));
        }
        if let Err(error) = session.process_new_packets() {
            // The other side may want to know why.
            let _ = session.write_tls(socket);
            return Err(security::explain(&error));
        }
    }
    socket.set_read_timeout(None)
}

impl Line {
    /// What can be read from the other side.
    ///
    /// # Errors
    /// The system has no more descriptors.
    pub fn reader(&self) -> io::Result<Reader> {
        let tls = self.tls.as_ref().map(|session| Opener {
            session: Arc::clone(session),
            sealed: [0; CHUNK],
            rest: 0..0,
        });
        Ok(Reader { socket: self.socket.try_clone()?, tls })
    }

    /// How long a read waits before it fails with `WouldBlock` or `TimedOut`; nothing is lost then. `None`: as long as it takes.
    ///
    /// # Errors
    /// The time is zero.
    pub fn set_read_timeout(&self, time: Option<Duration>) -> io::Result<()> {
        self.socket.set_read_timeout(time)
    }

    /// Closes the line, for whoever reads it as well.
    pub fn close(mut self) {
        // An error means that the other side was faster.
        let _ = self.say_goodbye();
        let _ = self.socket.shutdown(Shutdown::Both);
    }

    fn say_goodbye(&mut self) -> io::Result<()> {
        let Some(session) = &self.tls else { return Ok(()) };
        self.socket.set_write_timeout(Some(LAST_WORDS))?;
        let sealed = {
            let mut session = lock(session);
            session.send_close_notify();
            sealed(&mut session)?
        };
        self.socket.write_all(&sealed)
    }
}

impl Write for Line {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(session) = &self.tls else { return self.socket.write(bytes) };
        let (written, sealed) = {
            let mut session = lock(session);
            (session.writer().write(bytes)?, sealed(&mut session)?)
        };
        self.socket.write_all(&sealed)?;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.socket.flush()
    }
}

/// What waits to be sent.
fn sealed(session: &mut ClientConnection) -> io::Result<Vec<u8>> {
    let mut sealed = Vec::new();
    while session.wants_write() {
        session.write_tls(&mut sealed)?;
    }
    Ok(sealed)
}

fn lock(session: &Session) -> MutexGuard<'_, ClientConnection> {
    session.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Read for Reader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Some(opener) = &mut self.tls else { return self.socket.read(buffer) };
        loop {
            match opener.open(buffer) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                other => return other,
            }
            let read = self.socket.read(&mut opener.sealed)?;
            opener.rest = 0..read;
            if read == 0 {
                // The session decides whether that is an end or a line that was cut.
                lock(&opener.session).read_tls(&mut io::empty())?;
            }
        }
    }
}

impl Opener {
    /// Plain bytes, as far as there are any; `WouldBlock` if the session has had all that was read, and needs more.
    fn open(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut session = lock(&self.session);
        loop {
            match session.reader().read(buffer) {
                Err(error) if error.kind() == ErrorKind::WouldBlock && !self.rest.is_empty() => {}
                other => return other,
            }
            self.rest.start += session.read_tls(&mut &self.sealed[self.rest.clone()])?;
            session.process_new_packets().map_err(|error| security::explain(&error))?;
        }
    }
}
