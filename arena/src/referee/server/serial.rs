//! Programs at the other end of a serial line. There are no connections: the line is there, and somebody signs on over it, and
//! again after a restart.

use std::io::{self, ErrorKind, Read, Write as _};
use std::sync::mpsc::Sender;
use std::thread;
use std::time::{Duration, Instant};

use serialport::SerialPort;
use tokio::sync::mpsc::UnboundedReceiver;

use super::ServiceMessage;
use super::connection::LineSender;
use crate::referee::{ConnectionEvent, ConnectionId};

/// How long a read waits; then it is tried again.
const PATIENCE: Duration = Duration::from_millis(200);

/// Opens a line and starts the threads that read and write it.
pub(super) fn open(
    device: &str,
    baud: u32,
    limit: usize,
    connection: ConnectionId,
    service: Sender<ServiceMessage>,
) -> io::Result<LineSender> {
    let port = serialport::new(device, baud).timeout(PATIENCE).open()?;
    let output = port.try_clone()?;
    let (line_sender, outgoing) = LineSender::new();
    thread::Builder::new().name("serial output".into()).spawn(move || write(output, outgoing))?;
    thread::Builder::new()
        .name("serial input".into())
        .spawn(move || read(port, limit, connection, &service))?;
    Ok(line_sender)
}

fn write(mut port: Box<dyn SerialPort>, mut outgoing: UnboundedReceiver<String>) {
    while let Some(line) = outgoing.blocking_recv() {
        let mut rest = line.as_bytes();
        while !rest.is_empty() {
            match port.write(rest) {
                Ok(written) => rest = &rest[written..],
                Err(error) if matches!(error.kind(), ErrorKind::TimedOut | ErrorKind::Interrupted) => {}
                // The reading side tells that the line is gone.
                Err(_) => return,
            }
        }
        let _ = port.flush();
    }
}

fn read(
    mut port: Box<dyn SerialPort>,
    limit: usize,
    connection: ConnectionId,
    service: &Sender<ServiceMessage>,
) {
    let (mut pending, mut chunk) = (Vec::new(), [0; 1024]);
    loop {
        match port.read(&mut chunk) {
            Ok(read) => pending.extend_from_slice(&chunk[..read]),
            Err(error) if matches!(error.kind(), ErrorKind::TimedOut | ErrorKind::Interrupted) => {}
            Err(_) => break,
        }
        let at = Instant::now();
        while let Some(end) = pending.iter().position(|&byte| byte == b'\n') {
            let line = String::from_utf8_lossy(&pending[..end]).trim_end_matches('\r').to_owned();
            pending.drain(..=end);
            if service.send(ServiceMessage::Received(at, ConnectionEvent::Line(connection, line))).is_err() {
                return;
            }
        }
        if pending.len() > limit {
            // Noise: where the next record begins will show.
            pending.clear();
        }
    }
    let _ = service.send(ServiceMessage::Received(Instant::now(), ConnectionEvent::Closed(connection)));
}
