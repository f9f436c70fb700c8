//! The way to a referee: a TCP connection, plain or under TLS, or a serial line.
//!
//! One thread reads and another writes. `rustls::Stream` does all that TLS needs, on a socket that doesn't block; the
//! connection's state is locked for an attempt only, never while bytes are waited for, so that neither thread waits for the
//! other. Also considered: `tokio-rustls`, which the referee's server has; it would need a runtime with a thread of its own and
//! bring every byte through it, where here the reading thread wakes by itself. And `rustls::StreamOwned` on a blocking socket: its
//! reader would hold the lock while it waits.
//!
//! Trust is [`Security`]'s: the system's authorities, those of a file, or one pinned certificate. Local programs trust the
//! referee's own certificate and no other, whatever names it has. Nobody else on the client's side knows of TLS.

mod security;
#[cfg(test)]
mod tests;

use std::fmt;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream, ToSocketAddrs};
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use platform::Source;
use rustls::{ClientConnection, Stream};
use serialport::SerialPort;

pub use security::{Security, TlsError, certificates};

/// How long the end of a TLS connection may take to send.
const CLOSING: Duration = Duration::from_millis(500);
/// How long a read of a serial line waits before it looks at its time-out.
const SERIAL_WAIT: Duration = Duration::from_millis(200);
/// How long an operation without a time-out waits at once.
const LONG: Duration = Duration::from_hours(1);

/// Where a referee is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PeerAddress {
    /// `HOST:PORT`.
    Network(String),
    /// A serial line.
    Serial {
        /// Its device.
        device: PathBuf,
        /// Its speed in bits per second.
        baud: u32,
    },
}

impl FromStr for PeerAddress {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<PeerAddress, &'static str> {
        let port = text.rsplit_once(':').filter(|(host, _)| !host.is_empty());
        let is_port = port.is_some_and(|(_, port)| port.parse::<u16>().is_ok());
        is_port.then(|| PeerAddress::Network(text.to_owned())).ok_or("expected HOST:PORT")
    }
}

impl fmt::Display for PeerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PeerAddress::Network(address) => f.write_str(address),
            PeerAddress::Serial { device, .. } => device.display().fmt(f),
        }
    }
}

/// An open way to a referee. Written to, it sends; another of the same way is to be read, see [`Transport::reader`].
pub struct Transport {
    medium: Medium,
    timeout: Option<Duration>,
}

enum Medium {
    Network(Arc<Socket>),
    Serial(Box<dyn SerialPort>),
}

/// A socket that doesn't block, and what TLS knows of the connection.
struct Socket {
    tcp: TcpStream,
    tls: Option<Mutex<ClientConnection>>,
}

/// Opens a serial line, or a connection as [`connect`] does.
///
/// # Errors
/// The device is not there or in use; otherwise as for [`connect`].
pub fn open(address: &PeerAddress, security: &Security, within: Duration) -> io::Result<Transport> {
    match address {
        PeerAddress::Network(address) => connect(address, security, within),
        PeerAddress::Serial { device, baud } => {
            let port = serialport::new(device.to_string_lossy(), *baud).timeout(SERIAL_WAIT).open()?;
            Ok(Transport { medium: Medium::Serial(port), timeout: None })
        }
    }
}

