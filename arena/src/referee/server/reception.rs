//! Those who come to the page over TLS, after their handshakes.

use std::io;
use std::net::SocketAddr;

use axum::serve::Listener;
use tokio::sync::mpsc::{Receiver, Sender, channel};

use super::door::Door;
use super::tls::{self, Line};
use super::{Call, Tls};

/// What a browser is told that doesn't speak TLS.
const PLAIN: &str = "HTTP/1.1 400 Only https is spoken here\r\nConnection: close\r\nContent-Type: text/plain\r\n\r\n\
    only https is spoken here\n";
/// So many may be waiting for the page.
const WAITING: usize = 16;

/// Where finished handshakes wait. Each is made in a task of its own, so that nobody waits for a slow one.
pub(super) struct Reception {
    address: SocketAddr,
    arrivals: Receiver<(Line, SocketAddr)>,
}

impl Reception {
    /// To be called inside the network's runtime.
    pub(super) fn open(door: Door, tls: Tls) -> io::Result<Reception> {
        let (sender, arrivals) = channel(WAITING);
        let address = door.address()?;
        tokio::spawn(receive(door, tls, sender));
        Ok(Reception { address, arrivals })
    }
}

async fn receive(door: Door, tls: Tls, arrivals: Sender<(Line, SocketAddr)>) {
    while let Some(visitor) = door.next().await {
        let (tls, arrivals, calls) = (tls.clone(), arrivals.clone(), door.calls.clone());
        tokio::spawn(async move {
            let address = visitor.address;
            // Whoever is shaking hands counts as a connection. Nobody is left to be told anything, if the service has ended.
            match tls::secure(visitor.stream, Some(&tls), PLAIN).await {
                Ok(line) => drop(arrivals.send((line, address)).await),
                Err(reason) => drop(calls.send(Call::Trouble(format!("{address} is refused: {reason}")))),
            }
            drop(visitor.place);
        });
    }
}

impl Listener for Reception {
    type Io = Line;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Line, SocketAddr) {
        match self.arrivals.recv().await {
            Some(arrival) => arrival,
            // The service has ended, and nobody will come.
            None => std::future::pending().await,
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        Ok(self.address)
    }
}
