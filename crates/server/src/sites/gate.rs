//! Protected sites: a visitor who enters the password gets a signed cookie.
//!
//! Threats and countermeasures:
//! - Guessing: a check is slow on purpose, few run at once, and attempts are limited by address and by site
//!   (`attempts`).
//! - Cookies set by another site of the same domain: with https, other hosts cannot set this cookie (`__Host-`), and all
//!   cookies with this name are checked, so that a wrong one does not hide the right one.
//! - Eavesdropping: neither the password nor the cookie is ever in a URL or in the log.
//! - CSRF: another site would need the password to submit the form, and would only unlock the site for the visitor. So
//!   the form has no CSRF token.

mod attempts;

use std::net::SocketAddr;
use std::time::Duration;

use axum::http::header::{CONTENT_TYPE, COOKIE, LOCATION, SET_COOKIE};
use axum::http::{HeaderMap, HeaderValue, Request, StatusCode, Uri};
use bytes::Bytes;
use http_body_util::{BodyExt, Limited};
use limits::Backend;
use publisher::{HostedSite, Publisher};
use tokio::time::timeout;

use self::attempts::Attempts;
use super::password_form::{self, Rejection};
use super::path::{self, Path};
use super::{Parts, SiteResponse, failed, headers, notes, response};
use crate::client::{client_address, is_https, limit_key};
use crate::listen::RequestBody;

const COOKIE_NAME: &str = "recto_access";
/// Browsers accept a cookie with this prefix only over https and only from the host itself.
const SECURE_COOKIE_NAME: &str = "__Host-recto_access";
const VALID_FOR: Duration = Duration::from_secs(30 * 24 * 3600);

/// Enough for the longest password with every byte percent-encoded.
const MAX_FORM_BYTES: usize = 4096;
const FORM_TIMEOUT: Duration = Duration::from_secs(10);

pub(super) struct Gate {
    attempts: Attempts,
}

impl Gate {
    pub(super) fn new(limits: Backend) -> Gate {
        Gate { attempts: Attempts::new(limits) }
    }
}

/// Whether the visitor has a valid cookie, or the site is not protected.
pub(super) fn is_open(publisher: &Publisher, site: &HostedSite, headers: &HeaderMap) -> bool {
    let Some(protection) = &site.protection else { return true };
    // Their number is bounded by the size of the request's head.
    cookies(headers).any(|cookie| publisher.is_unlocked(protection, cookie))
}

fn cookies(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let lines = headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok());
    lines.flat_map(|line| line.split(';')).filter_map(|pair| {
        let (name, value) = pair.trim().split_once('=')?;
        (name == COOKIE_NAME || name == SECURE_COOKIE_NAME).then_some(value)
    })
}

impl Parts {
    /// Handles the submitted form: with the right password the visitor gets a cookie and is redirected back to the page.
    pub(super) async fn unlock(
        &self,
        site: &HostedSite,
        peer: SocketAddr,
        request: Request<RequestBody>,
    ) -> SiteResponse {
        let Some(protection) = &site.protection else { return notes::no_method(false) };
        let (head, body) = request.into_parts();
        let trusted = &self.settings.trusted_proxies;
        let address = limit_key(client_address(peer.ip(), &head.headers, trusted));
        let now = self.settings.clock.now();
        if !self.gate.attempts.admit(address, site.id, now).await {
            return password_form::again(&head.headers, Rejection::TooMany);
        }
        let password = match read(&head.headers, body).await {
            Ok(password) => password,
            Err(rejection) => return password_form::again(&head.headers, rejection),
        };
        let Some(_turn) = self.gate.attempts.turn(site.id).await else {
            return password_form::again(&head.headers, Rejection::Busy);
        };
        match self.publisher.unlock(protection, password, now.plus(VALID_FOR)).await {
            Ok(Some(cookie)) => {
                let secure = self.settings.secure_cookies || is_https(peer.ip(), &head.headers, trusted);
                redirect_with_cookie(&head.uri, &cookie, secure)
            }
            Ok(None) => password_form::again(&head.headers, Rejection::Wrong),
            Err(error) => failed(&error),
        }
    }
}

