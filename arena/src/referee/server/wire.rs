//! Connections: bytes come in and go out here, within limits.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::timeout;

use super::{Call, Limits, Role};
use crate::referee::{Connection, Input};

/// So much may wait to be sent to somebody who doesn't read, in bytes; then the connection is closed.
const LONGEST_QUEUE: usize = 256 * 1024;
/// So long may it take to send something.
const SLOWEST_WRITE: Duration = Duration::from_secs(20);

/// So long a connection that we close may stay half open.
const LAST_WORDS: Duration = Duration::from_millis(500);
/// So many times 4096 bytes are read then.
const MOST_PASSED_OVER: usize = 256;

/// The way to whoever is at the other end of a connection. Dropped, it closes the connection after what was sent.
pub(super) struct Writer {
    lines: UnboundedSender<String>,
    queued: Arc<AtomicUsize>,
}

impl Writer {
    /// A way, and its other end.
    pub(super) fn new() -> (Writer, UnboundedReceiver<String>) {
        let (lines, outgoing) = unbounded_channel();
        (Writer { lines, queued: Arc::new(AtomicUsize::new(0)) }, outgoing)
    }

    /// Sends a line; `false` if too much waits already.
    pub(super) fn send(&self, line: &str) -> bool {
        let length = line.len() + 1;
        if self.queued.fetch_add(length, Ordering::Relaxed) + length > LONGEST_QUEUE {
            return false;
        }
        // Who is gone is told of by the reading side.
        let _ = self.lines.send(format!("{line}\n"));
        true
    }

    /// Sends whole lines, however much waits.
    pub(super) fn send_all(&self, lines: String) {
        if !lines.is_empty() {
            self.queued.fetch_add(lines.len(), Ordering::Relaxed);
            let _ = self.lines.send(lines);
        }
    }
}

/// How many connections there are, in all and from each address.
#[derive(Clone, Default)]
pub(super) struct Census(Arc<Mutex<HashMap<IpAddr, usize>>>);

/// A place in the census; given back when dropped.
struct Place {
    census: Census,
    address: IpAddr,
}

impl Census {
    fn enter(&self, address: IpAddr, limits: &Limits) -> Option<Place> {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (all, here) = (counts.values().sum::<usize>(), counts.get(&address).copied().unwrap_or(0));
        if all >= limits.connections || here >= limits.per_address {
            return None;
        }
        *counts.entry(address).or_default() += 1;
        Some(Place { census: self.clone(), address })
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).values().sum()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut counts = self.census.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = counts.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.address);
            }
        }
    }
}

/// So many connections may wait to be taken, where the system allows as many: after the death of a referee all come at once.
const WAITING_ROOM: u32 = 4096;

/// Listens at an address. To be called inside the network's runtime.
pub(super) fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // Connections of a referee that has died don't keep its successor from listening.
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(WAITING_ROOM)
}

/// Takes connections in as they come.
pub(super) async fn accept(
    listener: TcpListener,
    calls: Sender<Call>,
    limits: Limits,
    census: Census,
    next: Arc<AtomicU64>,
    role: Role,
) {
    loop {
        let (stream, address) = match listener.accept().await {
            Ok(accepted) => accepted,
            Err(error) => {
                // Such as too many open files: it passes.
                if calls.send(Call::Trouble(format!("a connection could not be taken: {error}"))).is_err() {
                    return;
                }
                tokio::time::sleep(Duration::from_millis(100)).await;
                continue;
            }
        };
        let Some(place) = census.enter(address.ip(), &limits) else {
            if calls.send(Call::Trouble(format!("too many connections: {address} is turned away"))).is_err() {
                return;
            }
            continue;
        };
        let connection = next.fetch_add(1, Ordering::Relaxed);
        let (writer, outgoing) = Writer::new();
        let queued = Arc::clone(&writer.queued);
        if calls.send(Call::Opened { at: Instant::now(), connection, writer, address, role }).is_err() {
            return;
        }
        let wire =
            Wire { connection, stream, outgoing, queued, calls: calls.clone(), limits: limits.clone() };
        tokio::spawn(async move {
            wire.carry().await;
            drop(place);
        });
    }
}