/// Opens a connection to `HOST:PORT`. Each address of the host may take so long to answer, and so may the handshake of TLS.
///
/// # Errors
/// Nobody answers; or, of kind `InvalidData`, whoever does doesn't speak TLS or can't prove to be that host.
pub fn connect(address: &str, security: &Security, within: Duration) -> io::Result<Transport> {
    let tls = security.session(address)?.map(Mutex::new);
    let tcp = dial(address, within)?;
    // A move is a small packet that somebody waits for.
    tcp.set_nodelay(true)?;
    tcp.set_nonblocking(true)?;
    let socket = Socket { tcp, tls };
    socket.shake_hands(Instant::now() + within)?;
    Ok(Transport { medium: Medium::Network(Arc::new(socket)), timeout: None })
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

impl Transport {
    /// What can be read from the other side. There is to be one reader.
    ///
    /// # Errors
    /// The system has no more descriptors.
    pub fn reader(&self) -> io::Result<Transport> {
        let medium = match &self.medium {
            Medium::Network(socket) => Medium::Network(Arc::clone(socket)),
            Medium::Serial(port) => Medium::Serial(port.try_clone()?),
        };
        Ok(Transport { medium, timeout: None })
    }

    /// How long a read waits before it fails with `TimedOut`; nothing is lost then. `None`: as long as it takes.
    #[must_use]
    pub fn with_timeout(self, timeout: Option<Duration>) -> Transport {
        Transport { timeout, ..self }
    }

    /// Closes a connection, for whoever reads it as well.
    pub fn close(self) {
        if let Medium::Network(socket) = self.medium {
            socket.close();
        }
    }
}

impl Write for Transport {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.medium {
            Medium::Network(socket) => socket.write(bytes),
            Medium::Serial(port) => port.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.medium {
            Medium::Network(_) => Ok(()),
            Medium::Serial(port) => port.flush(),
        }
    }
}

impl Read for Transport {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let until = self.timeout.map(|timeout| Instant::now() + timeout);
        match &mut self.medium {
            Medium::Network(socket) => socket.read(buffer, until),
            Medium::Serial(port) => loop {
                match port.read(buffer) {
                    Err(error) if error.kind() == ErrorKind::TimedOut && !has_passed(until) => {}
                    result => return result,
                }
            },
        }
    }
}

impl Socket {
    fn shake_hands(&self, until: Instant) -> io::Result<()> {
        let Some(tls) = &self.tls else { return Ok(()) };
        let shaken = repeat(Source::incoming(&self.tcp), Some(until), || {
            let mut session = lock(tls);
            session.complete_io(&mut &self.tcp)?;
            if session.is_handshaking() { Err(ErrorKind::WouldBlock.into()) } else { Ok(()) }
        });
        shaken.map_err(|error| match error.kind() {
            kind @ ErrorKind::TimedOut => io::Error::new(kind, "no TLS handshake in time"),
            kind @ ErrorKind::UnexpectedEof => io::Error::new(kind, "it hung up in the TLS handshake"),
            _ => error,
        })
    }

    fn read(&self, buffer: &mut [u8], until: Option<Instant>) -> io::Result<usize> {
        repeat(Source::incoming(&self.tcp), until, || match &self.tls {
            None => (&self.tcp).read(buffer),
            Some(tls) => Stream::new(&mut *lock(tls), &mut &self.tcp).read(buffer),
        })
    }

    fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        let Some(tls) = &self.tls else {
            return repeat(Source::room(&self.tcp), None, || (&self.tcp).write(bytes));
        };
        // Nothing more is taken until what was taken before has been sent.
        self.send_sealed(tls, None)?;
        let written = lock(tls).writer().write(bytes)?;
        self.send_sealed(tls, None)?;
        Ok(written)
    }

    /// Sends what TLS has made of the bytes that were written.
    fn send_sealed(&self, tls: &Mutex<ClientConnection>, until: Option<Instant>) -> io::Result<()> {
        repeat(Source::room(&self.tcp), until, || {
            let mut session = lock(tls);
            while session.wants_write() {
                session.write_tls(&mut &self.tcp)?;
            }
            Ok(())
        })
    }

    fn close(&self) {
        // An error means that the other side was faster.
        if let Some(tls) = &self.tls {
            lock(tls).send_close_notify();
            let _ = self.send_sealed(tls, Some(Instant::now() + CLOSING));
        }
        let _ = self.tcp.shutdown(Shutdown::Both);
    }
}

fn lock(tls: &Mutex<ClientConnection>) -> MutexGuard<'_, ClientConnection> {
    tls.lock().unwrap_or_else(PoisonError::into_inner)
}

fn has_passed(until: Option<Instant>) -> bool {
    until.is_some_and(|until| Instant::now() >= until)
}

/// Tries something that doesn't block, again each time that the source is ready. Of kind `TimedOut` if the time is over.
fn repeat<T>(
    source: Source<'_>,
    until: Option<Instant>,
    mut attempt: impl FnMut() -> io::Result<T>,
) -> io::Result<T> {
    loop {
        match attempt() {
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
            result => return result.map_err(security::explain),
        }
        if has_passed(until) {
            return Err(ErrorKind::TimedOut.into());
        }
        platform::wait(&[source], until.unwrap_or_else(|| Instant::now() + LONG));
    }
}
