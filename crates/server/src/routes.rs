//! One file an endpoint.

pub(crate) mod builds_latest;
pub(crate) mod builds_trigger;
pub(crate) mod media_upload;
pub(crate) mod pages_delete;
pub(crate) mod pages_list;
pub(crate) mod pages_publish;

use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;

/// What a body says it is, as far as we tell kinds apart.
pub(crate) enum MediaType {
    Missing,
    Json,
    /// The whole header, with its boundary.
    Form(String),
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
        let json = essence == "application/json"
            || (essence.starts_with("application/") && essence.ends_with("+json"));
        if json { MediaType::Json } else { MediaType::Other(essence) }
    }
}
