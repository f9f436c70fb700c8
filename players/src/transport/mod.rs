//! The transport to a referee or to the other end of a link: a TCP connection, plain or with TLS, or a serial line.
//!
//! One thread reads and another writes. TLS is done by `rustls::Stream` on a nonblocking socket. The connection's state is locked
//! only during an attempt to read or write, never while waiting for bytes, so that neither thread waits for the other. Rejected
//! alternatives: `tokio-rustls`, which the referee's server uses, needs a runtime with a thread of its own, through which every
//! byte would pass. The reader of a `rustls::StreamOwned` on a blocking socket would hold the lock while it waits.
//!
//! [`Security`] decides whom to trust: the system's authorities, those of a file, or one pinned certificate. Local programs trust
//! only the referee's own certificate, whatever names it has. No other module of the clients deals with TLS.

mod security;
mod server;
#[cfg(test)]
mod tests;

use std::fmt;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use platform::Source;
use rustls::{Connection, Stream};
use serialport::SerialPort;

pub(crate) use security::is_tls;
pub use security::{Security, TlsError, certificates};
pub use server::{ServerSecurity, server_config};

/// Time limit to send the end of a TLS connection.
const CLOSING: Duration = Duration::from_millis(500);
/// Interval at which a read of a serial line checks its time-out.
const SERIAL_WAIT: Duration = Duration::from_millis(200);
/// Longest single wait of an operation without a time-out.
const LONG: Duration = Duration::from_hours(1);

/// Address of a referee, or of the other end of a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PeerAddress {
    /// `HOST:PORT`.
    Network(String),
    /// Serial line.
    Serial {
        /// Device of the line.
        device: PathBuf,
        /// Speed in bits per second.
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

/// An open transport, for writing. [`Transport::reader`] returns its other half.
pub struct Transport {
    medium: Medium,
    timeout: Option<Duration>,
}

enum Medium {
    Network(Arc<Socket>),
    Serial(Box<dyn SerialPort>),
}

/// A nonblocking socket with the TLS state of the connection.
struct Socket {
    tcp: TcpStream,
    tls: Option<Mutex<Connection>>,
}

/// Opens a serial line, or a connection as [`connect`] does.
///
/// # Errors
/// The device is missing or in use; otherwise as for [`connect`].
pub fn open(address: &PeerAddress, security: &Security, within: Duration) -> io::Result<Transport> {
    match address {
        PeerAddress::Network(address) => connect(address, security, within),
        PeerAddress::Serial { device, baud } => {
            let port = serialport::new(device.to_string_lossy(), *baud).timeout(SERIAL_WAIT).open()?;
            Ok(Transport { medium: Medium::Serial(port), timeout: None })
        }
    }
}

/// Opens a connection to `HOST:PORT`. The time limit applies to each address of the host, and to the TLS handshake.
///
/// # Errors
/// No answer; or, of kind `InvalidData`, the server doesn't speak TLS or its certificate is not trusted.
pub fn connect(address: &str, security: &Security, within: Duration) -> io::Result<Transport> {
    let tls = security.session(address)?;
    Transport::over(dial(address, within)?, tls, within)
}

/// A TCP port at which connections are accepted.
pub struct TransportListener {
    tcp: TcpListener,
    security: ServerSecurity,
}

impl TransportListener {
    /// Listens at `HOST:PORT`.
    ///
    /// # Errors
    /// The address is unknown or in use.
    pub fn bind(address: &str, security: ServerSecurity) -> io::Result<TransportListener> {
        let tcp = TcpListener::bind(address)?;
        tcp.set_nonblocking(true)?;
        Ok(TransportListener { tcp, security })
    }

    /// The address, with the port that the system has chosen for port 0.
    ///
    /// # Errors
    /// The system does not tell it.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.tcp.local_addr()
    }

    /// Waits for a connection, and completes its TLS handshake. Each has the time limit.
    ///
    /// # Errors
    /// `TimedOut`: nobody has connected. Others: who has connected does not speak TLS as wanted.
    pub fn accept(&self, within: Duration) -> io::Result<Transport> {
        self.call(within)?.answer(within)
    }

    /// Waits for a connection, but says nothing yet.
    ///
    /// # Errors
    /// `TimedOut`: nobody has connected.
    pub fn call(&self, within: Duration) -> io::Result<Caller> {
        let until = Some(Instant::now() + within);
        let (tcp, address) = repeat(Source::connecting(&self.tcp), until, || self.tcp.accept())?;
        Ok(Caller { tcp, address, tls: self.security.session()? })
    }
}

