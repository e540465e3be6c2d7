//! The sites that a person may use.

use askama::Template;
use axum::extract::State;
use axum::http::Uri;
use axum::response::{IntoResponse, Redirect, Response};
use publisher::Site;

use super::failure::Failure;
use super::session::SignedIn;
use super::view::{Frame, Html, part};
use crate::App;

const ON_A_SCREEN: usize = 100;

#[derive(Template)]
#[template(path = "dashboard/sites.html")]
struct Screen {
    frame: Frame,
    sites: Vec<Row>,
    /// Whether the person owns an account.
    may_create: bool,
    next: Option<String>,
}

struct Row {
    path: String,
    name: String,
    url: String,
}

/// To the only site, or to the choice.
pub(super) async fn home(State(app): State<App>, SignedIn(session): SignedIn) -> Result<Response, Failure> {
    let sites = app.publisher.sites_of_person(&session).await?;
    Ok(match &sites[..] {
        [site] => Redirect::to(&format!("/dashboard/sites/{}/pages", site.id)).into_response(),
        _ => Redirect::to("/dashboard/sites").into_response(),
    })
}

pub(super) async fn choose(
    State(app): State<App>,
    SignedIn(session): SignedIn,
    uri: Uri,
) -> Result<Html, Failure> {
    let sites = app.publisher.sites_of_person(&session).await?;
    let (from, end) = part(&uri, ON_A_SCREEN);
    let next = (sites.len() > end).then(|| format!("/dashboard/sites?from={end}"));
    let row = |site: Site| Row {
        path: format!("/dashboard/sites/{}/pages", site.id),
        url: app.publisher.settings().deploy_url(&site.name),
        name: site.name.as_str().to_owned(),
    };
    let frame = Frame::of(&session, "Sites").after(&uri);
    let may_create = !app.publisher.accounts_of_owner(&session).await?.is_empty();
    let shown = sites.into_iter().skip(from).take(ON_A_SCREEN);
    Ok(Html::new(&Screen { frame, sites: shown.map(row).collect(), may_create, next }))
}
