//! The endpoints of the public API, one file each.

pub(crate) mod account_read;
pub(crate) mod builds_latest;
pub(crate) mod builds_trigger;
mod failures;
pub(crate) mod media_upload;
pub(crate) mod pages_delete;
pub(crate) mod pages_list;
pub(crate) mod pages_publish;
pub(crate) mod pages_read;
pub(crate) mod settings_change;
pub(crate) mod settings_read;
pub(crate) mod sites_list;

use api::ContentType;
use axum::body::Body;
use axum::extract::Path;
use axum::extract::rejection::PathRejection;
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use model::SiteId;
use utoipa::IntoParams;
use uuid::Uuid;

pub(crate) use self::failures::{BodyFailures, CommonFailures, RefusedPages, RefusedSettings};
use crate::body::{BodyLimits, BodyReader};
use crate::error::ApiError;

/// The site that a parameter, a form's field or a body names.
pub(crate) fn parse_site(text: &str) -> Result<SiteId, ApiError> {
    SiteId::parse(text).ok_or_else(|| ApiError::BadRequest("siteId must be a UUID".into()))
}

/// The site that a path names.
pub(crate) fn site_in_path(site: Result<Path<String>, PathRejection>) -> Result<SiteId, ApiError> {
    parse_site(site.ok().as_deref().map_or("", String::as_str))
}

/// A whole body of at most `most` bytes.
pub(crate) async fn read_body(headers: &HeaderMap, body: Body, most: u64) -> Result<Vec<u8>, ApiError> {
    let mut body = BodyReader::new(body, headers, BodyLimits::new(most))?;
    let mut bytes = Vec::new();
    while let Some(chunk) = body.chunk().await? {
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}

/// Which of the pages with a slug an endpoint means, for the OpenAPI description; `Parameters::page_key` reads it.
#[derive(IntoParams)]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
#[expect(dead_code, reason = "only its description is used")]
pub(crate) struct PageQuery {
    /// The page's content type
    content_type: ContentType,
    /// Required when the page belongs to a section
    section: Option<String>,
    /// Target site; the default site when omitted
    site_id: Option<Uuid>,
}

/// A request's content type, as far as the endpoints distinguish it.
pub(crate) enum MediaType {
    Missing,
    Json,
    /// `multipart/form-data`: the whole header, including the boundary.
    Form(String),
    Markdown,
    Other(String),
}

impl MediaType {
    pub(crate) fn of(headers: &HeaderMap) -> MediaType {
        let Some(value) = headers.get(CONTENT_TYPE) else { return MediaType::Missing };
        let text = String::from_utf8_lossy(value.as_bytes());
        let essence = text.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        if essence == "multipart/form-data" {
            return MediaType::Form(text.into_owned());
        }
        if essence == "text/markdown" {
            return MediaType::Markdown;
        }
        let json = essence == "application/json"
            || (essence.starts_with("application/") && essence.ends_with("+json"));
        if json { MediaType::Json } else { MediaType::Other(essence) }
    }
}
