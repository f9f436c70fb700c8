//! TLS of the referee, for clients, observers and the live page.
//!
//! The task of a connection makes the handshake, and the connection counts towards the limits from the beginning. Only
//! this module and the listener of the page know of TLS.

use std::io::ErrorKind;
use std::path::Path;
use std::time::Duration;

use players::transport::{Security, TlsError, certificates, server_config};
use rustls::pki_types::CertificateDer;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;

/// The referee's certificate and key. With them, all its addresses accept TLS 1.3 only.
#[derive(Clone)]
pub struct Tls {
    acceptor: TlsAcceptor,
    certificate: CertificateDer<'static>,
}

impl Tls {
    /// Reads a certificate with its intermediate certificates, and its private key, from PEM files.
    ///
    /// # Errors
    /// As for [`server_config`].
    pub fn read(certificate: &Path, key: &Path) -> Result<Tls, TlsError> {
        let config = server_config(certificate, key)?;
        let own = certificates(certificate)?.swap_remove(0);
        Ok(Tls { acceptor: TlsAcceptor::from(config), certificate: own })
    }

    /// Returns the client configuration for programs that the referee starts itself.
    ///
    /// # Errors
    /// TLS cannot be used.
    pub fn security(&self) -> Result<Security, TlsError> {
        Security::pinned(self.certificate.clone())
    }
}

/// A bidirectional byte stream.
pub(super) trait Duplex: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Duplex for T {}

/// A connection, with or without TLS.
pub(super) type ByteStream = Box<dyn Duplex>;

/// Maximum duration of a handshake.
const HANDSHAKE: Duration = Duration::from_secs(5);
/// First byte of a TLS client: the type of a handshake record (RFC 8446, 5.1).
pub(super) const CLIENT_HELLO: u8 = 22;

/// Time that a connection may stay half open after we have closed our side.
const LAST_WORDS: Duration = Duration::from_millis(500);
/// Number of blocks of 4096 bytes that are read and discarded in that time.
const MOST_PASSED_OVER: usize = 256;

/// Makes the TLS handshake, if the referee has a certificate. A client that does not speak TLS is sent `plain`. The
/// error says why there is no connection.
pub(super) async fn secure(stream: TcpStream, tls: Option<&Tls>, plain: &str) -> Result<ByteStream, String> {
    let Some(tls) = tls else { return Ok(Box::new(stream)) };
    let shaken = timeout(HANDSHAKE, Box::pin(shake_hands(stream, tls, plain))).await;
    shaken.unwrap_or_else(|_| Err(format!("no TLS handshake in {} s", HANDSHAKE.as_secs())))
}

async fn shake_hands(mut stream: TcpStream, tls: &Tls, plain: &str) -> Result<ByteStream, String> {
    let mut first = [0];
    match stream.peek(&mut first).await {
        Ok(1) if first == [CLIENT_HELLO] => {}
        Ok(1) => {
            // The client may already have disconnected.
            let _ = stream.write_all(plain.as_bytes()).await;
            part(&mut stream).await;
            return Err("it does not speak TLS".to_owned());
        }
        Ok(_) => return Err("it hung up before the TLS handshake".to_owned()),
        Err(error) => return Err(error.to_string()),
    }
    match tls.acceptor.accept(stream).await {
        Ok(line) => Ok(Box::new(line)),
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => {
            Err("it hung up in the TLS handshake".to_owned())
        }
        Err(error) => Err(error.to_string()),
    }
}

/// Closes a connection after the last line was written. Remaining input is read first: a connection closed with unread
/// input is reset, and the last line would be lost.
pub(super) async fn part(line: &mut (impl AsyncRead + AsyncWrite + Unpin)) {
    let _ = timeout(LAST_WORDS, line.shutdown()).await;
    let _ = timeout(LAST_WORDS, pass_over(line)).await;
}

/// Reads and discards the input up to its end.
async fn pass_over(line: &mut (impl AsyncRead + Unpin)) {
    let mut rest = [0; 4096];
    for _ in 0..MOST_PASSED_OVER {
        if !matches!(line.read(&mut rest).await, Ok(bytes) if bytes > 0) {
            return;
        }
    }
}
