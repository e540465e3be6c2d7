//! `POST /builds`: queues a build.

use api::{BuildQueued, Failure, TriggerBuild};
use axum::Extension;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use model::SiteId;
use publisher::{Caller, JsonFields};

use crate::App;
use crate::error::{ApiError, json, json_response};
use crate::routes::{BodyFailures, CommonFailures, MediaType, parse_site, read_body};

/// Enough for a site id and fields that newer clients may add.
const MAX_BODY: u64 = 64 << 10;

/// Queue a build
///
/// The body is optional. A build uses the newest content of the site; poll `GET /builds/latest` for its result.
#[utoipa::path(
    post,
    path = "/builds",
    tag = "Builds",
    operation_id = "triggerBuild",
    request_body(content = TriggerBuild, content_type = "application/json"),
    responses(
        (status = 202, description = "Queued", body = BuildQueued),
        (status = 400, description = "A parameter or the body is missing or invalid", body = Failure),
        (status = 402, description = "The plan's builds of this month are used up", body = Failure),
        BodyFailures,
        CommonFailures,
    )
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

/// The body is optional, and so is its content type.
async fn read_site(headers: &HeaderMap, body: Body) -> Result<Option<SiteId>, ApiError> {
    let bytes = read_body(headers, body, MAX_BODY).await?;
    if bytes.trim_ascii().is_empty() {
        return Ok(None);
    }
    if let MediaType::Form(name) | MediaType::Other(name) = MediaType::of(headers) {
        return Err(ApiError::MediaType(format!("cannot read {name:?}; send application/json, or no body")));
    }
    let text =
        str::from_utf8(&bytes).map_err(|_| ApiError::BadRequest("the body is not valid UTF-8".into()))?;
    let fields =
        JsonFields::parse(text).map_err(|message| ApiError::BadRequest(format!("the body: {message}")))?;
    // A value that is not a string is not a UUID either.
    let text = |json| serde_json::from_str::<String>(json).unwrap_or_default();
    fields.get("siteId").map(|json| parse_site(&text(json))).transpose()
}
