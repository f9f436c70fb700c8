//! The way in: who comes, and how many may.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::net::{TcpListener, TcpSocket, TcpStream};

use super::{ServiceMessage, Tls};

/// Where a referee listens, and how.
#[derive(Clone)]
pub struct ListenConfig {
    /// The address for clients.
    pub address: SocketAddr,
    /// What connections may do.
    pub limits: ConnectionLimits,
    /// What it proves itself with; without, everything is plain text.
    pub tls: Option<Tls>,
}

/// What connections may do.
#[derive(Clone, Debug)]
pub struct ConnectionLimits {
    /// How many there may be.
    pub connections: usize,
    /// How many from one address.
    pub per_address: usize,
    /// The longest line, in bytes.
    pub line: usize,
    /// Lines in a second, over some seconds.
    pub lines_per_second: u32,
}

impl Default for ConnectionLimits {
    fn default() -> ConnectionLimits {
        ConnectionLimits { connections: 4096, per_address: 64, line: 16 * 1024, lines_per_second: 200 }
    }
}

/// A permit for each address; its clones are the connections from there.
#[derive(Clone, Default)]
pub(super) struct ConnectionLimiter(Arc<Mutex<HashMap<IpAddr, ConnectionPermit>>>);

/// Counts as a connection until it is dropped.
pub(super) type ConnectionPermit = Arc<()>;

impl ConnectionLimiter {
    fn enter(&self, address: IpAddr, limits: &ConnectionLimits) -> Option<ConnectionPermit> {
        let all = self.count();
        let mut permits = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        permits.retain(|_, permit| Arc::strong_count(permit) > 1);
        let permit = permits.entry(address).or_default();
        let is_free = all < limits.connections && Arc::strong_count(permit) <= limits.per_address;
        is_free.then(|| Arc::clone(permit))
    }

    /// How many connections there are.
    pub(super) fn count(&self) -> usize {
        let permits = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        permits.values().map(|permit| Arc::strong_count(permit) - 1).sum()
    }
}

/// So many connections may wait to be taken, where the system allows as many: after the death of a referee all come at once.
const BACKLOG: u32 = 4096;

/// Where connections are taken in, within limits.
pub(super) struct ConnectionListener {
    listener: TcpListener,
    pub(super) service: Sender<ServiceMessage>,
    pub(super) limits: ConnectionLimits,
    limiter: ConnectionLimiter,
}

/// Somebody at the listener.
pub(super) struct Connection {
    pub(super) stream: TcpStream,
    pub(super) address: SocketAddr,
    /// Kept as long as the connection counts.
    pub(super) permit: ConnectionPermit,
}

impl ConnectionListener {
    /// Listens at an address. To be called inside the network's runtime.
    pub(super) fn open(
        address: SocketAddr,
        service: Sender<ServiceMessage>,
        limits: ConnectionLimits,
        limiter: ConnectionLimiter,
    ) -> io::Result<ConnectionListener> {
        let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
        // Connections of a referee that has died don't keep its successor from listening.
        socket.set_reuseaddr(true)?;
        socket.bind(address)?;
        Ok(ConnectionListener { listener: socket.listen(BACKLOG)?, service, limits, limiter })
    }

    /// Where it listens.
    pub(super) fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// The next connection; `None` if the service has ended.
    pub(super) async fn next(&self) -> Option<Connection> {
        loop {
            match self.listener.accept().await {
                Ok((stream, address)) => match self.limiter.enter(address.ip(), &self.limits) {
                    Some(permit) => return Some(Connection { stream, address, permit }),
                    None => self.tell(format!("too many connections: {address} is turned away"))?,
                },
                Err(error) => {
                    // Such as too many open files: it passes.
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
