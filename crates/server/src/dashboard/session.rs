//! Who asks, and for which site.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use axum::extract::{ConnectInfo, FromRequestParts, OriginalUri, RawPathParams};
use axum::http::header::{COOKIE, SET_COOKIE, USER_AGENT};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Uri};
use axum::response::{IntoResponse, Redirect, Response};
use model::{Role, Secret, SiteId};
use publisher::{Access, Actor, Person, Publisher, Session};

use super::failure::Failure;
use super::view::{Frame, FrameSite};
use crate::App;
use crate::client::{client_address, is_https, limit_key};

const COOKIE_NAME: &str = "recto_session";
/// Browsers accept a cookie with this prefix only over https and only from the host itself.
const SECURE_COOKIE_NAME: &str = "__Host-recto_session";
/// As long as browsers keep one; the server decides when a session ends.
const MAX_AGE: u32 = 400 * 24 * 3600;

/// The client of a request.
pub(super) struct Client {
    /// Under which attempts are counted.
    pub(super) address: IpAddr,
    /// As it is, for the audit log.
    pub(super) origin: IpAddr,
    /// What the browser says it is.
    pub(super) name: String,
    is_secure: bool,
}

impl Client {
    fn of(parts: &Parts, app: &App) -> Client {
        let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>().map(|ConnectInfo(peer)| peer.ip());
        let peer = peer.unwrap_or(IpAddr::from([0, 0, 0, 0]));
        let agent = parts.headers.get(USER_AGENT).and_then(|agent| agent.to_str().ok());
        let origin = client_address(peer, &parts.headers, &app.trusted_proxies);
        Client {
            address: limit_key(origin),
            origin,
            name: agent.unwrap_or_default().to_owned(),
            is_secure: app.url.starts_with("https://")
                || is_https(peer, &parts.headers, &app.trusted_proxies),
        }
    }

    /// For what this person does.
    pub(super) fn publisher(&self, app: &App, session: &Session) -> Publisher {
        let person = Person { email: session.email.clone(), address: Some(self.origin) };
        app.publisher.by(Actor::Person(person))
    }

    fn cookie_name(&self) -> &'static str {
        if self.is_secure { SECURE_COOKIE_NAME } else { COOKIE_NAME }
    }

    /// Redirects a person whose session begins.
    pub(super) fn sign_in(&self, secret: &Secret, to: &str) -> Response {
        self.sign_in_on(secret, Redirect::to(to))
    }

    /// Begins a session on this screen.
    pub(super) fn sign_in_on(&self, secret: &Secret, screen: impl IntoResponse) -> Response {
        self.set_cookie(secret.as_str(), MAX_AGE, screen)
    }

    pub(super) fn sign_out(&self, to: &str) -> Response {
        self.set_cookie("", 0, Redirect::to(to))
    }

    fn set_cookie(&self, value: &str, max_age: u32, screen: impl IntoResponse) -> Response {
        let secure = if self.is_secure { "; Secure" } else { "" };
        let name = self.cookie_name();
        let cookie = format!("{name}={value}; HttpOnly; SameSite=Lax; Path=/; Max-Age={max_age}{secure}");
        let mut response = screen.into_response();
        if let Ok(cookie) = HeaderValue::try_from(cookie) {
            response.headers_mut().insert(SET_COOKIE, cookie);
        }
        response
    }
}

impl FromRequestParts<App> for Client {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Client, Failure> {
        Ok(Client::of(parts, app))
    }
}

/// The session of a request, if there is one.
pub(super) struct MaybeSession(pub(super) Option<Session>);

impl FromRequestParts<App> for MaybeSession {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<MaybeSession, Failure> {
        let name = Client::of(parts, app).cookie_name();
        for secret in cookies(&parts.headers, name) {
            if let Some(session) = app.publisher.session(secret).await? {
                return Ok(MaybeSession(Some(session)));
            }
        }
        Ok(MaybeSession(None))
    }
}

fn cookies<'h>(headers: &'h HeaderMap, wanted: &str) -> impl Iterator<Item = &'h str> {
    let lines = headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok());
    lines.flat_map(|line| line.split(';')).filter_map(move |pair| {
        let (name, value) = pair.trim().split_once('=')?;
        (name == wanted).then_some(value)
    })
}

/// A person who is signed in.
pub(super) struct SignedIn(pub(super) Session);

