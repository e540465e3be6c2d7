//! Deleted pages, until they are purged.

use askama::Template;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use publisher::{Deleted, Error};

use super::autosave::page_id;
use super::failure::Failure;
use super::session::AtSite;
use super::view::{Frame, Html, filters, part, problem};
use crate::App;

const ON_A_SCREEN: usize = 50;

#[derive(Template)]
#[template(path = "dashboard/trash.html")]
struct Screen {
    frame: Frame,
    path: String,
    pages: Vec<Deleted>,
    next: Option<String>,
}

pub(super) async fn list(State(app): State<App>, at: AtSite) -> Result<Html, Failure> {
    Ok(Html::new(&screen(&app, &at, None).await?))
}

pub(super) async fn restore(
    State(app): State<App>,
    at: AtSite,
    Path((_, id)): Path<(String, String)>,
) -> Result<Response, Failure> {
    let page = page_id(&id)?;
    if !app.publisher.deleted_list(&at.access.site).await?.iter().any(|deleted| deleted.id == page) {
        return Err(Failure::Missing);
    }
    match at.publisher(&app).deleted_restore(&at.access.site, page).await {
        Ok(()) => Ok(at.done("pages/trash", "restored")),
        Err(error @ Error::Refused(_)) => {
            let (status, why) = problem(error);
            Ok((status, Html::new(&screen(&app, &at, why).await?)).into_response())
        }
        Err(error) => Err(error.into()),
    }
}

async fn screen(app: &App, at: &AtSite, problem: Option<String>) -> Result<Screen, Failure> {
    let (from, end) = part(&at.uri, ON_A_SCREEN);
    let pages = app.publisher.deleted_list(&at.access.site).await?;
    let next = (pages.len() > end).then(|| format!("{}/pages/trash?from={end}", at.path));
    let frame = Frame { title: "Trash".into(), ..at.frame("Pages") }.after(&at.uri).with_problem(problem);
    let pages = pages.into_iter().skip(from).take(ON_A_SCREEN).collect();
    Ok(Screen { frame, path: at.path.clone(), pages, next })
}
