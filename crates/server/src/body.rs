//! Reads a request's body piece by piece, with a limit on its size, its slowness and what it unpacks to.

mod gunzip;

use std::time::Duration;

use axum::body::Body;
use axum::http::HeaderMap;
use axum::http::header::{CONTENT_ENCODING, CONTENT_LENGTH};
use bytes::Bytes;
use http_body_util::BodyExt;
use model::ByteSize;
use tokio::task::yield_now;
use tokio::time::{Instant, timeout};

use self::gunzip::{Gunzip, Step};

pub(crate) struct BodyReader {
    packed: Packed,
    gunzip: Option<Gunzip>,
    unpacked: u64,
    /// What was passed on since others had their turn.
    turn: usize,
}

/// About a millisecond of reading JSON. A body whose bytes are all there has nothing to wait for, and many of them would
/// keep every other request waiting.
const TURN: usize = 128 * 1024;

#[derive(Debug, Clone, Copy)]
pub(crate) struct BodyLimits {
    /// The most bytes, as sent and also as unpacked.
    pub max: u64,
    /// The longest silence.
    pub idle: Duration,
    /// The fewest bytes a second, on average, of a client that we wait for longer than `grace`.
    pub floor: u32,
    pub grace: Duration,
    /// The deadline of the whole body: this long, and what it takes to send what has arrived at this many bytes a
    /// second. Counted on what has arrived, because announcing a size costs a client nothing.
    pub whole: Duration,
    pub whole_rate: u32,
}

impl BodyLimits {
    pub(crate) fn new(max: u64) -> BodyLimits {
        let patience = Duration::from_secs(30);
        BodyLimits {
            max,
            idle: patience,
            floor: 1024,
            grace: patience,
            // 6 MB may come over the slowest line there is (128 kbit/s), 10 GB over one of 512 kbit/s, in two days.
            // At the floor alone, a client could hold a file of ours for as long as it likes.
            whole: Duration::from_secs(300),
            whole_rate: 64 * 1024,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BodyError {
    #[error("the body is larger than {most}")]
    TooLarge { most: ByteSize },
    #[error("the content encoding `{0}` is not supported; send gzip or no encoding")]
    Encoding(String),
    #[error("the body is not valid gzip")]
    Gzip,
    #[error("the body arrived too slowly")]
    TooSlow,
    #[error("the body ended early")]
    Aborted,
}

fn too_large(most: u64) -> BodyError {
    BodyError::TooLarge { most: ByteSize(most) }
}

impl BodyReader {
    /// Refuses what the headers alone tell is too large or unreadable.
    pub(crate) fn new(body: Body, headers: &HeaderMap, limits: BodyLimits) -> Result<BodyReader, BodyError> {
        let gunzip = match encoding(headers)? {
            Encoding::Identity => None,
            Encoding::Gzip => Some(Gunzip::new()),
        };
        if content_length(headers).is_some_and(|length| length > limits.max) {
            return Err(too_large(limits.max));
        }
        let packed = Packed { body, limits, received: 0, waited: Duration::ZERO };
        Ok(BodyReader { packed, gunzip, unpacked: 0, turn: 0 })
    }

    /// The next piece, never empty; `None` at the end. Of a packed body a piece has 64 KB at most.
    pub(crate) async fn chunk(&mut self) -> Result<Option<Bytes>, BodyError> {
        if self.turn >= TURN {
            self.turn = 0;
            yield_now().await;
        }
        let chunk = self.next_chunk().await?;
        self.turn += chunk.as_ref().map_or(0, Bytes::len);
        Ok(chunk)
    }

    async fn next_chunk(&mut self) -> Result<Option<Bytes>, BodyError> {
        let Some(gunzip) = &mut self.gunzip else { return self.packed.chunk().await };
        loop {
            match gunzip.step()? {
                Step::Unpacked(chunk) => {
                    self.unpacked += chunk.len() as u64;
                    if self.unpacked > self.packed.limits.max {
                        return Err(too_large(self.packed.limits.max));
                    }
                    return Ok(Some(chunk));
                }
                Step::Hungry => match self.packed.chunk().await? {
                    Some(chunk) => gunzip.push(chunk),
                    None => gunzip.end(),
                },
                Step::End => return Ok(None),
            }
        }
    }
}

/// The body as it is sent.
struct Packed {
    body: Body,
    limits: BodyLimits,
    received: u64,
    /// Only the time spent on the client, not the time between two calls.
    waited: Duration,
}

impl Packed {
    async fn chunk(&mut self) -> Result<Option<Bytes>, BodyError> {
        loop {
            let patience = self.patience();
            let start = Instant::now();
            let frame = timeout(patience, self.body.frame()).await.map_err(|_| BodyError::TooSlow)?;
            self.waited += start.elapsed();
            let Some(frame) = frame else { return Ok(None) };
            let frame = frame.map_err(|_| BodyError::Aborted)?;
            let Ok(chunk) = frame.into_data() else { continue };
            self.received += chunk.len() as u64;
            if self.received > self.limits.max {
                return Err(too_large(self.limits.max));
            }
            if !chunk.is_empty() {
                return Ok(Some(chunk));
            }
        }
    }

    /// How long the client may take for its next bytes.
    fn patience(&self) -> Duration {
        let BodyLimits { idle, floor, grace, whole, whole_rate, .. } = self.limits;
        let earned = |rate: u32| Duration::from_secs(self.received / u64::from(rate.max(1)));
        let by = (grace + earned(floor)).min(whole + earned(whole_rate));
        idle.min(by.saturating_sub(self.waited))
    }
}

enum Encoding {
    Identity,
    Gzip,
}

fn encoding(headers: &HeaderMap) -> Result<Encoding, BodyError> {
    let mut encoding = Encoding::Identity;
    for line in headers.get_all(CONTENT_ENCODING) {
        let line = String::from_utf8_lossy(line.as_bytes());
        for name in line.split(',').map(str::trim) {
            match (name.to_ascii_lowercase().as_str(), &encoding) {
                ("" | "identity", _) => {}
                ("gzip" | "x-gzip", Encoding::Identity) => encoding = Encoding::Gzip,
                _ => return Err(BodyError::Encoding(name.chars().take(100).collect())),
            }
        }
    }
    Ok(encoding)
}

/// Whether the body is packed, in whatever way.
pub(crate) fn is_encoded(headers: &HeaderMap) -> bool {
    !matches!(encoding(headers), Ok(Encoding::Identity))
}

pub(crate) fn content_length(headers: &HeaderMap) -> Option<u64> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

#[cfg(test)]
mod tests;
