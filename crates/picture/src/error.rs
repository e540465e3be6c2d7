//! What can be wrong with an upload, in messages for its author, without those of libraries.

use std::io;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("this is not a JPEG, PNG, GIF or WebP image")]
    NotAnImage,
    #[error("the image is damaged: {0}")]
    Broken(&'static str),
    #[error("the image cannot be decoded: it is damaged or not supported; please export it again")]
    Undecodable,
    #[error("the JPEG stores each colour in a separate scan, which is not supported; please export it again")]
    Separate,
    #[error("{0}")]
    TooLarge(String),
    #[error("the image cannot be written: {0}")]
    Write(#[source] io::Error),
}

impl Error {
    /// A decoder's message only helps those who know the format.
    pub(crate) fn undecodable<E>(_: E) -> Error {
        Error::Undecodable
    }
}

/// The pixels were valid up to here, so the encoder lacks memory, or the values are too large for it.
impl From<::webp::Error> for Error {
    fn from(error: ::webp::Error) -> Error {
        Error::TooLarge(match error {
            ::webp::Error::Duration => {
                "the animation lasts longer than WebP can express; please shorten it".into()
            }
            _ => "the image takes too much memory to compress; please make it smaller".into(),
        })
    }
}
