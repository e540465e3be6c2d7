//! The sites that a person may use.

use askama::Template;
use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};
use publisher::Site;

use super::failure::Failure;
use super::session::SignedIn;
use super::view::{Frame, Html};
use crate::App;

#[derive(Template)]
#[template(path = "dashboard/sites.html")]
struct Screen {
    frame: Frame,
    sites: Vec<Row>,
}

struct Row {
    path: String,
    name: String,
    url: String,
}

/// To the only site, or to the choice.
pub(super) async fn home(State(app): State<App>, SignedIn(session): SignedIn) -> Result<Response, Failure> {
    let sites = app.publisher.sites_of(&session).await?;
    Ok(match &sites[..] {
        [site] => Redirect::to(&format!("/dashboard/sites/{}/pages", site.id)).into_response(),
        _ => Redirect::to("/dashboard/sites").into_response(),
    })
}

pub(super) async fn choose(State(app): State<App>, SignedIn(session): SignedIn) -> Result<Html, Failure> {
    let sites = app.publisher.sites_of(&session).await?;
    let row = |site: Site| Row {
        path: format!("/dashboard/sites/{}/pages", site.id),
        url: app.publisher.settings().deploy_url(&site.name),
        name: site.name.as_str().to_owned(),
    };
    let frame = Frame::of(&session, "Sites");
    Ok(Html::new(&Screen { frame, sites: sites.into_iter().map(row).collect() }))
}
