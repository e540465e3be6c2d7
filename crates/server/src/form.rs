//! A multipart request: files go to the uploads, small texts are read, everything else is passed over.

use axum::body::Body;
use axum::http::HeaderMap;
use bytes::Bytes;
use model::limits::FILES_PER_REQUEST;
use publisher::{Error, Uploads};

use crate::body::{BodyLimits, BodyReader, content_length, is_encoded};
use crate::error::ApiError;
use crate::multipart::{Multipart, MultipartLimits};

/// One more file than a request may have, since the refusal is the publisher's, and a payload with a file name.
const LIMITS: MultipartLimits = MultipartLimits { fields: 100, files: FILES_PER_REQUEST + 2 };
/// All fields that are no files together, the payload aside.
const MAX_TEXT: usize = 64 << 10;
/// What a request has besides its one file, at most: boundaries, headers, other fields.
const OVERHEAD: u64 = 2 * MAX_TEXT as u64;

pub(crate) struct Form {
    parts: Multipart,
    length: Option<u64>,
    text: usize,
}

/// A part, by how it is to be treated.
pub(crate) enum Field {
    /// Every part with a file name.
    File {
        field: String,
        name: String,
    },
    Text(String),
}

impl Form {
    pub(crate) fn new(headers: &HeaderMap, body: Body, content_type: &str) -> Result<Form, ApiError> {
        // Files are compressed already, and what a small body unpacks to would be on our disk before anybody counts it.
        if is_encoded(headers) {
            return Err(ApiError::MediaType("send multipart/form-data without a content encoding".into()));
        }
        // Files and payload have limits of their own.
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

    /// The file of a request that has only one has at least so many bytes, as far as the headers tell.
    pub(crate) fn announced(&self) -> u64 {
        self.length.map_or(0, |length| length.saturating_sub(OVERHEAD))
    }

    pub(crate) async fn receive(
        &mut self,
        uploads: &mut Uploads,
        name: String,
        at_least: u64,
    ) -> Result<(), ApiError> {
        let mut file = uploads.begin(name, at_least)?;
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
            if self.text > MAX_TEXT {
                return Err(malformed("the fields that are no files are too long"));
            }
            text.extend_from_slice(&chunk);
        }
        String::from_utf8(text).map_err(|_| malformed("a field is not UTF-8"))
    }
}

pub(crate) fn malformed(message: &str) -> ApiError {
    Error::Malformed(message.to_owned()).into()
}
