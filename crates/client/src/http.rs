//! One server, over HTTP or HTTPS.

use std::error::Error as StdError;
use std::time::Duration;

use bytes::Bytes;
use http::header::{AUTHORIZATION, CONTENT_TYPE, RETRY_AFTER};
use http::{Request, Uri};
use http_body_util::BodyExt;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::Value;

use crate::Error;
use crate::body::{Body, Content};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

pub(crate) enum Http {
    Plain(Client<HttpConnector, Body>),
    Tls(Client<HttpsConnector<HttpConnector>, Body>),
}

pub(crate) struct Answer {
    pub status: u16,
    pub retry_after: Option<u64>,
    /// Null if it is not JSON.
    pub body: Value,
}

impl Http {
    pub(crate) fn new(url: &str) -> Result<Http, Error> {
        let address = || Error::Address(url.to_owned());
        let uri: Uri = url.parse().map_err(|_| address())?;
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        tcp.set_connect_timeout(Some(CONNECT_TIMEOUT));
        let builder = Client::builder(TokioExecutor::new());
        match uri.scheme_str() {
            Some("http") => Ok(Http::Plain(builder.build(tcp))),
            Some("https") => {
                let tls =
                    HttpsConnectorBuilder::new().with_native_roots().map_err(|error| failed(url, &error))?;
                Ok(Http::Tls(builder.build(tls.https_only().enable_http1().wrap_connector(tcp))))
            }
            _ => Err(address()),
        }
    }

    pub(crate) async fn send(
        &self,
        method: &str,
        url: &str,
        token: &str,
        content: &Content,
    ) -> Result<Answer, Error> {
        let mut request = Request::builder().method(method).uri(url);
        request = request.header(AUTHORIZATION, format!("Bearer {token}"));
        if let Some(content_type) = content.content_type() {
            request = request.header(CONTENT_TYPE, content_type);
        }
        let request = request.body(content.body()).map_err(|error| failed(url, &error))?;
        let response = match self {
            Http::Plain(client) => client.request(request).await,
            Http::Tls(client) => client.request(request).await,
        };
        let response = response.map_err(|error| failed(url, &error))?;
        let status = response.status().as_u16();
        let retry_after =
            response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
        let bytes: Bytes =
            response.into_body().collect().await.map_err(|error| failed(url, &error))?.to_bytes();
        Ok(Answer { status, retry_after, body: serde_json::from_slice(&bytes).unwrap_or_default() })
    }
}

/// With the innermost cause, such as "connection refused".
fn failed(url: &str, error: &dyn StdError) -> Error {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    Error::Unreachable { url: url.split("/api/v1/").next().unwrap_or(url).to_owned(), why: cause.to_string() }
}
