//! Reads a `multipart/form-data` body part by part while it arrives, with a limit on everything but the parts' contents:
//! those come in pieces, and who reads them decides how much is enough.
//!
//! At most one chunk of the body and the beginning of a boundary are held. Pieces are slices of the chunks; bytes are
//! copied only where a chunk ends inside of what may be a boundary, or of a part's head.

mod error;
mod head;
mod parameters;

use bytes::{Buf, Bytes, BytesMut};
use memchr::memmem::Finder;

pub(crate) use self::error::{MultipartError, PartFault};
use self::head::{MAX_HEAD_BYTES, read_head};
use crate::body::BodyReader;

/// What may stand before the first boundary, and again after the last one. Nobody sends any.
const MAX_AROUND_BYTES: usize = 8 * 1024;
/// White space between a boundary and the end of its line.
const MAX_PADDING_BYTES: usize = 256;

pub(crate) struct Multipart {
    body: BodyReader,
    limits: MultipartLimits,
    /// A line break, two hyphens and the boundary.
    delimiter: Finder<'static>,
    /// What was received and is not passed on yet.
    held: Bytes,
    place: Place,
    fields: usize,
    files: usize,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct MultipartLimits {
    /// The most parts without a file name.
    pub fields: usize,
    /// The most parts with one.
    pub files: usize,
}

/// A part's head. Its content follows by [`Multipart::chunk`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Part {
    pub name: String,
    /// As it was sent, be it a path. It is empty where a browser's form had a place for a file and none was chosen:
    /// that part is no file and is to be passed over.
    pub file_name: Option<String>,
    pub content_type: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    BeforeFirst,
    InContent,
    /// Directly behind the delimiter, in its line.
    BehindDelimiter,
    End,
}

impl Multipart {
    /// `content_type` is the request's header.
    pub(crate) fn new(
        body: BodyReader,
        content_type: &str,
        limits: MultipartLimits,
    ) -> Result<Multipart, MultipartError> {
        let delimiter = format!("\r\n--{}", parameters::boundary(content_type)?);
        Ok(Multipart {
            body,
            limits,
            delimiter: Finder::new(&delimiter).into_owned(),
            // The first boundary begins the body: its line break is ours.
            held: Bytes::from_static(b"\r\n"),
            place: Place::BeforeFirst,
            fields: 0,
            files: 0,
        })
    }

    /// The next part, past what is left of the one before; `None` behind the last.
    pub(crate) async fn next_part(&mut self) -> Result<Option<Part>, MultipartError> {
        match self.place {
            Place::BeforeFirst => self.skip_preamble().await?,
            Place::InContent => while self.chunk().await?.is_some() {},
            Place::BehindDelimiter => {}
            Place::End => return Ok(None),
        }
        if self.is_last_delimiter().await? {
            self.skip_epilogue().await?;
            self.place = Place::End;
            return Ok(None);
        }
        self.end_delimiter_line().await?;
        let head = self.head().await?;
        let part = read_head(&head).map_err(|(name, fault)| self.fault(name, fault))?;
        self.count(&part)?;
        self.place = Place::InContent;
        Ok(Some(part))
    }

    /// The next piece of the part's content, never empty; `None` at its end.
    pub(crate) async fn chunk(&mut self) -> Result<Option<Bytes>, MultipartError> {
        while self.place == Place::InContent {
            let content = match self.delimiter.find(&self.held) {
                Some(0) => {
                    self.held.advance(self.delimiter.needle().len());
                    self.place = Place::BehindDelimiter;
                    break;
                }
                Some(at) => at,
                None => self.held.len() - self.begun_delimiter(),
            };
            if content > 0 {
                return Ok(Some(self.held.split_to(content)));
            }
            self.receive().await?;
        }
        Ok(None)
    }

    /// How many bytes at the end may be the beginning of a delimiter. A boundary holds no carriage return, so that it is
    /// the last one, or none, that begins it.
    fn begun_delimiter(&self) -> usize {
        let delimiter = self.delimiter.needle();
        let from = self.held.len().saturating_sub(delimiter.len() - 1);
        let end = &self.held[from..];
        match memchr::memrchr(b'\r', end) {
            Some(at) if delimiter.starts_with(&end[at..]) => end.len() - at,
            _ => 0,
        }
    }

