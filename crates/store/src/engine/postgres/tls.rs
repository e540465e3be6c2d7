//! Which connections are encrypted, and what is checked: `sslmode` and `sslrootcert`, as in libpq.
//!
//! | `sslmode` | |
//! |---|---|
//! | `disable` | never encrypted |
//! | `prefer` | encrypted if the server can; nothing is checked. The default |
//! | `require` | encrypted; with `sslrootcert` as `verify-ca`, otherwise nothing is checked |
//! | `verify-ca` | the certificate must be signed by a known authority |
//! | `verify-full` | and contain the name of the server |

use std::path::Path;
use std::sync::Arc;

use postgres::Config;
use postgres::config::{Host, SslMode};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{verify_server_cert_signed_by_trust_anchor, verify_server_name};
use rustls::crypto::{
    CryptoProvider, WebPkiSupportedAlgorithms, ring, verify_tls12_signature, verify_tls13_signature,
};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};

use super::handshake::Connector;
use super::url::Url;
use crate::error::{Error, Result};

/// The parameters that the driver does not know.
pub(super) struct TlsParameters {
    mode: Option<String>,
    root_certificate: Option<String>,
}

impl TlsParameters {
    pub(super) fn take(url: &mut Url) -> TlsParameters {
        TlsParameters { mode: url.take("sslmode"), root_certificate: url.take("sslrootcert") }
    }

    /// Sets the mode of the connections, and returns what encrypts them. `None`: they are not encrypted.
    pub(super) fn apply(&self, config: &mut Config) -> Result<Option<Connector>> {
        let mode = self.mode.as_deref().unwrap_or("prefer");
        let root = self.root_certificate.as_deref();
        let (ssl_mode, checks) = match (mode, root) {
            ("disable", _) => (SslMode::Disable, Checks::Nothing),
            ("prefer", _) => (SslMode::Prefer, Checks::Nothing),
            ("require", None) => (SslMode::Require, Checks::Nothing),
            ("require", Some(_)) | ("verify-ca", _) => (SslMode::Require, Checks::Authority),
            ("verify-full", _) => (SslMode::Require, Checks::AuthorityAndName),
            _ => {
                return Err(invalid(format!(
                    "sslmode={mode} is none of disable, prefer, require, verify-ca, verify-full"
                )));
            }
        };
        let ssl_mode = if is_possible(config, ssl_mode) { ssl_mode } else { SslMode::Disable };
        config.ssl_mode(ssl_mode);
        if ssl_mode == SslMode::Disable {
            return Ok(None);
        }
        let authorities = match (checks, root) {
            (Checks::Nothing, _) => Vec::new(),
            (_, Some(file)) => of_file(Path::new(file))?,
            (_, None) => of_system()?,
        };
        Ok(Some(Connector::new(client_config(checks, authorities)?)))
    }
}

/// A socket in the file system is never encrypted, whatever the mode. An address without a name (`hostaddr`) cannot be,
/// because the driver needs a name.
fn is_possible(config: &Config, mode: SslMode) -> bool {
    let hosts = config.get_hosts();
    match hosts {
        [] => mode != SslMode::Prefer,
        _ => !hosts.iter().all(|host| matches!(host, Host::Unix(_))),
    }
}

fn invalid(text: String) -> Error {
    Error::Internal(format!("the database URL: {text}"))
}

fn of_file(path: &Path) -> Result<Vec<CertificateDer<'static>>> {
    let unusable =
        |error: &dyn std::fmt::Display| invalid(format!("sslrootcert={}: {error}", path.display()));
    let read = CertificateDer::pem_file_iter(path).and_then(|found| found.collect::<Result<Vec<_>, _>>());
    let certificates = read.map_err(|error| unusable(&error))?;
    match certificates[..] {
        [] => Err(unusable(&"the file contains no certificate")),
        _ => Ok(certificates),
    }
}

/// Debian's certificates, or those of `SSL_CERT_FILE`, as for S3.
fn of_system() -> Result<Vec<CertificateDer<'static>>> {
    let found = rustls_native_certs::load_native_certs();
    match found.certs[..] {
        [] => Err(invalid(
            "the system has no certificates of authorities: install ca-certificates, or set sslrootcert=FILE"
                .into(),
        )),
        _ => Ok(found.certs),
    }
}

fn client_config(checks: Checks, authorities: Vec<CertificateDer<'static>>) -> Result<ClientConfig> {
    let provider = Arc::new(ring::default_provider());
    let verifier = Verifier::new(checks, authorities, &provider);
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| Error::Internal(format!("TLS: {error}")))?;
    // "Dangerous" because it can be lenient, which `require` is by definition.
    Ok(config.dangerous().with_custom_certificate_verifier(Arc::new(verifier)).with_no_client_auth())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Checks {
    Nothing,
    Authority,
    AuthorityAndName,
}

#[derive(Debug)]
struct Verifier {
    checks: Checks,
    roots: RootCertStore,
    /// The same as `roots`. A server's own certificate may be among them: many are signed by themselves.
    certificates: Vec<CertificateDer<'static>>,
    algorithms: WebPkiSupportedAlgorithms,
}

impl Verifier {
    fn new(
        checks: Checks,
        certificates: Vec<CertificateDer<'static>>,
        provider: &CryptoProvider,
    ) -> Verifier {
        let mut roots = RootCertStore::empty();
        // Some systems have certificates that cannot be used.
        roots.add_parsable_certificates(certificates.iter().cloned());
        Verifier { checks, roots, certificates, algorithms: provider.signature_verification_algorithms }
    }
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        _: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        if self.checks == Checks::Nothing {
            return Ok(ServerCertVerified::assertion());
        }
        let parsed = ParsedCertificate::try_from(certificate)?;
        if !self.certificates.contains(certificate) {
            let algorithms = self.algorithms.all;
            verify_server_cert_signed_by_trust_anchor(&parsed, &self.roots, intermediates, now, algorithms)?;
        }
        if self.checks == Checks::AuthorityAndName {
            verify_server_name(&parsed, name)?;
        }
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, certificate, signature, &self.algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, certificate, signature, &self.algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}
