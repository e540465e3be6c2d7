//! Sends a request to a hub. Its address was chosen by the owner of a site, so the request must not reach the operator's own
//! network: only https, only public addresses, no redirects.

use std::io;
use std::net::{IpAddr, SocketAddr};

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{Request, Uri};
use http_body_util::Full;
use hyper_rustls::HttpsConnectorBuilder;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::dns::Name;
use hyper_util::rt::TokioExecutor;
use tower::service_fn;

use crate::sites::public_address::is_public;

/// Announces one feed. `is_private`: any address is allowed, and http.
pub(super) async fn publish(hub: &str, feed: String, is_private: bool) -> Result<(), String> {
    let uri: Uri = hub.parse().map_err(|_| "its URL cannot be read".to_owned())?;
    check(&uri, is_private)?;
    let resolve = service_fn(move |name: Name| resolve(name, is_private));
    let mut tcp = HttpConnector::new_with_resolver(resolve);
    tcp.enforce_http(false);
    let tls = HttpsConnectorBuilder::new().with_native_roots().map_err(|error| innermost(&error))?;
    let https = tls.https_or_http().enable_http1().wrap_connector(tcp);
    let client = Client::builder(TokioExecutor::new()).build(https);
    let request = Request::post(uri)
        .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
        .body(Full::new(Bytes::from(form(&feed))))
        .map_err(|error| error.to_string())?;
    let response = client.request(request).await.map_err(|error| innermost(&error))?;
    // Its body says nothing that matters, and may be endless.
    match response.status() {
        status if status.is_success() => Ok(()),
        status => Err(format!("it answered {status}")),
    }
}

fn form(feed: &str) -> String {
    let mut form = form_urlencoded::Serializer::new(String::new());
    form.append_pair("hub.mode", "publish").append_pair("hub.url", feed).finish()
}

/// A host that is an address is not resolved, so it is checked here.
fn check(uri: &Uri, is_private: bool) -> Result<(), String> {
    if is_private {
        return Ok(());
    }
    if uri.scheme_str() != Some("https") {
        return Err("its URL does not begin with https://".to_owned());
    }
    let host = uri.host().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
    match host.parse::<IpAddr>() {
        Ok(address) if !is_public(address) => Err(not_public()),
        _ => Ok(()),
    }
}

/// The connection is made to the addresses that are checked here: there is no second lookup.
async fn resolve(name: Name, is_private: bool) -> io::Result<std::vec::IntoIter<SocketAddr>> {
    let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
    let allowed: Vec<SocketAddr> = found.filter(|found| is_private || is_public(found.ip())).collect();
    match allowed.is_empty() {
        true => Err(io::Error::other(not_public())),
        false => Ok(allowed.into_iter()),
    }
}

fn not_public() -> String {
    "it has no public address".to_owned()
}

/// Such as "connection refused".
fn innermost(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_hub_in_the_own_network_is_refused() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        listener.set_nonblocking(true).unwrap();
        for (hub, why) in [
            (format!("https://127.0.0.1:{port}/"), "it has no public address"),
            (format!("https://[::1]:{port}/"), "it has no public address"),
            (format!("https://localhost:{port}/"), "it has no public address"),
            (format!("http://localhost:{port}/"), "its URL does not begin with https://"),
        ] {
            assert_eq!(
                publish(&hub, "https://example.com/feed.xml".into(), false).await,
                Err(why.to_owned())
            );
        }
        assert!(listener.accept().is_err(), "none of them was asked");
    }

    #[test]
    fn a_feed_is_named_in_a_form() {
        assert_eq!(form("https://a.b/feed.xml"), "hub.mode=publish&hub.url=https%3A%2F%2Fa.b%2Ffeed.xml");
    }
}
