//! The identity of who accepts connections.

use std::io;
use std::path::Path;
use std::sync::Arc;

use rustls::client::verify_server_cert_signed_by_trust_anchor as verify;
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, Connection, Error, RootCertStore, ServerConfig, ServerConnection};

use super::security::{TlsError, certificates};

/// The certificate of a server: none (the default), or one that is shown over TLS 1.3.
#[derive(Clone, Default)]
pub struct ServerSecurity(Option<Arc<ServerConfig>>);

impl ServerSecurity {
    /// Reads a certificate with its intermediate certificates, and its private key, from PEM files.
    ///
    /// # Errors
    /// As for [`server_config`].
    pub fn read(certificate: &Path, key: &Path) -> Result<ServerSecurity, TlsError> {
        server_config(certificate, key).map(|config| ServerSecurity(Some(config)))
    }

    /// Starts a TLS session with a client; `None` without TLS.
    pub(super) fn session(&self) -> io::Result<Option<Connection>> {
        let Some(config) = &self.0 else { return Ok(None) };
        let session = ServerConnection::new(Arc::clone(config)).map_err(io::Error::other)?;
        Ok(Some(session.into()))
    }
}

/// Reads a certificate with its intermediate certificates, and its private key, from PEM files.
///
/// # Errors
/// A file cannot be read, the key does not belong to the certificate, or no client would accept the certificate today.
pub fn server_config(certificate: &Path, key: &Path) -> Result<Arc<ServerConfig>, TlsError> {
    let chain = certificates(certificate)?;
    let provider = ring::default_provider();
    check(&chain, &provider).map_err(|error| TlsError::unfit(certificate, &error))?;
    let secret = PrivateKeyDer::from_pem_file(key)
        .map_err(|error| TlsError::reading(key, "a private key without a password", error))?;
    let config = ServerConfig::builder_with_provider(Arc::new(provider))
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(chain, secret)
        .map_err(|error| TlsError::unfit(key, &error))?;
    Ok(Arc::new(config))
}

/// Verifies a certificate as a client would that trusts all certificates in the file. The server need not know the certificate
/// authority.
fn check(chain: &[CertificateDer<'static>], provider: &CryptoProvider) -> Result<(), Error> {
    let mut trusted = RootCertStore::empty();
    for certificate in chain {
        trusted.add(certificate.clone())?;
    }
    let own = ParsedCertificate::try_from(&chain[0])?;
    let algorithms = provider.signature_verification_algorithms.all;
    match verify(&own, &trusted, &chain[1..], UnixTime::now(), algorithms) {
        Err(Error::InvalidCertificate(CertificateError::UnknownIssuer)) => Ok(()),
        other => other,
    }
}
