//! The fields of a submitted form.

use axum::extract::{FromRequest, Request};
use axum::http::header::CONTENT_TYPE;

use super::failure::Failure;
use crate::App;
use crate::body::{BodyLimits, BodyReader};
use crate::error::ApiError;

/// Content and params have 100,000 characters each, and a character has up to 12 bytes in a form.
const MAX_BYTES: u64 = 4 << 20;

pub(super) struct Fields(Vec<(String, String)>);

impl Fields {
    /// The first field with this name; empty if there is none. Line ends are LF, while browsers send CRLF.
    pub(super) fn get(&self, name: &str) -> String {
        let value = self.0.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
        value.unwrap_or_default().replace("\r\n", "\n")
    }

    /// All fields whose names begin so, without that beginning.
    pub(super) fn below(&self, prefix: &str) -> Vec<(String, String)> {
        let below =
            |(key, value): &(String, String)| Some((key.strip_prefix(prefix)?.to_owned(), value.clone()));
        self.0.iter().filter_map(below).collect()
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(key, _)| key == name)
    }
}

impl FromRequest<App> for Fields {
    type Rejection = Failure;

    async fn from_request(request: Request, _: &App) -> Result<Fields, Failure> {
        let (head, body) = request.into_parts();
        let kind = head.headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        if !kind.starts_with("application/x-www-form-urlencoded") {
            return Err(ApiError::MediaType("this is not a submitted form".into()).into());
        }
        let limits = BodyLimits::new(MAX_BYTES);
        let mut body = BodyReader::new(body, &head.headers, limits).map_err(ApiError::from)?;
        let mut form = Vec::new();
        while let Some(chunk) = body.chunk().await.map_err(ApiError::from)? {
            form.extend_from_slice(&chunk);
        }
        Ok(Fields(form_urlencoded::parse(&form).into_owned().collect()))
    }
}
