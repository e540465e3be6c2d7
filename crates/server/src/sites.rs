//! Serves published sites. The steps of a request:
//!
//! 1. `host`: which host is it for? An address has no site, but `status`.
//! 2. `Publisher::hosted_site`: the site and its live release. Looked up once; the whole response is from that release.
//!    `dashboard::preview`: a page while it is written, in a sandbox.
//! 3. The method: GET and HEAD, or POST with the password of a protected site, or to `mcp`.
//! 4. `gate`: a protected site needs a cookie, which the password gives.
//! 5. `path`: the canonical form of the path; other forms are redirected to it, if it exists.
//! 6. `media`: an uploaded file; or `files`: a file of the release, from the cache if possible; `markdown`: of a page, the
//!    Markdown if the client prefers that.
//!    `search`: the results of a query; `drawn`: preview cards and icons.
//! 7. `response`: encoding, range requests, not modified.
//! 8. `headers`: the headers of every response of a site.
//!
//! `at_hand` is the short way for what was sent before: most requests for pages of a public site.

mod at_hand;
mod compress;
mod conditions;
mod drawn;
mod feed;
mod file;
mod files;
mod gate;
mod headers;
mod host;
mod local;
mod markdown;
mod mcp;
mod media;
mod metrics;
pub(crate) mod notes;
mod password_form;
mod path;
mod response;
mod search;
mod status;

use std::borrow::Cow;
use std::net::SocketAddr;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use axum::http::{Method, Request, Response, StatusCode};
use bytes::Bytes;
use futures_util::{FutureExt, Stream};
use http_body_util::{Either, Full, StreamBody};
use hyper::body::Frame;
use ipnet::IpNet;
use limits::Backend;
use model::{Clock, MediaUrl};
use publisher::{Error, HostedSite, Publisher, is_html};

use self::drawn::Drawn;
use self::file::{File, FileContent};
use self::files::Files;
use self::gate::Gate;
pub(crate) use self::host::normalize_host;
use self::metrics::RequestCounters;
use self::path::Path;
use crate::listen::{AtHand, RequestBody, RequestHandler};
use crate::{Health, dashboard};

/// Files of a release are in memory as a whole; uploaded files are streamed.
type SiteResponse = Response<Either<Full<Bytes>, StreamBody<Pieces>>>;
type Pieces = Pin<Box<dyn Stream<Item = Result<Frame<Bytes>, publisher::ReadError>> + Send>>;

pub struct SitesSettings {
    pub clock: Arc<dyn Clock>,
    pub trusted_proxies: Vec<IpNet>,
    /// Sites are always served by https, even if a request does not show that.
    pub secure_cookies: bool,
    /// The most memory for the cache of served files.
    pub cache_bytes: u64,
    /// This is a local setup: requests from this machine may list the sites.
    pub list_sites: bool,
    /// Where attempts at passwords are counted.
    pub limits: Backend,
}

/// The sites of a publisher, to be served by `serve`.
#[derive(Clone)]
pub struct Sites(Arc<Parts>);

struct Parts {
    publisher: Publisher,
    settings: SitesSettings,
    files: Files,
    drawn: Drawn,
    gate: Gate,
    counters: RequestCounters,
    health: Health,
}

impl Sites {
    pub fn new(publisher: Publisher, settings: SitesSettings) -> Sites {
        let files = Files::new(settings.cache_bytes);
        let health = Health::new(publisher.clone(), settings.limits.clone(), false);
        let gate = Gate::new(settings.limits.clone());
        let counters = RequestCounters::new();
        let drawn = Drawn::new();
        Sites(Arc::new(Parts { publisher, settings, files, drawn, gate, counters, health }))
    }
}

impl RequestHandler for Sites {
    type Body = Either<Full<Bytes>, StreamBody<Pieces>>;

    const HAS_RESPONSES_AT_HAND: bool = true;

    fn at_hand(&self, request: &httparse::Request<'_, '_>) -> Option<AtHand> {
        let response = self.0.at_hand(request)?;
        self.0.counters.count_at_hand();
        Some(response)
    }

    async fn handle(&self, peer: SocketAddr, request: Request<RequestBody>) -> SiteResponse {
        let head = request.method() == Method::HEAD;
        // A panic fails only its own request.
        let responded = AssertUnwindSafe(self.0.respond(peer, request)).catch_unwind().await;
        let mut response = responded.unwrap_or_else(|_| notes::internal_error());
        if head {
            *response.body_mut() = Either::Left(Full::default());
        }
        self.0.counters.count(response.status());
        response
    }
}

impl Parts {
    async fn respond(&self, peer: SocketAddr, request: Request<RequestBody>) -> SiteResponse {
        if let Some(response) = status::respond(&self.health, &request).await {
            return response;
        }
        let host = match host::of(&request) {
            Ok(Some(host)) => host,
            Ok(None) => return self.respond_without_site(peer, &request).await,
            Err(host::AmbiguousHost) => return notes::ambiguous_host(),
        };
        let site = match self.publisher.hosted_site(&host).await {
            Ok(Some(site)) => site,
            Ok(None) => return self.respond_without_site(peer, &request).await,
            Err(error) => return failed(&error),
        };
        drop(host);
        if site.suspended {
            return notes::suspended();
        }
        let mut response = self.respond_for_site(&site, peer, request).await;
        headers::add_site_headers(response.headers_mut(), &site);
        response
    }

