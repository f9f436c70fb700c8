//! Connections: reading and writing of lines, within limits.
//!
//! The moment of a reply is taken here, on the network thread, when its last byte has been read. The clock of the next
//! mover starts when the call for its move is handed to this thread.

use std::io::{self, ErrorKind, Write as _};
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::Sender;
use std::thread;
use std::time::{Duration, Instant};

use messages::input::{Input, LineReader};
use messages::referee::Directive;
use players::transport::{self, PeerAddress, Security, Transport};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::timeout;

use super::listener::{Connection, ConnectionListener};
use super::pulse::Pulse;
use super::rate::RateLimiter;
use super::tls::{self, ByteStream, CLIENT_HELLO};
use super::{ConnectionLimits, Role, ServiceMessage, Tls};
use crate::referee::{ConnectionEvent, ConnectionId};

/// Maximum number of queued outgoing bytes; the connection of a slow reader is closed beyond it.
const LONGEST_QUEUE: usize = 256 * 1024;
/// Maximum duration of a write.
const SLOWEST_WRITE: Duration = Duration::from_secs(20);

/// Time for the final messages to a client that has exceeded a limit.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// Sending half of a connection. When it is dropped, the connection is closed after the queued lines have been sent.
pub(super) struct LineSender {
    lines: UnboundedSender<String>,
    queued: Arc<AtomicUsize>,
    /// Address of the other end; unspecified for a serial line.
    pub(super) address: IpAddr,
}

impl LineSender {
    /// Makes a sender and the receiver for its lines.
    pub(super) fn new(address: IpAddr) -> (LineSender, UnboundedReceiver<String>) {
        let (lines, outgoing) = unbounded_channel();
        (LineSender { lines, queued: Arc::new(AtomicUsize::new(0)), address }, outgoing)
    }

    /// Queues a line; `false` if the queue is full.
    pub(super) fn send(&self, line: &str) -> bool {
        let length = line.len() + 1;
        if self.queued.fetch_add(length, Ordering::Relaxed) + length > LONGEST_QUEUE {
            return false;
        }
        // If the connection is lost, the reading side reports it.
        let _ = self.lines.send(format!("{line}\n"));
        true
    }

    /// Queues complete lines, regardless of the limit.
    pub(super) fn send_all(&self, lines: String) {
        if !lines.is_empty() {
            self.queued.fetch_add(lines.len(), Ordering::Relaxed);
            let _ = self.lines.send(lines);
        }
    }
}

/// Accepts connections and starts a task for each.
pub(super) async fn serve(
    listener: ConnectionListener,
    next: Arc<AtomicU64>,
    role: Role,
    tls: Option<Tls>,
    pulse: Pulse,
) {
    let plain = role.plain_text_answer();
    while let Some(connection) = listener.next().await {
        let id = next.fetch_add(1, Ordering::Relaxed);
        let (output, outgoing) = LineSender::new(connection.address.ip());
        let queued = Arc::clone(&output.queued);
        let opened =
            ServiceMessage::Connected { at: Instant::now(), id, output, address: connection.address, role };
        if listener.service.send(opened).is_err() {
            return;
        }
        let (service, limits) = (listener.service.clone(), listener.limits.clone());
        let task = ConnectionTask { id, outgoing, queued, service, limits, pulse: pulse.clone() };
        tokio::spawn(task.run(connection, tls.clone(), plain.clone()));
    }
}

impl Role {
    /// Returns the reply to a client that does not speak TLS where TLS is required.
    fn plain_text_answer(self) -> Arc<str> {
        match self {
            Role::Client => format!("{}\n", Directive::fault("only TLS is spoken here")).into(),
            Role::Observer => "".into(),
        }
    }
}

struct ConnectionTask {
    id: ConnectionId,
    outgoing: UnboundedReceiver<String>,
    queued: Arc<AtomicUsize>,
    service: Sender<ServiceMessage>,
    limits: ConnectionLimits,
    pulse: Pulse,
}

impl ConnectionTask {
    async fn run(mut self, connection: Connection, tls: Option<Tls>, plain: Arc<str>) {
        let Connection { stream, address, permit } = connection;
        // A move is a small packet that the opponent waits for.
        let _ = stream.set_nodelay(true);
        let _ = platform::notice_dead_peer(&stream);
        match tls::secure(stream, tls.as_ref(), &plain).await {
            Ok(line) => self.transfer(line, tls.is_some()).await,
            // Sending fails only if the service has ended.
            Err(reason) => {
                drop(self.service.send(ServiceMessage::Warning(format!("{address} is refused: {reason}"))));
            }
        }
        self.tell(Instant::now(), ConnectionEvent::Closed(self.id));
        drop(permit);
    }

