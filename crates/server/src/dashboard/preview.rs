//! The preview of a page while it is written. It comes from the listener of the sites, at an address that cannot be
//! guessed, and in a sandbox: whatever the page contains, it cannot reach the dashboard.

use askama::Template;
use axum::extract::{Path, State};
use axum::http::HeaderValue;
use axum::http::header::CONTENT_SECURITY_POLICY;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use model::PageId;
use publisher::{Error, HostedSite, Publisher};

use super::POLICY;
use super::autosave;
use super::failure::Failure;
use super::fields::Fields;
use super::page_form::PageForm;
use super::session::AtSite;
use super::view::{Frame, Html};
use crate::App;

/// Where previews are, on each site.
pub(crate) const PATH: &str = "/.preview/";

#[derive(Template)]
#[template(path = "dashboard/preview.html")]
struct Screen {
    frame: Frame,
    url: String,
    back: String,
}

pub(super) async fn show_new(
    State(app): State<App>,
    at: AtSite,
    fields: Fields,
) -> Result<Response, Failure> {
    screen(&app, &at, &fields, None).await
}

pub(super) async fn show(
    State(app): State<App>,
    at: AtSite,
    Path((_, id)): Path<(String, String)>,
    fields: Fields,
) -> Result<Response, Failure> {
    screen(&app, &at, &fields, Some(autosave::existing(&app, &at, &id).await?)).await
}

/// For browsers without a script: what was typed is kept, and shown in a frame.
async fn screen(app: &App, at: &AtSite, fields: &Fields, page: Option<PageId>) -> Result<Response, Failure> {
    autosave::replace(app, at, fields, page).await?;
    let last = page.map_or("new".to_owned(), |page| page.to_string());
    let screen = Screen {
        frame: Frame { title: "Preview".into(), ..at.frame("Pages") },
        url: url(at, &fields.get("preview")),
        back: format!("{}/pages/{last}", at.path),
    };
    Ok(with_frame(at, Html::new(&screen).into_response(), None))
}

pub(super) fn url(at: &AtSite, secret: &str) -> String {
    at.on_site(&format!("{PATH}{secret}"))
}

/// A screen that may show a frame of the site, and whose editor may add style sheets with this nonce.
pub(super) fn with_frame(at: &AtSite, mut screen: Response, nonce: Option<&str>) -> Response {
    let mut policy = format!("{POLICY}; frame-src {}", at.on_site(""));
    if let Some(nonce) = nonce {
        policy = policy.replace("style-src 'self'", &format!("style-src 'self' 'nonce-{nonce}'"));
    }
    if let Ok(policy) = HeaderValue::try_from(policy) {
        screen.headers_mut().insert(CONTENT_SECURITY_POLICY, policy);
    }
    screen
}

/// The HTML of the preview with this secret. `None`: there is none, or not any more.
pub(crate) async fn html(
    publisher: &Publisher,
    site: &HostedSite,
    secret: &str,
) -> Result<Option<Bytes>, Error> {
    let Some(typed) = publisher.previewed(site, secret).await? else { return Ok(None) };
    let form: PageForm = serde_json::from_str(&typed.fields)
        .map_err(|error| Error::Internal(format!("what was typed: {error}")))?;
    publisher.preview(site, form.preview()).await.map(Some)
}
