//! Reads a request's body in chunks and decompresses it, with limits on its size, before and after, and its slowness.

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
    raw: RawBody,
    gunzip: Option<Gunzip>,
    decompressed: u64,
    /// Bytes since the last yield to other tasks.
    unyielded: usize,
}

/// About a millisecond of parsing JSON. A body that has arrived completely never waits, so without yielding it would
/// delay all other requests of its thread.
const YIELD_AFTER: usize = 128 * 1024;

#[derive(Debug, Clone, Copy)]
pub(crate) struct BodyLimits {
    /// The most bytes, both as sent and after decompression.
    pub max: u64,
    /// The longest time without any data.
    pub idle: Duration,
    /// The minimum average rate in bytes per second, enforced after `grace`.
    pub floor: u32,
    pub grace: Duration,
    /// The deadline of the whole body: `whole`, plus the time that the bytes received so far take at `whole_rate` bytes
    /// per second. The announced size does not count, because a client can announce anything.
    pub whole: Duration,
    pub whole_rate: u32,
}

impl BodyLimits {
    pub(crate) fn new(max: u64) -> BodyLimits {
        let silence = Duration::from_secs(30);
        BodyLimits {
            max,
            idle: silence,
            floor: 1024,
            grace: silence,
            // Enough for 6 MB at 128 kbit/s, and for 10 GB at 512 kbit/s (two days). With the minimum rate alone, a
            // client could keep a spool file open almost indefinitely.
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
    /// Fails at once if the headers announce a body that is too large or has an unsupported encoding.
    pub(crate) fn new(body: Body, headers: &HeaderMap, limits: BodyLimits) -> Result<BodyReader, BodyError> {
        let gunzip = match encoding(headers)? {
            Encoding::Identity => None,
            Encoding::Gzip => Some(Gunzip::new()),
        };
        if content_length(headers).is_some_and(|length| length > limits.max) {
            return Err(too_large(limits.max));
        }
        let raw = RawBody { body, limits, received: 0, waited: Duration::ZERO };
        Ok(BodyReader { raw, gunzip, decompressed: 0, unyielded: 0 })
    }

    /// The next chunk, never empty; `None` at the end. Chunks of a compressed body have at most 64 KB.
    pub(crate) async fn chunk(&mut self) -> Result<Option<Bytes>, BodyError> {
        if self.unyielded >= YIELD_AFTER {
            self.unyielded = 0;
            yield_now().await;
        }
        let chunk = self.next_chunk().await?;
        self.unyielded += chunk.as_ref().map_or(0, Bytes::len);
        Ok(chunk)
    }

    async fn next_chunk(&mut self) -> Result<Option<Bytes>, BodyError> {
        let Some(gunzip) = &mut self.gunzip else { return self.raw.chunk().await };
        loop {
            match gunzip.step()? {
                Step::Output(chunk) => {
                    self.decompressed += chunk.len() as u64;
                    if self.decompressed > self.raw.limits.max {
                        return Err(too_large(self.raw.limits.max));
                    }
                    return Ok(Some(chunk));
                }
                Step::NeedsInput => match self.raw.chunk().await? {
                    Some(chunk) => gunzip.push(chunk),
                    None => gunzip.end(),
                },
                Step::End => return Ok(None),
            }
        }
    }
}

/// The body as it was sent.
struct RawBody {
    body: Body,
    limits: BodyLimits,
    received: u64,
    /// Only the time spent waiting for the client, not the time between two calls.
    waited: Duration,
}

impl RawBody {
    async fn chunk(&mut self) -> Result<Option<Bytes>, BodyError> {
        loop {
            let limit = self.timeout();
            let start = Instant::now();
            let frame = timeout(limit, self.body.frame()).await.map_err(|_| BodyError::TooSlow)?;
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
    fn timeout(&self) -> Duration {
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

/// Whether the body has a content encoding, supported or not.
pub(crate) fn is_encoded(headers: &HeaderMap) -> bool {
    !matches!(encoding(headers), Ok(Encoding::Identity))
}

pub(crate) fn content_length(headers: &HeaderMap) -> Option<u64> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

#[cfg(test)]
mod tests;
