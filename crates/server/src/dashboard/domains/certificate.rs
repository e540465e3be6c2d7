//! Looks at the certificate that a browser would get for a domain.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::ServerCertVerifier;
use rustls::crypto::ring;
use rustls::pki_types::{ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, Error, RootCertStore};
use tokio::net::TcpStream;
use tokio::task::spawn_blocking;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

const DEADLINE: Duration = Duration::from_secs(4);
/// Proxies renew certificates some weeks before they expire.
const SOON: Duration = Duration::from_secs(14 * 24 * 3600);

/// What a browser would say to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Seen {
    Valid,
    ExpiresSoon,
    Expired,
    OtherNames,
    UnknownAuthority,
    /// The server refused to encrypt: it has none for the domain.
    Missing,
    Unusable,
    NoConnection,
    /// The system has no certificates of authorities, so nothing can be said.
    NotKnown,
}

/// `address` must be one of this server or of its proxy.
pub(super) async fn look(address: SocketAddr, host: &str) -> Seen {
    let roots = spawn_blocking(|| {
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        roots
    });
    match roots.await {
        Ok(roots) if !roots.is_empty() => look_with(roots, address, host, SOON).await,
        _ => Seen::NotKnown,
    }
}

async fn look_with(roots: RootCertStore, address: SocketAddr, host: &str, soon: Duration) -> Seen {
    let provider = Arc::new(ring::default_provider());
    let verifier = WebPkiServerVerifier::builder_with_provider(roots.into(), provider.clone()).build();
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let name = ServerName::try_from(host.to_owned());
    let (Ok(verifier), Ok(config), Ok(name)) = (verifier, config, name) else { return Seen::NotKnown };
    let connector =
        TlsConnector::from(Arc::new(config.with_webpki_verifier(verifier.clone()).with_no_client_auth()));
    let Ok(Ok(stream)) = timeout(DEADLINE, TcpStream::connect(address)).await else {
        return Seen::NoConnection;
    };
    let stream = match timeout(DEADLINE, connector.connect(name.clone(), stream)).await {
        Ok(Ok(stream)) => stream,
        Ok(Err(error)) => return failure(&error),
        Err(_) => return Seen::NoConnection,
    };
    let Some([own, others @ ..]) = stream.get_ref().1.peer_certificates() else { return Seen::Unusable };
    // By the clock of the TLS library, as the check before.
    let later = UnixTime::since_unix_epoch(Duration::from_secs(UnixTime::now().as_secs()) + soon);
    match verifier.verify_server_cert(own, others, &name, &[], later) {
        Ok(_) => Seen::Valid,
        Err(_) => Seen::ExpiresSoon,
    }
}

fn failure(error: &io::Error) -> Seen {
    use CertificateError::{
        BadSignature, Expired, ExpiredContext, NotValidForName, NotValidForNameContext, UnknownIssuer,
    };
    match error.get_ref().and_then(|cause| cause.downcast_ref()) {
        Some(Error::InvalidCertificate(Expired | ExpiredContext { .. })) => Seen::Expired,
        Some(Error::InvalidCertificate(NotValidForName | NotValidForNameContext { .. })) => Seen::OtherNames,
        // A bad signature is that of an authority with the same name.
        Some(Error::InvalidCertificate(UnknownIssuer | BadSignature)) => Seen::UnknownAuthority,
        Some(Error::AlertReceived(_)) => Seen::Missing,
        _ => Seen::Unusable,
    }
}

impl Seen {
    /// For a person.
    pub(super) fn describe(self) -> &'static str {
        match self {
            Seen::Valid => "The certificate is valid.",
            Seen::ExpiresSoon => {
                "The certificate is valid, but expires within 14 days. If the proxy does not renew it, browsers will \
                 warn visitors."
            }
            Seen::Expired => "The certificate has expired: browsers warn visitors. The proxy must renew it.",
            Seen::OtherNames => {
                "The certificate is for other names: browsers warn visitors. The proxy needs one for this domain."
            }
            Seen::UnknownAuthority => {
                "The certificate is not signed by a known authority: browsers warn visitors."
            }
            Seen::Missing => "The proxy has no certificate for this domain yet.",
            Seen::Unusable => "The proxy does not answer with a usable certificate.",
            Seen::NoConnection => "Nothing answered at port 443 of the server.",
            Seen::NotKnown => {
                "The certificate could not be checked: this server knows no certificate authorities."
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use rustls::pki_types::CertificateDer;
    use rustls::pki_types::pem::PemObject;
    use testing::{S3, S3_CA, S3_TLS};

    use super::*;

    fn address(url: &str) -> SocketAddr {
        url.split_once("://").expect("a URL").1.parse().expect("an address")
    }

    #[tokio::test]
    async fn a_certificate_is_seen_as_browsers_see_it() {
        let servers = (testing::server(S3_TLS), testing::server(S3_CA), testing::server(S3));
        let (Some(server), Some(authority), Some(without)) = servers else { return };
        let (server, without) = (address(&server), address(&without));
        let authority = CertificateDer::from_pem_file(authority).expect("a certificate");
        let roots = || {
            let mut roots = RootCertStore::empty();
            roots.add(authority.clone()).expect("an authority");
            roots
        };
        let (hour, week) = (Duration::from_secs(3600), Duration::from_secs(7 * 24 * 3600));
        assert_eq!(look_with(roots(), server, "127.0.0.1", hour).await, Seen::Valid);
        // It is valid for two days.
        assert_eq!(look_with(roots(), server, "127.0.0.1", week).await, Seen::ExpiresSoon);
        assert_eq!(look_with(roots(), server, "docs.example.com", hour).await, Seen::OtherNames);
        // The system's authorities did not sign it.
        let unknown = look(server, "127.0.0.1").await;
        assert!(matches!(unknown, Seen::UnknownAuthority | Seen::NotKnown), "{unknown:?}");
        // It answers without TLS.
        assert_eq!(look_with(roots(), without, "127.0.0.1", hour).await, Seen::Unusable);
        let closed = SocketAddr::new(server.ip(), 1);
        assert_eq!(look_with(roots(), closed, "127.0.0.1", hour).await, Seen::NoConnection);
    }
}
