//! A person's sessions: list them, end one, sign out.

use askama::Template;
use axum::extract::{Path, State};
use axum::http::Uri;
use axum::response::{IntoResponse, Redirect, Response};
use model::SessionId;
use publisher::Session;

use super::failure::Failure;
use super::session::{Client, MaybeSession, SignedIn};
use super::view::{Frame, Html, filters};
use crate::App;

#[derive(Template)]
#[template(path = "dashboard/sessions.html")]
struct Screen {
    frame: Frame,
    tab: &'static str,
    sessions: Vec<Session>,
    own: SessionId,
}

pub(super) async fn list(
    State(app): State<App>,
    SignedIn(session): SignedIn,
    uri: Uri,
) -> Result<Html, Failure> {
    let sessions = app.publisher.session_list(session.user).await?;
    let frame = Frame::of(&session, "Sessions").after(&uri);
    Ok(Html::new(&Screen { frame, tab: "Sessions", sessions, own: session.id }))
}

pub(super) async fn end(
    State(app): State<App>,
    client: Client,
    SignedIn(session): SignedIn,
    Path(id): Path<String>,
) -> Result<Response, Failure> {
    let id = SessionId::parse(&id).ok_or(Failure::Missing)?;
    match client.publisher(&app, &session).session_end(session.user, id).await? {
        true => Ok(Redirect::to("/dashboard/sessions?done=ended").into_response()),
        false => Err(Failure::Missing),
    }
}

pub(super) async fn sign_out(
    State(app): State<App>,
    client: Client,
    MaybeSession(session): MaybeSession,
) -> Result<Response, Failure> {
    if let Some(session) = session {
        client.publisher(&app, &session).session_end(session.user, session.id).await?;
    }
    Ok(client.sign_out("/dashboard/sign-in"))
}
