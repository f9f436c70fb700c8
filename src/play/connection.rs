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
pub(super) enum RefereeAddress {
    /// A host and a port.
    Network(String),
    /// A device and its speed in bits per second.
    Serial { device: PathBuf, baud: u32 },
}

impl RefereeAddress {
    pub(super) fn network(text: &str) -> Result<RefereeAddress> {
        let port = text.rsplit_once(':').filter(|(host, _)| !host.is_empty());
        ensure!(
            port.is_some_and(|(_, port)| port.parse::<u16>().is_ok()),
            "--referee {}: expected HOST:PORT",
            game::excerpt(text)
        );
        Ok(RefereeAddress::Network(text.to_owned()))
    }
}

impl fmt::Display for RefereeAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RefereeAddress::Network(address) => f.write_str(address),
            RefereeAddress::Serial { device, .. } => device.display().fmt(f),
        }
    }
}

/// How long a host may take to answer, and then to prove who it is.
const TO_CONNECT: Duration = Duration::from_secs(5);
/// How long a read of a serial line waits; then it is tried again.
const SERIAL_WAIT: Duration = Duration::from_millis(200);

/// An open way to a referee. Written to, it sends.
pub(crate) struct RefereeConnection {
    pub(super) address: RefereeAddress,
    line: Transport,
}

enum Transport {
    Network(network::Line),
    Serial(Box<dyn SerialPort>),
}

impl RefereeConnection {
    pub(super) fn open(address: &RefereeAddress, security: &Security) -> io::Result<RefereeConnection> {
        let line = match address {
            RefereeAddress::Network(address) => {
                Transport::Network(network::connect(address, security, TO_CONNECT)?)
            }
            RefereeAddress::Serial { device, baud } => {
                let path = device.to_string_lossy();
                Transport::Serial(serialport::new(path, *baud).timeout(SERIAL_WAIT).open()?)
            }
        };
        Ok(RefereeConnection { address: address.clone(), line })
    }

    /// What can be read from the referee.
    pub(crate) fn reader(&self) -> io::Result<Box<dyn Read + Send>> {
        Ok(match &self.line {
            Transport::Network(line) => Box::new(line.reader()?),
            Transport::Serial(port) => Box::new(BlockingPort(port.try_clone()?)),
        })
    }

    /// Closes the line, for whoever reads it as well.
    pub(super) fn close(self) {
        if let Transport::Network(line) = self.line {
            line.close();
        }
    }
}

impl Write for RefereeConnection {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.line {
            Transport::Network(line) => line.write(bytes),
            Transport::Serial(port) => port.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.line {
            Transport::Network(line) => line.flush(),
            Transport::Serial(port) => port.flush(),
        }
    }
}

/// A serial line on which nothing has come yet is not at its end.
struct BlockingPort(Box<dyn SerialPort>);

impl Read for BlockingPort {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.0.read(buffer) {
                Err(error) if error.kind() == ErrorKind::TimedOut => {}
                other => return other,
            }
        }
    }
}
