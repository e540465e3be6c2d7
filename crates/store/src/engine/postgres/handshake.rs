//! Encrypts a connection of the driver with rustls, and explains failures.

use std::error::Error;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};
use rustls::pki_types::ServerName;
use rustls::{CertificateError, ClientConfig};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::timeout;
use tokio_rustls::{TlsConnector, client};

use super::CONNECT_TIMEOUT;

#[derive(Clone)]
pub(super) struct Connector(TlsConnector);

impl Connector {
    pub(super) fn new(config: ClientConfig) -> Connector {
        Connector(TlsConnector::from(Arc::new(config)))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> MakeTlsConnect<S> for Connector {
    type Stream = Encrypted<S>;
    type TlsConnect = Handshake;
    type Error = io::Error;

    fn make_tls_connect(&mut self, host: &str) -> io::Result<Handshake> {
        Ok(Handshake { connector: self.0.clone(), host: host.to_owned() })
    }
}

pub(super) struct Handshake {
    connector: TlsConnector,
    host: String,
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> TlsConnect<S> for Handshake {
    type Stream = Encrypted<S>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Encrypted<S>>> + Send>>;

    fn connect(self, stream: S) -> Self::Future {
        Box::pin(async move {
            let Handshake { connector, host } = self;
            let name = ServerName::try_from(host.clone()).map_err(io::Error::other)?;
            let encrypted = timeout(CONNECT_TIMEOUT, connector.connect(name, stream)).await;
            let encrypted = encrypted.map_err(|_| io::Error::from(io::ErrorKind::TimedOut))?;
            encrypted.map(Encrypted).map_err(|error| io::Error::new(error.kind(), explain(&error, &host)))
        })
    }
}

fn explain(error: &io::Error, host: &str) -> String {
    use CertificateError::{BadSignature, NotValidForName, NotValidForNameContext, UnknownIssuer};
    use rustls::Error::InvalidCertificate;
    match error.get_ref().and_then(|cause| cause.downcast_ref()) {
        Some(InvalidCertificate(NotValidForName | NotValidForNameContext { .. })) => format!(
            "the certificate of the server is not valid for the name {host}: use a name that its subjectAltName \
             contains, or sslmode=verify-ca, which does not compare names"
        ),
        // A bad signature is that of an authority with the same name.
        Some(InvalidCertificate(UnknownIssuer | BadSignature)) => {
            "the certificate of the server is signed by an unknown authority: \
             name the file with the certificate of the authority with sslrootcert=FILE"
                .to_owned()
        }
        _ => error.to_string(),
    }
}

/// Why a connection is not encrypted although it must be.
pub(super) fn is_refusal(error: &postgres::Error) -> bool {
    // The driver has no kind for it.
    error.source().is_some_and(|cause| cause.to_string() == "server does not support TLS")
}

pub(super) struct Encrypted<S>(client::TlsStream<S>);

impl<S: AsyncRead + AsyncWrite + Unpin> TlsStream for Encrypted<S> {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Encrypted<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Encrypted<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}
