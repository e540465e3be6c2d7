//! `POST /builds`: queues a build.

use api::{BuildQueued, TriggerBuild};
use axum::Extension;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use model::SiteId;
use publisher::{Caller, Error, site_in_body};

use crate::App;
use crate::body::{BodyLimits, BodyReader};
use crate::error::{ApiError, json, json_response};
use crate::routes::MediaType;

/// A site id and what newer clients may send beside it.
const MAX_BODY: u64 = 64 << 10;

/// Queue a build
///
/// The body may be left out. A build takes the newest content of the site; poll `GET /builds/latest` for its end.
#[utoipa::path(
    post,
    path = "/builds",
    tag = "Builds",
    operation_id = "triggerBuild",
    request_body(content = TriggerBuild, content_type = "application/json"),
    responses((status = 202, description = "Queued", body = BuildQueued))
)]
pub(crate) async fn trigger(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    let site = read_site(&headers, body).await?;
    let queued = app.publisher.trigger_build(&caller, site).await?;
    Ok(json_response(StatusCode::ACCEPTED, json(&queued)))
}

/// No body, an empty one and no content type are fine.
async fn read_site(headers: &HeaderMap, body: Body) -> Result<Option<SiteId>, ApiError> {
    let mut body = BodyReader::new(body, headers, BodyLimits::new(MAX_BODY))?;
    let mut bytes = Vec::new();
    while let Some(chunk) = body.chunk().await? {
        bytes.extend_from_slice(&chunk);
    }
    if bytes.trim_ascii().is_empty() {
        return Ok(None);
    }
    if let MediaType::Form(name) | MediaType::Other(name) = MediaType::of(headers) {
        return Err(ApiError::MediaType(format!("cannot read {name:?}; send application/json, or no body")));
    }
    let text = str::from_utf8(&bytes).map_err(|_| Error::Malformed("the body is not valid UTF-8".into()))?;
    Ok(site_in_body(text)?)
}
