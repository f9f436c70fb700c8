//! The listener of the live page, which completes TLS handshakes before it hands connections on.

use std::io;
use std::net::SocketAddr;

use axum::serve::Listener;
use tokio::sync::mpsc::{Receiver, Sender, channel};

use super::listener::ConnectionListener;
use super::tls::{self, ByteStream};
use super::{ServiceMessage, Tls};

/// Response to a browser that does not speak TLS.
const PLAIN: &str = "HTTP/1.1 400 Only https is spoken here\r\nConnection: close\r\nContent-Type: text/plain\r\n\r\n\
    only https is spoken here\n";
/// Maximum number of connections that wait for the page.
const WAITING: usize = 16;

/// Queue of connections with completed handshakes. Each handshake runs in a separate task, so that a slow one delays
/// nobody.
pub(super) struct PageListener {
    address: SocketAddr,
    arrivals: Receiver<(ByteStream, SocketAddr)>,
}

impl PageListener {
    /// Starts to listen. Must be called inside the network's runtime.
    pub(super) fn open(listener: ConnectionListener, tls: Option<Tls>) -> io::Result<PageListener> {
        let (sender, arrivals) = channel(WAITING);
        let address = listener.address()?;
        tokio::spawn(receive(listener, tls, sender));
        Ok(PageListener { address, arrivals })
    }
}

async fn receive(listener: ConnectionListener, tls: Option<Tls>, arrivals: Sender<(ByteStream, SocketAddr)>) {
    while let Some(connection) = listener.next().await {
        let (tls, arrivals, service) = (tls.clone(), arrivals.clone(), listener.service.clone());
        tokio::spawn(async move {
            let address = connection.address;
            // A connection counts towards the limits from before its handshake. Sending fails only if the service has
            // ended.
            match tls::secure(connection.stream, tls.as_ref(), PLAIN).await {
                Ok(line) => drop(arrivals.send((line, address)).await),
                Err(reason) => {
                    drop(service.send(ServiceMessage::Warning(format!("{address} is refused: {reason}"))));
                }
            }
            drop(connection.permit);
        });
    }
}

impl Listener for PageListener {
    type Io = ByteStream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (ByteStream, SocketAddr) {
        match self.arrivals.recv().await {
            Some(arrival) => arrival,
            // The service has ended; there will be no more connections.
            None => std::future::pending().await,
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        Ok(self.address)
    }
}
