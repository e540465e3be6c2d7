//! Uploaded files: list, upload, delete.

use askama::Template;
use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use model::{ByteSize, MediaUrl, Timestamp};
use publisher::{MediumInfo, Uploads};

use super::failure::Failure;
use super::fields::Fields;
use super::session::AtSite;
use super::view::{Confirm, Frame, Html, filters, parameter, part, problem};
use crate::App;
use crate::error::ApiError;
use crate::form::{Field, Form, malformed};
use crate::routes::MediaType;

const ON_A_SCREEN: usize = 50;

#[derive(Template)]
#[template(path = "dashboard/media.html")]
struct Screen {
    frame: Frame,
    path: String,
    files: Vec<Row>,
    next: Option<String>,
}

struct Row {
    name: String,
    /// As a page refers to it.
    url: String,
    /// With its host.
    address: String,
    size: ByteSize,
    created_at: Timestamp,
    used_by: Vec<String>,
}

pub(super) async fn list(State(app): State<App>, at: AtSite) -> Result<Html, Failure> {
    Ok(Html::new(&screen(&app, &at, None).await?))
}

pub(super) async fn upload(
    State(app): State<App>,
    at: AtSite,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Failure> {
    match receive(&app, &at, &headers, body).await {
        Ok(()) => Ok(at.done("media", "uploaded")),
        Err(error) => {
            let (status, why) = problem(error);
            Ok(Html::new(&screen(&app, &at, why).await?).with(status))
        }
    }
}

async fn receive(app: &App, at: &AtSite, headers: &HeaderMap, body: Body) -> Result<(), ApiError> {
    let MediaType::Form(kind) = MediaType::of(headers) else {
        return Err(ApiError::MediaType("send the files as multipart/form-data".into()));
    };
    let mut form = Form::new(headers, body, &kind)?;
    let mut uploads = Uploads::new(&app.publisher, &at.access.caller)?;
    while let Some(field) = form.next().await? {
        match field {
            Field::File { name, .. } => form.receive_file(&mut uploads, name, 0).await?,
            Field::Text(_) => drop(form.text().await?),
        }
    }
    if uploads.is_empty() {
        return Err(malformed("choose at least one file"));
    }
    let files = uploads.finish().await?;
    app.publisher.upload(&at.access.caller, Some(at.access.site.id), files).await?;
    Ok(())
}

pub(super) async fn ask_delete(at: AtSite) -> Result<Html, Failure> {
    let url = parameter(&at.uri, "url");
    let name = MediaUrl::parse(&url).ok_or(Failure::Missing)?.name;
    Ok(Html::new(&Confirm {
        frame: at.frame("Media"),
        question: format!("Delete the file “{name}”? Pages that use it will show nothing in its place."),
        button: "Delete",
        fields: vec![("url", url)],
        back: format!("{}/media", at.path),
    }))
}

pub(super) async fn delete(State(app): State<App>, at: AtSite, fields: Fields) -> Result<Response, Failure> {
    at.publisher(&app).delete_medium(at.access.site.id, &fields.get("url")).await?;
    Ok(at.done("media", "removed"))
}

async fn screen(app: &App, at: &AtSite, problem: Option<String>) -> Result<Screen, Failure> {
    let (from, end) = part(&at.uri, ON_A_SCREEN);
    let media = app.publisher.media(at.access.site.id).await?;
    let next = (media.len() > end).then(|| format!("{}/media?from={end}", at.path));
    let shown = media.into_iter().skip(from).take(ON_A_SCREEN);
    Ok(Screen {
        frame: at.frame("Media").after(&at.uri).with_problem(problem),
        path: at.path.clone(),
        files: shown.flat_map(|medium| rows(at, medium)).collect(),
        next,
    })
}

/// One for each name: the same bytes may have several.
fn rows(at: &AtSite, medium: MediumInfo) -> Vec<Row> {
    let used_by: Vec<String> = medium.used_by.iter().map(publisher::page_url).collect();
    let row = |url: &String| Row {
        name: MediaUrl::parse(url).map(|url| url.name).unwrap_or_default(),
        url: url.clone(),
        address: at.on_site(url),
        size: ByteSize(medium.size),
        created_at: medium.created_at,
        used_by: used_by.clone(),
    };
    medium.urls.iter().map(row).collect()
}
