//! Compresses JSON responses while they are sent: a listing of thousands of pages is megabytes of repeated text. Also
//! the style and the scripts of the dashboard, but not its screens: the length of a compressed one would say something about
//! the secrets in it.

use std::io::{self, Write};

use axum::body::{Body, HttpBody};
use axum::extract::Request;
use axum::http::HeaderValue;
use axum::http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, VARY};
use axum::middleware::Next;
use axum::response::Response;
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use futures_util::{Stream, StreamExt, stream};
use zstd::stream::raw::CParameter;

use crate::encoding::{self, Encoding};

/// Smaller responses fit into one packet anyway.
const MIN_BYTES: u64 = 1024;
const KINDS: [&str; 3] = ["application/json", "text/css; charset=utf-8", "text/javascript; charset=utf-8"];
/// About half a millisecond of work; then the task yields to others.
const STEP_BYTES: usize = 64 << 10;
/// The fastest, because the client waits for it.
const LEVEL: u32 = 1;
/// 128 KB, which are in use for as long as the client reads.
const ZSTD_WINDOW_LOG: u32 = 17;

pub(crate) async fn compress(request: Request, next: Next) -> Response {
    let encoding = encoding::choose(request.headers(), &[Encoding::Zstd, Encoding::Gzip]);
    let mut response = next.run(request).await;
    if !is_worth_it(&response) {
        return response;
    }
    let headers = response.headers_mut();
    headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
    let Some(compressor) = encoding.and_then(Compressor::new) else { return response };
    headers.insert(CONTENT_ENCODING, HeaderValue::from_static(compressor.encoding().name()));
    headers.remove(CONTENT_LENGTH);
    response.map(|body| Body::from_stream(compressed(body, compressor)))
}

/// The length comes from the header, which is all a response to HEAD has, or from the body.
fn is_worth_it(response: &Response) -> bool {
    let headers = response.headers();
    let announced = headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    let length: u64 = announced.or(response.body().size_hint().exact()).unwrap_or(0);
    let is_kind = |kind: &HeaderValue| KINDS.iter().any(|known| kind == known);
    length > MIN_BYTES
        && !headers.contains_key(CONTENT_ENCODING)
        && headers.get(CONTENT_TYPE).is_some_and(is_kind)
}

fn compressed(body: Body, compressor: Compressor) -> impl Stream<Item = Result<Bytes, axum::Error>> {
    let state = (body.into_data_stream(), Bytes::new(), Some(compressor));
    stream::try_unfold(state, |(mut body, mut rest, mut compressor)| async move {
        while let Some(mut current) = compressor.take() {
            if rest.is_empty() {
                match body.next().await.transpose()? {
                    Some(chunk) => rest = chunk,
                    None => {
                        return Ok(Some((current.finish().map_err(axum::Error::new)?, (body, rest, None))));
                    }
                }
            }
            let compressed =
                current.write(&rest.split_to(rest.len().min(STEP_BYTES))).map_err(axum::Error::new)?;
            compressor = Some(current);
            if !compressed.is_empty() {
                tokio::task::yield_now().await;
                return Ok(Some((compressed, (body, rest, compressor))));
            }
        }
        Ok(None)
    })
}

enum Compressor {
    Zstd(zstd::stream::write::Encoder<'static, Vec<u8>>),
    Gzip(GzEncoder<Vec<u8>>),
}

impl Compressor {
    fn new(encoding: Encoding) -> Option<Compressor> {
        match encoding {
            Encoding::Zstd => {
                let mut zstd = zstd::stream::write::Encoder::new(Vec::new(), LEVEL as i32).ok()?;
                zstd.set_parameter(CParameter::WindowLog(ZSTD_WINDOW_LOG)).ok()?;
                Some(Compressor::Zstd(zstd))
            }
            Encoding::Gzip => Some(Compressor::Gzip(GzEncoder::new(Vec::new(), Compression::new(LEVEL)))),
            Encoding::Brotli => None,
        }
    }

    fn encoding(&self) -> Encoding {
        match self {
            Compressor::Zstd(_) => Encoding::Zstd,
            Compressor::Gzip(_) => Encoding::Gzip,
        }
    }

    /// Returns the output so far, which may be empty.
    fn write(&mut self, bytes: &[u8]) -> io::Result<Bytes> {
        let ready = match self {
            Compressor::Zstd(zstd) => {
                zstd.write_all(bytes)?;
                zstd.get_mut()
            }
            Compressor::Gzip(gzip) => {
                gzip.write_all(bytes)?;
                gzip.get_mut()
            }
        };
        Ok(std::mem::take(ready).into())
    }

    fn finish(self) -> io::Result<Bytes> {
        match self {
            Compressor::Zstd(zstd) => zstd.finish(),
            Compressor::Gzip(gzip) => gzip.finish(),
        }
        .map(Bytes::from)
    }
}
