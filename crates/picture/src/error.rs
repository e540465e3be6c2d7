//! What can be wrong with an upload, in words its author understands: ours, never those of a library.

use std::io;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("this is no JPEG, PNG, GIF or WebP image")]
    NotAnImage,
    #[error("the image is damaged: {0}")]
    Broken(&'static str),
    #[error("the image cannot be decoded: it is damaged or of an unsupported form; please export it again")]
    Undecodable,
    #[error(
        "the JPEG stores each colour in a scan of its own, which is not supported; please export it again"
    )]
    Separate,
    #[error("{0}")]
    TooLarge(String),
    #[error("the image cannot be written: {0}")]
    Write(#[source] io::Error),
}

impl Error {
    /// What a decoder says is for those who know its format.
    pub(crate) fn undecodable<E>(_: E) -> Error {
        Error::Undecodable
    }
}

/// The pixels were fine up to here, so what the encoder lacks is memory, or numbers large enough.
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
