use std::fs;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rcgen::{BasicConstraints, CertificateParams, CertifiedKey, IsCa, KeyPair};
use rustls::crypto::ring;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use tempfile::TempDir;

use super::*;

const PATIENCE: Duration = Duration::from_secs(20);

type Served = StreamOwned<ServerConnection, TcpStream>;

/// A certificate for these names, its file, and a server that has it.
struct Server {
    folder: TempDir,
    certificate: CertificateDer<'static>,
    config: Arc<ServerConfig>,
}

impl Server {
    fn new(names: &[&str]) -> Server {
        let names: Vec<String> = names.iter().map(ToString::to_string).collect();
        let CertifiedKey { cert, signing_key } = rcgen::generate_simple_self_signed(names).expect("made");
        Server::with(&cert, &signing_key)
    }

    fn with(certificate: &rcgen::Certificate, key: &KeyPair) -> Server {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("certificate"), certificate.pem()).expect("written");
        let key = PrivateKeyDer::try_from(key.serialize_der()).expect("a key");
        let certificate = certificate.der().clone();
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .and_then(|builder| {
                builder.with_no_client_auth().with_single_cert(vec![certificate.clone()], key)
            })
            .expect("a configuration");
        Server { folder, certificate, config: Arc::new(config) }
    }

    fn authority(&self) -> PathBuf {
        self.folder.path().join("certificate")
    }

    fn trusted(&self) -> Security {
        Security::new(false, Some(&self.authority())).expect("an authority")
    }

    /// Serves one connection.
    fn serve(&self, work: fn(Served) -> io::Result<()>) -> (SocketAddr, JoinHandle<io::Result<()>>) {
        let config = Arc::clone(&self.config);
        plain(move |stream| {
            let session = ServerConnection::new(config).expect("a session");
            work(StreamOwned::new(session, stream))
        })
    }
}

/// Serves one connection, whatever is spoken on it.
fn plain(
    work: impl FnOnce(TcpStream) -> io::Result<()> + Send + 'static,
) -> (SocketAddr, JoinHandle<io::Result<()>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    (address, thread::spawn(move || work(listener.accept()?.0)))
}

fn refused(address: &str, security: &Security) -> io::Error {
    connect(address, security, PATIENCE).err().expect("refused")
}

/// The bytes that are sent: so many that no system keeps them all.
fn bytes(seed: u8) -> Vec<u8> {
    (0..16_000_000_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8 ^ seed).collect()
}

#[test]
fn who_reads_and_who_writes_do_not_wait_for_each_other() {
    // Neither side is heard before all that it has to hear is on its way.
    fn talk_first(mut client: Served) -> io::Result<()> {
        client.write_all(&bytes(1))?;
        client.flush()?;
        let mut heard = vec![0; bytes(2).len()];
        client.read_exact(&mut heard)?;
        assert!(heard == bytes(2), "what came is not what was sent");
        client.conn.send_close_notify();
        client.flush()
    }
    let server = Server::new(&["127.0.0.1"]);
    let (address, done) = server.serve(talk_first);
    let mut line = connect(&address.to_string(), &server.trusted(), PATIENCE).expect("connected");
    let mut reader = line.reader().expect("a reader");
    let reading = thread::spawn(move || {
        let mut heard = Vec::new();
        reader.read_to_end(&mut heard).map(|_| heard)
    });
    line.write_all(&bytes(2)).expect("sent");
    done.join().expect("no panic").expect("served");
    assert!(
        reading.join().expect("no panic").expect("a clean end") == bytes(1),
        "what came is not what was sent"
    );
    line.close();
}

#[test]
fn a_read_can_time_out_and_goes_on_where_it_was() {
    fn in_two_parts(mut client: Served) -> io::Result<()> {
        client.write_all(b"one ")?;
        client.flush()?;
        let mut word = [0; 2];
        client.read_exact(&mut word)?;
        client.write_all(b"two\n")?;
        client.flush()?;
        // Cut without a word.
        Ok(())
    }
    let server = Server::new(&["127.0.0.1"]);
    let (address, done) = server.serve(in_two_parts);
    let mut line = connect(&address.to_string(), &server.trusted(), PATIENCE).expect("connected");
    let mut reader = line.reader().expect("a reader").with_timeout(Some(Duration::from_millis(20)));
    let (mut heard, mut end) = (Vec::new(), None);
    let mut has_waited = false;
    while end.is_none() {
        match reader.read_to_end(&mut heard) {
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                if heard == b"one " && !std::mem::replace(&mut has_waited, true) {
                    line.write_all(b"go").expect("sent");
                }
            }
            other => end = Some(other),
        }
    }
    done.join().expect("no panic").expect("served");
    assert!(has_waited && heard == b"one two\n");
    // A line that was cut is no end that the other side has told.
    assert_eq!(end.and_then(Result::err).map(|error| error.kind()), Some(ErrorKind::UnexpectedEof));
}

