//! A site while its folder is being edited: served for any host, with a script in each page that loads it again after a
//! change, shows what is wrong with the folder, and marks pages that a visitor would not see yet.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE, ETAG, HOST, IF_MODIFIED_SINCE,
    IF_NONE_MATCH,
};
use axum::http::{HeaderValue, Request, Response};
use bytes::Bytes;
use futures_util::stream;
use http_body_util::{BodyExt, Either, Full, StreamBody};
use hyper::body::Frame;
use memchr::memmem;
use publisher::{UnbuiltSite, content_type};
use serde::Serialize;
use tokio::sync::watch;
use tokio::time::timeout;

use crate::listen::{RequestBody, RequestHandler};
use crate::sites::{Sites, notes};

const EVENTS: &str = "/.recto/events";
const SCRIPT: &str = include_str!("preview.js");
/// Sent to a silent client now and then, so that a closed connection is noticed.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// What the pages of a preview show beside their content.
#[derive(Clone, Default, Serialize)]
pub struct PreviewState {
    /// Changes with every build; zero until the first one.
    pub version: u64,
    /// What is shown until the first build.
    #[serde(skip)]
    pub unbuilt: Option<Arc<UnbuiltSite>>,
    /// With file and line.
    pub problems: Vec<String>,
    /// Pages that are not published yet, by path: why.
    pub unpublished: BTreeMap<String, String>,
}

/// Serves one of the sites.
#[derive(Clone)]
pub struct Preview {
    sites: Sites,
    host: HeaderValue,
    state: watch::Receiver<PreviewState>,
}

impl Preview {
    pub fn new(sites: Sites, host: HeaderValue, state: watch::Receiver<PreviewState>) -> Preview {
        Preview { sites, host, state }
    }
}

fn before_the_first_build(
    site: Option<&UnbuiltSite>,
    path: &str,
) -> Response<<Sites as RequestHandler>::Body> {
    let Some(file) = site.and_then(|site| site.file(path)) else { return notes::not_built_yet() };
    let mut response = Response::new(Either::Left(Full::new(file)));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type(path)));
    response
}

impl RequestHandler for Preview {
    type Body = <Sites as RequestHandler>::Body;

    async fn handle(&self, peer: SocketAddr, mut request: Request<RequestBody>) -> Response<Self::Body> {
        if request.uri().path() == EVENTS {
            return events(self.state.clone());
        }
        let (version, unbuilt) = {
            let state = self.state.borrow();
            (state.version, state.unbuilt.clone())
        };
        if version == 0 {
            let response = before_the_first_build(unbuilt.as_deref(), request.uri().path());
            return if is_html(&response) { with_script(response, version).await } else { response };
        }
        let headers = request.headers_mut();
        headers.insert(HOST, self.host.clone());
        for conditional in [ACCEPT_ENCODING, IF_MODIFIED_SINCE, IF_NONE_MATCH] {
            headers.remove(conditional);
        }
        let response = self.sites.handle(peer, request).await;
        match is_html(&response) {
            true => with_script(response, version).await,
            false => response,
        }
    }
}

fn is_html<B>(response: &Response<B>) -> bool {
    let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    kind.is_some_and(|kind| kind.starts_with("text/html"))
}

async fn with_script<B: hyper::body::Body<Data = Bytes> + Unpin, S>(
    response: Response<B>,
    version: u64,
) -> Response<Either<Full<Bytes>, S>> {
    let (mut head, body) = response.into_parts();
    // Files of a release are in memory as a whole, so this cannot fail.
    let page = body.collect().await.map(|body| body.to_bytes()).unwrap_or_default();
    let page = match page.is_empty() {
        // The response to a HEAD request.
        true => page,
        false => Bytes::from(insert(&page, version)),
    };
    head.headers.insert(CONTENT_LENGTH, HeaderValue::from(page.len()));
    head.headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    head.headers.remove(ETAG);
    Response::from_parts(head, Either::Left(Full::new(page)))
}

/// The page with the script at the end of its body. The script knows the version that it shows.
fn insert(page: &[u8], version: u64) -> Vec<u8> {
    let end = memmem::rfind(page, b"</body>").unwrap_or(page.len());
    let script = format!("<script data-version=\"{version}\">{SCRIPT}</script>\n");
    [&page[..end], script.as_bytes(), &page[end..]].concat()
}

/// The state now, and after each change.
fn events(state: watch::Receiver<PreviewState>) -> Response<<Sites as RequestHandler>::Body> {
    let stream = stream::unfold((state, true), async |(mut state, is_first)| {
        let text = match is_first {
            true => event(&state.borrow_and_update()),
            false => match timeout(KEEP_ALIVE, state.changed()).await {
                Ok(Ok(())) => event(&state.borrow_and_update()),
                // The preview is ending.
                Ok(Err(_)) => return None,
                Err(_) => ":\n\n".to_owned(),
            },
        };
        Some((Ok(Frame::data(Bytes::from(text))), (state, false)))
    });
    let mut response = Response::new(Either::Right(StreamBody::new(Box::pin(stream) as _)));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

fn event(state: &PreviewState) -> String {
    format!("data: {}\n\n", serde_json::to_string(state).expect("a state has only string keys"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_is_at_the_end_of_the_body() {
        let page = insert(b"<body><pre>&lt;/body></pre>a</body></html>", 7);
        let page = String::from_utf8(page).expect("UTF-8");
        assert!(page.starts_with("<body><pre>&lt;/body></pre>a<script data-version=\"7\">"), "{page}");
        assert!(page.ends_with("</script>\n</body></html>"), "{page}");
        assert!(String::from_utf8_lossy(&insert(b"no body", 0)).starts_with("no body<script"));
    }

    #[test]
    fn an_event_is_one_line_of_json() {
        let problems = vec!["a.md:3: \"x\"\nis missing".to_owned()];
        let text = event(&PreviewState { version: 7, problems, ..PreviewState::default() });
        assert_eq!(
            text,
            "data: {\"version\":7,\"problems\":[\"a.md:3: \\\"x\\\"\\nis missing\"],\"unpublished\":{}}\n\n"
        );
    }
}
