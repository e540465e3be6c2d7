//! The HTTP client of object_store: hyper, which the server uses anyway, instead of a second HTTP stack.

use std::error::Error as StdError;
use std::fmt;
use std::time::Duration;

use async_trait::async_trait;
use futures_util::stream;
use http_body_util::{BodyExt, StreamBody};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::proxy::Tunnel;
use hyper_util::client::legacy::connect::{Connect, HttpConnector as TcpConnector};
use hyper_util::client::legacy::{Client as Hyper, Error as HyperError};
use hyper_util::client::proxy::matcher::Matcher;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpRequestBody, HttpResponse,
    HttpResponseBody, HttpService,
};
use tokio::time::timeout;

/// How long a connection may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// How long the server may be silent. There is no limit for a whole response: visitors may be slow, and videos long.
const READ_TIMEOUT: Duration = Duration::from_secs(60);

/// To one server.
#[derive(Debug)]
pub(crate) struct Connector {
    /// With its scheme.
    pub(crate) endpoint: String,
}

impl HttpConnector for Connector {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        if self.endpoint.starts_with("http://") {
            return Ok(client(tcp()));
        }
        let endpoint = self.endpoint.parse().map_err(failed)?;
        // From `HTTPS_PROXY` and similar variables.
        match Matcher::from_env().intercept(&endpoint) {
            None => Ok(client(tls(tcp(), true)?)),
            Some(proxy) => {
                let mut tunnel = Tunnel::new(proxy.uri().clone(), tls(tcp(), false)?);
                if let Some(password) = proxy.basic_auth() {
                    tunnel = tunnel.with_auth(password.clone());
                }
                Ok(client(tls(tunnel, true)?))
            }
        }
    }
}

fn tcp() -> TcpConnector {
    let mut tcp = TcpConnector::new();
    tcp.enforce_http(false);
    tcp.set_nodelay(true);
    tcp.set_connect_timeout(Some(CONNECT_TIMEOUT));
    tcp
}

fn tls<C>(below: C, always: bool) -> object_store::Result<HttpsConnector<C>> {
    let builder = HttpsConnectorBuilder::new().with_native_roots().map_err(failed)?;
    let builder = if always { builder.https_only() } else { builder.https_or_http() };
    Ok(builder.enable_http1().wrap_connector(below))
}

fn failed(error: impl StdError + Send + Sync + 'static) -> object_store::Error {
    object_store::Error::Generic { store: "S3", source: Box::new(error) }
}

fn client<C: Connect + Clone + Send + Sync + 'static>(connector: C) -> HttpClient {
    let hyper = Hyper::builder(TokioExecutor::new()).pool_timer(TokioTimer::new()).build(connector);
    HttpClient::new(Client(hyper))
}

struct Client<C>(Hyper<C, HttpRequestBody>);

impl<C> fmt::Debug for Client<C> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Client")
    }
}

#[async_trait]
impl<C: Connect + Clone + Send + Sync + 'static> HttpService for Client<C> {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let answer = timeout(READ_TIMEOUT, self.0.request(request))
            .await
            .map_err(timed_out)?
            .map_err(request_error)?;
        let (head, body) = answer.into_parts();
        let pieces = stream::try_unfold(body, async |mut body| {
            let frame = timeout(READ_TIMEOUT, body.frame()).await.map_err(timed_out)?.transpose();
            let frame = frame.map_err(|error| HttpError::new(HttpErrorKind::Interrupted, error))?;
            Ok(frame.map(|frame| (frame, body)))
        });
        Ok(HttpResponse::from_parts(head, HttpResponseBody::new(StreamBody::new(pieces))))
    }
}

fn timed_out(_: tokio::time::error::Elapsed) -> HttpError {
    let error = std::io::Error::other(format!("no data for {} seconds", READ_TIMEOUT.as_secs()));
    HttpError::new(HttpErrorKind::Timeout, error)
}

fn request_error(error: HyperError) -> HttpError {
    // A request that may have arrived is only sent again if it is safe to repeat.
    let kind = if error.is_connect() { HttpErrorKind::Connect } else { HttpErrorKind::Interrupted };
    HttpError::new(kind, std::io::Error::other(with_causes(&error)))
}

/// hyper's own message says only "client error (Connect)"; the causes below it say what to fix.
fn with_causes(error: &dyn StdError) -> String {
    let causes = std::iter::successors(error.source(), |&cause| cause.source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}