#[test]
fn nobody_is_believed_without_a_proof() {
    fn hang_up(mut client: Served) -> io::Result<()> {
        client.read_exact(&mut [0])
    }
    let (server, other) = (Server::new(&["127.0.0.1"]), Server::new(&["127.0.0.1"]));
    let elsewhere = Server::new(&["chess.example"]);
    let pinned = Security::pinned(other.certificate.clone()).expect("TLS");
    for (server, security, expected) in [
        (&server, &other.trusted(), "no authority that is trusted"),
        (&elsewhere, &elsewhere.trusted(), "not valid for name \"127.0.0.1\""),
        (&server, &pinned, "invalid peer certificate"),
    ] {
        let (address, done) = server.serve(hang_up);
        let error = refused(&address.to_string(), security);
        assert!(error.kind() == ErrorKind::InvalidData && error.to_string().contains(expected), "{error}");
        let heard = done.join().expect("no panic").expect_err("it hears why").to_string();
        assert!(heard.contains("alert"), "{heard}");
    }
    // Who knows the certificate doesn't ask for the name.
    let (address, _) = elsewhere.serve(hang_up);
    let pinned = Security::pinned(elsewhere.certificate.clone()).expect("TLS");
    assert!(connect(&address.to_string(), &pinned, PATIENCE).is_ok());
}

#[test]
fn an_authority_s_own_certificate_is_told_from_others() {
    let mut params = CertificateParams::new(vec!["127.0.0.1".to_owned()]).expect("a name");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let key = KeyPair::generate().expect("a key");
    let server = Server::with(&params.self_signed(&key).expect("signed"), &key);
    let (address, _) = server.serve(|mut client| client.read_exact(&mut [0]));
    let error = refused(&address.to_string(), &server.trusted()).to_string();
    assert!(error.contains("CA:TRUE"), "{error}");
}

#[test]
fn what_is_no_tls_is_told_and_nobody_waits_for_ever() {
    let trusted = Server::new(&["127.0.0.1"]).trusted();
    let (address, _) = plain(|mut stream| {
        stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n")?;
        stream.read_exact(&mut [0; 4096])
    });
    let error = refused(&address.to_string(), &trusted);
    assert!(
        error.kind() == ErrorKind::InvalidData && error.to_string().contains("does not speak TLS"),
        "{error}"
    );
    let (address, _) = plain(|mut stream| stream.read(&mut [0; 4096]).map(drop));
    assert!(refused(&address.to_string(), &trusted).to_string().contains("hung up"));
    // One byte now and then is no handshake either.
    let (address, _) = plain(|mut stream| {
        stream.write_all(b"\x16\x03\x03\x40\x00")?;
        loop {
            stream.write_all(b"\x00")?;
            thread::sleep(Duration::from_millis(20));
        }
    });
    let began = Instant::now();
    let error = connect(&address.to_string(), &trusted, Duration::from_millis(200)).err().expect("refused");
    assert!(began.elapsed() < PATIENCE && error.kind() == ErrorKind::TimedOut, "{error}");
}

#[test]
fn files_without_certificates_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("no.pem");
    let told = |path: &std::path::Path| Security::new(true, Some(path)).expect_err("unfit").to_string();
    assert!(told(&path).contains("no.pem cannot be read"), "{}", told(&path));
    for (text, expected) in [
        ("", "expected certificates in PEM"),
        ("-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----\n", "no.pem cannot be read"),
        (
            "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
            "no.pem: invalid peer certificate",
        ),
    ] {
        fs::write(&path, text).expect("written");
        assert!(told(&path).contains(expected), "{}", told(&path));
    }
    let nobody = refused("two words:1", &Server::new(&["a"]).trusted());
    assert_eq!(nobody.kind(), ErrorKind::InvalidInput);
}