/// Somebody who has connected.
pub struct Caller {
    tcp: TcpStream,
    address: SocketAddr,
    tls: Option<Connection>,
}

impl Caller {
    /// The address of the other end.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Completes the TLS handshake, if there is one.
    ///
    /// # Errors
    /// Who has connected does not speak TLS as wanted, or not in time.
    pub fn answer(self, within: Duration) -> io::Result<Transport> {
        Transport::over(self.tcp, self.tls, within)
    }
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
    fn over(tcp: TcpStream, tls: Option<Connection>, within: Duration) -> io::Result<Transport> {
        // A move is a small packet that must not be delayed.
        tcp.set_nodelay(true)?;
        // Without it a connection to a machine that has vanished would stay for a quarter of an hour. Not every system allows it.
        let _ = platform::notice_dead_peer(&tcp);
        tcp.set_nonblocking(true)?;
        let socket = Socket { tcp, tls: tls.map(Mutex::new) };
        socket.shake_hands(Instant::now() + within)?;
        Ok(Transport { medium: Medium::Network(Arc::new(socket)), timeout: None })
    }

    /// Returns the reading half. There must be only one.
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

    /// Sets the time after which a read fails with `TimedOut`, without loss of data; `None` for no limit.
    #[must_use]
    pub fn with_timeout(self, timeout: Option<Duration>) -> Transport {
        Transport { timeout, ..self }
    }

    /// Closes the connection, for the reading half as well.
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
            kind @ ErrorKind::UnexpectedEof => {
                io::Error::new(kind, "the other end hung up in the TLS handshake")
            }
            _ => error,
        })
    }

    fn read(&self, buffer: &mut [u8], until: Option<Instant>) -> io::Result<usize> {
        repeat(Source::incoming(&self.tcp), until, || match &self.tls {
            None => (&self.tcp).read(buffer),
            Some(tls) => match &mut *lock(tls) {
                Connection::Client(tls) => Stream::new(tls, &mut &self.tcp).read(buffer),
                Connection::Server(tls) => Stream::new(tls, &mut &self.tcp).read(buffer),
            },
        })
    }

    fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        let Some(tls) = &self.tls else {
            return repeat(Source::room(&self.tcp), None, || (&self.tcp).write(bytes));
        };
        // No more bytes are accepted until the earlier ones have been sent.
        self.send_sealed(tls, None)?;
        let written = lock(tls).writer().write(bytes)?;
        self.send_sealed(tls, None)?;
        Ok(written)
    }

    /// Sends the encrypted bytes.
    fn send_sealed(&self, tls: &Mutex<Connection>, until: Option<Instant>) -> io::Result<()> {
        repeat(Source::room(&self.tcp), until, || {
            let mut session = lock(tls);
            while session.wants_write() {
                session.write_tls(&mut &self.tcp)?;
            }
            Ok(())
        })
    }

    fn close(&self) {
        // An error means that the other side has closed it already.
        if let Some(tls) = &self.tls {
            lock(tls).send_close_notify();
            let _ = self.send_sealed(tls, Some(Instant::now() + CLOSING));
        }
        let _ = self.tcp.shutdown(Shutdown::Both);
    }
}

fn lock(tls: &Mutex<Connection>) -> MutexGuard<'_, Connection> {
    tls.lock().unwrap_or_else(PoisonError::into_inner)
}

fn has_passed(until: Option<Instant>) -> bool {
    until.is_some_and(|until| Instant::now() >= until)
}

/// Repeats a nonblocking operation each time that the source is ready. Fails with `TimedOut` after the time limit.
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
