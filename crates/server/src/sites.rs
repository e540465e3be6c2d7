//! Serves published sites. A request passes through these steps, in this order:
//!
//! 1. `host`: which host is it for?
//! 2. `visit`: which site is that, and what is its live release? Asked once; the whole answer is of that release.
//! 3. The method: reading, or the password of a protected site.
//! 4. `gate`: a protected site is for those who have said its password.
//! 5. `path`: said in the one way that releases name it; another way of saying it is redirected, if it is there.
//! 6. `media`: an uploaded file; or `files`: what the release has there, from memory where possible.
//! 7. `answer`: which encoding, which part of it, or only that nothing has changed.
//! 8. `seal`: what every answer of a site carries.

mod answer;
mod compress;
mod conditions;
mod file;
mod files;
mod form;
mod gate;
mod headers;
mod host;
mod local;
mod media;
mod notes;
mod path;
mod tally;

use std::borrow::Cow;
use std::net::SocketAddr;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;

use axum::http::{Method, Request, Response, StatusCode};
use bytes::Bytes;
use futures_util::{FutureExt, Stream};
use http_body_util::{Either, Full, StreamBody};
use hyper::body::Frame;
use ipnet::IpNet;
use model::{Clock, MediaUrl};
use publisher::{Error, Publisher, Visit};

use self::file::{File, Kind};
use self::files::Files;
use self::gate::Gate;
pub(crate) use self::host::normal as normal_host;
use self::path::Path;
use self::tally::Tally;
use crate::listen::{Answers, Upload};

/// What a release has is in memory before its first byte is sent; uploaded files come piece by piece.
type Answer = Response<Either<Full<Bytes>, StreamBody<Pieces>>>;
type Pieces = Pin<Box<dyn Stream<Item = Result<Frame<Bytes>, publisher::ReadError>> + Send>>;

pub struct SitesSettings {
    pub clock: Arc<dyn Clock>,
    pub trusted_proxies: Vec<IpNet>,
    /// Sites are reached by https, whatever a request says.
    pub secure_cookies: bool,
    /// The most memory for what was served already.
    pub cache_bytes: u64,
    /// The server is on a machine of one's own: the person there may see which sites it has.
    pub list_sites: bool,
}

/// The sites of a publisher, to be served by `serve`.
#[derive(Clone)]
pub struct Sites(Arc<Parts>);

struct Parts {
    publisher: Publisher,
    settings: SitesSettings,
    files: Files,
    gate: Gate,
    tally: Tally,
}

impl Sites {
    /// To be made after the recorder of metrics was installed.
    pub fn new(publisher: Publisher, settings: SitesSettings) -> Sites {
        let files = Files::new(settings.cache_bytes);
        Sites(Arc::new(Parts { publisher, settings, files, gate: Gate::new(), tally: Tally::new() }))
    }
}

impl Answers for Sites {
    type Body = Either<Full<Bytes>, StreamBody<Pieces>>;

    async fn answer(&self, peer: SocketAddr, request: Request<Upload>) -> Answer {
        let head = request.method() == Method::HEAD;
        // A panic costs its own request only.
        let answered = AssertUnwindSafe(self.0.respond(peer, request)).catch_unwind().await;
        let mut answer = answered.unwrap_or_else(|_| notes::broken());
        if head {
            *answer.body_mut() = Either::Left(Full::default());
        }
        self.0.tally.count(answer.status());
        answer
    }
}

impl Parts {
    async fn respond(&self, peer: SocketAddr, request: Request<Upload>) -> Answer {
        let host = match host::of(&request) {
            Ok(Some(host)) => host,
            Ok(None) => return self.no_site(peer, &request).await,
            Err(host::Unclear) => return notes::unclear_host(),
        };
        let visit = match self.publisher.visit(&host).await {
            Ok(Some(visit)) => visit,
            Ok(None) => return self.no_site(peer, &request).await,
            Err(error) => return failed(&error),
        };
        drop(host);
        if visit.suspended {
            return notes::suspended();
        }
        let mut answer = self.enter(&visit, peer, request).await;
        headers::seal(answer.headers_mut(), &visit);
        answer
    }

    /// A host that is no site's: nothing, but for the person at this machine.
    async fn no_site(&self, peer: SocketAddr, request: &Request<Upload>) -> Answer {
        let reads = matches!(*request.method(), Method::GET | Method::HEAD);
        match (local::address(peer, request), request.uri().path()) {
            (Some(_), "/healthz") if reads => local::alive(),
            (Some(address), "/") if reads && self.settings.list_sites => {
                local::list(&self.publisher, address).await
            }
            _ => notes::no_site(),
        }
    }

    /// What a site answers to whoever may come in.
    async fn enter(&self, visit: &Visit, peer: SocketAddr, request: Request<Upload>) -> Answer {
        let reads = matches!(*request.method(), Method::GET | Method::HEAD);
        if visit.protection.is_some() {
            if request.method() == Method::POST {
                return self.unlock(visit, peer, request).await;
            }
            if reads && !gate::is_open(&self.publisher, visit, request.headers()) {
                return form::ask();
            }
        }
        if !reads {
            return notes::no_method(visit.protection.is_some());
        }
        let (path, is_moved) = match path::tidy(request.uri().path()) {
            Path::At(path) => (path, false),
            Path::Moved(path) => (Cow::Owned(path), true),
            // As a path that no release has: the site's own words for it.
            Path::Nowhere => (Cow::Borrowed(NOWHERE), false),
        };
        let answer = self.at(visit, &path, &request).await;
        let is_there = answer.status() != StatusCode::NOT_FOUND && !answer.status().is_server_error();
        match is_moved && is_there {
            true => answer::moved(StatusCode::PERMANENT_REDIRECT, &path::encode(&path), request.uri()),
            false => answer,
        }
    }

    /// What the site has at a path.
    async fn at(&self, visit: &Visit, path: &str, request: &Request<Upload>) -> Answer {
        if let Some(url) = MediaUrl::parse(path) {
            match media::show(&self.publisher, visit, &url, request).await {
                Ok(Some(answer)) => return answer,
                Ok(None) => {}
                Err(error) => return failed(&error),
            }
        }
        let Some(release) = visit.release else { return notes::nothing_published() };
        match self.show(visit, release, path, request).await {
            Ok(answer) => answer,
            Err(error) => failed(&error),
        }
    }

    async fn show(
        &self,
        visit: &Visit,
        release: i64,
        path: &str,
        request: &Request<Upload>,
    ) -> Result<Answer, Error> {
        if path != NOWHERE
            && let Some(file) = self.files.find(&self.publisher, visit.site, release, path).await?
        {
            return Ok(match &file.kind {
                Kind::Body(body) => answer::whole(body, request.method(), request.headers()).await,
                Kind::Redirect(target) => answer::moved(StatusCode::MOVED_PERMANENTLY, target, request.uri()),
            });
        }
        let own = self.files.find(&self.publisher, visit.site, release, NOWHERE).await?;
        match own.as_deref() {
            Some(File { kind: Kind::Body(body), .. }) => Ok(answer::missing(body, request.headers()).await),
            _ => Ok(notes::not_found()),
        }
    }
}

/// Where a release has what it says of everything it does not have.
const NOWHERE: &str = "/404.html";

fn failed(error: &Error) -> Answer {
    match error {
        Error::Away(_) | Error::Unconfirmed(_) => {
            tracing::warn!(%error, "a site was answered 503");
            notes::away()
        }
        _ => {
            tracing::error!(%error, "a site was answered 500");
            notes::broken()
        }
    }
}
