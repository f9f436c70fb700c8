//! The listener: accepts connections and limits their number.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::net::{TcpListener, TcpSocket, TcpStream};

use super::rate::RateLimiter;
use super::{ServiceMessage, Tls};
use crate::referee::guesses::network;

/// Configuration of a referee's listener.
#[derive(Clone)]
pub struct ListenConfig {
    /// Address for clients.
    pub address: SocketAddr,
    /// Limits of connections.
    pub limits: ConnectionLimits,
    /// Certificate of the referee; without one, connections are in plain text.
    pub tls: Option<Tls>,
}

/// Limits of connections.
#[derive(Clone, Debug)]
pub struct ConnectionLimits {
    /// Maximum number of connections.
    pub connections: usize,
    /// Maximum number of connections from one address. So many may come at once, four times, and then a quarter of the
    /// number in a second.
    pub per_address: usize,
    /// Maximum length of a line, in bytes.
    pub line: usize,
    /// Maximum number of lines per second, averaged over some seconds.
    pub lines_per_second: u32,
}

impl Default for ConnectionLimits {
    fn default() -> ConnectionLimits {
        ConnectionLimits { connections: 4096, per_address: 64, line: 16 * 1024, lines_per_second: 200 }
    }
}

/// What each address has: see [`network`] for what counts as one.
#[derive(Clone, Default)]
pub(super) struct ConnectionLimiter(Arc<Mutex<HashMap<IpAddr, Arrivals>>>);

/// The connections from an address. The clones of the permit are those that are open.
struct Arrivals {
    permit: ConnectionPermit,
    rate: RateLimiter,
}

/// Counts as a connection until it is dropped.
pub(super) type ConnectionPermit = Arc<()>;

impl ConnectionLimiter {
    fn enter(&self, address: IpAddr, limits: &ConnectionLimits, at: Instant) -> Option<ConnectionPermit> {
        let all = self.count();
        let mut arrivals = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if arrivals.len() > limits.connections {
            arrivals.retain(|_, one| Arc::strong_count(&one.permit) > 1 || !one.rate.is_full(at));
        }
        let burst = 4.0 * limits.per_address as f64;
        let one = arrivals.entry(network(address)).or_insert_with(|| Arrivals {
            permit: ConnectionPermit::default(),
            rate: RateLimiter::new(burst / 16.0, burst),
        });
        let is_free = all < limits.connections && Arc::strong_count(&one.permit) <= limits.per_address;
        (is_free && one.rate.take(1.0, at)).then(|| Arc::clone(&one.permit))
    }

    /// Returns the number of connections.
    pub(super) fn count(&self) -> usize {
        let arrivals = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        arrivals.values().map(|one| Arc::strong_count(&one.permit) - 1).sum()
    }
}

/// Maximum number of connections that wait to be accepted, where the system allows as many. After the death of a
/// referee all clients reconnect at once.
const BACKLOG: u32 = 4096;

/// A TCP listener that limits the number of connections.
pub(super) struct ConnectionListener {
    listener: TcpListener,
    /// The local address.
    pub(super) address: SocketAddr,
    pub(super) service: Sender<ServiceMessage>,
    pub(super) limits: ConnectionLimits,
    limiter: ConnectionLimiter,
}

/// An accepted connection.
pub(super) struct Connection {
    pub(super) stream: TcpStream,
    pub(super) address: SocketAddr,
    /// Counts the connection until it is dropped.
    pub(super) permit: ConnectionPermit,
}

impl ConnectionListener {
    /// Listens at an address. Must be called inside the network's runtime.
    pub(super) fn open(
        address: SocketAddr,
        service: Sender<ServiceMessage>,
        limits: ConnectionLimits,
        limiter: ConnectionLimiter,
    ) -> io::Result<ConnectionListener> {
        let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
        // Connections of a dead referee must not keep its successor from listening.
        socket.set_reuseaddr(true)?;
        socket.bind(address)?;
        let listener = socket.listen(BACKLOG)?;
        Ok(ConnectionListener { address: listener.local_addr()?, listener, service, limits, limiter })
    }

    /// Accepts the next connection; `None` if the service has ended.
    pub(super) async fn next(&self) -> Option<Connection> {
        loop {
            match self.listener.accept().await {
                Ok((stream, address)) => {
                    match self.limiter.enter(address.ip(), &self.limits, Instant::now()) {
                        Some(permit) => return Some(Connection { stream, address, permit }),
                        None => self.tell(format!("too many connections: {address} is turned away"))?,
                    }
                }
                Err(error) => {
                    // The error may be temporary, such as too many open files.
                    self.tell(format!("a connection could not be taken: {error}"))?;
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            }
        }
    }

    fn tell(&self, trouble: String) -> Option<()> {
        self.service.send(ServiceMessage::Warning(trouble)).ok()
    }
}