struct Wire {
    connection: Connection,
    stream: TcpStream,
    outgoing: UnboundedReceiver<String>,
    queued: Arc<AtomicUsize>,
    calls: Sender<Call>,
    limits: Limits,
}

impl Wire {
    async fn carry(mut self) {
        // A move is a small packet that somebody waits for.
        let _ = self.stream.set_nodelay(true);
        let mut allowance = Allowance::new(&self.limits);
        let mut pending = Vec::with_capacity(1024);
        let mut is_unbearable = false;
        loop {
            tokio::select! {
                biased;
                line = self.outgoing.recv() => {
                    let Some(line) = line else { break };
                    if self.write(line).await.is_err() { break }
                }
                read = self.stream.read_buf(&mut pending) => {
                    let at = Instant::now();
                    if !matches!(read, Ok(bytes) if bytes > 0) { break }
                    if !self.cut(&mut pending, &mut allowance, at) {
                        is_unbearable = true;
                        break;
                    }
                }
            }
        }
        if is_unbearable {
            // So that the other side learns why it is sent away.
            while let Ok(Some(line)) = timeout(LAST_WORDS, self.outgoing.recv()).await {
                if self.write(line).await.is_err() {
                    break;
                }
            }
        }
        let _ = self.stream.shutdown().await;
        // Closed with something unread, the connection would be reset, and the last words lost.
        let _ = timeout(LAST_WORDS, self.pass_over()).await;
        self.tell(Instant::now(), Input::Closed(self.connection));
    }

    /// Reads what nobody wants to know, up to the end.
    async fn pass_over(&mut self) {
        let mut rest = [0; 4096];
        for _ in 0..MOST_PASSED_OVER {
            if !matches!(self.stream.read(&mut rest).await, Ok(bytes) if bytes > 0) {
                return;
            }
        }
    }

    /// Writes a line and those that wait behind it, in one piece.
    async fn write(&mut self, mut lines: String) -> io::Result<()> {
        while let Ok(line) = self.outgoing.try_recv() {
            lines.push_str(&line);
        }
        let written = timeout(SLOWEST_WRITE, self.stream.write_all(lines.as_bytes())).await;
        self.queued.fetch_sub(lines.len(), Ordering::Relaxed);
        written.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
    }

    /// Hands on the whole lines that have been read; `false` if the connection is unbearable.
    fn cut(&self, pending: &mut Vec<u8>, allowance: &mut Allowance, at: Instant) -> bool {
        let mut begin = 0;
        while let Some(length) = pending[begin..].iter().position(|&byte| byte == b'\n') {
            let line = &pending[begin..begin + length];
            begin += length + 1;
            if line.len() > self.limits.line {
                return self.unbearable(at, "a record of too many characters");
            }
            if !allowance.take(at) {
                return self.unbearable(at, "too many records at once");
            }
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            let line = String::from_utf8_lossy(line).into_owned();
            if !self.tell(at, Input::Line(self.connection, line)) {
                return false;
            }
        }
        pending.drain(..begin);
        pending.len() <= self.limits.line || self.unbearable(at, "a record without end")
    }

    fn unbearable(&self, at: Instant, limit: &'static str) -> bool {
        self.tell(at, Input::Unbearable(self.connection, limit));
        false
    }

    fn tell(&self, at: Instant, input: Input) -> bool {
        self.calls.send(Call::Heard(at, input)).is_ok()
    }
}

/// How many lines may still come.
struct Allowance {
    left: f64,
    per_second: f64,
    since: Instant,
}

impl Allowance {
    fn new(limits: &Limits) -> Allowance {
        let per_second = f64::from(limits.lines_per_second.max(1));
        Allowance { left: 2.0 * per_second, per_second, since: Instant::now() }
    }

    fn take(&mut self, at: Instant) -> bool {
        let passed = at.saturating_duration_since(self.since).as_secs_f64();
        self.since = at;
        self.left = (self.left + passed * self.per_second).min(2.0 * self.per_second) - 1.0;
        self.left >= 0.0
    }
}
