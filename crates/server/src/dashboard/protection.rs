//! The password that visitors of a site need.

use askama::Template;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use publisher::Error;

use super::failure::Failure;
use super::fields::Fields;
use super::session::{AtSite, Owner};
use super::view::{Confirm, Frame, Html, problem};
use crate::App;

#[derive(Template)]
#[template(path = "dashboard/protection.html")]
struct Screen {
    frame: Frame,
    path: String,
    tab: &'static str,
    is_protected: bool,
    error: Option<String>,
}

pub(super) async fn show(State(app): State<App>, Owner(at): Owner) -> Result<Html, Failure> {
    Ok(Html::new(&screen(&app, &at).await?))
}

pub(super) async fn set(
    State(app): State<App>,
    Owner(at): Owner,
    fields: Fields,
) -> Result<Response, Failure> {
    match at.publisher(&app).protect(&at.access.site, &fields.get("password")).await {
        Ok(()) => Ok(at.done("password", "protected")),
        Err(error @ Error::Refused(_)) => {
            let (status, error) = problem(error);
            Ok(Html::new(&Screen { error, ..screen(&app, &at).await? }).with(status))
        }
        Err(error) => Err(error.into()),
    }
}

pub(super) async fn ask_remove(Owner(at): Owner) -> Html {
    Html::new(&Confirm {
        frame: at.frame("Settings"),
        question: "Remove the password? Everyone can read the site then.".to_owned(),
        button: "Remove password",
        fields: vec![],
        back: format!("{}/password", at.path),
    })
}

pub(super) async fn remove(State(app): State<App>, Owner(at): Owner) -> Result<Response, Failure> {
    at.publisher(&app).unprotect(&at.access.site).await?;
    Ok(at.done("password", "public").into_response())
}

async fn screen(app: &App, at: &AtSite) -> Result<Screen, Failure> {
    let mut frame = at.frame("Settings").after(&at.uri);
    frame.title = "Password".to_owned();
    let is_protected = app.publisher.site_is_protected(&at.access.site).await?;
    Ok(Screen { frame, path: at.path.clone(), tab: "Password", is_protected, error: None })
}
