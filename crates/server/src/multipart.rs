//! Reads a `multipart/form-data` body part by part while it arrives. Everything except the contents of the parts has a
//! limit here; the contents are returned in chunks, and the caller limits them.
//!
//! At most one chunk of the body and the beginning of a boundary are in memory. Returned chunks are slices of the body's
//! chunks; bytes are copied only where a chunk ends inside a possible boundary or inside a part's head.

mod error;
mod head;
mod parameters;

use bytes::{Buf, Bytes, BytesMut};
use memchr::memmem::Finder;

pub(crate) use self::error::{MultipartError, PartFault};
use self::head::{MAX_HEAD_BYTES, read_head};
use crate::body::BodyReader;

/// Before the first boundary, and again after the last one. Clients normally send nothing there.
const MAX_AROUND_BYTES: usize = 8 * 1024;
/// White space between a boundary and the end of its line.
const MAX_PADDING_BYTES: usize = 256;

pub(crate) struct Multipart {
    body: BodyReader,
    limits: MultipartLimits,
    /// A line break, two hyphens and the boundary.
    delimiter: Finder<'static>,
    /// Received, but not returned yet.
    held: Bytes,
    position: Position,
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

/// A part's head. [`Multipart::chunk`] returns its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Part {
    pub name: String,
    /// As it was sent; it may be a path. It is empty if no file was chosen in a browser's form: such a part is not a file
    /// and must be ignored.
    pub file_name: Option<String>,
    pub content_type: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Position {
    BeforeFirst,
    InContent,
    /// Directly after the delimiter, in the same line.
    AfterDelimiter,
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
            // The first boundary has no line break before it, so one is added.
            held: Bytes::from_static(b"\r\n"),
            position: Position::BeforeFirst,
            fields: 0,
            files: 0,
        })
    }

    /// The next part; skips the rest of the current one. `None` after the last.
    pub(crate) async fn next_part(&mut self) -> Result<Option<Part>, MultipartError> {
        match self.position {
            Position::BeforeFirst => self.skip_preamble().await?,
            Position::InContent => while self.chunk().await?.is_some() {},
            Position::AfterDelimiter => {}
            Position::End => return Ok(None),
        }
        if self.is_last_delimiter().await? {
            self.skip_epilogue().await?;
            self.position = Position::End;
            return Ok(None);
        }
        self.end_delimiter_line().await?;
        let head = self.head().await?;
        let part = read_head(&head).map_err(|(name, fault)| self.fault(name, fault))?;
        self.count(&part)?;
        self.position = Position::InContent;
        Ok(Some(part))
    }

    /// The next chunk of the part's content, never empty; `None` at its end.
    pub(crate) async fn chunk(&mut self) -> Result<Option<Bytes>, MultipartError> {
        while self.position == Position::InContent {
            let content = match self.delimiter.find(&self.held) {
                Some(0) => {
                    self.held.advance(self.delimiter.needle().len());
                    self.position = Position::AfterDelimiter;
                    break;
                }
                Some(at) => at,
                None => self.held.len() - self.partial_delimiter(),
            };
            if content > 0 {
                return Ok(Some(self.held.split_to(content)));
            }
            self.receive().await?;
        }
        Ok(None)
    }

    /// How many bytes at the end may be the beginning of a delimiter. A boundary has no carriage return, so only the last
    /// carriage return can be its beginning.
    fn partial_delimiter(&self) -> usize {
        let delimiter = self.delimiter.needle();
        let from = self.held.len().saturating_sub(delimiter.len() - 1);
        let end = &self.held[from..];
        match memchr::memrchr(b'\r', end) {
            Some(at) if delimiter.starts_with(&end[at..]) => end.len() - at,
            _ => 0,
        }
    }

    async fn skip_preamble(&mut self) -> Result<(), MultipartError> {
        self.position = Position::InContent;
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

    /// The lines up to and including the empty line.
    async fn head(&mut self) -> Result<Bytes, MultipartError> {
        let mut searched = 0;
        loop {
            if self.held.starts_with(b"\r\n") {
                return Ok(self.held.split_to(2));
            }
            // The end may overlap the chunk before.
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

    /// An error in the part whose head is being read.
    fn fault(&self, name: Option<String>, fault: PartFault) -> MultipartError {
        MultipartError::Part { number: self.fields + self.files + 1, name, fault }
    }

    /// Adds the next chunk to `held`. The end of the body is an error wherever this is called.
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

/// Whether a line ends in a line feed without a carriage return. Unless `whole`, the byte before the first is unknown.
fn has_lone_line_feed(bytes: &[u8], whole: bool) -> bool {
    let is_lone = |at: usize| if at == 0 { whole } else { bytes[at - 1] != b'\r' };
    memchr::memchr_iter(b'\n', bytes).any(is_lone)
}

#[cfg(test)]
mod tests;
