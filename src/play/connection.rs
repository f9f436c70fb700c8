//! The way to a referee: over a network or a serial line.

use std::fmt;
use std::io::{self, ErrorKind, Read, Write};
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Result, ensure};
use players::network::{self, Security};
use serialport::SerialPort;

/// Where a referee is.
#[derive(Clone, Debug)]
pub(super) enum Place {
    /// A host and a port.
    Network(String),
    /// A device and its speed in bits per second.
    Serial { device: PathBuf, baud: u32 },
}

impl Place {
    pub(super) fn network(text: &str) -> Result<Place> {
        let port = text.rsplit_once(':').filter(|(host, _)| !host.is_empty());
        ensure!(
            port.is_some_and(|(_, port)| port.parse::<u16>().is_ok()),
            "--referee {}: expected HOST:PORT",
            game::excerpt(text)
        );
        Ok(Place::Network(text.to_owned()))
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Network(address) => f.write_str(address),
            Place::Serial { device, .. } => device.display().fmt(f),
        }
    }
}

/// How long a host may take to answer, and then to prove who it is.
const TO_CONNECT: Duration = Duration::from_secs(5);
/// How long a read of a serial line waits; then it is tried again.
const SERIAL_WAIT: Duration = Duration::from_millis(200);

/// An open way to a referee. Written to, it sends.
pub(crate) struct Connection {
    pub(super) place: Place,
    line: Wire,
}

enum Wire {
    Network(network::Line),
    Serial(Box<dyn SerialPort>),
}

impl Connection {
    pub(super) fn open(place: &Place, security: &Security) -> io::Result<Connection> {
        let line = match place {
            Place::Network(address) => Wire::Network(network::connect(address, security, TO_CONNECT)?),
            Place::Serial { device, baud } => {
                let path = device.to_string_lossy();
                Wire::Serial(serialport::new(path, *baud).timeout(SERIAL_WAIT).open()?)
            }
        };
        Ok(Connection { place: place.clone(), line })
    }

    /// What can be read from the referee.
    pub(crate) fn reader(&self) -> io::Result<Box<dyn Read + Send>> {
        Ok(match &self.line {
            Wire::Network(line) => Box::new(line.reader()?),
            Wire::Serial(port) => Box::new(Patient(port.try_clone()?)),
        })
    }

    /// Closes the line, for whoever reads it as well.
    pub(super) fn close(self) {
        if let Wire::Network(line) = self.line {
            line.close();
        }
    }
}

impl Write for Connection {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.line {
            Wire::Network(line) => line.write(bytes),
            Wire::Serial(port) => port.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.line {
            Wire::Network(line) => line.flush(),
            Wire::Serial(port) => port.flush(),
        }
    }
}

/// A serial line on which nothing has come yet is not at its end.
struct Patient(Box<dyn SerialPort>);

impl Read for Patient {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.0.read(buffer) {
                Err(error) if error.kind() == ErrorKind::TimedOut => {}
                other => return other,
            }
        }
    }
}