    /// No site has this host: a 404, except for some requests from this machine.
    async fn respond_without_site(&self, peer: SocketAddr, request: &Request<RequestBody>) -> SiteResponse {
        let reads = matches!(*request.method(), Method::GET | Method::HEAD);
        match (local::address(peer, request), request.uri().path()) {
            (Some(address), "/") if reads && self.settings.list_sites => {
                local::list(&self.publisher, address).await
            }
            _ => notes::no_site(),
        }
    }

    /// Checks method, password and path.
    async fn respond_for_site(
        &self,
        site: &HostedSite,
        peer: SocketAddr,
        request: Request<RequestBody>,
    ) -> SiteResponse {
        if request.uri().path() == mcp::PATH {
            return self.respond_for_mcp(site, request).await;
        }
        if let Some(secret) = request.uri().path().strip_prefix(dashboard::preview::PATH) {
            return self.respond_with_preview(site, secret).await;
        }
        let reads = matches!(*request.method(), Method::GET | Method::HEAD);
        if site.protection.is_some() {
            if request.method() == Method::POST {
                return self.unlock(site, peer, request).await;
            }
            if reads && !gate::is_open(&self.publisher, site, request.headers()) {
                return password_form::ask(request.headers());
            }
        }
        if !reads {
            return notes::no_method(site.protection.is_some());
        }
        let (path, is_moved) = match path::normalize(request.uri().path()) {
            Path::Canonical(path) => (path, false),
            Path::Redirect(path) => (Cow::Owned(path), true),
            // The site's own 404 page.
            Path::Impossible => (Cow::Borrowed(NOT_FOUND_PAGE), false),
        };
        let response = self.respond_for_path(site, &path, &request).await;
        let is_there = response.status() != StatusCode::NOT_FOUND && !response.status().is_server_error();
        match is_moved && is_there {
            true => response::moved(StatusCode::PERMANENT_REDIRECT, &path::encode(&path), request.uri()),
            false => response,
        }
    }

    /// A page while it is written. Only its writer knows the address.
    async fn respond_with_preview(&self, site: &HostedSite, secret: &str) -> SiteResponse {
        match dashboard::preview::html(&self.publisher, site, secret).await {
            Ok(Some(html)) => response::preview(html),
            Ok(None) => notes::no_preview(),
            Err(error) => failed(&error),
        }
    }

    /// An uploaded file or a file of the release.
    async fn respond_for_path(
        &self,
        site: &HostedSite,
        path: &str,
        request: &Request<RequestBody>,
    ) -> SiteResponse {
        match self.respond_with_media(site, path, request).await {
            Ok(Some(response)) => return response,
            Ok(None) => {}
            Err(error) => return failed(&error),
        }
        let Some(release) = site.release else { return notes::nothing_published() };
        match self.respond_from_release(site, release, path, request).await {
            Ok(response) => response,
            Err(error) => failed(&error),
        }
    }

    /// `None`: the path is not that of an uploaded file, or of a smaller copy of one.
    async fn respond_with_media(
        &self,
        site: &HostedSite,
        path: &str,
        request: &Request<RequestBody>,
    ) -> Result<Option<SiteResponse>, Error> {
        if let Some(url) = MediaUrl::parse(path) {
            return media::show(&self.publisher, site, &url, request).await;
        }
        match MediaUrl::parse_smaller(path) {
            Some((url, width)) => media::show_smaller(&self.publisher, site, &url, width, request).await,
            None => Ok(None),
        }
    }

    async fn respond_from_release(
        &self,
        site: &HostedSite,
        release: i64,
        path: &str,
        request: &Request<RequestBody>,
    ) -> Result<SiteResponse, Error> {
        if search::is_search(path) {
            return self.search(site, release, path, request).await;
        }
        let drawn = self.drawn.respond(&self.publisher, &self.files, site, release, path, request).await?;
        if let Some(response) = drawn {
            return Ok(response);
        }
        if is_html(path)
            && markdown::is_preferred(request.headers())
            && let Some(file) =
                self.files.find(&self.publisher, site.id, release, &markdown::path_of(path)).await?
            && let FileContent::Body(body) = &file.content
        {
            return Ok(response::whole(body, request.method(), request.headers()).await);
        }
        if path != NOT_FOUND_PAGE
            && let Some(file) = self.files.find(&self.publisher, site.id, release, path).await?
        {
            return Ok(match &file.content {
                FileContent::Body(body) => {
                    body.is_at_hand.store(true, Ordering::Relaxed);
                    response::whole(body, request.method(), request.headers()).await
                }
                FileContent::Redirect(target) => {
                    response::moved(StatusCode::MOVED_PERMANENTLY, target, request.uri())
                }
            });
        }
        let own = self.files.find(&self.publisher, site.id, release, NOT_FOUND_PAGE).await?;
        match own.as_deref() {
            Some(File { content: FileContent::Body(body), .. }) => {
                Ok(response::missing(body, request.headers()).await)
            }
            _ => Ok(notes::not_found()),
        }
    }
}

/// The path of a release's 404 page.
const NOT_FOUND_PAGE: &str = "/404.html";

fn failed(error: &Error) -> SiteResponse {
    match error {
        Error::Unavailable(_) | Error::CommitUnknown(_) => {
            tracing::warn!(%error, "site request failed: service unavailable");
            notes::unavailable()
        }
        _ => {
            tracing::error!(%error, "site request failed: internal error");
            notes::internal_error()
        }
    }
}
