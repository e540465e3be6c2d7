//! Builds and releases: what happened, "Build now", and the way back.

use api::LatestBuild;
use askama::Template;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use publisher::{Error, ReleaseInfo};

use super::failure::Failure;
use super::session::AtSite;
use super::view::{Confirm, Frame, Html, filters, problem};
use crate::App;
use crate::error::ApiError;

#[derive(Template)]
#[template(path = "dashboard/builds.html")]
struct Screen {
    frame: Frame,
    path: String,
    builds: Vec<LatestBuild>,
    releases: Vec<ReleaseInfo>,
}

pub(super) async fn list(State(app): State<App>, at: AtSite) -> Result<Html, Failure> {
    Ok(Html::new(&screen(&app, &at, None).await?))
}

pub(super) async fn build_now(State(app): State<App>, at: AtSite) -> Response {
    match app.publisher.build_now(&at.access.caller, &at.access.site).await {
        Ok(_) => at.done("builds", "queued"),
        Err(error) => refused(&app, &at, error.into()).await,
    }
}

/// The list, with the reason why no build was queued.
pub(super) async fn refused(app: &App, at: &AtSite, error: ApiError) -> Response {
    let (status, why) = problem(error);
    match screen(app, at, why).await {
        Ok(screen) => Html::new(&screen).with(status),
        Err(failure) => failure.into_response(),
    }
}

pub(super) async fn ask_roll_back(at: AtSite, Path((_, release)): Path<(String, i64)>) -> Html {
    Html::new(&Confirm {
        frame: at.frame("Builds"),
        question: format!("Show visitors release {release} again? It stays until the next build."),
        button: "Roll back",
        fields: vec![],
        back: format!("{}/builds", at.path),
    })
}

pub(super) async fn roll_back(
    State(app): State<App>,
    at: AtSite,
    Path((_, release)): Path<(String, i64)>,
) -> Result<Response, Failure> {
    match app.publisher.rollback(&at.access.site, Some(release)).await {
        Ok(_) => Ok(at.done("builds", "rolled-back")),
        Err(Error::Refused(_)) => {
            let gone = Some("This release is not kept any more.".to_owned());
            Ok(Html::new(&screen(&app, &at, gone).await?).with(StatusCode::NOT_FOUND))
        }
        Err(error) => Err(error.into()),
    }
}

async fn screen(app: &App, at: &AtSite, problem: Option<String>) -> Result<Screen, Failure> {
    let site = &at.access.site;
    let (builds, releases) = (app.publisher.build_list(site).await?, app.publisher.release_list(site).await?);
    let frame = at.frame("Builds").after(&at.uri).with_problem(problem);
    Ok(Screen { frame, path: at.path.clone(), builds, releases })
}
