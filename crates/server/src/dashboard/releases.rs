//! One release: what changed with it, and the way back to it.

use askama::Template;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use model::PageId;
use publisher::{Error, PageEvent, ReleaseChanges};

use super::builds;
use super::failure::Failure;
use super::session::AtSite;
use super::view::{Confirm, Frame, Html, parameter};
use crate::App;

const ON_A_SCREEN: usize = 100;

#[derive(Template)]
#[template(path = "dashboard/release.html")]
struct Screen {
    frame: Frame,
    path: String,
    release: i64,
    /// `None`: the release before it is not kept any more.
    changes: Option<ReleaseChanges>,
    next: Option<String>,
}

pub(super) async fn show(
    State(app): State<App>,
    at: AtSite,
    Path((_, release)): Path<(String, i64)>,
) -> Result<Html, Failure> {
    let site = &at.access.site;
    let kept = app.publisher.release_list(site).await?;
    if !kept.iter().any(|info| info.release.number == release) {
        return Err(Failure::Missing);
    }
    let after = PageId::parse(&parameter(&at.uri, "after"));
    let changes = app.publisher.release_changes(site, release, after, ON_A_SCREEN).await?;
    let next = changes.as_ref().and_then(|changes| changes.next);
    let next = next.map(|page| format!("{}/builds/{release}?after={page}", at.path));
    let mut frame = at.frame("Builds");
    frame.title = format!("Release {release}");
    Ok(Html::new(&Screen { frame, path: at.path.clone(), release, changes, next }))
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
    match at.publisher(&app).rollback(&at.access.site, Some(release)).await {
        Ok(_) => Ok(at.done("builds", "rolled-back")),
        Err(Error::Refused(_)) => {
            let gone = Some("This release is not kept any more.".to_owned());
            Ok(Html::new(&builds::screen(&app, &at, gone).await?).with(StatusCode::NOT_FOUND))
        }
        Err(error) => Err(error.into()),
    }
}
