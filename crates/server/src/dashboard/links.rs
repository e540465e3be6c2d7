//! One-time links: to choose a password, or to join an account. Opening one does not use it up, since programs that show
//! previews of messages open links, too.

use askama::Template;
use axum::extract::{OriginalUri, State};
use axum::http::{StatusCode, Uri};
use axum::response::{IntoResponse, Redirect, Response};
use model::{Password, Secret};
use publisher::{Actor, FieldErrors, Link, Person, Publisher};

use super::failure::Failure;
use super::fields::Fields;
use super::session::{Client, MaybeSession};
use super::view::{Frame, Html, parameter};
use crate::App;

/// The address of a link. The secret is in the query, which is not logged.
pub fn link_url(api_url: &str, secret: &Secret) -> String {
    format!("{api_url}/dashboard/link?key={}", secret.as_str())
}

#[derive(Template)]
#[template(path = "dashboard/link.html")]
struct ChoosePassword {
    frame: Frame,
    email: String,
    key: String,
    errors: FieldErrors,
}

#[derive(Template)]
#[template(path = "dashboard/join.html")]
struct Join {
    frame: Frame,
    account: String,
    key: String,
}

pub(super) async fn open(
    State(app): State<App>,
    session: MaybeSession,
    OriginalUri(uri): OriginalUri,
) -> Result<Response, Failure> {
    let key = parameter(&uri, "key");
    let link = app.publisher.link(&key).await?.ok_or(Failure::LinkGone)?;
    match link.account {
        None => Ok(choose_password(&link, key, FieldErrors::new())),
        Some(account) => {
            let session = invited(session, &link, &uri)?;
            let account = app.publisher.account_show(account).await?.name;
            Ok(Html::new(&Join { frame: session, account, key }).into_response())
        }
    }
}

pub(super) async fn submit(
    State(app): State<App>,
    client: Client,
    session: MaybeSession,
    OriginalUri(uri): OriginalUri,
    fields: Fields,
) -> Result<Response, Failure> {
    let key = fields.get("key");
    let link = app.publisher.link(&key).await?.ok_or(Failure::LinkGone)?;
    if link.account.is_some() {
        invited(session, &link, &uri)?;
        by(&app, &link, &client).join(link.user, &key).await?.ok_or(Failure::LinkGone)?;
        return Ok(Redirect::to("/dashboard/sites").into_response());
    }
    let (password, repeated) = (fields.get("password"), fields.get("repeat"));
    let mut errors = FieldErrors::new();
    if password != repeated {
        errors.insert("repeat", "the two passwords differ".to_owned());
    }
    let password = Password::parse(&password).map_err(|message| errors.insert("password", message));
    match password {
        Ok(password) if errors.is_empty() => {
            let secret = by(&app, &link, &client).choose_password(&key, password, &client.name).await?;
            Ok(client.sign_in(&secret.ok_or(Failure::LinkGone)?, "/dashboard"))
        }
        _ => Ok(choose_password(&link, key, errors)),
    }
}

/// For what the person of the link does.
fn by(app: &App, link: &Link, client: &Client) -> Publisher {
    app.publisher.by(Actor::Person(Person { email: link.email.clone(), address: Some(client.origin) }))
}

fn choose_password(link: &Link, key: String, errors: FieldErrors) -> Response {
    let status = if errors.is_empty() { StatusCode::OK } else { StatusCode::BAD_REQUEST };
    let frame = Frame::plain("Choose a password");
    Html::new(&ChoosePassword { frame, email: link.email.clone(), key, errors }).with(status)
}

/// An invitation is for one person, who must be signed in: see `publisher::accounts::members`.
fn invited(MaybeSession(session): MaybeSession, link: &Link, uri: &Uri) -> Result<Frame, Failure> {
    let session = session.filter(|session| session.user == link.user);
    let session = session.ok_or_else(|| Failure::sign_in(uri))?;
    Ok(Frame::of(&session, "Join"))
}