    async fn transfer(&mut self, mut line: ByteStream, is_secure: bool) {
        let per_second = f64::from(self.limits.lines_per_second.max(1));
        let mut rate = RateLimiter::new(per_second, 2.0 * per_second);
        let mut pending = Vec::with_capacity(1024);
        let mut is_first = !is_secure;
        let mut is_over_limit = false;
        while !is_over_limit {
            tokio::select! {
                biased;
                lines = self.outgoing.recv() => {
                    let Some(lines) = lines else { break };
                    if self.write(&mut line, lines).await.is_err() { break }
                }
                read = line.read_buf(&mut pending) => {
                    let at = Instant::now();
                    self.pulse.feel(at);
                    if !matches!(read, Ok(bytes) if bytes > 0) { break }
                    let is_tls = std::mem::take(&mut is_first) && pending[0] == CLIENT_HELLO;
                    is_over_limit = if is_tls {
                        !self.exceeds(at, "TLS is not spoken here")
                    } else {
                        !self.split_lines(&mut pending, &mut rate, at)
                    };
                }
            }
        }
        if is_over_limit {
            // The final messages tell the client why the connection is closed.
            while let Ok(Some(lines)) = timeout(LAST_WORDS, self.outgoing.recv()).await {
                if self.write(&mut line, lines).await.is_err() {
                    break;
                }
            }
        }
        tls::part(&mut line).await;
    }

    /// Writes a line together with the queued lines behind it.
    async fn write(&mut self, line: &mut ByteStream, mut lines: String) -> io::Result<()> {
        while let Ok(more) = self.outgoing.try_recv() {
            lines.push_str(&more);
        }
        let written = timeout(SLOWEST_WRITE, async {
            line.write_all(lines.as_bytes()).await?;
            line.flush().await
        })
        .await;
        self.queued.fetch_sub(lines.len(), Ordering::Relaxed);
        written.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
    }

    /// Passes on the complete lines that have been read; `false` if the connection has exceeded a limit.
    fn split_lines(&self, pending: &mut Vec<u8>, rate: &mut RateLimiter, at: Instant) -> bool {
        let mut begin = 0;
        while let Some(length) = pending[begin..].iter().position(|&byte| byte == b'\n') {
            let line = &pending[begin..begin + length];
            begin += length + 1;
            if line.len() > self.limits.line {
                return self.exceeds(at, "a record of too many characters");
            }
            if !rate.take(1.0, at) {
                return self.exceeds(at, "too many records at once");
            }
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            let line = String::from_utf8_lossy(line).into_owned();
            if !self.tell(at, ConnectionEvent::Line(self.id, line)) {
                return false;
            }
        }
        pending.drain(..begin);
        pending.len() <= self.limits.line || self.exceeds(at, "a record without end")
    }

    fn exceeds(&self, at: Instant, limit: &'static str) -> bool {
        self.tell(at, ConnectionEvent::LimitExceeded(self.id, limit));
        false
    }

    fn tell(&self, at: Instant, input: ConnectionEvent) -> bool {
        self.service.send(ServiceMessage::Received(at, input)).is_ok()
    }
}

/// Opens a serial line and starts its reading and writing threads.
pub(super) fn open_serial(
    device: &str,
    baud: u32,
    connection: ConnectionId,
    service: Sender<ServiceMessage>,
) -> io::Result<LineSender> {
    let address = PeerAddress::Serial { device: device.into(), baud };
    let output = transport::open(&address, &Security::default(), Duration::ZERO)?;
    let input = output.reader()?;
    let (line_sender, outgoing) = LineSender::new(Ipv4Addr::UNSPECIFIED.into());
    thread::Builder::new().name("serial output".into()).spawn(move || write_serial(output, outgoing))?;
    thread::Builder::new()
        .name("serial input".into())
        .spawn(move || read_serial(input, connection, &service))?;
    Ok(line_sender)
}

fn write_serial(mut port: Transport, mut outgoing: UnboundedReceiver<String>) {
    while let Some(line) = outgoing.blocking_recv() {
        let mut rest = line.as_bytes();
        while !rest.is_empty() {
            match port.write(rest) {
                Ok(written) => rest = &rest[written..],
                Err(error) if matches!(error.kind(), ErrorKind::TimedOut | ErrorKind::Interrupted) => {}
                // The reading thread reports that the line is lost.
                Err(_) => return,
            }
        }
        let _ = port.flush();
    }
}

fn read_serial(port: Transport, connection: ConnectionId, service: &Sender<ServiceMessage>) {
    let mut lines = LineReader::new(port);
    loop {
        let event = match lines.read() {
            Input::Line(line) => ConnectionEvent::Line(connection, line),
            // Noise. The reader finds the start of the next record.
            Input::TooLong(_) => continue,
            Input::End => break,
        };
        if service.send(ServiceMessage::Received(Instant::now(), event)).is_err() {
            return;
        }
    }
    let _ = service.send(ServiceMessage::Received(Instant::now(), ConnectionEvent::Closed(connection)));
}
