//! The endpoints of the public API, one file each.

pub(crate) mod builds_latest;
pub(crate) mod builds_trigger;
mod failures;
pub(crate) mod media_upload;
pub(crate) mod pages_delete;
pub(crate) mod pages_list;
pub(crate) mod pages_publish;
pub(crate) mod pages_read;
pub(crate) mod sites_list;

use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use model::SiteId;

pub(crate) use self::failures::{BodyFailures, CommonFailures, RefusedPages};
use crate::error::ApiError;

/// The site that a parameter, a form's field or a body names.
pub(crate) fn parse_site(text: &str) -> Result<SiteId, ApiError> {
    SiteId::parse(text).ok_or_else(|| ApiError::BadRequest("siteId must be a UUID".into()))
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
