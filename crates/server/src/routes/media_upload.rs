//! `POST /media`: one file.

use api::MediaItem;
use axum::Extension;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use publisher::{Caller, Uploads, site_in_form};

use crate::App;
use crate::error::{ApiError, json, json_response};
use crate::form::{Field, Form, malformed};
use crate::routes::MediaType;

/// Upload a file
///
/// It is found at once at the address that is answered, on the site's own origin. Images become WebP; images, video and
/// PDF lose their metadata; a `.mov` gets a twin whose address ends in `.mp4` as soon as it is made.
#[utoipa::path(
    post,
    path = "/media",
    tag = "Media",
    operation_id = "uploadMedia",
    request_body(content = api::MediaForm, content_type = "multipart/form-data"),
    responses((status = 200, description = "Stored", body = MediaItem))
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
                let at_least = form.announced();
                form.receive(&mut uploads, name, at_least).await?;
            }
            Field::Text(name) if name == "siteId" => site = Some(site_in_form(&form.text().await?)?),
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
