//! Builds and releases: what happened, what is happening, "Build now".

use api::LatestBuild;
use askama::Template;
use axum::extract::State;
use axum::http::Uri;
use axum::response::{IntoResponse, Redirect, Response};
use publisher::ReleaseInfo;

use super::assets::BUILDS;
use super::failure::Failure;
use super::session::AtSite;
use super::view::{Frame, Html, filters, parameter, part, problem};
use crate::App;
use crate::error::ApiError;

const ON_A_SCREEN: usize = 30;

#[derive(Template)]
#[template(path = "dashboard/builds.html")]
struct Screen {
    frame: Frame,
    path: String,
    script: &'static str,
    lists: Lists,
}

/// What changes while a build runs.
#[derive(Template)]
#[template(path = "dashboard/builds_lists.html")]
pub(super) struct Lists {
    path: String,
    builds: Vec<LatestBuild>,
    releases: Vec<ReleaseInfo>,
    /// Of the running build: how many pages are rendered, and of how many.
    progress: Option<(i64, i64)>,
    next: Option<String>,
}

impl Lists {
    /// The builds from the one with the number `from` on, the newest being 0.
    pub(super) async fn of(app: &App, at: &AtSite, uri: &Uri) -> Result<Lists, Failure> {
        let (site, (from, end)) = (&at.access.site, part(uri, ON_A_SCREEN));
        let mut builds = app.publisher.build_list(site, end.saturating_add(1)).await?;
        let next = (builds.len() > end).then(|| format!("{}/builds?from={end}", at.path));
        builds.truncate(end);
        let builds = builds.into_iter().skip(from).collect();
        let releases = app.publisher.release_list(site).await?;
        let progress = app.publisher.build_progress(site).await?;
        Ok(Lists { path: at.path.clone(), builds, releases, progress, next })
    }

    /// Whether a build is queued or running.
    pub(super) fn is_open(&self) -> bool {
        self.builds.iter().any(|build| build.completed_at.is_none())
    }

    /// What is happening, in a sentence; empty if nothing is.
    pub(super) fn state(&self) -> String {
        let has =
            |status| self.builds.iter().any(|build| build.completed_at.is_none() && build.status == status);
        match (has("running"), has("queued"), self.progress) {
            (true, _, Some((done, total))) => format!("A build is running: {done} of {total} pages."),
            (true, _, None) => "A build is running.".to_owned(),
            (false, true, _) => "A build is waiting for its turn.".to_owned(),
            (false, false, _) => String::new(),
        }
    }
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
        Ok(screen) => Html::new(&screen).with(status).into_response(),
        Err(failure) => failure.into_response(),
    }
}

/// To the page that a message is about, by its URL on the site.
pub(super) async fn open_page(State(app): State<App>, at: AtSite) -> Result<Redirect, Failure> {
    let page = app.publisher.page_at(&at.access.site, &parameter(&at.uri, "url")).await?;
    Ok(Redirect::to(&format!("{}/pages/{}", at.path, page.ok_or(Failure::Missing)?)))
}

pub(super) async fn screen(
    app: &App,
    at: &AtSite,
    problem: Option<String>,
) -> Result<impl Template, Failure> {
    let lists = Lists::of(app, at, &at.uri).await?;
    let frame = at.frame("Builds").after(&at.uri).with_problem(problem);
    Ok(Screen { frame, path: at.path.clone(), script: &BUILDS.url, lists })
}
