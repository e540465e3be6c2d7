//! Reads a `multipart/form-data` request: files are spooled, small text fields are read.

use axum::body::Body;
use axum::http::HeaderMap;
use bytes::Bytes;
use model::limits::FILES_PER_REQUEST;
use publisher::Uploads;

use crate::body::{BodyLimits, BodyReader, content_length, is_encoded};
use crate::error::ApiError;
use crate::multipart::{Multipart, MultipartLimits};

/// Two more files than a request may have: the payload may have a file name, and one too many is refused by the
/// publisher, with a better message.
const LIMITS: MultipartLimits = MultipartLimits { fields: 100, files: FILES_PER_REQUEST + 2 };
/// Of all text fields together, without the payload.
const MAX_TEXT_BYTES: usize = 64 << 10;
/// The most bytes that a request with one file has besides the file: boundaries, headers, other fields.
const MAX_OVERHEAD_BYTES: u64 = 2 * MAX_TEXT_BYTES as u64;

pub(crate) struct Form {
    parts: Multipart,
    length: Option<u64>,
    /// Bytes of text fields so far.
    text: usize,
}

/// A part of the form.
pub(crate) enum Field {
    /// A part with a file name.
    File {
        field: String,
        name: String,
    },
    Text(String),
}

impl Form {
    pub(crate) fn new(headers: &HeaderMap, body: Body, content_type: &str) -> Result<Form, ApiError> {
        // Files are usually compressed already, and a decompression bomb would fill the disk.
        if is_encoded(headers) {
            return Err(ApiError::MediaType("send multipart/form-data without a content encoding".into()));
        }
        // The files and the payload have their own limits.
        let body = BodyReader::new(body, headers, BodyLimits::new(u64::MAX))?;
        let parts = Multipart::new(body, content_type, LIMITS)?;
        Ok(Form { parts, length: content_length(headers), text: 0 })
    }

    pub(crate) async fn next(&mut self) -> Result<Option<Field>, ApiError> {
        let Some(part) = self.parts.next_part().await? else { return Ok(None) };
        Ok(Some(match part.file_name.filter(|name| !name.is_empty()) {
            Some(name) => Field::File { field: part.name, name },
            None => Field::Text(part.name),
        }))
    }

    pub(crate) async fn chunk(&mut self) -> Result<Option<Bytes>, ApiError> {
        Ok(self.parts.chunk().await?)
    }

    /// The minimum size of the file, from `Content-Length`, if the request has only one file.
    pub(crate) fn announced_file_size(&self) -> u64 {
        self.length.map_or(0, |length| length.saturating_sub(MAX_OVERHEAD_BYTES))
    }

    pub(crate) async fn receive_file(
        &mut self,
        uploads: &mut Uploads,
        name: String,
        at_least: u64,
    ) -> Result<(), ApiError> {
        let mut file = uploads.begin(name, at_least).await?;
        while let Some(chunk) = self.chunk().await? {
            file.write(chunk).await?;
        }
        Ok(uploads.add(file).await?)
    }

    /// The text of the current part.
    pub(crate) async fn text(&mut self) -> Result<String, ApiError> {
        let mut text = Vec::new();
        while let Some(chunk) = self.chunk().await? {
            self.text += chunk.len();
            if self.text > MAX_TEXT_BYTES {
                return Err(malformed("the fields that are no files are too long"));
            }
            text.extend_from_slice(&chunk);
        }
        String::from_utf8(text).map_err(|_| malformed("a field is not UTF-8"))
    }
}

pub(crate) fn malformed(message: &str) -> ApiError {
    ApiError::BadRequest(message.to_owned())
}
