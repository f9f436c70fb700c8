//! Programs on serial lines. A line has no connections: it is always open, and a program signs on over it, again after
//! a restart.

use std::io::{self, ErrorKind, Write as _};
use std::sync::mpsc::Sender;
use std::thread;
use std::time::{Duration, Instant};

use messages::input::{Input, LineReader};
use players::transport::{self, PeerAddress, Security, Transport};
use tokio::sync::mpsc::UnboundedReceiver;

use super::{LineSender, ServiceMessage};
use crate::referee::{ConnectionEvent, ConnectionId};

/// Opens a serial line and starts its reading and writing threads.
pub(super) fn open(
    device: &str,
    baud: u32,
    connection: ConnectionId,
    service: Sender<ServiceMessage>,
) -> io::Result<LineSender> {
    let address = PeerAddress::Serial { device: device.into(), baud };
    let output = transport::open(&address, &Security::default(), Duration::ZERO)?;
    let input = output.reader()?;
    let (line_sender, outgoing) = LineSender::new();
    thread::Builder::new().name("serial output".into()).spawn(move || write(output, outgoing))?;
    thread::Builder::new().name("serial input".into()).spawn(move || read(input, connection, &service))?;
    Ok(line_sender)
}

fn write(mut port: Transport, mut outgoing: UnboundedReceiver<String>) {
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

fn read(port: Transport, connection: ConnectionId, service: &Sender<ServiceMessage>) {
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
