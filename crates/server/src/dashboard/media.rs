//! Uploaded files: list, upload, delete.

use api::MediaItem;
use askama::Template;
use axum::body::Body;
use axum::extract::State;
use axum::http::header::CONTENT_SECURITY_POLICY;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use model::{ByteSize, Dimensions, MediaUrl, Timestamp};
use publisher::{MediaFilter, MediaPlace, MediumInfo, Uploads};
use serde::Serialize;

use super::POLICY;
use super::assets::HTMX;
use super::failure::Failure;
use super::fields::Fields;
use super::session::AtSite;
use super::view::{Confirm, Frame, Html, filters, parameter, problem};
use crate::App;
use crate::error::{ApiError, json, json_response};
use crate::form::{Field, Form, malformed};
use crate::routes::MediaType;

const ON_A_SCREEN: usize = 50;

#[derive(Template)]
#[template(path = "dashboard/media.html")]
struct Screen {
    frame: Frame,
    htmx: &'static str,
    path: String,
    chosen: Chosen,
    files: Vec<Row>,
    storage: Storage,
    next: Option<String>,
}

/// What the person has chosen.
struct Chosen {
    unused: bool,
    search: String,
    /// A list instead of a grid.
    list: bool,
}

impl Chosen {
    fn of(at: &AtSite) -> Chosen {
        Chosen {
            unused: !parameter(&at.uri, "unused").is_empty(),
            search: parameter(&at.uri, "q"),
            list: parameter(&at.uri, "view") == "list",
        }
    }

    fn query(&self, cursor: &str) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.append_pair("q", &self.search).append_pair("view", if self.list { "list" } else { "" });
        query.append_pair("unused", if self.unused { "yes" } else { "" });
        query.append_pair("cursor", cursor).finish()
    }
}

/// What the account uses of its plan's storage.
struct Storage {
    used: ByteSize,
    limit: Option<ByteSize>,
}

struct Row {
    name: String,
    /// As a page refers to it.
    url: String,
    /// With its host.
    address: String,
    /// The address of a small picture.
    thumbnail: Option<String>,
    size: ByteSize,
    dimensions: Option<Dimensions>,
    created_at: Timestamp,
    used_by: Vec<String>,
}

impl Row {
    /// How a page shows the file, or links to it.
    fn markdown(&self) -> String {
        markdown(&self.name, &self.url)
    }

    /// Shown where there is no picture.
    fn extension(&self) -> &str {
        self.name.rsplit_once('.').map_or("", |(_, extension)| extension)
    }
}

/// What the script puts into the text of a page.
#[derive(Serialize)]
struct Added {
    markdown: String,
}

pub(super) async fn list(State(app): State<App>, at: AtSite) -> Result<Response, Failure> {
    Ok(with_images(&at, Html::new(&screen(&app, &at, None).await?).into_response()))
}

/// Uploads one file for the script, which gets the Markdown, or the reason why not.
pub(super) async fn add(
    State(app): State<App>,
    at: AtSite,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Failure> {
    match receive(&app, &at, &headers, body).await {
        Ok(item) => {
            let added = Added { markdown: markdown(&item.filename, &item.url) };
            Ok(json_response(StatusCode::OK, json(&added)))
        }
        Err(error) => {
            let (status, why) = problem(error);
            Ok((status, why.unwrap_or_default()).into_response())
        }
    }
}

pub(super) async fn upload(
    State(app): State<App>,
    at: AtSite,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Failure> {
    match receive(&app, &at, &headers, body).await {
        Ok(_) => Ok(at.done("media", "uploaded")),
        Err(error) => {
            let (status, why) = problem(error);
            Ok(with_images(&at, Html::new(&screen(&app, &at, why).await?).with(status)))
        }
    }
}

async fn receive(app: &App, at: &AtSite, headers: &HeaderMap, body: Body) -> Result<MediaItem, ApiError> {
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
    Ok(app.publisher.upload(&at.access.caller, Some(at.access.site.id), files).await?)
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
    let chosen = Chosen::of(at);
    let filter = MediaFilter {
        unused: chosen.unused,
        name: chosen.search.trim().to_owned(),
        after: MediaPlace::parse(&parameter(&at.uri, "cursor")),
    };
    let list = app.publisher.media_list(at.access.site.id, filter, ON_A_SCREEN).await?;
    let account = app.publisher.account_show(at.access.caller.account).await?;
    Ok(Screen {
        frame: at.frame("Media").after(&at.uri).with_problem(problem),
        htmx: &HTMX.url,
        path: at.path.clone(),
        files: list.media.into_iter().flat_map(|medium| rows(at, medium)).collect(),
        storage: Storage {
            used: ByteSize(account.storage_used_bytes),
            limit: account.storage_limit_bytes.map(ByteSize),
        },
        next: list.next.map(|place| format!("{}/media?{}", at.path, chosen.query(&place.text()))),
        chosen,
    })
}

/// A screen that may show images of the site.
fn with_images(at: &AtSite, mut screen: Response) -> Response {
    let policy = POLICY.replace("img-src 'self'", &format!("img-src 'self' {}", at.on_site("")));
    if let Ok(policy) = HeaderValue::try_from(policy) {
        screen.headers_mut().insert(CONTENT_SECURITY_POLICY, policy);
    }
    screen
}

/// One for each name: the same bytes may have several.
fn rows(at: &AtSite, medium: MediumInfo) -> Vec<Row> {
    let used_by: Vec<String> = medium.used_by.iter().map(publisher::page_url).collect();
    let row = |url: &String| {
        let parsed = MediaUrl::parse(url);
        let thumbnail = parsed.as_ref().and_then(|url| Some(url.smaller(url.smaller_widths().min()?)));
        let name = parsed.map(|url| url.name).unwrap_or_default();
        Row {
            thumbnail: is_image(&name).then(|| at.on_site(thumbnail.as_deref().unwrap_or(url))),
            name,
            url: url.clone(),
            address: at.on_site(url),
            size: ByteSize(medium.size),
            dimensions: medium.dimensions,
            created_at: medium.created_at,
            used_by: used_by.clone(),
        }
    };
    medium.urls.iter().map(row).collect()
}

fn is_image(name: &str) -> bool {
    publisher::media_type(name).starts_with("image/")
}

/// An image or a video is shown, another file is linked.
fn markdown(name: &str, url: &str) -> String {
    let label = name.rsplit_once('.').map_or(name, |(stem, _)| stem).replace(['[', ']'], " ");
    match is_image(name) || publisher::media_type(name).starts_with("video/") {
        true => format!("![{label}]({url})"),
        false => format!("[{label}]({url})"),
    }
}
