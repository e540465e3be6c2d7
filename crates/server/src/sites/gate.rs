//! Protected sites: who has said the password carries a cookie that says so.
//!
//! Threats, and what stands against them. Guessing: a check is slow on purpose, few run at once, and tries are limited by
//! address and by site (`tries`). Cookies that another site of the same domain leaves: ours cannot be left by another
//! host where sites are reached by https (`__Host-`), and all cookies of our name are looked at, so that none hides the
//! right one. Reading along: neither the password nor the cookie is ever part of a URL or of the log.
//! Another site that makes a visitor's browser send the form: it would have to know the password already, and all it
//! gains is that the visitor may read what it could show anyway; nothing here is changed in anybody's name. So the form
//! needs no token of its own.

mod tries;

use std::net::SocketAddr;
use std::time::Duration;

use axum::http::header::{CONTENT_TYPE, COOKIE, LOCATION, SET_COOKIE};
use axum::http::{HeaderMap, HeaderValue, Request, StatusCode, Uri};
use bytes::Bytes;
use http_body_util::{BodyExt, Limited};
use publisher::{Publisher, Visit};
use tokio::time::timeout;

use self::tries::Tries;
use super::form::{self, Trouble};
use super::path::{self, Path};
use super::{Answer, Parts, answer, failed, headers, notes};
use crate::client::{client_address, is_https, limit_key};
use crate::listen::Upload;

const COOKIE_NAME: &str = "recto_access";
/// Browsers take a cookie of such a name only by https, and only from the very host that it is sent to.
const SECURE_COOKIE_NAME: &str = "__Host-recto_access";
const VALID_FOR: Duration = Duration::from_secs(30 * 24 * 3600);

/// The longest password, each byte of it percent-encoded, and some room.
const MOST_BYTES: usize = 4096;
const SLOWEST: Duration = Duration::from_secs(10);

pub(super) struct Gate {
    tries: Tries,
}

impl Gate {
    pub(super) fn new() -> Gate {
        Gate { tries: Tries::new() }
    }
}

/// Whether the visitor has said the password, or there is none.
pub(super) fn is_open(publisher: &Publisher, visit: &Visit, headers: &HeaderMap) -> bool {
    let Some(protection) = &visit.protection else { return true };
    // The head's size bounds how many there can be.
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
    /// The form was sent: if the password is right, the visitor is sent back to where it was, with a cookie.
    pub(super) async fn unlock(&self, visit: &Visit, peer: SocketAddr, request: Request<Upload>) -> Answer {
        let Some(protection) = &visit.protection else { return notes::no_method(false) };
        let (head, body) = request.into_parts();
        let trusted = &self.settings.trusted_proxies;
        let address = limit_key(client_address(peer.ip(), &head.headers, trusted));
        let now = self.settings.clock.now();
        if !self.gate.tries.admits(address, visit.site, now) {
            return form::again(Trouble::TooMany);
        }
        let password = match read(&head.headers, body).await {
            Ok(password) => password,
            Err(trouble) => return form::again(trouble),
        };
        let Some(_turn) = self.gate.tries.turn(visit.site).await else {
            return form::again(Trouble::Busy);
        };
        match self.publisher.unlock(protection, password, now.plus(VALID_FOR)).await {
            Ok(Some(cookie)) => {
                let secure = self.settings.secure_cookies || is_https(peer.ip(), &head.headers, trusted);
                welcome(&head.uri, &cookie, secure)
            }
            Ok(None) => form::again(Trouble::Wrong),
            Err(error) => failed(&error),
        }
    }
}

async fn read(headers: &HeaderMap, body: Upload) -> Result<String, Trouble> {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    if !kind.eq_ignore_ascii_case("application/x-www-form-urlencoded") {
        return Err(Trouble::NoForm);
    }
    let whole = timeout(SLOWEST, Limited::new(body, MOST_BYTES).collect()).await;
    let whole = whole.map_err(|_| Trouble::NoForm)?.map_err(|_| Trouble::NoForm)?.to_bytes();
    field(&whole, b"password").ok_or(Trouble::NoForm)
}

/// A field of `application/x-www-form-urlencoded`.
fn field(form: &[u8], name: &[u8]) -> Option<String> {
    let mut pairs = form.split(|byte| *byte == b'&');
    let value = pairs.find_map(|pair| pair.strip_prefix(name)?.strip_prefix(b"="))?;
    let spaced: Vec<u8> = value.iter().map(|byte| if *byte == b'+' { b' ' } else { *byte }).collect();
    String::from_utf8(path::percent_decode(&spaced)?).ok()
}

fn welcome(asked: &Uri, cookie: &str, secure: bool) -> Answer {
    let path = match path::tidy(asked.path()) {
        // As it was asked for, and not encoded anew.
        Path::At(_) => asked.path().to_owned(),
        Path::Moved(path) => path,
        Path::Nowhere => "/".to_owned(),
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
    answer::answer(StatusCode::SEE_OTHER, headers, Bytes::new())
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
    fn cookies_of_our_name_are_found_among_others() {
        let mut headers = HeaderMap::new();
        headers.append(COOKIE, HeaderValue::from_static("a=1; recto_access=2;recto_access=3"));
        headers.append(COOKIE, HeaderValue::from_static("recto_access=4; xrecto_access=5; recto_access"));
        assert_eq!(cookies(&headers).collect::<Vec<_>>(), ["2", "3", "4"]);
    }

    #[test]
    fn who_says_the_password_stays_on_the_host() {
        let check = |asked: &'static str, expected: &str| {
            let answer = welcome(&Uri::from_static(asked), "1.a", true);
            assert_eq!(answer.headers()[LOCATION].to_str().ok(), Some(expected), "{asked}");
        };
        check("/a?b=c", "/a?b=c");
        check("/caf%C3%A9", "/caf%C3%A9");
        check("//evil.com?x", "/evil.com?x");
        check("/%5Cevil.com", "/evil.com");
        check("/../x?y", "/?y");
        let cookie = welcome(&Uri::from_static("/"), "1.a", true).headers()[SET_COOKIE].clone();
        assert_eq!(
            cookie,
            "__Host-recto_access=1.a; HttpOnly; SameSite=Lax; Path=/; Max-Age=2592000; Secure"
        );
        let cookie = welcome(&Uri::from_static("/"), "1.a", false).headers()[SET_COOKIE].clone();
        assert_eq!(cookie, "recto_access=1.a; HttpOnly; SameSite=Lax; Path=/; Max-Age=2592000");
    }
}
