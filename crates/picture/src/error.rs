//! What can be wrong with an upload, in words its author understands.

use std::fmt::Display;
use std::io;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("this is no JPEG, PNG, GIF or WebP image")]
    NotAnImage,
    #[error("the image is damaged: {0}")]
    Broken(String),
    #[error("{0}")]
    TooLarge(String),
    #[error("the image cannot be written: {0}")]
    Write(#[source] io::Error),
}

impl Error {
    pub(crate) fn broken(reason: impl Display) -> Error {
        Error::Broken(reason.to_string())
    }
}

/// The pixels were fine up to here, so what the encoder lacks is memory.
impl From<::webp::Error> for Error {
    fn from(error: ::webp::Error) -> Error {
        Error::TooLarge(format!("the image cannot be compressed: {error}"))
    }
}