async fn read(headers: &HeaderMap, body: RequestBody) -> Result<String, Rejection> {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    if !kind.eq_ignore_ascii_case("application/x-www-form-urlencoded") {
        return Err(Rejection::NoForm);
    }
    let whole = timeout(FORM_TIMEOUT, Limited::new(body, MAX_FORM_BYTES).collect()).await;
    let whole = whole.map_err(|_| Rejection::NoForm)?.map_err(|_| Rejection::NoForm)?.to_bytes();
    field(&whole, b"password").ok_or(Rejection::NoForm)
}

/// A field of `application/x-www-form-urlencoded`.
fn field(form: &[u8], name: &[u8]) -> Option<String> {
    let mut pairs = form.split(|byte| *byte == b'&');
    let value = pairs.find_map(|pair| pair.strip_prefix(name)?.strip_prefix(b"="))?;
    let spaced: Vec<u8> = value.iter().map(|byte| if *byte == b'+' { b' ' } else { *byte }).collect();
    String::from_utf8(path::percent_decode(&spaced)?).ok()
}

fn redirect_with_cookie(asked: &Uri, cookie: &str, secure: bool) -> SiteResponse {
    let path = match path::normalize(asked.path()) {
        // As it was requested, not encoded again.
        Path::Canonical(_) => asked.path().to_owned(),
        Path::Redirect(path) => path,
        Path::Impossible => "/".to_owned(),
    };
    let location = asked.query().map_or(path.clone(), |query| format!("{path}?{query}"));
    let (name, secure) = if secure { (SECURE_COOKIE_NAME, "; Secure") } else { (COOKIE_NAME, "") };
    let seconds = VALID_FOR.as_secs();
    let cookie = format!("{name}={cookie}; HttpOnly; SameSite=Lax; Path=/; Max-Age={seconds}{secure}");
    let mut headers = headers::of_note(0);
    headers.remove(CONTENT_TYPE);
    if let (Ok(location), Ok(cookie)) = (HeaderValue::try_from(location), HeaderValue::try_from(cookie)) {
        headers.insert(LOCATION, location);
        headers.insert(SET_COOKIE, cookie);
    }
    response::build(StatusCode::SEE_OTHER, headers, Bytes::new())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_decoded_as_browsers_encode_it() {
        let check = |form: &[u8], expected: Option<&str>| {
            assert_eq!(field(form, b"password").as_deref(), expected, "{form:?}");
        };
        check(b"password=open+sesame", Some("open sesame"));
        check(b"a=b&password=1%2B1%26%C3%A9", Some("1+1&é"));
        check(b"password=", Some(""));
        check(b"password=a&password=b", Some("a"));
        check(b"", None);
        check(b"password", None);
        check(b"xpassword=a", None);
        check(b"password=%FF", None);
        check(b"password=%", None);
    }

    #[test]
    fn all_access_cookies_are_found_among_others() {
        let mut headers = HeaderMap::new();
        headers.append(COOKIE, HeaderValue::from_static("a=1; recto_access=2;recto_access=3"));
        headers.append(COOKIE, HeaderValue::from_static("recto_access=4; xrecto_access=5; recto_access"));
        assert_eq!(cookies(&headers).collect::<Vec<_>>(), ["2", "3", "4"]);
    }

    #[test]
    fn the_redirect_after_the_password_stays_on_the_host() {
        let check = |asked: &'static str, expected: &str| {
            let response = redirect_with_cookie(&Uri::from_static(asked), "1.a", true);
            assert_eq!(response.headers()[LOCATION].to_str().ok(), Some(expected), "{asked}");
        };
        check("/a?b=c", "/a?b=c");
        check("/caf%C3%A9", "/caf%C3%A9");
        check("//evil.com?x", "/evil.com?x");
        check("/%5Cevil.com", "/evil.com");
        check("/../x?y", "/?y");
        let cookie = redirect_with_cookie(&Uri::from_static("/"), "1.a", true).headers()[SET_COOKIE].clone();
        assert_eq!(
            cookie,
            "__Host-recto_access=1.a; HttpOnly; SameSite=Lax; Path=/; Max-Age=2592000; Secure"
        );
        let cookie = redirect_with_cookie(&Uri::from_static("/"), "1.a", false).headers()[SET_COOKIE].clone();
        assert_eq!(cookie, "recto_access=1.a; HttpOnly; SameSite=Lax; Path=/; Max-Age=2592000");
    }
}
