//! API tokens of the site's account: create, list, revoke.

use askama::Template;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use model::{Timestamp, TokenId, TokenName};

use super::failure::Failure;
use super::fields::Fields;
use super::session::{AtSite, RecentOwner};
use super::view::{Confirm, Frame, Html, filters};
use crate::App;

#[derive(Template)]
#[template(path = "dashboard/tokens.html")]
struct Screen {
    frame: Frame,
    path: String,
    tokens: Vec<Row>,
    /// The token that was just created; it is never shown again.
    created: Option<String>,
    name: String,
    error: Option<String>,
}

struct Row {
    id: TokenId,
    name: String,
    created_at: Timestamp,
    last_used_at: Option<Timestamp>,
    revoked_at: Option<Timestamp>,
}

pub(super) async fn list(State(app): State<App>, RecentOwner(at): RecentOwner) -> Result<Html, Failure> {
    Ok(Html::new(&screen(&app, &at).await?))
}

pub(super) async fn create(
    State(app): State<App>,
    RecentOwner(at): RecentOwner,
    fields: Fields,
) -> Result<Response, Failure> {
    let typed = fields.get("name");
    match TokenName::parse(&typed) {
        Ok(name) => {
            let created = at.publisher(&app).token_create(at.access.caller.account, name).await?;
            let screen = Screen { created: Some(created.token), ..screen(&app, &at).await? };
            Ok(Html::new(&screen).into_response())
        }
        Err(error) => {
            let screen = Screen { name: typed, error: Some(error), ..screen(&app, &at).await? };
            Ok(Html::new(&screen).with(StatusCode::BAD_REQUEST))
        }
    }
}

pub(super) async fn ask_revoke(
    State(app): State<App>,
    RecentOwner(at): RecentOwner,
    Path((_, id)): Path<(String, String)>,
) -> Result<Html, Failure> {
    let tokens = screen(&app, &at).await?.tokens;
    let token = tokens.into_iter().find(|token| token.id.to_string() == id).ok_or(Failure::Missing)?;
    Ok(Html::new(&Confirm {
        frame: at.frame("Tokens"),
        question: format!("Revoke the token “{}”? Programs that use it are refused at once.", token.name),
        button: "Revoke",
        fields: vec![],
        back: format!("{}/tokens", at.path),
    }))
}

pub(super) async fn revoke(
    State(app): State<App>,
    RecentOwner(at): RecentOwner,
    Path((_, id)): Path<(String, String)>,
) -> Result<Response, Failure> {
    let id = TokenId::parse(&id).ok_or(Failure::Missing)?;
    match at.publisher(&app).token_revoke_of(at.access.caller.account, id).await {
        Err(publisher::Error::Refused(_)) => Err(Failure::Missing),
        revoked => revoked.map(|()| at.done("tokens", "revoked")).map_err(Failure::from),
    }
}

async fn screen(app: &App, at: &AtSite) -> Result<Screen, Failure> {
    let tokens = app.publisher.tokens_of_account(at.access.caller.account).await?;
    let row = |token: publisher::Token| Row {
        id: token.id,
        name: if token.name.is_empty() { "(no name)".to_owned() } else { token.name },
        created_at: token.created_at,
        last_used_at: token.last_used_at,
        revoked_at: token.revoked_at,
    };
    Ok(Screen {
        frame: at.frame("Tokens").after(&at.uri),
        path: at.path.clone(),
        // Newest first.
        tokens: tokens.into_iter().rev().map(row).collect(),
        created: None,
        name: String::new(),
        error: None,
    })
}