impl FromRequestParts<App> for SignedIn {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<SignedIn, Failure> {
        let MaybeSession(session) = MaybeSession::from_request_parts(parts, app).await?;
        session.map(SignedIn).ok_or_else(|| {
            let asked = parts.extensions.get::<OriginalUri>().map_or(&parts.uri, |OriginalUri(uri)| uri);
            Failure::sign_in(asked)
        })
    }
}

/// A person at the site of the path.
pub(super) struct AtSite {
    pub(super) session: Session,
    pub(super) access: Access,
    /// The address below which the site's screens are.
    pub(super) path: String,
    url: String,
    pub(super) uri: Uri,
}

impl FromRequestParts<App> for AtSite {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<AtSite, Failure> {
        let SignedIn(session) = SignedIn::from_request_parts(parts, app).await?;
        let params = RawPathParams::from_request_parts(parts, app).await.map_err(|_| Failure::Missing)?;
        let site = params.iter().find(|(name, _)| *name == "site").and_then(|(_, id)| SiteId::parse(id));
        let mut access = app.publisher.access(&session, site.ok_or(Failure::Missing)?).await?;
        if let Some(person) = &mut access.caller.person {
            person.address = Some(Client::of(parts, app).origin);
        }
        let path = format!("/dashboard/sites/{}", access.site.id);
        let url = app.publisher.settings().deploy_url(&access.site.name);
        Ok(AtSite { session, access, path, url, uri: parts.uri.clone() })
    }
}

impl AtSite {
    pub(super) fn frame(&self, current: &'static str) -> Frame {
        let site = FrameSite {
            path: self.path.clone(),
            name: self.access.site.name.as_str().to_owned(),
            url: self.url.clone(),
            owner: self.access.role == Role::Owner,
        };
        Frame { site: Some(site), current, ..Frame::of(&self.session, current) }
    }

    /// For what this person does.
    pub(super) fn publisher(&self, app: &App) -> Publisher {
        let person = self.access.caller.person.clone();
        app.publisher.by(person.map_or(Actor::System, Actor::Person))
    }

    /// To a screen of the site, which says what was done.
    pub(super) fn done(&self, screen: &str, what: &str) -> Response {
        let mark = if screen.contains('?') { '&' } else { '?' };
        Redirect::to(&format!("{}/{screen}{mark}done={what}", self.path)).into_response()
    }

    /// An address on the site itself.
    pub(super) fn on_site(&self, path: &str) -> String {
        format!("{}{path}", self.url)
    }
}

/// The same for what only owners may do.
pub(super) struct Owner(pub(super) AtSite);

impl FromRequestParts<App> for Owner {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Owner, Failure> {
        let at = AtSite::from_request_parts(parts, app).await?;
        match at.access.role {
            Role::Owner => Ok(Owner(at)),
            Role::Writer => Err(Failure::OwnersOnly),
        }
    }
}

/// The same for what a person at an unattended browser must not do: an owner who has signed in a short time ago. Others
/// sign in again, and return to the screen that the request belongs to.
pub(super) struct RecentOwner(pub(super) AtSite);

/// How long a sign-in is recent.
const RECENT: Duration = Duration::from_secs(15 * 60);

impl FromRequestParts<App> for RecentOwner {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<RecentOwner, Failure> {
        let Owner(at) = Owner::from_request_parts(parts, app).await?;
        if at.session.created_at.plus(RECENT) > app.clock.now() {
            return Ok(RecentOwner(at));
        }
        let path = parts.uri.path();
        let screen = path.trim_start_matches('/').split('/').next().unwrap_or_default();
        let screen = if screen == "delete" { "more" } else { screen };
        Err(Failure::SignInAgain(format!("{}/{screen}", at.path)))
    }
}

/// The same for what a person does without a site.
pub(super) struct Recent {
    pub(super) session: Session,
    pub(super) uri: Uri,
}

impl FromRequestParts<App> for Recent {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Recent, Failure> {
        let SignedIn(session) = SignedIn::from_request_parts(parts, app).await?;
        match session.created_at.plus(RECENT) > app.clock.now() {
            true => Ok(Recent { session, uri: parts.uri.clone() }),
            false => Err(Failure::SignInAgain("/dashboard/passkeys".to_owned())),
        }
    }
}
