//! The form to sign in. Attempts are limited by address and email (`limits::PasswordAttempts`), whether the email is known
//! or not, and few passwords are checked at once.
//!
//! A form that arrives when the session has ended is kept: its fields travel through this form, and are sent again after
//! it.

use std::time::Duration;

use askama::Template;
use axum::extract::State;
use axum::http::header::RETRY_AFTER;
use axum::http::{HeaderValue, StatusCode, Uri};
use axum::response::{IntoResponse, Redirect, Response};
use limits::{Backend, PasswordAttempts};
use model::{Secret, sha256};
use publisher::{Actor, Person, Session};
use tokio::sync::Semaphore;
use tokio::time::timeout;
use uuid::Uuid;

use super::assets::PASSKEYS;
use super::failure::Failure;
use super::fields::Fields;
use super::session::{Client, MaybeSession};
use super::view::{Frame, Html, parameter};
use crate::App;

/// Each uses a core for some ten milliseconds and 19 MB.
const CHECKS_AT_ONCE: usize = 2;
const MAX_WAIT: Duration = Duration::from_secs(5);
const HOME: &str = "/dashboard";
/// Before the names of kept fields.
const KEPT: &str = "kept.";

/// The limits of all attempts to sign in.
pub(crate) struct SignIns {
    attempts: PasswordAttempts,
    checks: Semaphore,
}

impl SignIns {
    pub(crate) fn new(limits: Backend) -> SignIns {
        SignIns { attempts: PasswordAttempts::new(limits), checks: Semaphore::new(CHECKS_AT_ONCE) }
    }
}

#[derive(Template)]
#[template(path = "dashboard/sign_in.html")]
struct Screen {
    frame: Frame,
    script: &'static str,
    email: String,
    next: String,
    /// The fields of a form that is sent again afterwards.
    kept: Vec<(String, String)>,
}

impl Screen {
    fn respond(
        email: String,
        next: String,
        kept: Vec<(String, String)>,
        why: Option<&str>,
        status: StatusCode,
    ) -> Response {
        let frame = Frame::plain("Sign in").with_problem(why.map(str::to_owned));
        let screen = Screen { frame, script: &PASSKEYS.url, email, next, kept };
        Html::new(&screen).with(status).into_response()
    }
}

#[derive(Template)]
#[template(path = "dashboard/resume.html")]
struct Resume {
    frame: Frame,
    next: String,
    kept: Vec<(String, String)>,
}

pub(super) async fn form(MaybeSession(session): MaybeSession, uri: Uri) -> Response {
    let again = parameter(&uri, "again") == "yes";
    if session.is_some() && !again {
        return Redirect::to(HOME).into_response();
    }
    let why = session.as_ref().map(|_| "This needs a recent sign-in: please sign in again.");
    let email = session.map(|session| session.email).unwrap_or_default();
    Screen::respond(email, own_path(parameter(&uri, "next")), vec![], why, StatusCode::OK)
}

/// For a form that arrived without a session, at the address `next`.
pub(super) fn keep(next: String, fields: &Fields) -> Response {
    let why = "Your session has ended. Sign in to go on; what you wrote is kept.";
    Screen::respond(String::new(), own_path(next), fields.below(""), Some(why), StatusCode::UNAUTHORIZED)
}

pub(super) async fn submit(
    State(app): State<App>,
    client: Client,
    MaybeSession(before): MaybeSession,
    fields: Fields,
) -> Result<Response, Failure> {
    let email = fields.get("email");
    if !app.sign_ins.attempts.admit(client.address, gate(&email), app.clock.now()).await {
        let again = "Too many attempts. Please wait a minute.";
        return Ok(again_after(60, refused(&fields, again, StatusCode::TOO_MANY_REQUESTS)));
    }
    let Ok(Ok(_turn)) = timeout(MAX_WAIT, app.sign_ins.checks.acquire()).await else {
        let again = "The server is busy. Please try again in a moment.";
        return Ok(again_after(5, refused(&fields, again, StatusCode::SERVICE_UNAVAILABLE)));
    };
    let person = Person { email: email.trim().to_lowercase(), address: Some(client.origin) };
    let publisher = app.publisher.by(Actor::Person(person));
    let signed_in = publisher.sign_in(&email, fields.get("password"), &client.name).await?;
    finish(&app, &client, before, signed_in, &fields, "The email or the password is wrong.").await
}

/// Begins the session with this secret instead of the one before, or says what was wrong.
pub(super) async fn finish(
    app: &App,
    client: &Client,
    before: Option<Session>,
    secret: Option<Secret>,
    fields: &Fields,
    wrong: &str,
) -> Result<Response, Failure> {
    let Some(secret) = secret else { return Ok(refused(fields, wrong, StatusCode::UNAUTHORIZED)) };
    if let Some(before) = before {
        // Its cookie is replaced.
        client.publisher(app, &before).session_end(before.user, before.id).await?;
    }
    let (next, kept) = (own_path(fields.get("next")), fields.below(KEPT));
    if kept.is_empty() {
        return Ok(client.sign_in(&secret, &next));
    }
    let screen = Resume { frame: Frame::plain("Signed in"), next, kept };
    Ok(client.sign_in_on(&secret, Html::new(&screen)))
}

/// The form again, with everything that was sent but the password.
fn refused(fields: &Fields, why: &str, status: StatusCode) -> Response {
    let (email, next, kept) = (fields.get("email"), own_path(fields.get("next")), fields.below(KEPT));
    Screen::respond(email, next, kept, Some(why), status)
}

/// Whether this address may ask for another challenge: each one is a row.
pub(super) async fn admit_passkey(app: &App, client: &Client) -> bool {
    app.sign_ins.attempts.admit(client.address, gate(&client.address.to_string()), app.clock.now()).await
}

fn again_after(seconds: u32, mut response: Response) -> Response {
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
    response
}

/// Attempts at one email are counted together, however it is written.
fn gate(email: &str) -> Uuid {
    let hash = sha256(email.trim().to_lowercase());
    Uuid::from_u128(u128::from_be_bytes(std::array::from_fn(|index| hash[index])))
}

/// Where a person goes after signing in: only to a screen of the dashboard.
fn own_path(next: String) -> String {
    let below = next.strip_prefix(HOME).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    match below && next.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\') {
        true => next,
        false => HOME.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_signing_in_a_person_stays_in_the_dashboard() {
        let check = |next: &str, expected: &str| assert_eq!(own_path(next.to_owned()), expected);
        check("/dashboard/sites?a=b", "/dashboard/sites?a=b");
        check("/dashboard", HOME);
        for other in
            ["", "/", "//evil.com", "https://evil.com", "/dashboardx", "/dashboard/\\evil", "/dashboard/\n"]
        {
            check(other, HOME);
        }
    }

    #[test]
    fn attempts_at_one_email_are_counted_together() {
        assert_eq!(gate(" Ada@example.com"), gate("ada@EXAMPLE.com"));
        assert_ne!(gate("ada@example.com"), gate("bob@example.com"));
    }
}