    async fn skip_preamble(&mut self) -> Result<(), MultipartError> {
        self.place = Place::InContent;
        let mut skipped = 0;
        loop {
            match self.chunk().await {
                Ok(Some(chunk)) => skipped += chunk.len(),
                Ok(None) => return Ok(()),
                Err(MultipartError::Truncated) if skipped > 0 => return Err(MultipartError::NoBoundary),
                Err(error) => return Err(error),
            }
            if skipped > MAX_AROUND_BYTES {
                return Err(MultipartError::NoBoundary);
            }
        }
    }

    async fn skip_epilogue(&mut self) -> Result<(), MultipartError> {
        let mut skipped = std::mem::take(&mut self.held).len();
        while skipped <= MAX_AROUND_BYTES {
            match self.body.chunk().await? {
                Some(chunk) => skipped += chunk.len(),
                None => return Ok(()),
            }
        }
        Err(MultipartError::Epilogue)
    }

    async fn is_last_delimiter(&mut self) -> Result<bool, MultipartError> {
        while self.held.len() < 2 {
            self.receive().await?;
        }
        Ok(self.held.starts_with(b"--"))
    }

    async fn end_delimiter_line(&mut self) -> Result<(), MultipartError> {
        loop {
            let padding = self.held.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
            match &self.held[padding..] {
                _ if padding > MAX_PADDING_BYTES => return Err(self.fault(None, PartFault::BoundaryLine)),
                [b'\r', b'\n', ..] => {
                    self.held.advance(padding + 2);
                    return Ok(());
                }
                [] | [b'\r'] => self.receive().await?,
                [b'\n', ..] => return Err(self.fault(None, PartFault::LineFeed)),
                _ => return Err(self.fault(None, PartFault::BoundaryLine)),
            }
        }
    }

    /// The lines up to the empty one, which is included.
    async fn head(&mut self) -> Result<Bytes, MultipartError> {
        let mut searched = 0;
        loop {
            if self.held.starts_with(b"\r\n") {
                return Ok(self.held.split_to(2));
            }
            // The end may have begun before what was received last.
            let from = usize::saturating_sub(searched, 3);
            let end = memchr::memmem::find(&self.held[from..], b"\r\n\r\n").map(|at| from + at + 4);
            let head = &self.held[..end.unwrap_or(self.held.len())];
            if has_lone_line_feed(&head[from..], from == 0) {
                return Err(self.fault(None, PartFault::LineFeed));
            }
            if head.len() > MAX_HEAD_BYTES {
                return Err(self.fault(None, PartFault::HeadTooLong));
            }
            if let Some(end) = end {
                return Ok(self.held.split_to(end));
            }
            searched = self.held.len();
            self.receive().await?;
        }
    }

    fn count(&mut self, part: &Part) -> Result<(), MultipartError> {
        let MultipartLimits { fields, files } = self.limits;
        match part.file_name {
            None => self.fields += 1,
            Some(_) => self.files += 1,
        }
        if self.fields > fields {
            return Err(MultipartError::TooManyFields { most: fields });
        }
        if self.files > files {
            return Err(MultipartError::TooManyFiles { most: files });
        }
        Ok(())
    }

    /// Of the part whose head is being read.
    fn fault(&self, name: Option<String>, fault: PartFault) -> MultipartError {
        MultipartError::Part { number: self.fields + self.files + 1, name, fault }
    }

    /// Holds at least one byte more. A body that is over is too short, wherever this is called.
    async fn receive(&mut self) -> Result<(), MultipartError> {
        let chunk = self.body.chunk().await?.ok_or(MultipartError::Truncated)?;
        self.held = match self.held.is_empty() {
            true => chunk,
            false => {
                let mut joined = BytesMut::with_capacity(self.held.len() + chunk.len());
                joined.extend_from_slice(&self.held);
                joined.extend_from_slice(&chunk);
                joined.freeze()
            }
        };
        Ok(())
    }
}

/// Whether a line ends in a line feed alone. What comes before the bytes is unknown unless they are `whole`.
fn has_lone_line_feed(bytes: &[u8], whole: bool) -> bool {
    let is_lone = |at: usize| if at == 0 { whole } else { bytes[at - 1] != b'\r' };
    memchr::memchr_iter(b'\n', bytes).any(is_lone)
}

#[cfg(test)]
mod tests;
