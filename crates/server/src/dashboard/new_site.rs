//! A further site of an account, as far as its plan allows one.

use askama::Template;
use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};
use model::{AccountId, SiteName};
use publisher::{Error, Session};

use super::failure::Failure;
use super::fields::Fields;
use super::session::{Client, SignedIn};
use super::view::{Frame, Html, problem};
use crate::App;

#[derive(Template)]
#[template(path = "dashboard/new_site.html")]
struct Screen {
    frame: Frame,
    /// Those that the person owns.
    accounts: Vec<(AccountId, String)>,
    chosen: String,
    name: String,
    error: Option<String>,
}

pub(super) async fn form(State(app): State<App>, SignedIn(session): SignedIn) -> Result<Html, Failure> {
    Ok(Html::new(&screen(&app, &session).await?))
}

pub(super) async fn create(
    State(app): State<App>,
    client: Client,
    SignedIn(session): SignedIn,
    fields: Fields,
) -> Result<Response, Failure> {
    let (name, chosen) = (fields.get("name"), fields.get("account"));
    let account = AccountId::parse(&chosen).ok_or(Failure::Missing)?;
    let created = match SiteName::parse(name.trim()) {
        Ok(name) => client.publisher(&app, &session).site_create_own(&session, account, name).await,
        Err(message) => Err(Error::Refused(message)),
    };
    match created {
        Ok(site) => Ok(Redirect::to(&format!("/dashboard/sites/{}/pages", site.id)).into_response()),
        Err(error @ Error::Refused(_)) => {
            let (status, error) = problem(error);
            let screen = Screen { chosen, name, error, ..screen(&app, &session).await? };
            Ok(Html::new(&screen).with(status))
        }
        Err(error) => Err(error.into()),
    }
}

async fn screen(app: &App, session: &Session) -> Result<Screen, Failure> {
    let accounts = app.publisher.accounts_of_owner(session).await?;
    if accounts.is_empty() {
        return Err(Failure::OwnersOnly);
    }
    let frame = Frame::of(session, "New site");
    Ok(Screen { frame, accounts, chosen: String::new(), name: String::new(), error: None })
}
