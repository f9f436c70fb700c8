//! Verification of a peer's identity.

use std::io::{self, ErrorKind};
use std::path::Path;
use std::sync::Arc;

use rustls::client::WantsClientCert;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{WebPkiSupportedAlgorithms, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::{self, PemObject as _};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{
    AlertDescription, CertificateError, ClientConfig, ClientConnection, ConfigBuilder, Connection,
    DigitallySignedStruct, Error, InvalidMessage, RootCertStore, SignatureScheme, WantsVerifier,
};

/// Verification of the peer: none (the default), or by a certificate, over TLS 1.3.
#[derive(Clone, Debug, Default)]
pub struct Security(Option<Arc<ClientConfig>>);

/// Error of setting up TLS.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file is unusable, or no authority is trusted.
    #[error("{0}")]
    Unfit(String),
    /// Any other reason.
    #[error(transparent)]
    Tls(#[from] Error),
}

impl TlsError {
    /// Converts an error of reading `what` from a file.
    pub fn reading(path: &Path, what: &'static str, error: pem::Error) -> TlsError {
        let path = path.display();
        TlsError::Unfit(match error {
            pem::Error::NoItemsFound => format!("{path}: expected {what} in PEM"),
            pem::Error::Io(error) => format!("{path} cannot be read: {error}"),
            other => format!("{path} cannot be read: {other}"),
        })
    }

    /// Converts an error about the content of a file.
    pub fn unfit(path: &Path, error: &Error) -> TlsError {
        TlsError::Unfit(format!("{}: {}", path.display(), reason(error)))
    }
}

/// Reads the certificates in a PEM file, at least one.
///
/// # Errors
/// The file can't be read, or contains none.
pub fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let wrong = |error| TlsError::reading(path, "certificates", error);
    let found = CertificateDer::pem_file_iter(path).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    match found.map_err(wrong)? {
        none if none.is_empty() => Err(wrong(pem::Error::NoItemsFound)),
        found => Ok(found),
    }
}

impl Security {
    /// Builds the verification from a user's settings: TLS if asked for, or if a PEM file of authorities is given; without a
    /// file, the authorities that the system trusts.
    ///
    /// # Errors
    /// The file is unusable, or the system trusts no authority.
    pub fn new(is_wanted: bool, authorities: Option<&Path>) -> Result<Security, TlsError> {
        let mut trusted = RootCertStore::empty();
        match authorities {
            Some(path) => certificates(path)?
                .into_iter()
                .try_for_each(|certificate| trusted.add(certificate))
                .map_err(|error| TlsError::unfit(path, &error))?,
            None if is_wanted => {
                // Invalid certificates of the system are skipped.
                trusted.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
            }
            None => return Ok(Security::default()),
        }
        if trusted.is_empty() {
            let text = "this system trusts no authorities; --tls-authority FILE names those to trust";
            return Err(TlsError::Unfit(text.to_owned()));
        }
        Ok(Security::over(builder()?.with_root_certificates(trusted)))
    }

    /// Trusts only this certificate, whatever name it has, for clients that got it from the owner of the key.
    ///
    /// # Errors
    /// TLS can't be used.
    pub fn pinned(certificate: CertificateDer<'static>) -> Result<Security, TlsError> {
        let pinned = Arc::new(Pinned {
            certificate,
            algorithms: ring::default_provider().signature_verification_algorithms,
        });
        Ok(Security::over(builder()?.dangerous().with_custom_certificate_verifier(pinned)))
    }

    fn over(builder: ConfigBuilder<ClientConfig, WantsClientCert>) -> Security {
        Security(Some(Arc::new(builder.with_no_client_auth())))
    }

    /// Starts a TLS session with `HOST:PORT`; `None` without TLS.
    pub(super) fn session(&self, address: &str) -> io::Result<Option<Connection>> {
        let Some(config) = &self.0 else { return Ok(None) };
        let host = address.rsplit_once(':').map_or(address, |(host, _)| host);
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let name = ServerName::try_from(host.to_owned()).map_err(|_| {
            let text = format!("`{}` is no host name that a certificate can have", game::excerpt(host));
            io::Error::new(ErrorKind::InvalidInput, text)
        })?;
        ClientConnection::new(Arc::clone(config), name)
            .map(|session| Some(session.into()))
            .map_err(|error| explain(io::Error::other(error)))
    }
}

fn builder() -> Result<ConfigBuilder<ClientConfig, WantsVerifier>, Error> {
    ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
}

/// Whether what somebody says first is TLS: a record of its handshake, or an alert about ours.
pub(crate) fn is_tls(bytes: &[u8]) -> bool {
    matches!(bytes, [0x15 | 0x16, 3, ..])
}

/// Gives an error of TLS a readable reason.
pub(super) fn explain(error: io::Error) -> io::Error {
    let tls = error.get_ref().and_then(|inner| inner.downcast_ref::<Error>());
    match tls {
        Some(tls) => io::Error::new(ErrorKind::InvalidData, reason(tls)),
        None => error,
    }
}

fn reason(error: &Error) -> String {
    match error {
        Error::InvalidMessage(InvalidMessage::InvalidContentType) => {
            "the other end does not speak TLS".to_owned()
        }
        Error::AlertReceived(
            AlertDescription::BadCertificate
            | AlertDescription::CertificateUnknown
            | AlertDescription::DecryptError
            | AlertDescription::UnknownCA,
        ) => "the other end does not accept the certificate".to_owned(),
        // Signed by another authority, or by one of the same name.
        Error::InvalidCertificate(CertificateError::UnknownIssuer | CertificateError::BadSignature) => {
            "the certificate is from no authority that is trusted here (--tls-authority FILE names them)"
                .to_owned()
        }
        // rustls has no variant for this error of its verifier.
        Error::InvalidCertificate(CertificateError::Other(other))
            if other.to_string().contains("CaUsedAsEndEntity") =>
        {
            "the certificate is an authority's own, CA:TRUE; docs/REFEREE.md tells how to make another"
                .to_owned()
        }
        Error::InconsistentKeys(_) => "the key is not that of the certificate".to_owned(),
        other => other.to_string(),
    }
}

/// Trusts one certificate.
#[derive(Debug)]
struct Pinned {
    certificate: CertificateDer<'static>,
    algorithms: WebPkiSupportedAlgorithms,
}

impl ServerCertVerifier for Pinned {
    fn verify_server_cert(
        &self,
        presented: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _name: &ServerName<'_>,
        _ocsp: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        if *presented == self.certificate {
            Ok(ServerCertVerified::assertion())
        } else {
            Err(CertificateError::ApplicationVerificationFailure.into())
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signature, &self.algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signature, &self.algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}
