//! `POST /media`: uploads one file.

use api::{Failure, MediaItem};
use axum::Extension;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use publisher::{Caller, Uploads};

use crate::App;
use crate::error::{ApiError, json, json_response};
use crate::form::{Field, Form, malformed};
use crate::routes::{BodyFailures, CommonFailures, MediaType, parse_site};

/// Upload a file
///
/// The file is available at once at the returned URL, on the site's own origin. Images are converted to WebP; metadata is
/// removed from images, video and PDF; a `.mov` is also converted to MP4, at the same URL with `.mp4` at the end.
#[utoipa::path(
    post,
    path = "/media",
    tag = "Media",
    operation_id = "uploadMedia",
    request_body(content = api::MediaForm, content_type = "multipart/form-data"),
    responses(
        (status = 200, description = "Stored", body = MediaItem),
        (status = 400, description = "A parameter or the body is missing or invalid", body = Failure),
        (status = 402, description = "The files need more storage than is left", body = Failure),
        BodyFailures,
        CommonFailures,
    )
)]
pub(crate) async fn upload(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    let MediaType::Form(kind) = MediaType::of(&headers) else {
        return Err(ApiError::MediaType("send the file as multipart/form-data".into()));
    };
    let mut form = Form::new(&headers, body, &kind)?;
    let mut uploads = Uploads::new(&app.publisher, &caller)?;
    let mut site = None;
    while let Some(field) = form.next().await? {
        match field {
            Field::File { .. } if !uploads.is_empty() => return Err(malformed("send one file a request")),
            Field::File { name, .. } => {
                let at_least = form.announced_file_size();
                form.receive_file(&mut uploads, name, at_least).await?;
            }
            Field::Text(name) if name == "siteId" => site = Some(parse_site(&form.text().await?)?),
            Field::Text(_) => drop(form.text().await?),
        }
    }
    if uploads.is_empty() {
        return Err(malformed("the field `file` is missing"));
    }
    let files = uploads.finish().await?;
    let item = app.publisher.upload(&caller, site, files).await?;
    Ok(json_response(StatusCode::OK, json(&item)))
}
