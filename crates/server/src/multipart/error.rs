//! Why a multipart body is refused; the messages are for the developer of the client.

use std::fmt;

use super::MAX_AROUND_BYTES;
use super::head::{MAX_HEAD_BYTES, MAX_HEAD_LINES, MAX_NAME_BYTES};
use crate::body::BodyError;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum MultipartError {
    #[error("the content type must be multipart/form-data")]
    NotFormData,
    #[error(
        "the content type multipart/form-data must name its boundary, of 1 to 70 allowed characters; \
             let the HTTP library set the header"
    )]
    Boundary,
    #[error(
        "the body does not begin with the boundary that the content type names; JSON is sent as application/json"
    )]
    NoBoundary,
    #[error("the body ended before its last boundary")]
    Truncated,
    #[error("more than {MAX_AROUND_BYTES} bytes follow the last boundary")]
    Epilogue,
    #[error("the body has more than {most} fields")]
    TooManyFields { most: usize },
    #[error("the body has more than {most} files")]
    TooManyFiles { most: usize },
    #[error("part {number}{}: {fault}", Named(.name))]
    Part {
        /// From 1.
        number: usize,
        /// If it is known already.
        name: Option<String>,
        fault: PartFault,
    },
    #[error(transparent)]
    Body(#[from] BodyError),
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PartFault {
    #[error("lines must end in CRLF, not in a line feed alone")]
    LineFeed,
    #[error("the boundary must be followed by a line break")]
    BoundaryLine,
    #[error("the headers are longer than {MAX_HEAD_BYTES} bytes")]
    HeadTooLong,
    #[error("there are more than {MAX_HEAD_LINES} headers")]
    TooManyLines,
    #[error("the headers are not valid")]
    Head,
    #[error("the header `{0}` is not valid UTF-8")]
    Utf8(&'static str),
    #[error("`{0}` cannot be read")]
    Unreadable(&'static str),
    #[error("`{0}` appears twice")]
    Twice(&'static str),
    #[error("the header `Content-Disposition` must be `form-data`, with a `name`")]
    Disposition,
    #[error("`{0}` is longer than {MAX_NAME_BYTES} bytes")]
    NameTooLong(&'static str),
    #[error("the transfer encoding `{0}` is not supported; send the bytes as they are")]
    TransferEncoding(String),
    #[error("a part must not be multipart itself; send each file as a part of its own")]
    Nested,
}

struct Named<'n>(&'n Option<String>);

impl fmt::Display for Named<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(name) => write!(f, " (`{name}`)"),
            None => Ok(()),
        }
    }
}
