//! Compresses answers while they are sent: a listing of thousands of pages is megabytes of repeated words.

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

/// Below this, what is saved fits into the same packet anyway.
const LEAST: u64 = 1024;
/// About half a millisecond of work; then other requests have their turn.
const STEP: usize = 64 << 10;
/// The fastest: the client waits for it.
const LEVEL: u32 = 1;
/// 128 KB: an answer that a client reads slowly keeps this much memory for as long.
const ZSTD_WINDOW_LOG: u32 = 17;

pub(crate) async fn pack(request: Request, next: Next) -> Response {
    let encoding = encoding::choose(request.headers(), &[Encoding::Zstd, Encoding::Gzip]);
    let mut response = next.run(request).await;
    if !is_long_json(&response) {
        return response;
    }
    let headers = response.headers_mut();
    headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
    let Some(packer) = encoding.and_then(Packer::new) else { return response };
    headers.insert(CONTENT_ENCODING, HeaderValue::from_static(packer.encoding().name()));
    headers.remove(CONTENT_LENGTH);
    response.map(|body| Body::from_stream(packed(body, packer)))
}

/// The body knows its length; in an answer to HEAD only the header does.
fn is_long_json(response: &Response) -> bool {
    let headers = response.headers();
    let announced = headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    let length: u64 = announced.or(response.body().size_hint().exact()).unwrap_or(0);
    length > LEAST && headers.get(CONTENT_TYPE).is_some_and(|kind| kind == "application/json")
}

fn packed(body: Body, packer: Packer) -> impl Stream<Item = Result<Bytes, axum::Error>> {
    let state = (body.into_data_stream(), Bytes::new(), Some(packer));
    stream::try_unfold(state, |(mut body, mut rest, mut packer)| async move {
        while let Some(mut at_work) = packer.take() {
            if rest.is_empty() {
                match body.next().await.transpose()? {
                    Some(chunk) => rest = chunk,
                    None => {
                        return Ok(Some((at_work.finish().map_err(axum::Error::new)?, (body, rest, None))));
                    }
                }
            }
            let packed = at_work.write(&rest.split_to(rest.len().min(STEP))).map_err(axum::Error::new)?;
            packer = Some(at_work);
            if !packed.is_empty() {
                tokio::task::yield_now().await;
                return Ok(Some((packed, (body, rest, packer))));
            }
        }
        Ok(None)
    })
}

enum Packer {
    Zstd(zstd::stream::write::Encoder<'static, Vec<u8>>),
    Gzip(GzEncoder<Vec<u8>>),
}

impl Packer {
    fn new(encoding: Encoding) -> Option<Packer> {
        match encoding {
            Encoding::Zstd => {
                let mut zstd = zstd::stream::write::Encoder::new(Vec::new(), LEVEL as i32).ok()?;
                zstd.set_parameter(CParameter::WindowLog(ZSTD_WINDOW_LOG)).ok()?;
                Some(Packer::Zstd(zstd))
            }
            Encoding::Gzip => Some(Packer::Gzip(GzEncoder::new(Vec::new(), Compression::new(LEVEL)))),
            Encoding::Brotli => None,
        }
    }

    fn encoding(&self) -> Encoding {
        match self {
            Packer::Zstd(_) => Encoding::Zstd,
            Packer::Gzip(_) => Encoding::Gzip,
        }
    }

    /// What is ready to be sent, perhaps nothing yet.
    fn write(&mut self, bytes: &[u8]) -> io::Result<Bytes> {
        let ready = match self {
            Packer::Zstd(zstd) => {
                zstd.write_all(bytes)?;
                zstd.get_mut()
            }
            Packer::Gzip(gzip) => {
                gzip.write_all(bytes)?;
                gzip.get_mut()
            }
        };
        Ok(std::mem::take(ready).into())
    }

    fn finish(self) -> io::Result<Bytes> {
        match self {
            Packer::Zstd(zstd) => zstd.finish(),
            Packer::Gzip(gzip) => gzip.finish(),
        }
        .map(Bytes::from)
    }
}
